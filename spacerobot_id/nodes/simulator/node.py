"""The node ``simulator``: stands in for a free-flying robot, its controllers and its sensors."""

from collections.abc import Callable
import sys
import time

from geometry_msgs.msg import WrenchStamped
import numpy as np
from rclpy.clock import Clock, ClockType
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from spacerobot_id.exceptions import ConfigurationError, SimulationError, SpaceRobotIdError
from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.measurement.streams import thrust_stream
from spacerobot_id.model import load_robot, RobotModel
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.common.process import run_node
from spacerobot_id.nodes.common.robot_description import described_robot
from spacerobot_id.nodes.messages import (
    string_message,
    trajectory_from_message,
    wrench_from_message,
)
from spacerobot_id.nodes.simulator.simulated_streams import SimulatedStreams
from spacerobot_id.simulation import (
    Controller,
    Gains,
    SensorSet,
    Simulation,
    stream_deliveries,
)
from spacerobot_id.simulation.settings import SimulatorSettings

TICK = 0.005
"""Period of the steady timer that publishes all samples due, s."""

MAX_BATCH = 50
"""Most samples published at one tick; what the computer cannot keep up with is not made up for."""

THRUSTER_QUEUE = 100
"""Commands of thrusters that may wait: none is to be lost."""

MOST_AHEAD = 10.0
"""Longest time by which commands of thrusters may come before they hold, s."""

START_TIME = 1.0
"""Simulated time at the start, s: a stamp of zero means no stamp."""


class Simulator(ManagedNode):
    """Follows trajectories, moves the base as momentum demands, and publishes sensors' streams."""

    settings_type = SimulatorSettings

    def __init__(self) -> None:
        super().__init__('simulator')

    def configure(self) -> None:
        """Load the robot and make topics and services."""
        model = self._load_robot()
        self._model, self._controller = model, self._load_controller(model)
        self._streams = SimulatedStreams(
            self,
            model,
            self.settings.world_frame,
            with_clock=self.settings.publish_clock,
            with_base_twist=self.settings.publish_base_twist,
        )
        start = START_TIME if self.settings.publish_clock else time.time()
        self._put_at_rest(start)
        with self.compiling('simulation'):  # before time runs
            self._simulation.advanced_to([self._simulation.time + 1e-3])
        self._refusals, self._last_refusal = 0, ''
        self._status = self.create_publisher(String, '~/status', qos.latched())
        self._take_trajectories(
            'joint_trajectory', lambda robot, asked: robot.with_joint_trajectory(asked)
        )
        self._take_trajectories(
            'wheel_trajectory', lambda robot, asked: robot.with_wheel_trajectory(asked)
        )
        self.create_service(Trigger, '~/reset', self._on_reset)
        if self.settings.is_dynamic:
            self.create_subscription(WrenchStamped, 'base_wrench', self._on_wrench, qos.command())
            self.create_subscription(
                JointState, 'thruster_commands', self._on_thrust, qos.command(THRUSTER_QUEUE)
            )
            self.create_service(Trigger, '~/attach_payload', self._on_attach)
            self.create_service(Trigger, '~/release_payload', self._on_release)
        # The clock of the wall, not the node's: that one may wait for the very time made here.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(TICK, self._on_tick, clock=steady)

    def activate(self) -> None:
        """Let time run on from where it stood."""
        self._last_tick, self._due = time.monotonic(), 0.0
        self._moving = None

    def check_settings(self, settings: SimulatorSettings) -> None:
        """Refuse settings that do not go together."""
        settings.check()

    def apply_settings(self) -> None:
        """Take over the noise and the mode; the rest is looked up when it is needed."""
        self._sensors.noisy = self.settings.noise
        if self.settings.is_dynamic and self.settings.mode != self._simulation.mode.value:
            self._try('mode', lambda: self._simulation.with_mode(self.settings.mode))

    def _load_robot(self) -> RobotModel:
        """Return the robot; raise an error if it does not fit the settings."""
        model = described_robot(self, self.settings.robot, self.settings.description).model
        given, wanted = len(self.settings.initial_joint_positions), len(model.joints)
        if given not in (0, wanted):
            raise ConfigurationError(
                f'initial_joint_positions: {given} values for {wanted} joints'
            )
        return model

    def _load_controller(self, model: RobotModel) -> Controller:
        """Return the control; raise an error if it is one of another robot."""
        believed, other = model, self.settings.controller_robot
        if other:
            with self.warnings_logged():
                believed = load_robot(other, free_base=self.settings.description.free_base or None)
        controller = Controller(
            believed,
            Gains(*self.settings.joint_gains),
            holds_base=self.settings.base_hold,
            feeds_forward=self.settings.feed_forward,
        )
        controller.check_fits(model)
        return controller

    def _put_at_rest(self, start: float) -> None:
        """Put the robot where it began, at some time, with the noise it began with."""
        settings, model = self.settings, self._model
        self._simulation = settings.simulation(model, self._controller, start)
        self._origin, self._count, self._wrench_ends = start, 0, np.inf
        self._sensors = SensorSet(model, settings.seed, noisy=settings.noise)
        self._streams.forget(stream_deliveries(model, settings.seed, ideal=not settings.noise))

    def _on_tick(self) -> None:
        """Advance simulated time to where wall time asks it to be, and publish."""
        now = time.monotonic()
        rate = self._model.noise.rate
        self._due += (now - self._last_tick) * self.settings.real_time_factor * rate
        self._last_tick = now
        batch = min(int(self._due), MAX_BATCH)
        self._due -= batch
        if self._due >= 1.0:
            self._due = 0.0
            self.get_logger().warning('cannot keep up: time is slow', throttle_duration_sec=10.0)
        if batch:
            self._advance(batch)

    def _advance(self, batch: int) -> None:
        """Advance by some samples and publish them."""
        counts = self._count + 1 + np.arange(batch)
        times = self._origin + counts / self._model.noise.rate
        self._simulation, truth = self._simulation.advanced_to(times)
        self._count += batch
        self._end_wrench()
        self._streams.publish(self._sensors.measure(truth), truth)
        if self._simulation.is_moving != self._moving:
            self._publish_status()

    def _take_trajectories(
        self, topic: str, follow: Callable[[Simulation, JointTrajectory], Simulation]
    ) -> None:
        """Subscribe to the trajectories of a group of joints; a bad one changes nothing (F36)."""

        def on_trajectory(message: JointTrajectoryMessage) -> None:
            if self._try(
                topic, lambda: follow(self._simulation, trajectory_from_message(message))
            ):
                self.get_logger().info(f'following a {topic} of {len(message.points)} points')

        self.create_subscription(JointTrajectoryMessage, topic, on_trajectory, qos.command())

    def _on_wrench(self, message: WrenchStamped) -> None:
        """Ask the base's drives for a wrench until the next message, or the timeout."""
        base = self._model.link_names[0]
        if self._try(
            'base_wrench',
            lambda: self._simulation.with_base_wrench(wrench_from_message(message, base)),
        ):
            is_asked = bool(np.any(self._simulation.wrench))
            until = self._simulation.time + self.settings.base_wrench_timeout
            self._wrench_ends = until if is_asked else np.inf

    def _end_wrench(self) -> None:
        """Turn the base's drives off where no command comes any more."""
        if self._simulation.time >= self._wrench_ends:
            self._wrench_ends = np.inf
            self._simulation = self._simulation.with_base_wrench(np.zeros(6))
            silence = self.settings.base_wrench_timeout
            self.get_logger().warning(f'base_wrench: nothing for {silence:g} s, drives off')

    def _on_thrust(self, message: JointState) -> None:
        """Command the thrusters from the message's stamp on until the next, or the timeout."""
        self._try('thruster_commands', lambda: self._with_thrust(message))

    def _with_thrust(self, message: JointState) -> Simulation:
        """Return the simulation with its thrusters commanded; late messages act from now on."""
        reading, now = thrust_stream.thrust_from_message(message), self._simulation.time
        shares = reading.of([thruster.name for thruster in self._model.thrusters])
        if reading.stamp > now + MOST_AHEAD:
            raise SimulationError(f'stamped {reading.stamp - now:.1f} s ahead of simulated time')
        if 0.0 < reading.stamp < now:
            self.get_logger().warning(
                f'thruster_commands came {now - reading.stamp:.3f} s after their stamp',
                throttle_duration_sec=10.0,
            )
        since = max(reading.stamp, now)
        return self._simulation.with_thrust(shares, since, since + self.settings.thruster_timeout)

    def _try(self, what: str, change: Callable[[], Simulation]) -> bool:
        """Change the simulation if it can be; count, log and publish why not if it cannot."""
        try:
            self._simulation = change()
            self._last_refusal = ''
        except SpaceRobotIdError as error:
            self._refusals += 1
            self._last_refusal = f'{what} refused: {error}'
            self.get_logger().warning(self._last_refusal)
        self._publish_status()
        return not self._last_refusal

    def _publish_status(self) -> None:
        """Publish the robot's state, how many trajectories were refused, and why the last was."""
        self._moving = self._simulation.is_moving
        parts = ['moving' if self._moving else 'at rest', f'{self._refusals} refused']
        parts += self._simulation.conditions
        parts += [self._last_refusal] if self._last_refusal else []
        self._status.publish(string_message('; '.join(parts)))

    def _on_reset(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Put the robot at rest where it began; simulated time runs on."""
        self._put_at_rest(self._simulation.time)
        self._publish_status()
        response.success = True
        response.message = f'at rest at {self._simulation.time:.3f} s'
        return response

    def _on_attach(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Join the body of the parameters to its link, at rest relative to it."""
        payload = self.settings.payload(self._model)
        done = self._try('payload', lambda: self._simulation.with_payload(payload))
        return self._answered(response, done, f'{payload.body.mass:g} kg on {payload.link}')

    def _on_release(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Let go of the body; it moves on as it did."""
        done = self._try('payload', lambda: self._simulation.without_payload())
        return self._answered(response, done, 'released')

    def _answered(self, response: Trigger.Response, done: bool, message: str) -> Trigger.Response:
        """Return the response to a service that changed the simulation, or could not."""
        response.success = done
        response.message = message if done else self._last_refusal
        return response


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; return the exit code."""
    return run_node(Simulator, args)


if __name__ == '__main__':
    sys.exit(main())

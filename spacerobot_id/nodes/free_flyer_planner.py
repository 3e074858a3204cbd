"""The planner's method free_flyer: plans a motion of the base and tracks it by ``base_wrench``."""

import json

from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
import numpy as np
from numpy.typing import NDArray
from rclpy.clock import Clock, ClockType
from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacerobot_id.exceptions import ConfigurationError, SpaceRobotIdError
from spacerobot_id.model import Propellers, RobotModel
from spacerobot_id.nodes import qos
from spacerobot_id.nodes.base_messages import wrench_message
from spacerobot_id.nodes.base_watch import BaseWatch
from spacerobot_id.nodes.free_flyer_plan import (
    body_of,
    plan_flight,
    PlannedFlight,
    seen_from,
    SETTLED,
    still,
)
from spacerobot_id.nodes.lifecycle import ManagedNode
from spacerobot_id.nodes.message_pieces import string_message
from spacerobot_id.nodes.planner_status import PlannerState
from spacerobot_id.nodes.planning_worker import PlanningWorker
from spacerobot_id.simulation import SaturatedTracking

_TICK = 0.1
"""Period of the steady timer that follows planning and motion, s."""

_BRAKING = 5.0
"""Longest time in which the base is brought to rest, s."""

_SPEED, _RATE = 0.02, 0.05
"""Speed (m/s) and angular velocity (rad/s) below which the base counts as at rest."""


class FreeFlyerPlanner:
    """Topics and services of the planner when the base is what moves.

    Parameters
    ----------
    node : ManagedNode
        The planner; its ``configure`` is running.
    model : RobotModel
        Prior model of the robot.

    Raises
    ------
    ConfigurationError
        If its YAML file gives no rate of the poses.
    """

    def __init__(self, node: ManagedNode, model: RobotModel) -> None:
        self._node, self._model, self._settings = node, model, node.settings
        if not self._model.noise.rate > 0.0:
            raise ConfigurationError('noise: the rate of base_pose is needed')
        self._base = self._model.link_names[0]
        self._state, self._said = PlannerState.IDLE, 'no plan yet'
        self._worker: PlanningWorker | None = None
        self._planned: PlannedFlight | None = None
        self._start_when_planned = False
        self._began, self._origin, self._held = 0.0, np.zeros(13), 0.0
        self._watch = BaseWatch(self._base, self._settings.filter_time, node.get_logger())
        node.create_subscription(PoseStamped, 'base_pose', self._on_pose, qos.sensor_input())
        node.create_subscription(
            TwistStamped, 'base_twist', self._watch.take_twist, qos.sensor_input()
        )
        self._wrench = node.create_publisher(WrenchStamped, 'base_wrench', qos.command())
        self._status = node.create_publisher(String, '~/status', qos.latched())
        node.create_service(Trigger, '~/plan', self._on_plan)
        node.create_service(Trigger, '~/start_excitation', self._on_start)
        node.create_service(Trigger, '~/stop_excitation', self._on_stop)
        node.create_timer(_TICK, self._on_tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def activate(self) -> None:
        """Say that there is no plan yet."""
        self._publish_status()

    def deactivate(self) -> None:
        """Turn the propellers off: nobody would bring the base to rest any more."""
        if self._state in (PlannerState.RUNNING, PlannerState.STOPPING):
            self._end(PlannerState.STOPPED, 'deactivated')

    def close(self) -> None:
        """End the planning."""
        if self._worker is not None:
            self._worker.stop()

    # Services.

    def _on_plan(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Start to plan."""
        response.success, response.message = self._begin_planning(start=False)
        return response

    def _on_start(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Start the motion, or plan and then start."""
        if self._state is PlannerState.PLANNING and not self._start_when_planned:
            self._start_when_planned = True
            response.success, response.message = True, 'starting as soon as it is planned'
        elif self._planned is not None and self._state in (PlannerState.READY, PlannerState.DONE):
            response.success, response.message = self._take_off()
        else:
            response.success, response.message = self._begin_planning(start=True)
        return response

    def _on_stop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """End planning or motion; always works."""
        response.success = True
        if self._state is PlannerState.PLANNING:
            self._worker.stop()
            self._worker = None
            self._go(PlannerState.STOPPED, 'stopped on request')
            response.message = 'planning ended'
        elif self._state is PlannerState.RUNNING:
            self._brake('stopped on request')
            response.message = f'at rest within {_BRAKING:g} s'
        else:
            response.message = f'nothing to stop: {self._state.value}'
        return response

    # What the services do.

    def _begin_planning(self, *, start: bool) -> tuple[bool, str]:
        """Start the planning thread; return whether, and a word on it."""
        busy = (PlannerState.PLANNING, PlannerState.RUNNING, PlannerState.STOPPING)
        if self._state in busy:
            return False, f'busy: {self._state.value}'
        if self._watch.silence:
            return False, self._watch.silence
        settings, model = self._node.settings, self._model
        self._worker = PlanningWorker(lambda progress: plan_flight(model, settings, progress))
        self._start_when_planned, self._planned = start, None
        self._go(PlannerState.PLANNING, 'planning')
        return True, 'planning, then starting' if start else 'planning'

    def _take_off(self) -> tuple[bool, str]:
        """Begin the motion from where the base is; return whether, and a word on it."""
        if self._watch.silence:
            return False, self._watch.silence
        if not self._wrench.get_subscription_count():
            self._go(PlannerState.FAILED, 'nobody listens on base_wrench')
            return False, 'nobody listens on base_wrench'
        self._began, self._origin = self._watch.stamp, self._watch.state
        duration = self._planned.pose.motion.duration
        self._go(PlannerState.RUNNING, f'motion of {duration:.1f} s')
        return True, f'started a motion of {duration:.1f} s'

    # What goes on.

    def _on_pose(self, message: PoseStamped) -> None:
        """Answer a pose with a wrench, while the base moves."""
        if not self._watch.take_pose(message):
            return
        if self._state is PlannerState.RUNNING:
            self._follow_motion()
        elif self._state is PlannerState.STOPPING:
            self._follow_stop()

    def _follow_motion(self) -> None:
        """Ask for the wrench of this step; see whether the motion strays or is over."""
        elapsed = self._watch.stamp - self._began
        if elapsed > self._planned.pose.motion.duration + SETTLED:
            self._end(PlannerState.DONE, 'motion complete')
            return
        state = seen_from(self._origin, self._watch.state)
        step = self._step(elapsed)
        away = float(np.linalg.norm(state[:3] - self._planned.reference.position[0, step]))
        if away > self._settings.stray_distance:
            self._node.get_logger().error(f'stopping the motion: {away:.2f} m off')
            self._brake(f'failed: {away:.2f} m from where it should be')
            return
        self._publish_wrench(self._planned.control.wrench(step, state[None])[0])

    def _step(self, elapsed: float) -> int:
        """Return the step of the control at some time of the motion."""
        last = self._planned.reference.position.shape[1] - 1
        return int(np.clip(round(elapsed / self._planned.step), 0, last))

    def _brake(self, reason: str) -> None:
        """Hold the base where it is from now on."""
        self._held, self._origin = self._watch.stamp, self._watch.state
        self._go(PlannerState.STOPPING, reason)

    def _follow_stop(self) -> None:
        """Hold the base until it is at rest, then turn the propellers off."""
        state = self._watch.state
        is_slow = np.linalg.norm(state[7:10]) < _SPEED and np.linalg.norm(state[10:]) < _RATE
        if is_slow or self._watch.stamp - self._held > _BRAKING:
            failed = self._said.startswith('failed')
            self._end(PlannerState.FAILED if failed else PlannerState.STOPPED, self._said)
            return
        control = SaturatedTracking(body_of(self._model), still())
        held = seen_from(self._origin, state)
        self._publish_wrench(control.wrench(0, held[None])[0])

    def _end(self, state: PlannerState, said: str) -> None:
        """Turn the propellers off."""
        self._publish_wrench(np.zeros(6))
        self._go(state, said)

    def _publish_wrench(self, wrench: NDArray[np.float64]) -> None:
        """Publish a wrench, cut down to what the propellers give."""
        propellers: Propellers | None = self._model.actuators.propellers
        given = wrench if propellers is None else propellers.given(wrench)
        self._wrench.publish(wrench_message(self._watch.stamp, self._base, given))

    def _on_tick(self) -> None:
        """Follow the planning; see whether the sensors still speak."""
        if self._state is PlannerState.PLANNING and self._worker.is_done:
            self._take_over()
        elif self._state in (PlannerState.RUNNING, PlannerState.STOPPING) and self._watch.silence:
            self._node.get_logger().error(f'propellers off: {self._watch.silence}')
            self._end(PlannerState.FAILED, f'failed: {self._watch.silence}')
        if self._state in (PlannerState.PLANNING, PlannerState.RUNNING):
            self._publish_status()

    def _take_over(self) -> None:
        """Take over the plan, or say why there is none."""
        worker, self._worker = self._worker, None
        if worker.error is not None:
            is_ours = isinstance(worker.error, SpaceRobotIdError)
            text = str(worker.error) if is_ours else repr(worker.error)
            self._node.get_logger().error(f'no plan: {text}')
            self._go(PlannerState.FAILED, text)
            return
        self._planned = worker.result
        self._go(PlannerState.READY, f'planned in {worker.seconds:.1f} s')
        if self._start_when_planned:
            self._take_off()

    def _go(self, state: PlannerState, said: str) -> None:
        """Change the state and publish it."""
        self._state, self._said = state, said
        self._node.get_logger().info(f'{state.value}: {said}')
        self._publish_status()

    def _publish_status(self) -> None:
        """Publish where the planner is, as one JSON object with the keys of joint motions."""
        pose = None if self._planned is None else self._planned.pose
        is_moving = self._state is PlannerState.RUNNING
        self._status.publish(
            string_message(
                json.dumps(
                    {
                        'state': self._state.value,
                        'message': self._said,
                        'elapsed': self._watch.stamp - self._began if is_moving else 0.0,
                        'duration': 0.0 if pose is None else pose.motion.duration,
                        'evaluations': 0 if self._worker is None else self._worker.evaluations,
                        'cost': None if pose is None else pose.cost,
                        'condition_number': None if pose is None else pose.condition,
                    }
                )
            )
        )

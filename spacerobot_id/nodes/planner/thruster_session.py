"""The planner where thrusters fire beside joints and wheels."""

from dataclasses import replace
import time

import numpy as np
from rclpy.impl.rcutils_logger import RcutilsLogger

from spacerobot_id.excitation.planner_settings import SEGMENT
from spacerobot_id.excitation.thrust.pulse_objective import PulseObjective
from spacerobot_id.excitation.thrust.thruster_firing import base_state, BaseState, ThrusterFiring
from spacerobot_id.measurement import HeldSignal, Stream
from spacerobot_id.measurement.monitors.statistics import TopicStatistics
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.methods.information.motion_information import InformationSource
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.planner.joint_session import JointSession
from spacerobot_id.nodes.planner.joint_watch import SILENCE, silence_of
from spacerobot_id.nodes.planner.robot_interface import RobotInterface
from spacerobot_id.nodes.planner.session import PlannerState
from spacerobot_id.spatial import normalise_quaternion

_FITTED = 0.5
"""Time over which velocities are found from poses, s."""

_KEPT = 200
"""Poses kept."""

_JUST_AFTER = 1e-3
"""Time by which all valves are closed after the last command that has been sent, s."""


class PoseTrail:
    """The good poses of the last while.

    Parameters
    ----------
    logger : RcutilsLogger
        Logger of faults.
    """

    def __init__(self, logger: RcutilsLogger) -> None:
        self._monitor = TopicStatistics('base_pose', logger)
        self._stream = Stream(7, _KEPT)
        self._received = -np.inf

    def refuse(self, reason: str) -> None:
        """Count a message that was not readable."""
        self._monitor.reject(reason)

    def take(self, reading: PoseStream) -> None:
        """Take a pose, or refuse it with its reason."""
        attitude = reading.attitude
        if np.isfinite(attitude).all():
            attitude = normalise_quaternion(attitude)
        if attitude is None:
            self._monitor.reject('quaternion is not of unit length')
            return
        verdict = self._stream.push(reading.stamp, [*reading.position, *attitude])
        if not verdict.is_taken:
            self._monitor.reject(verdict.value)
            return
        self._monitor.accept()
        self._received = time.monotonic()

    @property
    def silence(self) -> str | None:
        """Reason why nothing good comes; None if it does."""
        age = time.monotonic() - self._received
        is_heard = age <= SILENCE and len(self._stream) > 1
        return None if is_heard else silence_of(self._monitor, age)

    @property
    def position(self) -> np.ndarray:
        """Position that was received last, m, shape (3,)."""
        return self._stream.last[:3]

    def state(self) -> BaseState:
        """Return where the base is and how it moves, at the stamp of the last pose."""
        stamps, values = self._stream.stamps, self._stream.values
        lately = stamps >= stamps[-1] - _FITTED
        lately[-2:] = True
        return base_state(stamps[lately], values[lately, :3], values[lately, 3:])


class ThrusterSession(JointSession):
    """Follows joints and wheels along a plan while thrusters fire.

    Commands are sent some time before they hold, by the stamps of joint states; a segment is drawn
    when its commands are due, from where the base was seen last.

    Parameters
    ----------
    node : ManagedNode
        The planner; its ``configure`` is running.
    source : InformationSource
        What motions show to the method that is planned for.
    interface : RobotInterface
        Topics of the robot.
    """

    def __init__(
        self, node: ManagedNode, source: InformationSource, interface: RobotInterface
    ) -> None:
        super().__init__(node, source, interface)
        self._thrusters = [thruster.name for thruster in self._model.thrusters]
        self._firing: ThrusterFiring | None = None
        self._rng = np.random.default_rng(node.settings.seed)
        self._held = HeldSignal(np.zeros(1), np.zeros((1, len(self._thrusters))))
        self._drawn_until, self._sent_until, self._closed = 0.0, -np.inf, -np.inf
        self._poses = PoseTrail(node.get_logger())
        interface.subscribe('base_pose', self._poses.take, self._poses.refuse)
        self._thrust = interface.output('thruster_commands', self._thrusters)

    @property
    def silence(self) -> str | None:
        """Which of joint states and poses do not come, and why; None if they do."""
        return super().silence or self._poses.silence

    def deactivate(self) -> None:
        """Close the valves, and bring everything to rest."""
        self._close_valves()
        self._thrust.send_last()
        super().deactivate()

    def close(self) -> None:
        """End the planning, and close the valves while messages can still be sent."""
        super().close()
        if self._node.context.ok():
            self._close_valves()
            self._thrust.send_last()

    def _outputs_without_subscriber(self) -> list[str]:
        """Return the topics of commands that have no subscriber."""
        unsubscribed = super()._outputs_without_subscriber()
        return unsubscribed + ([] if self._thrust.has_subscriber else [self._thrust.topic])

    def _begin_motion(self) -> None:
        """Send the plan of the joints, and begin to fire."""
        super()._begin_motion()
        settings, plan = self._node.settings, self._planned.plan
        self._firing = ThrusterFiring(
            self._model,
            plan,
            settings,
            self._poses.position.copy(),
            settings.planar,
            PulseObjective.of_source(self._source, settings.search().criterion),
        )
        self._rng = np.random.default_rng(settings.seed)
        self._held, self._drawn_until, self._sent_until = self._firing.closed, 0.0, -np.inf
        self._fire()

    def _brake(self) -> str:
        """Close the valves and send all controllers to rest."""
        self._close_valves()
        return super()._brake()

    def _follow_motion(self) -> None:
        """Fire; see whether the base stays in its box, and the joints follow."""
        away = self._away()
        if self._poses.silence or away:
            self._node.get_logger().error(f'stopping the motion: {self._poses.silence or away}')
            self._halt(f'failed: {self._poses.silence or away}')
            return
        if self._firing is not None:
            self._fire()
        super()._follow_motion()
        if self._state is PlannerState.DONE:
            self._close_valves()

    def _follow_stop(self) -> None:
        """Wait for the valves to close, then see whether all is at rest."""
        if self._joints.silence or self._joints.stamp > self._closed:
            super()._follow_stop()

    def _away(self) -> str:
        """Return a message on how far the base is out of its box; empty if it is not far."""
        settings = self._node.settings
        if self._firing is None or self._poses.silence:
            return ''
        off = np.abs(self._poses.position - self._firing.centre)
        out = float(np.max(off - settings.thrust_box))
        return (
            f'the base is {out:.2f} m out of thrust_box' if out > settings.stray_distance else ''
        )

    def _fire(self) -> None:
        """Draw the segments that are due, and send the commands that are."""
        start, duration = self._started, self._planned.plan.duration
        until = self._joints.stamp - start + self._node.settings.command_lead
        while self._drawn_until < min(until, duration - SEGMENT):
            state = self._poses.state()
            state = replace(state, time=state.time - start)
            segment = self._firing.segment(state, self._held, self._drawn_until, self._rng)
            self._held = HeldSignal.concatenate([self._held, segment])
            self._drawn_until += SEGMENT
        due = (self._held.times > self._sent_until) & (self._held.times <= until)
        for moment, shares in zip(self._held.times[due], self._held.values[due], strict=True):
            self._send(float(moment), shares)

    def _send(self, time: float, shares: np.ndarray) -> None:
        """Send commands that hold from a time of the motion on."""
        self._thrust.send(self._started + time, shares)
        self._sent_until = time

    def _close_valves(self) -> None:
        """Close all valves after what has been sent already, and fire no more."""
        if self._firing is None:
            return
        self._firing = None
        elapsed = self._joints.stamp - self._started
        time = max(elapsed, self._sent_until + _JUST_AFTER)
        self._send(time, np.zeros(len(self._thrusters)))
        self._closed = self._started + time

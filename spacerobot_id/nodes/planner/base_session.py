"""The planner where the base is what moves: plans are tracked by ``base_wrench``."""

from dataclasses import dataclass
from functools import partial
import time

import numpy as np
from numpy.typing import NDArray
from rclpy.impl.rcutils_logger import RcutilsLogger
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import ConfigurationError, MeasurementError
from spacerobot_id.excitation.objective.objective import Known
from spacerobot_id.excitation.planner import PlannedExcitation
from spacerobot_id.excitation.trajectory.trajectory import FreeFlyerReference
from spacerobot_id.kinematics.pose_coordinates import PoseMotion
from spacerobot_id.measurement import Stream, Verdict
from spacerobot_id.measurement.monitors.statistics import TopicStatistics
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.methods.information.motion_information import InformationSource
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import whole_robot
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.planner.job import Job, planning_job
from spacerobot_id.nodes.planner.joint_watch import SILENCE, silence_of
from spacerobot_id.nodes.planner.robot_interface import RobotInterface
from spacerobot_id.nodes.planner.session import PlannerSession, PlannerState
from spacerobot_id.simulation import PredictiveControl, SaturatedTracking
from spacerobot_id.simulation.free_flyer.flight import TrackingControl
from spacerobot_id.spatial import normalise_quaternion

SETTLED = 1.0
"""Time at rest at the end of a motion before the propellers are turned off, s."""

_BRAKING = 5.0
"""Longest time in which the base is brought to rest, s."""

_SPEED, _RATE = 0.02, 0.05
"""Speed (m/s) and angular velocity (rad/s) below which the base counts as at rest."""


class BaseWatch:
    """The state of the base by a complementary filter: twists ahead, poses back.

    Parameters
    ----------
    base : str
        Name of the base link: frame of twists in its own axes.
    filter_time : float
        Time over which poses are smoothed, s; as they come if zero.
    logger : RcutilsLogger
        Logger of faults.
    """

    def __init__(self, base: str, filter_time: float, logger: RcutilsLogger) -> None:
        self._base, self._filter_time = base, filter_time
        self._monitors = {
            topic: TopicStatistics(topic, logger) for topic in ('base_pose', 'base_twist')
        }
        self._poses, self._twists = Stream(7, capacity=1), Stream(6, capacity=1)
        self._position: NDArray[np.float64] | None = None
        self._turned = Rotation.identity()
        self._stamp = -np.inf
        self._received = {'base_pose': -np.inf, 'base_twist': -np.inf}

    @property
    def stamp(self) -> float:
        """Stamp of the last good pose, s."""
        return self._stamp

    @property
    def state(self) -> NDArray[np.float64]:
        """Position, quaternion, twist in base axes: a state of a rigid body, shape (13,)."""
        return np.concatenate([self._position, self._turned.as_quat(), self._twist()])

    @property
    def silence(self) -> str | None:
        """A message on which topic is silent, and why; None if none is."""
        for topic, received in self._received.items():
            age = time.monotonic() - received
            if age > SILENCE:
                return silence_of(self._monitors[topic], age)
        return None

    def refuse(self, topic: str, reason: str) -> None:
        """Count a message that was not readable."""
        self._monitors[topic].reject(reason)

    def take_pose(self, reading: PoseStream) -> bool:
        """Take a pose; return whether it is good and new."""
        attitude = reading.attitude
        if np.isfinite(attitude).all():
            attitude = normalise_quaternion(attitude)
        if attitude is None:
            self._monitors['base_pose'].reject('quaternion is not of unit length')
            return False
        values = np.concatenate([reading.position, attitude])
        if not self._take('base_pose', self._poses, reading.stamp, values):
            return False
        self._filter(reading.stamp, reading.position, Rotation.from_quat(attitude))
        return True

    def take_twist(self, reading: TwistStream) -> None:
        """Take a twist in base axes, or in the inertial ones that the pose is given in."""
        twist = reading.twist
        if reading.frame_id != self._base:
            if self._position is None:
                self._monitors['base_twist'].reject('no pose to turn it to base axes with')
                return
            inverse = self._turned.inv()
            twist = np.concatenate([inverse.apply(twist[:3]), inverse.apply(twist[3:])])
        self._take('base_twist', self._twists, reading.stamp, twist)

    def _take(self, topic: str, stream: Stream, stamp: float, values: NDArray[np.float64]) -> bool:
        """Push a sample; return whether it is good."""
        try:
            verdict = stream.push(stamp, values)
        except MeasurementError as error:
            self._monitors[topic].reject(str(error))
            return False
        if not verdict.is_taken:
            self._monitors[topic].reject(verdict.value)
            return False
        if verdict is Verdict.CLOCK_JUMPED and topic == 'base_pose':
            self._position = None
        self._monitors[topic].accept()
        self._received[topic] = time.monotonic()
        return True

    def _twist(self) -> NDArray[np.float64]:
        """Return the last twist; zero before the first."""
        return np.zeros(6) if self._twists.last is None else self._twists.last

    def _filter(self, stamp: float, position: NDArray[np.float64], turned: Rotation) -> None:
        """Carry the state on by the twist, then part of the way to the measured pose."""
        if self._position is None:
            self._position, self._turned, self._stamp = position, turned, stamp
            return
        step, twist = stamp - self._stamp, self._twist()
        share = step / (self._filter_time + step)
        ahead = self._position + step * self._turned.apply(twist[:3])
        turned_ahead = self._turned * Rotation.from_rotvec(step * twist[3:])
        self._position = ahead + share * (position - ahead)
        error = (turned_ahead.inv() * turned).as_rotvec()
        self._turned = turned_ahead * Rotation.from_rotvec(share * error)
        self._stamp = stamp


@dataclass(frozen=True, eq=False)
class PlannedFlight:
    """A motion of the base and the control that makes it.

    Parameters
    ----------
    planned : PlannedExcitation
        Motion of the six coordinates.
    reference : PoseMotion
        The same at the steps of the control; arrays begin with the shape (1, K).
    control : TrackingControl
        Control.
    step : float
        Step of the control, s.
    """

    planned: PlannedExcitation
    reference: PoseMotion
    control: TrackingControl
    step: float

    def step_at(self, elapsed: float) -> int:
        """Return the step of the control at some time of the motion, s."""
        last = self.reference.position.shape[1] - 1
        return int(np.clip(round(elapsed / self.step), 0, last))


def flight_of(model: RobotModel, planned: PlannedExcitation, tracking: str) -> PlannedFlight:
    """Return a motion of the base with its control.

    Parameters
    ----------
    model : RobotModel
        Robot as far as it is known; its joints stay at zero.
    planned : PlannedExcitation
        Motion.
    tracking : str
        Control: ``saturated`` or ``nmpc``.

    Raises
    ------
    ConfigurationError
        If predictive control lacks propellers, or CasADi.
    """
    step = 1.0 / model.noise.rate
    steps = int(np.ceil((planned.plan.duration + SETTLED) / step)) + 1
    sampled = FreeFlyerReference(planned.plan).sample(step * np.arange(steps))
    names = PoseMotion.__dataclass_fields__
    reference = PoseMotion(*(getattr(sampled, name)[None] for name in names))
    body, propellers = body_of(model), model.actuators.propellers
    if tracking != 'nmpc':
        return PlannedFlight(planned, reference, SaturatedTracking(body, reference), step)
    if propellers is None:
        raise ConfigurationError(f'{model.name}: nmpc needs actuators.propellers')
    control = PredictiveControl(body, propellers, reference, step)
    return PlannedFlight(planned, reference, control, step)


def body_of(model: RobotModel) -> NDArray[np.float64]:
    """Return the ten parameters of the whole robot, its joints at zero."""
    return whole_robot(model, np.zeros(len(model.joints))).vector


def seen_from(origin: NDArray[np.float64], state: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a state with its pose seen from another's; twists are in base axes anyway."""
    turned = Rotation.from_quat(origin[3:7]).inv()
    position = turned.apply(state[:3] - origin[:3])
    attitude = (turned * Rotation.from_quat(state[3:7])).as_quat()
    return np.concatenate([position, attitude, state[7:]])


def still() -> PoseMotion:
    """Return the reference of a base that stays where it is."""
    nothing = np.zeros((1, 1, 3))
    return PoseMotion(nothing, np.eye(3)[None, None], nothing, nothing, nothing, nothing)


class BaseSession(PlannerSession):
    """Follows the base along a plan, a wrench for every pose.

    Parameters
    ----------
    node : ManagedNode
        The planner; its ``configure`` is running.
    source : InformationSource
        What motions show to the method that is planned for.
    interface : RobotInterface
        Topics of the robot.

    Raises
    ------
    ConfigurationError
        If the robot's YAML file gives no rate of the poses.
    """

    def __init__(
        self, node: ManagedNode, source: InformationSource, interface: RobotInterface
    ) -> None:
        super().__init__(node, source, interface)
        if not self._model.noise.rate > 0.0:
            raise ConfigurationError('noise: the rate of base_pose is needed')
        self._base = self._model.link_names[0]
        self._flight: PlannedFlight | None = None
        self._began, self._origin, self._held = 0.0, np.zeros(13), 0.0
        self._watch = BaseWatch(self._base, node.settings.filter_time, node.get_logger())
        for kind, take in (('base_pose', self._on_pose), ('base_twist', self._watch.take_twist)):
            interface.subscribe(kind, take, partial(self._watch.refuse, kind))
        self._wrench = interface.output('base_wrench')

    @property
    def silence(self) -> str | None:
        """Which of poses and twists do not come, and why; None if they do."""
        return self._watch.silence

    @property
    def elapsed(self) -> float:
        """Time since the motion began, s."""
        is_moving = self._state is PlannerState.RUNNING
        return self._watch.stamp - self._began if is_moving else 0.0

    def deactivate(self) -> None:
        """Turn the propellers off: nothing would bring the base to rest any more."""
        if self._state in (PlannerState.RUNNING, PlannerState.STOPPING):
            self._end(PlannerState.STOPPED, 'deactivated')
        super().deactivate()

    def _job(self, known: Known | None) -> Job:
        """Return the planning of the motion and of the control that makes it."""
        model, settings = self._model, self._node.settings
        plan = planning_job(self._source, None, None, settings, known)
        return lambda progress: flight_of(model, plan(progress), settings.tracking)

    def _take(self, result: PlannedFlight) -> PlannedExcitation:
        """Take over motion and control; return the motion."""
        self._flight = result
        return result.planned

    def _can_start(self) -> bool:
        """Return whether there is a plan: it begins wherever the base is."""
        return self._state in (PlannerState.READY, PlannerState.DONE)

    def _outputs_without_subscriber(self) -> list[str]:
        """Return the topic of the wrench if it has no subscriber."""
        return [] if self._wrench.has_subscriber else [self._wrench.topic]

    def _begin_motion(self) -> None:
        """Begin the motion from where the base is."""
        self._began, self._origin = self._watch.stamp, self._watch.state

    def _brake(self) -> str:
        """Hold the base where it is from now on."""
        self._held, self._origin = self._watch.stamp, self._watch.state
        return f'{_BRAKING:g} s'

    def _follow_motion(self) -> None:
        """See whether the sensors still speak; poses do the rest."""
        if self._watch.silence:
            self._node.get_logger().error(f'propellers off: {self._watch.silence}')
            self._end(PlannerState.FAILED, f'failed: {self._watch.silence}')

    def _follow_stop(self) -> None:
        """See whether the sensors still speak; poses do the rest."""
        self._follow_motion()

    # A pose at a time.

    def _on_pose(self, reading: PoseStream) -> None:
        """Answer a pose with a wrench, while the base moves."""
        if not self._watch.take_pose(reading):
            return
        if self._state is PlannerState.RUNNING:
            self._track()
        elif self._state is PlannerState.STOPPING:
            self._hold()

    def _track(self) -> None:
        """Ask for the wrench of this step; see whether the motion strays or is over."""
        elapsed = self._watch.stamp - self._began
        if elapsed > self._planned.plan.duration + SETTLED:
            self._end(PlannerState.DONE, 'motion complete')
            return
        state = seen_from(self._origin, self._watch.state)
        step = self._flight.step_at(elapsed)
        away = float(np.linalg.norm(state[:3] - self._flight.reference.position[0, step]))
        if away > self._node.settings.stray_distance:
            self._node.get_logger().error(f'stopping the motion: {away:.2f} m off')
            self._halt(f'failed: {away:.2f} m from where it should be')
            return
        self._publish_wrench(self._flight.control.wrench(step, state[None])[0])

    def _hold(self) -> None:
        """Hold the base until it is at rest, then turn the propellers off."""
        state = self._watch.state
        is_slow = np.linalg.norm(state[7:10]) < _SPEED and np.linalg.norm(state[10:]) < _RATE
        if is_slow or self._watch.stamp - self._held > _BRAKING:
            failed = self._message.startswith('failed')
            self._end(PlannerState.FAILED if failed else PlannerState.STOPPED, self._message)
            return
        control = SaturatedTracking(body_of(self._model), still())
        held = seen_from(self._origin, state)
        self._publish_wrench(control.wrench(0, held[None])[0])

    def _end(self, state: PlannerState, message: str) -> None:
        """Turn the propellers off."""
        self._publish_wrench(np.zeros(6))
        self._go(state, message)

    def _publish_wrench(self, wrench: NDArray[np.float64]) -> None:
        """Publish a wrench, cut down to what the propellers give."""
        propellers = self._model.actuators.propellers
        given = wrench if propellers is None else propellers.given(wrench)
        self._wrench.send(self._watch.stamp, given)

"""Readings of sensors, on their way into the alignment: judged, turned to base axes, counted.

The same for messages as they come and for those of a log: the same thresholds, the same warnings.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.alignment import Alignment
from spacerobot_id.measurement.joint_intake import JointIntake
from spacerobot_id.measurement.monitors.frozen import Change, FrozenMonitor
from spacerobot_id.measurement.monitors.statistics import Logger, Silent, TopicStatistics
from spacerobot_id.measurement.pose_origin import PoseOrigin, WaitingTwists
from spacerobot_id.measurement.record import Record
from spacerobot_id.measurement.stream import LARGEST, Need, StreamNeeds, Verdict
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import (
    KINDS_BY_TOPIC,
    name_of,
    Reading,
    SENSED,
)
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.thrust_stream import ThrustStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.measurement.streams.wrench_stream import WrenchStream
from spacerobot_id.model import Frame, RobotModel
from spacerobot_id.spatial import normalise_quaternion

Push = Callable[[], Verdict]
"""Hands a sample on."""


_TOPIC_OF = {kind: topic for topic, kind in KINDS_BY_TOPIC.items()}

_OUTLIER = 'is far from the readings around it'
"""Why readings are left out of averages."""

_FIRST = 5
"""First messages of the gyro whose covariances are asked: the middle one counts."""

_LEAST = 0.01
"""Noise over that of the description below which a covariance is a number that stands for none."""


class FrozenGate:
    """Hands samples on; those that lack a change wait for the next that has one.

    If none comes they are frozen, and so were those that have waited.

    Parameters
    ----------
    monitor : FrozenMonitor
        Finds values that do not change although they must.
    statistics : mapping of str to TopicStatistics
        Counters by topic.

    Attributes
    ----------
    monitor : FrozenMonitor
        As given.
    """

    def __init__(self, monitor: FrozenMonitor, statistics: Mapping[str, TopicStatistics]) -> None:
        self.monitor, self._statistics = monitor, statistics
        self._waiting: dict[str, list[Push]] = {}

    def take(
        self, topic: str, stamp: float, values: tuple[NDArray[np.float64], ...], push: Push
    ) -> Verdict:
        """Hand a sample on, or let it wait.

        Parameters
        ----------
        topic : str
            Topic.
        stamp : float
            Time of the sample, s.
        values : tuple of ndarray
            All numbers of the sample.
        push : callable
            Hands it on.

        Raises
        ------
        MeasurementError
            If the topic is frozen.
        """
        change = self.monitor.change(topic, stamp, np.concatenate(values))
        if change is Change.LACKING:
            self._waiting.setdefault(topic, []).append(push)
            return Verdict.ACCEPTED
        if change is Change.FROZEN:
            for _ in self._waiting.pop(topic, []):
                self._statistics[topic].withdraw(self.monitor.reason)
            raise MeasurementError(self.monitor.reason)
        self._release(topic)
        return push()

    def would_pass(self, topic: str, values: NDArray[np.float64]) -> bool:
        """Return whether samples, one per row, would all be handed on at once."""
        return topic not in self._waiting and self.monitor.all_change(topic, values)

    def release_all(self) -> None:
        """Hand on all samples that wait: nothing more will come."""
        for topic in [*self._waiting]:
            self._release(topic)

    def clear(self) -> None:
        """Drop all samples that wait."""
        self._waiting.clear()

    def _release(self, topic: str) -> None:
        """Hand on the samples of a topic that wait."""
        for push in self._waiting.pop(topic, []):
            try:
                verdict = push()
            except MeasurementError as error:
                self._statistics[topic].withdraw(str(error))
                continue
            if not verdict.is_taken:
                self._statistics[topic].withdraw(verdict.value)


def topics_of(needs: StreamNeeds) -> tuple[str, ...]:
    """Return the relative names of the topics that a method needs or may use."""
    return tuple(each.name for each in SENSED.values() if each.is_used(needs))


def believed_noise(stated: float, described: float) -> float:
    """Return a standard deviation that messages state; 0 if it is far below the description's."""
    return stated if stated >= _LEAST * described else 0.0


class Intake:
    """The way of readings into an alignment.

    Parameters
    ----------
    model : RobotModel
        Robot; names its joints, wheels and frames.
    alignment : Alignment
        Where good samples go.
    frozen : FrozenMonitor
        Finds values that do not change although they must.
    logger : Logger
        Logger of messages that are refused, once per change.
    imu_frame : str
        Frame of an IMU whose messages name none; they are refused if empty.
    patience : float, optional
        Time that twists in inertial axes wait for the pose after them, by the stamps of others,
        s; that of the longest bracket by default.

    Attributes
    ----------
    statistics : dict of str to TopicStatistics
        Counters by topic.
    frozen : FrozenGate
        Where samples wait that lack a change.
    joints : JointIntake
        The way of joint states.
    origin : PoseOrigin
        The origin of poses.
    waiting : WaitingTwists
        Twists in inertial axes, until their poses have come.
    gyro_noise : float, optional
        Standard deviation that the first messages of the gyro state, rad/s; 0 if none that a gyro
        can have, None while they are too few.
    last_positions : ndarray, shape (n,)
        Joint positions of the last good joint states, rad or m.
    pose_frame : str, optional
        Frame that poses are given in; None before the first.
    imu_frame : str
        As given.
    notes : list of str
        What is to be known of the streams, a sentence each.
    """

    def __init__(
        self,
        model: RobotModel,
        alignment: Alignment,
        frozen: FrozenMonitor,
        logger: Logger = Silent(),  # noqa: B008 - has no state
        *,
        imu_frame: str = '',
        patience: float | None = None,
    ) -> None:
        self.alignment = alignment
        self.statistics = {
            topic: TopicStatistics(topic, logger) for topic in topics_of(alignment.needs)
        }
        self.frozen = FrozenGate(frozen, self.statistics)
        self.gyro_noise: float | None = None
        self._stated: list[float] = []
        self.last_positions = np.zeros(len(model.joints))
        self.pose_frame: str | None = None
        self._model, self._base = model, model.links[0].name
        self._thrusters = tuple(each.name for each in model.thrusters)
        bracket = alignment.settings.longest_bracket
        gap = alignment.settings.longest_gap
        self.joints = JointIntake(
            model,
            gap,
            self._all_joints,
            lambda reason: self.statistics['joint_states'].withdraw(reason),
            uses_rates=alignment.needs.rates is Need.USED,
        )
        self.origin = PoseOrigin(gap)
        self.imu_frame, self._logger = imu_frame, logger
        self.notes: list[str] = []
        patience = bracket if patience is None else patience
        self.waiting = WaitingTwists(patience, bracket)
        self._takes: dict[type, Callable[..., Verdict]] = {
            JointStream: self.joints.take,
            ImuStream: self._gyro,
            PoseStream: self._pose,
            TwistStream: self._twist,
            WrenchStream: self._wrench,
            ThrustStream: self._thrust,
        }

    def take(self, reading: Reading) -> bool:
        """Take a reading, or refuse it with its reason; return whether it is used."""
        stream = SENSED[name_of(reading)]
        statistics, take = self.statistics[stream.name], self._takes[type(reading)]
        try:
            with np.errstate(invalid='ignore', over='ignore'):  # what is not finite is refused
                verdict = take(reading)
        except MeasurementError as error:
            statistics.reject(str(error))
            return False
        if verdict is Verdict.CLOCK_JUMPED:
            statistics.jump()
        elif verdict is Verdict.ACCEPTED:
            merged = self.joints.merges and isinstance(reading, JointStream)
            is_even = not (stream.is_held or merged)
            statistics.accept(reading.stamp if is_even else None)
        else:
            statistics.reject(verdict.value)
            return False
        return True

    def samples(self, *, is_last: bool = False) -> Record | None:
        """Return the samples that have become complete.

        Parameters
        ----------
        is_last : bool
            Whether nothing more will come, so that nothing waits any longer.
        """
        if is_last:
            self.frozen.release_all()
        self._turn_waiting(is_last=is_last)
        found = self.alignment.take(is_last=is_last)
        for stream, count in self.alignment.outliers().items():
            for _ in range(count):
                self.statistics[_TOPIC_OF[stream]].withdraw(_OUTLIER)
        return found

    def clear(self) -> None:
        """Drop everything buffered, counters apart."""
        self.waiting.clear()
        self.frozen.clear()
        self.joints.clear()
        self.origin.clear()
        self.alignment.clear()

    def _all_joints(self, reading: JointStream) -> Verdict:
        """Take all joints and wheels of a time."""
        values = reading.positions[: len(self._model.joints)], reading.velocities
        return self.frozen.take(
            'joint_states', reading.stamp, values, partial(self._push_joints, reading)
        )

    def _push_joints(self, reading: JointStream) -> Verdict:
        """Hand all joints and wheels of a time on."""
        count = len(self._model.joints)
        q, rates, torque = reading.positions[:count], reading.velocities, reading.efforts[:count]
        if self.alignment.needs.rates is Need.USED:
            self.joints.require_rates(rates)
            largest = np.abs(np.nan_to_num(rates, posinf=np.inf, neginf=np.inf)).max(initial=0.0)
            if largest > LARGEST:
                return Verdict.NOT_FINITE if np.isinf(largest) else Verdict.TOO_LARGE
        verdict = self.alignment.push_joints(
            reading.stamp, q, rates[:count], rates[count:], torque
        )
        if verdict.is_taken:
            self.last_positions = q
            self.joints.note_rates(reading.velocities)
        elif verdict is Verdict.NOT_FINITE:
            self.joints.require(q, 'position')
            optional = (np.arange(len(rates)) < count) & self.alignment.needs.lacks_rates
            self.joints.require(np.where(optional, 0.0, rates), 'velocity')
            if self.alignment.needs.torque is Need.NEEDED:
                self.joints.require(torque, 'effort')
        return verdict

    def _gyro(self, reading: ImuStream) -> Verdict:
        """Take an angular velocity, turned from the sensor's axes to the base's."""
        if np.isnan(reading.angular_velocity).all():
            raise MeasurementError('angular velocity is marked as not provided')
        frame = self.on_base(reading.frame_id or self.imu_frame)
        if self.gyro_noise is None:
            self._stated.append(reading.noise)
            if len(self._stated) == _FIRST:
                self.take_gyro_noise(float(np.median(self._stated)))
        turned = frame.R_LF @ reading.angular_velocity
        push = partial(self.alignment.push_gyro, reading.stamp, turned)
        return self.frozen.take('imu/data', reading.stamp, (reading.angular_velocity,), push)

    def take_gyro_noise(self, stated: float) -> None:
        """Believe the noise that a gyro states, rad/s, unless no gyro has so little."""
        described = self._model.noise.base_angular_velocity
        self.gyro_noise = believed_noise(stated, described)
        if stated and not self.gyro_noise:
            self.notes.append(
                f'imu/data: its covariance states a noise of {stated:.3g} rad/s, which no gyro '
                f'has; the {described:.3g} rad/s of the description count'
            )
            self._logger.warning(self.notes[-1])

    def _pose(self, reading: PoseStream) -> Verdict:
        """Take a pose of the base (F6, F7)."""
        attitude = normalise_quaternion(reading.attitude)
        if attitude is None:
            if np.isfinite(reading.attitude).all():
                raise MeasurementError('quaternion is not of unit length')
            attitude = reading.attitude
        moved = self.pose_of_base(reading.position, attitude, reading.child_frame)
        pose = replace(reading, positions=moved[0], attitudes=moved[1])
        values = reading.position, reading.attitude
        return self.frozen.take(
            'base_pose', reading.stamp, values, partial(self._push_poses, pose)
        )

    def pose_of_base(
        self, positions: NDArray[np.float64], attitudes: NDArray[np.float64], child_frame: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return positions (..., 3), m, and quaternions (..., 4) of the base by those of a frame.

        Raises
        ------
        MeasurementError
            If the frame is not fixed to the base.
        """
        if child_frame in ('', self._base):
            return positions, attitudes
        frame = self.on_base(child_frame)
        if not np.isfinite(attitudes).all():
            return positions, attitudes
        turned = Rotation.from_quat(attitudes) * Rotation.from_matrix(frame.R_LF).inv()
        return positions - turned.apply(frame.p_LF_L), turned.as_quat()

    def _push_poses(self, reading: PoseStream) -> Verdict:
        """Hand a pose on, about the first origin; one that has jumped waits for the next."""
        verdict, origin = Verdict.ACCEPTED, self.origin
        for each in origin.take(reading):
            verdict = self.alignment.push_pose(each.stamp, each.position, each.attitude)
            if verdict.is_taken:
                self.pose_frame = each.frame_id
        for _ in range(origin.strays):
            self.statistics['base_pose'].withdraw('is far from the poses around it')
        if origin.moved:
            self.notes.append(f'base_pose: {origin.moved}')
            self._logger.warning(self.notes[-1])
        return verdict

    def _twist(self, reading: TwistStream) -> Verdict:
        """Take a linear velocity; one in inertial axes waits for the poses around it."""
        values = (reading.twist[:3],)
        push = partial(self._push_twist, reading)
        return self.frozen.take('base_twist', reading.stamp, values, push)

    def _push_twist(self, reading: TwistStream) -> Verdict:
        """Hand a linear velocity on, in base axes."""
        velocity = self.velocity_of_base(reading)
        if velocity is not None:
            return self.alignment.push_linear_velocity(reading.stamp, velocity)
        if not (np.isfinite(reading.stamp) and np.isfinite(reading.twist[:3]).all()):
            return Verdict.NOT_FINITE
        self.waiting.push(reading)
        return Verdict.ACCEPTED

    def velocity_of_base(self, twists: TwistStream) -> NDArray[np.float64] | None:
        """Return linear velocities in base axes, m/s; None if they have to be turned by poses.

        Raises
        ------
        MeasurementError
            If their frame is neither on the base nor that of the poses.
        """
        name, linear = twists.frame_id, twists.twists[..., :3]
        if name == self._base:
            return linear
        frame = self._model.frames.get(name)
        if frame is not None and frame.link == 0 and name != self.pose_frame:
            angular = twists.twists[..., 3:] @ frame.R_LF.T
            return linear @ frame.R_LF.T - np.cross(angular, frame.p_LF_L)
        if not name or name != self.pose_frame:
            raise MeasurementError(
                f'frame {name!r} is neither the base {self._base!r} '
                f'nor the frame of the pose {self.pose_frame!r}'
            )
        return None

    def on_base(self, name: str) -> Frame:
        """Return a frame of the description that is fixed to the base.

        Raises
        ------
        MeasurementError
            If there is none of that name.
        """
        if name == self._base:
            return Frame(0, np.eye(3), np.zeros(3))
        frame = self._model.frames.get(name)
        if frame is None:
            hint = '' if name else '; the setting imu_frame says which frame an IMU is without one'
            raise MeasurementError(f'frame {name!r} is not in the description{hint}')
        if frame.link != 0:
            raise MeasurementError(f'frame {name!r} is not fixed to the base')
        return frame

    def _wrench(self, reading: WrenchStream) -> Verdict:
        """Take a wrench on the base, in its own axes."""
        wrenches = self.alignment.wrenches
        in_world = self.alignment.needs.own_stamps and not reading.is_in(self._base)
        if in_world and reading.frame_id == self.pose_frame:
            wrench, wrenches.in_world = reading.wrench, True
        else:
            wrench = reading.in_frame(self._base)
        if reading.is_applied:
            return wrenches.push_applied(reading.stamp, wrench)
        return wrenches.push_commanded(reading.stamp, wrench)

    def _thrust(self, reading: ThrustStream) -> Verdict:
        """Take commands of thrusters, by name."""
        thrust = self.alignment.thrust
        if thrust is None:
            raise MeasurementError('the description has no thrusters')
        return thrust.stream.push(reading.stamp, reading.of(self._thrusters))

    def _turn_waiting(self, *, is_last: bool) -> None:
        """Turn the waiting twists whose poses have come to base axes, and hand them on."""
        ready = self.waiting.take(self.alignment.streams['base_pose'], is_last=is_last)
        if ready is None:
            return
        statistics, longest = self.statistics['base_twist'], self.alignment.settings
        twists, near = ready
        for stamp, twist, is_near in zip(twists.stamps.tolist(), twists.twists, near, strict=True):
            if not is_near:
                statistics.withdraw(
                    f'no poses within {longest.longest_bracket:g} s to turn it to base axes with'
                )
                continue
            verdict = self.alignment.push_linear_velocity(stamp, twist[:3])
            if not verdict.is_taken:
                statistics.withdraw(verdict.value)

"""Streams of different sensors brought to common times.

Joint states give the times, or poses for a method without joints. Every other stream is
interpolated between the two samples around such a time, once both are there; wrenches are held.
Nothing waits for ever, because every buffer is bounded and a sample that can no longer be
bracketed is dropped and counted.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement.record import Record
from spacerobot_id.measurement.signal.interpolation import interpolate
from spacerobot_id.measurement.signal.local_polynomial import local_slopes
from spacerobot_id.measurement.stream import Stream, Verdict
from spacerobot_id.measurement.stream_needs import Need, StreamNeeds
from spacerobot_id.measurement.wrench_history import WrenchHistory
from spacerobot_id.model import Propellers
from spacerobot_id.settings import parameter


class VelocitySource(Enum):
    """Where the base's linear velocity comes from."""

    TWIST = 'base_twist'
    POSE = 'base_pose'


@dataclass(frozen=True)
class AlignmentSettings:
    """How streams are aligned."""

    capacity: int = parameter(
        2000,
        'Samples buffered per topic while the others come.',
        key='buffer_size',
        minimum=100,
        read_only=True,
    )
    longest_gap: float = parameter(
        1.0,
        'Largest step between two stamps of a topic before its clock has jumped, s.',
        minimum=0.01,
        read_only=True,
    )
    longest_bracket: float = parameter(
        0.025,
        'Largest distance of two samples that may be interpolated between, s.',
        minimum=0.001,
        read_only=True,
    )
    window: int = parameter(
        21,
        'Samples of the local polynomial that turns base_pose into a velocity; odd.',
        key='velocity_window',
        minimum=3,
        maximum=501,
        odd=True,
        read_only=True,
    )


class Alignment:
    """Buffers of joints, gyro, pose, twist and wrench, and the samples that they make together.

    Parameters
    ----------
    joints, wheels : int
        Numbers of joints and wheels.
    source : VelocitySource
        Where the linear velocity comes from, if it is used.
    settings : AlignmentSettings
        Bounds.
    needs : StreamNeeds
        Streams that a sample needs, and those that it may have.
    propellers : Propellers, optional
        What gives the wrenches that are asked for.

    Attributes
    ----------
    unaligned : int
        Samples without others around them.
    jumps : int
        Jumps of the clock that gives the times.
    expected : set of str
        Names of the streams that are known to come: their columns are there from the first sample
        on. Those that are needed are; another has its column once it has come.
    """

    def __init__(
        self,
        joints: int,
        wheels: int,
        source: VelocitySource = VelocitySource.TWIST,
        settings: AlignmentSettings = AlignmentSettings(),
        needs: StreamNeeds = StreamNeeds(),
        propellers: Propellers | None = None,
    ) -> None:
        self.source = source
        self.settings = settings
        self.needs = needs
        self.unaligned = 0
        self.jumps = 0
        self._joints = joints
        self._with_torque = joints * (needs.torque is not Need.UNUSED)
        self.wrenches = WrenchHistory(propellers, settings.capacity)
        capacity, gap = settings.capacity, settings.longest_gap
        width = 2 * joints + wheels + self._with_torque
        optional = self._with_torque * (needs.torque is Need.USED)
        self.streams = {
            'joint_states': Stream(width, capacity, gap, optional),
            'imu': Stream(3, capacity, gap),
            'base_pose': Stream(7, capacity, gap),
            'base_twist': Stream(3, capacity, gap),
        }
        if needs.wrench:
            self.streams['base_wrench'] = self.wrenches.stream
        self.expected = {name for name, need in self._needs().items() if need is Need.NEEDED}

    @property
    def times_from(self) -> str:
        """Name of the stream that gives the times of the samples."""
        return 'joint_states' if self.needs.joints else 'base_pose'

    def push_joints(
        self,
        stamp: float,
        q: NDArray[np.float64],
        qd: NDArray[np.float64],
        wheel_rates: NDArray[np.float64],
        torque: NDArray[np.float64] | None = None,
    ) -> Verdict:
        """Take joint positions (rad or m), joint rates, wheel rates (rad/s), torques (N m)."""
        parts = [q, qd, wheel_rates]
        if self._with_torque:
            parts.append(np.full(self._with_torque, np.nan) if torque is None else torque)
            if 'torque' not in self.expected and np.isfinite(parts[-1]).any():
                self.expected.add('torque')
        return self._push('joint_states', stamp, np.concatenate(parts))

    def push_gyro(self, stamp: float, angular_velocity: NDArray[np.float64]) -> Verdict:
        """Take an angular velocity of the base in base axes, rad/s."""
        return self._push('imu', stamp, angular_velocity)

    def push_pose(
        self, stamp: float, position: NDArray[np.float64], attitude: NDArray[np.float64]
    ) -> Verdict:
        """Take a position (m) and a unit quaternion x y z w of the base."""
        before = self.streams['base_pose'].last
        if before is not None and before[3:] @ attitude < 0.0:
            attitude = -attitude
        return self._push('base_pose', stamp, np.concatenate([position, attitude]))

    def push_linear_velocity(self, stamp: float, velocity: NDArray[np.float64]) -> Verdict:
        """Take a linear velocity of the base in base axes, m/s."""
        return self._push('base_twist', stamp, velocity)

    def take(self, *, is_last: bool = False) -> Record | None:
        """Return the samples that have become complete, and forget what they were made of.

        Parameters
        ----------
        is_last : bool
            Whether nothing more will come, so that nothing waits for wrenches any longer.
        """
        base = self.streams[self.times_from]
        ready = base.stamps
        ready = self._best_bracketed(ready[ready <= self._complete_until(is_last=is_last)])
        if not len(ready):
            return None
        values = base.values[: len(ready)]
        base.drop_through(ready[-1])
        columns, good = self._base_columns(ready, values)
        if self.needs.joints:
            columns |= self._joint_columns(values)
        if self.needs.wrench:
            columns['wrench'] = self.wrenches.take(ready)
        self.unaligned += int(np.sum(~good))
        self._drop_used(ready[-1])
        return Record(ready, **columns)[good]

    def clear(self) -> None:
        """Drop everything buffered, counters apart."""
        for stream in self.streams.values():
            stream.clear()
        self.wrenches.clear()

    def waiting_for(self) -> tuple[str, ...]:
        """Return the streams that hold the others up: silent, or with a clock of their own."""
        latest = {name: self.streams[name].latest for name in self._needed()}
        heard = [stamp for stamp in latest.values() if np.isfinite(stamp)]
        now = np.median(heard) if heard else 0.0
        late = self.settings.longest_gap
        return tuple(name for name, stamp in latest.items() if not abs(stamp - now) <= late)

    def _push(self, name: str, stamp: float, values: NDArray[np.float64]) -> Verdict:
        """Push a sample; after a jump of the clock, drop what is of the time before."""
        stream = self.streams[name]
        before = stream.latest
        verdict = stream.push(stamp, values)
        if verdict is Verdict.CLOCK_JUMPED:
            self.jumps += name == self.times_from
            for other in self.streams.values():
                if abs(other.latest - before) < abs(other.latest - stamp):
                    other.clear()
            if not len(self.wrenches.stream):
                self.wrenches.clear()
        return verdict

    def _needs(self) -> dict[str, Need]:
        """Return what the streams are for a sample, by name."""
        needs = self.needs
        return {'imu': needs.gyro, 'base_pose': needs.pose, 'torque': needs.torque}

    def _needed(self) -> tuple[str, ...]:
        """Return the streams without which there is no sample, the one of the times first."""
        names = [self.times_from]
        names += [name for name, need in self._needs().items() if need is Need.NEEDED]
        names += [self.source.value] * bool(self.needs.velocity)
        return tuple(name for name in dict.fromkeys(names) if name in self.streams)

    def _awaited(self) -> tuple[str, ...]:
        """Return the streams that a sample waits for: needed, or of use and still coming."""
        needed = self._needed()
        now = min(self.streams[name].latest for name in needed)
        used = [name for name, need in self._needs().items() if need is Need.USED]
        used = [name for name in used if name in self.streams and name not in needed]
        late = self.settings.longest_gap
        return needed + tuple(name for name in used if now - self.streams[name].latest <= late)

    def _complete_until(self, *, is_last: bool) -> float:
        """Return the time up to which every stream awaited has come."""
        awaited = self._needed() if is_last else self._awaited()
        until = min(self.streams[name].latest for name in awaited)
        if self.needs.velocity and self.source is VelocitySource.POSE:
            middle = self.settings.window // 2
            stamps = self.streams['base_pose'].stamps
            until = min(until, stamps[-1 - middle] if len(stamps) > middle else -np.inf)
        if self.needs.wrench and not is_last:
            now = self.streams[self.times_from].latest
            until = min(until, self.wrenches.complete_until(now))
        return until

    def _best_bracketed(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the times before any between a stream's last two samples: the next one helps."""
        waits = np.zeros(len(times), dtype=bool)
        for name in self._awaited()[1:]:
            last = self.streams[name].last_stamps
            if len(last) == 2 and last[1] - last[0] <= self.settings.longest_bracket:
                waits |= (times > last[0]) & (times < last[1])
        return times[: np.argmax(waits)] if waits.any() else times

    def _joint_columns(self, values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return the columns of joint states."""
        n, end = self._joints, values.shape[1] - self._with_torque
        columns = {'q': values[:, :n], 'qd': values[:, n : 2 * n]}
        columns['wheel_rates'] = values[:, 2 * n : end]
        if self._with_torque and 'torque' in self.expected:
            columns['joint_torque'] = values[:, end:]
        return columns

    def _base_columns(
        self, times: NDArray[np.float64], values: NDArray[np.float64]
    ) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.bool_]]:
        """Return the columns of the base at times, and where all that is needed is good."""
        if self.times_from == 'base_pose':
            pose, pose_good = values, np.ones(len(times), dtype=bool)
        else:
            pose, pose_good = self._interpolated('base_pose', times)
        gyro, gyro_good = self._interpolated('imu', times)
        velocity, velocity_good = self._linear_velocity(times, pose)
        good = velocity_good | np.full(len(times), not self.needs.velocity)
        if self.needs.gyro is Need.NEEDED:
            good &= gyro_good
        if self.needs.pose is Need.NEEDED:
            good &= pose_good
        if self.needs.velocity and self.source is VelocitySource.POSE:
            good &= pose_good
        columns = {}
        if self.needs.pose and ('base_pose' in self.expected or self._has_come('base_pose')):
            pose = np.where(pose_good[:, None], pose, np.nan)
            columns |= {'position': pose[:, :3], 'attitude': pose[:, 3:]}
        if self.needs.gyro or self.needs.velocity:
            parts = (velocity, velocity_good), (gyro, gyro_good)
            known = [np.where(there[:, None], part, np.nan) for part, there in parts]
            columns['base_twist'] = np.hstack(known)
        return columns, good

    def _has_come(self, name: str) -> bool:
        return self.streams[name].counts[Verdict.ACCEPTED] > 0

    def _linear_velocity(
        self, times: NDArray[np.float64], pose: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return linear velocities in base axes, and where they are good."""
        if not self.needs.velocity:
            return np.full((len(times), 3), np.nan), np.zeros(len(times), dtype=bool)
        if self.source is VelocitySource.TWIST:
            return self._interpolated('base_twist', times)
        stream, window = self.streams['base_pose'], self.settings.window
        middle = window // 2
        stamps, bracket = stream.stamps, self.settings.longest_bracket
        slopes = local_slopes(stamps, stream.values[:, :3], window, bracket)
        inertial, good = interpolate(times, stamps[middle : len(stamps) - middle], slopes, bracket)
        good &= np.isfinite(inertial).all(axis=1)
        attitude = np.where(good[:, None], pose[:, 3:], [0.0, 0.0, 0.0, 1.0])
        return Rotation.from_quat(attitude).apply(inertial, inverse=True), good

    def _interpolated(
        self, name: str, times: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return a stream's values at times, and where they are good."""
        stream = self.streams[name]
        values, good = interpolate(
            times, stream.stamps, stream.values, self.settings.longest_bracket
        )
        if name == 'base_pose':
            norms = np.linalg.norm(values[:, 3:], axis=1, keepdims=True)
            values[:, 3:] /= np.where(norms > 0.0, norms, 1.0)
        return values, good

    def _drop_used(self, until: float) -> None:
        """Drop samples that no later time needs."""
        for name in ('imu', 'base_twist'):
            self.streams[name].drop_before(until, kept=2)
        pose = self.streams['base_pose']
        stamps = pose.stamps
        before = np.searchsorted(stamps, until) - self.settings.window
        if before > 0:
            pose.drop_before(stamps[before])

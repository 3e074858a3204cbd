"""Streams of different sensors brought to common times.

Joint states give the times, or poses for a method without joints; of joint states that come
faster than other streams, or than wanted, as many as those have. A stream that is faster is
averaged around each time, any other is interpolated between the samples around it, once they are
there; wrenches are held. Poses that are slower count at their own stamps, where the others are
brought to. So every message counts once, and the record says with how much noise. Nothing waits
for ever, because every buffer is bounded and a sample that can no longer be bracketed is dropped
and counted.
"""

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement.record import Record
from spacerobot_id.measurement.signal.interpolation import interpolate
from spacerobot_id.measurement.signal.local_polynomial import local_slopes
from spacerobot_id.measurement.signal.resampling import (
    AVERAGED,
    HALF_WINDOW,
    Resampled,
    resampled,
)
from spacerobot_id.measurement.stream import Stream, Verdict
from spacerobot_id.measurement.stream_needs import Need, StreamNeeds
from spacerobot_id.measurement.wrench_history import HeldHistory, WrenchHistory
from spacerobot_id.model import Propellers
from spacerobot_id.settings import parameter

_WINDOW_TIME = 0.3
"""Time that the polynomial spans which makes velocities of poses, s: motions change within it."""

_LEAST_WINDOW = 5
"""Least samples of that polynomial."""

_SAME = 1e-3
"""Share of the distance of joint states up to which two stamps are of the same time."""

_PACED = 8
"""Stamps of a stream from which on its rate is known well."""

_SURELY = 3.0
"""Ratio of the intervals of two streams that no few stamps have by chance."""

_NEIGHBOURS = 2.5
"""Times the usual distance of a stream's samples within which two are neighbours."""

_FURTHEST = 0.15
"""Largest distance of neighbours, s: motions cannot be interpolated across more."""


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
        'Distance of two samples that may always be interpolated between, s; twice and a half the '
        "usual distance of a topic's messages may be, too.",
        minimum=0.001,
        read_only=True,
    )
    most_rate: float = parameter(
        125.0,
        'Most samples per second; messages that come faster are averaged, Hz.',
        minimum=1.0,
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
    thrusters : int
        Number of thrusters, whose commands are taken where the method uses them.

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
        thrusters: int = 0,
    ) -> None:
        self.source = source
        self.settings = settings
        self.needs = needs
        self.unaligned = 0
        self.jumps = 0
        self._joints = joints
        self._until = self._poses_until = -np.inf
        self._with_torque = joints * (needs.torque is not Need.UNUSED)
        self.wrenches = WrenchHistory(propellers, settings.capacity)
        capacity, gap = settings.capacity, settings.longest_gap
        width = 2 * joints + wheels + self._with_torque
        optional = self._with_torque * (needs.torque is Need.USED)
        optional += joints * needs.own_stamps
        self.streams = {
            'joint_states': Stream(width, capacity, gap, optional),
            'imu': Stream(3, capacity, gap),
            'base_pose': Stream(7, capacity, gap),
            'base_twist': Stream(3, capacity, gap),
        }
        if needs.wrench:
            self.streams['base_wrench'] = self.wrenches.stream
        self.thrust = HeldHistory(thrusters, capacity) if needs.thrust and thrusters else None
        if self.thrust is not None:
            self.streams['thruster_commands'] = self.thrust.stream
        self.expected = {name for name, need in self._needs().items() if need is Need.NEEDED}

    @property
    def times_from(self) -> str:
        """Name of the stream that gives the times of the samples."""
        return 'joint_states' if self.needs.joints else 'base_pose'

    def comes(self, name: str) -> bool:
        """Return whether a stream comes steadily, and not now and then, near enough to join."""
        stream = self.streams[name]
        now = self.streams[self.times_from].latest
        is_late = now - stream.latest > self.settings.longest_gap
        return is_steady(stream.latest_count, stream.interval) and not is_late

    @property
    def pending(self) -> int:
        """Number of joint states, or poses, that no sample was looked for at yet."""
        return int(np.sum(self.streams[self.times_from].stamps > self._until))

    def push_joints(
        self,
        stamp: float,
        q: NDArray[np.float64],
        qd: NDArray[np.float64],
        wheel_rates: NDArray[np.float64],
        torque: NDArray[np.float64] | None = None,
    ) -> Verdict:
        """Take joint positions (rad or m), joint rates, wheel rates (rad/s), torques (N m)."""
        parts = [q, wheel_rates, qd]
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
        if self.needs.own_stamps:
            return self._take_own(is_last=is_last)
        if not self.needs.joints:
            return self._take_poses(is_last=is_last)
        spacing = self._spacing()
        until = self._complete_until(is_last=is_last)
        ahead = HALF_WINDOW * max(self._averaged_over(spacing), self._averaged_over(self._apart))
        if not is_last:
            until -= ahead
        times = self._thinned(self.streams['joint_states'].stamps, spacing)
        times = self._best_bracketed(times[times <= until])
        parts = [self._samples(times, spacing)] if len(times) else []
        if self._apart:
            until = float(times[-1]) if len(times) else until
            stamps = self.streams['base_pose'].stamps
            stamps = stamps[(stamps > self._poses_until) & (stamps <= until)]
            self._poses_until = max(self._poses_until, until)
            stamps = self._counted_at(stamps, parts)
            parts += [self._samples(stamps, self._apart, of_poses=True)] if len(stamps) else []
        if len(times):
            self._until = float(times[-1])
        if not parts:
            return None
        done = self._until if len(times) else until
        self._drop_used(done - ahead)
        record = Record.concatenate(parts)
        record = record[np.argsort(record.times, kind='stable')]
        if self.needs.wrench:
            record = replace(record, wrench=self.wrenches.take(record.times))
        return record

    def _counted_at(self, stamps: NDArray[np.float64], parts: list[Record]) -> NDArray[np.float64]:
        """Let poses count in samples of the same time, and return the stamps of the others."""
        if not parts or not len(parts[0]) or not len(stamps):
            return stamps
        times, tolerance = parts[0].times, _SAME * self.streams['joint_states'].interval
        after = np.clip(np.searchsorted(times, stamps - tolerance), 0, len(times) - 1)
        same = np.abs(times[after] - stamps) <= tolerance
        parts[0].variance[after[same], 3] = 1.0
        return stamps[~same]

    def _take_own(self, *, is_last: bool) -> Record | None:
        """Return every reading at its own stamp; what others read then is not known."""
        until = self._complete_until(is_last=is_last)
        histories = [self.wrenches] * bool(self.needs.wrench)
        histories += [self.thrust] * (self.thrust is not None)
        if not is_last:
            until = min([until, *(each.complete_until(until) for each in histories)])
        columns = {'joint_states': 0, 'imu': 1, 'base_twist': 2, 'base_pose': 3}
        parts = []
        for name, place in columns.items():
            stream = self.streams[name]
            ready = stream.stamps[stream.stamps <= until]
            if len(ready):
                parts.append(self._own_rows(name, place, ready, stream.values[: len(ready)]))
                stream.drop_through(ready[-1])
        if not parts:
            return None
        record = Record.concatenate(parts)
        record = record[np.argsort(record.times, kind='stable')]
        if self.needs.wrench:
            record = replace(record, wrench=self.wrenches.take(record.times))
        if self.thrust is not None and self._has_come('thruster_commands'):
            record = replace(record, thrust=self.thrust.take(record.times))
        return record

    def _own_rows(
        self, name: str, place: int, times: NDArray[np.float64], values: NDArray[np.float64]
    ) -> Record:
        """Return the samples of one stream alone."""
        count = len(times)
        joints = np.full((count, self.streams['joint_states'].width), np.nan)
        twist, pose = np.full((count, 6), np.nan), np.full((count, 7), np.nan)
        for stream, column in (
            ('joint_states', joints),
            ('imu', twist[:, 3:]),
            ('base_twist', twist[:, :3]),
            ('base_pose', pose),
        ):
            if stream == name:
                column[:] = values
        variance = np.full((count, 4), np.inf)
        variance[:, place] = 1.0
        return Record(
            times,
            **self._joint_columns(joints),
            base_twist=twist,
            position=pose[:, :3],
            attitude=pose[:, 3:],
            variance=variance,
        )

    def _take_poses(self, *, is_last: bool) -> Record | None:
        """Return the complete samples of a method whose times are those of poses."""
        poses = self.streams['base_pose']
        ready = poses.stamps
        ready = self._best_bracketed(ready[ready <= self._complete_until(is_last=is_last)])
        if not len(ready):
            return None
        values = poses.values[: len(ready)]
        poses.drop_through(ready[-1])
        own = Resampled(values, np.ones(len(ready), dtype=bool), np.ones(len(ready)))
        columns, good = self._base_columns(ready, self._spacing(), own)
        if self.needs.wrench:
            columns['wrench'] = self.wrenches.take(ready)
        self.unaligned += int(np.sum(~good))
        self._drop_used(ready[-1])
        return Record(ready, **columns)[good]

    def _samples(
        self, times: NDArray[np.float64], spacing: float, *, of_poses: bool = False
    ) -> Record:
        """Return samples at the stamps of joints, or of poses that count on their own."""
        joints = self._resampled('joint_states', times, spacing)
        columns, good = self._base_columns(
            times, spacing, self._resampled('base_pose', times, spacing)
        )
        good &= joints.good
        columns |= self._joint_columns(joints.values)
        variance = columns['variance']
        variance[:, 0] = joints.variance
        if of_poses:
            variance[:, 1:3], variance[:, 3] = np.inf, 1.0
        elif self._apart:
            variance[:, 3] = np.inf
        if (variance == 1.0).all():
            del columns['variance']
        if not of_poses:
            self.unaligned += int(np.sum(~good))
        return Record(times, **columns)[good]

    def _spacing(self) -> float:
        """Return the usual distance of samples: of the slowest stream but poses, s."""
        intervals = [self.streams[name].interval for name in self._pacing()]
        known = [each for each in intervals if np.isfinite(each)]
        return max([*known, 1.0 / self.settings.most_rate])

    def _pacing(self) -> list[str]:
        """Return the streams whose rates bound that of the samples."""
        needs = self.needs
        pacing = ['joint_states'] * bool(needs.joints)
        pacing += ['imu'] * (needs.gyro is Need.NEEDED)
        pacing += ['base_twist'] * (bool(needs.velocity) and self.source is VelocitySource.TWIST)
        return pacing

    def _slower_by(self, *names: str) -> float:
        """Return by how much a stream's interval must be longer than another's to be slower.

        The more, the fewer stamps they are known from.
        """
        known = all(self.streams[name].latest_count > _PACED for name in names)
        return AVERAGED if known else _SURELY

    @property
    def _apart(self) -> float:
        """Usual distance of poses that count at their own stamps, s; 0 if they do not."""
        if not (self.needs.joints and self.needs.pose):
            return 0.0
        interval = self.streams['base_pose'].interval
        slower_by = self._slower_by('base_pose', *self._pacing())
        return interval if interval > slower_by * self._spacing() else 0.0

    def _averaged_over(self, spacing: float) -> float:
        """Return the distance of samples if some stream is averaged around them, else 0."""
        fastest = [self.streams[name].interval for name in self._awaited()]
        return spacing if any(spacing > AVERAGED * each for each in fastest) else 0.0

    def _thinned(self, stamps: NDArray[np.float64], spacing: float) -> NDArray[np.float64]:
        """Return the stamps of joint states that samples are made at."""
        stamps = stamps[stamps > self._until]
        interval = self.streams['joint_states'].interval
        if not spacing > self._slower_by(*self._pacing()) * interval:
            return stamps
        chosen, last = [], self._until
        for stamp in stamps.tolist():
            if stamp - last > spacing - 0.5 * interval:
                chosen.append(stamp)
                last = stamp
        return np.array(chosen)

    def clear(self) -> None:
        """Drop everything buffered, counters apart."""
        for stream in self.streams.values():
            stream.clear()
        self.wrenches.clear()
        if self.thrust is not None:
            self.thrust.clear()
        self._until = self._poses_until = -np.inf

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
            cleared = {name}
            for key, other in self.streams.items():
                if abs(other.latest - before) < abs(other.latest - stamp):
                    other.clear()
                    cleared.add(key)
            if self.times_from in cleared:
                self._until = -np.inf
            if 'base_pose' in cleared:
                self._poses_until = -np.inf
            for history in (self.wrenches, self.thrust):
                if history is not None and not len(history.stream):
                    history.clear()
        return verdict

    def _needs(self) -> dict[str, Need]:
        """Return what the streams are for a sample, by name."""
        needs = self.needs
        return {'imu': needs.gyro, 'base_pose': needs.pose, 'torque': needs.torque}

    def _needed(self) -> tuple[str, ...]:
        """Return the streams without which there is no sample, the one of the times first."""
        names = [self.times_from]
        names += [name for name, need in self._needs().items() if need is Need.NEEDED]
        is_made = bool(self.needs.velocity) and not self.needs.own_stamps
        names += [self.source.value] * is_made
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
        if (
            self.needs.velocity
            and self.source is VelocitySource.POSE
            and not self.needs.own_stamps
        ):
            middle = self._window() // 2
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
            if len(last) == 2 and last[1] - last[0] <= self._bracket(name):
                waits |= (times > last[0]) & (times < last[1])
        return times[: np.argmax(waits)] if waits.any() else times

    def _joint_columns(self, values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return the columns of joint states."""
        n, end = self._joints, values.shape[1] - self._with_torque
        columns = {'q': values[:, :n], 'qd': values[:, end - n : end]}
        columns['wheel_rates'] = values[:, n : end - n]
        if self._with_torque and 'torque' in self.expected:
            columns['joint_torque'] = values[:, end:]
        return columns

    def _base_columns(
        self, times: NDArray[np.float64], spacing: float, pose: Resampled
    ) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.bool_]]:
        """Return the columns of the base at times, and where all that is needed is good."""
        gyro = self._resampled('imu', times, spacing)
        velocity = self._linear_velocity(times, spacing, pose)
        is_measured = self.needs.velocity and self.source is VelocitySource.TWIST
        good = velocity.good | np.full(len(times), not is_measured)
        if self.needs.gyro is Need.NEEDED:
            good &= gyro.good
        if self.needs.pose is Need.NEEDED:
            good &= pose.good
        if self.needs.velocity and self.source is VelocitySource.POSE:
            good &= pose.good
        columns = {}
        if self.needs.pose and ('base_pose' in self.expected or self._has_come('base_pose')):
            there = np.where(pose.good[:, None], pose.values, np.nan)
            columns |= {'position': there[:, :3], 'attitude': there[:, 3:]}
        if self.needs.gyro or self.needs.velocity:
            known = [np.where(e.good[:, None], e.values, np.nan) for e in (velocity, gyro)]
            columns['base_twist'] = np.hstack(known)
        if self.needs.joints:
            ones = np.ones(len(times))
            columns['variance'] = np.column_stack(
                [ones, gyro.variance, velocity.variance, pose.variance]
            )
        return columns, good

    def _has_come(self, name: str) -> bool:
        return self.streams[name].counts[Verdict.ACCEPTED] > 0

    def _window(self) -> int:
        """Return the samples of the polynomial that makes velocities of poses, odd."""
        interval = self.streams['base_pose'].interval
        if not interval > 0.0:
            return self.settings.window
        points = max(2 * int(0.5 * _WINDOW_TIME / interval) + 1, _LEAST_WINDOW)
        return min(points, self.settings.window)

    def _linear_velocity(
        self, times: NDArray[np.float64], spacing: float, pose: Resampled
    ) -> Resampled:
        """Return linear velocities in base axes."""
        one = np.ones(len(times))
        if not self.needs.velocity:
            return Resampled(np.full((len(times), 3), np.nan), np.zeros(len(times), bool), one)
        if self.source is VelocitySource.TWIST:
            return self._resampled('base_twist', times, spacing)
        stream, window = self.streams['base_pose'], self._window()
        middle = window // 2
        stamps, bracket = stream.stamps, self._bracket('base_pose')
        slopes = local_slopes(stamps, stream.values[:, :3], window, bracket)
        inertial, good = interpolate(times, stamps[middle : len(stamps) - middle], slopes, bracket)
        good &= np.isfinite(inertial).all(axis=1) & pose.good
        attitude = np.where(good[:, None], pose.values[:, 3:], [0.0, 0.0, 0.0, 1.0])
        return Resampled(Rotation.from_quat(attitude).apply(inertial, inverse=True), good, one)

    def _bracket(self, name: str) -> float:
        """Return how far apart two samples of a stream may be that are interpolated between, s."""
        interval = self.streams[name].interval
        near = min(_NEIGHBOURS * interval, _FURTHEST) if np.isfinite(interval) else 0.0
        return max(self.settings.longest_bracket, near)

    def _resampled(self, name: str, times: NDArray[np.float64], spacing: float) -> Resampled:
        """Return a stream at times."""
        stream = self.streams[name]
        found = resampled(
            times,
            spacing,
            stream.stamps,
            stream.values,
            stream.interval,
            self._bracket(name),
            self.settings.longest_bracket,
        )
        if name == 'base_pose':
            norms = np.linalg.norm(found.values[:, 3:], axis=1, keepdims=True)
            found.values[:, 3:] /= np.where(norms > 0.0, norms, 1.0)
        return found

    def _drop_used(self, until: float) -> None:
        """Drop samples that no later time needs."""
        for name in ('joint_states', 'imu', 'base_twist'):
            self.streams[name].drop_before(until, kept=3)
        pose = self.streams['base_pose']
        stamps = pose.stamps
        before = np.searchsorted(stamps, until) - self.settings.window
        if before > 0:
            pose.drop_before(stamps[before])


def is_steady(count: int, interval: float) -> bool:
    """Return whether so many messages, so far apart (s), are a stream that can be followed."""
    return count > _PACED and interval <= _FURTHEST

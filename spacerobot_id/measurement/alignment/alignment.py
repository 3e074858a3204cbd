"""Streams of different sensors brought to common times.

Joint states give the times, or poses for a method without joints; of joint states that come
faster than other streams, or than wanted, as many as those have. A stream that is faster is
averaged around each time, any other is interpolated between the samples around it, once they are
there; wrenches are held. Poses that are slower count at their own stamps, where the others are
brought to. So every message counts once, and the record has its noise. Nothing waits
for ever, because every buffer is bounded and a sample that can no longer be bracketed is dropped
and counted. Times never go back: once a clock was put back, samples are those of later times,
after a pause.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement.alignment.buffers import (
    Buffers,
    is_steady,
    VelocitySource,
)
from spacerobot_id.measurement.record import Record
from spacerobot_id.measurement.signal.local_polynomial import local_slopes
from spacerobot_id.measurement.signal.resampling import (
    AVERAGED,
    HALF_WINDOW,
    interpolate,
    Resampled,
    resampled,
)
from spacerobot_id.measurement.stream import Need

_WINDOW_TIME = 0.3
"""Time that the polynomial spans which makes velocities of poses, s: motions change within it."""

_LEAST_WINDOW = 5
"""Least samples of that polynomial."""

_AFTER = 10.0
"""Pause between samples before and after the clock was put back, s: another flight."""

_SAME = 1e-3
"""Share of the distance of joint states up to which two stamps are of the same time."""


class Columns(Buffers):
    """Values of samples, made of the streams around their times.

    Parameters and attributes are those of ``Buffers``.
    """

    def joint_columns(self, values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return the columns of joint states."""
        n, end = self.joints, values.shape[1] - self.with_torque
        columns = {'q': values[:, :n], 'qd': values[:, end - n : end]}
        columns['wheel_rates'] = values[:, n : end - n]
        if 'torque' in self.expected:
            columns['joint_torque'] = values[:, end:]
        return columns

    def changed(
        self, times: NDArray[np.float64], spacing: float
    ) -> dict[str, NDArray[np.float64]]:
        """Return which share of joint positions around times are new, where they are averaged."""
        stream = self.streams['joint_states']
        if self.needs.rates is not Need.USED or not spacing > AVERAGED * stream.interval:
            return {}
        stamps, q = stream.stamps, stream.values[:, : self.joints]
        is_new = np.vstack([np.zeros(q.shape[1]), np.diff(q, axis=0) != 0.0])
        count = np.cumsum(is_new, axis=0)
        ends = [
            np.clip(np.searchsorted(stamps, times + side * spacing / 2.0), 0, len(q) - 1)
            for side in (-1.0, 1.0)
        ]
        readings = np.maximum(ends[1] - ends[0], 1)[:, None]
        return {'changed': (count[ends[1]] - count[ends[0]]) / readings}

    def base_columns(
        self, times: NDArray[np.float64], spacing: float, pose: Resampled, *, counts: bool = True
    ) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.bool_]]:
        """Return the columns of the base at times, and where all that is needed is good."""
        gyro = self.resampled('imu', times, spacing, counts=counts)
        velocity = self._linear_velocity(times, spacing, pose, counts=counts)
        is_measured = self.source is VelocitySource.TWIST and bool(self.needs.velocity)
        good = self._good(times, gyro, velocity, pose)
        columns = {}
        if self.needs.pose and ('base_pose' in self.expected or self.has_come('base_pose')):
            there = np.where(pose.good[:, None], pose.values, np.nan)
            columns |= {'position': there[:, :3], 'attitude': there[:, 3:]}
        if self.needs.gyro or self.needs.velocity:
            columns['base_twist'] = np.hstack([
                self._known(velocity, is_required=is_measured),
                self._known(gyro, is_required=self.needs.gyro is Need.NEEDED),
            ])  # fmt: skip
        if self.needs.joints:
            parts = np.array([gyro.variance, velocity.variance, pose.variance])
            if self.needs.in_part:
                parts[0, ~gyro.good] = np.inf
                parts[1, ~velocity.good & is_measured] = np.inf
            columns['variance'] = np.column_stack([np.ones(len(times)), *parts])
        return columns, good

    def _known(self, found: Resampled, *, is_required: bool) -> NDArray[np.float64]:
        """Return values, NaN or what lies on a line across a hole where they are not good."""
        if self.needs.in_part and is_required:
            return np.nan_to_num(found.values)
        return np.where(found.good[:, None], found.values, np.nan)

    def _good(
        self, times: NDArray[np.float64], gyro: Resampled, velocity: Resampled, pose: Resampled
    ) -> NDArray[np.bool_]:
        """Return at which times there is all that is needed of the base, or enough of it."""
        needs, source = self.needs, self.source
        good = np.ones(len(times), dtype=bool)
        if needs.pose is Need.NEEDED or (needs.velocity and source is VelocitySource.POSE):
            good &= pose.good
        required = {'imu': gyro.good} if needs.gyro is Need.NEEDED else {}
        if needs.velocity and source is VelocitySource.TWIST:
            required['base_twist'] = velocity.good
        if not needs.in_part:
            return good & np.all([*required.values(), good], axis=0)
        for name in required:
            stamps = self.streams[name].stamps
            good &= (times >= stamps[0]) & (times <= stamps[-1]) if len(stamps) else False
        if source is VelocitySource.POSE and needs.velocity:
            return good
        return good & np.any([*required.values()], axis=0) if required else good

    def own_rows(
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
            **self.joint_columns(joints),
            base_twist=twist,
            position=pose[:, :3],
            attitude=pose[:, 3:],
            variance=variance,
        )

    def resampled(
        self, name: str, times: NDArray[np.float64], spacing: float, *, counts: bool = True
    ) -> Resampled:
        """Return a stream at times, whose samples it counts in unless readings there do not."""
        stream = self.streams[name]
        stamps = stream.stamps
        found = resampled(
            times,
            spacing,
            stamps,
            stream.values,
            stream.interval,
            self.bracket(name),
            self.settings.longest_bracket,
            self._used(name, stamps),
            self.noise.get(name, 0.0),
        )
        if found.used is not None and counts:
            self.used[name] = (stamps, found.used)
        if len(times):
            is_new = found.outlying > self.judged.get(name, -np.inf)
            self.outlying[name] += int(np.sum(is_new & (found.outlying <= times[-1])))
            self.judged[name] = float(times[-1])
        if name == 'base_pose':
            norms = np.linalg.norm(found.values[:, 3:], axis=1, keepdims=True)
            found.values[:, 3:] /= np.where(norms > 0.0, norms, 1.0)
        return found

    def _used(self, name: str, stamps: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how often samples at some stamps were used for earlier times, shape (M,)."""
        used = np.zeros(len(stamps))
        known, often = self.used.get(name, (stamps[:0], used[:0]))
        if len(known) and len(stamps):
            place = np.minimum(np.searchsorted(known, stamps), len(known) - 1)
            used = np.where(known[place] == stamps, often[place], 0.0)
        return used

    def _linear_velocity(
        self, times: NDArray[np.float64], spacing: float, pose: Resampled, *, counts: bool
    ) -> Resampled:
        """Return linear velocities in base axes."""
        one = np.ones(len(times))
        if not self.needs.velocity:
            return Resampled(np.full((len(times), 3), np.nan), np.zeros(len(times), bool), one)
        if self.source is VelocitySource.TWIST:
            return self.resampled('base_twist', times, spacing, counts=counts)
        stream, window = self.streams['base_pose'], self.window
        middle = window // 2
        stamps, bracket = stream.stamps, self.bracket('base_pose')
        slopes = local_slopes(stamps, stream.values[:, :3], window, bracket)
        found = interpolate(times, stamps[middle : len(stamps) - middle], slopes, bracket)
        inertial = found.values
        good = found.good & np.isfinite(inertial).all(axis=1) & pose.good
        attitude = np.where(good[:, None], pose.values[:, 3:], [0.0, 0.0, 0.0, 1.0])
        return Resampled(Rotation.from_quat(attitude).apply(inertial, inverse=True), good, one)

    @property
    def window(self) -> int:
        """Samples of the polynomial that makes velocities of poses, odd."""
        interval = self.streams['base_pose'].interval
        if not interval > 0.0:
            return self.settings.window
        points = max(2 * int(0.5 * _WINDOW_TIME / interval) + 1, _LEAST_WINDOW)
        return min(points, self.settings.window)


class Alignment(Columns):
    """Buffers of joints, gyro, pose, twist and wrench, and the samples that they make together.

    Parameters and attributes are those of ``Buffers``.
    """

    def outliers(self) -> dict[str, int]:
        """Return how many readings were left out of averages since last asked, by stream."""
        found = dict(self.outlying)
        self.outlying.clear()
        return found

    def twist_comes(self) -> bool:
        """Return whether twists come steadily, and not now and then, near enough to join."""
        stream, poses = self.streams['base_twist'], self.streams['base_pose'].interval
        now = self.streams[self.times_from].latest
        is_late = now - stream.latest > self.settings.longest_gap
        return is_steady(stream.latest_count, stream.interval, poses) and not is_late

    def take(self, *, is_last: bool = False) -> Record | None:
        """Return the samples that have become complete, and forget what they were made of.

        Parameters
        ----------
        is_last : bool
            Whether nothing more will come, so that nothing waits for wrenches any longer.
        """
        record = self._take(is_last=is_last)
        return None if record is None else self._later(record)

    def _later(self, record: Record) -> Record:
        """Return samples at times that do not go back, whatever the clock did."""
        if not len(record):
            return record
        if self.put_back and np.isfinite(self.latest):
            self.ahead = self.latest + _AFTER - float(record.times[0])
        self.put_back = False
        record = record.shifted(self.ahead) if self.ahead else record
        self.latest = float(record.times[-1])
        return record

    def _take(self, *, is_last: bool) -> Record | None:
        """Return the samples that have become complete, at their stamps."""
        if self.needs.own_stamps:
            return self._take_own(is_last=is_last)
        if not self.needs.joints:
            return self._take_poses(is_last=is_last)
        spacing, until = self.spacing, self._complete_until(is_last=is_last)
        ahead = HALF_WINDOW * max(self.averaged_over(spacing), self.averaged_over(self.apart))
        if not is_last:
            until -= ahead
        times = self.thinned(self.streams['joint_states'].stamps, spacing)
        times = self._best_bracketed(times[times <= until])
        parts = [self._samples(times, spacing)] if len(times) else []
        if self.apart:
            until = float(times[-1]) if len(times) else until
            stamps = self.streams['base_pose'].stamps
            stamps = stamps[(stamps > self.poses_until) & (stamps <= until)]
            self.poses_until = max(self.poses_until, until)
            stamps = self._counted_at(stamps, parts)
            if len(stamps):
                parts.append(self._samples(stamps, self.apart, of_poses=True))
        if len(times):
            self.until = float(times[-1])
        if not parts:
            return None
        done = self.until if len(times) else until
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
                parts.append(self.own_rows(name, place, ready, stream.values[: len(ready)]))
                stream.drop_through(ready[-1])
        if not parts:
            return None
        record = Record.concatenate(parts)
        record = record[np.argsort(record.times, kind='stable')]
        if self.needs.wrench:
            record = replace(record, wrench=self.wrenches.take(record.times))
        if self.thrust is not None and self.has_come('thruster_commands'):
            record = replace(record, thrust=self.thrust.take(record.times))
        return record

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
        columns, good = self.base_columns(ready, self.spacing, own)
        if self.needs.wrench:
            columns['wrench'] = self.wrenches.take(ready)
        self.unaligned += int(np.sum(~good))
        self._drop_used(ready[-1])
        return Record(ready, **columns)[good]

    def _samples(
        self, times: NDArray[np.float64], spacing: float, *, of_poses: bool = False
    ) -> Record:
        """Return samples at the stamps of joints, or of poses that count on their own."""
        counts = not of_poses
        joints = self.resampled('joint_states', times, spacing, counts=counts)
        pose = self.resampled('base_pose', times, spacing, counts=counts)
        columns, good = self.base_columns(times, spacing, pose, counts=counts)
        good &= joints.good
        columns |= self.joint_columns(joints.values)
        columns |= {} if of_poses else self.changed(times, spacing)
        variance = columns['variance']
        variance[:, 0] = joints.variance
        if of_poses:
            variance[:, 1:3], variance[:, 3] = np.inf, 1.0
        elif self.apart:
            variance[:, 3] = np.inf
        if (variance == 1.0).all():
            del columns['variance']
        if not of_poses:
            self.unaligned += int(np.sum(~good))
        return Record(times, **columns)[good]

    def _complete_until(self, *, is_last: bool) -> float:
        """Return the time up to which every stream awaited has come."""
        awaited = self.needed() if is_last else self.awaited()
        until = min(self.streams[name].latest for name in awaited)
        if (
            self.needs.velocity
            and self.source is VelocitySource.POSE
            and not self.needs.own_stamps
        ):
            middle = self.window // 2
            stamps = self.streams['base_pose'].stamps
            until = min(until, stamps[-1 - middle] if len(stamps) > middle else -np.inf)
        if self.needs.wrench and not is_last:
            now = self.streams[self.times_from].latest
            until = min(until, self.wrenches.complete_until(now))
        return until

    def _best_bracketed(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the times before any between a stream's last two samples: the next one helps."""
        waits = np.zeros(len(times), dtype=bool)
        for name in self.awaited()[1:]:
            last = self.streams[name].last_stamps
            if len(last) == 2 and last[1] - last[0] <= self.bracket(name):
                waits |= (times > last[0]) & (times < last[1])
        return times[: np.argmax(waits)] if waits.any() else times

    def _drop_used(self, until: float) -> None:
        """Drop samples that no later time needs."""
        for name in ('joint_states', 'imu', 'base_twist'):
            self.streams[name].drop_before(until, kept=3)
        pose = self.streams['base_pose']
        stamps = pose.stamps
        before = np.searchsorted(stamps, until) - self.settings.window
        if before > 0:
            pose.drop_before(stamps[before])

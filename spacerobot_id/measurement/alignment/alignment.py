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
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.alignment.buffers import Buffers
from spacerobot_id.measurement.alignment.columns import Columns
from spacerobot_id.measurement.alignment.pace import is_steady, Pace
from spacerobot_id.measurement.alignment.settings import VelocitySource
from spacerobot_id.measurement.record import Record
from spacerobot_id.measurement.signal.resampling import HALF_WINDOW, Resampled

_AFTER = 10.0
"""Pause between samples before and after the clock was put back, s: another flight."""

_SAME = 1e-3
"""Share of the distance of joint states up to which two stamps are of the same time."""


class Alignment(Buffers):
    """Buffers of joints, gyro, pose, twist and wrench, and the samples that they make together.

    Parameters and attributes are those of ``Buffers``.
    """

    @cached_property
    def _pace(self) -> Pace:
        """Distances of samples."""
        return Pace(self)

    @cached_property
    def _columns(self) -> Columns:
        """Their values."""
        return Columns(self, self._pace)

    def outliers(self) -> dict[str, int]:
        """Return how many readings were left out of averages since last asked, by stream."""
        found = dict(self._columns.outliers)
        self._columns.outliers.clear()
        return found

    def comes(self, name: str) -> bool:
        """Return whether a stream comes steadily, and not now and then, near enough to join."""
        stream = self.streams[name]
        now = self.streams[self.times_from].latest
        is_late = now - stream.latest > self.settings.longest_gap
        return is_steady(stream.latest_count, stream.interval) and not is_late

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
        pace = self._pace
        spacing, until = pace.spacing, self._complete_until(is_last=is_last)
        ahead = HALF_WINDOW * max(pace.averaged_over(spacing), pace.averaged_over(pace.apart))
        if not is_last:
            until -= ahead
        times = pace.thinned(self.streams['joint_states'].stamps, spacing)
        times = self._best_bracketed(times[times <= until])
        parts = [self._samples(times, spacing)] if len(times) else []
        if pace.apart:
            until = float(times[-1]) if len(times) else until
            stamps = self.streams['base_pose'].stamps
            stamps = stamps[(stamps > self.poses_until) & (stamps <= until)]
            self.poses_until = max(self.poses_until, until)
            stamps = self._counted_at(stamps, parts)
            if len(stamps):
                parts.append(self._samples(stamps, pace.apart, of_poses=True))
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
                parts.append(
                    self._columns.own_rows(name, place, ready, stream.values[: len(ready)])
                )
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
        columns, good = self._columns.base_columns(ready, self._pace.spacing, own)
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
        joints = self._columns.resampled('joint_states', times, spacing, counts=counts)
        pose = self._columns.resampled('base_pose', times, spacing, counts=counts)
        columns, good = self._columns.base_columns(times, spacing, pose, counts=counts)
        good &= joints.good
        columns |= self._columns.joint_columns(joints.values)
        columns |= {} if of_poses else self._columns.changed(times, spacing)
        variance = columns['variance']
        variance[:, 0] = joints.variance
        if of_poses:
            variance[:, 1:3], variance[:, 3] = np.inf, 1.0
        elif self._pace.apart:
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
            middle = self._columns.window // 2
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
            if len(last) == 2 and last[1] - last[0] <= self._pace.bracket(name):
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

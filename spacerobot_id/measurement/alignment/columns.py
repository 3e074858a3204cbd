"""Columns of samples: every stream at the times of the samples, and with how much noise."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement.alignment.buffers import Buffers
from spacerobot_id.measurement.alignment.pace import Pace
from spacerobot_id.measurement.alignment.settings import VelocitySource
from spacerobot_id.measurement.record import Record
from spacerobot_id.measurement.signal.interpolation import interpolate
from spacerobot_id.measurement.signal.local_polynomial import local_slopes
from spacerobot_id.measurement.signal.resampling import AVERAGED, Resampled, resampled
from spacerobot_id.measurement.stream_needs import Need

_WINDOW_TIME = 0.3
"""Time that the polynomial spans which makes velocities of poses, s: motions change within it."""

_LEAST_WINDOW = 5
"""Least samples of that polynomial."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Values of samples, made of the streams around their times.

    Parameters
    ----------
    buffers : Buffers
        Streams.
    pace : Pace
        Their rates.
    used : dict
        Stamps of the samples buffered that were used lately, and how often, by stream.
    outliers : Counter of str
        Samples of averaged streams that were left out as outliers since last asked, by stream.
    judged : dict of str to float
        Times until which these are counted, s.
    """

    buffers: Buffers
    pace: Pace
    used: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = field(default_factory=dict)
    outliers: Counter[str] = field(default_factory=Counter)
    judged: dict[str, float] = field(default_factory=dict)

    def joint_columns(self, values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return the columns of joint states."""
        n, end = self.buffers.joints, values.shape[1] - self.buffers.with_torque
        columns = {'q': values[:, :n], 'qd': values[:, end - n : end]}
        columns['wheel_rates'] = values[:, n : end - n]
        if 'torque' in self.buffers.expected:
            columns['joint_torque'] = values[:, end:]
        return columns

    def changed(
        self, times: NDArray[np.float64], spacing: float
    ) -> dict[str, NDArray[np.float64]]:
        """Return which share of joint positions around times are new, where they are averaged."""
        stream = self.buffers.streams['joint_states']
        if self.buffers.needs.rates is not Need.USED or not spacing > AVERAGED * stream.interval:
            return {}
        stamps, q = stream.stamps, stream.values[:, : self.buffers.joints]
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
        is_measured = self.buffers.source is VelocitySource.TWIST and bool(
            self.buffers.needs.velocity
        )
        good = self._good(times, gyro, velocity, pose)
        columns = {}
        if self.buffers.needs.pose and (
            'base_pose' in self.buffers.expected or self.buffers.has_come('base_pose')
        ):
            there = np.where(pose.good[:, None], pose.values, np.nan)
            columns |= {'position': there[:, :3], 'attitude': there[:, 3:]}
        if self.buffers.needs.gyro or self.buffers.needs.velocity:
            columns['base_twist'] = np.hstack([
                self._known(velocity, is_required=is_measured),
                self._known(gyro, is_required=self.buffers.needs.gyro is Need.NEEDED),
            ])  # fmt: skip
        if self.buffers.needs.joints:
            parts = np.array([gyro.variance, velocity.variance, pose.variance])
            if self.buffers.needs.in_part:
                parts[0, ~gyro.good] = np.inf
                parts[1, ~velocity.good & is_measured] = np.inf
            columns['variance'] = np.column_stack([np.ones(len(times)), *parts])
        return columns, good

    def _known(self, found: Resampled, *, is_required: bool) -> NDArray[np.float64]:
        """Return values, NaN or what lies on a line across a hole where they are not good."""
        if self.buffers.needs.in_part and is_required:
            return np.nan_to_num(found.values)
        return np.where(found.good[:, None], found.values, np.nan)

    def _good(
        self, times: NDArray[np.float64], gyro: Resampled, velocity: Resampled, pose: Resampled
    ) -> NDArray[np.bool_]:
        """Return at which times there is all that is needed of the base, or enough of it."""
        needs, source = self.buffers.needs, self.buffers.source
        good = np.ones(len(times), dtype=bool)
        if needs.pose is Need.NEEDED or (needs.velocity and source is VelocitySource.POSE):
            good &= pose.good
        required = {'imu': gyro.good} if needs.gyro is Need.NEEDED else {}
        if needs.velocity and source is VelocitySource.TWIST:
            required['base_twist'] = velocity.good
        if not needs.in_part:
            return good & np.all([*required.values(), good], axis=0)
        for name in required:
            stamps = self.buffers.streams[name].stamps
            good &= (times >= stamps[0]) & (times <= stamps[-1]) if len(stamps) else False
        if source is VelocitySource.POSE and needs.velocity:
            return good
        return good & np.any([*required.values()], axis=0) if required else good

    def own_rows(
        self, name: str, place: int, times: NDArray[np.float64], values: NDArray[np.float64]
    ) -> Record:
        """Return the samples of one stream alone."""
        count = len(times)
        joints = np.full((count, self.buffers.streams['joint_states'].width), np.nan)
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
        stream = self.buffers.streams[name]
        stamps = stream.stamps
        found = resampled(
            times,
            spacing,
            stamps,
            stream.values,
            stream.interval,
            self.pace.bracket(name),
            self.buffers.settings.longest_bracket,
            self._used(name, stamps),
            self.buffers.noise.get(name, 0.0),
        )
        if found.used is not None and counts:
            self.used[name] = (stamps, found.used)
        if len(times):
            is_new = found.outlying > self.judged.get(name, -np.inf)
            self.outliers[name] += int(np.sum(is_new & (found.outlying <= times[-1])))
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
        if not self.buffers.needs.velocity:
            return Resampled(np.full((len(times), 3), np.nan), np.zeros(len(times), bool), one)
        if self.buffers.source is VelocitySource.TWIST:
            return self.resampled('base_twist', times, spacing, counts=counts)
        stream, window = self.buffers.streams['base_pose'], self.window
        middle = window // 2
        stamps, bracket = stream.stamps, self.pace.bracket('base_pose')
        slopes = local_slopes(stamps, stream.values[:, :3], window, bracket)
        found = interpolate(times, stamps[middle : len(stamps) - middle], slopes, bracket)
        inertial = found.values
        good = found.good & np.isfinite(inertial).all(axis=1) & pose.good
        attitude = np.where(good[:, None], pose.values[:, 3:], [0.0, 0.0, 0.0, 1.0])
        return Resampled(Rotation.from_quat(attitude).apply(inertial, inverse=True), good, one)

    @property
    def window(self) -> int:
        """Samples of the polynomial that makes velocities of poses, odd."""
        interval = self.buffers.streams['base_pose'].interval
        if not interval > 0.0:
            return self.buffers.settings.window
        points = max(2 * int(0.5 * _WINDOW_TIME / interval) + 1, _LEAST_WINDOW)
        return min(points, self.buffers.settings.window)

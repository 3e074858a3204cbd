"""Streams of different sensors brought to common times.

Joint states give the times. Every other stream is interpolated between the two samples around
such a time, once both are there; nothing waits for ever, because every buffer is bounded and a
joint sample that can no longer be bracketed is dropped and counted.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.data.interpolation import interpolate
from spacerobot_id.data.local_polynomial import local_slopes
from spacerobot_id.data.measurement import Measurement
from spacerobot_id.data.stream import Stream, Verdict


class VelocitySource(Enum):
    """Where the base's linear velocity comes from."""

    TWIST = 'base_twist'
    POSE = 'base_pose'


@dataclass(frozen=True)
class AlignmentSettings:
    """How streams are aligned.

    Parameters
    ----------
    capacity : int
        Samples buffered per stream.
    longest_gap : float
        Largest step of a stream's stamps before the clock is taken to have jumped, s.
    longest_bracket : float
        Largest distance of two samples that may be interpolated between, or that may lie in the
        window of a local polynomial, s.
    window : int
        Samples of the local polynomial that turns positions into velocity, odd.
    """

    capacity: int = 2000
    longest_gap: float = 1.0
    longest_bracket: float = 0.025
    window: int = 21


class Alignment:
    """Buffers of joints, gyro, pose and twist, and the samples that they make together.

    Parameters
    ----------
    joints, wheels : int
        Numbers of joints and wheels.
    source : VelocitySource
        Where the linear velocity comes from.
    settings : AlignmentSettings
        Bounds.
    """

    def __init__(
        self,
        joints: int,
        wheels: int,
        source: VelocitySource = VelocitySource.TWIST,
        settings: AlignmentSettings = AlignmentSettings(),
    ) -> None:
        self.source = source
        self.settings = settings
        self.unaligned = 0
        self.jumps = 0
        self._counts = (joints, wheels)
        widths = {'joint_states': 2 * joints + wheels, 'imu': 3, 'base_pose': 7, 'base_twist': 3}
        self.streams = {
            name: Stream(width, settings.capacity, settings.longest_gap)
            for name, width in widths.items()
        }

    def push_joints(
        self,
        stamp: float,
        q: NDArray[np.float64],
        qd: NDArray[np.float64],
        wheel_rates: NDArray[np.float64],
    ) -> Verdict:
        """Take joint positions (rad or m), joint rates and wheel rates (rad/s)."""
        return self._push('joint_states', stamp, np.concatenate([q, qd, wheel_rates]))

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

    def take(self) -> Measurement | None:
        """Return the samples that have become complete, and forget what they were made of."""
        joints = self.streams['joint_states']
        ready = joints.stamps
        ready = self._best_bracketed(ready[ready <= self._complete_until()])
        if not len(ready):
            return None
        values = joints.values[: len(ready)]
        joints.drop_through(ready[-1])
        gyro, gyro_good = self._interpolated('imu', ready)
        pose, pose_good = self._interpolated('base_pose', ready)
        velocity, velocity_good = self._linear_velocity(ready, pose)
        good = gyro_good & velocity_good
        if self.source is VelocitySource.POSE:
            good &= pose_good
        self.unaligned += int(np.sum(~good))
        self._drop_used(ready[-1])
        n, _ = self._counts
        return Measurement(
            times=ready,
            q=values[:, :n],
            qd=values[:, n : 2 * n],
            wheel_rates=values[:, 2 * n :],
            base_twist=np.hstack([velocity, gyro]),
            position=np.where(pose_good[:, None], pose[:, :3], np.nan),
            attitude=np.where(pose_good[:, None], pose[:, 3:], np.nan),
        )[good]

    def clear(self) -> None:
        """Drop everything buffered, counters apart."""
        for stream in self.streams.values():
            stream.clear()

    def waiting_for(self) -> tuple[str, ...]:
        """Return the streams that hold the others up: silent, or with a clock of their own."""
        latest = {name: self.streams[name].latest for name in self._needed()}
        heard = [stamp for stamp in latest.values() if np.isfinite(stamp)]
        now = np.median(heard) if heard else 0.0
        late = self.settings.longest_gap
        return tuple(name for name, stamp in latest.items() if not abs(stamp - now) <= late)

    def _push(self, name: str, stamp: float, values: NDArray[np.float64]) -> Verdict:
        """Take a sample; after a jump of the clock nothing of before it is kept.

        Streams whose last stamp is nearer to the time before the jump are still there.
        """
        before = self.streams[name].latest
        verdict = self.streams[name].push(stamp, values)
        if verdict is Verdict.CLOCK_JUMPED:
            self.jumps += name == 'joint_states'
            for other in self.streams.values():
                if abs(other.latest - before) < abs(other.latest - stamp):
                    other.clear()
        return verdict

    def _needed(self) -> tuple[str, ...]:
        """Return the streams without which there is no sample."""
        velocity = 'base_twist' if self.source is VelocitySource.TWIST else 'base_pose'
        return ('joint_states', 'imu', velocity)

    def _complete_until(self) -> float:
        """Return the time up to which every stream needed has come."""
        latest = [self.streams[name].latest for name in self._needed()]
        if self.source is VelocitySource.POSE:
            middle = self.settings.window // 2
            stamps = self.streams['base_pose'].stamps
            latest[-1] = stamps[-1 - middle] if len(stamps) > middle else -np.inf
        return min(latest)

    def _best_bracketed(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the times before any between a stream's last two samples: the next one helps."""
        waits = np.zeros(len(times), dtype=bool)
        for name in self._needed()[1:]:
            last = self.streams[name].last_stamps
            if len(last) == 2 and last[1] - last[0] <= self.settings.longest_bracket:
                waits |= (times > last[0]) & (times < last[1])
        return times[: np.argmax(waits)] if waits.any() else times

    def _linear_velocity(
        self, times: NDArray[np.float64], pose: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return linear velocities in base axes, and where they are good."""
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

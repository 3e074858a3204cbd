"""Whether the sensors of the base mean the same axes: gyro and twist against the pose (F11).

A gyro in other axes than the pose is given in, a quaternion from the inertial frame to the body, a
twist of the centre of mass or in the wrong axes: each looks like good data, of another robot. Over
spans of a second the base turns and moves as in the pose. Integrated rates that differ from
it are in other axes, of which those are named that would agree. Live the latest spans in which
the base moves are compared, in a log all of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.monitors.base_ways import (
    IntegratedDisplacement,
    LONGEST_STEP,
    rates_at_poses,
    shifts,
    SPAN,
    turn_steps,
    turns,
    turns_of_rates,
)
from spacerobot_id.measurement.record import Record
from spacerobot_id.model import SensorNoise

_LATEST = 8
"""Spans in which the base moves that are compared live."""

_LEAST_SPANS = 3
"""Spans in which the base has to move beyond its noise."""

_BEYOND = 10.0
"""Standard deviations of the pose's noise that are no noise."""

_LEAST_STD = 1e-4
"""Least standard deviation of a pose, m and rad."""

_SHARE = 0.5
"""Difference of ways, as a share of their size, that no sensor explains.

Both of the root mean square and of the middle span: a pose that has jumped once is no wrong frame.
"""

_AS_GOOD_AS_NONE, _EXPLAINED = 0.1, 0.3
"""Difference that no one has to explain, and share of one that a mistake may leave over."""

_AS_LIKELY, _SAME, _MOST_NAMED = 1.2, 0.01, 3
"""Times the least difference that is as good, share of that found that is none, mistakes named.

Of motion in the plane many mistakes look alike.
"""

_MOST_BIAS = 0.02
"""Largest bias of a gyro, rad/s."""

_MEDIAN = 0.455
"""Median of the square of a standard normal number."""

_NO_MISTAKE_NAMED = 'wrong frame, axes, unit or point, or a frozen value'


@dataclass(frozen=True, eq=False)
class _Comparison:
    """How a topic is compared with the pose.

    Parameters
    ----------
    what : str
        Description of the sensor.
    ways : callable
        Returns the ways of samples: as they are, then under each mistake.
    steps : callable
        Returns the steps of the pose from sample to sample, shape (N - 1, 3).
    stated_std : float
        Noise of the pose as it is stated, m or rad.
    bias : float
        Mean difference that is no contradiction, m or rad.
    """

    what: str
    ways: Callable[[Record], list[IntegratedDisplacement]]
    steps: Callable[[Record], NDArray[np.float64]]
    stated_std: float
    bias: float


class FrameMonitor:
    """Compares the ways of the base by its pose and by its rates, while it moves on.

    A linear velocity that is made from the poses agrees with them, of course.

    Parameters
    ----------
    noise : SensorNoise
        Stated noise of the pose.
    has_twist : bool
        Whether there is a linear velocity to compare.
    latest : int, optional
        Spans that are compared, the latest ones; all if None.
    """

    def __init__(
        self, noise: SensorNoise, *, has_twist: bool = True, latest: int | None = _LATEST
    ) -> None:
        self._latest = latest
        self._comparisons = {
            'imu/data': _Comparison(
                'the gyro',
                turns,
                lambda samples: turn_steps(samples.attitude),
                noise.base_attitude,
                _MOST_BIAS * SPAN,
            )
        }
        if has_twist:
            self._comparisons['base_twist'] = _Comparison(
                'the twist',
                shifts,
                lambda samples: np.diff(samples.position, axis=0),
                noise.base_position,
                0.0,
            )
        self._ways: dict[str, list[IntegratedDisplacement]] = {}
        self._std: dict[str, list[float]] = {topic: [] for topic in self._comparisons}
        self._mistakes: dict[str, str] = {}
        self._tail: Record | None = None
        self._begin = -np.inf

    def take(self, block: Record, *, is_last: bool = False) -> None:
        """Take aligned samples, in the order of time.

        Parameters
        ----------
        block : Record
            Samples; those without a pose are passed over, where rates have times of their own
            but for these.
        is_last : bool
            Whether nothing more will come, and the last span ends before its time.
        """
        if not len(block):
            return
        block = _as_read(block)
        if self._tail is not None and block.times[0] >= self._tail.times[-1]:
            block = Record.concatenate([self._tail, block])
        else:
            self._begin = -np.inf
        poses = rates_at_poses(block)
        poses = poses[poses.times >= self._begin]
        if not len(poses):
            self._tail = block[block.times > block.times[-1] - LONGEST_STEP]
            return
        span = np.floor(poses.times / SPAN)
        begin = len(poses) - 1 if is_last else int(np.argmax(span == span[-1]))
        self._begin, whole = float(poses.times[begin]), poses[: begin + 1]
        self._tail = block[block.times > self._begin - LONGEST_STEP]
        if len(whole) < 2:
            return
        for topic in self._comparisons:
            self._take(topic, whole)
            self._compare(topic)

    def disagreements(self) -> tuple[str, ...]:
        """Return which topics contradict the pose, and what mistake may be the reason."""
        return tuple(_sentence(topic, hint) for topic, hint in self._mistakes.items())

    def _take(self, topic: str, whole: Record) -> None:
        """Add the spans of whole ones in which the base moves beyond the noise."""
        comparison = self._comparisons[topic]
        std = max(comparison.stated_std, _noise(comparison.steps(whole)), _LEAST_STD)
        ways = comparison.ways(whole)
        moved = ways[0].sizes() > _BEYOND * std
        if not moved.any():
            return
        ways = [each[moved] for each in ways]
        if topic in self._ways:
            before = zip(self._ways[topic], ways, strict=True)
            ways = [earlier.followed_by(later) for earlier, later in before]
        kept = slice(None) if self._latest is None else slice(-self._latest, None)
        self._ways[topic] = [each[kept] for each in ways]
        self._std[topic] = [*self._std[topic], std][kept]

    def _compare(self, topic: str) -> None:
        """Note whether the topic contradicts the pose; a mistake once named keeps its name."""
        comparison, ways = self._comparisons[topic], self._ways.get(topic)
        if ways is None:
            return
        std = float(np.median(self._std[topic]))
        hint = _mistake(comparison.what, ways, std, comparison.bias)
        if hint is None:
            self._mistakes.pop(topic, None)
        elif self._mistakes.get(topic, _NO_MISTAKE_NAMED) == _NO_MISTAKE_NAMED:
            self._mistakes[topic] = hint


def check_frames(measurement: Record, noise: SensorNoise, *, has_twist: bool) -> None:
    """Raise MeasurementError if gyro or twist contradict the pose; names the likely mistake.

    Parameters
    ----------
    measurement : Record
        Aligned samples; those without a pose are passed over.
    noise : SensorNoise
        Noise of the pose.
    has_twist : bool
        Whether the linear velocity is measured, and not made from the poses.
    """
    monitor = FrameMonitor(noise, has_twist=has_twist, latest=None)
    monitor.take(measurement, is_last=True)
    for message in monitor.disagreements():
        raise MeasurementError(message)


def check_turning(measurement: Record, angular_velocity: NDArray[np.float64]) -> None:
    """Raise MeasurementError if the gyro contradicts the angular part of twists.

    Parameters
    ----------
    measurement : Record
        N aligned samples.
    angular_velocity : ndarray, shape (N, 3)
        Angular velocity of twists, in base axes, rad/s; NaN where they do not.
    """
    there = np.isfinite(angular_velocity).all(axis=1)
    there &= np.isfinite(measurement.noise_of('gyro'))
    if there.sum() < 2 or not angular_velocity[there].any():  # zeros stand for nothing
        return
    gyro = measurement.base_twist[there, 3:]
    ways = turns_of_rates(measurement.times[there], angular_velocity[there], gyro)
    moved = ways[0].sizes() > _BEYOND * _LEAST_STD
    ways = [each[moved] for each in ways]
    hint = _mistake('the gyro', ways, _LEAST_STD, _MOST_BIAS * SPAN)
    if hint is not None:
        raise MeasurementError(_sentence('imu/data', hint, 'base_twist'))


def _as_read(samples: Record) -> Record:
    """Return samples with rates unknown where none were read near by: they have no weight."""
    if samples.base_twist is None or samples.variance is None:
        return samples
    twist = samples.base_twist.copy()
    for stream, part in (('velocity', slice(0, 3)), ('gyro', slice(3, 6))):
        twist[np.isinf(samples.noise_of(stream)), part] = np.nan
    return replace(samples, base_twist=twist)


def _sentence(topic: str, hint: str, against: str = 'base_pose') -> str:
    return f'{topic} and {against} disagree about the motion of the base: {hint}'


def _mistake(
    what: str, ways: Sequence[IntegratedDisplacement], std: float, bias: float
) -> str | None:
    """Return what may be wrong if the first ways disagree; the others are of likely mistakes."""
    as_is, *others = ways
    spans = len(as_is.of_pose)
    if spans < _LEAST_SPANS:
        return None
    found = as_is.difference(std, bias)
    least = min(found, as_is.typical_difference(std, bias))
    if least <= _AS_GOOD_AS_NONE:
        return None
    likeliest = min(others, key=lambda each: each.difference(std, bias))
    if likeliest.difference(std, bias) > _EXPLAINED * found and spans > 2 * _LEAST_SPANS:
        fitted = (as_is.turned(what), as_is.scaled(what))
        likeliest = min(fitted, key=lambda each: each.difference(std, bias))
    best = likeliest.difference(std, bias)
    if best <= _EXPLAINED * found:
        as_likely = _AS_LIKELY * best + _SAME * found
        named = [each.description for each in others if each.difference(std, bias) <= as_likely]
        return ', or '.join(dict.fromkeys(named[:_MOST_NAMED] or [likeliest.description]))
    return _NO_MISTAKE_NAMED if least > _SHARE else None


def _noise(steps: NDArray[np.float64]) -> float:
    """Return the standard deviation of a pose by its steps, which do not jump but for noise."""
    if len(steps) < 2:
        return 0.0
    jumps = np.diff(steps, axis=0)  # each of three poses, the middle one twice: six variances
    return float(np.sqrt(np.median(jumps**2) / (6.0 * _MEDIAN)))

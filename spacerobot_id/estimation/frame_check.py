"""Whether a log's sensors of the base mean the same axes: gyro and twist against the pose (F11).

Over spans of a second the base turns and moves as the pose says. Integrated rates that say
something else are in other axes, of which those are named that would agree.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.data import Measurement
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.model import SensorNoise

_SPAN = 1.0
"""Time over which ways are compared, s."""

_LEAST_SPANS = 3
"""Spans in which the base has to move beyond its noise."""

_BEYOND = 10.0
"""Standard deviations of the pose's noise that are no noise."""

_LEAST_STD = 1e-4
"""Least standard deviation of a pose, m and rad."""

_SHARE = 0.5
"""Root mean square difference of ways, as a share of their size, that no sensor explains."""

_AS_GOOD_AS_NONE, _EXPLAINED = 0.1, 0.3
"""Difference that no one has to explain, and share of one that a mistake may leave over."""

_MOST_BIAS = 0.02
"""Largest bias of a gyro, rad/s."""

_LONGEST_STEP = 0.2
"""Longest time between two samples that rates are integrated over, s."""

_MEDIAN = 0.455
"""Median of the square of a standard normal number."""

_DEGREES = np.rad2deg(1.0)


@dataclass(frozen=True, eq=False)
class _Ways:
    """What the pose and the rates say of each span, shapes (K, 3), and how that would read."""

    words: str
    of_pose: NDArray[np.float64]
    of_rates: NDArray[np.float64]

    def sizes(self) -> NDArray[np.float64]:
        """Return the length of the longer way of each span, shape (K,)."""
        return np.maximum(
            np.linalg.norm(self.of_pose, axis=1), np.linalg.norm(self.of_rates, axis=1)
        )

    def difference(self, std: float, bias: float) -> float:
        """Return how much they differ as a share of their size, noise and a bias apart.

        The ends of a span have the pose's noise on three axes each; twice that is left out.
        """
        difference = self.of_pose - self.of_rates
        difference = difference - np.clip(difference.mean(axis=0), -bias, bias)
        squares = max(np.sum(difference**2) - 12.0 * std**2 * len(difference), 0.0)
        return float(np.sqrt(squares / np.sum(self.sizes() ** 2)))

    def turned(self, what: str) -> '_Ways':
        """Return the ways with those of the rates turned as fits best (Wahba's problem)."""
        turn = Rotation.align_vectors(self.of_pose, self.of_rates)[0]
        angles = ', '.join(f'{round(angle)}' for angle in np.rad2deg(turn.as_rotvec()) + 0.0)
        words = f'{what} looks turned by ({angles}) deg'
        return _Ways(words, self.of_pose, turn.apply(self.of_rates))


def check_frames(measurement: Measurement, noise: SensorNoise, *, has_twist: bool) -> None:
    """Raise MeasurementError if gyro or twist contradict the pose; names the likely mistake.

    Parameters
    ----------
    measurement : Measurement
        Aligned samples; those without a pose are passed over.
    noise : SensorNoise
        Noise of the pose.
    has_twist : bool
        Whether the linear velocity is measured, and not made from the poses.
    """
    measurement = measurement[
        np.isfinite(measurement.attitude).all(axis=1)
        & np.isfinite(measurement.position).all(axis=1)
    ]
    if len(measurement) < 2:
        return
    turned = Rotation.from_quat(measurement.attitude)
    turns = (turned[:-1].inv() * turned[1:]).as_rotvec()
    std = max(noise.base_attitude, _noise(turns), _LEAST_STD)
    _check('imu/data', 'the gyro', _turns(measurement), std, _MOST_BIAS * _SPAN)
    if has_twist:
        std = max(noise.base_position, _noise(np.diff(measurement.position, axis=0)), _LEAST_STD)
        _check('base_twist', 'the twist', _shifts(measurement), std, 0.0)


def _noise(steps: NDArray[np.float64]) -> float:
    """Return the standard deviation of a pose by its steps, which do not jump but for noise."""
    if len(steps) < 2:
        return 0.0
    jumps = np.diff(steps, axis=0)  # each of three poses, the middle one twice: six variances
    return float(np.sqrt(np.median(jumps**2) / (6.0 * _MEDIAN)))


def check_turning(measurement: Measurement, angular_velocity: NDArray[np.float64]) -> None:
    """Raise MeasurementError if the gyro contradicts the angular part of twists.

    Parameters
    ----------
    measurement : Measurement
        N aligned samples.
    angular_velocity : ndarray, shape (N, 3)
        What twists say, in base axes, rad/s; NaN where they do not.
    """
    told = np.isfinite(angular_velocity).all(axis=1)
    if told.sum() < 2 or not angular_velocity[told].any():  # zeros stand for nothing
        return
    steps, sums = _steps_and_sums(measurement.times[told])
    of_twist, of_gyro = (
        sums(steps[:, None] * _middles(rates[told]))
        for rates in (angular_velocity, measurement.base_twist[:, 3:])
    )
    ways = [_Ways('', of_twist, of_gyro), *_in_other_axes('the gyro', of_twist, of_gyro)]
    _check('imu/data', 'the gyro', ways, _LEAST_STD, _MOST_BIAS * _SPAN, 'base_twist')


def _check(
    topic: str, what: str, ways: list[_Ways], std: float, bias: float, against: str = 'base_pose'
) -> None:
    """Raise if the first ways disagree; the others are of mistakes that may explain it."""
    told = ways[0].sizes() > _BEYOND * std
    if told.sum() < _LEAST_SPANS:
        return
    as_is, *others = (_Ways(each.words, each.of_pose[told], each.of_rates[told]) for each in ways)
    found = as_is.difference(std, bias)
    if found <= _AS_GOOD_AS_NONE:
        return
    likeliest = min(others, key=lambda each: each.difference(std, bias))
    if likeliest.difference(std, bias) > _EXPLAINED * found and told.sum() > 2 * _LEAST_SPANS:
        likeliest = as_is.turned(what)
    if likeliest.difference(std, bias) <= _EXPLAINED * found:
        hint = likeliest.words
    elif found > _SHARE:
        hint = 'wrong frame, axes, unit or point, or a frozen value'
    else:
        return
    raise MeasurementError(f'{topic} and {against} disagree about the motion of the base: {hint}')


def _turns(measurement: Measurement) -> list[_Ways]:
    """Return turns in base axes: as they are, then under each mistake."""
    turned = Rotation.from_quat(measurement.attitude)
    steps, sums = _steps_and_sums(measurement.times)
    rates = steps[:, None] * _middles(measurement.base_twist[:, 3:])
    of_pose = sums((turned[:-1].inv() * turned[1:]).as_rotvec())
    of_inverse = sums((turned[:-1] * turned[1:].inv()).as_rotvec())
    of_rates = sums(rates)
    return [
        _Ways('', of_pose, of_rates),
        *_in_other_axes('the gyro', of_pose, of_rates),
        _Ways('the gyro looks as if in degrees per second', of_pose, of_rates / _DEGREES),
        _Ways(
            'the gyro looks as if in inertial axes',
            of_pose,
            sums(turned[:-1].apply(rates, inverse=True)),
        ),
        _Ways(
            'the quaternion looks like that from the inertial frame to the base',
            of_inverse,
            of_rates,
        ),
    ]


def _shifts(measurement: Measurement) -> list[_Ways]:
    """Return shifts in inertial axes: as they are, then under each mistake."""
    turned = Rotation.from_quat(measurement.attitude)
    steps, sums = _steps_and_sums(measurement.times)
    linear = measurement.base_twist[:, :3]
    of_pose = sums(np.diff(measurement.position, axis=0))

    def of_rates(velocity: NDArray[np.float64]) -> NDArray[np.float64]:
        return sums(steps[:, None] * _middles(velocity))

    return [
        _Ways('', of_pose, of_rates(turned.apply(linear))),
        _Ways('the twist looks as if in inertial axes', of_pose, of_rates(linear)),
        *(
            _Ways(words, of_pose, of_rates(turned.apply(linear @ axes.T)))
            for words, axes in _other_axes('the twist')
        ),
    ]


def _in_other_axes(
    what: str, of_pose: NDArray[np.float64], of_rates: NDArray[np.float64]
) -> Iterator[_Ways]:
    """Yield ways with the rates in other axes."""
    for words, axes in _other_axes(what):
        yield _Ways(words, of_pose, of_rates @ axes.T)


def _other_axes(what: str) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield what rates look like whose axes are negated or exchanged, and what turns them back."""
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            axes = np.diag(signs)[:, list(order)]
            if np.array_equal(axes, np.eye(3)):
                continue
            if order == (0, 1, 2):
                negated = ' and '.join(
                    name for name, sign in zip('xyz', signs, strict=True) if sign < 0.0
                )
                is_ned = signs == (1.0, -1.0, -1.0)
                yield f'{what} looks negated in {negated}{" (NED axes?)" if is_ned else ""}', axes
            else:
                yield f'{what} looks as if its axes were exchanged: {_named(axes)}', axes


def _named(axes: NDArray[np.float64]) -> str:
    """Return which measured components are the base's x, y and z."""
    return ', '.join(
        f'{name} is {"-" if row.min() < 0.0 else ""}{"xyz"[int(np.argmax(np.abs(row)))]}'
        for name, row in zip('xyz', axes, strict=True)
    )


def _middles(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means of neighbours."""
    return 0.5 * (values[:-1] + values[1:])


def _steps_and_sums(
    times: NDArray[np.float64],
) -> tuple[NDArray[np.float64], Callable[[NDArray[np.float64]], NDArray[np.float64]]]:
    """Return steps of time, zero over holes, and what sums rows over spans, holes left out."""
    steps = np.diff(times)
    good = (steps > 0.0) & (steps <= _LONGEST_STEP)
    spans = np.unique(np.floor(times[:-1] / _SPAN), return_inverse=True)[1]

    def sums(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = np.where(good[:, None], rows, 0.0).T
        return np.stack([np.bincount(spans, column) for column in columns], axis=-1)

    return np.where(good, steps, 0.0), sums

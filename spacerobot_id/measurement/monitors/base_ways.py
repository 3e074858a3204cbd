"""How far the base turns and moves over spans of time: by its pose, and by its rates (F11).

Beside the rates as they are there are those that a likely mistake would have made of them: other
axes, another unit, a quaternion the other way round.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement.adapters.adapter import (
    axes_matrix,
    BODY_AXES,
    quaternion_matrix,
    WORLD_AXES,
)
from spacerobot_id.measurement.record import Record
from spacerobot_id.measurement.signal.resampling import interpolate

SPAN = 1.0
"""Time over which ways are compared, s."""

LONGEST_STEP = 0.2
"""Longest time between two samples that rates are integrated over, s."""

_OTHER_UNIT = 5.0
"""Least factor between two units of one quantity that are mistaken for each other."""

_DEGREES = np.rad2deg(1.0)


@dataclass(frozen=True, eq=False)
class IntegratedDisplacement:
    """The ways of each span by the pose and by the rates, (K, 3), and a description."""

    description: str
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

    def typical_difference(self, std: float, bias: float) -> float:
        """Return the same of the middle span: what only a few of them show counts for nothing."""
        difference = self.of_pose - self.of_rates
        difference = difference - np.clip(np.median(difference, axis=0), -bias, bias)
        squares = np.maximum(np.sum(difference**2, axis=1) - 12.0 * std**2, 0.0)
        return float(np.median(np.sqrt(squares) / self.sizes()))

    def turned(self, what: str) -> 'IntegratedDisplacement':
        """Return the ways with those of the rates turned as fits best (Wahba's problem)."""
        with warnings.catch_warnings():  # turns about one axis alone leave it open, as they do
            warnings.simplefilter('ignore', UserWarning)
            turn = Rotation.align_vectors(self.of_pose, self.of_rates)[0]
        angles = ', '.join(f'{round(angle)}' for angle in np.rad2deg(turn.as_rotvec()) + 0.0)
        description = f'{what} looks turned by ({angles}) deg'
        return IntegratedDisplacement(description, self.of_pose, turn.apply(self.of_rates))

    def scaled(self, what: str) -> 'IntegratedDisplacement':
        """Return the ways with those of the rates in the unit that fits best."""
        squares, product = np.sum(self.of_rates**2), np.sum(self.of_rates * self.of_pose)
        size = float(squares / product) if squares and product > 0.0 else 1.0
        if 1.0 / _OTHER_UNIT < size < _OTHER_UNIT:
            size = 1.0
        description = f'{what} is {size:.3g} times what it should be: another unit?'
        return IntegratedDisplacement(description, self.of_pose, self.of_rates / size)

    def __getitem__(self, spans: NDArray[np.bool_] | slice) -> 'IntegratedDisplacement':
        """Return the ways over some of the spans."""
        return IntegratedDisplacement(self.description, self.of_pose[spans], self.of_rates[spans])

    def followed_by(self, later: 'IntegratedDisplacement') -> 'IntegratedDisplacement':
        """Return these ways, and others of the same description over later spans."""
        pairs = (self.of_pose, later.of_pose), (self.of_rates, later.of_rates)
        return IntegratedDisplacement(self.description, *(np.concatenate(pair) for pair in pairs))


def turns(measurement: Record) -> list[IntegratedDisplacement]:
    """Return turns in base axes: as they are, then under each mistake."""
    turned = Rotation.from_quat(measurement.attitude)
    steps, sums = _steps_and_sums(measurement.times)
    rates = steps[:, None] * _middles(measurement.base_twist[:, 3:])
    of_pose = sums(turn_steps(measurement.attitude))
    of_inverse = sums((turned[:-1] * turned[1:].inv()).as_rotvec())
    of_rates = sums(rates)
    return [
        IntegratedDisplacement('', of_pose, of_rates),
        *_in_other_axes('the gyro', of_pose, of_rates, exchanged=False),
        IntegratedDisplacement(
            'the gyro looks as if in degrees per second', of_pose, of_rates / _DEGREES
        ),
        IntegratedDisplacement(
            'the gyro looks as if in inertial axes',
            of_pose,
            sums(turned[:-1].apply(rates, inverse=True)),
        ),
        IntegratedDisplacement(
            'the quaternion looks like that from the inertial frame to the base',
            of_inverse,
            of_rates,
        ),
        *(
            IntegratedDisplacement(
                description, sums(turn_steps(measurement.attitude @ matrix.T)), of_rates
            )
            for description, matrix in _ORDERS
        ),
        *_in_other_axes('the gyro', of_pose, of_rates, exchanged=True),
    ]


def rates_at_poses(measurement: Record) -> Record:
    """Return the samples with a pose; rates with times of their own brought to these.

    Where no rates are around a pose within the longest step they stay unknown.
    """
    there = measurement.has('position', 'attitude')
    poses = measurement[there]
    if measurement.base_twist is None or not len(poses):
        return poses
    twist = poses.base_twist.copy()
    for part in (slice(0, 3), slice(3, 6)):
        unknown = np.isnan(twist[:, part]).any(axis=1)
        known = np.isfinite(measurement.base_twist[:, part]).all(axis=1)
        if not unknown.any() or known.sum() < 2:
            continue
        stamps, values = measurement.times[known], measurement.base_twist[known, part]
        wanted = np.flatnonzero(unknown)
        found = interpolate(poses.times[wanted], stamps, values, LONGEST_STEP)
        twist[wanted, part] = np.where(found.good[:, None], found.values, np.nan)
    return replace(poses, base_twist=twist)


def turn_steps(attitude: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the turns from each quaternion to the next, in the axes of the body."""
    turned = Rotation.from_quat(attitude)
    return (turned[:-1].inv() * turned[1:]).as_rotvec()


def _wrong_orders() -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield in which wrong order quaternions may be, and what undoes it; also before NED axes."""
    ned_frd = quaternion_matrix(axes_matrix(WORLD_AXES['ned']), axes_matrix(BODY_AXES['frd']))
    first = np.roll(np.eye(4), 1, axis=1)  # w x y z, of which x y z w are made
    for turn in (np.eye(4), ned_frd):
        for given, taken, matrix in (
            ('w x y z', 'x y z w', first),
            ('x y z w', 'w x y z', first.T),
        ):
            description = f'the quaternion looks like {given} taken for {taken}'
            yield description, turn @ matrix @ turn.T


_ORDERS = tuple(_wrong_orders())
"""Descriptions of quaternions in a wrong order, and the matrices that put them right."""


def shifts(measurement: Record) -> list[IntegratedDisplacement]:
    """Return shifts in inertial axes: as they are, then under each mistake."""
    turned = Rotation.from_quat(measurement.attitude)
    steps, sums = _steps_and_sums(measurement.times)
    linear = measurement.base_twist[:, :3]
    of_pose = sums(np.diff(measurement.position, axis=0))

    def of_rates(velocity: NDArray[np.float64]) -> NDArray[np.float64]:
        return sums(steps[:, None] * _middles(velocity))

    return [
        IntegratedDisplacement('', of_pose, of_rates(turned.apply(linear))),
        IntegratedDisplacement(
            'the twist looks as if in inertial axes', of_pose, of_rates(linear)
        ),
        *(
            IntegratedDisplacement(description, of_pose, of_rates(turned.apply(linear @ axes.T)))
            for description, axes in _other_axes('the twist')
        ),
    ]


def turns_of_rates(
    times: NDArray[np.float64], of_twist: NDArray[np.float64], of_gyro: NDArray[np.float64]
) -> list[IntegratedDisplacement]:
    """Return turns by two angular velocities, shape (N, 3): as they are, then in other axes."""
    steps, sums = _steps_and_sums(times)
    one, other = (sums(steps[:, None] * _middles(rates)) for rates in (of_twist, of_gyro))
    negated, exchanged = (
        _in_other_axes('the gyro', one, other, exchanged=each) for each in (False, True)
    )
    return [IntegratedDisplacement('', one, other), *negated, *exchanged]


def _in_other_axes(
    what: str, of_pose: NDArray[np.float64], of_rates: NDArray[np.float64], *, exchanged: bool
) -> Iterator[IntegratedDisplacement]:
    """Yield ways with the rates negated in some axes, or with axes exchanged."""
    for description, axes in _other_axes(what):
        if bool(np.count_nonzero(np.diag(axes)) < 3) == exchanged:
            yield IntegratedDisplacement(description, of_pose, of_rates @ axes.T)


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
    good = (steps > 0.0) & (steps <= LONGEST_STEP)
    spans = np.unique(np.floor(times[:-1] / SPAN), return_inverse=True)[1]

    def sums(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = np.where(good[:, None], rows, 0.0).T
        return np.stack([np.bincount(spans, column) for column in columns], axis=-1)

    return np.where(good, steps, 0.0), sums

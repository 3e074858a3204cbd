"""Motions of a truncated Fourier series and a fifth-order polynomial ([Christidi 2017] Eq. 23).

The polynomial brings joints and wheels from rest to rest at given ends, whatever the series does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import factorial

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion, MotionExtent
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion

_GRID = 1000
"""Intervals of the grid on which the extent is looked for; the rest is bounded."""


@dataclass(frozen=True, eq=False)
class FourierQuintic(ExcitingMotion):
    """A motion of Eq. 23: rest, then L harmonics and a quintic, then rest.

    Parameters
    ----------
    names : tuple of str
        Names of the m actuators: joints, then wheels.
    duration : float
        Duration, the period of the first harmonic, s.
    rate_cosines, rate_sines : ndarray, shape (m, L)
        Coefficients a and b of Eq. 23: amplitudes of cosine and sine of each harmonic in the
        rate, rad/s or m/s.
    start, end : ndarray, shape (m,)
        Positions at rest before and after the motion, rad or m.
    """

    names: tuple[str, ...]
    duration: float
    rate_cosines: NDArray[np.float64]
    rate_sines: NDArray[np.float64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]

    def __post_init__(self) -> None:
        if not (np.isfinite(self.duration) and self.duration > 0.0):
            raise PlanningError(f'the duration must be above zero, got {self.duration} s')
        count = len(self.names)
        for name, axes in (('rate_cosines', 2), ('rate_sines', 2), ('start', 1), ('end', 1)):
            array = np.array(getattr(self, name), dtype=float)
            if array.ndim != axes or len(array) != count or not np.isfinite(array).all():
                raise PlanningError(f'{name}: finite values for {count} actuators are needed')
            object.__setattr__(self, name, array)
        if self.rate_cosines.shape != self.rate_sines.shape:
            raise PlanningError('rate_cosines, rate_sines: must be of the same harmonics')

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """Angular frequencies of the harmonics, rad/s, shape (L,)."""
        return 2.0 * np.pi / self.duration * np.arange(1, self.rate_cosines.shape[1] + 1)

    def sample(self, times: ArrayLike) -> PlannedMotion:
        """Return the motion at given times; at rest before the start and after the end.

        Parameters
        ----------
        times : array_like, shape (N,)
            Times since the start, s.
        """
        times = np.asarray(times, dtype=float)
        within = np.clip(times, 0.0, self.duration)
        values = [self._derivative(within, order) for order in range(3)]
        resting = ((times <= 0.0) | (times >= self.duration))[:, None]
        ends = np.where(times[:, None] <= 0.0, self.start, self.end)
        return PlannedMotion(
            times,
            np.where(resting, ends, values[0]),
            np.where(resting, 0.0, values[1]),
            np.where(resting, 0.0, values[2]),
        )

    def reordered(self, names: Sequence[str]) -> 'FourierQuintic':
        """Return the motion with its actuators in another order."""
        order = [self.names.index(name) for name in names]
        keys = ('rate_cosines', 'rate_sines', 'start', 'end')
        return replace(self, names=tuple(names), **{k: getattr(self, k)[order] for k in keys})

    def moved(self, way: NDArray[np.float64]) -> 'FourierQuintic':
        """Return the motion with all positions moved by a way, shape (m,)."""
        return replace(self, start=self.start + way, end=self.end + way)

    def extent(self) -> MotionExtent:
        """Return how far the motion goes: on a grid, and a bound of what lies between."""
        step = self.duration / _GRID
        position, rate, acceleration = (self._on_grid(order) for order in range(3))
        between = [step**2 / 8.0 * self._bound(order + 2) for order in range(3)]
        return MotionExtent(
            lowest=position.min(axis=0) - between[0],
            highest=position.max(axis=0) + between[0],
            velocity=np.abs(rate).max(axis=0) + between[1],
            acceleration=np.abs(acceleration).max(axis=0) + between[2],
        )

    @cached_property
    def _quintic(self) -> NDArray[np.float64]:
        """Coefficients of the polynomial in time over duration, shape (6, m).

        It takes away rate and acceleration of the series at both ends, which are the same there,
        and leads from start to end; in that order its ends are worth these six values.
        """
        frequencies, period = self.frequencies, self.duration
        offset = np.sum(self.rate_sines / frequencies, axis=1)
        rate = -period * np.sum(self.rate_cosines, axis=1)
        bend = -(period**2) * np.sum(self.rate_sines * frequencies, axis=1)
        ends = [self.start + offset, rate, bend, self.end + offset, rate, bend]
        return np.linalg.solve(_END_VALUES, np.stack(ends))

    def _derivative(self, times: NDArray[np.float64], order: int) -> NDArray[np.float64]:
        """Return a derivative of Eq. 23 at times within the motion, shape (N, m)."""
        frequencies = self.frequencies
        phases = times[:, None] * frequencies + 0.5 * np.pi * order
        scale = frequencies ** (order - 1.0)
        series = (scale * np.sin(phases)) @ self.rate_cosines.T - (scale * np.cos(phases)) @ (
            self.rate_sines.T
        )
        slopes = _polynomial_derivative(self._quintic, order) / self.duration**order
        return series + polynomial.polyval(times / self.duration, slopes).T

    def _on_grid(self, order: int) -> NDArray[np.float64]:
        """Return a derivative at the ends of the intervals of the grid, shape (_GRID + 1, m)."""
        waves = _grid_waves(self.rate_cosines.shape[1], order)
        amplitudes = np.hstack([self.rate_cosines, -self.rate_sines]) * np.tile(
            self.frequencies ** (order - 1.0), 2
        )
        slopes = _polynomial_derivative(self._quintic, order) / self.duration**order
        return waves @ amplitudes.T + _GRID_POWERS[:, : len(slopes)] @ slopes

    def _bound(self, order: int) -> NDArray[np.float64]:
        """Return what no magnitude of a derivative exceeds within the motion, shape (m,)."""
        amplitudes = np.hypot(self.rate_cosines, self.rate_sines) @ self.frequencies ** (
            order - 1.0
        )
        slopes = np.abs(_polynomial_derivative(self._quintic, order)).sum(axis=0)
        return amplitudes + slopes / self.duration**order


def _polynomial_derivative(coefficients: NDArray[np.float64], order: int) -> NDArray[np.float64]:
    """Return the coefficients of a derivative of polynomials, shapes (6, m) to (6 - order, m)."""
    factors = [factorial(power) / factorial(power - order) for power in range(order, 6)]
    return coefficients[order:] * np.array(factors)[:, None]


@cache
def _grid_waves(harmonics: int, order: int) -> NDArray[np.float64]:
    """Return derivatives of sines, then cosines, by their phase on the grid, (_GRID + 1, 2 L)."""
    phases = np.linspace(0.0, 2.0 * np.pi, _GRID + 1)[:, None] * np.arange(1, harmonics + 1)
    shifted = phases + 0.5 * np.pi * order
    return np.hstack([np.sin(shifted), np.cos(shifted)])


_GRID_POWERS = np.linspace(0.0, 1.0, _GRID + 1)[:, None] ** np.arange(6)
"""Powers of time over duration on the grid."""

_END_VALUES = np.stack(
    [
        [factorial(k) // factorial(k - order) * at ** (k - order) if k >= order else 0.0
         for k in range(6)]
        for at in (0.0, 1.0)
        for order in range(3)
    ]
)  # fmt: skip
"""Value, slope and bend of the powers 0 to 5 at zero and at one."""

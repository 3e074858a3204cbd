"""Periodic Fourier motions: a few harmonics of one period, cycle after cycle ([Ekal 2019] Eq. 20).

Such a motion repeats itself, so that its measurements can be averaged over the cycles, and its
band is known, so that what lies above it is noise (Swevers et al., 1997).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion, MotionExtent
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.measurement import FourierSeries

_NODES = 64
"""Samples per period and harmonic behind the extent: its bounds are then within 0.2 %."""

_AT_REST = 1e-9
"""Share of the largest rate or acceleration that counts as none at the ends."""


@dataclass(frozen=True, eq=False)
class PeriodicFourierMotion(ExcitingMotion):
    """Actuators that follow finite Fourier series of one period, all by Eq. 20.

    Its rate is ``sum_k a_k cos(k w t) + b_k sin(k w t)`` with ``w = 2 pi / period``.

    Parameters
    ----------
    names : tuple of str
        Names of the m actuators.
    period : float
        Period ``T_f``, s.
    offset : ndarray, shape (m,)
        Constant terms ``a_0``: mean positions, rad or m.
    rate_cosines, rate_sines : ndarray, shape (n, m)
        Coefficients ``a_k`` and ``b_k`` of n harmonics, rad/s or m/s: the first go with the sines
        of the position, the second with its cosines.
    cycles : int
        How many periods the motion lasts.

    Raises
    ------
    PlanningError
        If shapes do not go together, or period or cycles are not above zero.
    """

    names: tuple[str, ...]
    period: float
    offset: NDArray[np.float64]
    rate_cosines: NDArray[np.float64]
    rate_sines: NDArray[np.float64]
    cycles: int = 1

    def __post_init__(self) -> None:
        actuators = len(self.names)
        if not (np.isfinite(self.period) and self.period > 0.0):
            raise PlanningError(f'period: must be above zero, got {self.period}')
        if self.cycles < 1:
            raise PlanningError(f'cycles: must be at least one, got {self.cycles}')
        shapes = self.offset.shape, self.rate_cosines.shape, self.rate_sines.shape
        if (
            shapes != ((actuators,), self.rate_cosines.shape, self.rate_cosines.shape)
            or self.rate_cosines.ndim != 2
        ):
            raise PlanningError(f'{actuators} actuators: coefficients of shapes {shapes}')
        if self.rate_cosines.shape[1] != actuators:
            raise PlanningError(f'{actuators} actuators: coefficients of shapes {shapes}')

    @property
    def harmonics(self) -> int:
        """Number of harmonics."""
        return len(self.rate_cosines)

    @property
    def duration(self) -> float:
        """Duration of all cycles, s."""
        return self.cycles * self.period

    @property
    def is_at_rest_at_its_ends(self) -> bool:
        """Whether rate and acceleration are zero where a cycle begins and ends."""
        ends, extent = self.at([0.0]), self.extent()
        return bool(
            np.all(np.abs(ends.velocity[0]) <= _AT_REST * extent.velocity.max(initial=0.0))
            and np.all(np.abs(ends.acceleration[0]) <= _AT_REST * extent.acceleration.max())
        )

    def at(self, times: ArrayLike) -> PlannedMotion:
        """Return the series at any times, the periods before and after the motion among them.

        Parameters
        ----------
        times : array_like, shape (N,)
            Times since the start, s.
        """
        times = np.asarray(times, dtype=float)
        series = FourierSeries(self.period, self.offset, self.rate_cosines, self.rate_sines)
        return PlannedMotion(times, *series.at(times))

    def sample(self, times: ArrayLike) -> PlannedMotion:
        """Return the motion at given times since the start; at rest before and after it.

        Parameters
        ----------
        times : array_like, shape (N,)
            Times since the start, s.
        """
        times = np.asarray(times, dtype=float)
        motion = self.at(np.clip(times, 0.0, self.duration))
        moving = ((times >= 0.0) & (times <= self.duration))[:, None]
        return PlannedMotion(
            times, motion.position, motion.velocity * moving, motion.acceleration * moving
        )

    def reordered(self, names: Sequence[str]) -> 'PeriodicFourierMotion':
        """Return the motion with its actuators in another order."""
        order = [self.names.index(name) for name in names]
        keys = ('offset', 'rate_cosines', 'rate_sines')
        return replace(self, names=tuple(names), **{k: getattr(self, k)[..., order] for k in keys})

    def moved(self, way: NDArray[np.float64]) -> 'PeriodicFourierMotion':
        """Return the motion with all positions moved by a way, shape (m,)."""
        return replace(self, offset=self.offset + way)

    def extent(self) -> MotionExtent:
        """Return bounds of the motion at any time: never passed, and at most 0.2 % beyond it.

        A trigonometric polynomial of degree n whose magnitude is at most one at M equally spaced
        points of its period is nowhere larger than ``1 / cos(pi n / M)`` (Ehlich and Zeller,
        1964): samples give bounds for what lies between them.
        """
        nodes = _NODES * self.harmonics
        motion = self.at(np.arange(nodes) * self.period / nodes)
        beyond = 1.0 / np.cos(np.pi / _NODES)
        low, high = motion.position.min(axis=0), motion.position.max(axis=0)
        middle, reach = 0.5 * (low + high), 0.5 * beyond * (high - low)
        return MotionExtent(
            lowest=middle - reach,
            highest=middle + reach,
            velocity=beyond * np.abs(motion.velocity).max(axis=0),
            acceleration=beyond * np.abs(motion.acceleration).max(axis=0),
        )

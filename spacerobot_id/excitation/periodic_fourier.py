"""Periodic Fourier motions: a few harmonics of one period, cycle after cycle (papers/003 Eq. 20).

Such a motion repeats itself, so that its measurements can be averaged over the cycles, and its
band is known, so that what lies above it is noise (Swevers et al., 1997).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import null_space

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.motion import MotionExtent, PlannedMotion

_NODES = 64
"""Samples per period and harmonic behind the extent: its bounds are then within 0.2 %."""

_AT_REST = 1e-9
"""Share of the largest rate or acceleration that counts as none at the ends."""


@dataclass(frozen=True, eq=False)
class PeriodicFourierMotion:
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
    sine, cosine : ndarray, shape (n, m)
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
    sine: NDArray[np.float64]
    cosine: NDArray[np.float64]
    cycles: int = 1

    def __post_init__(self) -> None:
        actuators = len(self.names)
        if not (np.isfinite(self.period) and self.period > 0.0):
            raise PlanningError(f'period: must be above zero, got {self.period}')
        if self.cycles < 1:
            raise PlanningError(f'cycles: must be at least one, got {self.cycles}')
        shapes = self.offset.shape, self.sine.shape, self.cosine.shape
        if shapes != ((actuators,), self.sine.shape, self.sine.shape) or self.sine.ndim != 2:
            raise PlanningError(f'{actuators} actuators: coefficients of shapes {shapes}')
        if self.sine.shape[1] != actuators:
            raise PlanningError(f'{actuators} actuators: coefficients of shapes {shapes}')

    @property
    def harmonics(self) -> int:
        """Number of harmonics."""
        return len(self.sine)

    @property
    def frequency(self) -> float:
        """Angular frequency of the first harmonic, rad/s."""
        return 2.0 * np.pi / self.period

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
        order = np.arange(1, self.harmonics + 1) * self.frequency
        angle = np.outer(times, order)
        sines, cosines = np.sin(angle), np.cos(angle)
        return PlannedMotion(
            times=times,
            position=self.offset + (sines / order) @ self.sine - (cosines / order) @ self.cosine,
            velocity=cosines @ self.sine + sines @ self.cosine,
            acceleration=(cosines * order) @ self.cosine - (sines * order) @ self.sine,
        )

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


@dataclass(frozen=True, eq=False)
class FourierFamily:
    """All Fourier motions of some actuators that keep their limits, by numbers from -1 to 1.

    Any numbers within ``bounds`` give a motion that starts where it should and keeps every limit:
    what would go too far is scaled down, actuator by actuator. An optimiser needs no more than
    the bounds.

    Parameters
    ----------
    names : tuple of str
        Names of the m actuators.
    period : float
        Period, s.
    start : ndarray, shape (m,)
        Positions at the start of a cycle, rad or m.
    lowest, highest : ndarray, shape (m,)
        Limits of the positions; infinite where there is none.
    velocity, acceleration : ndarray, shape (m,)
        Limits of the magnitudes of rates and accelerations, infinite where there is none.
    harmonics : int
        Number of harmonics.
    cycles : int
        How many periods a motion lasts.
    at_rest : bool
        Whether every cycle begins and ends without rate and acceleration.

    Raises
    ------
    PlanningError
        If a start is outside its limits, an actuator has no limit of rate and acceleration, or
        there are too few harmonics to begin and end at rest; names the actuator.
    """

    names: tuple[str, ...]
    period: float
    start: NDArray[np.float64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    harmonics: int = 3
    cycles: int = 1
    at_rest: bool = True

    def __post_init__(self) -> None:
        if self.harmonics < (2 if self.at_rest else 1):
            raise PlanningError(f'{self.harmonics} harmonics: too few to begin and end at rest')
        for index, name in enumerate(self.names):
            low, start, high = self.lowest[index], self.start[index], self.highest[index]
            if not low < start < high:
                raise PlanningError(
                    f'{name}: starts at {start:g}, not between {low:g} and {high:g}'
                )
            if not np.isfinite(min(self.velocity[index], self.acceleration[index])):
                raise PlanningError(f'{name}: needs a velocity or acceleration limit to plan with')

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (p, m) of the numbers that stand for a motion."""
        return self._shapes()[0].shape[1] + self._shapes()[1].shape[1], len(self.names)

    @property
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper bounds of the numbers, each of shape (p, m)."""
        return -np.ones(self.shape), np.ones(self.shape)

    def motion(self, numbers: ArrayLike) -> PeriodicFourierMotion:
        """Return the motion that numbers stand for.

        Parameters
        ----------
        numbers : array_like, shape (p, m)
            Numbers, those of the sines first; -1 to 1.
        """
        series = self.series(numbers)
        share = self._allowed_share(series)
        return self._series(share * series.sine, share * series.cosine)

    def series(self, numbers: ArrayLike) -> PeriodicFourierMotion:
        """Return the motion of numbers, shape (p, m), that nothing scales down: linear in them."""
        numbers = np.asarray(numbers, dtype=float).reshape(self.shape)
        sines, cosines = self._shapes()
        largest = self._largest_rates()
        return self._series(
            sines @ numbers[: sines.shape[1]] * largest,
            cosines @ numbers[sines.shape[1] :] * largest,
        )

    def numbers(self, motion: PeriodicFourierMotion) -> NDArray[np.float64]:
        """Return the numbers, shape (p, m), that stand for a motion of this family.

        Raises
        ------
        PlanningError
            If the motion is of other actuators, or does not begin and end as the family's do.
        """
        if motion.names != self.names or motion.harmonics != self.harmonics:
            raise PlanningError(
                f'a motion of {motion.harmonics} harmonics of {", ".join(motion.names)} is none '
                f'of {self.harmonics} harmonics of {", ".join(self.names)}'
            )
        sines, cosines = self._shapes()
        largest = self._largest_rates()
        numbers = np.vstack([sines.T @ motion.sine / largest, cosines.T @ motion.cosine / largest])
        back = self.motion(numbers)
        scale = np.abs(motion.sine).max() + np.abs(motion.cosine).max()
        little = 1e-9 * scale + np.finfo(float).tiny  # of what hardly moves, no digits are left
        if not (
            np.allclose(back.sine, motion.sine, atol=little)
            and np.allclose(back.cosine, motion.cosine, atol=little)
        ):
            raise PlanningError('the motion breaks a limit of its family, or moves at its ends')
        return numbers

    def _largest_rates(self) -> NDArray[np.float64]:
        """Return the rate of one harmonic that is as large as any limit lets it be."""
        frequency = 2.0 * np.pi / self.period
        room = np.minimum(self.highest - self.start, self.start - self.lowest)
        return np.minimum(
            np.minimum(self.velocity, self.acceleration / frequency),
            np.where(np.isfinite(room), self.harmonics * frequency * room, np.inf),
        )

    def _series(
        self, sine: NDArray[np.float64], cosine: NDArray[np.float64]
    ) -> PeriodicFourierMotion:
        """Return the motion of some coefficients, from the start on."""
        order = np.arange(1, self.harmonics + 1)[:, None] * 2.0 * np.pi / self.period
        offset = self.start + (cosine / order).sum(axis=0)
        return PeriodicFourierMotion(self.names, self.period, offset, sine, cosine, self.cycles)

    def _allowed_share(self, motion: PeriodicFourierMotion) -> NDArray[np.float64]:
        """Return the largest share, up to one, of every actuator's motion that keeps limits."""
        extent = motion.extent()
        used = np.stack(
            [
                (extent.highest - self.start) / (self.highest - self.start),
                (self.start - extent.lowest) / (self.start - self.lowest),
                extent.velocity / self.velocity,
                extent.acceleration / self.acceleration,
                np.ones(len(self.names)),
            ]
        )
        return 1.0 / used.max(axis=0)

    def _shapes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return orthonormal columns of coefficients that the ends allow: sines, cosines.

        At rest the rates ``a_k`` and the accelerations ``k w b_k`` of all harmonics add up to zero
        where a cycle begins.
        """
        if not self.at_rest:
            return np.eye(self.harmonics), np.eye(self.harmonics)
        order = np.arange(1.0, self.harmonics + 1.0)
        return null_space(np.ones((1, self.harmonics))), null_space(order[None])

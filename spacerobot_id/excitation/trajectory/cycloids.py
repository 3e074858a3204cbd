"""Cycloids from knot to knot, at rest at every knot ([Naveen 2024] Eqs. 28, 29).

A plateau is a share of the interval in which the rate is constant, between the halves of the
cycloid: it shows more at the same largest rate. The paper has none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion, MotionExtent, Section
from spacerobot_id.kinematics.trajectory_motion import JointMotion, PlannedMotion
from spacerobot_id.model import JointLimits

PEAK_RATE = 2.0
"""Largest rate of the unit cycloid (1 in 1 s) without a plateau."""

LARGEST_PLATEAU = 0.9
"""Largest share of an interval at constant rate."""

SHORTEST_PART = 0.5
"""Shortest motion between rests that is one of the parts of a plan, s."""

PEAK_ACCELERATION = 2.0 * np.pi
"""Largest acceleration of the unit cycloid without a plateau."""


def unit_cycloid(phase: ArrayLike, plateau: float = 0.0) -> JointMotion:
    """Return the cycloid from 0 to 1 at phases from 0 to 1.

    Parameters
    ----------
    phase : array_like
        Time since the start of the interval over its duration; clipped to 0 and 1.
    plateau : float
        Share of the interval at constant rate, from 0 to below 1.

    Returns
    -------
    JointMotion
        Arrays of the phase's shape, in units of the way, of the way per duration, and per
        duration squared.
    """
    phase = np.clip(np.asarray(phase, dtype=float), 0.0, 1.0)
    ramps, whole = 1.0 - plateau, 1.0 + plateau
    on_plateau = np.clip(phase - 0.5 * ramps, 0.0, plateau)
    turned = (phase - on_plateau) / ramps
    angle = 2.0 * np.pi * turned
    return JointMotion(
        position=(ramps * (turned - np.sin(angle) / (2.0 * np.pi)) + 2.0 * on_plateau) / whole,
        velocity=(1.0 - np.cos(angle)) / whole,
        acceleration=2.0 * np.pi * np.sin(angle) / (whole * ramps),
    )


def peak_rate(plateau: float = 0.0) -> float:
    """Return the largest rate of the unit cycloid with a plateau."""
    return PEAK_RATE / (1.0 + plateau)


def peak_acceleration(plateau: float = 0.0) -> float:
    """Return the largest acceleration of the unit cycloid with a plateau."""
    return PEAK_ACCELERATION / ((1.0 + plateau) * (1.0 - plateau))


def largest_range(limits: JointLimits, interval: float, plateau: float = 0.0) -> float:
    """Return the largest range parameter that keeps rate and acceleration limits (Eq. 36)."""
    by_rate = limits.velocity * interval / peak_rate(plateau)
    by_acceleration = limits.acceleration * interval**2 / peak_acceleration(plateau)
    return min(by_rate, by_acceleration)


@dataclass(frozen=True, eq=False)
class ExcitationPlan(ExcitingMotion):
    """A motion of cycloids from knot to knot, at rest at every knot.

    Parameters
    ----------
    names : tuple of str
        Names of the actuators: joints, then wheels.
    knots : ndarray, shape (K + 1, m)
        Positions at the ends of the intervals, rad or m.
    durations : ndarray, shape (K,)
        Durations of the intervals, s.
    plateau : float
        Share of each interval at constant rate, from 0 to below 1.
    """

    names: tuple[str, ...]
    knots: NDArray[np.float64]
    durations: NDArray[np.float64]
    plateau: float = 0.0

    @property
    def duration(self) -> float:
        """Duration of the whole motion, s."""
        return float(self.durations.sum())

    def sample(self, times: ArrayLike) -> PlannedMotion:
        """Return the motion at given times; at rest before the start and after the end.

        Parameters
        ----------
        times : array_like, shape (N,)
            Times since the start, s.
        """
        times = np.asarray(times, dtype=float)
        ends = np.cumsum(self.durations)
        interval = np.minimum(np.searchsorted(ends, times, side='right'), len(ends) - 1)
        begins = np.concatenate([[0.0], ends[:-1]])
        return self._at(times, interval, (times - begins[interval]) / self.durations[interval])

    def sample_intervals(self, per_interval: int) -> PlannedMotion:
        """Return the motion at equally spaced phases within every interval, their middles."""
        phases = (np.arange(per_interval) + 0.5) / per_interval
        interval = np.repeat(np.arange(len(self.durations)), per_interval)
        phase = np.tile(phases, len(self.durations))
        begins = np.concatenate([[0.0], np.cumsum(self.durations)[:-1]])
        return self._at(begins[interval] + phase * self.durations[interval], interval, phase)

    @property
    def breaks(self) -> NDArray[np.float64]:
        """Times of the knots, s, shape (K + 1,)."""
        return np.concatenate([[0.0], np.cumsum(self.durations)])

    def reordered(self, names: Sequence[str]) -> 'ExcitationPlan':
        """Return the motion with its actuators in another order."""
        order = [self.names.index(name) for name in names]
        return replace(self, names=tuple(names), knots=self.knots[:, order])

    def moved(self, way: NDArray[np.float64]) -> 'ExcitationPlan':
        """Return the motion with all positions moved by a way, shape (m,)."""
        return replace(self, knots=self.knots + way)

    def parts(self) -> tuple['ExcitationPlan', ...]:
        """Return the intervals, each a motion; short ones together with the next."""
        cuts, begin = [0], 0.0
        for place, end in enumerate(self.breaks[1:].tolist(), start=1):
            if end - begin >= SHORTEST_PART or place == len(self.durations):
                cuts.append(place)
                begin = end
        return tuple(self._between(first, last) for first, last in pairwise(cuts))

    def section(self, time: float) -> Section:
        """Return the present interval: a stop neither takes longer nor goes beyond its knots."""
        ends = np.cumsum(self.durations)
        place = min(int(np.searchsorted(ends, time, side='right')), len(ends) - 1)
        here = self._between(place, place + 1)
        return Section(here.extent(), here.duration)

    def extent(self) -> MotionExtent:
        """Return how far the motion goes: exact, as cycloids are monotonic between knots."""
        way = np.abs(np.diff(self.knots, axis=0))
        durations = self.durations[:, None]
        return MotionExtent(
            lowest=self.knots.min(axis=0),
            highest=self.knots.max(axis=0),
            velocity=np.max(peak_rate(self.plateau) * way / durations, axis=0),
            acceleration=np.max(peak_acceleration(self.plateau) * way / durations**2, axis=0),
        )

    def _between(self, first: int, last: int) -> 'ExcitationPlan':
        """Return the intervals from one knot to another."""
        knots, durations = self.knots[first : last + 1], self.durations[first:last]
        return replace(self, knots=knots, durations=durations)

    def _at(
        self, times: NDArray[np.float64], interval: NDArray[np.intp], phase: NDArray[np.float64]
    ) -> PlannedMotion:
        """Return the motion at phases of intervals."""
        shape = unit_cycloid(phase[:, None], self.plateau)
        way = np.diff(self.knots, axis=0)[interval]
        duration = self.durations[interval][:, None]
        return PlannedMotion(
            times=times,
            position=self.knots[interval] + way * shape.position,
            velocity=way * shape.velocity / duration,
            acceleration=way * shape.acceleration / duration**2,
        )

"""An exciting motion: what joints and wheels do, and when."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.excitation.cycloid import PEAK_ACCELERATION, PEAK_RATE, unit_cycloid
from spacerobot_id.excitation.motion import MotionExtent, PlannedMotion


@dataclass(frozen=True, eq=False)
class ExcitationPlan:
    """A motion of cycloids from knot to knot, at rest at every knot.

    Parameters
    ----------
    names : tuple of str
        Names of the actuators: joints, then wheels.
    knots : ndarray, shape (K + 1, m)
        Positions at the ends of the intervals, rad or m.
    durations : ndarray, shape (K,)
        Durations of the intervals, s.
    """

    names: tuple[str, ...]
    knots: NDArray[np.float64]
    durations: NDArray[np.float64]

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

    def extent(self) -> MotionExtent:
        """Return how far the motion goes: exact, as cycloids are monotonic between knots."""
        way = np.abs(np.diff(self.knots, axis=0))
        durations = self.durations[:, None]
        return MotionExtent(
            lowest=self.knots.min(axis=0),
            highest=self.knots.max(axis=0),
            velocity=np.max(PEAK_RATE * way / durations, axis=0),
            acceleration=np.max(PEAK_ACCELERATION * way / durations**2, axis=0),
        )

    def _at(
        self, times: NDArray[np.float64], interval: NDArray[np.intp], phase: NDArray[np.float64]
    ) -> PlannedMotion:
        """Return the motion at phases of intervals."""
        shape = unit_cycloid(phase[:, None])
        way = np.diff(self.knots, axis=0)[interval]
        duration = self.durations[interval][:, None]
        return PlannedMotion(
            times=times,
            position=self.knots[interval] + way * shape.position,
            velocity=way * shape.rate / duration,
            acceleration=way * shape.acceleration / duration**2,
        )

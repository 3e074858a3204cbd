"""What is known of a flight: measured poses, and the wrenches that the actuators gave."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError


@dataclass(frozen=True, eq=False)
class FreeFlyerRecord:
    """Measured poses and held wrenches of a free-flyer.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times of the poses, s, strictly increasing.
    position : ndarray, shape (N, 3)
        Measured positions of the base's origin, m.
    attitude : ndarray, shape (N, 4)
        Measured quaternions x y z w of ``R_WB``.
    command_times : ndarray, shape (K,)
        Times from which each wrench acted, until the next, s, strictly increasing; the first not
        after the first pose.
    wrenches : ndarray, shape (K, 6)
        Force (N) and moment about the base's origin (N m), in base axes, limits kept.

    Raises
    ------
    MeasurementError
        If times do not increase, sizes differ, or a number is not finite.
    """

    times: NDArray[np.float64]
    position: NDArray[np.float64]
    attitude: NDArray[np.float64]
    command_times: NDArray[np.float64]
    wrenches: NDArray[np.float64]

    def __post_init__(self) -> None:
        samples, commands = len(self.times), len(self.command_times)
        shapes = self.position.shape, self.attitude.shape, self.wrenches.shape
        if shapes != ((samples, 3), (samples, 4), (commands, 6)):
            raise MeasurementError(f'{samples} poses, {commands} wrenches: shapes {shapes}')
        for name in ('times', 'position', 'attitude', 'command_times', 'wrenches'):
            if not np.isfinite(getattr(self, name)).all():
                raise MeasurementError(f'{name}: not finite')
        for name, times in (('pose', self.times), ('wrench', self.command_times)):
            if (np.diff(times) <= 0.0).any():
                raise MeasurementError(f'{name}: times do not increase')
        if samples and not (commands and self.command_times[0] <= self.times[0]):
            raise MeasurementError('no wrench is known at the first pose')

    def __len__(self) -> int:
        return len(self.times)

    def wrench_at(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the wrenches that act just after some times, shape (N, 6)."""
        index = np.searchsorted(self.command_times, times, side='right') - 1
        return self.wrenches[np.maximum(index, 0)]

    def between(self, start: float, end: float) -> 'FreeFlyerRecord':
        """Return the poses from one time until before another, and their wrenches."""
        kept = (self.times >= start) & (self.times < end)
        return FreeFlyerRecord(
            self.times[kept],
            self.position[kept],
            self.attitude[kept],
            self.command_times,
            self.wrenches,
        )

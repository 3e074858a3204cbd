"""What a fit leaves over, sample by sample."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.solution import Residuals


@dataclass(frozen=True, eq=False)
class ResidualSeries:
    """Measured less predicted readings of N samples, by any method.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times of the samples, s.
    values : ndarray, shape (N, k)
        In standard deviations of their noise; NaN where a reading does not count.
    misfit : ndarray, shape (N, k)
        In their own units, likewise.
    units : tuple of str
        Units of the k readings.
    fitted : int
        Unknowns that were fitted to these samples alone, such as states along a flight.
    """

    times: NDArray[np.float64]
    values: NDArray[np.float64]
    misfit: NDArray[np.float64]
    units: tuple[str, ...]
    fitted: int = 0

    @classmethod
    def of(
        cls,
        method: Method,
        samples: Record,
        values: NDArray[np.float64],
        residuals: Residuals | None = None,
    ) -> 'ResidualSeries':
        """Return what unknowns leave over of samples.

        Parameters
        ----------
        method : Method
            Robot, readings and noise.
        samples : Record
            N samples, prepared by the method.
        values : ndarray, shape (u,)
            Unknowns.
        residuals : Residuals, optional
            What they leave over, where that is known.
        """
        left = method.residuals(samples, values) if residuals is None else residuals
        return cls(samples.times, left.values, left.misfit, method.output_units, left.fitted)

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.times)

    @property
    def read(self) -> NDArray[np.bool_]:
        """Which of the readings there are at all, shape (k,)."""
        return np.isfinite(self.misfit).any(axis=0)

    def sensors(self) -> dict[str, NDArray[np.intp]]:
        """Return the readings of each sensor that there are, by its name."""
        columns: dict[str, list[int]] = {}
        for place in np.flatnonzero(self.read).tolist():
            unit = self.units[place]
            columns.setdefault(_SENSORS.get(unit, unit or 'equations'), []).append(place)
        return {name: np.array(places) for name, places in columns.items()}

    def of_readings(self, places: NDArray[np.intp]) -> 'ResidualSeries':
        """Return the series of some of the readings."""
        units = tuple(self.units[place] for place in places)
        return replace(
            self, values=self.values[:, places], misfit=self.misfit[:, places], units=units
        )


_SENSORS = {
    'rad/s': 'gyro',
    'm/s': 'base velocity',
    'm': 'base position',
    'rad': 'base attitude',
    'N m': 'torques',
}
"""What is read in which unit."""

"""Whether what a fit leaves over is the stated noise: by its size, and by its colour.

Noise that is stated too small makes all residuals larger and leaves them white; standard
deviations are then wrong by a factor that the residuals show. Where the model is wrong, residuals
go one way for long: their means over windows are larger than those of white noise, and no factor
on the standard deviations makes up for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.states.solution import residuals as residuals_of
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
        left = residuals_of(method, samples, values) if residuals is None else residuals
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


_SENSORS = {
    'rad/s': 'gyro',
    'm/s': 'base velocity',
    'm': 'base position',
    'rad': 'base attitude',
    'N m': 'torques',
}
"""What is read in which unit."""


WINDOW = 1.0
"""Time over which means of residuals are taken, s: motions of arms last longer."""

_CHANCE = 5.0
"""Standard deviations by which a mean of squares may be off by chance."""

_NOTEWORTHY, _OVERSTATED = 1.05, 0.7
"""Mean squares beyond which there is a warning that the noise is not as stated."""

_COLOURED = 1.3
"""Ratio of slow to all noise up to which residuals are as good as white."""

_LOST = 1.6
"""Mean square of windows beyond which the model is wrong by more than the noise hides."""

_MANY, _MOST = 0.05, 0.5
"""Shares of rejected samples that are worth a warning, and that make the rest a minority."""

_MOST_SCALED = 9.0
"""Chi-square per degree of freedom beyond which the stated noise is not to be scaled."""


@dataclass(frozen=True)
class FitQuality:
    """How well a fit explains the samples that it was made of.

    Parameters
    ----------
    chi_square : float
        Sum of squared residuals in standard deviations per degree of freedom; one if the noise
        is as stated.
    chi_square_std : float
        How far chance takes it from one, as a standard deviation.
    slow : float
        Mean square of what the residuals' means over ``WINDOW`` would be with unit variance if
        they were white; one if all is as stated, NaN where it is not known.
    slow_std : float
        How far chance takes it from one, as a standard deviation.
    used, rejected : int
        Samples fitted, and samples left out because they did not fit.
    """

    chi_square: float
    chi_square_std: float
    slow: float
    slow_std: float
    used: int
    rejected: int

    LIMITS: ClassVar[dict[str, float]] = {
        'rejected': _MOST,
        'model': _LOST,
        'noise': _MOST_SCALED,
    }
    """Limits of the share rejected, of slow residuals and of all."""

    @property
    def is_white(self) -> bool:
        """Whether the residuals do not stay on one side for longer than noise would."""
        limit = max(1.0 + _CHANCE * self.slow_std, _COLOURED)
        return not (self.slow > limit and self.slow > limit * self.chi_square)

    @property
    def is_as_stated(self) -> bool:
        """Whether neither size nor colour of the residuals asks for an explanation."""
        by_chance = self.chi_square - 1.0 <= _CHANCE * self.chi_square_std
        return self.is_white and (by_chance or self.chi_square < _NOTEWORTHY)

    def faults(self, factors: Mapping[str, float] = {}) -> tuple[tuple[str, str], ...]:
        """Return what makes the estimate one not to be used: kinds and messages.

        Parameters
        ----------
        factors : mapping of str to float
            What limits are multiplied by, by kind; 1 by default.
        """
        exceeded = {
            'rejected': self.rejected / max(self.used + self.rejected, 1),
            'model': 0.0 if self.is_white else self.slow,
            'noise': self.chi_square,
        }
        return tuple(
            (kind, self._messages[kind])
            for kind, limit in self.LIMITS.items()
            if exceeded[kind] > limit * factors.get(kind, 1.0)
        )

    @property
    def is_usable(self) -> bool:
        """Whether the estimate can be used, if with intervals to be scaled."""
        return not self.faults()

    @property
    def noise(self) -> float:
        """Variance of the noise that slow residuals show where 1 is stated; at least 1.

        Parameters follow from slow parts of the readings: what these show counts for intervals.
        """
        by_chance = max(1.0 + _CHANCE * self.slow_std, _COLOURED)
        return self.slow if self.slow > by_chance else 1.0

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {
            'chi_square': self.chi_square,
            'chi_square_std': self.chi_square_std,
            'slow': self.slow if np.isfinite(self.slow) else None,
            'slow_std': self.slow_std,
            'is_white': self.is_white,
            'used': self.used,
            'rejected': self.rejected,
        }

    def warnings(self) -> tuple[str, ...]:
        """Return the warnings, a sentence each; none if all is well."""
        kinds = []
        if self.rejected > _MANY * (self.used + self.rejected):
            kinds.append('rejected')
        if not self.is_white:
            kinds.append('model')
        elif abs(self.chi_square - 1.0) > _CHANCE * self.chi_square_std and not (
            _OVERSTATED < self.chi_square < _NOTEWORTHY
        ):
            kinds.append('noise')
        return tuple(self._messages[kind] for kind in kinds)

    @property
    def _messages(self) -> dict[str, str]:
        """The message of each kind of fault."""
        samples = self.used + self.rejected
        minority = ': the estimate is that of a minority'
        return {
            'rejected': f'{self.rejected} of {samples} samples did not fit and were left out'
            f'{minority if self.rejected > _MOST * samples else ""}',
            'model': 'the model does not explain these data: means of residuals over '
            f'{WINDOW:g} s are {np.sqrt(self.slow):.3g} times what the stated noise makes them '
            f'(chi-square per degree of freedom {self.chi_square:.4g}); geometry, wheels, a bias, '
            'a sensor or a force is not as described, and estimates may be off by far more than '
            'their standard deviations',
            'noise': f'chi-square per degree of freedom is {self.chi_square:.4g}, where chance '
            f'allows 1 +- {self.chi_square_std:.2g}: the noise is not as stated; multiply '
            f'standard deviations by {np.sqrt(self.chi_square):.3g}',
        }


def fit_quality(
    times: NDArray[np.float64],
    residuals: NDArray[np.float64],
    unknowns: int,
    rejected: int = 0,
    *,
    with_windows: bool = True,
) -> FitQuality:
    """Return the quality of a fit.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times of the samples, s.
    residuals : ndarray, shape (N, k)
        Measured less predicted outputs in standard deviations of their noise; NaN where a
        reading does not count.
    unknowns : int
        Number of unknowns fitted.
    rejected : int
        Samples left out.
    with_windows : bool
        Whether the residuals are those of one set of unknowns; with unknowns that walk they go
        astray with them, and show nothing of the model.
    """
    there = np.isfinite(residuals)
    residuals = np.where(there, residuals, 0.0)
    freedom = max(int(there.sum()) - unknowns, 1)
    window = np.unique(np.floor(times / WINDOW), return_inverse=True)[1]
    sums, counts = (
        np.stack([np.bincount(window, column) for column in each.T], axis=-1)
        for each in (residuals, there)
    )
    means = sums[counts > 0] / np.sqrt(counts[counts > 0])
    return FitQuality(
        chi_square=float(np.sum(residuals**2)) / freedom,
        chi_square_std=float(np.sqrt(2.0 / freedom)),
        slow=float(np.mean(means**2)) if with_windows else np.nan,
        slow_std=float(np.sqrt(2.0 / means.size)),
        used=len(residuals),
        rejected=rejected,
    )

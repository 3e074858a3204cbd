"""Whether what a fit leaves over is the stated noise: by its size, and by its colour.

Noise that is stated too small makes all residuals larger and leaves them white; standard
deviations are then wrong by a factor that the residuals tell. Where the model is wrong, residuals
go one way for long: their means over windows are larger than those of white noise, and no factor
on the standard deviations makes up for it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WINDOW = 1.0
"""Time over which means of residuals are taken, s: motions of arms last longer."""

_CHANCE = 5.0
"""Standard deviations by which a mean of squares may be off by chance."""

_NOTEWORTHY, _OVERSTATED = 1.05, 0.7
"""Mean squares beyond which it is worth a word that the noise is not as stated."""

_COLOURED = 1.3
"""Ratio of slow to all noise up to which residuals are as good as white."""

_LOST = 2.0
"""Mean square of windows beyond which the model is wrong by more than the noise hides."""

_MANY, _MOST = 0.05, 0.5
"""Shares of rejected samples that are worth a word, and that make a result one of a minority."""


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

    @property
    def is_usable(self) -> bool:
        """Whether the estimate says something of the robot, if with intervals to be scaled."""
        return not self._most_rejected and (self.is_white or self.slow <= _LOST)

    @property
    def _most_rejected(self) -> bool:
        """Whether more samples were rejected than used."""
        return self.rejected > _MOST * (self.used + self.rejected)

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
        """Return what is to be said, a sentence each; none if all is well."""
        said = []
        if self.rejected > _MANY * (self.used + self.rejected):
            said.append(
                f'{self.rejected} of {self.used + self.rejected} samples did not fit and were '
                f'left out{": the estimate is that of a minority" if self._most_rejected else ""}'
            )
        if not self.is_white:
            said.append(
                f'the model does not explain these data: means of residuals over {WINDOW:g} s are '
                f'{np.sqrt(self.slow):.3g} times what the stated noise makes them (chi-square per '
                f'degree of freedom {self.chi_square:.4g}); geometry, wheels, a bias, a sensor or '
                'a force is not as described, and estimates may be off by far more than their '
                'standard deviations'
            )
        elif abs(self.chi_square - 1.0) > _CHANCE * self.chi_square_std and not (
            _OVERSTATED < self.chi_square < _NOTEWORTHY
        ):
            said.append(
                f'chi-square per degree of freedom is {self.chi_square:.4g}, where chance allows '
                f'1 +- {self.chi_square_std:.2g}: the noise is not as stated; multiply standard '
                f'deviations by {np.sqrt(self.chi_square):.3g}'
            )
        return tuple(said)


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
        Measured less predicted outputs in standard deviations of their noise.
    unknowns : int
        Number of unknowns fitted.
    rejected : int
        Samples left out.
    with_windows : bool
        Whether the residuals are those of one set of unknowns; with unknowns that walk they go
        astray with them, and say nothing of the model.
    """
    count, outputs = residuals.shape
    freedom = max(count * outputs - unknowns, 1)
    window = np.unique(np.floor(times / WINDOW), return_inverse=True)[1]
    sums = np.stack([np.bincount(window, column) for column in residuals.T], axis=-1)
    means = sums / np.sqrt(np.bincount(window))[:, None]
    return FitQuality(
        chi_square=float(np.sum(residuals**2)) / freedom,
        chi_square_std=float(np.sqrt(2.0 / freedom)),
        slow=float(np.mean(means**2)) if with_windows else np.nan,
        slow_std=float(np.sqrt(2.0 / means.size)),
        used=count,
        rejected=rejected,
    )

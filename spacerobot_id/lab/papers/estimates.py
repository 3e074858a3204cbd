"""Estimates of a study over several seeds of the noise, against the truth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from spacerobot_id.lab.papers.comparison import Pair, rule
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.report.metrics import relative_to

_CHANCE = 0.05
"""Probability that chance takes one number of a table, drawn like ours, beyond its limits."""


@dataclass(frozen=True, eq=False)
class EstimateStatistics:
    """Estimates of p parameters over several seeds.

    Parameters
    ----------
    values, std : ndarray, shape (seeds, p)
        Estimates and their standard deviations.
    true : ndarray, shape (p,)
        The truth.
    """

    values: NDArray[np.float64]
    std: NDArray[np.float64]
    true: NDArray[np.float64]

    @property
    def error(self) -> NDArray[np.float64]:
        """Estimates less the truth, (seeds, p)."""
        return self.values - self.true

    @property
    def relative(self) -> NDArray[np.float64]:
        """Magnitudes of the relative errors, (seeds, p); NaN where the true value is zero."""
        return np.abs(relative_to(np.broadcast_to(self.true, self.values.shape), self.error))

    @property
    def typical(self) -> NDArray[np.float64]:
        """Medians of these over the seeds, %, (p,)."""
        return 100.0 * np.median(self.relative, axis=0)

    @property
    def medians(self) -> NDArray[np.float64]:
        """Median relative error of each seed ([Naveen 2024] Eq. 38), (seeds,)."""
        return np.nanmedian(self.relative, axis=1)

    @property
    def largest(self) -> NDArray[np.float64]:
        """Largest relative error of each seed ([Naveen 2024] Eq. 39), (seeds,)."""
        return np.nanmax(self.relative, axis=1)

    @property
    def coverage(self) -> float:
        """Share of true values inside the 95 % intervals."""
        return float(np.mean(np.abs(self.error) <= 1.96 * self.std))

    def over_bound(self, bound: NDArray[np.float64]) -> float:
        """Return the errors over the least there can be, as root mean squares."""
        return float(np.sqrt(np.mean((self.error / bound) ** 2)))


def pairs_of_draws(
    paper: Paper, name: str, draws: NDArray[np.float64], count: int, *reasons: str
) -> list[Pair]:
    """Return a column of a table beside our distribution of it: the means of draws.

    Each is as near to the printed number as chance allows another draw to be.

    Parameters
    ----------
    paper : Paper
        What is printed.
    name : str
        Its column.
    draws : ndarray, shape (seeds, p)
        Draws.
    count : int
        Numbers of the table that are compared (Bonferroni).
    *reasons : str
        Those of the tolerances.
    """
    reach = norm.isf(0.5 * _CHANCE / count) * draws.std(axis=0, ddof=1)
    return [
        paper.pair(f'{name}.{row}', ours, rule('near', reach[row], *reasons))
        for row, ours in enumerate(draws.mean(axis=0))
    ]

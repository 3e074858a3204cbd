"""Estimates over many seeds of the noise against the truth, and the least error there can be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation import MomentumProblem, output_error_rows
from spacerobot_id.evaluation.metrics import relative_to


@dataclass(frozen=True, eq=False)
class EstimateStatistics:
    """Estimates of p parameters over several seeds.

    Parameters
    ----------
    values, std : ndarray, shape (seeds, p)
        Estimates and the standard deviations that they state.
    true : ndarray, shape (p,)
        The truth.
    """

    values: NDArray[np.float64]
    std: NDArray[np.float64]
    true: NDArray[np.float64]

    @property
    def relative(self) -> NDArray[np.float64]:
        """Magnitudes of the relative errors, (seeds, p); NaN where the true value is zero."""
        return np.abs(relative_to(np.broadcast_to(self.true, self.values.shape), self.error))

    @property
    def error(self) -> NDArray[np.float64]:
        """Estimates less the truth, (seeds, p)."""
        return self.values - self.true

    @property
    def medians(self) -> NDArray[np.float64]:
        """Median relative error of each seed (papers/000 Eq. 38), (seeds,)."""
        return np.nanmedian(self.relative, axis=1)

    @property
    def largest(self) -> NDArray[np.float64]:
        """Largest relative error of each seed (papers/000 Eq. 39), (seeds,)."""
        return np.nanmax(self.relative, axis=1)

    @property
    def coverage(self) -> float:
        """Share of true values inside the 95 % intervals."""
        return float(np.mean(np.abs(self.error) <= 1.96 * self.std))

    def over_bound(self, bound: NDArray[np.float64]) -> float:
        """Return the errors over the least there can be, as root mean squares."""
        return float(np.sqrt(np.mean((self.error / bound) ** 2)))


def cramer_rao_std(
    problem: MomentumProblem, clean: Measurement, true: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the least standard deviations of unbiased estimates.

    Parameters
    ----------
    problem : MomentumProblem
        Robot and noise, with u unknowns.
    clean : Measurement
        Samples without noise.
    true : ndarray, shape (u,)
        True values of the unknowns.

    Returns
    -------
    ndarray, shape (u,)
        Standard deviations, in the units of the unknowns.
    """
    rows = output_error_rows(problem, clean, true).matrix
    scale = np.linalg.norm(rows, axis=0)
    inverse = np.linalg.inv((rows / scale).T @ (rows / scale))
    return np.sqrt(np.diag(inverse)) / scale

"""Errors of an estimate where the truth is known ([Naveen 2024] Eqs. 38, 39)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class EstimateErrors:
    """Errors of p parameters.

    Parameters
    ----------
    relative : ndarray, shape (p,)
        Errors relative to the true values, with their sign; NaN where the true value is zero.
    median, largest : float
        Median and largest magnitude of these; NaN if there are none.
    coverage : float
        Share of the true values inside the 95 % intervals.
    """

    relative: NDArray[np.float64]
    median: float
    largest: float
    coverage: float


def estimate_errors(values: ArrayLike, std: ArrayLike, true: ArrayLike) -> EstimateErrors:
    """Return how far an estimate is from the truth.

    Parameters
    ----------
    values, std, true : array_like, shape (p,)
        Estimates, their standard deviations and true values, in any unit.
    """
    values, std, true = (np.asarray(array, dtype=float) for array in (values, std, true))
    relative = relative_to(true, values - true)
    inside = np.abs(values - true) <= 1.96 * std
    magnitude = np.abs(relative[np.isfinite(relative)])
    median, largest = (np.median(magnitude), magnitude.max()) if len(magnitude) else 2 * [np.nan]
    return EstimateErrors(relative, float(median), float(largest), float(inside.mean()))


def relative_to(true: NDArray[np.float64], amount: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an amount as a share of the true values; NaN where these are zero."""
    nowhere = np.full(np.shape(amount), np.nan)
    return np.divide(amount, true, out=nowhere, where=true != 0.0)

"""Extreme eigenvalues of information matrices, smooth enough for a search."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_POWER = 4.0
"""Exponent of the means that stand for the extreme eigenvalues: these have corners."""

_LEAST = 1e-16
"""Share of the largest eigenvalue below which one counts as that."""


@dataclass(frozen=True, eq=False)
class LogCondition:
    """Logarithm of a condition number, smoothed, and its derivatives.

    Parameters
    ----------
    value : float
        Half the logarithm of the ratio of the extreme eigenvalues, never below the exact one.
    by : ndarray, shape (p, p)
        Derivatives by the matrix.
    """

    value: float
    by: NDArray[np.float64]


def log_condition(matrix: NDArray[np.float64]) -> LogCondition:
    """Return the smoothed logarithm of the condition number of G, given ``G^T G``.

    The largest eigenvalue is bounded by the power sum of all, the smallest by that of the
    inverses: ``(sum l^4)^(1/4)`` and ``(sum l^-4)^(-1/4)``.
    """
    eigenvalues, vectors = np.linalg.eigh(matrix)
    eigenvalues = np.maximum(eigenvalues, _LEAST * eigenvalues[-1])
    high = (eigenvalues / eigenvalues[-1]) ** _POWER
    low = (eigenvalues[0] / eigenvalues) ** _POWER
    ratio = np.log(eigenvalues[-1] / eigenvalues[0])
    value = 0.5 * (ratio + (np.log(high.sum()) + np.log(low.sum())) / _POWER)
    slopes = 0.5 * (high / high.sum() - low / low.sum()) / eigenvalues
    return LogCondition(float(value), (vectors * slopes) @ vectors.T)


def condition(matrix: NDArray[np.float64]) -> float:
    """Return the condition number of G, given ``G^T G``; infinite where a column is missing."""
    eigenvalues = np.linalg.eigvalsh(matrix)
    if eigenvalues[0] <= np.finfo(float).eps * eigenvalues[-1]:
        return np.inf
    return float(np.sqrt(eigenvalues[-1] / eigenvalues[0]))

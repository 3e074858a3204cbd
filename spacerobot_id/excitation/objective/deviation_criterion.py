"""Relative standard deviations that output error would reach: what decides accuracy.

The mean of their logarithms counts every parameter alike; a share of the criterion goes to the
largest of them, smoothed by a mean of high power. Weights choose the parameters that matter.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from spacerobot_id.excitation.objective.condition_criteria import Score
from spacerobot_id.methods.information.motion_information import MotionInformation

_POWER = 8.0
"""Exponent of the mean that stands for the largest deviation."""

_LEAST = 1e-14
"""Share of the largest scaled eigenvalue below which one counts as that."""


@dataclass(frozen=True, eq=False)
class DeviationCriterion:
    """The geometric mean of relative standard deviations, the largest counted more.

    Parameters
    ----------
    scale : ndarray, shape (p,)
        Sizes that the standard deviations are relative to.
    weights : ndarray, shape (p,)
        How much each parameter counts, not negative.
    worst_share : float
        Share of the criterion that goes to the largest deviation, 0 to 1.
    known : ndarray, shape (p, p), optional
        Information that is there already, in the units of the parameters.
    """

    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    worst_share: float = 0.25
    known: NDArray[np.float64] | None = None

    is_weighted: ClassVar[bool] = True

    def cost(self, information: MotionInformation) -> float:
        """Return the mean, no unit; infinite where a parameter that counts does not show."""
        std = self.standard_deviations(information)
        return float(np.exp(self._mean(std)[0])) if np.isfinite(std).all() else np.inf

    def score(self, information: MotionInformation) -> Score:
        """Return the logarithm of the cost."""
        covariance = _covariance(self._total(information), _LEAST)
        variances = np.diag(covariance)
        value, slopes = self._mean(np.sqrt(variances))
        by = -0.5 * (covariance * (slopes / variances)) @ covariance
        return Score(
            value,
            MotionInformation(
                by, np.zeros_like(information.rates), np.zeros_like(information.levels)
            ),
        )

    def standard_deviations(self, information: MotionInformation) -> NDArray[np.float64]:
        """Return what a fit would reach, shape (p,); infinite where something does not show."""
        return standard_deviations(information.matrix, self.known)

    def _total(self, information: MotionInformation) -> NDArray[np.float64]:
        return information.matrix if self.known is None else information.matrix + self.known

    def _mean(self, std: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the logarithm of the mean, and its slopes by the logarithms of deviations."""
        shares = self.weights / self.weights.sum()
        logs = np.log(std / self.scale)
        top = logs[shares > 0.0].max()
        powers = shares * np.exp(_POWER * np.minimum(logs - top, 0.0))
        worst = top + np.log(powers.sum()) / _POWER
        value = (1.0 - self.worst_share) * shares @ logs + self.worst_share * worst
        slopes = (1.0 - self.worst_share) * shares + self.worst_share * powers / powers.sum()
        return float(value), slopes


def standard_deviations(
    information: NDArray[np.float64], known: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return what a fit reaches, shape (p,); infinite where a parameter does not show.

    Parameters
    ----------
    information : ndarray, shape (p, p)
        Inverse of the covariance.
    known : ndarray, shape (p, p), optional
        Information that is there besides; where it is of all parameters it counts however small
        it is beside the rounding of the other.
    """
    if known is not None:
        together = standard_deviations(information + known)
        if np.isfinite(together).all():
            return together
        try:
            return _deviations_beside(information, np.linalg.cholesky(known))
        except np.linalg.LinAlgError:  # of the mass alone
            return together
    scale = np.sqrt(np.diag(information))
    if not scale.all():
        return np.full(len(scale), np.inf)
    eigenvalues = np.linalg.eigvalsh(information / np.outer(scale, scale))
    if eigenvalues[0] <= np.finfo(float).eps * eigenvalues[-1]:
        return np.full(len(scale), np.inf)
    return np.sqrt(np.diag(_covariance(information, 0.0)))


def _deviations_beside(
    information: NDArray[np.float64], lower: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what a fit reaches beside what is known, given the lower root of the latter."""
    half = solve_triangular(lower, information, lower=True)
    eigenvalues, vectors = np.linalg.eigh(solve_triangular(lower, half.T, lower=True))
    rounding = len(lower) * np.finfo(float).eps * eigenvalues[-1]
    shown = np.where(eigenvalues > rounding, eigenvalues, 0.0)
    root = solve_triangular(lower, vectors / np.sqrt(1.0 + shown), lower=True, trans='T')
    return np.sqrt(np.sum(root**2, axis=1))


def _covariance(matrix: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    """Return the inverse of a matrix by its eigenvalues, scaled and kept from zero."""
    scale = np.sqrt(np.diag(matrix))
    scale = np.maximum(scale, 1e-12 * scale.max())
    eigenvalues, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    eigenvalues = np.maximum(eigenvalues, least * eigenvalues[-1])
    return ((vectors / eigenvalues) @ vectors.T) / np.outer(scale, scale)

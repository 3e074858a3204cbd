"""Criteria: condition numbers, standard deviations and determinants of what a motion shows.

The mean of their logarithms counts every parameter alike; a share of the criterion goes to the
largest of them, smoothed by a mean of high power. Weights choose the parameters that matter.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from spacerobot_id.methods.information.motion_information import MotionInformation


@dataclass(frozen=True, eq=False)
class Score:
    """A smooth stand-in of a criterion for a search to follow.

    Parameters
    ----------
    value : float
        Value; it orders motions as the criterion does, up to where this has corners.
    by : MotionInformation
        Derivatives of the value by the sums over a motion.
    """

    value: float
    by: MotionInformation


class Criterion(Protocol):
    """How good a motion is, by the sums over its samples."""

    @property
    def is_weighted(self) -> bool:
        """Whether it looks at information, rows divided by their noise, or at plain rows."""

    def cost(self, information: MotionInformation) -> float:
        """Return the number that a motion should make small; infinite where nothing shows."""

    def score(self, information: MotionInformation) -> Score:
        """Return a smooth stand-in, with its gradient."""


_POWER = 4.0
"""Exponent of the means that stand for the extreme eigenvalues: these have corners."""

_LEAST = 1e-16
"""Share of the largest eigenvalue below which one counts as that."""


def log_condition(matrix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return the smoothed logarithm of the condition number of G, given ``G^T G``.

    It is never below the exact one; with its derivatives by the matrix, shape (p, p).

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
    return float(value), (vectors * slopes) @ vectors.T


def condition(matrix: NDArray[np.float64]) -> float:
    """Return the condition number of G, given ``G^T G``; infinite where a column is missing."""
    eigenvalues = np.linalg.eigvalsh(matrix)
    if eigenvalues[0] <= np.finfo(float).eps * eigenvalues[-1]:
        return np.inf
    return float(np.sqrt(eigenvalues[-1] / eigenvalues[0]))


@dataclass(frozen=True)
class ConditionCriterion:
    """The condition number of the regressor, and the inverse mean square of the signals.

    Parameters
    ----------
    is_scaled : bool
        Whether columns are scaled to length one before, so that units do not count.
    signal_weight : float
        Weight ``w`` of Eq. 32, (rad/s)^2; none if 0.
    """

    is_scaled: bool = False
    signal_weight: float = 0.0

    is_weighted: ClassVar[bool] = False

    def cost(self, information: MotionInformation) -> float:
        """Return condition number plus weak signals."""
        matrix = information.matrix
        if self.is_scaled:
            matrix = _scaled(matrix, _lengths(matrix))
        return condition(matrix) + self._weak_signal(information)

    def score(self, information: MotionInformation) -> Score:
        """Return the logarithm of the cost, the condition number smoothed."""
        matrix, lengths = information.matrix, _lengths(information.matrix)
        smooth, by = log_condition(_scaled(matrix, lengths) if self.is_scaled else matrix)
        if self.is_scaled:
            along = np.sum(by * _scaled(matrix, lengths), axis=1)
            by = by / np.outer(lengths, lengths) - np.diag(along / lengths**2)
        number, weak = np.exp(smooth), self._weak_signal(information)
        of_rates = -weak / (number + weak) / information.rates.sum()
        return Score(
            float(np.log(number + weak)),
            MotionInformation(
                by * number / (number + weak),
                np.full(len(information.rates), of_rates),
                np.zeros_like(information.levels),
            ),
        )

    def _weak_signal(self, information: MotionInformation) -> float:
        """Return the second term of Eq. 32."""
        return float(self.signal_weight / information.rates.mean())


def _lengths(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lengths of the columns of G, given ``G^T G``; never zero."""
    lengths = np.sqrt(np.diag(matrix))
    return np.maximum(lengths, np.finfo(float).eps * lengths.max())


def _scaled(matrix: NDArray[np.float64], lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    return matrix / np.outer(lengths, lengths)


@dataclass(frozen=True)
class NormalisedConditionCriterion:
    """V1: condition number of the regressor over its noise, less the levels of the motion.

    Parameters
    ----------
    level_weight : float
        Weight ``q`` of the root mean square of each joint's position, 1/rad (1/m).
    """

    level_weight: float = 1.0

    is_weighted: ClassVar[bool] = True

    def cost(self, information: MotionInformation) -> float:
        """Return V1 (Eq. 21)."""
        return condition(information.matrix) - self._level(information)

    def score(self, information: MotionInformation) -> Score:
        """Return V1 with the condition number smoothed, over this number's size."""
        smooth, by = log_condition(information.matrix)
        number = np.exp(smooth)
        roots = np.sqrt(np.maximum(information.levels, np.finfo(float).tiny))
        # The logarithm of the number, plus the rest in its units: descent is that of V1.
        value = smooth - self._level(information) / number
        of_number = 1.0 + self._level(information) / number
        return Score(
            float(value),
            MotionInformation(
                of_number * by,
                np.zeros_like(information.rates),
                -0.5 * self.level_weight / roots / number,
            ),
        )

    def _level(self, information: MotionInformation) -> float:
        return float(self.level_weight * np.sqrt(information.levels).sum())


@dataclass(frozen=True)
class DeterminantCriterion:
    """V2: the negative logarithm of the determinant of the information matrix."""

    is_weighted: ClassVar[bool] = True

    def cost(self, information: MotionInformation) -> float:
        """Return V2 (Eq. 22); infinite where a parameter does not show."""
        sign, logarithm = np.linalg.slogdet(information.matrix)
        return float(-logarithm) if sign > 0.0 else np.inf

    def score(self, information: MotionInformation) -> Score:
        """Return V2 over the number of parameters, eigenvalues kept from zero."""
        eigenvalues, vectors = np.linalg.eigh(information.matrix)
        eigenvalues = np.maximum(eigenvalues, np.finfo(float).eps * eigenvalues[-1])
        count = len(eigenvalues)
        return Score(
            float(-np.log(eigenvalues).mean()),
            MotionInformation(
                -((vectors / eigenvalues) @ vectors.T) / count,
                np.zeros_like(information.rates),
                np.zeros_like(information.levels),
            ),
        )


_EXPONENT = 8.0
"""Exponent of the mean that stands for the largest deviation."""

_LEAST_SHARE = 1e-14
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
        covariance = _covariance(self._total(information), _LEAST_SHARE)
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
        powers = shares * np.exp(_EXPONENT * np.minimum(logs - top, 0.0))
        worst = top + np.log(powers.sum()) / _EXPONENT
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

"""Condition numbers, weak signals, levels and determinants as criteria."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

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

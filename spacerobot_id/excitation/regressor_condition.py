"""Condition numbers as criteria: raw, column-scaled, with weak signals (papers/000 Eq. 32)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.criterion import Score
from spacerobot_id.excitation.motion_information import MotionInformation
from spacerobot_id.excitation.spectrum import condition, log_condition


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

    @property
    def is_weighted(self) -> bool:
        """It looks at the plain regressor."""
        return False

    def cost(self, information: MotionInformation) -> float:
        """Return condition number plus weak signals."""
        matrix = information.matrix
        if self.is_scaled:
            matrix = _scaled(matrix, _lengths(matrix))
        return condition(matrix) + self._weak_signal(information)

    def score(self, information: MotionInformation) -> Score:
        """Return the logarithm of the cost, the condition number smoothed."""
        matrix, lengths = information.matrix, _lengths(information.matrix)
        smooth = log_condition(_scaled(matrix, lengths) if self.is_scaled else matrix)
        by = smooth.by
        if self.is_scaled:
            along = np.sum(by * _scaled(matrix, lengths), axis=1)
            by = by / np.outer(lengths, lengths) - np.diag(along / lengths**2)
        number, weak = np.exp(smooth.value), self._weak_signal(information)
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

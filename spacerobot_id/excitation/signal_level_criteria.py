"""The criteria V1 and V2 of papers/003 (Eqs. 21, 22), of the momentum regressor."""

from dataclasses import dataclass

import numpy as np

from spacerobot_id.excitation.criterion import Score
from spacerobot_id.excitation.motion_information import MotionInformation
from spacerobot_id.excitation.spectrum import condition, log_condition


@dataclass(frozen=True)
class NormalisedConditionCriterion:
    """V1: condition number of the regressor over its noise, less the levels of the motion.

    Parameters
    ----------
    level_weight : float
        Weight ``q`` of the root mean square of each joint's position, 1/rad (1/m).
    """

    level_weight: float = 1.0

    @property
    def is_weighted(self) -> bool:
        """It looks at rows over their noise."""
        return True

    def cost(self, information: MotionInformation) -> float:
        """Return V1 (Eq. 21)."""
        return condition(information.matrix) - self._level(information)

    def score(self, information: MotionInformation) -> Score:
        """Return V1 with the condition number smoothed, over this number's size."""
        smooth = log_condition(information.matrix)
        number = np.exp(smooth.value)
        roots = np.sqrt(np.maximum(information.levels, np.finfo(float).tiny))
        # The logarithm of the number, plus the rest in its units: descent is that of V1.
        value = smooth.value - self._level(information) / number
        of_number = 1.0 + self._level(information) / number
        return Score(
            float(value),
            MotionInformation(
                of_number * smooth.by,
                np.zeros_like(information.rates),
                -0.5 * self.level_weight / roots / number,
            ),
        )

    def _level(self, information: MotionInformation) -> float:
        return float(self.level_weight * np.sqrt(information.levels).sum())


@dataclass(frozen=True)
class DeterminantCriterion:
    """V2: the negative logarithm of the determinant of the information matrix."""

    @property
    def is_weighted(self) -> bool:
        """It looks at rows over their noise."""
        return True

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

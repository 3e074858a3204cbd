"""Which of several firings shows most, what is unknown of the thrusters counted."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.objective.choice import interest
from spacerobot_id.excitation.objective.deviation_criterion import DeviationCriterion
from spacerobot_id.excitation.objective.visibility import visible_parameters
from spacerobot_id.excitation.planner_settings import PlanCriterionSettings
from spacerobot_id.excitation.thrust.base_drift import BaseDrift
from spacerobot_id.excitation.thrust.pulse_information import PulseInformation
from spacerobot_id.kinematics.planned_motion import PlannedMotion
from spacerobot_id.methods.information.marginal import Marginal
from spacerobot_id.methods.information.motion_information import MotionInformation
from spacerobot_id.methods.information.thrusted import ThrustedInformation


class PulseObjective:
    """Chooses among firings by the criterion deviation, and remembers what it has chosen.

    Standard deviations are those of the parameters of the robot, with the errors of its thrusters
    marginalised.

    Parameters
    ----------
    information : PulseInformation
        What pulses show.
    criterion : DeviationCriterion
        What is made of it, with what is known of the parameters before.
    """

    def __init__(self, information: PulseInformation, criterion: DeviationCriterion) -> None:
        self._of, self._criterion = information, criterion
        stds = [np.broadcast_to(each.std, len(each.names)) for each in information.groups]
        self._beside = np.concatenate(stds) ** -2.0
        count = len(information.minimal) + len(self._beside)
        self.shown = np.zeros((count, count))

    @classmethod
    def of_source(
        cls, source: ThrustedInformation, settings: PlanCriterionSettings
    ) -> Self | None:
        """Return it for what is planned for; None where nothing of the thrusters is unknown."""
        if not source.thrusters:
            return None
        model = source.models[0]
        weights = interest(settings.of_interest, source.names)
        weights = weights * visible_parameters(source.alone())
        criterion = DeviationCriterion(source.scale, weights, settings.worst_share, source.prior)
        information = PulseInformation(model, source.minimal, source.thrusters, source.planar)
        return cls(information, criterion)

    @property
    def standard_deviations(self) -> NDArray[np.float64]:
        """What a fit would reach by what was chosen, shape (p,)."""
        return self._criterion.standard_deviations(self._marginal(self.shown))

    def choose(self, motion: PlannedMotion, drift: BaseDrift, shares: NDArray[np.float64]) -> int:
        """Return the place of the candidate that shows most, and remember it.

        Parameters
        ----------
        motion, drift, shares
            As for ``PulseInformation.matrices``.
        """
        every = self.shown + self._of.matrices(motion, drift, shares)
        scores = [self._criterion.score(self._marginal(each)).value for each in every]
        best = int(np.argmin(scores))
        self.shown = every[best]
        return best

    def _marginal(self, joint: NDArray[np.float64]) -> MotionInformation:
        """Return the information of the parameters, errors of thrusters marginalised."""
        return MotionInformation(Marginal.of(joint, self._beside).matrix, np.zeros(0), np.zeros(0))

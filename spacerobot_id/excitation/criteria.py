"""The criterion that settings name, for a robot as it is believed to be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.criterion import Criterion
from spacerobot_id.excitation.deviation_criterion import DeviationCriterion, parameter_scale
from spacerobot_id.excitation.motion_information import MotionInformation
from spacerobot_id.excitation.planner_settings import CriterionName, PlanCriterionSettings
from spacerobot_id.excitation.regressor_condition import ConditionCriterion
from spacerobot_id.excitation.signal_level_criteria import (
    DeterminantCriterion,
    NormalisedConditionCriterion,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import minimal_parameters, MinimalParameters


@dataclass(frozen=True, eq=False)
class Known:
    """What an estimator knows of the minimal parameters already.

    Parameters
    ----------
    values : ndarray, shape (p,)
        Estimates.
    information : ndarray, shape (p, p)
        Inverse of their covariance.
    """

    values: NDArray[np.float64]
    information: NDArray[np.float64]

    def robot(self, model: RobotModel, minimal: MinimalParameters) -> RobotModel:
        """Return a robot that moves as the estimates say."""
        return model.with_parameters(minimal.expand(self.values))


def make_criterion(
    settings: PlanCriterionSettings,
    model: RobotModel,
    minimal: MinimalParameters,
    known: Known | None = None,
) -> Criterion:
    """Return a criterion.

    Parameters
    ----------
    settings : PlanCriterionSettings
        Which, and its weights.
    model : RobotModel
        Robot that deviations are relative to.
    minimal : MinimalParameters
        Its p minimal parameters.
    known : Known, optional
        What is known already; the deviation criterion adds it to what a motion shows.

    Raises
    ------
    PlanningError
        If a parameter of interest is unknown; names it.
    """
    if settings.name is CriterionName.DEVIATION:
        return DeviationCriterion(
            parameter_scale(minimal, minimal.values(model)),
            interest(settings.of_interest, minimal),
            settings.worst_share,
            None if known is None else known.information,
        )
    return {
        CriterionName.CONDITION: ConditionCriterion(),
        CriterionName.SCALED_CONDITION: ConditionCriterion(is_scaled=True),
        CriterionName.CONDITION_AND_SIGNAL: ConditionCriterion(
            signal_weight=settings.signal_weight
        ),
        CriterionName.NORMALISED_CONDITION: NormalisedConditionCriterion(settings.level_weight),
        CriterionName.DETERMINANT: DeterminantCriterion(),
    }[settings.name]


def known_well_enough(
    model: RobotModel, known: Known, relative_std: float, of_interest: tuple[str, ...] = ()
) -> bool:
    """Return whether every parameter of interest is known better than is wanted.

    Parameters
    ----------
    model : RobotModel
        Robot.
    known : Known
        Estimates and their information.
    relative_std : float
        Standard deviation wanted, relative to the size of each parameter.
    of_interest : tuple of str
        Links or minimal parameters; all if empty.
    """
    minimal = minimal_parameters(model)
    ones = np.ones(len(minimal))
    nothing = MotionInformation(0.0 * known.information, np.zeros(1), np.zeros(1))
    std = DeviationCriterion(ones, ones, known=known.information).standard_deviations(nothing)
    counts = interest(of_interest, minimal) > 0.0
    return bool(np.all((std <= relative_std * parameter_scale(minimal, known.values))[counts]))


def interest(of_interest: tuple[str, ...], minimal: MinimalParameters) -> NDArray[np.float64]:
    """Return 1 for every minimal parameter that counts, 0 for others, shape (p,).

    Parameters
    ----------
    of_interest : tuple of str
        Names of links or minimal parameters; all count if empty.
    minimal : MinimalParameters
        The minimal parameters.
    """
    links = [name.rpartition('.')[0] for name in minimal.names]
    for name in of_interest:
        if name not in minimal.names and name not in links:
            raise PlanningError(f'{name}: of interest, but no link and no minimal parameter')
    if not of_interest:
        return np.ones(len(minimal))
    return np.array(
        [
            float(name in of_interest or link in of_interest)
            for name, link in zip(minimal.names, links, strict=True)
        ]
    )

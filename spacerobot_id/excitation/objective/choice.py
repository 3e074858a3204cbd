"""The criterion that settings name, for a robot as it is believed to be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.objective.condition_criteria import (
    ConditionCriterion,
    Criterion,
    DeterminantCriterion,
    NormalisedConditionCriterion,
)
from spacerobot_id.excitation.objective.deviation_criterion import (
    DeviationCriterion,
    standard_deviations,
)
from spacerobot_id.excitation.planner_settings import CriterionName, PlanCriterionSettings
from spacerobot_id.methods.information.motion_information import (
    InformationSource,
    parameter_scale,
)


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


def make_criterion(
    settings: PlanCriterionSettings, source: InformationSource, known: Known | None = None
) -> Criterion:
    """Return a criterion.

    Parameters
    ----------
    settings : PlanCriterionSettings
        Which, and its weights.
    source : InformationSource
        Parameters, and the robot that deviations are relative to.
    known : Known, optional
        What is known already; the deviation criterion adds it to what a motion shows.

    Raises
    ------
    PlanningError
        If a parameter of interest is unknown; names it.
    """
    if settings.name is CriterionName.DEVIATION:
        return DeviationCriterion(
            source.scale,
            interest(settings.of_interest, source.names),
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
    source: InformationSource, known: Known, relative_std: float, of_interest: tuple[str, ...] = ()
) -> bool:
    """Return whether every parameter of interest is known better than is wanted.

    Parameters
    ----------
    source : InformationSource
        Parameters of the robot.
    known : Known
        Estimates and their information.
    relative_std : float
        Standard deviation wanted, relative to the size of each parameter.
    of_interest : tuple of str
        Links or minimal parameters; all if empty.
    """
    std = standard_deviations(known.information)
    counts = interest(of_interest, source.names) > 0.0
    return bool(
        np.all((std <= relative_std * parameter_scale(source.units, known.values))[counts])
    )


def interest(of_interest: tuple[str, ...], names: tuple[str, ...]) -> NDArray[np.float64]:
    """Return 1 for every parameter that counts, 0 for others, shape (p,).

    Parameters
    ----------
    of_interest : tuple of str
        Names of links or parameters; all count if empty.
    names : tuple of str
        Names of the p parameters.
    """
    links = [name.rpartition('.')[0] for name in names]
    for name in of_interest:
        if name not in names and name not in links:
            raise PlanningError(f'{name}: of interest, but no link and no minimal parameter')
    if not of_interest:
        return np.ones(len(names))
    return np.array(
        [
            float(name in of_interest or link in of_interest)
            for name, link in zip(names, links, strict=True)
        ]
    )

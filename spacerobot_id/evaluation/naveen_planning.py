"""The three steps of papers/000 section 5.1 from scratch, by this package's planner."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.evaluation.naveen_excitation import curves_on
from spacerobot_id.evaluation.naveen_published import PublishedNaveen
from spacerobot_id.excitation import (
    CriterionName,
    FamilyName,
    IntervalCurves,
    plan_excitation,
    PlanCriterionSettings,
    PlannerSettings,
)
from spacerobot_id.model import RobotModel


@dataclass(frozen=True, eq=False)
class ThreeSteps:
    """A motion that all three steps made.

    Parameters
    ----------
    seed : int
        Seed of the draws that the search starts from.
    kept : int
        Intervals that pruning left.
    cost : float
        Cost of Eq. 32 on the offset parameters.
    curves : IntervalCurves
        Of the kept intervals, on the true robot.
    start, reach : ndarray, shape (9,)
        Seeds that the search found for joints and wheels, rad.
    """

    seed: int
    kept: int
    cost: float
    curves: IntervalCurves
    start: NDArray[np.float64]
    reach: NDArray[np.float64]

    @property
    def condition(self) -> float:
        """Condition number on the true robot."""
        return float(self.curves.together_condition[-1])


def three_steps(
    published: PublishedNaveen, true: RobotModel, prior: RobotModel, seed: int, restarts: int
) -> ThreeSteps:
    """Optimise all combinations, prune, optimise those that stay; judged on the true robot.

    Parameters
    ----------
    published : PublishedNaveen
        ``u_max`` and ``delta``.
    true, prior : RobotModel
        Robot, and what is told of it.
    seed : int
        Seed of the draws.
    restarts : int
        How many of the best draws are followed downhill in each step.
    """
    settings = PlannerSettings(
        family=FamilyName.SEEDS,
        criterion=PlanCriterionSettings(name=CriterionName.CONDITION_AND_SIGNAL),
        interval=1.0,
        u_max=published.u_max,
        delta=published.delta,
        restarts=restarts,
        seed=seed,
    )
    anywhere = np.full(len(prior.joints) + len(prior.wheels), np.nan)
    planned = plan_excitation(prior, anywhere, settings)
    curves = curves_on(true, planned.plan, published.delta)
    knots = planned.plan.knots  # each actuator goes to and fro between two places
    return ThreeSteps(
        seed,
        len(curves.together_condition),
        planned.cost,
        curves,
        start=knots.min(axis=0),
        reach=np.ptp(knots, axis=0),
    )

"""Exciting motion of [Naveen 2024]: seeds, combinations, Algorithm 1, and all three steps."""

from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.family.cycloid_family import (
    CombinationOrder,
    direction_combinations,
)
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.excitation.family.seed_family import knots_from_seeds
from spacerobot_id.excitation.planner import plan_excitation
from spacerobot_id.excitation.planner_settings import (
    CriterionName,
    PlanCriterionSettings,
    PlannerSettings,
)
from spacerobot_id.excitation.pruning import (
    interval_curves,
    interval_regressors,
    IntervalCurves,
    prune_intervals,
    PruningRule,
)
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.regressor import minimal_parameters
from spacerobot_id.whole_file import write_csv

PRUNING = PlannerSettings()
"""The settings of Algorithm 1, which are those of the planner."""

_PER_INTERVAL = 10
"""Samples of each second that pruning looks at: more rows than parameters in every interval."""


@dataclass(frozen=True, eq=False)
class PrunedMotion:
    """What Algorithm 1 leaves of all combinations.

    Parameters
    ----------
    name : str
        The order of the combinations, or how they were found.
    plan : ExcitationPlan
        Intervals that stay, joined.
    curves : IntervalCurves
        Of the intervals that stay, on the true robot.
    combinations : int
        Number of intervals before.
    kept_as_printed : int, optional
        Intervals that stay when every line is applied as printed.
    cost : float
        Cost of Eq. 32 on the offset parameters, of motions that were searched for.
    """

    name: str
    plan: ExcitationPlan
    curves: IntervalCurves
    combinations: int = 256
    kept_as_printed: int | None = None
    cost: float = np.nan

    @property
    def kept(self) -> int:
        """Number of intervals that stay."""
        return len(self.plan.durations)

    @property
    def condition(self) -> float:
        """Condition number on the true robot."""
        return float(self.curves.together_condition[-1])


def paper_order() -> NDArray[np.int8]:
    """Return all combinations in the order of a single change after each interval."""
    return direction_combinations(9, CombinationOrder.GRAY, first_fixed=True)


def author_order(paper: Paper) -> NDArray[np.int8]:
    """Return all combinations in the order of the author's work: joints take given columns."""
    columns = paper.array('columns').astype(int) - 1
    binary = direction_combinations(9, CombinationOrder.BINARY, first_fixed=True)
    return binary[:, [*columns, *range(len(columns), 9)]]


def flown_plan(paper: Paper, model: RobotModel) -> ExcitationPlan:
    """Return intervals of Table 4's motion that agree with what is printed of Table 5's."""
    chosen = [np.arange(first - 1, last) for first, last in paper.array('flown').astype(int)]
    return seeded_plan(paper, model, author_order(paper)[np.concatenate(chosen)])


def author_robot(paper: Paper, model: RobotModel) -> RobotModel:
    """Return the robot of the author's work: wheels are bodies beside the base's own mass.

    Parameters
    ----------
    paper : Paper
        What is known of the wheels.
    model : RobotModel
        Robot as it is printed.
    """
    spin, mass = paper.number('wheel_spin'), paper.number('wheel_mass')
    axes, (across, along) = paper.array('wheel_axes'), paper.array('wheel_inertia')
    wheels = [
        replace(wheel, axis=axis, spin_inertia=spin, max_momentum=2.0 * wheel.max_momentum)
        for wheel, axis in zip(model.wheels, axes, strict=True)
    ]
    parameters, place = model.parameters.copy(), paper.array('wheel_place')
    for axis in axes:
        inertia = across * np.eye(3) + (along - across) * np.outer(axis, axis)
        parameters[:10] += InertialParameters.from_com(mass, place, inertia).vector
    return replace(model, wheels=wheels).with_parameters(parameters)


def likely_orders(paper: Paper) -> dict[str, NDArray[np.int8]]:
    """Return all combinations in several orders, by name, that of the author's work first."""
    return {
        "binary, columns of the author's work": author_order(paper),
        'joint 1 fixed, Gray': paper_order(),
        'joint 1 fixed, binary': direction_combinations(
            9, CombinationOrder.BINARY, first_fixed=True
        ),
        'joint 1 fixed, Gray, last turns first': paper_order()[:, [0, *range(8, 0, -1)]],
        'wheel 3 fixed, Gray': direction_combinations(9),
        'wheel 3 fixed, binary': direction_combinations(9, CombinationOrder.BINARY),
    }


def pruned_motion(
    paper: Paper,
    true: RobotModel,
    prior: RobotModel,
    name: str,
    directions: NDArray[np.int8],
) -> PrunedMotion:
    """Return what Algorithm 1 leaves, judged on the prior, and its curves on the true robot.

    Parameters
    ----------
    paper : Paper
        Seeds of Table 4.
    true, prior : RobotModel
        Robot, and the prior model of it.
    name : str
        Name of the order.
    directions : ndarray, shape (256, 9)
        All combinations.
    """
    settings = PRUNING.u_max, PRUNING.delta
    judged = _regressors(prior, seeded_plan(paper, prior, directions))
    plan = seeded_plan(paper, prior, directions[prune_intervals(judged, *settings)])
    as_printed = prune_intervals(judged, *settings, rule=PruningRule.PRINTED)
    return PrunedMotion(name, plan, curves_on(true, plan), len(directions), len(as_printed))


def curves_on(model: RobotModel, plan: ExcitationPlan) -> IntervalCurves:
    """Return the curves of Figure 4 of a plan, executed by a robot."""
    return interval_curves(_regressors(model, plan), PRUNING.delta)


def seeded_plan(paper: Paper, model: RobotModel, directions: NDArray[np.int8]) -> ExcitationPlan:
    """Return the motion of Table 4 with given directions, a second for each (Eqs. 30, 31)."""
    wheels = np.ones(len(model.wheels))
    start = np.concatenate([np.deg2rad(paper.array('start_deg')), 0.0 * wheels])
    reach = np.deg2rad(paper.array('range_deg'))
    reach = np.concatenate([reach, paper.number('wheel_range') * wheels])
    return ExcitationPlan(
        names=model.joint_names + model.wheel_names,
        knots=knots_from_seeds(start, reach, directions),
        durations=np.ones(len(directions)),
    )


def seeds_of(knots: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the seeds of a motion (Eqs. 30, 31): starts, and ranges of a single interval.

    Parameters
    ----------
    knots : ndarray, shape (K + 1, m)
        Positions at the ends of the intervals, rad.
    """
    return knots[0], np.abs(np.diff(knots, axis=0)).mean(axis=0)


def write_interval_curves(path: Path, curves: IntervalCurves) -> None:
    """Write the curves of Figure 4 as a table, a row for each interval.

    Parameters
    ----------
    path : Path
        File to write, in a folder that is made if it is not there.
    curves : IntervalCurves
        What to write.
    """
    names = [field.name for field in fields(curves)]
    columns = [getattr(curves, name) for name in names]
    numbers = range(1, len(columns[0]) + 1)
    write_csv(path, [['interval', *names], *zip(numbers, *columns, strict=True)])


def _regressors(model: RobotModel, plan: ExcitationPlan) -> NDArray[np.float64]:
    """Return the regressor of a plan, interval by interval."""
    return interval_regressors(model, minimal_parameters(model), plan, _PER_INTERVAL)


def three_steps(true: RobotModel, prior: RobotModel, seed: int, restarts: int) -> PrunedMotion:
    """Optimise all combinations, prune, optimise those that stay; judged on the true robot.

    Parameters
    ----------
    true, prior : RobotModel
        Robot, and the prior model of it.
    seed : int
        Seed of the draws.
    restarts : int
        How many of the best draws are followed downhill in each step.
    """
    settings = PlannerSettings(
        family=FamilyName.SEEDS,
        criterion=PlanCriterionSettings(name=CriterionName.CONDITION_AND_SIGNAL),
        interval=1.0,
        restarts=restarts,
        seed=seed,
    )
    anywhere = np.full(len(prior.joints) + len(prior.wheels), np.nan)
    planned = plan_excitation(prior, anywhere, settings)
    name, plan = f'three steps from scratch, draw {seed}', planned.plan
    return PrunedMotion(name, plan, curves_on(true, plan), cost=planned.cost)

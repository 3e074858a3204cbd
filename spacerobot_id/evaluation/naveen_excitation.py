"""The exciting motion of papers/000: Table 4's seeds, all combinations, Algorithm 1, Figure 4."""

import csv
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.evaluation.naveen_published import PublishedNaveen
from spacerobot_id.excitation import (
    CombinationOrder,
    direction_combinations,
    ExcitationPlan,
    interval_curves,
    interval_regressors,
    IntervalCurves,
    knots_from_seeds,
    prune_intervals,
    PruningRule,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import minimal_parameters

_PER_INTERVAL = 10
"""Samples of each second that pruning looks at: more rows than parameters in every interval."""


@dataclass(frozen=True, eq=False)
class PrunedMotion:
    """What Algorithm 1 leaves of all combinations in one order.

    Parameters
    ----------
    name : str
        The order.
    combinations : int
        Number of intervals before.
    plan : ExcitationPlan
        Intervals that stay, joined.
    kept_as_printed : int
        Intervals that stay when every line counts as printed.
    curves : IntervalCurves
        Of the intervals that stay, on the true robot.
    """

    name: str
    combinations: int
    plan: ExcitationPlan
    kept_as_printed: int
    curves: IntervalCurves

    @property
    def kept(self) -> int:
        """Number of intervals that stay."""
        return len(self.plan.durations)


def paper_order() -> NDArray[np.int8]:
    """Return all combinations in the order whose counts are those of the paper."""
    return direction_combinations(9, CombinationOrder.GRAY, first_fixed=True)


def likely_orders() -> dict[str, NDArray[np.int8]]:
    """Return all combinations in several orders, by name, that of the paper's counts first."""
    return {
        'joint 1 fixed, Gray': paper_order(),
        'joint 1 fixed, binary': direction_combinations(
            9, CombinationOrder.BINARY, first_fixed=True
        ),
        'joint 1 fixed, Gray, last turns first': paper_order()[:, [0, *range(8, 0, -1)]],
        'wheel 3 fixed, Gray': direction_combinations(9),
        'wheel 3 fixed, binary': direction_combinations(9, CombinationOrder.BINARY),
    }


def pruned_motion(
    published: PublishedNaveen,
    true: RobotModel,
    prior: RobotModel,
    name: str,
    directions: NDArray[np.int8],
) -> PrunedMotion:
    """Return what Algorithm 1 leaves, judged on the prior, and its curves on the true robot.

    Parameters
    ----------
    published : PublishedNaveen
        Seeds, ``u_max`` and ``delta``.
    true, prior : RobotModel
        Robot, and what is told of it.
    name : str
        Name of the order.
    directions : ndarray, shape (256, 9)
        All combinations.
    """
    settings = published.u_max, published.delta
    judged = _regressors(prior, seeded_plan(published, prior, directions))
    plan = seeded_plan(published, prior, directions[prune_intervals(judged, *settings)])
    return PrunedMotion(
        name,
        len(directions),
        plan,
        len(prune_intervals(judged, *settings, rule=PruningRule.PRINTED)),
        curves_on(true, plan, published.delta),
    )


def curves_on(model: RobotModel, plan: ExcitationPlan, delta: float) -> IntervalCurves:
    """Return the curves of Figure 4 of a plan, executed by a robot."""
    return interval_curves(_regressors(model, plan), delta)


def seeded_plan(
    published: PublishedNaveen, model: RobotModel, directions: NDArray[np.int8]
) -> ExcitationPlan:
    """Return the motion of Table 4 with given directions, a second for each (Eqs. 30, 31)."""
    return ExcitationPlan(
        names=model.joint_names + model.wheel_names,
        knots=knots_from_seeds(published.start, published.reach, directions),
        durations=np.ones(len(directions)),
    )


def first_intervals(plan: ExcitationPlan, count: int) -> ExcitationPlan:
    """Return the beginning of a plan, all of it if it has no more."""
    return ExcitationPlan(plan.names, plan.knots[: count + 1], plan.durations[:count])


def write_interval_curves(path: Path, curves: IntervalCurves) -> None:
    """Write the curves of Figure 4 as a table, a row for each interval.

    Parameters
    ----------
    path : Path
        File to write, in a folder that is made if it is not there.
    curves : IntervalCurves
        What to write.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    names = [field.name for field in fields(curves)]
    columns = [getattr(curves, name) for name in names]
    with path.open('w', encoding='utf-8', newline='') as table:
        writer = csv.writer(table)
        writer.writerow(['interval', *names])
        writer.writerows(zip(range(1, len(columns[0]) + 1), *columns, strict=True))


def _regressors(model: RobotModel, plan: ExcitationPlan) -> NDArray[np.float64]:
    """Return the regressor of a plan, interval by interval."""
    return interval_regressors(model, minimal_parameters(model), plan, _PER_INTERVAL)

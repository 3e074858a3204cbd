"""What the planner's thread is to do: plan, plan on from an estimate, or take a file."""

from collections.abc import Callable

import numpy as np

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import (
    Known,
    known_well_enough,
    KnownMomentum,
    plan_excitation,
    plan_from_file,
    plan_with_momentum,
    PlannedExcitation,
)
from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.model import RobotModel

Job = Callable[[Callable[[int, float], bool]], PlannedExcitation]
"""Makes a plan; is given a function to tell its progress to, which says whether to stop."""


def planning_job(
    model: RobotModel,
    present: np.ndarray,
    attitude: tuple[float, ...],
    settings: PlannerNodeSettings,
    known: Known | None = None,
) -> Job:
    """Return the work that gives a plan.

    Parameters
    ----------
    model : RobotModel
        Prior model of the robot.
    present : ndarray, shape (m,)
        Where joints and wheels are.
    attitude : tuple of 4 floats
        Quaternion x y z w of the base, which counts where there is momentum.
    settings : PlannerNodeSettings
        Parameters of the node.
    known : Known, optional
        What the estimator knows.
    """
    search = settings.search()
    momentum = None
    if settings.method != 'momentum':
        momentum = KnownMomentum(settings.known_angular_momentum, attitude, settings.trust_zeros)
    if settings.plan_file:
        path = settings.plan_file
        return lambda _: plan_from_file(model, present, path, search, known, momentum)
    if momentum is not None:
        return lambda progress: plan_with_momentum(model, present, search, momentum, progress)
    wanted, interest = settings.wanted_std, search.criterion.of_interest
    if known is not None and wanted and known_well_enough(model, known, wanted, interest):
        raise PlanningError(
            f'nothing to do: every parameter of interest is known to {100.0 * wanted:g} %'
        )
    return lambda progress: plan_excitation(model, present, search, progress, known)

"""What the planner's thread is to do: plan, plan on from an estimate, or take a file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from spacerobot_id.exceptions import ConfigurationError, PlanningError
from spacerobot_id.excitation import (
    Known,
    known_well_enough,
    KnownMomentum,
    load_plan,
    plan_excitation,
    plan_from_file,
    plan_with_momentum,
    PlannedExcitation,
)
from spacerobot_id.excitation.criteria import interest
from spacerobot_id.excitation.keep_in_box import KeepInBoxLimit
from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import minimal_parameters

Job = Callable[[Callable[[int, float], bool]], PlannedExcitation]
"""Makes a plan; is given a function to tell its progress to, which says whether to stop."""


def check_mission(model: RobotModel, settings: PlannerNodeSettings) -> None:
    """Raise if a robot has not what the parameters of the planner name, before it is to plan.

    Parameters
    ----------
    model : RobotModel
        Prior model of the robot.
    settings : PlannerNodeSettings
        Parameters of the node.

    Raises
    ------
    ConfigurationError
        If a frame or what is of interest is unknown, a box has no room, or the plan's file is
        none; names the parameter.
    """
    search = settings.search()
    with _blaming('keep_in_frame'):
        for box in search.limits.keep_in:
            KeepInBoxLimit(model, box)
    with _blaming('of_interest'):
        interest(search.criterion.of_interest, minimal_parameters(model))
    if settings.plan_file:
        with _blaming('plan_file'):
            load_plan(settings.plan_file)


@contextmanager
def _blaming(parameter: str) -> Iterator[None]:
    """Let a parameter be named in errors of planning."""
    try:
        yield
    except PlanningError as error:
        raise ConfigurationError(f'{parameter}: {error}') from error


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

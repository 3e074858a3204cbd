"""A plan out of a file, with an approach to its start, checked against every limit again."""

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.constraint.limit_set import ROUNDING
from spacerobot_id.excitation.constraint.motion_limit import LimitUse
from spacerobot_id.excitation.objective.choice import Known
from spacerobot_id.excitation.planner import held_against, PlannedExcitation
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.task import (
    LOOKS_PER_INTERVAL,
    planning_task,
    PlanningTask,
    SourceMaker,
)
from spacerobot_id.excitation.trajectory.approach import with_approach
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.excitation.trajectory.plan_file import load_plan
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum

_LOOKS = 5000
"""How often in a motion without intervals limits are looked at."""

_SLOWNESSES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""How slow an approach may be so that it keeps limits beside those of joints and wheels."""


def plan_from_file(
    model: RobotModel,
    present: ArrayLike | None,
    path: str | Path,
    settings: PlannerSettings,
    known: Known | None = None,
    *,
    method: str | SourceMaker = 'momentum',
    momentum: KnownMomentum | None = None,
) -> PlannedExcitation:
    """Return the plan of a file, with cycloids before it that lead to its start.

    Parameters
    ----------
    model, present, known, method, momentum
        As for ``plan_excitation``; a motion of the base starts from where the base is.
    path : str or Path
        File; its joints and wheels may be in any order.
    settings : PlannerSettings
        Limits beside those of the robot, and how far beyond them a joint may be now.

    Returns
    -------
    PlannedExcitation
        Motion, its limits, and what it promises of the method's parameters.

    Raises
    ------
    PlanningError
        If the file is no plan, is one for other actuators, or breaks a limit; named.
    """
    task = planning_task(model, present, settings, known, method, momentum)
    task = task.with_drawn_robots(np.random.default_rng(settings.seed))
    motion = load_plan(path)
    if sorted(motion.names) != sorted(task.names):
        raise PlanningError(
            f'{path}: moves {", ".join(motion.names)}, {model.name} has {", ".join(task.names)}'
        )
    approached, uses = _with_approach_of(task, motion.reordered(task.names))
    if uses[0].share > 1.0 + ROUNDING:
        raise PlanningError(
            f'{path}: {uses[0].name}: the plan uses {uses[0].share:.3g} times this limit'
        )
    return held_against(task, approached, uses)


def _with_approach_of(
    task: PlanningTask, motion: ExcitingMotion
) -> tuple[ExcitingMotion, tuple[LimitUse, ...]]:
    """Return a motion with an approach as slow as limits need, and how close it comes to them."""
    step = motion.duration / _LOOKS
    if task.base is None:  # seen from where the base is
        motion = motion.moved(-motion.sample([0.0]).position[0])
        return motion, task.uses(motion, step)
    for slowness in _SLOWNESSES:
        approached = with_approach(task.model, task.start, motion, slowness)
        if isinstance(approached, ExcitationPlan):
            step = float(approached.durations.min()) / LOOKS_PER_INTERVAL
        uses = task.uses(approached, step)
        if uses[0].share <= 1.0 + ROUNDING or approached.duration == motion.duration:
            break
    return approached, uses

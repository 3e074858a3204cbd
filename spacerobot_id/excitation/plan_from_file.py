"""A plan out of a file, led to from where the robot is, and held against every limit again."""

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.actuator_limits import actuator_limits
from spacerobot_id.excitation.approach import with_approach
from spacerobot_id.excitation.limit_set import limit_use, ROUNDING, with_start_allowed
from spacerobot_id.excitation.motion import ExcitingMotion
from spacerobot_id.excitation.plan import ExcitationPlan
from spacerobot_id.excitation.plan_file import load_plan
from spacerobot_id.excitation.planner import LOOKS_PER_INTERVAL, PlannedExcitation, promised_std
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.planning_checks import checked_start
from spacerobot_id.model import RobotModel

_LOOKS = 5000
"""How often in a motion without intervals limits are looked at."""

_AT_START = 1e-9
"""Distance from its start at which a motion needs no approach, rad or m."""


def plan_from_file(
    model: RobotModel, present: ArrayLike, path: str | Path, settings: PlannerSettings
) -> PlannedExcitation:
    """Return the plan of a file, with intervals before it that lead to its start.

    Parameters
    ----------
    model : RobotModel
        Prior model of the robot.
    present : array_like, shape (n + w,)
        Positions of joints and wheels, rad or m, all at rest.
    path : str or Path
        File; its joints and wheels may be in any order.
    settings : PlannerSettings
        Limits beside those of the robot, and how far beyond them a joint may be now.

    Raises
    ------
    PlanningError
        If the file is no plan, is one for other joints and wheels, or breaks a limit; named.
    """
    start = checked_start(model, present, settings.start_tolerance)
    motion = _of_robot(model, load_plan(path), str(path))
    place = motion.sample([0.0]).position[0]
    joints = len(model.joints)
    if np.abs(place - start)[:joints].max() > _AT_START or (place != start)[joints:].any():
        if not isinstance(motion, ExcitationPlan):
            raise PlanningError(
                f'{path}: joints and wheels must be where the motion starts: {place.tolist()}'
            )
        motion = with_approach(model, start, motion)
    limits = with_start_allowed(actuator_limits(model), start)
    step = motion.duration / _LOOKS
    if isinstance(motion, ExcitationPlan):
        step = float(motion.durations.min()) / LOOKS_PER_INTERVAL
    uses = limit_use(model, settings.limits, limits, motion, step)
    if uses[0].share > 1.0 + ROUNDING:
        raise PlanningError(
            f'{path}: {uses[0].name}: the plan uses {uses[0].share:.3g} times this limit'
        )
    return PlannedExcitation(motion, np.nan, 0, uses, promised_std(model, motion))


def _of_robot(model: RobotModel, motion: ExcitingMotion, source: str) -> ExcitingMotion:
    """Return a motion with its actuators in the order of the robot's."""
    names = model.joint_names + model.wheel_names
    if sorted(motion.names) != sorted(names):
        raise PlanningError(
            f'{source}: moves {", ".join(motion.names)}, {model.name} has {", ".join(names)}'
        )
    if motion.names == names:
        return motion
    if not isinstance(motion, ExcitationPlan):
        raise PlanningError(f'{source}: names: must be in the order {", ".join(names)}')
    columns = [motion.names.index(name) for name in names]
    return ExcitationPlan(names, motion.knots[:, columns], motion.durations)

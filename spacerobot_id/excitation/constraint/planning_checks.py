"""What is refused before a search: robots, limits and starts without any motion."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import ConfigurationError, PlanningError
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.search_parameters import SearchParameters
from spacerobot_id.excitation.trajectory.cycloids import largest_range
from spacerobot_id.model import JointLimits, RobotModel
from spacerobot_id.settings import check_fields


def check_settings(settings: PlannerSettings) -> None:
    """Raise ConfigurationError if a setting is out of its range; names it.

    Parameters
    ----------
    settings : PlannerSettings
        Settings of the planner.
    """
    for part in (settings, settings.criterion, settings.limits):
        check_fields(part, SearchParameters)
    for name in ('base_rate', 'base_excursion'):
        if not getattr(settings.limits, name) > 0.0:
            raise ConfigurationError(f'{name}: must be above zero')


def checked_start(
    model: RobotModel, present: ArrayLike | None, tolerance: float
) -> NDArray[np.float64]:
    """Return where a motion starts; NaN where a search may choose.

    Parameters
    ----------
    model : RobotModel
        Robot.
    present : array_like, shape (n + w,)
        Positions of joints, then wheels.
    tolerance : float
        How far beyond its limits a joint may be, rad or m.

    Raises
    ------
    PlanningError
        If there is nothing to plan with, or a joint is outside its limits; names it.
    """
    if not (model.joints or model.wheels):
        raise PlanningError(
            f'{model.name}: has neither joints nor reaction wheels to move; the method free_flyer '
            'is for a base that moves itself'
        )
    start = np.array(present, dtype=float)
    actuators = model.joint_names + model.wheel_names
    if start.shape != (len(actuators),) or np.isinf(start).any():
        raise PlanningError(f'present positions of {", ".join(actuators)} needed, got {present}')
    for joint, position in zip(model.joints, start.tolist(), strict=False):
        beyond = max(joint.limits.lower - position, position - joint.limits.upper)
        if beyond > tolerance:
            raise PlanningError(f'{joint.name}: is at {position:.4g}, outside its limits')
    return start


def check_limits(
    model: RobotModel, names: Sequence[str], limits: Sequence[JointLimits], intervals: int
) -> None:
    """Raise if a limit is missing that a plan needs, or leaves no motion; names the actuator.

    Parameters
    ----------
    model : RobotModel
        Robot.
    names : sequence of str
        What moves: joints, then wheels, or coordinates of the base.
    limits : sequence of JointLimits
        Their limits.
    intervals : int
        Number of intervals.
    """
    if intervals < 1:
        raise PlanningError(f'at least one interval is needed, got {intervals}')
    for wheel in model.wheels:
        if wheel.name in names and not np.isfinite(wheel.rate_limit):
            raise PlanningError(f'{wheel.name}: needs a rate or momentum limit to plan with')
    for joint in model.joints:
        if joint.name in names and not joint.limits.effort > 0.0:
            raise PlanningError(f'{joint.name}: its effort limit is zero, which moves nothing')
    for name, limit in zip(names, limits, strict=True):
        reach = largest_range(limit, 1.0)
        if not np.isfinite(reach):
            raise PlanningError(f'{name}: needs a velocity or acceleration limit to plan with')
        if not limit.lower < limit.upper or reach <= 0.0:
            raise PlanningError(f'{name}: its limits leave no motion ({limit})')

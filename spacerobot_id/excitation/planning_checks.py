"""What is refused before a search: robots, limits and starts without any motion."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import ConfigurationError, PlanningError
from spacerobot_id.excitation.known_momentum import KnownMomentum
from spacerobot_id.excitation.limit_set import LimitSettings
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.search_parameters import SearchParameters
from spacerobot_id.excitation.seed_parameters import largest_range
from spacerobot_id.model import JointLimits, RobotModel
from spacerobot_id.settings import check_fields


def check_settings(settings: PlannerSettings) -> None:
    """Raise ConfigurationError if a setting is out of its range; names it.

    Parameters
    ----------
    settings : PlannerSettings
        What the planner is told.
    """
    for part in (settings, settings.criterion, settings.limits):
        check_fields(part, SearchParameters)
    for name in ('base_rate', 'base_excursion'):
        if not getattr(settings.limits, name) > 0.0:
            raise ConfigurationError(f'{name}: must be above zero')


def checked_start(model: RobotModel, present: ArrayLike, tolerance: float) -> NDArray[np.float64]:
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
    if not model.joints:
        raise PlanningError(f'{model.name}: has no joints to move')
    start = np.array(present, dtype=float)
    actuators = model.joint_names + model.wheel_names
    if start.shape != (len(actuators),) or np.isinf(start).any():
        raise PlanningError(f'present positions of {", ".join(actuators)} needed, got {present}')
    for joint, position in zip(model.joints, start.tolist(), strict=False):
        beyond = max(joint.limits.lower - position, position - joint.limits.upper)
        if beyond > tolerance:
            raise PlanningError(f'{joint.name}: is at {position:.4g}, outside its limits')
    return start


def check_wheels(model: RobotModel) -> None:
    """Raise if a robot has no wheels: at rest, their momentum gives the parameters a scale."""
    if not model.wheels:
        raise PlanningError(
            f'{model.name}: has no reaction wheels; at zero momentum the scale of all '
            f'parameters cannot be seen without a known wheel momentum'
        )


def check_momentum(model: RobotModel, momentum: KnownMomentum, limits: LimitSettings) -> None:
    """Raise if an angular momentum cannot be planned with; says why.

    Parameters
    ----------
    model : RobotModel
        Robot.
    momentum : KnownMomentum
        Its angular momentum.
    limits : LimitSettings
        Limits beside those of its description.
    """
    if not model.wheels and not np.any(momentum.angular_momentum):
        raise PlanningError(
            'known_angular_momentum: at zero momentum, without wheels, the scale of all '
            'parameters cannot be seen'
        )
    if limits.planar:
        raise PlanningError('planar: no angular momentum is planned with on a table')


def check_limits(model: RobotModel, limits: Sequence[JointLimits], intervals: int) -> None:
    """Raise if a limit is missing that a plan needs, or leaves no motion; names the actuator.

    Parameters
    ----------
    model : RobotModel
        Robot.
    limits : sequence of JointLimits
        Of joints, then wheels.
    intervals : int
        Number of intervals.
    """
    if intervals < 1:
        raise PlanningError(f'at least one interval is needed, got {intervals}')
    for wheel in model.wheels:
        if not np.isfinite(wheel.rate_limit):
            raise PlanningError(f'{wheel.name}: needs a rate or momentum limit to plan with')
    for name, limit in zip(model.joint_names + model.wheel_names, limits, strict=True):
        reach = largest_range(limit, 1.0)
        if not np.isfinite(reach):
            raise PlanningError(f'{name}: needs a velocity or acceleration limit to plan with')
        if not limit.lower < limit.upper or reach <= 0.0:
            raise PlanningError(f'{name}: its limits leave no motion ({limit})')

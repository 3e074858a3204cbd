"""Planning for angular momentum alone: from where the joints are, within every limit."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.actuator_limits import actuator_limits
from spacerobot_id.excitation.angular_momentum_plan import AngularMomentumSearch
from spacerobot_id.excitation.fourier_quintic import FourierQuintic, FourierQuinticFamily
from spacerobot_id.excitation.known_momentum import KnownMomentum
from spacerobot_id.excitation.limit_set import (
    limit_set,
    limit_use,
    ROUNDING,
    with_start_allowed,
)
from spacerobot_id.excitation.motion_limit import LimitUse
from spacerobot_id.excitation.motion_search import Progress, SearchEffort
from spacerobot_id.excitation.planner import PlannedExcitation
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.planning_checks import (
    check_limits,
    check_momentum,
    check_settings,
    checked_start,
)
from spacerobot_id.model import RobotModel

_DURATION = 30.0
"""Duration of a motion if none is asked for, s: that of papers/004."""

_LOOKS = 200
"""Samples at which other limits are looked at while the motion is sought."""

_HALVINGS = 12
"""Times that the share of a motion that keeps every limit is looked for more closely."""

_PENALTY = 100.0
"""Weight of what is beyond them, as squares of shares."""


def plan_with_momentum(
    model: RobotModel,
    present: ArrayLike,
    settings: PlannerSettings,
    momentum: KnownMomentum,
    progress: Progress | None = None,
) -> PlannedExcitation:
    """Plan an exciting motion of a robot that turns with a known angular momentum.

    Motions are Fourier series with a quintic, from where the joints are and back there. What the
    planner may choose of families and criteria has no part; duration, harmonics, effort, seed and
    limits do.

    Parameters
    ----------
    model : RobotModel
        Prior model of the robot, with wheels or without.
    present : array_like, shape (n + w,)
        Positions of joints (rad or m), then wheels (rad), at rest against the base.
    settings : PlannerSettings
        What the planner may choose.
    momentum : KnownMomentum
        Angular momentum, attitude at the start, and what is known to be zero.
    progress : callable, optional
        Called after every evaluation; returning True ends the search with the best so far.

    Raises
    ------
    PlanningError
        If a limit leaves no motion, or nothing shows the scale of the parameters; says which.
    """
    check_settings(settings)
    start = _checked(model, present, settings, momentum)
    names = model.joint_names + model.wheel_names
    family = FourierQuinticFamily(
        names, settings.duration or _DURATION, settings.harmonics, start, start
    )
    limits = with_start_allowed(actuator_limits(model), start)
    step = family.duration / _LOOKS
    times = (np.arange(_LOOKS) + 0.5) * step
    others = limit_set(model, settings.limits, limits, np.full(_LOOKS, step), momentum)

    def penalty(motion: FourierQuintic) -> float:
        return _PENALTY * others.penalty(motion.sample(times))

    search = AngularMomentumSearch(model, family, momentum, penalty, progress, limits)
    effort = SearchEffort(settings.draws, settings.restarts, settings.iterations)
    search.run(effort, settings.seed)
    if search.best is None:
        raise PlanningError('the search was stopped before a motion was found')

    def uses(motion: FourierQuintic) -> tuple[LimitUse, ...]:
        return limit_use(model, settings.limits, limits, motion, 0.25 * step, momentum)

    motion = _within(family, search.best, uses)
    std = search.std(motion)
    cost = float(np.exp(np.mean(np.log(std / search.scale))))
    return PlannedExcitation(motion, cost, search.evaluations, uses(motion), std)


def _within(
    family: FourierQuinticFamily,
    motion: FourierQuintic,
    uses: Callable[[FourierQuintic], tuple[LimitUse, ...]],
) -> FourierQuintic:
    """Return a motion that is shrunk about its start until it keeps every limit.

    The search pays for what is beyond limits other than the joints' own, but may leave a little.
    """
    parameters, least, most = family.parameters(motion), 0.0, 1.0
    if _is_kept(uses(motion)):
        return motion
    for _ in range(_HALVINGS):
        middle = 0.5 * (least + most)
        is_kept = _is_kept(uses(family.motion(middle * parameters)))
        least, most = (middle, most) if is_kept else (least, middle)
    if not least:
        name = uses(family.motion(0.0 * parameters))[0].name
        raise PlanningError(f'{name}: this limit is broken even when nothing moves')
    return family.motion(least * parameters)


def _is_kept(uses: tuple[LimitUse, ...]) -> bool:
    return not uses or uses[0].share <= 1.0 + ROUNDING


def _checked(
    model: RobotModel, present: ArrayLike, settings: PlannerSettings, momentum: KnownMomentum
) -> np.ndarray:
    """Return the positions to start from."""
    start = checked_start(model, present, settings.start_tolerance)
    if np.isnan(start).any():
        raise PlanningError('known_angular_momentum: all present positions are needed')
    check_momentum(model, momentum, settings.limits)
    check_limits(model, actuator_limits(model), 1)
    return start

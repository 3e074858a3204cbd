"""A plan out of a file, led to from where the robot is, and held against every limit again."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.actuator_limits import actuator_limits
from spacerobot_id.excitation.angular_momentum_plan import momentum_std
from spacerobot_id.excitation.approach import with_approach
from spacerobot_id.excitation.criteria import Known
from spacerobot_id.excitation.fourier_quintic import FourierQuintic
from spacerobot_id.excitation.known_momentum import KnownMomentum
from spacerobot_id.excitation.limit_set import limit_use, ROUNDING, with_start_allowed
from spacerobot_id.excitation.motion import ExcitingMotion
from spacerobot_id.excitation.motion_limit import LimitUse
from spacerobot_id.excitation.plan import ExcitationPlan
from spacerobot_id.excitation.plan_file import load_plan
from spacerobot_id.excitation.planner import LOOKS_PER_INTERVAL, PlannedExcitation, promised_std
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.planning_checks import (
    check_momentum,
    check_settings,
    check_wheels,
    checked_start,
)
from spacerobot_id.excitation.visibility import described
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import minimal_parameters

_LOOKS = 5000
"""How often in a motion without intervals limits are looked at."""

_SLOWNESSES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""How slow an approach may be so that it keeps limits beside those of joints and wheels."""


def plan_from_file(
    model: RobotModel,
    present: ArrayLike,
    path: str | Path,
    settings: PlannerSettings,
    known: Known | None = None,
    momentum: KnownMomentum | None = None,
) -> PlannedExcitation:
    """Return the plan of a file, with cycloids before it that lead to its start.

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
    known : Known, optional
        Estimates and their information, to predict with and to add to.
    momentum : KnownMomentum, optional
        Angular momentum that the robot turns with; it starts at rest if None.

    Returns
    -------
    PlannedExcitation
        Motion, its limits, and what it promises: of the minimal parameters, of the reduced ones
        if there is a momentum.

    Raises
    ------
    PlanningError
        If the file is no plan, is one for other joints and wheels, or breaks a limit; named.
    """
    check_settings(settings)
    start = checked_start(model, present, settings.start_tolerance)
    if momentum is None:
        check_wheels(model)
    else:
        check_momentum(model, momentum, settings.limits)
    motion = _of_robot(model, load_plan(path), str(path))
    minimal = minimal_parameters(model)
    if known is not None:
        model = known.robot(model, minimal)
    elif settings.limits.planar:
        known = described(model, minimal)
    led, uses = _led(model, start, motion, settings, momentum)
    if uses[0].share > 1.0 + ROUNDING:
        raise PlanningError(
            f'{path}: {uses[0].name}: the plan uses {uses[0].share:.3g} times this limit'
        )
    std = _std(model, led, known, momentum, planar=settings.limits.planar)
    return PlannedExcitation(led, np.nan, 0, uses, std)


def _led(
    model: RobotModel,
    start: NDArray[np.float64],
    motion: ExcitingMotion,
    settings: PlannerSettings,
    momentum: KnownMomentum | None,
) -> tuple[ExcitingMotion, tuple[LimitUse, ...]]:
    """Return a motion with an approach as slow as limits need, and how close it comes to them."""
    limits = with_start_allowed(actuator_limits(model), start)
    for slowness in _SLOWNESSES:
        led = with_approach(model, start, motion, slowness)
        step = motion.duration / _LOOKS
        if isinstance(led, ExcitationPlan):
            step = float(led.durations.min()) / LOOKS_PER_INTERVAL
        uses = limit_use(model, settings.limits, limits, led, step, momentum)
        if uses[0].share <= 1.0 + ROUNDING or led.duration == motion.duration:
            break
    return led, uses


def _std(
    model: RobotModel,
    motion: ExcitingMotion,
    known: Known | None,
    momentum: KnownMomentum | None,
    *,
    planar: bool,
) -> NDArray[np.float64]:
    """Return the standard deviations that a motion promises."""
    if momentum is not None:
        return momentum_std(model, motion, momentum)
    information = None if known is None else known.information
    return promised_std(model, motion, information, planar=planar)


def _of_robot(model: RobotModel, motion: ExcitingMotion, source: str) -> ExcitingMotion:
    """Return a motion with its actuators in the order of the robot's."""
    names = model.joint_names + model.wheel_names
    if sorted(motion.names) != sorted(names):
        raise PlanningError(
            f'{source}: moves {", ".join(motion.names)}, {model.name} has {", ".join(names)}'
        )
    order = [motion.names.index(name) for name in names]
    if isinstance(motion, ExcitationPlan):
        return replace(motion, names=names, knots=motion.knots[:, order])
    if isinstance(motion, FourierQuintic):
        rows = {key: getattr(motion, key)[order] for key in ('sines', 'cosines', 'start', 'end')}
        return replace(motion, names=names, **rows)
    columns = {key: getattr(motion, key)[..., order] for key in ('offset', 'sine', 'cosine')}
    return replace(motion, names=names, **columns)

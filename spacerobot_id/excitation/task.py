"""What is to be planned: what moves, from where, within which limits, and what it is to show."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import ConfigurationError, PlanningError
from spacerobot_id.excitation.constraint.limit_set import (
    actuator_limits,
    ActuatorLimits,
    limit_set,
    limit_use,
    LimitSet,
    with_start_allowed,
)
from spacerobot_id.excitation.constraint.motion_limit import LimitUse
from spacerobot_id.excitation.family.motion_family import FamilyName, name_of
from spacerobot_id.excitation.motion_search import interval_from_limits, whole_intervals
from spacerobot_id.excitation.objective.criteria import condition, standard_deviations
from spacerobot_id.excitation.objective.objective import draw_robot, Known
from spacerobot_id.excitation.planner_settings import PLAIN_CRITERIA, PlannerSettings
from spacerobot_id.excitation.search_parameters import SearchParameters
from spacerobot_id.excitation.trajectory.cycloids import largest_range
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.kinematics.pose_coordinates import POSE_COORDINATES
from spacerobot_id.methods.information import information_source, InformationSettings
from spacerobot_id.methods.information.motion_information import InformationSource
from spacerobot_id.model import JointLimits, RobotModel
from spacerobot_id.multibody.free_floating.planned_base import AT_REST, KnownMomentum, PlannedBase
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


SourceMaker = Callable[[RobotModel, InformationSettings], InformationSource]
"""What makes the source of information of a method for a robot."""

LOOKS_PER_INTERVAL = 80
"""How often in an interval limits are looked at at the end: 20 times as often as in the search."""

_TURNING_DURATION = 30.0
"""Duration of a Fourier motion with known momentum if none is asked for, s: [Christidi 2017]'s."""

_TURNING_LOOKS = 800
"""How often limits are looked at in a motion that is integrated."""

_PROMISE_SAMPLES = 2000
"""Samples of a motion that its promised standard deviations are summed up over."""


@dataclass(frozen=True, eq=False)
class PlanningTask:
    """One planning, without the search.

    Parameters
    ----------
    source : InformationSource
        What a motion shows, of the robot as it is believed to be.
    settings : PlannerSettings
        What the planner may choose; family, criterion, intervals and harmonics made definite.
    names : tuple of str
        Names of the m actuators: joints, then wheels, or the coordinates of the base.
    start : ndarray, shape (m,)
        Where they are; NaN where a search may choose.
    limits : list of JointLimits
        Limits of the actuators, wide enough for the start.
    interval : float
        Duration of an interval of cycloids, s.
    looks : float
        Largest time between the samples at which limits are looked at in the end, s.
    base : PlannedBase, optional
        How the base is predicted to move; None where it is what moves.
    known : ndarray, shape (p, p), optional
        Information that is there already.
    drawn : tuple of RobotModel
        Robots that the prior may stand for, planned for along with it.
    """

    source: InformationSource
    settings: PlannerSettings
    names: tuple[str, ...]
    start: NDArray[np.float64]
    limits: list[JointLimits]
    interval: float
    looks: float
    base: PlannedBase | None = None
    known: NDArray[np.float64] | None = None
    drawn: tuple[RobotModel, ...] = ()

    @property
    def model(self) -> RobotModel:
        """Robot to predict with."""
        return self.source.models[0]

    def limit_set(self, spacing: NDArray[np.float64]) -> LimitSet:
        """Return all limits, from the time that each sample stands for, shape (N,), s."""
        if self.base is None:
            return LimitSet([ActuatorLimits(self.names, self.limits)])
        drawn = [replace(self.base, model=robot) for robot in self.drawn]
        return limit_set(self.base, self.settings.limits, self.limits, spacing, drawn)

    def with_drawn_robots(self, rng: np.random.Generator) -> 'PlanningTask':
        """Return the same with as many robots drawn around the prior as the settings ask for."""
        settings = self.settings
        drawn = (
            draw_robot(self.model, settings.prior_spread, rng) for _ in range(settings.prior_draws)
        )
        return replace(self, drawn=tuple(drawn))

    def uses(self, motion: ExcitingMotion, step: float | None = None) -> tuple[LimitUse, ...]:
        """Return how close a motion comes to each limit, looked at densely, the closest first."""
        return limit_use(self.limit_set, motion, self.looks if step is None else step)

    def promise(self, motion: ExcitingMotion) -> 'Promise':
        """Return what a motion promises, what was known included."""
        shown = shown_by(self.source, motion)
        return Promise(shown, standard_deviations(shown, self.known), condition(shown))


@dataclass(frozen=True, eq=False)
class Promise:
    """What a fit along a motion would reach.

    Parameters
    ----------
    information : ndarray, shape (p, p)
        Of the motion alone.
    std : ndarray, shape (p,)
        Standard deviations, what was known included; infinite where something does not show.
    condition : float
        Condition number behind the information.
    """

    information: NDArray[np.float64]
    std: NDArray[np.float64]
    condition: float


def moved_names(source: InformationSource) -> tuple[str, ...]:
    """Return the names of what moves: joints, then wheels, or the coordinates of the base."""
    model = source.models[0]
    return POSE_COORDINATES if source.moves_base else model.joint_names + model.wheel_names


def shown_by(source: InformationSource, motion: ExcitingMotion) -> NDArray[np.float64]:
    """Return the information of a whole motion at the rate of the sensors, shape (p, p)."""
    weights = np.full(_PROMISE_SAMPLES, motion.duration / _PROMISE_SAMPLES)
    samples = motion.sample(np.cumsum(weights) - 0.5 * weights)
    return source.information(samples, weights).matrix


def planning_task(
    model: RobotModel,
    present: ArrayLike | None,
    settings: PlannerSettings,
    known: Known | None = None,
    method: str | SourceMaker = 'momentum',
    momentum: KnownMomentum | None = None,
) -> PlanningTask:
    """Return what is to be planned, everything checked; arguments as for ``plan_excitation``.

    Raises
    ------
    PlanningError, ConfigurationError
        If a setting is out of its range, a limit leaves no motion, or actuators are missing;
        names it.
    """
    check_settings(settings)
    make = partial(information_source, method) if isinstance(method, str) else method
    at_start = momentum or AT_REST
    given = settings.counted.of_method()
    if given.prior.known_mass:
        model = model.with_mass(given.prior.known_mass)
    source = make(model, InformationSettings(settings.limits.planar, at_start, given))
    if source.moves_base:
        return _task_of_base(source, settings, known)
    if not source.is_turning and momentum is not None and np.any(momentum.angular_momentum):
        raise PlanningError('known_angular_momentum: this method takes the robot to be at rest')
    return _task_of_joints(source, present, settings, known, at_start)


def _task_of_joints(
    source: InformationSource,
    present: ArrayLike | None,
    settings: PlannerSettings,
    known: Known | None,
    momentum: KnownMomentum,
) -> PlanningTask:
    """Return the task of joints and wheels."""
    model = source.models[0]
    judged = replace(source, is_weighted=settings.criterion.name not in PLAIN_CRITERIA)
    if judged.blind_spot:
        raise PlanningError(judged.blind_spot)
    start = checked_start(model, present, settings.start_tolerance)
    if source.is_turning and settings.limits.planar:
        raise PlanningError('planar: no angular momentum is planned with on a table')
    if source.is_turning and np.isnan(start).any():
        raise PlanningError('known_angular_momentum: all present positions are needed')
    limits = actuator_limits(model)
    settings, interval = _timed(settings, limits, is_turning=source.is_turning)
    if known is not None:
        source = replace(source, models=[source.robot(known.values)])
    information = source.known if known is None else known.information
    duration = settings.duration or settings.intervals * interval
    return PlanningTask(
        source,
        settings,
        moved_names(source),
        start,
        with_start_allowed(limits, start),
        interval,
        duration / _TURNING_LOOKS if source.is_turning else interval / LOOKS_PER_INTERVAL,
        PlannedBase(
            source.models[0], settings.limits.planar, momentum if source.is_turning else None
        ),
        information,
    )


def _timed(
    settings: PlannerSettings, limits: list[JointLimits], *, is_turning: bool
) -> tuple[PlannerSettings, float]:
    """Return settings of a definite family and number of intervals, and their duration, s."""
    if settings.family is FamilyName.AUTOMATIC:
        best = FamilyName.FOURIER_QUINTIC if is_turning else FamilyName.CYCLOIDS
        settings = replace(settings, family=best)
    is_cycloids = settings.family in (FamilyName.CYCLOIDS, FamilyName.SEEDS)
    if is_turning and not is_cycloids:
        settings = replace(settings, duration=settings.duration or _TURNING_DURATION)
    if settings.plateau and settings.family is not FamilyName.CYCLOIDS:
        raise PlanningError(f'plateau: is of cycloids, not of {name_of(settings.family)}')
    interval = settings.interval or interval_from_limits(limits, settings.plateau)
    if settings.duration:
        interval = min(interval, settings.duration)
        if is_cycloids:
            count = whole_intervals(settings.duration, interval)
            settings = replace(settings, intervals=count)
            interval = settings.duration / count
    return settings, interval


def _task_of_base(
    source: InformationSource, settings: PlannerSettings, known: Known | None
) -> PlanningTask:
    """Return the task of a base that moves itself, seen from where it starts."""
    base = settings.base
    limits, automatic = base.limits.of_coordinates(), settings.family is FamilyName.AUTOMATIC
    settings = replace(
        settings,
        family=FamilyName.PERIODIC_FOURIER if automatic else settings.family,
        criterion=base.criterion or settings.criterion,
        duration=base.period,
        harmonics=base.harmonics,
    )
    settings, interval = _timed(settings, limits, is_turning=False)
    return PlanningTask(
        source,
        settings,
        moved_names(source),
        np.zeros(len(POSE_COORDINATES)),
        limits,
        interval,
        interval / LOOKS_PER_INTERVAL,
        known=None if known is None else known.information,
    )

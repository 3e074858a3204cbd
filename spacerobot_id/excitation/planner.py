"""Planning an exciting motion: family, objective and limits put together and searched."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.constraint.limit_set import ROUNDING
from spacerobot_id.excitation.constraint.motion_limit import LimitUse
from spacerobot_id.excitation.family.motion_family import family_module, FamilyName, MotionFamily
from spacerobot_id.excitation.family.seed_family import seed_family
from spacerobot_id.excitation.motion_search import Found, MotionSearch, Progress, require
from spacerobot_id.excitation.objective.criteria import Criterion, DeviationCriterion
from spacerobot_id.excitation.objective.objective import (
    Known,
    make_criterion,
    Objective,
    shows_something,
    visible_parameters,
)
from spacerobot_id.excitation.planner_settings import CriterionName, PlannerSettings
from spacerobot_id.excitation.task import (
    check_limits,
    LOOKS_PER_INTERVAL,
    planning_task,
    PlanningTask,
    SourceMaker,
)
from spacerobot_id.excitation.trajectory.approach import with_approach
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.excitation.trajectory.plan_file import load_plan
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.model import JointLimits, RobotModel
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum


def make_family(
    settings: PlannerSettings,
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    interval: float,
    start: NDArray[np.float64],
    cycles: int = 1,
) -> MotionFamily:
    """Return a family of motions.

    Parameters
    ----------
    settings : PlannerSettings
        Which family, and how long its motions last.
    names : tuple of str
        Names of the m actuators.
    limits : sequence of JointLimits
        Their limits.
    interval : float
        Duration of one interval, s.
    start : ndarray, shape (m,)
        Where motions start, rad or m; NaN where a search may choose.
    cycles : int
        How often a periodic motion is repeated.
    """
    is_open = settings.family is FamilyName.AUTOMATIC
    family = family_module(FamilyName.CYCLOIDS if is_open else settings.family)
    return family.make(settings, names, limits, interval, start, cycles)


_PRUNING_SAMPLES = 10
"""Samples per interval that pruning looks at."""

_NOTHING = 1e-12
"""Share of the largest parameter that is rounding."""

_SINGULAR = 1e9
"""Condition number from which on a motion of the base does not show all its parameters."""


@dataclass(frozen=True, eq=False)
class PlannedExcitation:
    """A motion and how it was judged, whatever the method and the family.

    Parameters
    ----------
    plan : ExcitingMotion
        The motion.
    cost : float
        Value of the criterion on the model it was planned with; NaN if it was not planned.
    evaluations : int
        Number of times the criterion was evaluated.
    limits : tuple of LimitUse
        How close it comes to each limit, the closest first.
    std : ndarray, shape (p,)
        Standard deviations of the parameters that it promises, what was known included.
    names : tuple of str
        Names of the parameters.
    values : ndarray, shape (p,)
        Their values in the description.
    condition : float
        Condition number behind the information of the motion.
    family : FamilyName, optional
        Family that it was chosen from; None if it was not planned.
    criterion : CriterionName, optional
        What it was judged by; None if it was not planned.
    counted : tuple of str
        What counts as unknown beside the parameters, by the names of settings.
    """

    plan: ExcitingMotion
    cost: float
    evaluations: int
    limits: tuple[LimitUse, ...]
    std: NDArray[np.float64]
    names: tuple[str, ...]
    values: NDArray[np.float64]
    condition: float
    family: FamilyName | None = None
    criterion: CriterionName | None = None
    counted: tuple[str, ...] = ()

    @property
    def relative_std(self) -> NDArray[np.float64]:
        """Standard deviations as shares of the values, shape (p,); NaN of those that are zero."""
        sizes = np.abs(self.values)
        return self.std / np.where(sizes > _NOTHING * sizes.max(), sizes, np.nan)


def plan_excitation(
    model: RobotModel,
    present: ArrayLike | None = None,
    settings: PlannerSettings = PlannerSettings(),
    progress: Progress | None = None,
    known: Known | None = None,
    *,
    method: str | SourceMaker = 'momentum',
    momentum: KnownMomentum | None = None,
) -> PlannedExcitation:
    """Plan the exciting motion for a method of identification.

    Parameters
    ----------
    model : RobotModel
        Prior model of the robot.
    present : array_like, shape (n + w,), optional
        Positions of joints (rad or m) and wheels (rad) where the motion starts, all at rest; NaN
        where the planner may choose. None for a method that moves the base, from where it is.
    settings : PlannerSettings
        What the planner may choose.
    progress : callable, optional
        Called after every evaluation; returning True ends the search with the best so far.
    known : Known, optional
        Estimates and their information, to plan with and to add to.
    method : str or callable
        Name of the method that the motion is for, or what makes its source of information.
    momentum : KnownMomentum, optional
        Angular momentum that the robot turns with, for methods that know it.

    Returns
    -------
    PlannedExcitation
        A motion that starts and ends at rest and keeps every limit.

    Raises
    ------
    PlanningError
        If a limit leaves no motion, or joints or wheels are missing; names limit and joint.
    """
    task = planning_task(model, present, settings, known, method, momentum)
    check_limits(model, task.names, task.limits, settings.intervals)
    return _Planning(task, progress, known).run()


class _Planning:
    """One planning: the parts that a search is made of."""

    def __init__(self, task: PlanningTask, progress: Progress | None, known: Known | None) -> None:
        self.rng = np.random.default_rng(task.settings.seed)
        self.task, self.progress = task.with_drawn_robots(self.rng), progress
        self.settings, self.interval = task.settings, task.interval
        self.criterion = self._criterion(known)
        self.evaluations = 0
        self._refuse_start()

    def run(self) -> PlannedExcitation:
        """Search once, or, for the paper's family, in its three steps."""
        task, names, limits = self.task, self.task.names, self.task.limits
        cycles = self.settings.base.cycles if task.base is None else 1
        family = make_family(self.settings, names, limits, self.interval, task.start, cycles)
        if self.settings.family is FamilyName.SEEDS:
            family = self._pruned(family, self._search(family))
        return self._planned(self._search(family))

    def _criterion(self, known: Known | None) -> Criterion:
        """Return what motions are judged by; what no motion shows does not count."""
        task, source = self.task, self.task.source.weighed()
        if known is None and source.known is not None:
            known = Known(source.values(task.model), source.known)
        criterion = make_criterion(self.settings.criterion, source, known)
        if source.needs_prior and isinstance(criterion, DeviationCriterion):
            shown = visible_parameters(source.alone())
            criterion = replace(criterion, weights=criterion.weights * shown)
        return criterion

    def _pruned(self, family: MotionFamily, found: Found) -> MotionFamily:
        """Return the paper's family of the intervals that teach something new."""
        from spacerobot_id.excitation.pruning import prune_intervals  # of one family

        task, plan = self.task, found.motion
        samples = plan.sample_intervals(_PRUNING_SAMPLES)
        source = replace(task.source, is_weighted=False)
        rows = source.shown(samples, np.ones(len(samples.times))).rows[0]
        rows = rows.reshape(len(plan.durations), -1, rows.shape[-1])
        kept = prune_intervals(rows, self.settings.u_max, self.settings.delta)
        if self.settings.duration:
            self.interval = self.settings.duration / len(kept)
        directions = family.directions[kept]
        return seed_family(task.names, task.limits, self.interval, task.start, directions)

    def _search(self, family: MotionFamily) -> Found:
        """Return the best motion of a family."""
        task = self.task
        robots = replace(task.source, models=[task.model, *task.drawn])
        search = MotionSearch(
            family, Objective(robots, self.criterion), task.limit_set, self._uses, self.progress
        )
        search.run(self.settings, self.rng)
        self.evaluations += search.evaluations
        return require(search)

    def _uses(self, motion: ExcitingMotion) -> tuple[LimitUse, ...]:
        """Return how close a motion comes to each limit."""
        return self.task.uses(motion, self.task.looks * self.interval / self.task.interval)

    def _planned(self, found: Found) -> PlannedExcitation:
        """Return the result and how it is judged."""
        task, motion = self.task, found.motion
        promise = task.promise(motion)
        if not shows_something(task.source, promise.information):
            raise PlanningError(
                f'a motion of {motion.duration:.3g} s shows no parameter better than the '
                f'description states it: it needs more time, or wider limits'
            )
        if task.base is None and not promise.condition < _SINGULAR:
            raise PlanningError('the motion found does not show all ten parameters of the body')
        held = held_against(task, motion, self._uses(motion))
        return replace(
            held,
            cost=found.cost,
            evaluations=self.evaluations,
            family=self.settings.family,
            criterion=self.settings.criterion.name,
        )

    def _refuse_start(self) -> None:
        """Raise if a limit is broken where the motion starts, whatever it does then."""
        start, names = self.task.start, self.task.names
        if np.isnan(start).any() or self.task.source.is_turning:
            return
        resting = ExcitationPlan(names, np.stack([start, start]), np.array([self.interval]))
        uses = self._uses(resting)
        if uses and uses[0].share > 1.0 + ROUNDING:
            raise PlanningError(
                f'{uses[0].name}: this limit is broken where the motion starts, '
                f'{uses[0].share:.3g} times it'
            )


def held_against(
    task: PlanningTask, motion: ExcitingMotion, uses: tuple[LimitUse, ...]
) -> PlannedExcitation:
    """Return a motion with what it promises, not planned but held against a task.

    Parameters
    ----------
    task : PlanningTask
        Method, robot and limits.
    motion : ExcitingMotion
        Motion.
    uses : tuple of LimitUse
        How close it comes to each limit.
    """
    promise, source = task.promise(motion), task.source
    values = source.values(task.model)
    return PlannedExcitation(
        motion,
        np.nan,
        0,
        uses,
        promise.std,
        source.names,
        values,
        promise.condition,
        counted=source.counted,
    )


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

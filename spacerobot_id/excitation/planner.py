"""Planning an exciting motion: family, criterion and limits put together and searched."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.actuator_limits import actuator_limits
from spacerobot_id.excitation.criteria import Known, make_criterion
from spacerobot_id.excitation.deviation_criterion import DeviationCriterion
from spacerobot_id.excitation.families import make_family, seed_family
from spacerobot_id.excitation.interval_choice import interval_from_limits, whole_intervals
from spacerobot_id.excitation.limit_set import (
    limit_set,
    limit_use,
    ROUNDING,
    with_start_allowed,
)
from spacerobot_id.excitation.motion import ExcitingMotion
from spacerobot_id.excitation.motion_family import MotionFamily
from spacerobot_id.excitation.motion_information import InformationModel, MotionInformation
from spacerobot_id.excitation.motion_limit import LimitUse
from spacerobot_id.excitation.motion_search import (
    Found,
    MotionSearch,
    Progress,
    require,
    SearchEffort,
)
from spacerobot_id.excitation.plan import ExcitationPlan
from spacerobot_id.excitation.planner_settings import FamilyName, PlannerSettings
from spacerobot_id.excitation.planning_checks import (
    check_limits,
    check_settings,
    check_wheels,
    checked_start,
)
from spacerobot_id.excitation.prior_draws import draw_robot
from spacerobot_id.excitation.pruning import interval_regressors, prune_intervals
from spacerobot_id.excitation.visibility import described, shows_something, visible_parameters
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import minimal_parameters

LOOKS_PER_INTERVAL = 80
"""How often in an interval limits are looked at at the end: 20 times as often as in the search."""


_PROMISE_SAMPLES = 2000
"""Samples of a motion that its promised standard deviations are summed up over."""


@dataclass(frozen=True, eq=False)
class PlannedExcitation:
    """The best motion found and how it was judged.

    Parameters
    ----------
    plan : ExcitingMotion
        The motion.
    cost : float
        Value of the criterion on the model it was planned with.
    evaluations : int
        Number of times the criterion was evaluated.
    limits : tuple of LimitUse
        How close it comes to each limit, the closest first.
    std : ndarray, shape (p,)
        Standard deviations of the minimal parameters that it promises, what was known included.
    """

    plan: ExcitingMotion
    cost: float
    evaluations: int
    limits: tuple[LimitUse, ...]
    std: NDArray[np.float64]


def plan_excitation(
    model: RobotModel,
    present: ArrayLike,
    settings: PlannerSettings = PlannerSettings(),
    progress: Progress | None = None,
    known: Known | None = None,
) -> PlannedExcitation:
    """Plan an exciting motion from where joints and wheels are now.

    Parameters
    ----------
    model : RobotModel
        Prior model of the robot.
    present : array_like, shape (n + w,)
        Positions of joints (rad or m) and wheels (rad) where the motion starts, all at rest; NaN
        where the planner may choose.
    settings : PlannerSettings
        What the planner may choose.
    progress : callable, optional
        Called after every evaluation; returning True ends the search with the best so far.
    known : Known, optional
        Estimates and their information, to plan with and to add to.

    Returns
    -------
    PlannedExcitation
        A motion that starts and ends at rest and keeps every limit.

    Raises
    ------
    PlanningError
        If a limit leaves no motion, or joints or wheels are missing; names limit and joint.
    """
    return _Planning(model, present, settings, progress, known).run()


class _Planning:
    """One planning: the parts that a search is made of."""

    def __init__(
        self,
        model: RobotModel,
        present: ArrayLike,
        settings: PlannerSettings,
        progress: Progress | None,
        known: Known | None,
    ) -> None:
        self.settings, self.progress = settings, progress
        check_settings(settings)
        check_wheels(model)
        self.start = checked_start(model, present, settings.start_tolerance)
        self.minimal = minimal_parameters(model)
        self.model = known.robot(model, self.minimal) if known is not None else model
        limits = actuator_limits(model)
        check_limits(model, limits, settings.intervals)
        self.interval = settings.interval or interval_from_limits(limits)
        if settings.duration:
            self.interval = min(self.interval, settings.duration)
            if settings.family in (FamilyName.CYCLOIDS, FamilyName.SEEDS):
                count = whole_intervals(settings.duration, self.interval)
                self.settings = replace(settings, intervals=count)
                self.interval = settings.duration / count
        self.limits = with_start_allowed(limits, self.start)
        if known is None and settings.limits.planar:
            known = described(self.model, self.minimal)
        self.known = known
        self.criterion = make_criterion(settings.criterion, self.model, self.minimal, known)
        if settings.limits.planar and isinstance(self.criterion, DeviationCriterion):
            shown = visible_parameters(InformationModel([self.model], self.minimal, planar=True))
            weights = self.criterion.weights * shown
            self.criterion = replace(self.criterion, weights=weights)
        self.rng = np.random.default_rng(settings.seed)
        self.evaluations = 0
        self._refuse_start()

    def run(self) -> PlannedExcitation:
        """Search once, or, for the paper's family, in its three steps."""
        names = self.model.joint_names + self.model.wheel_names
        if self.settings.family is FamilyName.SEEDS:
            family = seed_family(names, self.limits, self.interval, self.start)
            found = self._search(family)
            rows = interval_regressors(self.model, self.minimal, found.motion, 10)
            kept = prune_intervals(rows, self.settings.u_max, self.settings.delta)
            if self.settings.duration:
                self.interval = self.settings.duration / len(kept)
            family = seed_family(
                names, self.limits, self.interval, self.start, family.directions[kept]
            )
        else:
            family = make_family(self.settings, names, self.limits, self.interval, self.start)
        found = self._search(family)
        return self._planned(found)

    def _search(self, family: MotionFamily) -> Found:
        """Return the best motion of a family."""
        search = MotionSearch(
            family,
            self._robots(),
            self.criterion,
            lambda spacing: limit_set(self.model, self.settings.limits, self.limits, spacing),
            self._uses,
            self.progress,
        )
        effort = SearchEffort(
            self.settings.draws, self.settings.restarts, self.settings.iterations
        )
        search.run(effort, self.rng)
        self.evaluations += search.evaluations
        return require(search)

    def _robots(self) -> InformationModel:
        """Return the prior, and robots that it might be."""
        weighted, planar = self.criterion.is_weighted, self.settings.limits.planar
        drawn = [
            draw_robot(self.model, self.settings.prior_spread, self.rng)
            for _ in range(self.settings.prior_draws)
        ]
        return InformationModel([self.model, *drawn], self.minimal, weighted, planar)

    def _uses(self, motion: ExcitingMotion) -> tuple[LimitUse, ...]:
        """Return how close a motion comes to each limit."""
        step = self.interval / LOOKS_PER_INTERVAL
        return limit_use(self.model, self.settings.limits, self.limits, motion, step)

    def _planned(self, found: Found) -> PlannedExcitation:
        """Return the result and how it is judged."""
        known = None if self.known is None else self.known.information
        information = _promised(self.model, found.motion, planar=self.settings.limits.planar)
        if not shows_something(self.model, self.minimal, information):
            raise PlanningError(
                f'a motion of {found.motion.duration:.3g} s shows no parameter better than the '
                f'description says it: it needs more time, or wider limits'
            )
        ones = np.ones(len(self.minimal))
        std = DeviationCriterion(ones, ones, known=known).standard_deviations(information)
        uses = self._uses(found.motion)
        return PlannedExcitation(found.motion, found.cost, self.evaluations, uses, std)

    def _refuse_start(self) -> None:
        """Raise if a limit is broken where the motion starts, whatever it does then."""
        if np.isnan(self.start).any():
            return
        names = self.model.joint_names + self.model.wheel_names
        knots = np.stack([self.start, self.start])
        uses = self._uses(ExcitationPlan(names, knots, np.array([self.interval])))
        if uses and uses[0].share > 1.0 + ROUNDING:
            raise PlanningError(
                f'{uses[0].name}: this limit is broken where the motion starts, '
                f'{uses[0].share:.3g} times it'
            )


def promised_std(
    model: RobotModel,
    motion: ExcitingMotion,
    known: NDArray[np.float64] | None = None,
    *,
    planar: bool = False,
) -> NDArray[np.float64]:
    """Return the standard deviations of the minimal parameters that a motion promises, (p,).

    Parameters
    ----------
    model : RobotModel
        Robot to predict with, with the noise and the rate of its sensors.
    motion : ExcitingMotion
        Motion.
    known : ndarray, shape (p, p), optional
        Information that is there already.
    planar : bool
        Whether a table holds the base in its plane.
    """
    information = _promised(model, motion, planar=planar)
    ones = np.ones(len(information.matrix))
    return DeviationCriterion(ones, ones, known=known).standard_deviations(information)


def _promised(model: RobotModel, motion: ExcitingMotion, *, planar: bool) -> MotionInformation:
    """Return what a motion shows of the minimal parameters."""
    weights = np.full(_PROMISE_SAMPLES, motion.duration / _PROMISE_SAMPLES)
    samples = motion.sample(np.cumsum(weights) - 0.5 * weights)
    informed = InformationModel([model], minimal_parameters(model), planar=planar)
    return informed.information(samples, weights)

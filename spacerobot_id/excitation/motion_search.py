"""Search for the parameters of a family whose motion costs least and keeps every limit.

Draws at random, the best of them followed downhill by L-BFGS-B (Byrd et al., 1995) within the
box of the parameters; there are many valleys, so that again and again the better half is followed
further (successive halving: Jamieson and Talwalkar, 2016). All other limits are penalties, ever
heavier (Nocedal and Wright, 2006, section 17.1); what they leave is taken away at the end by
shrinking the motion about its start, where it stands still and asks nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.constraint.limit_set import LimitSet, ROUNDING
from spacerobot_id.excitation.constraint.motion_limit import LimitUse
from spacerobot_id.excitation.family.motion_family import MotionFamily
from spacerobot_id.excitation.objective.objective import Objective
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.trajectory.cycloids import peak_acceleration, peak_rate
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.model import JointLimits

MOST_INTERVALS = 10_000
"""Most intervals of a motion."""

_ROUNDING = 1e-6
"""Share of an interval by which the last one may be too long."""

_SHORTEST = 1.0
"""Least duration that is chosen, s: that of the paper."""

_LONGEST = 20.0
"""Largest duration that is chosen, s."""

_SHARE_OF_RANGE = 0.5
"""Largest share of a joint's range that one interval should take it."""


def interval_from_limits(limits: Sequence[JointLimits], plateau: float = 0.0) -> float:
    """Return a duration in which most actuators reach the rates they may have.

    Below it, acceleration is what limits an actuator and its rate falls with the duration; above
    it, motions take longer and show no more at each moment. Joints reach theirs at different
    durations: the median counts, of joints that would not cross half their range by then.

    Parameters
    ----------
    limits : sequence of JointLimits
        Limits of joints, then wheels.
    plateau : float
        Share of an interval at constant rate: the rest of it takes no less than without.

    Returns
    -------
    float
        Duration, s; without a plateau 1 to 20.
    """
    shortest, longest = (each / (1.0 - plateau) for each in (_SHORTEST, _LONGEST))
    times = [_time_to_rate(limit, plateau, longest) for limit in limits]
    wanted = float(np.median(times)) if times else shortest
    return float(np.clip(wanted, shortest, longest))


def whole_intervals(duration: float, interval: float) -> int:
    """Return how many intervals fill a duration: as many as fit, which are then stretched.

    Parameters
    ----------
    duration : float
        Duration of the whole motion, s.
    interval : float
        Duration that an interval should have, and has at least if one fits; s.

    Raises
    ------
    PlanningError
        If there are too many to plan.
    """
    count = duration / interval + _ROUNDING
    if count > MOST_INTERVALS + 1.0:
        raise PlanningError(
            f'duration: {duration:g} s are more than {MOST_INTERVALS} intervals of {interval:g} s'
        )
    return max(1, int(count))


def _time_to_rate(limit: JointLimits, plateau: float, longest: float) -> float:
    """Return how long a cycloid must be to reach the largest rate, s; ``longest`` without one."""
    if not 0.0 < limit.velocity < np.inf or not limit.acceleration > 0.0:
        return longest
    rate = peak_rate(plateau)
    by_acceleration = peak_acceleration(plateau) / rate * limit.velocity / limit.acceleration
    by_range = rate * _SHARE_OF_RANGE * (limit.upper - limit.lower) / limit.velocity
    return min(by_acceleration, by_range)


Progress = Callable[[int, float], bool]
"""Called with the number of evaluations and the best cost; True asks to stop."""

_PENALTIES = (10.0, 100.0)
"""Weights of the squares of what is beyond limits, as shares of these, summed over samples."""

_LITTLE = 0.1
"""Sum of squares of what is beyond limits that a draw may begin with, or share beyond one."""

_STEP = 1e-5
"""Difference of a parameter where samples have no gradient; parameters are of the order of one."""

_MEMORY = 30
"""Steps that L-BFGS-B remembers."""

_HARDEST = 4
"""Robots, of all that the prior may stand for, that motions are followed for beside the prior."""

_TIGHTENINGS = 3
"""Most times that a motion is followed on with a larger margin from its limits."""

_SURPLUS = 1.5
"""Times what a motion was beyond a limit by which the margin grows."""

_HALVINGS = 7
"""Bisections of that share: it is found to a hundredth."""

_LEAST_SHARE = 0.01
"""Share of a motion below which shrinking it is given up."""


@dataclass(frozen=True, eq=False)
class Found:
    """A motion that keeps every limit.

    Parameters
    ----------
    motion : ExcitingMotion
        The motion.
    parameters : ndarray, shape (P,)
        Its parameters.
    score : float
        Smooth stand-in of the criterion, over all robots planned with.
    cost : float
        Value of the criterion for the first of them, the prior.
    """

    motion: ExcitingMotion
    parameters: NDArray[np.float64]
    score: float
    cost: float


class StopSearchError(Exception):
    """Raised within a search when the caller asked to stop."""


class MotionSearch:
    """The search: keeps count, and the best so far.

    Parameters
    ----------
    family : MotionFamily
        Motions to choose from.
    objective : Objective
        What is to be small for all robots, the hardest of them first of all.
    limits : callable
        From the time that each sample stands for, shape (N,), to the limits.
    uses : callable
        From a motion to how close it comes to each limit, looked at densely.
    progress : callable, optional
        Called after every evaluation.
    """

    def __init__(
        self,
        family: MotionFamily,
        objective: Objective,
        limits: Callable[[NDArray[np.float64]], LimitSet],
        uses: Callable[[ExcitingMotion], tuple[LimitUse, ...]],
        progress: Progress | None = None,
    ) -> None:
        self.family = family
        self.objective = self._every = objective
        self.uses, self.progress = uses, progress
        is_few = family.is_even or not objective.source.is_turning  # integrated if it turns
        self._information = family.information_sampler() if is_few else family.limit_sampler(1)
        self._limit_sampler = family.limit_sampler(1)
        self._limits = limits(self._limit_sampler.weights)
        self._is_easy = len(self._limits.limits) == 1  # what a family keeps by itself, nearly
        self._penalties = _PENALTIES[:1] if self._is_easy else _PENALTIES
        self.evaluations = 0
        self.best: Found | None = None
        self.broken: LimitUse | None = None

    def run(self, effort: PlannerSettings, rng: np.random.Generator) -> None:
        """Search until done or asked to stop; ``best`` stays None where limits leave no motion."""
        self._here = self.family.draw(rng)
        self.finish(self._here)
        try:
            self._run(effort, rng)
        except StopSearchError:
            self.objective = self._every
            self.finish(self._here)

    def _run(self, effort: PlannerSettings, rng: np.random.Generator) -> None:
        """Draw, follow the best downhill, the better half of these further, and so on."""
        self.objective = self._every.of([0])
        followed = self._best_draws(effort.draws, max(effort.restarts, 1), rng)
        self.objective, penalties = self._every, self._penalties
        if not effort.restarts:
            self.finish(followed[0])
            return
        while len(followed) > 1:
            followed = [self._follow(each, effort.iterations, penalties) for each in followed]
            followed = sorted(followed, key=self.value)[: len(followed) // 2]
            penalties = self._penalties[-1:]
        best = self.descend(followed[0], effort.iterations, *penalties)
        self.finish(self._tightened(best, effort.iterations))

    def _tightened(self, parameters: NDArray[np.float64], iterations: int) -> NDArray[np.float64]:
        """Return parameters that keep every limit between samples, too, or nearly.

        Where a motion is a little beyond a limit between the samples of the search, it is followed
        on with a margin larger by that much. Shrinking it would not do: what balances in a large
        motion, such as wheels against an arm, need not in a smaller one.
        """
        for _ in range(_TIGHTENINGS):
            uses = self.uses(self.family.motion(self.family.keep(parameters)))
            beyond = uses[0].share - 1.0 if uses else 0.0
            if not ROUNDING < beyond < _LITTLE:
                break
            self._limits = replace(self._limits, margin=self._limits.margin + _SURPLUS * beyond)
            parameters = self.descend(parameters, iterations // 2, self._penalties[-1])
        return parameters

    def _follow(
        self, parameters: NDArray[np.float64], iterations: int, penalties: Sequence[float]
    ) -> NDArray[np.float64]:
        """Return parameters further down for the robots for which they do least."""
        self.objective = self._every.hardest(*self._samples(parameters), _HARDEST)
        further = self.descend(parameters, iterations, *penalties)
        self.objective = self._every
        return further

    def _best_draws(
        self, draws: int, kept: int, rng: np.random.Generator
    ) -> list[NDArray[np.float64]]:
        """Return the best of parameters drawn at random, the best first."""
        best: list[tuple[float, int, NDArray[np.float64]]] = []
        for number in range(draws):
            drawn = self._within_reach(self.family.draw(rng))
            self._report_progress()
            best.append((self._score(drawn), number, drawn))
            best = sorted(best, key=lambda each: each[:2])[:kept]
            self._here = best[0][2]
        return [drawn for *_, drawn in best]

    def _within_reach(self, drawn: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a draw, smaller by halves until it breaks no limit by much: a start downhill."""
        share = 1.0
        while not self._is_easy and share > _LEAST_SHARE:
            smaller = self.family.keep(drawn, share)
            if self._limits.penalty(self._limit_sampler.sample(smaller)) < _LITTLE:
                return smaller
            share *= 0.5
        return drawn

    def value(self, parameters: NDArray[np.float64]) -> float:
        """Return the score of a motion with the heaviest penalty."""
        self._report_progress()
        return self._penalised(parameters, self._penalties[-1])

    def descend(
        self, parameters: NDArray[np.float64], iterations: int, *penalties: float
    ) -> NDArray[np.float64]:
        """Return parameters further down, limits kept but for a little."""
        penalties, constraints = penalties or self._penalties, self.family.constraints
        memory = {} if constraints else {'maxcor': _MEMORY}
        for weight in penalties:
            result = minimize(
                self._with_gradient,
                parameters,
                args=(weight,),
                jac=True,
                method='SLSQP' if constraints else 'L-BFGS-B',
                bounds=self.family.bounds,
                constraints=constraints,
                options={'maxiter': max(1, iterations // len(penalties)), **memory},
            )
            parameters = result.x
        return parameters

    def finish(self, parameters: NDArray[np.float64]) -> None:
        """Shrink a motion until it keeps every limit, and remember it if it is the best."""
        share, kept = 1.0, self._kept(parameters, 1.0)
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS if kept is None else 0):
            share = 0.5 * (low + high) if low else 0.5 * high
            tried = self._kept(parameters, share)
            kept, low, high = (kept, low, share) if tried is None else (tried, share, high)
        if kept is None:
            return
        score = self._score(kept)
        if self.best is None or score < self.best.score:
            cost = self.objective.cost(*self._samples(kept))
            self.best = Found(self.family.motion(kept), kept, score, cost)

    def _kept(self, parameters: NDArray[np.float64], share: float) -> NDArray[np.float64] | None:
        """Return parameters of a share of a motion if it keeps every limit."""
        kept = self.family.keep(parameters, share)
        uses = self.uses(self.family.motion(kept))
        if uses and uses[0].share > 1.0 + ROUNDING:
            self.broken = uses[0]
            return None
        return kept

    def _samples(
        self, parameters: NDArray[np.float64]
    ) -> tuple[PlannedMotion, NDArray[np.float64]]:
        """Return the samples that information is summed up over, and their weights."""
        return self._information.sample(parameters), self._information.weights

    def _score(self, parameters: NDArray[np.float64]) -> float:
        """Return the mean score over the robots."""
        return self.objective.score(*self._samples(parameters))

    def _penalised(self, parameters: NDArray[np.float64], penalty: float) -> float:
        """Return the score plus a penalty."""
        beyond = self._limits.penalty(self._limit_sampler.sample(parameters))
        return self._score(parameters) + penalty * beyond

    def _with_gradient(
        self, parameters: NDArray[np.float64], penalty: float
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the score plus penalties and the gradient of both."""
        total, gradient = self._score_with_gradient(parameters)
        beyond, upwards = self._penalty_with_gradient(parameters)
        self._here = parameters.copy()
        self._report_progress()
        return total + penalty * beyond, gradient + penalty * upwards

    def _score_with_gradient(
        self, parameters: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the score and its gradient, by differences where samples have none."""
        if self.objective.has_gradient:
            total, by = self.objective.score_with_gradient(*self._samples(parameters))
            return total, self._information.pull_back(by)
        places, steps = self._steps(parameters)
        moved = parameters + steps[:, None] * np.eye(len(parameters))[places]
        motions = [self._information.sample(each) for each in (parameters, *moved)]
        total, changes = self.objective.score_with_changes(motions, self._information.weights)
        gradient = np.zeros(len(parameters))
        gradient[places] = changes / steps
        return total, gradient

    def _penalty_with_gradient(
        self, parameters: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the penalty and its gradient, by differences where samples have none."""
        motion, gradient = self._limit_sampler.sample(parameters), np.zeros(len(parameters))
        if self._limits.has_gradient:
            beyond, back = self._limits.pull_back(motion)
            return beyond, self._limit_sampler.pull_back(back) if beyond else gradient
        beyond = self._limits.penalty(motion)
        for place, step in zip(*self._steps(parameters), strict=True):
            moved = parameters.copy()
            moved[place] += step
            changed = self._limits.penalty(self._limit_sampler.sample(moved))
            gradient[place] = (changed - beyond) / step
        return beyond, gradient

    def _steps(
        self, parameters: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return which parameters may move, and differences of each inwards from the bounds."""
        box = self.family.bounds
        inwards = np.where(parameters < 0.5 * (box.lb + box.ub), _STEP, -_STEP)
        places = np.flatnonzero(box.ub > box.lb)
        return places, inwards[places]

    def _report_progress(self) -> None:
        """Count an evaluation, report it, stop if asked to."""
        self.evaluations += 1
        cost = np.inf if self.best is None else self.best.cost
        if self.progress is not None and self.progress(self.evaluations, cost):
            raise StopSearchError


def require(search: MotionSearch) -> Found:
    """Return the best motion of a search.

    Raises
    ------
    PlanningError
        If there is none; names the limit that was in the way.
    """
    if search.best is not None:
        return search.best
    if search.broken is None:
        raise PlanningError('stopped before the first motion was tried')
    raise PlanningError(
        f'{search.broken.name}: no motion keeps this limit, not even a hundredth of one: '
        f'{search.broken.share:.3g} times the limit is needed'
    )

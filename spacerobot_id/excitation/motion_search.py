"""Search for the parameters of a family whose motion costs least and keeps every limit.

Draws at random, the best of them followed downhill by L-BFGS-B (Byrd et al., 1995) within the
box of the parameters; there are many valleys, so that again and again the better half is followed
further (successive halving: Jamieson and Talwalkar, 2016). All other limits are penalties, ever
heavier (Nocedal and Wright, 2006, section 17.1); what they leave is taken away at the end by
shrinking the motion about its start, where it stands still and asks nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.criterion import Criterion, Score
from spacerobot_id.excitation.limit_set import LimitSet, ROUNDING
from spacerobot_id.excitation.motion import ExcitingMotion
from spacerobot_id.excitation.motion_family import MotionFamily
from spacerobot_id.excitation.motion_information import InformationModel, ShownMotion
from spacerobot_id.excitation.motion_limit import LimitUse
from spacerobot_id.excitation.prior_draws import soft_maximum

Progress = Callable[[int, float], bool]
"""Called with the number of evaluations and the best cost; True asks to stop."""

_PENALTIES = (10.0, 100.0)
"""Weights of the squares of what is beyond limits, as shares of these, summed over samples."""

_LITTLE = 0.1
"""Sum of squares of what is beyond limits that a draw may begin with."""

_MEMORY = 30
"""Steps that L-BFGS-B remembers."""

_HARDEST = 4
"""Robots, of all that the prior may stand for, that motions are followed for beside the prior."""

_HALVINGS = 7
_LEAST_SHARE = 0.01
"""Share of a motion below which shrinking it is given up."""


@dataclass(frozen=True)
class SearchEffort:
    """How long a search tries.

    Parameters
    ----------
    draws : int
        Parameters drawn at random.
    restarts : int
        How many of the best draws are followed downhill; the better half of them is followed
        further, and so on until one is left.
    iterations : int
        Most iterations for each, every time.
    """

    draws: int = 50
    restarts: int = 4
    iterations: int = 60


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
    robots : InformationModel
        Robots to predict with: the prior first, and others that it might be.
    criterion : Criterion
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
        robots: InformationModel,
        criterion: Criterion,
        limits: Callable[[NDArray[np.float64]], LimitSet],
        uses: Callable[[ExcitingMotion], tuple[LimitUse, ...]],
        progress: Progress | None = None,
    ) -> None:
        self.family, self.criterion = family, criterion
        self.robots = self._every = robots
        self.uses, self.progress = uses, progress
        self._information = family.information_sampler()
        self._limit_sampler = family.limit_sampler(1)
        self._limits = limits(self._limit_sampler.weights)
        self._is_easy = len(self._limits.limits) == 1  # what a family keeps by itself, nearly
        self._penalties = _PENALTIES[:1] if self._is_easy else _PENALTIES
        self.evaluations = 0
        self.best: Found | None = None
        self.broken: LimitUse | None = None

    def run(self, effort: SearchEffort, rng: np.random.Generator) -> None:
        """Search until done or told to stop; ``best`` stays None where limits leave no motion."""
        self._here = self.family.draw(rng)
        self.finish(self._here)
        try:
            self._run(effort, rng)
        except StopSearchError:
            self.robots = self._every
            self.finish(self._here)

    def _run(self, effort: SearchEffort, rng: np.random.Generator) -> None:
        """Draw, follow the best downhill, the better half of these further, and so on."""
        self.robots = self._every.of([0])
        followed = self._best_draws(effort.draws, max(effort.restarts, 1), rng)
        self.robots, penalties = self._every, self._penalties
        if not effort.restarts:
            self.finish(followed[0])
            return
        while len(followed) > 1:
            followed = [self._follow(each, effort.iterations, penalties) for each in followed]
            followed = sorted(followed, key=self.value)[: len(followed) // 2]
            penalties = self._penalties[-1:]
        best = self.descend(followed[0], effort.iterations, *penalties)
        self.finish(best)

    def _follow(
        self, parameters: NDArray[np.float64], iterations: int, penalties: Sequence[float]
    ) -> NDArray[np.float64]:
        """Return parameters further down for the robots for which they do least."""
        self.robots = self._hardest(parameters)
        further = self.descend(parameters, iterations, *penalties)
        self.robots = self._every
        return further

    def _best_draws(
        self, draws: int, kept: int, rng: np.random.Generator
    ) -> list[NDArray[np.float64]]:
        """Return the best of parameters drawn at random, the best first."""
        best: list[tuple[float, int, NDArray[np.float64]]] = []
        for number in range(draws):
            drawn = self._within_reach(self.family.draw(rng))
            self._tell()
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
        beyond = self._limits.penalty(self._limit_sampler.sample(parameters))
        self._tell()
        return self._score(parameters) + self._penalties[-1] * beyond

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
            cost = self.criterion.cost(self._shown(kept).information(0))
            self.best = Found(self.family.motion(kept), kept, score, cost)

    def _hardest(self, parameters: NDArray[np.float64]) -> InformationModel:
        """Return the first robot and those of the others for which a motion does least."""
        scores = [score.value for score in self._scores(self._shown(parameters))]
        return self._every.of([0, *(1 + np.argsort(scores[1:])[-_HARDEST:])])

    def _kept(self, parameters: NDArray[np.float64], share: float) -> NDArray[np.float64] | None:
        """Return parameters of a share of a motion if it keeps every limit."""
        kept = self.family.keep(parameters, share)
        uses = self.uses(self.family.motion(kept))
        if uses and uses[0].share > 1.0 + ROUNDING:
            self.broken = uses[0]
            return None
        return kept

    def _shown(self, parameters: NDArray[np.float64]) -> ShownMotion:
        """Return what a motion shows of all robots."""
        return self.robots.shown(self._information.sample(parameters), self._information.weights)

    def _scores(self, shown: ShownMotion) -> list[Score]:
        """Return the scores of all robots."""
        return [
            self.criterion.score(shown.information(robot))
            for robot in range(len(self.robots.models))
        ]

    def _score(self, parameters: NDArray[np.float64]) -> float:
        """Return the mean score over the robots."""
        scores = self._scores(self._shown(parameters))
        return soft_maximum(np.array([score.value for score in scores]))[0]

    def _with_gradient(
        self, parameters: NDArray[np.float64], penalty: float
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the score plus penalties and the gradient of both."""
        shown = self._shown(parameters)
        scores = self._scores(shown)
        total, shares = soft_maximum(np.array([score.value for score in scores]))
        by = [share * score.by for share, score in zip(shares, scores, strict=True)]
        gradient = self._information.pull_back(shown.pull_back(by))
        beyond, back = self._limits.pull_back(self._limit_sampler.sample(parameters))
        if beyond:
            total += penalty * beyond
            gradient += penalty * self._limit_sampler.pull_back(back)
        self._here = parameters.copy()
        self._tell()
        return total, gradient

    def _tell(self) -> None:
        """Count an evaluation, tell it, stop if asked to."""
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

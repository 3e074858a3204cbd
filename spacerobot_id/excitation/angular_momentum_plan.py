"""Exciting motions for angular momentum alone: accuracy in place of a condition number."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from spacerobot_id.excitation.actuator_limits import actuator_limits
from spacerobot_id.excitation.angular_momentum_criterion import angular_momentum_std
from spacerobot_id.excitation.fourier_quintic import FourierQuintic, FourierQuinticFamily
from spacerobot_id.excitation.known_momentum import KnownMomentum
from spacerobot_id.excitation.motion import ExcitingMotion
from spacerobot_id.excitation.motion_search import Progress, SearchEffort, StopSearchError
from spacerobot_id.model import JointLimits, RobotModel
from spacerobot_id.regressor import reduced_parameters, ReducedParameters

_SAMPLES = 60
"""Samples that stand for the whole motion while it is sought."""

_LEAST_SHARE = 1e-3
"""Parameters that are smaller than this share of the largest count as if they were that large."""

_UNSEEN = 1e12
"""Relative standard deviation of a parameter that a motion does not show, so that costs differ."""


def plan_angular_momentum(
    model: RobotModel,
    family: FourierQuinticFamily,
    momentum: KnownMomentum,
    effort: SearchEffort = SearchEffort(draws=100, restarts=3, iterations=25),
    seed: int = 0,
) -> FourierQuintic:
    """Return the motion with the least mean logarithm of relative standard deviations.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with; noise of its sensors, limits of its joints and wheels.
    family : FourierQuinticFamily
        Motions of joints, then wheels, to choose from; all are shrunk until they keep the limits
        of positions, rates and accelerations.
    momentum : KnownMomentum
        Angular momentum, and attitude at the start.
    effort : SearchEffort
        How much is tried.
    seed : int
        Seed of the draws.
    """
    search = AngularMomentumSearch(model, family, momentum)
    search.run(effort, seed)
    return search.best


def momentum_std(
    model: RobotModel, motion: ExcitingMotion, momentum: KnownMomentum
) -> NDArray[np.float64]:
    """Return the standard deviations of the k reduced parameters that a motion promises, (k,).

    Parameters
    ----------
    model : RobotModel
        Robot to predict with, with the noise and the rate of its sensors.
    motion : ExcitingMotion
        Motion.
    momentum : KnownMomentum
        Angular momentum, attitude at the start, and what is known to be zero.
    """
    reduced = reduced_parameters(model, as_described=momentum.trust_zeros)
    return angular_momentum_std(model, reduced, motion, momentum, _SAMPLES)


class AngularMomentumSearch:
    """A search that keeps count and the best motion so far.

    Parameters
    ----------
    model, family, momentum
        As for ``plan_angular_momentum``.
    penalty : callable, optional
        What a motion pays for other limits that it breaks.
    progress : callable, optional
        Called after every evaluation; returning True ends the search with the best so far.
    limits : sequence of JointLimits, optional
        Limits of joints, then wheels, that every motion is shrunk to; those of the description.
    """

    def __init__(
        self,
        model: RobotModel,
        family: FourierQuinticFamily,
        momentum: KnownMomentum,
        penalty: Callable[[FourierQuintic], float] | None = None,
        progress: Progress | None = None,
        limits: Sequence[JointLimits] | None = None,
    ) -> None:
        self._model, self._family, self._momentum = model, family, momentum
        self._penalty, self._progress = penalty, progress
        self._limits = actuator_limits(model) if limits is None else limits
        self._largest = family.bounds(self._limits).ub
        self.reduced: ReducedParameters = reduced_parameters(
            model, as_described=momentum.trust_zeros
        )
        values = np.abs(self.reduced.values(model))
        self.scale = np.maximum(values, _LEAST_SHARE * values.max())
        self.evaluations, self.best_cost = 0, np.inf
        self.best: FourierQuintic | None = None

    def run(self, effort: SearchEffort, seed: int) -> None:
        """Draw coefficients, improve the best draws."""
        rng = np.random.default_rng(seed)
        drawn = rng.uniform(-1.0, 1.0, (effort.draws, self._family.size))
        try:
            for start in sorted(drawn, key=self.cost)[: effort.restarts]:
                improved_in_box(self.cost, start, effort.iterations)
        except StopSearchError:
            return

    def std(self, motion: FourierQuintic) -> NDArray[np.float64]:
        """Return the standard deviations that a motion promises, shape (k,)."""
        return angular_momentum_std(
            self._model,
            self.reduced,
            motion,
            self._momentum,
            _SAMPLES,
        )

    def cost(self, shares: ArrayLike) -> float:
        """Return the cost of shares of the largest coefficients, and remember the best."""
        motion = self._family.motion(
            self._family.within(np.asarray(shares) * self._largest, self._limits)
        )
        relative = np.minimum(self.std(motion) / self.scale, _UNSEEN)
        cost = float(np.mean(np.log(relative)))
        if self._penalty is not None:
            cost += self._penalty(motion)
        if cost < self.best_cost:
            self.best, self.best_cost = motion, cost
        self.evaluations += 1
        if self._progress is not None and self._progress(
            self.evaluations, float(np.exp(self.best_cost))
        ):
            raise StopSearchError
        return cost


def improved_in_box(
    cost: Callable[[NDArray[np.float64]], float], start: NDArray[np.float64], iterations: int
) -> NDArray[np.float64]:
    """Return shares of the largest coefficients that cost less, each between -1 and 1.

    Parameters
    ----------
    cost : callable
        Takes shares, shape (p,), gives their cost.
    start : ndarray, shape (p,)
        Shares to start from.
    iterations : int
        Most iterations.
    """
    return minimize(
        cost,
        start,
        method='L-BFGS-B',
        bounds=[(-1.0, 1.0)] * len(start),
        options={'maxiter': iterations, 'eps': 1e-4},
    ).x

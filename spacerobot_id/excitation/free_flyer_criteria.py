"""What makes a motion of a free-flyer an exciting one: the criteria V1 and V2 of papers/003."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.motion import ExcitingMotion, PlannedMotion
from spacerobot_id.excitation.periodic_fourier import FourierFamily, PeriodicFourierMotion
from spacerobot_id.kinematics import pose_motion
from spacerobot_id.regressor import newton_euler_regressor


@dataclass(frozen=True)
class CriterionSettings:
    """How a motion is judged.

    Parameters
    ----------
    samples : int
        Samples of one cycle.
    level_weight : float
        Weight ``q`` of each coordinate's root mean square in V1, 1/m and 1/rad.
    force_std, torque_std : float
        Standard deviations of the forces (N) and torques (N m), square roots of the diagonal of
        ``Sigma``; papers/003 takes them all for the same.
    """

    samples: int = 60
    level_weight: float = 10.0
    force_std: float = 1.0
    torque_std: float = 1.0


def weighted_regressor(
    motion: PlannedMotion, settings: CriterionSettings = CriterionSettings()
) -> NDArray[np.float64]:
    """Return ``Sigma^-1/2 W`` of a motion of the six pose coordinates, shape (6 N, 10)."""
    regressor = newton_euler_regressor(
        pose_motion(motion.position, motion.velocity, motion.acceleration)
    )
    regressor[:, :3] /= settings.force_std
    regressor[:, 3:] /= settings.torque_std
    return regressor.reshape(-1, regressor.shape[-1])


def condition_criterion(
    motion: ExcitingMotion, settings: CriterionSettings = CriterionSettings()
) -> float:
    """Return V1: the condition number, less the weighted levels of the coordinates (Eq. 21).

    Without the levels the best motions are too small to be flown.
    """
    planned = _one_cycle(motion, settings)
    level = np.sqrt(np.mean(planned.position**2, axis=0)).sum()
    condition = np.linalg.cond(weighted_regressor(planned, settings))
    return float(condition - settings.level_weight * level)


def information_criterion(
    motion: ExcitingMotion, settings: CriterionSettings = CriterionSettings()
) -> float:
    """Return V2: minus the logarithm of the determinant of the information (Eq. 22)."""
    singular = np.linalg.svd(
        weighted_regressor(_one_cycle(motion, settings), settings), compute_uv=False
    )
    return float(-2.0 * np.log(np.maximum(singular, np.finfo(float).tiny)).sum())


class FreeFlyerCriterion(Enum):
    """What is minimised."""

    CONDITION = 'V1'
    INFORMATION = 'V2'


_CRITERIA: Mapping[FreeFlyerCriterion, Callable[[ExcitingMotion, CriterionSettings], float]] = {
    FreeFlyerCriterion.CONDITION: condition_criterion,
    FreeFlyerCriterion.INFORMATION: information_criterion,
}


@dataclass(frozen=True, eq=False)
class PlannedPose:
    """The best motion that a search found.

    Parameters
    ----------
    motion : PeriodicFourierMotion
        Motion of the six coordinates, at rest at both ends.
    cost : float
        Value of its criterion.
    condition : float
        Condition number of ``Sigma^-1/2 W``.
    """

    motion: PeriodicFourierMotion
    cost: float
    condition: float


def plan_free_flyer(
    family: FourierFamily,
    criterion: FreeFlyerCriterion = FreeFlyerCriterion.CONDITION,
    settings: CriterionSettings = CriterionSettings(),
    seed: int = 0,
    iterations: int = 60,
    progress: Callable[[int, float], bool] | None = None,
) -> PlannedPose:
    """Return an exciting motion by one search from one random start (papers/003 section 4.1).

    Parameters
    ----------
    family : FourierFamily
        Motions to choose from.
    criterion : FreeFlyerCriterion
        What is minimised.
    settings : CriterionSettings
        How a motion is judged.
    seed : int
        Seed of the start: other seeds end in other local minima.
    iterations : int
        Most iterations of the optimiser.
    progress : callable, optional
        Called after every evaluation with their number and the best cost; returning True ends
        the search with the best so far.

    Raises
    ------
    PlanningError
        If the best motion found does not show all ten parameters.
    """
    search = _Search(family, _CRITERIA[criterion], settings, progress)
    start = np.random.default_rng(seed).uniform(-0.5, 0.5, family.shape)
    lower, upper = family.bounds
    with suppress(_StopSearchError):
        minimize(
            search.cost,
            start.ravel(),
            method='L-BFGS-B',
            bounds=list(zip(lower.ravel(), upper.ravel(), strict=True)),
            options={'maxiter': iterations, 'eps': 1e-6},
        )
    motion = family.motion(search.best)
    singular = np.linalg.svd(
        weighted_regressor(_one_cycle(motion, settings), settings), compute_uv=False
    )
    if not singular[-1] > 1e-9 * singular[0]:
        raise PlanningError('the motion found does not show all ten parameters of the body')
    return PlannedPose(motion, search.least, float(singular[0] / singular[-1]))


class _StopSearchError(Exception):
    """Raised within the search when the caller asked to stop."""


class _Search:
    """Counts evaluations and keeps the best numbers."""

    def __init__(
        self,
        family: FourierFamily,
        judge: Callable[[ExcitingMotion, CriterionSettings], float],
        settings: CriterionSettings,
        progress: Callable[[int, float], bool] | None,
    ) -> None:
        self.family, self.judge, self.settings = family, judge, settings
        self.progress, self.evaluations = progress, 0
        self.least, self.best = np.inf, np.zeros(family.shape)

    def cost(self, numbers: NDArray[np.float64]) -> float:
        """Return the cost of numbers."""
        cost = self.judge(self.family.motion(numbers), self.settings)
        self.evaluations += 1
        if cost < self.least:
            self.least, self.best = cost, numbers.copy()
        if self.progress is not None and self.progress(self.evaluations, self.least):
            raise _StopSearchError
        return cost


def _one_cycle(motion: ExcitingMotion, settings: CriterionSettings) -> PlannedMotion:
    """Return equally spaced samples of one cycle; of the whole, where there are no cycles."""
    cycle = motion.duration / getattr(motion, 'cycles', 1)
    return motion.sample((np.arange(settings.samples) + 0.5) * cycle / settings.samples)

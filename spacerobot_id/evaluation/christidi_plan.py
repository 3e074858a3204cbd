"""Condition numbers of the regressors of papers/004, and a motion that makes one smaller."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.estimation import AngularMomentumProblem
from spacerobot_id.evaluation.momentum_flight import fly_with_momentum, MomentumFlight, some_of
from spacerobot_id.excitation import FourierQuintic, FourierQuinticFamily
from spacerobot_id.excitation.angular_momentum_plan import improved_in_box
from spacerobot_id.regressor import (
    angular_momentum_regressor,
    equations_of_motion_regressor,
)

_SAMPLES_PER_SECOND = 4.0
"""Samples per second of a flight of which few are used, while a motion is sought."""


@dataclass(frozen=True)
class ConditionNumbers:
    """Condition numbers of the two regressors of papers/004.

    Parameters
    ----------
    angular_momentum, equations_of_motion : float
        No unit.
    """

    angular_momentum: float
    equations_of_motion: float


def condition_numbers(problem: AngularMomentumProblem, flight: MomentumFlight) -> ConditionNumbers:
    """Return the condition numbers of both regressors over samples of a flight."""
    seen, joints = flight.samples, flight.samples.qd
    turning, model, reduced = seen.base_twist[:, 3:], problem.model, problem.reduced
    rows = (
        angular_momentum_regressor(model, reduced, seen.q, joints, turning),
        equations_of_motion_regressor(
            model, reduced, seen.q, joints, seen.qdd, turning, flight.bending
        ),
    )
    angular, equations = (np.linalg.cond(each.reshape(-1, len(reduced))) for each in rows)
    return ConditionNumbers(float(angular), float(equations))


def better_conditioned(
    problem: AngularMomentumProblem,
    motion: FourierQuintic,
    attitude: ArrayLike,
    samples: int,
    iterations: int = 30,
) -> FourierQuintic:
    """Return a motion with a lower condition number of the equations of motion.

    Parameters
    ----------
    problem : AngularMomentumProblem
        Robot and momentum.
    motion : FourierQuintic
        Motion to start from.
    attitude : array_like, shape (4,)
        Quaternion x y z w at the start.
    samples : int
        Samples that are used.
    iterations : int
        Most iterations.
    """
    model = problem.model
    limits = [joint.limits for joint in model.joints]
    harmonics = motion.sines.shape[1]
    family = FourierQuinticFamily(
        motion.names, motion.duration, harmonics, motion.start, motion.end
    )
    largest = family.bounds(limits).ub
    rate = _SAMPLES_PER_SECOND

    def moved(shares: NDArray[np.float64]) -> FourierQuintic:
        return family.motion(family.within(shares * largest, limits))

    def cost(shares: NDArray[np.float64]) -> float:
        momentum = problem.settings.known_angular_momentum
        flight = fly_with_momentum(model, moved(shares), momentum, attitude, rate)
        rows = some_of(len(flight.samples), samples)
        return float(np.log(condition_numbers(problem, flight[rows]).equations_of_motion))

    return moved(improved_in_box(cost, family.parameters(motion) / largest, iterations))

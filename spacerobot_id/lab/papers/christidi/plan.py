"""Motions of [Christidi 2017]: Table II, one planned here, and one that is better conditioned."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from spacerobot_id.excitation import KnownMomentum
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.excitation.family.quintic_family import FourierQuinticFamily
from spacerobot_id.excitation.planner import plan_excitation
from spacerobot_id.excitation.planner_settings import PlanCriterionSettings, PlannerSettings
from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.flight.momentum_flight import fly_with_momentum, MomentumFlight, some_of
from spacerobot_id.lab.papers.published import Paper
from spacerobot_id.methods.angular_momentum import AngularMomentum
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import (
    angular_momentum_regressor,
    equations_of_motion_regressor,
)

_SAMPLES_PER_SECOND = 4.0
"""Samples per second of a flight of which few are used, while a motion is sought."""


def table_two(paper: Paper, names: tuple[str, ...]) -> FourierQuintic:
    """Return the motion of Table II, from zero angles to zero angles, of joints by their names."""
    rest = np.zeros(len(names))
    duration = paper.number('duration')
    return FourierQuintic(names, duration, paper.array('a'), paper.array('b'), rest, rest)


def planned_motion(
    paper: Paper, prior: RobotModel, draws: int, restarts: int, iterations: int
) -> FourierQuintic:
    """Return a motion planned with the prior, of as many seconds and harmonics as the paper's."""
    momentum = KnownMomentum(
        tuple(paper.array('angular_momentum')), tuple(paper.array('attitude')), trust_zeros=True
    )
    wanted = PlannerSettings(
        family=FamilyName.FOURIER_QUINTIC,
        criterion=PlanCriterionSettings(worst_share=0.0),
        duration=paper.number('duration'),
        harmonics=paper.count('harmonics'),
        draws=draws,
        restarts=restarts,
        iterations=iterations,
    )
    rest = np.zeros(len(prior.joints))
    return plan_excitation(prior, rest, wanted, method='angular_momentum', momentum=momentum).plan


def condition_numbers(problem: AngularMomentum, flight: MomentumFlight) -> tuple[float, float]:
    """Return those of angular momentum and of equations of motion over samples of a flight."""
    seen, joints = flight.samples, flight.samples.qd
    omega, model, reduced = seen.base_twist[:, 3:], problem.model, problem.reduced
    rows = (
        angular_momentum_regressor(model, reduced, seen.q, joints, omega),
        equations_of_motion_regressor(
            model, reduced, seen.q, joints, seen.qdd, omega, flight.angular_acceleration
        ),
    )
    angular, equations = (np.linalg.cond(each.reshape(-1, len(reduced))) for each in rows)
    return float(angular), float(equations)


def better_conditioned(
    problem: AngularMomentum,
    motion: FourierQuintic,
    attitude: ArrayLike,
    samples: int,
    iterations: int = 30,
) -> FourierQuintic:
    """Return a motion with a lower condition number of the equations of motion.

    Parameters
    ----------
    problem : AngularMomentum
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
    harmonics = motion.rate_cosines.shape[1]
    family = FourierQuinticFamily(
        motion.names, limits, motion.duration, harmonics, motion.start, motion.end
    )
    rate = _SAMPLES_PER_SECOND

    def moved(shares: NDArray[np.float64]) -> FourierQuintic:
        return family.motion_of(family.within(shares * family.largest))

    def cost(shares: NDArray[np.float64]) -> float:
        momentum = problem.settings.known_angular_momentum
        flight = fly_with_momentum(model, moved(shares), momentum, attitude, rate)
        rows = some_of(len(flight.samples), samples)
        return float(np.log(condition_numbers(problem, flight[rows])[1]))

    coefficients = np.concatenate([motion.rate_cosines.ravel(), motion.rate_sines.ravel()])
    start = coefficients / family.largest
    found = minimize(
        cost,
        start,
        method='L-BFGS-B',
        bounds=family.bounds,
        options={'maxiter': iterations, 'eps': 1e-4},
    )
    return moved(found.x)

"""Identification of a whole log by the methods that need no velocity of the base."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.angular_momentum_fit import (
    angular_momentum_least_squares,
    angular_momentum_output_error,
    best_angular_momentum_start,
)
from spacerobot_id.estimation.angular_momentum_problem import AngularMomentumProblem
from spacerobot_id.estimation.angular_momentum_rows import angular_misfit
from spacerobot_id.estimation.batch_identification import (
    BatchIdentification,
    Method,
    Validation,
)
from spacerobot_id.estimation.equations_of_motion import (
    AcceleratedMotion,
    differentiated_motion,
    equations_of_motion_least_squares,
    fitted_motion,
)
from spacerobot_id.estimation.identification_state import RecursionSettings
from spacerobot_id.estimation.joint_torque_fit import absorb_joint_torques
from spacerobot_id.estimation.reduced_estimate import reduced_estimate
from spacerobot_id.estimation.square_root_information import SquareRootInformation
from spacerobot_id.exceptions import EstimationError

_MOST_HARMONICS = 30
"""Most harmonics of a fit to a whole motion: the base turns with more than the joints have."""


@dataclass(frozen=True, eq=False)
class _Found:
    """What a method found, and with which prior."""

    information: SquareRootInformation
    samples: int


def identify_reduced(
    problem: AngularMomentumProblem,
    measurement: Measurement,
    method: Method = Method.ANGULAR_MOMENTUM,
    settings: RecursionSettings = RecursionSettings(),
) -> BatchIdentification:
    """Return the estimate of a whole log.

    Parameters
    ----------
    problem : AngularMomentumProblem
        Robot, noise and known momentum.
    measurement : Measurement
        Samples in the order of time.
    method : Method
        One of those of reduced parameters.
    settings : RecursionSettings
        Prior; outliers and changes are not looked for.

    Raises
    ------
    EstimationError
        If there are too few samples in which something moves, no attitude with a momentum, or no
        torques where they are needed.
    """
    seen = problem.complete(measurement)
    if len(measurement) and not len(seen):
        raise EstimationError(f'{method.value} needs the attitude of base_pose')
    moving = seen[problem.is_moving(seen)]
    if 3 * len(moving) < len(problem.names):
        raise EstimationError(
            f'{len(moving)} samples in which something moves are too few for '
            f'{len(problem.names)} unknowns'
        )
    prior = problem.prior(settings.prior_relative_std)
    if method is Method.ANGULAR_MOMENTUM_LEAST_SQUARES:
        found = _Found(angular_momentum_least_squares(problem, moving), len(moving))
    elif method in (Method.ANGULAR_MOMENTUM, Method.ANGULAR_MOMENTUM_AND_TORQUES):
        found = _output_error(problem, seen, moving, prior, method)
    else:
        motion = _accelerated(problem, seen, method)
        found = _Found(equations_of_motion_least_squares(problem, motion), len(motion))
    estimate = reduced_estimate(
        problem, found.information, prior, problem.gram(moving), found.samples
    )
    return BatchIdentification(estimate, found.information.values(), 0, 0)


def validate_reduced(
    problem: AngularMomentumProblem, measurement: Measurement, values: NDArray[np.float64]
) -> Validation:
    """Return how unknowns predict the gyro of other samples; the RMS is of its three axes."""
    seen = problem.complete(measurement)
    error = angular_misfit(problem, seen, values)
    whitened = error / problem.rate_std[:3]
    rms = np.sqrt(np.mean(error**2, axis=0))
    return Validation(len(seen), rms, float(np.mean(whitened**2)))


def _output_error(
    problem: AngularMomentumProblem,
    seen: Measurement,
    moving: Measurement,
    prior: SquareRootInformation,
    method: Method,
) -> _Found:
    """Return the output-error fit, with joint torques as further rows if asked for."""
    start = best_angular_momentum_start(problem, moving, prior.values(), prior)
    fit = angular_momentum_output_error(problem, moving, start, prior)
    if method is Method.ANGULAR_MOMENTUM:
        return _Found(fit.information, len(moving))
    both = absorb_joint_torques(problem, _motion(problem, seen), fit.values, fit.information)
    return _Found(both, len(moving))


def _accelerated(
    problem: AngularMomentumProblem, seen: Measurement, method: Method
) -> AcceleratedMotion:
    """Return motion with accelerations, from a fit or by local polynomials."""
    if method is Method.EQUATIONS_OF_MOTION_FOURIER:
        return fitted_motion(problem, _motion(problem, seen), _MOST_HARMONICS)
    return differentiated_motion(problem, seen, problem.settings.acceleration_window)


def _motion(problem: AngularMomentumProblem, seen: Measurement) -> Measurement:
    """Return the samples from the first in which something moves to the last."""
    moving = np.flatnonzero(problem.is_moving(seen))
    return seen[moving[0] : moving[-1] + 1]

"""The estimates of papers/004 and ours, over seeds of the noise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.data.fourier_polynomial import best_fourier_polynomial, Span
from spacerobot_id.estimation import (
    absorb_joint_torques,
    AcceleratedMotion,
    angular_momentum_least_squares,
    angular_momentum_output_error,
    AngularMomentumProblem,
    differentiated_motion,
    equations_of_motion_least_squares,
    fitted_motion,
    SquareRootInformation,
)
from spacerobot_id.evaluation.christidi_parameters import published_order
from spacerobot_id.evaluation.momentum_flight import MomentumFlight, sensed, some_of

_DIFFERENCES = 3
"""Samples of a central difference: what a paper means by numerical differentiation."""

_MOST_HARMONICS = 12
"""Most harmonics of a fit to joint angles."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimates over seeds, in the paper's order.

    Parameters
    ----------
    true : ndarray, shape (19,)
        True values, kg m^2.
    values : ndarray, shape (seeds, 19)
        Estimates.
    std : ndarray, shape (seeds, 19)
        Standard deviations that they give themselves.
    """

    true: NDArray[np.float64]
    values: NDArray[np.float64]
    std: NDArray[np.float64]

    @property
    def errors(self) -> NDArray[np.float64]:
        """Medians over the seeds of the magnitudes of relative errors, %, shape (19,)."""
        return 100.0 * np.median(np.abs(self.values / self.true - 1.0), axis=0)

    @property
    def coverage(self) -> float:
        """Share of true values within the 95 % intervals, %."""
        return float(100.0 * np.mean(np.abs(self.values - self.true) < 1.96 * self.std))


Estimator = Callable[[AngularMomentumProblem, Measurement], SquareRootInformation]
"""Makes an estimate of what sensors give."""


def estimates_over_seeds(
    problem: AngularMomentumProblem,
    flight: MomentumFlight,
    estimator: Estimator,
    window: int,
    seeds: Sequence[int],
) -> Estimates:
    """Return estimates of one flight with several seeds of the noise.

    Parameters
    ----------
    problem : AngularMomentumProblem
        True robot, whose parameters the estimators do not look at, and its noise.
    flight : MomentumFlight
        True motion.
    estimator : callable
        How; see the functions of this module.
    window : int
        Samples of the local polynomial that gives joint rates.
    seeds : sequence of int
        Seeds.
    """
    order = published_order(problem.reduced)
    found = [
        estimator(problem, sensed(problem.model, flight, window, seed, noisy=True))
        for seed in seeds
    ]
    return Estimates(
        problem.reduced.values(problem.model)[order],
        np.stack([each.values()[order] for each in found]),
        np.stack([np.sqrt(np.diag(each.covariance()))[order] for each in found]),
    )


def paper_angular_momentum(samples: int | None) -> Estimator:
    """Return least squares of Eq. 18 with some samples, or with all of them."""

    def estimate(problem: AngularMomentumProblem, seen: Measurement) -> SquareRootInformation:
        rows = some_of(len(seen), samples or len(seen))
        return angular_momentum_least_squares(problem, seen[rows])

    return estimate


def paper_equations_of_motion(samples: int | None) -> Estimator:
    """Return least squares of Eq. 13, accelerations by central differences of the rates."""
    return _equations_of_motion(
        lambda problem, seen: differentiated_motion(problem, seen, _DIFFERENCES), samples
    )


def fitted_equations_of_motion(samples: int | None, span: Span) -> Estimator:
    """Return the same with accelerations of a Fourier series and quintic."""
    return _equations_of_motion(
        lambda problem, seen: fitted_motion(problem, seen, _MOST_HARMONICS, span), samples
    )


def _equations_of_motion(
    derive: Callable[[AngularMomentumProblem, Measurement], AcceleratedMotion],
    samples: int | None,
) -> Estimator:
    def estimate(problem: AngularMomentumProblem, seen: Measurement) -> SquareRootInformation:
        motion = derive(problem, seen)
        rows = some_of(len(motion), samples or len(motion))
        return equations_of_motion_least_squares(problem, motion[rows])

    return estimate


def ours(span: Span, *, with_torques: bool = False) -> Estimator:
    """Return output error with every sample, joint angles smoothed over the motion.

    The bias of the gyro is an unknown beside the 19.

    Parameters
    ----------
    span : Span
        When the motion took place.
    with_torques : bool
        Whether the torques of the joints are further rows.
    """

    def estimate(problem: AngularMomentumProblem, seen: Measurement) -> SquareRootInformation:
        smooth, smooth_problem = _smoothed(problem, seen, span)
        information = _output_error(smooth_problem, smooth)
        if not with_torques:
            return information
        # Smoothed rates have noise that lasts: torques go with the rates as they are.
        rate_std = problem.rate_std.copy()
        rate_std[3:] = np.std(seen.qd - smooth.qd, axis=0)
        noisy = replace(problem, rate_std=rate_std)
        return absorb_joint_torques(noisy, seen, information.values(), information)

    return estimate


def _output_error(problem: AngularMomentumProblem, seen: Measurement) -> SquareRootInformation:
    """Return the output-error estimate; of the 19 nothing is known before."""
    start = angular_momentum_least_squares(problem, seen).values()
    biases = len(problem.names) - len(start)
    known = SquareRootInformation.nothing(len(problem.names)).absorb(
        np.eye(len(problem.names))[len(start) :] / problem.gyro_bias, np.zeros(biases)
    )
    start = np.append(start, np.zeros(biases))
    return angular_momentum_output_error(problem, seen, start, known).information


def _smoothed(
    problem: AngularMomentumProblem, seen: Measurement, span: Span
) -> tuple[Measurement, AngularMomentumProblem]:
    """Return angles and rates of a fit to the encoders' angles, and the noise left in them."""
    fit = best_fourier_polynomial(seen.times, seen.q, _MOST_HARMONICS, span)
    smooth = replace(seen, q=fit.derivative(seen.times), qd=fit.derivative(seen.times, 1))
    share = np.sqrt(len(fit.coefficients) / len(seen))
    fastest = 2.0 * np.pi * fit.harmonics / fit.duration
    left = fastest * share * problem.model.noise.joint_position
    rate_std = problem.rate_std.copy()
    rate_std[3:] = left
    return smooth, replace(problem, rate_std=rate_std)

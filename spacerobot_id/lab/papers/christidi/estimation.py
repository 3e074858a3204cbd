"""The estimates of [Christidi 2017] and ours, over seeds of the noise."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.gauss_newton import best_fit, gauss_newton
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.flight.momentum_flight import MomentumFlight, sensed, some_of
from spacerobot_id.lab.papers.estimates import EstimateStatistics
from spacerobot_id.lab.papers.published import published
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.signal.fourier_series import best_fourier_polynomial, Span
from spacerobot_id.methods.angular_momentum import AngularMomentum
from spacerobot_id.methods.angular_momentum_and_torques import absorb_joint_torques
from spacerobot_id.methods.equations_of_motion import (
    EquationsOfMotion,
    with_fitted_rates,
)
from spacerobot_id.methods.least_squares import AngularMomentumLeastSquares
from spacerobot_id.methods.smoothing import with_accelerations
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import ReducedParameters
from spacerobot_id.statistics.square_root_information import SquareRootInformation


def published_order(reduced: ReducedParameters) -> NDArray[np.intp]:
    """Return where pi_1 to pi_19 stand among the reduced parameters, shape (19,).

    Raises
    ------
    ConfigurationError
        If they are not those of the robot of [Christidi 2017].
    """
    names, wanted = list(reduced.names), published('christidi').entries['true_values'].names
    if sorted(names) != sorted(wanted):
        raise ConfigurationError(
            f'{len(names)} reduced parameters are not the {len(wanted)} of [Christidi 2017]'
        )
    return np.array([names.index(name) for name in wanted], dtype=int)


def published_parameters(reduced: ReducedParameters, model: RobotModel) -> NDArray[np.float64]:
    """Return pi_1 to pi_19 of a robot like that of [Christidi 2017], kg m^2, shape (19,)."""
    return reduced.values(model)[published_order(reduced)]


_DIFFERENCES = 3
"""Samples of a central difference: what a paper means by numerical differentiation."""

_MOST_HARMONICS = 12
"""Most harmonics of a fit to joint angles."""


class Case(Enum):
    """Methods, and the samples that they take."""

    PAPER_EQUATIONS = 'equations of motion, 20 samples, differences'
    FITTED_EQUATIONS = 'equations of motion, 20 samples, Fourier fit'
    PAPER_MOMENTUM = 'angular momentum, 20 samples, least squares'
    EVERY_EQUATIONS = 'equations of motion, every sample, Fourier fit'
    EVERY_MOMENTUM = 'angular momentum, every sample, least squares'
    OURS = 'ours, every sample'
    OURS_TORQUES = 'ours, every sample, torques too'
    OURS_PLANNED = 'ours, every sample, our own motion'


OF_THE_PAPER = Case.PAPER_EQUATIONS, Case.PAPER_MOMENTUM
"""Cases of Table III."""

Estimator = Callable[[AngularMomentum, Record], SquareRootInformation]
"""Makes an estimate from a record."""


def estimates_over_seeds(
    problem: AngularMomentum,
    flight: MomentumFlight,
    estimator: Estimator,
    window: int,
    seeds: Sequence[int],
) -> EstimateStatistics:
    """Return estimates of one flight with several seeds of the noise.

    Parameters
    ----------
    problem : AngularMomentum
        True robot, which estimators take the structure and the noise of, not the parameters.
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
    return EstimateStatistics(
        np.stack([each.values()[order] for each in found]),
        np.stack([np.sqrt(np.diag(each.covariance()))[order] for each in found]),
        published_parameters(problem.reduced, problem.model),
    )


def estimate_cases(
    problem: AngularMomentum,
    flight: MomentumFlight,
    own: MomentumFlight,
    count: int,
    window: int,
    seeds: Sequence[int],
    draws: Sequence[int],
) -> dict[Case, EstimateStatistics]:
    """Return the estimates of every method.

    Parameters
    ----------
    problem : AngularMomentum
        Robot and noise.
    flight, own : MomentumFlight
        Along the motion of the paper, and along our own.
    count : int
        Samples that the methods of the paper use.
    window : int
        Samples of the local polynomial that gives joint rates.
    seeds, draws : sequence of int
        Seeds of the noise, and those of the two cases of the paper.
    """
    span = Span(0.0, float(flight.samples.times[-1]))
    differences = partial(with_accelerations, window=_DIFFERENCES, longest_step=np.inf)
    fit = partial(with_fitted_rates, most_harmonics=_MOST_HARMONICS, span=span)
    methods = {
        Case.PAPER_EQUATIONS: (flight, of_samples(count, differences)),
        Case.FITTED_EQUATIONS: (flight, of_samples(count, fit)),
        Case.PAPER_MOMENTUM: (flight, of_samples(count)),
        Case.EVERY_EQUATIONS: (flight, of_samples(None, fit)),
        Case.EVERY_MOMENTUM: (flight, of_samples(None)),
        Case.OURS: (flight, ours(span)),
        Case.OURS_TORQUES: (flight, ours(span, with_torques=True)),
        Case.OURS_PLANNED: (own, ours(span)),
    }
    return {
        case: estimates_over_seeds(
            problem, flown, estimator, window, draws if case in OF_THE_PAPER else seeds
        )
        for case, (flown, estimator) in methods.items()
    }


def errors_without_noise(
    problem: AngularMomentum, flight: MomentumFlight, count: int
) -> dict[str, NDArray[np.float64]]:
    """Return relative errors of both methods from true rates and accelerations, %.

    Parameters
    ----------
    problem : AngularMomentum
        Robot.
    flight : MomentumFlight
        Flight.
    count : int
        Samples that are used.
    """
    few = flight[some_of(len(flight.samples), count)]
    seen, samples = few.measurement(), few.samples
    accelerated = replace(
        seen,
        q=samples.q,
        qd=samples.qd,
        qdd=samples.qdd,
        angular_acceleration=few.angular_acceleration,
        wheel_acceleration=np.zeros_like(seen.wheel_rates),
        joint_torque=few.joint_torque,
    )
    order = published_order(problem.reduced)
    true = published_parameters(problem.reduced, problem.model)
    found = {
        'equations of motion': least_squares(problem, accelerated, EquationsOfMotion),
        'angular momentum': least_squares(problem, seen),
    }
    return {name: 100.0 * (each.values()[order] / true - 1.0) for name, each in found.items()}


def of_samples(samples: int | None, derive: Callable[[Record], Record] | None = None) -> Estimator:
    """Return least squares with some samples, or with all of them.

    Parameters
    ----------
    samples : int, optional
        How many; all if None.
    derive : callable, optional
        Gives the accelerations of the equations of motion (Eq. 13); those of the angular momentum
        (Eq. 18) need none.
    """
    kind = AngularMomentumLeastSquares if derive is None else EquationsOfMotion

    def estimate(problem: AngularMomentum, seen: Record) -> SquareRootInformation:
        motion = seen if derive is None else derive(seen)
        rows = some_of(len(motion), samples or len(motion))
        return least_squares(problem, motion[rows], kind)

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

    def estimate(problem: AngularMomentum, seen: Record) -> SquareRootInformation:
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


def _output_error(problem: AngularMomentum, seen: Record) -> SquareRootInformation:
    """Return the output-error estimate; of the 19 nothing is known before."""
    start = least_squares(problem, seen).values()
    std, count = problem.unknowns.std, len(problem.unknowns)
    known = SquareRootInformation.nothing(count).absorb(
        np.eye(count)[len(start) :] / std[:, None], np.zeros(len(std))
    )
    start = np.append(start, np.zeros(len(std)))
    return gauss_newton(problem, seen, start, known=known).information


def least_squares(
    problem: AngularMomentum,
    seen: Record,
    kind: type[AngularMomentum] = AngularMomentumLeastSquares,
) -> SquareRootInformation:
    """Return least squares on a regressor, its covariance scaled to the residual.

    Parameters
    ----------
    problem : AngularMomentum
        Robot.
    seen : Record
        Samples, with accelerations for the equations of motion.
    kind : type
        Method whose equations are solved.
    """
    method = kind(problem.model, problem.rate_std, problem.attitude_std, problem.settings)
    start = np.zeros(len(method.unknowns))
    return best_fit(method, seen, [start]).information.with_unit_residual()


def _smoothed(
    problem: AngularMomentum, seen: Record, span: Span
) -> tuple[Record, AngularMomentum]:
    """Return angles and rates of a fit to the encoders' angles, and the noise left in them."""
    fit = best_fourier_polynomial(seen.times, seen.q, _MOST_HARMONICS, span)
    smooth = replace(seen, q=fit.derivative(seen.times), qd=fit.derivative(seen.times, 1))
    share = np.sqrt(len(fit.coefficients) / len(seen))
    fastest = 2.0 * np.pi * fit.harmonics / fit.duration
    left = fastest * share * problem.model.noise.joint_position
    rate_std = problem.rate_std.copy()
    rate_std[3:] = left
    return smooth, replace(problem, rate_std=rate_std)

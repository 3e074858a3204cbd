"""The reduced parameters of a robot from its angular momentum, all samples at once."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.angular_momentum_problem import AngularMomentumProblem
from spacerobot_id.estimation.angular_momentum_rows import (
    angular_output_cost,
    angular_output_error_rows,
    ordinary_angular_rows,
)
from spacerobot_id.estimation.square_root_information import SquareRootInformation

_CHUNK = 2000
"""Samples whose rows are in memory at a time."""

_HALVINGS = 8
"""Times that a step is halved before the fit has come to its end."""


@dataclass(frozen=True, eq=False)
class AngularMomentumFit:
    """Result of a fit.

    Parameters
    ----------
    values : ndarray, shape (u,)
        Unknowns that the information is linear about.
    information : SquareRootInformation
        Estimate and covariance.
    iterations : int
        Gauss-Newton steps taken.
    """

    values: NDArray[np.float64]
    information: SquareRootInformation
    iterations: int


def angular_momentum_least_squares(
    problem: AngularMomentumProblem, measurement: Measurement
) -> SquareRootInformation:
    """Return the least-squares estimate of papers/004 Eq. 18.

    Its covariance is scaled to the residual, as if the regressor were free of noise.

    Parameters
    ----------
    problem : AngularMomentumProblem
        Robot; a bias of the gyro is no unknown here.
    measurement : Measurement
        Samples with attitude.
    """
    information = SquareRootInformation.nothing(len(problem.reduced))
    for chunk in _chunks(measurement):
        rows = ordinary_angular_rows(problem, chunk)
        information = information.absorb(rows.matrix, rows.right)
    return information.with_unit_residual()


def angular_momentum_output_error(
    problem: AngularMomentumProblem,
    measurement: Measurement,
    start: NDArray[np.float64],
    known: SquareRootInformation,
    iterations: int = 20,
    tolerance: float = 1e-3,
) -> AngularMomentumFit:
    """Fit the gyro by Gauss-Newton: maximum likelihood to first order in the noise.

    Parameters
    ----------
    problem : AngularMomentumProblem
        Robot and noise.
    measurement : Measurement
        Samples with attitude.
    start : ndarray, shape (u,)
        Unknowns to start from: least squares, a prior, an earlier estimate.
    known : SquareRootInformation
        What is known without the samples.
    iterations : int
        Most steps.
    tolerance : float
        Largest step, in standard deviations, that ends the fit.
    """
    values = np.asarray(start, dtype=float)
    information = absorb_angular_momentum(problem, measurement, values, known)
    cost = _cost(problem, measurement, values, known)
    for iteration in range(iterations):
        step = information.values() - values
        if information.deviations(step) < tolerance:
            return AngularMomentumFit(values, information, iteration)
        for _ in range(_HALVINGS):
            reached = _cost(problem, measurement, values + step, known)
            if reached < cost or information.deviations(step) < 0.1:
                break
            step = 0.5 * step
        else:
            return AngularMomentumFit(values, information, iteration)
        values, cost = values + step, reached
        information = absorb_angular_momentum(problem, measurement, values, known)
    return AngularMomentumFit(values, information, iterations)


def best_angular_momentum_start(
    problem: AngularMomentumProblem,
    measurement: Measurement,
    centre: NDArray[np.float64],
    known: SquareRootInformation,
) -> NDArray[np.float64]:
    """Return the better of some values and of least squares with what is known.

    Least squares cannot be led astray by where it starts; its rows are weighted as a whole, by
    what the noise of the gyro makes of the momentum.

    Parameters
    ----------
    problem, measurement, known
        As for ``angular_momentum_output_error``.
    centre : ndarray, shape (u,)
        Unknowns.
    """
    inertia = problem.inertia(centre, measurement.q[0])
    weight = 1.0 / (np.linalg.norm(inertia, 2) * problem.rate_std[:3].max())
    information = known
    for chunk in _chunks(measurement):
        rows = ordinary_angular_rows(problem, chunk)
        matrix = np.zeros((len(rows.right), len(centre)))
        matrix[:, : len(problem.reduced)] = weight * rows.matrix
        information = information.absorb(matrix, weight * rows.right)

    def cost(values: NDArray[np.float64]) -> float:
        return _cost(problem, measurement, values, known)

    return min(centre, information.values(), key=cost)


def absorb_angular_momentum(
    problem: AngularMomentumProblem,
    measurement: Measurement,
    values: NDArray[np.float64],
    information: SquareRootInformation,
) -> SquareRootInformation:
    """Return information with a measurement's rows in it, linear about some values."""
    for chunk in _chunks(measurement):
        rows = angular_output_error_rows(problem, chunk, values)
        information = information.absorb(rows.matrix, rows.right)
    return information


def _cost(
    problem: AngularMomentumProblem,
    measurement: Measurement,
    values: NDArray[np.float64],
    known: SquareRootInformation,
) -> float:
    """Return minus twice the logarithm of the posterior density, but for a constant.

    It is infinite where no inertia follows from the values.
    """
    of_samples = (angular_output_cost(problem, chunk, values) for chunk in _chunks(measurement))
    try:
        total = known.cost(values) + sum(of_samples)
    except np.linalg.LinAlgError:
        return np.inf
    return total if np.isfinite(total) else np.inf


def _chunks(measurement: Measurement) -> Iterator[Measurement]:
    """Yield a measurement in parts that fit the memory."""
    for begin in range(0, len(measurement), _CHUNK):
        yield measurement[begin : begin + _CHUNK]

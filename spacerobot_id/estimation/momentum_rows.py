"""Rows of linear equations in the minimal parameters, at the rates as they are measured.

ordinary
    Momentum regressor at the measured rates, every row alike (papers/000 Eq. 26).
weighted
    The same rows, divided by the noise that the measured rates put into them.

The noise of the rates is in the regressor itself, so both are biased; ``output_error_rows`` are
not.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.dynamics import momentum_matrix, wheel_momentum
from spacerobot_id.estimation.momentum_problem import MomentumProblem


@dataclass(frozen=True, eq=False)
class Rows:
    """Linear equations ``matrix @ x = right``.

    Parameters
    ----------
    matrix : ndarray, shape (r, p)
        Coefficients.
    right : ndarray, shape (r,)
        Right-hand side.
    """

    matrix: NDArray[np.float64]
    right: NDArray[np.float64]


def ordinary_rows(problem: MomentumProblem, measurement: Measurement) -> Rows:
    """Return the rows of papers/000 Eq. 26: robot's momentum equals minus the wheels'."""
    matrix = problem.regressor(measurement, measurement.base_twist)[:, problem.free]
    return Rows(_stacked(matrix), -_wheel_momentum(problem, measurement).ravel())


def weighted_rows(
    problem: MomentumProblem, measurement: Measurement, values: NDArray[np.float64]
) -> Rows:
    """Return the ordinary rows with unit noise, as it is at some minimal parameters.

    Raises
    ------
    numpy.linalg.LinAlgError
        If some rate is stated to be free of noise.
    """
    matrix = problem.regressor(measurement, measurement.base_twist)[:, problem.free]
    generalized = momentum_matrix(problem.with_values(values), measurement.q)[:, problem.free]
    return _whitened(problem, generalized, matrix, -_wheel_momentum(problem, measurement))


def _noise_factor(
    problem: MomentumProblem, generalized: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the lower root of ``H S H^T``, the covariance that the rates' noise gives."""
    scaled = generalized * problem.rate_std
    return np.linalg.cholesky(scaled @ np.swapaxes(scaled, -1, -2))


def _whitened(
    problem: MomentumProblem,
    generalized: NDArray[np.float64],
    matrix: NDArray[np.float64],
    right: NDArray[np.float64],
) -> Rows:
    """Return rows divided by the root of the covariance ``H S H^T`` of their noise."""
    both = np.concatenate([matrix, right[..., None]], axis=-1)
    whitened = np.linalg.solve(_noise_factor(problem, generalized), both)
    return Rows(_stacked(whitened[..., :-1]), whitened[..., -1].ravel())


def _stacked(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows of all samples below one another."""
    return matrix.reshape(-1, matrix.shape[-1])


def _wheel_momentum(problem: MomentumProblem, measurement: Measurement) -> NDArray[np.float64]:
    """Return the wheels' spin momentum in the free components, shape (N, 6) or (N, 3)."""
    return wheel_momentum(problem.model, measurement.q, measurement.wheel_rates)[:, problem.free]

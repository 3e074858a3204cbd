"""Rows of linear equations in the reduced parameters, from angular momentum alone.

ordinary
    Regressor at the measured rates, every row alike (papers/004 Eq. 15).
output error
    Misfit of the gyro against the angular velocity that conservation predicts from joint rates
    and known momentum, ``D w = h - D_q qd``; the noise of gyro, joint rates and attitude is not
    in the regressor, so these are not biased.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.angular_momentum_problem import AngularMomentumProblem
from spacerobot_id.estimation.momentum_rows import Rows
from spacerobot_id.regressor import locked_inertia
from spacerobot_id.spatial import skew


def ordinary_angular_rows(problem: AngularMomentumProblem, measurement: Measurement) -> Rows:
    """Return the rows of papers/004 Eq. 15, here in base axes; a bias is no part of them."""
    matrix = problem.regressor(measurement, measurement.base_twist[:, 3:])
    return Rows(matrix.reshape(-1, matrix.shape[-1]), problem.known(measurement).ravel())


def angular_output_error_rows(
    problem: AngularMomentumProblem, measurement: Measurement, values: NDArray[np.float64]
) -> Rows:
    """Return rows that make the predicted angular velocity fit the gyro.

    Parameters
    ----------
    problem : AngularMomentumProblem
        Robot and noise.
    measurement : Measurement
        N samples.
    values : ndarray, shape (u,)
        Unknowns to linearise about.

    Returns
    -------
    Rows
        Three rows per sample with unit noise, in the unknowns and not in their change.
    """
    found = _predicted(problem, measurement, values)
    count = len(problem.reduced)
    slope = np.zeros((len(measurement), 3, len(values)))
    at_prediction = problem.regressor(measurement, found.turning)
    slope[:, :, :count] = -np.linalg.solve(found.inertia, at_prediction)
    slope[:, :, count:] = np.eye(3)[:, : len(values) - count]
    right = found.error + slope @ values
    both = np.concatenate([slope, right[..., None]], axis=-1)
    whitened = np.linalg.solve(found.noise_factor, both)
    return Rows(whitened[..., :-1].reshape(-1, len(values)), whitened[..., -1].ravel())


def angular_output_cost(
    problem: AngularMomentumProblem, measurement: Measurement, values: NDArray[np.float64]
) -> float:
    """Return minus twice the log-likelihood of the gyro's samples, but for a constant."""
    found = _predicted(problem, measurement, values)
    whitened = np.linalg.solve(found.noise_factor, found.error[..., None])
    logarithms = np.log(np.diagonal(found.noise_factor, axis1=-2, axis2=-1))
    return float(np.sum(whitened**2) + 2.0 * np.sum(logarithms - np.log(problem.rate_std[:3])))


def angular_misfit(
    problem: AngularMomentumProblem, measurement: Measurement, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return measured less predicted angular velocity, rad/s, shape (N, 3)."""
    return _predicted(problem, measurement, values).error


@dataclass(frozen=True, eq=False)
class _Prediction:
    """Predicted angular velocity, the inertia behind it, the misfit and its noise's root."""

    turning: NDArray[np.float64]
    inertia: NDArray[np.float64]
    error: NDArray[np.float64]
    noise_factor: NDArray[np.float64]


def _predicted(
    problem: AngularMomentumProblem, measurement: Measurement, values: NDArray[np.float64]
) -> _Prediction:
    """Compare the gyro with what unknowns predict."""
    count = len(problem.reduced)
    locked = locked_inertia(problem.model, problem.reduced, values[:count], measurement.q)
    inertia, of_joints = locked[:, :, :3], locked[:, :, 3:]
    known = problem.known(measurement)
    momentum = known - np.einsum('nij,nj->ni', of_joints, measurement.qd)
    turning = np.linalg.solve(inertia, momentum[..., None])[..., 0]
    bias = values[count:] if len(values) > count else np.zeros(3)
    sources = np.concatenate(
        [of_joints * problem.rate_std[3:], problem.attitude_std * skew(known)], axis=-1
    )
    spread = np.linalg.solve(inertia, sources)
    covariance = spread @ np.swapaxes(spread, -1, -2) + np.diag(problem.rate_std[:3] ** 2)
    error = measurement.base_twist[:, 3:] - turning - bias
    return _Prediction(turning, inertia, error, np.linalg.cholesky(covariance))

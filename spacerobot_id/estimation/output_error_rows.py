"""What the sensors should read if the unknowns had some values, and rows that mend the misfit.

Conservation of momentum gives the base twist at every sample: ``H_b V = T P - H_bm qd - h_w``,
where ``T P`` is the momentum of the system seen from the base, zero at rest. Where the linear
velocity is not measured, the position is compared instead: the system's centre of mass moves in a
straight line, so position comes from attitude and joint angles without any derivative.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.data import Measurement
from spacerobot_id.dynamics import momentum_matrix, wheel_momentum_matrix
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.momentum_rows import Rows
from spacerobot_id.regressor import first_moment_regressor
from spacerobot_id.spatial import skew


def output_error_rows(
    problem: MomentumProblem, measurement: Measurement, values: NDArray[np.float64]
) -> Rows:
    """Return rows that make the predicted outputs fit the measured, linear about some values.

    Parameters
    ----------
    problem : MomentumProblem
        Robot and noise.
    measurement : Measurement
        N samples.
    values : ndarray, shape (u,)
        Unknowns to linearise about.

    Returns
    -------
    Rows
        Six rows per sample, three for a planar robot, with unit noise; in the unknowns and not
        in their change.
    """
    prediction = _predicted(problem, measurement, values)
    right = prediction.error + prediction.slope @ values
    both = np.concatenate([prediction.slope, right[..., None]], axis=-1)
    whitened = np.linalg.solve(prediction.noise_factor, both)
    return Rows(whitened[..., :-1].reshape(-1, len(values)), whitened[..., -1].ravel())


def output_error_cost(
    problem: MomentumProblem, measurement: Measurement, values: NDArray[np.float64]
) -> float:
    """Return minus twice the log-likelihood of the measured outputs, but for a constant.

    That is the sum of squared errors, weighted by their covariance, and of the logarithms of its
    determinant. Without the latter a robot with a base next to weightless would seem to fit
    everything, because it turns the noise of the joint rates into an uncertain prediction.

    Parameters
    ----------
    problem : MomentumProblem
        Robot and noise.
    measurement : Measurement
        N samples.
    values : ndarray, shape (u,)
        Unknowns.
    """
    prediction = _predicted(problem, measurement, values, with_slope=False)
    lower = prediction.noise_factor
    whitened = np.linalg.solve(lower, prediction.error[..., None])
    logarithms = np.log(np.diagonal(lower, axis1=-2, axis2=-1))
    stated = problem.rate_std[problem.free]
    if problem.from_pose:
        turning, sliding = (
            problem.rate_std[[i for i in problem.free if i > 2]],
            problem.pose_std[0],
        )
        stated = np.append(turning, [sliding] * (len(problem.free) - len(turning)))
    return float(np.sum(whitened**2) + 2.0 * np.sum(logarithms - np.log(stated)))


def output_misfit(
    problem: MomentumProblem, measurement: Measurement, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return measured less predicted outputs, shape (N, 6), or (N, 3) for a planar robot.

    The outputs are linear and angular velocity of the base (m/s, rad/s), or angular velocity and
    position (rad/s, m) where the position is used.
    """
    return _predicted(problem, measurement, values, with_slope=False).error


@dataclass(frozen=True, eq=False)
class _Prediction:
    """Misfit of the outputs, their slopes in the unknowns, and the root of their covariance."""

    error: NDArray[np.float64]
    slope: NDArray[np.float64]
    noise_factor: NDArray[np.float64]


def _predicted(
    problem: MomentumProblem,
    measurement: Measurement,
    values: NDArray[np.float64],
    *,
    with_slope: bool = True,
) -> _Prediction:
    """Compare what is measured with what unknowns predict."""
    generalized = _constrained(
        problem, momentum_matrix(problem.with_values(values), measurement.q)
    )
    of_base, of_joints = generalized[:, :, :6], generalized[:, :, 6:]
    known = _momentum_terms(problem, measurement, values)
    moving = known.total * _freedom(problem) - np.einsum('nij,nj->ni', of_joints, measurement.qd)
    twist = np.linalg.solve(of_base, moving[..., None])[..., 0]
    bias = problem.unknowns.part(values, 'gyro_bias', 3)
    error = measurement.base_twist - twist - np.concatenate([np.zeros(3), bias])
    sources = np.concatenate([of_joints * problem.rate_std[6:], known.of_pose_noise], axis=-1)
    spread = np.linalg.solve(of_base, sources * _freedom(problem)[:, None])
    covariance = spread @ np.swapaxes(spread, -1, -2) + np.diag(problem.rate_std[:6] ** 2)
    slope = np.zeros((0, 0, 0))
    if with_slope:
        slope = _twist_slope(problem, measurement, of_base, twist, known)
    if problem.from_pose:
        return _with_position(problem, measurement, values, error, slope, covariance)
    return _of_free(_Misfit(error, slope, covariance), problem.free)


@dataclass(frozen=True, eq=False)
class _Misfit:
    """Misfit of six outputs, their slopes and their covariance."""

    error: NDArray[np.float64]
    slope: NDArray[np.float64]
    covariance: NDArray[np.float64]


def _of_free(misfit: _Misfit, outputs: list[int]) -> _Prediction:
    """Return the comparison of some outputs."""
    slope = misfit.slope[:, outputs] if misfit.slope.size else misfit.slope
    covariance = misfit.covariance[:, outputs][:, :, outputs]
    return _Prediction(misfit.error[:, outputs], slope, np.linalg.cholesky(covariance))


def _freedom(problem: MomentumProblem) -> NDArray[np.float64]:
    """Return one for each component that is free, zero for the others, shape (6,)."""
    freedom = np.zeros(6)
    freedom[problem.free] = 1.0
    return freedom


def _constrained(
    problem: MomentumProblem, generalized: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the momentum matrix of a base that cannot move where it is not free."""
    if len(problem.free) == 6:
        return generalized
    freedom = _freedom(problem)
    constrained = generalized * freedom[:, None]
    constrained[:, :, :6] = constrained[:, :, :6] * freedom + np.diag(1.0 - freedom)
    return constrained


@dataclass(frozen=True, eq=False)
class _MomentumTerms:
    """Momentum that the robot's own motion has to make up, its slopes, and its noise."""

    total: NDArray[np.float64]
    of_system: NDArray[np.float64]
    of_wheels: NDArray[np.float64]
    of_pose_noise: NDArray[np.float64]


def _momentum_terms(
    problem: MomentumProblem, measurement: Measurement, values: NDArray[np.float64]
) -> _MomentumTerms:
    """Return the system's momentum less the wheels' in base axes, and their slopes."""
    unknowns = problem.unknowns
    wheels = wheel_momentum_matrix(problem.model, measurement.q)
    of_wheels = wheels * measurement.wheel_rates[:, None, :]
    scale = 1.0 + unknowns.part(values, 'wheel_scale', of_wheels.shape[-1])
    total = -of_wheels @ scale
    if not problem.nuisance.needs_attitude:
        none = np.zeros((len(total), 6, 0))
        return _MomentumTerms(total, none, of_wheels, none)
    momentum = unknowns.part(values, 'momentum', 6) + unknowns.part(values, 'impulse', 6)
    of_system = _seen_from_base(measurement)
    seen = of_system @ momentum
    noise = _pose_noise(problem, of_system, momentum, seen)
    return _MomentumTerms(total + seen, of_system, of_wheels, noise)


def _pose_noise(
    problem: MomentumProblem,
    of_system: NDArray[np.float64],
    momentum: NDArray[np.float64],
    seen: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return what the noise of position and attitude does to the momentum seen, (N, 6, 6)."""
    position_std, attitude_std = problem.pose_std
    noise = np.zeros((len(seen), 6, 6))
    noise[:, 3:, :3] = position_std * of_system[:, :3, :3] @ skew(momentum[:3])
    noise[:, :3, 3:] = attitude_std * skew(seen[:, :3])
    noise[:, 3:, 3:] = attitude_std * skew(seen[:, 3:])
    return noise


def _seen_from_base(measurement: Measurement) -> NDArray[np.float64]:
    """Return the matrix from momentum about the inertial origin to that seen from the base."""
    R_BW = np.swapaxes(Rotation.from_quat(measurement.attitude).as_matrix(), -1, -2)
    matrix = np.zeros((len(measurement), 6, 6))
    matrix[:, :3, :3] = matrix[:, 3:, 3:] = R_BW
    matrix[:, 3:, :3] = -R_BW @ skew(measurement.position)
    return matrix


def _twist_slope(
    problem: MomentumProblem,
    measurement: Measurement,
    of_base: NDArray[np.float64],
    twist: NDArray[np.float64],
    known: _MomentumTerms,
) -> NDArray[np.float64]:
    """Return the slope of the predicted twist in the unknowns, shape (N, 6, u)."""
    unknowns, p = problem.unknowns, len(problem.minimal)
    slope = np.zeros((len(measurement), 6, len(unknowns)))
    slope[:, :, :p] = -problem.regressor(measurement, twist)
    for name, matrix in (
        ('wheel_scale', -known.of_wheels),
        ('momentum', known.of_system),
        ('impulse', known.of_system),
    ):
        if name in unknowns.places:
            slope[:, :, unknowns.places[name]] = matrix
    slope = np.linalg.solve(of_base, slope * _freedom(problem)[:, None])
    if 'gyro_bias' in unknowns.places:
        slope[:, 3:, unknowns.places['gyro_bias']] = np.eye(3)
    return slope


def _with_position(
    problem: MomentumProblem,
    measurement: Measurement,
    values: NDArray[np.float64],
    error: NDArray[np.float64],
    slope: NDArray[np.float64],
    covariance: NDArray[np.float64],
) -> _Prediction:
    """Return the comparison with positions in place of linear velocities.

    ``r = C + P t / m - R mc / m``, where C is the system's centre of mass at the epoch, P its
    linear momentum, and mc the first moment of the robot seen from the base.
    """
    unknowns, p = problem.unknowns, len(problem.minimal)
    R_WB = Rotation.from_quat(measurement.attitude).as_matrix()
    moments = R_WB @ first_moment_regressor(problem.model, measurement.q, problem.minimal.columns)
    masses = problem.minimal.masses
    mass = values[masses].sum()
    com = moments @ values[:p] / mass
    elapsed = measurement.times - problem.epoch
    drift = elapsed[:, None] * unknowns.part(values, 'momentum', 6)[:3] / mass
    position = unknowns.part(values, 'center_of_mass', 3) + drift - com
    joint = np.zeros((len(measurement), 6, 6))
    joint[:, :3, :3] = covariance[:, 3:, 3:]
    position_std, attitude_std = problem.pose_std
    turned = attitude_std * skew(com)
    joint[:, 3:, 3:] = position_std**2 * np.eye(3) + turned @ np.swapaxes(turned, -1, -2)
    both = np.hstack([error[:, 3:], measurement.position - position])
    rows = slope
    if slope.size:
        of_position = np.zeros((len(measurement), 3, len(unknowns)))
        of_position[:, :, :p] = -moments / mass
        of_position[:, :, masses] += (com - drift)[..., None] / mass
        of_position[:, :, unknowns.places['center_of_mass']] = np.eye(3)
        if 'momentum' in unknowns.places:
            first = unknowns.places['momentum'].start
            of_position[:, :, first : first + 3] = elapsed[:, None, None] * np.eye(3) / mass
        rows = np.concatenate([slope[:, 3:], of_position], axis=1)
    outputs = [2, 3, 4] if problem.planar else [0, 1, 2, 3, 4, 5]
    return _of_free(_Misfit(both, rows, joint), outputs)

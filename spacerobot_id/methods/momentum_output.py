"""What the sensors should read if the unknowns had some values, and rows that mend the misfit.

Conservation of momentum gives the base twist at every sample. Where the linear velocity is not
measured, the position is compared instead.

``H_b V = T P - H_bm qd - h_w``, where ``T P`` is the momentum of the system seen from the base,
zero at rest. The system's centre of mass moves in a straight line, so that the position of the
base follows from attitude and joint angles without any derivative.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibrated_method import CalibratedMethod
from spacerobot_id.methods.prediction import Prediction
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import momentum_matrix, wheel_momentum_matrix
from spacerobot_id.multibody.composite_body import momentum_by_displacements
from spacerobot_id.multibody.free_floating.generalized_inertia import base_inertia_inverse
from spacerobot_id.multibody.free_floating.planned_base import constrained, freedom_of
from spacerobot_id.regressor import first_moment_regressor, momentum_regressor
from spacerobot_id.spatial import skew


@dataclass(frozen=True, eq=False)
class Balance:
    """Motion of the base by conservation of momentum at N samples.

    Parameters
    ----------
    of_joints : ndarray, shape (N, 6, n)
        Momentum of the robot per unit of joint rate.
    known : MomentumTerms
        Momentum that these have to make up.
    twist, error : ndarray, shape (N, 6)
        Predicted base twist, and how far the measured one is off.
    inverse : ndarray, shape (N, 6, 6)
        Base twist per unit of momentum; with no samples where slopes are not wanted.
    """

    of_joints: NDArray[np.float64]
    known: 'MomentumTerms'
    twist: NDArray[np.float64]
    error: NDArray[np.float64]
    inverse: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        method: CalibratedMethod,
        model: RobotModel,
        record: Record,
        values: NDArray[np.float64],
        *,
        with_slope: bool = True,
    ) -> 'Balance':
        """Return it at unknowns; without slopes and noise where these are not wanted."""
        moving_as = model.with_parameters(method.minimal.expand(values[: len(method.minimal)]))
        matrix = constrained(momentum_matrix(moving_as, record.q), method.free)
        of_base, of_joints = matrix[:, :, :6], matrix[:, :, 6:]
        known = _momentum_terms(method, model, record, values, with_slope=with_slope)
        moving = known.total * freedom_of(method.free)
        moving = moving - np.einsum('nij,nj->ni', of_joints, record.qd)
        inverse = np.zeros((0, 6, 6))
        if with_slope:
            is_free = len(method.free) == 6
            inverse = base_inertia_inverse(of_base) if is_free else np.linalg.inv(of_base)
            twist = (inverse @ moving[..., None])[..., 0]
        else:
            twist = np.linalg.solve(of_base, moving[..., None])[..., 0]
        bias = method.unknowns.part(values, 'gyro_bias', 3)
        error = record.base_twist - twist - np.concatenate([np.zeros(3), bias])
        return cls(of_joints, known, twist, error, inverse)


@dataclass(frozen=True, eq=False)
class MomentumTerms:
    """Momentum that the robot's own motion has to make up, its slopes, and its noise."""

    total: NDArray[np.float64]
    of_system: NDArray[np.float64]
    of_wheels: NDArray[np.float64]
    of_attitude_noise: NDArray[np.float64]
    of_parameters: NDArray[np.float64]


def _momentum_terms(
    method: CalibratedMethod,
    model: RobotModel,
    record: Record,
    values: NDArray[np.float64],
    *,
    with_slope: bool,
) -> MomentumTerms:
    """Return the system's momentum less the wheels' in base axes, and their slopes.

    Slopes and noise of a momentum that is zero may be missing where they are not wanted.
    """
    unknowns = method.unknowns
    momentum = unknowns.part(values, 'momentum', 6) + unknowns.part(values, 'impulse', 6)
    wheels = wheel_momentum_matrix(model, record.q)
    of_wheels = wheels * record.wheel_rates[:, None, :]
    scale = 1.0 + unknowns.part(values, 'wheel_scale', of_wheels.shape[-1])
    total = -of_wheels @ scale
    if not method.nuisance.needs_attitude or not (with_slope or momentum.any()):
        none, no_parameters = np.zeros((len(total), 6, 0)), np.zeros((1, 6, len(method.minimal)))
        return MomentumTerms(total, none, of_wheels, none, no_parameters)
    com = _CentreOfMass.of(method, model, record, values)
    of_system = _seen_from_base(record, com.place)
    seen = of_system @ momentum
    of_parameters = np.zeros((len(total), 6, len(method.minimal)))
    of_parameters[:, 3:] = -skew(seen[:, :3]) @ com.slope
    turned = np.concatenate([seen[:, :3], of_system[:, :3, :3] @ momentum[3:]], axis=1)
    noise = _attitude_noise(method, turned, com.place)
    return MomentumTerms(total + seen, of_system, of_wheels, noise, of_parameters)


@dataclass(frozen=True, eq=False)
class _CentreOfMass:
    """The system's centre of mass seen from the base (N, 3), and its slope (N, 3, p)."""

    place: NDArray[np.float64]
    slope: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        method: CalibratedMethod,
        model: RobotModel,
        record: Record,
        values: NDArray[np.float64],
    ) -> '_CentreOfMass':
        """Return it at unknowns."""
        p, masses = len(method.minimal), method.minimal.masses
        moments = first_moment_regressor(model, record.q, method.minimal.columns)
        mass = values[masses].sum()
        place = moments @ values[:p] / mass
        slope = moments / mass
        slope[..., masses] -= place[..., None] / mass
        return cls(place, slope)


def _attitude_noise(
    method: CalibratedMethod, turned: NDArray[np.float64], com: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what the noise of the attitude does to the momentum seen, (N, 6, 3).

    Parameters
    ----------
    method : CalibratedMethod
        Noise.
    turned : ndarray, shape (N, 6)
        Momentum about the centre of mass in base axes.
    com : ndarray, shape (N, 3)
        Centre of mass seen from the base.
    """
    noise = method.pose_std[1] * np.concatenate([skew(turned[:, :3]), skew(turned[:, 3:])], axis=1)
    noise[:, 3:] += skew(com) @ noise[:, :3]
    return noise


def _seen_from_base(record: Record, com: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix from momentum about the centre of mass to that about the base, (N, 6, 6).

    The former is in world axes and constant without external forces; the place of the base in
    the world has no part in it, so that neither has the noise of positions.
    """
    R_BW = np.swapaxes(Rotation.from_quat(record.attitude).as_matrix(), -1, -2)
    matrix = np.zeros((len(record), 6, 6))
    matrix[:, :3, :3] = matrix[:, 3:, 3:] = R_BW
    matrix[:, 3:, :3] = skew(com) @ R_BW
    return matrix


@dataclass(frozen=True, eq=False)
class BasePosition:
    """Predicted position of the base: ``r = C + P t / m - R mc / m``.

    C is the system's centre of mass at the epoch, P its linear momentum, and mc the first moment
    of the robot seen from the base.

    Parameters
    ----------
    error : ndarray, shape (N, 3)
        How far the measured one is off, m.
    R_WB : ndarray, shape (N, 3, 3)
        Attitudes.
    com : ndarray, shape (N, 3)
        System's centre of mass from the base, in world axes, m.
    com_slope : ndarray, shape (N, 3, p)
        Slope of the same in base axes.
    drift : ndarray, shape (N, 3)
        How far the system has moved since the epoch, m.
    mass : float
        Total mass, kg.
    """

    error: NDArray[np.float64]
    R_WB: NDArray[np.float64]
    com: NDArray[np.float64]
    com_slope: NDArray[np.float64]
    drift: NDArray[np.float64]
    mass: float

    @classmethod
    def of(
        cls,
        method: CalibratedMethod,
        model: RobotModel,
        record: Record,
        values: NDArray[np.float64],
    ) -> 'BasePosition':
        """Return it at unknowns."""
        unknowns = method.unknowns
        R_WB = Rotation.from_quat(record.attitude).as_matrix()
        mass = values[method.minimal.masses].sum()
        of_base = _CentreOfMass.of(method, model, record, values)
        com = np.einsum('nij,nj->ni', R_WB, of_base.place)
        elapsed = record.times - method.epoch
        drift = elapsed[:, None] * unknowns.part(values, 'momentum', 6)[:3] / mass
        position = unknowns.part(values, 'center_of_mass', 3) + drift - com
        return cls(record.position - position, R_WB, com, of_base.slope, drift, mass)


def predicted_base_motion(
    method: CalibratedMethod,
    model: RobotModel,
    record: Record,
    values: NDArray[np.float64],
    *,
    with_slope: bool = True,
) -> Prediction:
    """Compare the measured motion of the base with what unknowns predict.

    Readings are linear and angular velocity of the base (m/s, rad/s), or angular velocity and
    position (rad/s, m) where the position is used; of a planar robot the free ones.

    Parameters
    ----------
    method : CalibratedMethod
        Parameters and noise.
    model : RobotModel
        Robot, for its geometry and wheels.
    record : Record
        N samples.
    values : ndarray, shape (u,)
        Unknowns.
    with_slope : bool
        Whether slopes are wanted.
    """
    balance = Balance.of(method, model, record, values)
    inverse = balance.inverse * freedom_of(method.free)
    joint_std = np.sqrt(record.noise_of('joints'))[:, None] * method.rate_std[6:]
    joint_std = (joint_std * record.measured_rates())[:, None, :]
    of_attitude = balance.known.of_attitude_noise
    spread = inverse @ np.concatenate([balance.of_joints * joint_std, of_attitude], axis=-1)
    of_base_noise = _of_twist(record) * method.rate_std[:6] ** 2
    covariance = spread @ np.swapaxes(spread, -1, -2) + of_base_noise[:, None] * np.eye(6)
    slope = np.zeros((0, 0, 0))
    if with_slope:
        slope = _twist_slope(method, model, record, inverse, balance)
    if method.from_pose:
        return _with_position(method, model, record, values, balance.error, slope, covariance)
    misfit = _Misfit(balance.error, slope, covariance, _of_twist(record, counted=True))
    return _of_free(misfit, method.free)


def base_motion_misfit(
    method: CalibratedMethod, model: RobotModel, record: Record, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the misfit of ``predicted_base_motion`` alone, shape (N, k); parameters as there."""
    error = Balance.of(method, model, record, values, with_slope=False).error
    if not method.from_pose:
        return error[:, method.free]
    position = BasePosition.of(method, model, record, values)
    return np.hstack([error[:, 3:], position.error])[:, _outputs_from_pose(method)]


def displaced_twist(
    method: CalibratedMethod, model: RobotModel, record: Record, values: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the slope of the predicted twist in displacements of joints, shape (N, 6, t, 6).

    None where the base is not free or its position is used, and where the robot has momentum,
    which turns about a centre of mass that is displaced, too. Parameters as above.
    """
    momentum = [method.unknowns.part(values, name, 6) for name in ('momentum', 'impulse')]
    if method.from_pose or len(method.free) < 6 or np.any(momentum):
        return None
    balance = Balance.of(method, model, record, values)
    moving_as = model.with_parameters(method.minimal.expand(values[: len(method.minimal)]))
    scales = 1.0 + method.unknowns.part(values, 'wheel_scale', len(model.wheels))
    slope = momentum_by_displacements(
        moving_as, record.q, record.qd, balance.twist, record.wheel_rates * scales
    )
    return (-balance.inverse @ slope.reshape(len(record), 6, -1)).reshape(slope.shape)


def _of_twist(record: Record, *, counted: bool = False) -> NDArray[np.float64]:
    """Return the variance of the noise of velocity and gyro over that of a message, (N, 6).

    Where a reading does not count it is infinite, or one for want of a finite number.
    """
    variance = np.repeat(
        np.column_stack([record.noise_of('velocity'), record.noise_of('gyro')]), 3, axis=1
    )
    return variance if counted else np.where(np.isfinite(variance), variance, 1.0)


@dataclass(frozen=True, eq=False)
class _Misfit:
    """Misfit of six outputs, their slopes and covariance; infinite variance where none counts."""

    error: NDArray[np.float64]
    slope: NDArray[np.float64]
    covariance: NDArray[np.float64]
    variance: NDArray[np.float64]


def _of_free(misfit: _Misfit, outputs: list[int]) -> Prediction:
    """Return the comparison of some outputs."""
    if outputs == list(range(misfit.error.shape[1])):
        return Prediction.of_covariance(
            misfit.error, misfit.slope, misfit.covariance, misfit.variance
        )
    slope = misfit.slope[:, outputs] if misfit.slope.size else misfit.slope
    covariance = misfit.covariance[:, outputs][:, :, outputs]
    return Prediction.of_covariance(
        misfit.error[:, outputs], slope, covariance, misfit.variance[:, outputs]
    )


def _twist_slope(
    method: CalibratedMethod,
    model: RobotModel,
    record: Record,
    inverse: NDArray[np.float64],
    balance: Balance,
) -> NDArray[np.float64]:
    """Return the slope of the predicted twist in the unknowns, shape (N, 6, u)."""
    unknowns, p, known = method.unknowns, len(method.minimal), balance.known
    slope = np.zeros((len(record), 6, len(unknowns)))
    # A stack whose matrices are not contiguous is not multiplied by BLAS.
    of_motion = momentum_regressor(
        model, record.q, record.qd, balance.twist, method.minimal.columns, contiguous=True
    )
    np.matmul(-inverse, of_motion, out=slope[:, :, :p])
    if known.of_system.size:
        slope[:, :, :p] += inverse @ known.of_parameters
    for name, matrix in (
        ('wheel_scale', -known.of_wheels),
        ('momentum', known.of_system),
        ('impulse', known.of_system),
    ):
        if name in unknowns.places:
            slope[:, :, unknowns.places[name]] = inverse @ matrix
    if 'gyro_bias' in unknowns.places:
        slope[:, 3:, unknowns.places['gyro_bias']] = np.eye(3)
    return slope


def _outputs_from_pose(method: CalibratedMethod) -> list[int]:
    """Return which of three rates and three positions are outputs."""
    return [2, 3, 4] if method.planar else [0, 1, 2, 3, 4, 5]


def _with_position(
    method: CalibratedMethod,
    model: RobotModel,
    record: Record,
    values: NDArray[np.float64],
    error: NDArray[np.float64],
    slope: NDArray[np.float64],
    covariance: NDArray[np.float64],
) -> Prediction:
    """Return the comparison with positions in place of linear velocities."""
    unknowns, p = method.unknowns, len(method.minimal)
    found, masses = BasePosition.of(method, model, record, values), method.minimal.masses
    joint = np.zeros((len(record), 6, 6))
    joint[:, :3, :3] = covariance[:, 3:, 3:]
    position_std, attitude_std = method.pose_std
    turned = attitude_std * skew(found.com)
    of_pose = record.noise_of('pose')[:, None, None]
    joint[:, 3:, 3:] = position_std**2 * np.eye(3) + turned @ np.swapaxes(turned, -1, -2)
    joint[:, 3:, 3:] *= np.where(np.isfinite(of_pose), of_pose, 1.0)
    both = np.hstack([error[:, 3:], found.error])
    rows = slope
    if slope.size:
        of_position = np.zeros((len(record), 3, len(unknowns)))
        of_position[:, :, :p] = -found.R_WB @ found.com_slope
        of_position[:, :, masses] -= found.drift[..., None] / found.mass
        of_position[:, :, unknowns.places['center_of_mass']] = np.eye(3)
        if 'momentum' in unknowns.places:
            first = unknowns.places['momentum'].start
            elapsed = (record.times - method.epoch)[:, None, None]
            of_position[:, :, first : first + 3] = elapsed * np.eye(3) / found.mass
        rows = np.concatenate([slope[:, 3:], of_position], axis=1)
    counted = np.repeat(
        np.column_stack([record.noise_of('gyro'), record.noise_of('pose')]), 3, axis=1
    )
    return _of_free(_Misfit(both, rows, joint, counted), _outputs_from_pose(method))

"""What the sensors should read if the unknowns had some values, and rows that mend the misfit.

Conservation of momentum gives the base twist at every sample. Where the linear velocity is not
measured, the position is compared instead.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibrated_method import CalibratedMethod
from spacerobot_id.methods.conservation import Balance, BasePosition
from spacerobot_id.methods.prediction import Prediction
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.composite_body import momentum_by_displacements
from spacerobot_id.multibody.free_floating.planned_base import freedom_of
from spacerobot_id.regressor import momentum_regressor
from spacerobot_id.spatial import skew


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

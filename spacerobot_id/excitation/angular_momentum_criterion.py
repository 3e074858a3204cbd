"""How well a motion shows the reduced parameters, given an angular momentum.

As in ``motion_information``, what counts is the information of the output error: rows of the
regressor at the predicted angular velocity, divided by the noise that gyro and joint rates put
into them. The attitude is integrated along the motion.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.dynamics import attitude_from_momentum, momentum_matrix, wheel_momentum
from spacerobot_id.excitation.known_momentum import KnownMomentum
from spacerobot_id.excitation.motion import ExcitingMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import angular_momentum_regressor, ReducedParameters

_LEAST_NOISE = 1e-7
"""Least noise of a rate, rad/s."""


def angular_momentum_std(
    model: RobotModel,
    reduced: ReducedParameters,
    motion: ExcitingMotion,
    momentum: KnownMomentum,
    samples: int,
) -> NDArray[np.float64]:
    """Return the standard deviations that a motion promises at the rate of the sensors.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels to predict with; noise and rate of its sensors.
    reduced : ReducedParameters
        Its k reduced parameters.
    motion : ExcitingMotion
        Motion of its joints, then its wheels.
    momentum : KnownMomentum
        Angular momentum of robot and wheels, and the attitude at the start.
    samples : int
        Samples of the motion that stand for all.

    Returns
    -------
    ndarray, shape (k,)
        Standard deviations; infinite where the motion shows nothing.
    """
    rows = _whitened_rows(model, reduced, motion, momentum, samples)
    rows *= np.sqrt(motion.duration * model.noise.rate / samples)
    scale = np.linalg.norm(rows, axis=0)
    if not scale.all():
        return np.full(len(scale), np.inf)
    triangle = np.linalg.qr(rows / scale, mode='r')
    singular = np.linalg.svd(triangle, compute_uv=False)
    if singular[-1] <= np.finfo(float).eps * len(rows) * singular[0]:
        return np.full(len(scale), np.inf)
    return np.linalg.norm(np.linalg.inv(triangle), axis=1) / scale


def _whitened_rows(
    model: RobotModel,
    reduced: ReducedParameters,
    motion: ExcitingMotion,
    momentum: KnownMomentum,
    samples: int,
) -> NDArray[np.float64]:
    """Return rows with unit noise, shape (3 samples, k)."""
    times = np.linspace(0.0, motion.duration, 2 * samples + 1)
    planned = motion.sample(times)
    step = motion.duration / samples
    joints = len(model.joints)
    position, velocity = planned.position[:, :joints], planned.velocity[:, :joints]
    wheel_rates = planned.velocity[:, joints:]
    attitudes = attitude_from_momentum(
        model,
        position,
        velocity,
        step,
        momentum.angular_momentum,
        momentum.attitude,
        wheel_rates,
    )[:-1]
    q, qd = position[:-1:2], velocity[:-1:2]
    matrix = momentum_matrix(model, q)
    mass = matrix[:, 0, 0]
    to_centre = matrix[:, 3:, :3] / mass[:, None, None]
    about_centre = matrix[:, 3:] - to_centre @ matrix[:, :3]
    inertia, of_joints = about_centre[:, :, 3:6], about_centre[:, :, 6:]
    seen = Rotation.from_quat(attitudes).apply(momentum.angular_momentum, inverse=True)
    spin = wheel_momentum(model, q, wheel_rates[:-1:2])[:, 3:]
    remaining = seen - np.einsum('nij,nj->ni', of_joints, qd) - spin
    turning = np.linalg.solve(inertia, remaining[..., None])[..., 0]
    noise = model.noise
    stds = [noise.base_angular_velocity] * 3 + [noise.joint_rate] * len(model.joints)
    spread = np.concatenate([inertia, of_joints], axis=-1) * np.maximum(stds, _LEAST_NOISE)
    lower = np.linalg.cholesky(spread @ np.swapaxes(spread, -1, -2))
    regressor = angular_momentum_regressor(model, reduced, q, qd, turning)
    return np.linalg.solve(lower, regressor).reshape(-1, len(reduced))

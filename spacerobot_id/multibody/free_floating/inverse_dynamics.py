"""Inverse dynamics of a robot that nothing holds: conservation gives the motion of the base.

No numerical derivative is taken: the base's acceleration is what makes the base's wrench zero.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.kernels.tree_arrays import tree_arrays
from spacerobot_id.multibody.momentum import wheel_values


@dataclass(frozen=True, eq=False)
class FreeFloatingDynamics:
    """How the base moves along with joints and wheels, and the torques that this takes.

    Parameters
    ----------
    base_twist : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    base_acceleration : ndarray, shape (N, 6)
        Acceleration of the base's origin against the inertial frame (m/s^2) and angular
        acceleration (rad/s^2), in base axes.
    joint_torques : ndarray, shape (N, n)
        Torque (N m) or force (N) of every joint.
    wheel_torques : ndarray, shape (N, w)
        Torque (N m) of every wheel's motor.
    """

    base_twist: NDArray[np.float64]
    base_acceleration: NDArray[np.float64]
    joint_torques: NDArray[np.float64]
    wheel_torques: NDArray[np.float64]


def free_floating_inverse_dynamics(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    wheel_rates: ArrayLike | None = None,
    wheel_accelerations: ArrayLike | None = None,
    total_momentum: ArrayLike = 0.0,
) -> FreeFloatingDynamics:
    """Return base motion and torques of a robot without wrench from outside ([Wilde 2018] Eq. 44).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q, qd, qdd : array_like, shape (N, n)
        Joint positions, rates and accelerations: rad or m, per s, per s^2.
    wheel_rates, wheel_accelerations : array_like, shape (N, w), optional
        Rates (rad/s) and accelerations (rad/s^2) of the wheels; zero if not given.
    total_momentum : array_like, broadcastable to (N, 6)
        Momentum of the whole system (kg m/s, kg m^2/s) in base axes about the base's origin, at
        each sample; zero at rest.

    Returns
    -------
    FreeFloatingDynamics
        Twist and acceleration of the base, torques.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the robot does not resist motion.
    """
    from spacerobot_id.multibody.free_floating.conserving_kernel import conserving_dynamics

    q = np.ascontiguousarray(q, dtype=float)
    samples = len(q)
    still = np.zeros((samples, 6))
    velocity, acceleration = (
        np.hstack(
            [still, np.asarray(of_joints, dtype=float), wheel_values(model, wheels, samples)]
        )
        for of_joints, wheels in ((qd, wheel_rates), (qdd, wheel_accelerations))
    )
    momentum = np.array(np.broadcast_to(np.asarray(total_momentum, dtype=float), (samples, 6)))
    torques = velocity[:, 6:].copy()
    given = tree_arrays(model), q, velocity, acceleration, momentum
    if conserving_dynamics(*given, torques) < samples:
        raise np.linalg.LinAlgError('the inertia of the robot is singular')
    twist, base_acceleration = velocity[:, :6], acceleration[:, :6].copy()
    base_acceleration[:, :3] += np.cross(twist[:, 3:], twist[:, :3])
    n = len(model.joints)
    return FreeFloatingDynamics(twist, base_acceleration, torques[:, :n], torques[:, n:])

"""Inverse dynamics of a robot that nothing holds: conservation gives the motion of the base.

No numerical derivative is taken: the base's acceleration is what makes the base's wrench zero.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.kernels.compiled import compiled
from spacerobot_id.multibody.kernels.equations_of_motion import equations_of_motion
from spacerobot_id.multibody.kernels.outward_sweep import COLUMNS
from spacerobot_id.multibody.kernels.small_vectors import solve_definite
from spacerobot_id.multibody.kernels.tree_arrays import Tree, tree_arrays
from spacerobot_id.multibody.momentum import wheel_values


@compiled
def conserving_dynamics(
    tree: Tree,
    q: NDArray[np.float64],
    velocity: NDArray[np.float64],
    acceleration: NDArray[np.float64],
    momentum: NDArray[np.float64],
    torques: NDArray[np.float64],
) -> int:
    """Fill in what a robot without wrench from outside does ([Wilde 2018] Eq. 44).

    Parameters
    ----------
    tree : Tree
        Robot with n joints and w wheels.
    q : ndarray, shape (N, n)
        Joint positions, rad or m.
    velocity, acceleration : ndarray, shape (N, 6 + n + w)
        Those of base, joints, wheels; the first six zero in, filled with the twist of the base
        and the derivatives of its components, in base axes.
    momentum : ndarray, shape (N, 6)
        Momentum of the whole system in base axes about the base's origin.
    torques : ndarray, shape (N, n + w)
        Filled: torques of joints, then wheels.

    Returns
    -------
    int
        The first sample in which the robot does not resist motion, or N.
    """
    size = velocity.shape[1]
    work = np.empty((len(tree.parents), COLUMNS))
    matrix, of_base, bias = np.empty((size, size)), np.empty((6, 6)), np.empty(size)
    for sample in range(len(q)):
        moving, speeding = velocity[sample], acceleration[sample]
        for turn in range(2):  # twist of the base, then its acceleration
            equations_of_motion(tree, q[sample], moving, work, matrix, bias)
            found = moving if turn == 0 else speeding
            for row in range(6):
                found[row] = momentum[sample, row] if turn == 0 else -bias[row]
                for column in range(6, size):
                    found[row] -= matrix[row, column] * found[column]
                for column in range(6):
                    of_base[row, column] = matrix[row, column]
            if solve_definite(of_base, found[:6]) >= 0:
                return sample
        for row in range(6, size):
            torque = bias[row]
            for column in range(size):
                torque += matrix[row, column] * speeding[column]
            torques[sample, row - 6] = torque
    return len(q)


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
    from spacerobot_id.multibody.free_floating.inverse_dynamics import conserving_dynamics

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

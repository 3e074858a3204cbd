"""Base motion and torques that conserve momentum, compiled over all samples of a motion."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled
from spacerobot_id.multibody.kernels.equations_of_motion import equations_of_motion
from spacerobot_id.multibody.kernels.outward_sweep import COLUMNS
from spacerobot_id.multibody.kernels.small_vectors import solve_definite
from spacerobot_id.multibody.kernels.tree_arrays import Tree


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

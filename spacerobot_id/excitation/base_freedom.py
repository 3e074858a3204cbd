"""How the base moves along: freely, or on an air-bearing table in the plane alone."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.dynamics import (
    free_floating_inverse_dynamics,
    inverse_dynamics,
    momentum_matrix,
    wheel_momentum,
)
from spacerobot_id.excitation.motion import PlannedMotion
from spacerobot_id.model import RobotModel


def free_axes(planar: bool) -> list[int]:
    """Return which components of the base's twist are free: x, y and the turn about z, or all."""
    return [0, 1, 5] if planar else [0, 1, 2, 3, 4, 5]


def planned_twist(model: RobotModel, motion: PlannedMotion, planar: bool) -> NDArray[np.float64]:
    """Return the base twist that conserves momentum where the base is free, shape (N, 6).

    Parameters
    ----------
    model : RobotModel
        Robot to predict with.
    motion : PlannedMotion
        Samples of joints, then wheels.
    planar : bool
        Whether a table holds the base in its plane.
    """
    joints = len(model.joints)
    q, rates = motion.position[:, :joints], motion.velocity
    return twist_from_matrix(model, momentum_matrix(model, q), q, rates, planar)


def twist_from_matrix(
    model: RobotModel,
    matrix: NDArray[np.float64],
    q: NDArray[np.float64],
    rates: NDArray[np.float64],
    planar: bool,
) -> NDArray[np.float64]:
    """Return the base twist, given the momentum matrix, shape (..., N, 6, 6 + n), as well."""
    joints, free = len(model.joints), free_axes(planar)
    moving = np.einsum('...nij,nj->...ni', matrix[..., 6:], rates[:, :joints])
    moving += wheel_momentum(model, q, rates[:, joints:])
    twist = np.zeros_like(moving)
    of_base = matrix[..., free, :][..., free]
    twist[..., free] = -np.linalg.solve(of_base, moving[..., free, None])[..., 0]
    return twist


def planned_torques(model: RobotModel, motion: PlannedMotion, planar: bool) -> NDArray[np.float64]:
    """Return the torques of joints, then wheels, shape (N, m); as for ``planned_twist``."""
    n = len(model.joints)
    q, qd, qdd = motion.position[:, :n], motion.velocity[:, :n], motion.acceleration[:, :n]
    wheels = motion.velocity[:, n:], motion.acceleration[:, n:]
    if not planar:
        found = free_floating_inverse_dynamics(model, q, qd, qdd, *wheels)
        return np.hstack([found.joint_torques, found.wheel_torques])
    free, twist = free_axes(planar), planned_twist(model, motion, planar)
    acceleration = np.zeros_like(twist)
    held = inverse_dynamics(model, q, qd, qdd, twist, acceleration, *wheels).base_wrench
    of_base = momentum_matrix(model, q)[:, free][:, :, free]
    acceleration[:, free] = -np.linalg.solve(of_base, held[:, free, None])[..., 0]
    found = inverse_dynamics(model, q, qd, qdd, twist, acceleration, *wheels)
    return np.hstack([found.joint_torques, found.wheel_torques])

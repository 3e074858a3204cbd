"""Derivatives of the mass matrix: by time and by the joint positions.

The text of [Wilde 2018] differentiates every rotation matrix and Jacobian (Eqs. 66-79, 82-102).
Seen from the base, moving a joint carries all that hangs on it rigidly along its screw, so that
composite bodies, screws and momenta change by cross products with the screw alone.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import (
    cross_twist,
    cross_wrench,
    joint_screws,
    link_motion,
    link_poses,
    link_twists,
    path_to_base,
    per_joint,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.composite_body import Bodies, composite_bodies, link_bodies


def mass_matrix_rate(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> NDArray[np.float64]:
    """Return the time derivative of the mass matrix ([Wilde 2018] Eqs. 66-79).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).

    Returns
    -------
    ndarray, shape (N, 6 + n, 6 + n)
        Rate of ``mass_matrix``, in its units per second; the base's motion plays no part.
    """
    motion = link_motion(model, q, qd, np.zeros((len(np.asarray(q)), 6)))
    screws, twists = joint_screws(model, motion.poses), link_twists(motion)
    bodies = link_bodies(model, motion.poses)
    rates, bodies = bodies.rate(twists).composite(model), bodies.composite(model)
    size = 5 + len(model.links)
    matrix = np.zeros((size, size, screws.shape[-1]))
    matrix[:6, :6] = rates.matrix(0)
    for link in range(1, len(model.links)):
        path = path_to_base(model, link)
        turning = cross_twist(twists[path].swapaxes(0, 1), screws[path].swapaxes(0, 1))
        momentum = bodies.momentum(link, screws[link])
        change = bodies.momentum(link, turning[:, 0]) + rates.momentum(link, screws[link])
        rows = 5 + np.array(path)
        matrix[:6, 5 + link] = matrix[5 + link, :6] = change
        matrix[rows, 5 + link] = np.einsum('acn,cn->an', screws[path], change)
        matrix[rows, 5 + link] += np.einsum('can,cn->an', turning, momentum)
        matrix[5 + link, rows] = matrix[rows, 5 + link]
    return np.moveaxis(per_joint(model, matrix, 0, 1), -1, 0)


def mass_matrix_derivatives(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return the derivatives of the mass matrix by every joint ([Wilde 2018] Eqs. 82-102).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, n, 6 + n, 6 + n)
        ``[:, k]`` is the derivative by the position of joint k, per rad or per m.
    """
    poses = link_poses(model, q)
    bodies, screws = composite_bodies(model, poses), joint_screws(model, poses)
    rates = bodies.rate(screws)
    momenta = [bodies.momentum(link, screw) for link, screw in enumerate(screws)]
    size = 5 + len(model.links)
    derivatives = np.zeros((len(model.tree_joints), size, size, screws.shape[-1]))
    for joint, link in enumerate(range(1, len(model.links))):
        _fill_derivative(derivatives[joint], model, link, screws, rates, momenta)
    derivatives = per_joint(model, per_joint(model, derivatives, 1, 2), 0, free=0)
    return np.moveaxis(derivatives, -1, 0)


def _fill_derivative(
    matrix: NDArray[np.float64],
    model: RobotModel,
    moved: int,
    screws: NDArray[np.float64],
    rates: Bodies,
    momenta: list[NDArray[np.float64]],
) -> None:
    """Write the derivative by the joint of one link, shape (6 + n, 6 + n, N)."""
    below = path_to_base(model, moved)[1:]
    columns = np.concatenate([np.arange(6), 5 + np.array(below, dtype=int)])
    base = np.broadcast_to(np.eye(6)[:, :, None], (6, 6, screws.shape[-1]))
    still = np.concatenate([base, screws[below]])
    of_body = np.einsum('cdn,adn->can', rates.matrix(moved), still)
    matrix[np.ix_(columns, columns)] = np.einsum('acn,cbn->abn', still, of_body)
    for link in range(moved, len(model.links)):
        if moved in path_to_base(model, link):
            carried = cross_wrench(screws[moved], momenta[link])
            matrix[columns, 5 + link] = np.einsum('acn,cn->an', still, carried)
            matrix[5 + link, columns] = matrix[columns, 5 + link]

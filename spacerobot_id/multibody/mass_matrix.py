"""The mass matrix of a free-floating tree by the composite rigid body algorithm."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import joint_screws, link_poses, path_to_base, per_joint
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.composite_body import composite_bodies


@dataclass(frozen=True, eq=False)
class MassMatrixBlocks:
    """The three matrices of the kinetic energy ([Wilde 2018] Eq. 27).

    Parameters
    ----------
    base : ndarray, shape (N, 6, 6)
        Base inertia ``H_0`` (Eq. 28): kg, kg m, kg m^2.
    coupling : ndarray, shape (N, 6, n)
        Dynamic-coupling inertia ``H_0m`` (Eq. 31): momentum per joint rate.
    manipulator : ndarray, shape (N, n, n)
        Manipulator inertia ``H_m`` (Eq. 36), as that of a robot on a fixed base.
    """

    base: NDArray[np.float64]
    coupling: NDArray[np.float64]
    manipulator: NDArray[np.float64]


def mass_matrix(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return the mass matrix ``[[H_0, H_0m], [H_0m^T, H_m]]`` ([Wilde 2018] Eqs. 27-36).

    The momentum that a unit joint rate gives to all that hangs on the joint is a column of
    ``H_0m``; what of it lies along the axes of the joints below is a column of ``H_m``.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints; wheels are part of the links that carry them.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, 6 + n, 6 + n)
        Symmetric matrix for the base twist in base axes, then the joint rates. Twice the
        kinetic energy (J) is its quadratic form of these rates.
    """
    poses = link_poses(model, q)
    bodies, screws = composite_bodies(model, poses), joint_screws(model, poses)
    size = 5 + len(model.links)
    matrix = np.zeros((size, size, poses.origins.shape[-1]))
    matrix[:6, :6] = bodies.matrix(0)
    for link in range(1, len(model.links)):
        momentum = bodies.momentum(link, screws[link])
        matrix[:6, 5 + link] = matrix[5 + link, :6] = momentum
        path = path_to_base(model, link)
        rows = 5 + np.array(path)
        matrix[rows, 5 + link] = np.einsum('acn,cn->an', screws[path], momentum)
        matrix[5 + link, rows] = matrix[rows, 5 + link]
    return np.moveaxis(per_joint(model, matrix, 0, 1), -1, 0)


def mass_matrix_blocks(matrix: NDArray[np.float64]) -> MassMatrixBlocks:
    """Return the blocks of a mass matrix, or of its derivative, of shape (..., 6 + n, 6 + n)."""
    return MassMatrixBlocks(matrix[..., :6, :6], matrix[..., :6, 6:], matrix[..., 6:, 6:])

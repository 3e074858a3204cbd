"""Rotations: what scipy's ``Rotation`` does not offer in one call."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation


def skew(vector: ArrayLike) -> NDArray[np.float64]:
    """Return the matrix of the cross product with a vector ([Naveen 2024] below Eq. 4).

    Parameters
    ----------
    vector : array_like, shape (..., 3)
        Vectors, any unit.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Matrices ``S`` with ``S @ a == cross(vector, a)``, in the vector's unit.
    """
    vector = np.asarray(vector, dtype=float)
    matrix = np.zeros((*vector.shape, 3))
    x, y, z = np.moveaxis(vector, -1, 0)
    matrix[..., 0, 1], matrix[..., 0, 2] = -z, y
    matrix[..., 1, 0], matrix[..., 1, 2] = z, -x
    matrix[..., 2, 0], matrix[..., 2, 1] = -y, x
    return matrix


def exp_so3(rotation_vector: ArrayLike) -> NDArray[np.float64]:
    """Return the rotation matrices of rotation vectors.

    Parameters
    ----------
    rotation_vector : array_like, shape (..., 3)
        Axis times angle, rad.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Rotation matrices, no unit.
    """
    rotation_vector = np.asarray(rotation_vector, dtype=float)
    matrices = Rotation.from_rotvec(rotation_vector.reshape(-1, 3)).as_matrix()
    return matrices.reshape(*rotation_vector.shape, 3)


def rotation_aligning_z(axis: ArrayLike) -> NDArray[np.float64]:
    """Return the shortest rotation that carries the z axis onto a given axis.

    Parameters
    ----------
    axis : array_like, shape (3,)
        Direction of any length but zero.

    Returns
    -------
    ndarray, shape (3, 3)
        Rotation matrix ``R`` with ``R @ [0, 0, 1]`` along the axis; the identity for the z axis.

    Raises
    ------
    ValueError
        If the axis is zero or not finite.
    """
    axis = np.asarray(axis, dtype=float)
    length = np.linalg.norm(axis)
    if not np.isfinite(length) or length == 0.0:
        raise ValueError(f'an axis needs a direction, got {axis.tolist()}')
    x, y, z = axis / length
    if z < 0.0 and x == 0.0 and y == 0.0:
        return np.diag([1.0, -1.0, -1.0])
    sine = np.hypot(x, y)
    if sine == 0.0:
        return np.eye(3)
    about = np.array([-y, x, 0.0]) / sine
    about /= np.linalg.norm(about)  # again: the least of numbers have few digits
    return Rotation.from_rotvec(np.arctan2(sine, z) * about).as_matrix()


def normalise_quaternion(
    quaternion: ArrayLike, tolerance: float = 0.05
) -> NDArray[np.float64] | None:
    """Return a unit quaternion, or None where the length is too far from one to be a rotation.

    Parameters
    ----------
    quaternion : array_like, shape (4,)
        Components x y z w, no unit.
    tolerance : float
        Largest distance of the length from one that counts as rounding.

    Returns
    -------
    ndarray, shape (4,), or None
        Unit quaternion x y z w.
    """
    quaternion = np.asarray(quaternion, dtype=float)
    length = math.sqrt(quaternion @ quaternion)
    if not abs(length - 1.0) <= tolerance:
        return None
    return quaternion / length


def rotation_from_quaternion(quaternion: ArrayLike) -> NDArray[np.float64]:
    """Return rotation matrices of unit quaternions.

    Parameters
    ----------
    quaternion : array_like, shape (..., 4)
        Components x y z w, no unit.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Rotation matrices ``R_AB`` of quaternions that turn B's components into A's.
    """
    quaternion = np.asarray(quaternion, dtype=float)
    matrices = Rotation.from_quat(quaternion.reshape(-1, 4)).as_matrix()
    return matrices.reshape(*quaternion.shape[:-1], 3, 3)


def without_flips(quaternions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quaternions (..., N, 4) with the signs that make them one continuous motion (F8)."""
    flips = np.sum(quaternions[..., 1:, :] * quaternions[..., :-1, :], axis=-1) < 0.0
    signs = np.ones(quaternions.shape[:-1])
    signs[..., 1:] = np.cumprod(np.where(flips, -1.0, 1.0), axis=-1)
    return quaternions * signs[..., None]


def body_rates(
    quaternions: NDArray[np.float64], derivatives: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return angular velocities in body axes (..., 3) of unit quaternions x y z w and their rates.

    Parameters
    ----------
    quaternions, derivatives : ndarray, shape (..., 4)
        From body axes to others, and their time derivatives, 1/s.
    """
    vector, scalar = quaternions[..., :3], quaternions[..., 3:]
    of_vector, of_scalar = derivatives[..., :3], derivatives[..., 3:]
    return 2.0 * (scalar * of_vector - of_scalar * vector - np.cross(vector, of_vector))

"""The six coordinates of a free-flyer: position and Z-Y-X Euler angles ([Ekal 2019] below Eq. 11).

``X = (x, y, z, phi, theta, psi)`` with ``R_WB = R_z(psi) R_y(theta) R_x(phi)``. The angles are
singular at ``theta = +-pi/2``: motions keep away from there, controllers use none of them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

POSE_COORDINATES = ('x', 'y', 'z', 'phi', 'theta', 'psi')
"""Names of the six coordinates, in their order."""

_ZYX = 'ZYX'
"""Intrinsic rotations, in scipy's notation."""


@dataclass(frozen=True, eq=False)
class PoseMotion:
    """Where the base is and how it moves, as rigid-body dynamics want it.

    Parameters
    ----------
    position : ndarray, shape (N, 3)
        ``p_WB_W``, m.
    rotation : ndarray, shape (N, 3, 3)
        ``R_WB``.
    velocity, acceleration : ndarray, shape (N, 3)
        Of the base's origin, in inertial axes: m/s, m/s^2.
    angular_velocity, angular_acceleration : ndarray, shape (N, 3)
        ``w_WB_B`` and its derivative, in base axes: rad/s, rad/s^2.
    """

    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    angular_velocity: NDArray[np.float64]
    angular_acceleration: NDArray[np.float64]

    @property
    def acceleration_in_base_axes(self) -> NDArray[np.float64]:
        """``R^-1`` times the acceleration of the origin, shape (N, 3), m/s^2."""
        return np.einsum('nji,nj->ni', self.rotation, self.acceleration)


def pose_motion(coordinates: ArrayLike, rates: ArrayLike, accelerations: ArrayLike) -> PoseMotion:
    """Return the motion of the base from the six coordinates and their derivatives.

    Parameters
    ----------
    coordinates, rates, accelerations : array_like, shape (N, 6)
        ``X`` and its derivatives: m and rad, per second, per second squared.
    """
    coordinates, rates, accelerations = (
        np.asarray(each, dtype=float) for each in (coordinates, rates, accelerations)
    )
    omega, changing = _euler_kinematics(coordinates[:, 3:], rates[:, 3:], accelerations[:, 3:])
    return PoseMotion(
        position=coordinates[:, :3],
        rotation=Rotation.from_euler(_ZYX, coordinates[:, :2:-1]).as_matrix(),
        velocity=rates[:, :3],
        acceleration=accelerations[:, :3],
        angular_velocity=omega,
        angular_acceleration=changing,
    )


def angles_from_quaternion(quaternion: ArrayLike) -> NDArray[np.float64]:
    """Return phi, theta, psi of quaternions, each within a turn of the one before.

    Parameters
    ----------
    quaternion : array_like, shape (N, 4)
        Quaternions x y z w of ``R_WB``.

    Returns
    -------
    ndarray, shape (N, 3)
        Angles, rad; without jumps of a whole turn from sample to sample (F8).
    """
    angles = Rotation.from_quat(np.asarray(quaternion, dtype=float)).as_euler(_ZYX)[:, ::-1]
    return np.unwrap(angles, axis=0)


def _euler_kinematics(
    angles: NDArray[np.float64], rates: NDArray[np.float64], changes: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return angular velocity and acceleration in base axes, each of shape (N, 3)."""
    s_phi, c_phi = np.sin(angles[:, 0]), np.cos(angles[:, 0])
    s_theta, c_theta = np.sin(angles[:, 1]), np.cos(angles[:, 1])
    (phi_1, theta_1, psi_1), (phi_2, theta_2, psi_2) = rates.T, changes.T
    omega = [
        phi_1 - psi_1 * s_theta,
        theta_1 * c_phi + psi_1 * s_phi * c_theta,
        -theta_1 * s_phi + psi_1 * c_phi * c_theta,
    ]
    changing = [
        phi_2 - psi_2 * s_theta - psi_1 * theta_1 * c_theta,
        theta_2 * c_phi
        - theta_1 * phi_1 * s_phi
        + psi_2 * s_phi * c_theta
        + psi_1 * (phi_1 * c_phi * c_theta - theta_1 * s_phi * s_theta),
        -theta_2 * s_phi
        - theta_1 * phi_1 * c_phi
        + psi_2 * c_phi * c_theta
        - psi_1 * (phi_1 * s_phi * c_theta + theta_1 * c_phi * s_theta),
    ]
    return np.stack(omega, axis=1), np.stack(changing, axis=1)

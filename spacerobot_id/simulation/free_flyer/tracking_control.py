"""Tracking of a pose by a wrench on the base: computed wrench with errors on SE(3).

The attitude error is Lee's, which [Ekal 2019] section 4.2 uses: it knows no singularity and goes
the short way round (Lee, Exponential stability of an attitude tracking control system on SO(3)
for large-angle rotational maneuvers, 2012). What the actuators cannot give is cut by them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import cross_wrench, PoseMotion
from spacerobot_id.multibody import body_inertia
from spacerobot_id.spatial import rotation_from_quaternion


@dataclass(frozen=True)
class TrackingGains:
    """Gains of position and attitude, each a spring and a damper per unit of inertia.

    Parameters
    ----------
    position, velocity : float
        Gains of the position (1/s^2) and of the velocity (1/s).
    attitude, angular_velocity : float
        Gains of Lee's attitude error (1/s^2) and of the angular velocity (1/s).
    """

    position: float = 1.0
    velocity: float = 2.0
    attitude: float = 4.0
    angular_velocity: float = 4.0


def lee_attitude_error(rotation: ArrayLike, wanted: ArrayLike) -> NDArray[np.float64]:
    """Return Lee's attitude error, from where the base is to where it should be.

    ``e = (R_d^T R - R^T R_d)^v / (2 sqrt(1 + tr(R_d^T R)))``, whose length is the sine of half
    the angle between the two: it grows all the way to half a turn. In terms of the quaternion of
    ``R_d^T R`` it is the vector part, with the sign that makes the scalar part positive.

    Parameters
    ----------
    rotation, wanted : array_like, shape (..., 3, 3)
        ``R_WB`` as it is and as it should be.

    Returns
    -------
    ndarray, shape (..., 3)
        Error in base axes, no unit.
    """
    between = np.swapaxes(np.asarray(wanted, dtype=float), -1, -2) @ np.asarray(rotation)
    apart = between - np.swapaxes(between, -1, -2)
    vector = np.stack([apart[..., 2, 1], apart[..., 0, 2], apart[..., 1, 0]], axis=-1)
    trace = np.trace(between, axis1=-2, axis2=-1)
    scale = 2.0 * np.sqrt(np.maximum(1.0 + trace, 1e-12))
    return vector / scale[..., None]


def tracking_wrench(
    parameters: ArrayLike, state: ArrayLike, wanted: PoseMotion, gains: TrackingGains
) -> NDArray[np.float64]:
    """Return the wrench that brings bodies to where they should be.

    Parameters
    ----------
    parameters : array_like, shape (10,)
        The body as the control believes it to be.
    state : array_like, shape (B, 13)
        States, as in ``dynamics.rigid_body``.
    wanted : PoseMotion
        Where they should be, B rows or one for all.
    gains : TrackingGains
        Gains.

    Returns
    -------
    ndarray, shape (B, 6)
        Force (N) and moment about the base's origin (N m), in base axes.
    """
    state = np.asarray(state, dtype=float)
    rotation = rotation_from_quaternion(state[:, 3:7])
    linear, omega = state[:, 7:10], state[:, 10:]
    velocity = np.einsum('nij,nj->ni', rotation, linear)
    # What is wanted, as it looks from the base's axes.
    between = np.swapaxes(rotation, 1, 2) @ wanted.rotation
    omega_wanted = np.einsum('nij,nj->ni', between, wanted.angular_velocity)
    change_wanted = np.einsum('nij,nj->ni', between, wanted.angular_acceleration)
    acceleration = (
        wanted.acceleration
        + gains.position * (wanted.position - state[:, :3])
        + gains.velocity * (wanted.velocity - velocity)
    )
    change = (
        change_wanted
        - np.cross(omega, omega_wanted)
        - 2.0 * gains.attitude * lee_attitude_error(rotation, wanted.rotation)
        - gains.angular_velocity * (omega - omega_wanted)
    )
    in_base = np.einsum('nji,nj->ni', rotation, acceleration) - np.cross(omega, linear)
    inertia = body_inertia(parameters)
    momentum = state[:, 7:] @ inertia.T
    swept = cross_wrench(state[:, 7:].T, momentum.T).T
    return np.hstack([in_base, change]) @ inertia.T + swept

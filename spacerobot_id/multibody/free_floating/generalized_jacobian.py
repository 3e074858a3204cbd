"""The generalized Jacobian: the motion of a point when the base gives way.

[Wilde 2018] Eq. 110.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import point_jacobian
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.generalized_inertia import base_motion_matrix
from spacerobot_id.multibody.momentum import base_twist_from_momentum, wheel_values


def generalized_jacobian(
    model: RobotModel, q: ArrayLike, link: int, point: Sequence[float] = (0.0, 0.0, 0.0)
) -> NDArray[np.float64]:
    """Return ``J* = J_m - J_0 H_0^-1 H_0m`` of a point on any link ([Wilde 2018] Eq. 110).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.
    link : int
        Index of the link that the point is fixed to; 0 is the base.
    point : sequence of 3 floats
        The point in that link's frame, m.

    Returns
    -------
    ndarray, shape (N, 6, n)
        Velocity of the point (m/s) and angular velocity of its link (rad/s), both against the
        inertial frame and in base axes, per joint rate, at zero momentum.

    Raises
    ------
    ValueError
        If the robot has no such link.
    """
    return point_jacobian(model, q, link, point) @ base_motion_matrix(model, q)


def point_twist(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    link: int,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    wheel_rates: ArrayLike | None = None,
    total_momentum: ArrayLike = 0.0,
) -> NDArray[np.float64]:
    """Return the twist of a point, ``J* qd + J_0 H_0^-1 (M_0 - h_w)`` ([Wilde 2018] Eq. 108).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).
    link : int
        Index of the link that the point is fixed to; 0 is the base.
    point : sequence of 3 floats
        The point in that link's frame, m.
    wheel_rates : array_like, shape (N, w), optional
        Rates of the wheels, rad/s; at rest if not given.
    total_momentum : array_like, broadcastable to (N, 6)
        Momentum of the whole system (kg m/s, kg m^2/s) in base axes about the base's origin, at
        each sample; the ``M_0`` of Eq. 42, which the text sets to zero.

    Returns
    -------
    ndarray, shape (N, 6)
        Velocity of the point (m/s) and angular velocity of its link (rad/s) against the inertial
        frame, in base axes.

    Raises
    ------
    ValueError
        If the robot has no such link.
    """
    rates = wheel_values(model, wheel_rates, len(np.asarray(q)))
    base_twist = base_twist_from_momentum(model, q, qd, rates, total_momentum)
    motion = np.concatenate([base_twist, np.asarray(qd, dtype=float)], axis=-1)
    return np.einsum('nij,nj->ni', point_jacobian(model, q, link, point), motion)

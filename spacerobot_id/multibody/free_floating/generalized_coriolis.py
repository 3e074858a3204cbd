"""Coriolis and centrifugal terms of the joints of a free-floating robot ([Wilde 2018] Eqs. 44-50).

With ``[V; qd] = T qd + [V_M; 0]``, the second part being what momentum the robot has, the joints'
equations are ``H* qdd + T^T C [V; qd] = tau``: the derivatives of ``T`` and ``V_M`` drop out, and
the terms in ``M_0`` of Eq. 44, which the text sets to zero, are in ``C`` and ``V_M``.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.coriolis_matrix import coriolis_matrix
from spacerobot_id.multibody.free_floating.generalized_inertia import base_motion_matrix
from spacerobot_id.multibody.momentum import base_twist_from_momentum
from spacerobot_id.multibody.wheel_spin import wheel_values


def generalized_coriolis_matrix(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    wheel_rates: ArrayLike | None = None,
    total_momentum: ArrayLike = 0.0,
) -> NDArray[np.float64]:
    """Return ``C*`` with ``H* qdd + C* qd = tau`` at zero momentum and wheels at rest (Eq. 50).

    ``C*`` is ``T^T C T``, so that the rate of the generalized inertia less twice ``C*`` is skew.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).
    wheel_rates : array_like, shape (N, w), optional
        Rates of the wheels, rad/s; at rest if not given.
    total_momentum : array_like, broadcastable to (N, 6)
        Momentum of the whole system in base axes about the base's origin. With it or with wheels
        that spin there are forces besides ``C* qd``: see ``generalized_coriolis_forces``.

    Returns
    -------
    ndarray, shape (N, n, n)
        Matrix from joint rates to torques (N m) or forces (N).
    """
    rates = wheel_values(model, wheel_rates, len(np.asarray(q)))
    base_twist = base_twist_from_momentum(model, q, qd, rates, total_momentum)
    carried = base_motion_matrix(model, q)
    full = coriolis_matrix(model, q, qd, base_twist, rates)
    return np.swapaxes(carried, -1, -2) @ full @ carried


def generalized_coriolis_forces(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    wheel_rates: ArrayLike | None = None,
    total_momentum: ArrayLike = 0.0,
) -> NDArray[np.float64]:
    """Return the torques that keep joints at constant rates (Eqs. 44 and 49, all terms).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).
    wheel_rates : array_like, shape (N, w), optional
        Constant rates of the wheels, rad/s; at rest if not given.
    total_momentum : array_like, broadcastable to (N, 6)
        Momentum of the whole system (kg m/s, kg m^2/s) in base axes about the base's origin, at
        each sample; the ``M_0`` of Eq. 42.

    Returns
    -------
    ndarray, shape (N, n)
        Torques (N m) or forces (N); with ``H* qdd`` they are those of any motion.
    """
    rates = wheel_values(model, wheel_rates, len(np.asarray(q)))
    base_twist = base_twist_from_momentum(model, q, qd, rates, total_momentum)
    motion = np.concatenate([base_twist, np.asarray(qd, dtype=float)], axis=-1)
    forces = coriolis_matrix(model, q, qd, base_twist, rates) @ motion[..., None]
    return (np.swapaxes(base_motion_matrix(model, q), -1, -2) @ forces)[..., 0]

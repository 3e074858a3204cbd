"""Generalized inertia, its derivatives, and generalized Jacobian ([Wilde 2018] Eqs. 45-110).

At zero momentum the joint rates give the motion of the base too: ``[V; qd] = T qd`` with
``T = [-H_0^-1 H_0m; 1]``. Then ``H* = T^T H T``, and because ``H T = [0; H*]`` the derivatives of
``T`` drop out: ``dH* = T^T dH T``, which is what Eqs. 65 and 81 spell out.

With ``[V; qd] = T qd + [V_M; 0]``, the second part being what momentum the robot has, the joints'
equations are ``H* qdd + T^T C [V; qd] = tau``: the derivatives of ``T`` and ``V_M`` drop out, and
the terms in ``M_0`` of Eq. 44, which the text sets to zero, are in ``C`` and ``V_M``.

The generalized Jacobian is the motion of a point when the base gives way (Eq. 110).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import point_jacobian
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.mass_matrix import (
    coriolis_matrix,
    mass_matrix,
    mass_matrix_blocks,
    mass_matrix_derivatives,
    mass_matrix_rate,
)
from spacerobot_id.multibody.momentum import (
    base_twist_from_momentum,
    momentum_matrix,
    wheel_values,
)


def base_inertia_inverse(base_inertia: ArrayLike) -> NDArray[np.float64]:
    """Return the inverse of base inertias ``H_0`` by their Schur complement (Eqs. 51-53).

    Parameters
    ----------
    base_inertia : array_like, shape (..., 6, 6)
        Base inertias about the base's origin: kg, kg m, kg m^2.

    Returns
    -------
    ndarray, shape (..., 6, 6)
        Inverses: 1/kg, 1/(kg m), 1/(kg m^2).

    Raises
    ------
    numpy.linalg.LinAlgError
        If a base does not resist some motion.
    """
    base_inertia = np.asarray(base_inertia, dtype=float)
    mass = base_inertia[..., :1, :1]
    if not np.all(mass):
        raise np.linalg.LinAlgError('a base has no mass')
    # -r x with r from the base's origin to the system's centre of mass, and the inertia about it
    lever = base_inertia[..., :3, 3:] / mass
    schur = base_inertia[..., 3:, 3:] - base_inertia[..., 3:, :3] @ lever
    inverse = np.empty_like(base_inertia)
    inverse[..., 3:, 3:] = angular = _symmetric_inverse(schur)
    inverse[..., :3, 3:] = coupling = -lever @ angular
    inverse[..., 3:, :3] = np.swapaxes(coupling, -1, -2)
    inverse[..., :3, :3] = np.eye(3) / mass - coupling @ np.swapaxes(lever, -1, -2)
    return inverse


def _symmetric_inverse(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverses of symmetric matrices by their cofactors, shape (..., 3, 3)."""
    xx, yy, zz = (matrix[..., k, k] for k in range(3))
    xy, yz, zx = (matrix[..., k, (k + 1) % 3] for k in range(3))
    inverse = np.empty_like(matrix)
    inverse[..., 0, 0], inverse[..., 1, 1] = yy * zz - yz * yz, zz * xx - zx * zx
    inverse[..., 2, 2] = xx * yy - xy * xy
    inverse[..., 0, 1] = inverse[..., 1, 0] = yz * zx - xy * zz
    inverse[..., 1, 2] = inverse[..., 2, 1] = zx * xy - yz * xx
    inverse[..., 2, 0] = inverse[..., 0, 2] = xy * yz - zx * yy
    determinant = xx * inverse[..., 0, 0] + xy * inverse[..., 0, 1] + zx * inverse[..., 0, 2]
    if not np.all(determinant):
        raise np.linalg.LinAlgError('a base inertia is singular')
    inverse /= determinant[..., None, None]
    return inverse


def base_motion_matrix(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return ``T``, from joint rates to base twist and joint rates at zero momentum (Eq. 109).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, 6 + n, n)
        ``-H_0^-1 H_0m`` above the identity; the base twist is in base axes.
    """
    matrix = momentum_matrix(model, q)
    moved = -base_inertia_inverse(matrix[..., :6]) @ matrix[..., 6:]
    joints = moved.shape[-1]
    identity = np.broadcast_to(np.eye(joints), (len(moved), joints, joints))
    return np.concatenate([moved, identity], axis=-2)


def generalized_inertia(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return ``H* = H_m - H_0m^T H_0^-1 H_0m`` (Eq. 45).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, n, n)
        Symmetric and positive definite matrix from joint accelerations to torques:
        kg m^2, kg m or kg by the kinds of the joints.
    """
    blocks = mass_matrix_blocks(mass_matrix(model, q))
    coupling = np.swapaxes(blocks.coupling, -1, -2)
    return blocks.manipulator - coupling @ base_inertia_inverse(blocks.base) @ blocks.coupling


def generalized_inertia_rate(
    model: RobotModel, q: ArrayLike, qd: ArrayLike
) -> NDArray[np.float64]:
    """Return the time derivative of the generalized inertia (Eq. 65).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).

    Returns
    -------
    ndarray, shape (N, n, n)
        Units of the generalized inertia per second.
    """
    carried = base_motion_matrix(model, q)
    return np.swapaxes(carried, -1, -2) @ mass_matrix_rate(model, q, qd) @ carried


def generalized_inertia_derivatives(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return the derivatives of the generalized inertia by every joint (Eq. 81).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, n, n, n)
        ``[:, k]`` is the derivative by the position of joint k, per rad or per m.
    """
    carried = base_motion_matrix(model, q)[:, None]
    return np.swapaxes(carried, -1, -2) @ mass_matrix_derivatives(model, q) @ carried


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

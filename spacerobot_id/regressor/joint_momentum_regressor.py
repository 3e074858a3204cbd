"""Lagrange's equations of the joints without accelerations, linear in the reduced parameters.

With ``T`` the kinetic energy of a robot whose centre of mass rests, ``d/dt (dT/dqd) - dT/dq`` is
the torque of each joint: its momentum ``dT/dqd`` and the force ``dT/dq`` need no acceleration.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.regressor.angular_momentum_regressor import equations_of_motion_regressor
from spacerobot_id.regressor.reduced_parameters import ReducedParameters

_STEP = 1e-5
"""Step of a central difference by a joint's position, rad (m)."""


@dataclass(frozen=True, eq=False)
class JointMomentumRegressor:
    """What carries reduced parameters to the terms of Lagrange's equations.

    Parameters
    ----------
    momentum : ndarray, shape (N, n, k)
        Of the generalized momenta ``dT/dqd`` of the joints, kg m^2/s (kg m/s of prismatic ones).
    force : ndarray, shape (N, n, k)
        Of the generalized forces ``dT/dq``, N m (N).
    force_slope : ndarray, shape (N, n, 3 + n, k)
        Of the slopes of these forces in angular velocity and joint rates.
    """

    momentum: NDArray[np.float64]
    force: NDArray[np.float64]
    force_slope: NDArray[np.float64]


def joint_momentum_regressor(
    model: RobotModel,
    reduced: ReducedParameters,
    q: ArrayLike,
    qd: ArrayLike,
    angular_velocity: ArrayLike,
) -> JointMomentumRegressor:
    """Return the regressor of the joints' momenta and of what changes them beside torques.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints; only its geometry is used.
    reduced : ReducedParameters
        Its k reduced parameters.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates.
    angular_velocity : array_like, shape (N, 3)
        Angular velocity of the base in base axes, rad/s.
    """
    q, qd, omega = (np.asarray(each, dtype=float) for each in (q, qd, angular_velocity))
    # The energy is half the rates times their momenta, which are linear in the rates.
    slopes = [
        _momenta(model, reduced, q + step, qd, omega)
        - _momenta(model, reduced, q - step, qd, omega)
        for step in _STEP * np.eye(q.shape[-1])
    ]
    force_slope = np.stack(slopes, axis=1) / (2.0 * _STEP)
    rates = np.concatenate([omega, qd], axis=-1)
    return JointMomentumRegressor(
        _momenta(model, reduced, q, qd, omega)[:, 3:],
        0.5 * np.einsum('nc,nicp->nip', rates, force_slope),
        force_slope,
    )


def joint_momentum_matrix(
    model: RobotModel, reduced: ReducedParameters, values: ArrayLike, q: ArrayLike
) -> NDArray[np.float64]:
    """Return the matrix from angular velocity and joint rates to the joints' momenta.

    Parameters
    ----------
    model, reduced, q
        As for ``joint_momentum_regressor``.
    values : array_like, shape (k,)
        Values of the reduced parameters.

    Returns
    -------
    ndarray, shape (N, n, 3 + n)
        Lower rows of the mass matrix of a robot whose centre of mass rests.
    """
    q = np.asarray(q, dtype=float)
    samples, joints = q.shape
    units = np.tile(np.eye(3 + joints), (samples, 1))
    states = np.repeat(q, 3 + joints, axis=0)
    columns = _momenta(model, reduced, states, units[:, 3:], units[:, :3])[:, 3:] @ values
    return np.swapaxes(columns.reshape(samples, 3 + joints, joints), -1, -2)


def _momenta(
    model: RobotModel,
    reduced: ReducedParameters,
    q: NDArray[np.float64],
    qd: NDArray[np.float64],
    omega: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return angular and joint momenta: moment and torques from rest, rates for accelerations."""
    still, rest = np.zeros_like(qd), np.zeros_like(omega)
    return equations_of_motion_regressor(model, reduced, q, still, qd, rest, omega)

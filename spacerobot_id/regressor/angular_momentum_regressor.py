"""The angular momentum about the system's centre of mass, linear in the reduced parameters."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.regressor.minimal_parameters import momentum_candidates, torque_candidates
from spacerobot_id.regressor.reduced_parameters import ReducedParameters


def angular_momentum_regressor(
    model: RobotModel,
    reduced: ReducedParameters,
    q: ArrayLike,
    qd: ArrayLike,
    angular_velocity: ArrayLike,
) -> NDArray[np.float64]:
    """Return the matrix that carries reduced parameters to angular momentum.

    The linear momentum of the system is zero, so neither position nor linear velocity of the
    base are needed ([Christidi 2017] Eq. 14, there in inertial axes). The wheels' spin is not in
    it.

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

    Returns
    -------
    ndarray, shape (N, 3, k)
        Regressor of the angular momentum about the system's centre of mass, in base axes.
    """
    kept = reduced.pairs[reduced.kept]
    return momentum_candidates(model, reduced.minimal, kept, q, qd, angular_velocity)


def equations_of_motion_regressor(
    model: RobotModel,
    reduced: ReducedParameters,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    angular_velocity: ArrayLike,
    angular_acceleration: ArrayLike,
) -> NDArray[np.float64]:
    """Return the matrix that carries reduced parameters to moment and joint torques.

    Parameters
    ----------
    model, reduced, q, qd, angular_velocity
        As for ``angular_momentum_regressor``.
    qdd : array_like, shape (N, n)
        Joint accelerations.
    angular_acceleration : array_like, shape (N, 3)
        Angular acceleration of the base in base axes, rad/s^2.

    Returns
    -------
    ndarray, shape (N, 3 + n, k)
        Regressor of [Christidi 2017] Eq. 9: moment on the system about its centre of mass in base
        axes (zero when nothing acts from outside and no wheel turns), then joint torques.
    """
    kept = reduced.pairs[reduced.kept]
    return torque_candidates(
        model, reduced.minimal, kept, q, qd, qdd, angular_velocity, angular_acceleration
    )

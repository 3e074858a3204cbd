"""Attitude of a robot whose angular momentum is constant and not zero, along given joint motion.

At zero momentum the base's twist follows from joints and wheels alone. With an angular momentum
it depends on the attitude, too, so that has to be integrated: Runge-Kutta of the fourth order,
compiled.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.composite_body import kernels
from spacerobot_id.multibody.momentum import (
    about_centre_of_mass,
    momentum_matrix,
    wheel_momentum,
)


def attitude_from_momentum(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    step: float,
    angular_momentum: ArrayLike,
    attitude: ArrayLike,
    wheel_rates: ArrayLike | None = None,
    matrix: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the attitude along a joint motion, linear momentum zero ([Christidi 2017] Eq. 1).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q, qd : array_like, shape (2 K + 1, n)
        Joint positions and rates at the ends and in the middle of K steps.
    step : float
        Duration of a step, s. Errors are of fourth order in it.
    angular_momentum : array_like, shape (3,)
        Angular momentum of robot and wheels about the system's centre of mass in inertial axes,
        kg m^2/s.
    attitude : array_like, shape (4,)
        Quaternion x y z w of the base at the start.
    wheel_rates : array_like, shape (2 K + 1, w), optional
        Rates of the wheels, rad/s; they stand still if not given.
    matrix : ndarray, shape (2 K + 1, 6, 6 + n), optional
        Momentum matrices at the positions, where they are there already.

    Returns
    -------
    ndarray, shape (K + 1, 4)
        Unit quaternions x y z w, the start first, without jumps of sign.
    """
    if matrix is None:
        matrix = momentum_matrix(model, q)
    turned = about_centre_of_mass(matrix)
    inverse = np.linalg.inv(turned[:, :, :3])
    moving = np.einsum('nij,nj->ni', turned[:, :, 3:], np.asarray(qd, dtype=float))
    if wheel_rates is not None:
        moving += wheel_momentum(model, np.asarray(q, dtype=float), wheel_rates)[:, 3:]
    drift = np.einsum('nij,nj->ni', inverse, moving)
    start = np.array(attitude, dtype=float)
    return kernels().integrate_attitude(
        inverse,
        drift,
        float(step),
        np.array(angular_momentum, dtype=float),
        start / np.linalg.norm(start),
    )

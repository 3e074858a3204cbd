"""The momentum regressor in base axes ([Naveen 2024] Eqs. 4-12)."""

from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import cross_components, link_motion, LinkMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.model.inertial_parameters import INERTIA_ELEMENTS, MASS, MX


def momentum_regressor(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    base_twist: ArrayLike,
    columns: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the matrix that carries inertial parameters to the momentum of the robot.

    Momentum is in base axes, the angular part about the base's origin; that of the wheels'
    spin is not in it. The inertial parameters of ``model`` play no part.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (..., n)
        Joint positions, rad or m.
    qd : array_like, shape (..., n)
        Joint rates, rad/s or m/s.
    base_twist : array_like, shape (..., 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    columns : array_like of int, shape (p,), optional
        Standard parameters wanted; all 10 (n + 1) by default. ``MinimalParameters.columns``
        gives the regressor of the minimal parameters (Eq. 24).

    Returns
    -------
    ndarray, shape (..., 6, p)
        Regressor, the ``K`` of Eq. 12. In memory the samples are the fastest axis.

    Raises
    ------
    ValueError
        If the shapes do not fit the robot or each other.
    """
    q, qd, base_twist = (np.asarray(array, dtype=float) for array in (q, qd, base_twist))
    samples = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1], base_twist.shape[:-1])
    q, qd, base_twist = (
        np.broadcast_to(array, (*samples, array.shape[-1])).reshape(prod(samples), array.shape[-1])
        for array in (q, qd, base_twist)
    )
    motion = link_motion(model, q, qd, base_twist)
    wanted = range(10 * len(model.links)) if columns is None else columns
    regressor = np.zeros((6, len(wanted), len(q)))
    for place, column in enumerate(wanted):
        link, parameter = divmod(int(column), 10)
        _fill_column(regressor[:, place], motion, link, parameter)
    return np.moveaxis(regressor, -1, 0).reshape(*samples, 6, len(wanted))


def _fill_column(
    column: NDArray[np.float64], motion: LinkMotion, link: int, parameter: int
) -> None:
    """Write the momentum that one unit parameter of one link makes, shape (6, N)."""
    axes, origin = motion.poses.axes[link], motion.poses.origins[link]
    linear, angular = motion.linear[link], motion.angular[link]
    if parameter < MASS:
        for axis, component in INERTIA_ELEMENTS[parameter]:
            column[3:] += axes[axis] * np.einsum('cn,cn->n', axes[component], angular)
    elif parameter == MASS:
        column[:3] = linear
        column[3:] = cross_components(origin, linear)
    else:
        axis = axes[parameter - MX]
        column[:3] = cross_components(angular, axis)
        column[3:] = cross_components(origin, column[:3]) - cross_components(linear, axis)

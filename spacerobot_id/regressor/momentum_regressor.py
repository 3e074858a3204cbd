"""The momentum regressor in base axes ([Naveen 2024] Eqs. 4-12)."""

from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import cross_components, link_motion, LinkMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.model.inertial_parameters import INERTIA_ELEMENTS, MASS, MX

_ELEMENTS = np.array([each[0] for each in INERTIA_ELEMENTS]).T
"""Row and column of the first six parameters in the inertia matrix, shape (2, 6)."""

_BLOCK = 1000
"""Samples that stay in the cache of the processor until they are where they are wanted."""


def momentum_regressor(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    base_twist: ArrayLike,
    columns: ArrayLike | None = None,
    *,
    contiguous: bool = False,
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
    contiguous : bool
        Whether the parameters are the fastest axis in memory, for products of matrices.

    Returns
    -------
    ndarray, shape (..., 6, p)
        Regressor, the ``K`` of Eq. 12. In memory the samples are the fastest axis by default.

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
    wanted = np.arange(10 * len(model.links)) if columns is None else np.asarray(columns)
    height, count = len(wanted), len(q)
    whole = np.empty((count, 6, height)) if contiguous else np.zeros((6, height, count))
    scratch = np.zeros((6, height, min(count, _BLOCK))) if contiguous else whole
    for begin in range(0, count, _BLOCK):
        part = slice(begin, min(begin + _BLOCK, count))
        first = 0 if contiguous else begin
        block = scratch[..., first : first + part.stop - begin]
        _fill(block, link_motion(model, q[part], qd[part], base_twist[part]), wanted)
        if contiguous:
            whole[part] = np.moveaxis(block, -1, 0)
    found = whole if contiguous else np.moveaxis(whole, -1, 0)
    return found.reshape(*samples, 6, height)


def _fill(regressor: NDArray[np.float64], motion: LinkMotion, wanted: NDArray[np.intp]) -> None:
    """Write the columns of some standard parameters, shape (6, p, N), into zeros."""
    axes, origins = motion.poses.axes, motion.poses.origins
    links, parameters = np.divmod(wanted.astype(int), 10)
    of_inertia = np.flatnonzero(parameters < MASS)
    if len(of_inertia):
        link = links[of_inertia]
        first, second = _ELEMENTS[:, parameters[of_inertia]]
        spin = np.einsum('lacn,lcn->lan', axes, motion.angular)
        columns = axes[link, first] * spin[link, second][:, None]
        mixed = first != second
        link, first, second = link[mixed], first[mixed], second[mixed]
        columns[mixed] += axes[link, second] * spin[link, first][:, None]
        regressor[3:, of_inertia] = columns.swapaxes(0, 1)
    for place in np.flatnonzero(parameters == MASS):
        linear = motion.linear[links[place]]
        regressor[:3, place] = linear
        regressor[3:, place] = cross_components(origins[links[place]], linear)
    of_moment = np.flatnonzero(parameters >= MX)
    if len(of_moment):
        link = links[of_moment]
        along = axes[link, parameters[of_moment] - MX].swapaxes(0, 1)
        linear, angular, origin = (
            each[link].swapaxes(0, 1) for each in (motion.linear, motion.angular, origins)
        )
        carried = cross_components(angular, along)
        regressor[:3, of_moment] = carried
        regressor[3:, of_moment] = cross_components(origin, carried) - cross_components(
            linear, along
        )

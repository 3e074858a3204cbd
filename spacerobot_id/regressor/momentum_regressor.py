"""The momentum regressor in base axes ([Naveen 2024] Eqs. 4-12).

The reverse of [Naveen 2024] Eqs. 4-12, as recursive Newton-Euler algorithms go inward: what each
link contributes is summed from the tips to the base, then projected on the joints' screws. The
work is that of a few regressors, whatever the number of joints.

A column of the regressor is ``B t``: the spatial inertia of one unit parameter times the link's
twist. ``B`` is symmetric, and a joint that moves carries it along: its screw ``s`` changes
``B t`` by ``s x* (B t) - B (s x t)``.
"""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import (
    cross_components,
    cross_twist,
    cross_wrench,
    joint_screws,
    link_motion,
    link_poses,
    link_twists,
    LinkMotion,
    LinkPoses,
    per_joint,
)
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.model.inertial_parameters import INERTIA_ELEMENTS, MASS, MX
from spacerobot_id.spatial import skew


def first_moment_regressor(
    model: RobotModel, q: ArrayLike, columns: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the matrix that carries inertial parameters to mass times centre of mass.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints; only its geometry is used.
    q : array_like, shape (N, n)
        Joint positions, rad or m.
    columns : array_like of int, shape (p,), optional
        Standard parameters wanted; all 10 (n + 1) by default.

    Returns
    -------
    ndarray, shape (N, 3, p)
        Matrix whose product with the parameters is the first moment about the base's origin in
        base axes, kg m.
    """
    poses = link_poses(model, q)
    wanted = range(10 * len(model.links)) if columns is None else columns
    regressor = np.zeros((3, len(wanted), poses.origins.shape[-1]))
    for place, column in enumerate(wanted):
        link, parameter = divmod(int(column), 10)
        if parameter == MASS:
            regressor[:, place] = poses.origins[link]
        elif parameter >= MX:
            regressor[:, place] = poses.axes[link, parameter - MX]
    return np.moveaxis(regressor, -1, 0)


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


@dataclass(frozen=True, eq=False)
class RegressorGradient:
    """Derivatives of a number by what the momentum regressor is evaluated at.

    Parameters
    ----------
    q, qd : ndarray, shape (N, n)
        By joint positions (per rad or m) and rates (per rad/s or m/s).
    base_twist : ndarray, shape (N, 6)
        By the base twist, per m/s and rad/s.
    """

    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    base_twist: NDArray[np.float64]


def momentum_regressor_gradient(
    model: RobotModel,
    q: NDArray[np.float64],
    qd: NDArray[np.float64],
    base_twist: NDArray[np.float64],
    columns: NDArray[np.intp],
    by: NDArray[np.float64],
) -> RegressorGradient:
    """Return derivatives by positions and velocities from those by the regressor.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q, qd : ndarray, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).
    base_twist : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    columns : ndarray of int, shape (p,)
        Standard parameters that the regressor has columns of.
    by : ndarray, shape (N, 6, p)
        Derivatives of a number by the elements of the regressor.
    """
    motion = link_motion(model, q, qd, base_twist)
    screws, twists = joint_screws(model, motion.poses), link_twists(motion)
    regressor = momentum_regressor(model, q, qd, base_twist, columns)
    regressor, by = (np.moveaxis(array, 0, -1) for array in (regressor, by))
    of_twist, of_screw = np.zeros_like(twists), np.zeros_like(twists)
    links, parameters = np.divmod(columns, 10)
    for link in np.unique(links):
        own = links == link
        of_twist[link] = _summed_momentum(motion.poses, link, parameters[own], by[:, own])
        of_screw[link] = -cross_wrench(by[:, own], regressor[:, own]).sum(axis=1)
    by_q, by_qd = np.empty((2, len(q), len(model.tree_joints)))
    for link in range(len(model.tree_joints), 0, -1):
        turned = cross_twist(screws[link], twists[link])
        by_q[:, link - 1] = _dot(screws[link], of_screw[link]) - _dot(turned, of_twist[link])
        by_qd[:, link - 1] = _dot(screws[link], of_twist[link])
        parent = model.tree_joints[link - 1].parent
        of_twist[parent] += of_twist[link]
        of_screw[parent] += of_screw[link]
    by_q, by_qd = (per_joint(model, each, 1, free=0) for each in (by_q, by_qd))
    return RegressorGradient(by_q, by_qd, of_twist[0].T)


def _summed_momentum(
    poses: LinkPoses, link: int, parameters: NDArray[np.intp], twists: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the momenta of unit parameters of a link, each with its own twist, summed.

    Twists, shape (6, p, N), and the momentum, shape (6, N), are in base axes about the base's
    origin.
    """
    axes, origin = poses.axes[link], poses.origins[link]
    linear = twists[:3] + cross_components(twists[3:], origin)
    in_link_axes = np.concatenate(
        [np.einsum('acn,ckn->akn', axes, part) for part in (linear, twists[3:])]
    )
    summed = np.tensordot(_UNIT_INERTIAS[parameters], in_link_axes, axes=([0, 2], [1, 0]))
    force, moment = (np.einsum('acn,an->cn', axes, part) for part in np.split(summed, 2))
    return np.concatenate([force, moment + cross_components(origin, force)])


def _dot(twist: NDArray[np.float64], wrench: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return products of components, summed, shape (N,)."""
    return np.einsum('cn,cn->n', twist, wrench)


def _unit_inertia(parameter: int) -> NDArray[np.float64]:
    """Return the matrix from twist to momentum of one unit parameter, in link axes, (6, 6)."""
    body = InertialParameters.from_vector(np.eye(10)[parameter])
    crossed = skew(body.first_moment)
    return np.block([[body.mass * np.eye(3), -crossed], [crossed, body.inertia]])


_UNIT_INERTIAS = np.stack([_unit_inertia(parameter) for parameter in range(10)])
"""Spatial inertias of the ten parameters, one at a time, shape (10, 6, 6)."""

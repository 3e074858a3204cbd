"""Derivatives of a number that depends on the momentum regressor, by positions and velocities.

The reverse of [Naveen 2024] Eqs. 4-12, as recursive Newton-Euler algorithms go inward: what each
link contributes is summed from the tips to the base, then projected on the joints' screws. The
work is that of a few regressors, whatever the number of joints.

A column of the regressor is ``B t``: the spatial inertia of one unit parameter times the link's
twist. ``B`` is symmetric, and a joint that moves carries it along: its screw ``s`` changes
``B t`` by ``s x* (B t) - B (s x t)``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics import (
    cross_components,
    cross_twist,
    cross_wrench,
    joint_screws,
    link_motion,
    link_twists,
    LinkPoses,
    per_joint,
)
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.regressor.momentum_regressor import momentum_regressor
from spacerobot_id.spatial import skew


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

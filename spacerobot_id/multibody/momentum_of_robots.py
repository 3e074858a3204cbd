"""Momentum matrices of robots of one geometry in one sweep, and derivatives through them.

Robots that a prior may stand for differ in the inertia of their links alone: poses and screws are
found once, and all robots are samples of the same sweep. Of the derivatives by the joints only
what they do to a number is wanted: moving a joint carries all that hangs on it along its screw
([Wilde 2018] Eqs. 82-102), so that one more sweep from the tips to the base sums that up.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import (
    cross_components,
    joint_screws,
    link_poses,
    LinkPoses,
    path_to_base,
    per_joint,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.composite_body import Bodies, shifted


def momentum_matrices(models: Sequence[RobotModel], q: ArrayLike) -> NDArray[np.float64]:
    """Return the momentum matrices of R robots of one geometry, shape (R, N, 6, 6 + n).

    Parameters
    ----------
    models : sequence of RobotModel
        Robots that differ in the inertia of their links alone.
    q : array_like, shape (N, n)
        Joint positions, rad or m.
    """
    sweep = _Sweep.of(models, q)
    matrix = np.empty((6, 5 + len(sweep.screws), sweep.screws.shape[-1]))
    matrix[:, :6] = sweep.bodies.matrix(0)
    for link, column in enumerate(sweep.momenta[1:], 6):
        matrix[:, link] = column
    matrix = per_joint(models[0], matrix, 1)
    return np.moveaxis(matrix.reshape(*matrix.shape[:2], len(models), -1), (0, 1), (2, 3))


def momentum_matrices_pull_back(
    models: Sequence[RobotModel], q: ArrayLike, by: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return derivatives of a number by joint positions from those by the momentum matrices.

    Parameters
    ----------
    models : sequence of RobotModel
        Robots that differ in the inertia of their links alone.
    q : array_like, shape (N, n)
        Joint positions, rad or m.
    by : ndarray, shape (R, N, 6, 6 + n)
        Derivatives of the number by ``momentum_matrices``.

    Returns
    -------
    ndarray, shape (N, n)
        Derivatives by the joint positions, of all robots together.
    """
    model, sweep = models[0], _Sweep.of(models, q)
    of_joints = by[..., 6:]
    if model.coupling is not None:
        of_joints = model.coupling.rates(of_joints)
    base = _samples_last(by[..., :6])
    columns = _samples_last(np.swapaxes(of_joints, -1, -2))
    rates, screws = sweep.bodies.rate(sweep.screws), sweep.screws
    carried = np.zeros_like(screws)
    found = np.empty((len(model.tree_joints), screws.shape[-1]))
    for link in range(len(model.links) - 1, 0, -1):
        carried[link] += _carried(columns[link - 1], sweep.momenta[link])
        along = base.copy()
        for below in path_to_base(model, link)[1:]:
            along += columns[below - 1][:, None] * screws[below]
        found[link - 1] = _inner(along, rates, link)
        found[link - 1] += np.einsum('cn,cn->n', screws[link], carried[link])
        carried[model.tree_joints[link - 1].parent] += carried[link]
    total = found.reshape(len(found), len(models), -1 if len(found) else len(q)).sum(axis=1)
    return per_joint(model, total.T, 1, free=0)


@dataclass(frozen=True, eq=False)
class _Sweep:
    """Screws (n + 1, 6, R N), composite bodies and their momenta along the screws."""

    screws: NDArray[np.float64]
    bodies: Bodies
    momenta: list[NDArray[np.float64]]

    @classmethod
    def of(cls, models: Sequence[RobotModel], q: ArrayLike) -> '_Sweep':
        """Return them; the samples of one robot are next to each other."""
        model = models[0]
        poses = link_poses(model, q)
        bodies = _bodies(models, poses).composite(model)
        screws = np.tile(joint_screws(model, poses), len(models))
        momenta = [bodies.momentum(link, screw) for link, screw in enumerate(screws)]
        return cls(screws, bodies, momenta)


def _bodies(models: Sequence[RobotModel], poses: LinkPoses) -> Bodies:
    """Return the links of all robots in the base's frame, each alone."""
    links, robots, samples = len(models[0].links), len(models), poses.origins.shape[-1]
    inertia = np.empty((links, 3, 3, robots, samples))
    moment, mass = np.empty((links, 3, robots, samples)), np.empty((links, robots, samples))
    for link in range(links):
        alike = [model.links[link].inertial for model in models]
        axes, origin = poses.axes[link], poses.origins[link][:, None]
        masses = np.array([each.mass for each in alike])[:, None]
        moments, inertias = (
            np.stack([getattr(each, name) for each in alike])
            for name in ('first_moment', 'inertia')
        )
        turned = (moments @ axes.reshape(3, -1)).reshape(robots, 3, samples).swapaxes(0, 1)
        half_turned = (inertias @ axes.reshape(3, -1)).reshape(robots, 3, 3, samples)
        inertia[link] = np.einsum('acn,radn->cdrn', axes, half_turned)
        inertia[link] += shifted(masses, turned, origin)
        moment[link], mass[link] = turned + masses * origin, masses
    flat = robots * samples
    return Bodies(
        inertia.reshape(links, 3, 3, flat),
        moment.reshape(links, 3, flat),
        mass.reshape(links, flat),
    )


def _samples_last(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values of robots and samples with the samples of all robots as the last axis."""
    flat = values.reshape(values.shape[0] * values.shape[1], *values.shape[2:])
    return np.ascontiguousarray(np.moveaxis(flat, 0, -1))


def _carried(by: NDArray[np.float64], momentum: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what ``by . (s x* h)`` is linear in a screw with, shape (6, R N)."""
    linear, angular = momentum[:3], momentum[3:]
    omega = cross_components(linear, by[:3]) + cross_components(angular, by[3:])
    return np.concatenate([cross_components(linear, by[3:]), omega])


def _inner(along: NDArray[np.float64], rates: Bodies, link: int) -> NDArray[np.float64]:
    """Return the sum of products of elements with those of the rate of a body, shape (R N,)."""
    coupling = along[3:, :3] - along[:3, 3:]
    moment = rates.moment[link]
    total = np.einsum('cdn,cdn->n', along[3:, 3:], rates.inertia[link])
    for row, (first, second) in enumerate(((1, 2), (2, 0), (0, 1))):
        total += (coupling[second, first] - coupling[first, second]) * moment[row]
    return total

"""Momentum of the robot as the sum over its links, and the motion of the base by its conservation.

This is the second road to the momentum, from masses and inertias about the centres of mass; the
regressor is the first.

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
    cross_wrench,
    joint_screws,
    link_motion,
    link_poses,
    LinkPoses,
    path_to_base,
    per_joint,
)
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.multibody.composite_body import Bodies, composite_bodies, shifted


def wheel_values(model: RobotModel, values: ArrayLike | None, samples: int) -> NDArray[np.float64]:
    """Return rates or accelerations of the wheels, zero if they are not given.

    Parameters
    ----------
    model : RobotModel
        Robot with w wheels.
    values : array_like, shape (N, w), or None
        Rates (rad/s) or accelerations (rad/s^2).
    samples : int
        The number N of samples.

    Raises
    ------
    ValueError
        If the shape does not fit.
    """
    shape = (samples, len(model.wheels))
    if values is None:
        return np.zeros(shape)
    values = np.asarray(values, dtype=float)
    if values.shape != shape:
        raise ValueError(f'expected {shape} values of wheels, got {values.shape}')
    return values


def wheel_axes(model: RobotModel, poses: LinkPoses) -> NDArray[np.float64]:
    """Return the spin axes of the wheels in base axes, shape (w, 3, N)."""
    axes = np.empty((len(model.wheels), 3, poses.origins.shape[-1]))
    for place, wheel in enumerate(model.wheels):
        axes[place] = np.tensordot(wheel.axis, poses.axes[wheel.link], axes=1)
    return axes


def link_spins(
    model: RobotModel, poses: LinkPoses, wheel_rates: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the spin momentum that each link carries, in base axes, shape (n + 1, 3, N).

    With the wheels' accelerations (rad/s^2) in place of their rates (rad/s), the torque that
    speeds them up (N m) in place of the momentum (N m s).
    """
    spins = np.zeros_like(poses.origins)
    axes = wheel_axes(model, poses)
    for wheel, axis, rate in zip(model.wheels, axes, wheel_rates.T, strict=True):
        spins[wheel.link] += wheel.spin_inertia * axis * rate
    return spins


def momentum(
    model: RobotModel, q: ArrayLike, qd: ArrayLike, base_twist: ArrayLike
) -> NDArray[np.float64]:
    """Return the momentum of all links, the wheels' spin apart ([Naveen 2024] Eqs. 1-5).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).
    base_twist : array_like, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.

    Returns
    -------
    ndarray, shape (N, 6)
        Linear momentum (kg m/s) and angular momentum about the base's origin (kg m^2/s), in
        base axes.
    """
    motion = link_motion(model, q, qd, base_twist)
    total = np.zeros((6, motion.linear.shape[-1]))
    for index, link in enumerate(model.links):
        body, axes = link.inertial, motion.poses.axes[index]
        angular = motion.angular[index]
        moment = np.tensordot(body.first_moment, axes, axes=1)
        linear = body.mass * motion.linear[index] + cross_components(angular, moment)
        in_link_axes = np.einsum('acn,cn->an', axes, angular)
        spin = np.einsum('acn,an->cn', axes, body.inertia_about_com @ in_link_axes)
        if body.mass:
            spin += cross_components(moment / body.mass, linear)
        else:  # no centre of mass: a link of minimal parameters expanded to standard ones
            spin += cross_components(moment, motion.linear[index])
        total[:3] += linear
        total[3:] += spin + cross_components(motion.poses.origins[index], linear)
    return total.T


def wheel_momentum(model: RobotModel, q: ArrayLike, wheel_rates: ArrayLike) -> NDArray[np.float64]:
    """Return the spin momentum of the reaction wheels.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q : array_like, shape (N, n)
        Joint positions, rad or m.
    wheel_rates : array_like, shape (N, w)
        Rates of the wheels against the links that carry them, rad/s.

    Returns
    -------
    ndarray, shape (N, 6)
        Momentum in base axes; the linear part is zero.
    """
    return np.einsum('nij,nj->ni', wheel_momentum_matrix(model, q), np.asarray(wheel_rates))


def wheel_momentum_matrix(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return the matrix from wheel rates to spin momentum in base axes, shape (N, 6, w)."""
    q = np.asarray(q, dtype=float)
    matrix = np.zeros((len(q), 6, len(model.wheels)))
    carriers_move = any(wheel.link for wheel in model.wheels)
    poses = link_poses(model, q) if carriers_move else None
    for place, wheel in enumerate(model.wheels):
        spin = wheel.spin_inertia * wheel.axis
        if poses is not None:
            spin = np.tensordot(spin, poses.axes[wheel.link], axes=1).T
        matrix[:, 3:, place] = spin
    return matrix


def wheel_momentum_derivatives(
    model: RobotModel, q: ArrayLike, wheel_rates: ArrayLike
) -> NDArray[np.float64]:
    """Return the derivatives of the wheels' spin momentum by every joint.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q : array_like, shape (N, n)
        Joint positions, rad or m.
    wheel_rates : array_like, shape (N, w)
        Rates of the wheels against the links that carry them, rad/s.

    Returns
    -------
    ndarray, shape (N, n, 6)
        ``[:, k]`` is the derivative by the position of joint k; zero for wheels of the base.
    """
    q = np.asarray(q, dtype=float)
    derivatives = np.zeros((len(q), len(model.tree_joints), 6))
    if not any(wheel.link for wheel in model.wheels):
        return derivatives[:, : len(model.joints)]
    poses = link_poses(model, q)
    screws, spins = joint_screws(model, poses), wheel_momentum_matrix(model, q)
    spins = spins * np.asarray(wheel_rates, dtype=float)[:, None]
    for place, wheel in enumerate(model.wheels):
        for link in path_to_base(model, wheel.link):
            derivatives[:, link - 1] += cross_wrench(screws[link], spins[:, :, place].T).T
    return per_joint(model, derivatives, 1, free=0)


def momentum_matrix(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return ``H = [H_b, H_bm]``, the matrix from base twist and joint rates to momentum.

    ``H_b`` and ``H_bm`` are the base-spacecraft inertia ``H_0`` and the dynamic-coupling inertia
    ``H_0m`` of [Wilde 2018] Eqs. 28 and 31, here in base axes about the base's origin.

    Composite inertias are summed from the tips to the base, as in the composite rigid body
    algorithm.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, 6, 6 + n)
        Momentum in base axes about the base's origin per unit of base twist (six columns) and
        joint rate (n columns).
    """
    poses = link_poses(model, q)
    bodies, screws = composite_bodies(model, poses), joint_screws(model, poses)
    matrix = np.empty((6, 5 + len(model.links), poses.origins.shape[-1]))
    matrix[:, :6] = bodies.matrix(0)
    for link in range(1, len(model.links)):
        matrix[:, 5 + link] = bodies.momentum(link, screws[link])
    return np.moveaxis(per_joint(model, matrix, 1), -1, 0)


def about_centre_of_mass(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what turning base and joints add to the angular momentum about the centre of mass.

    Parameters
    ----------
    matrix : ndarray, shape (..., 6, 6 + n)
        Momentum matrices, about the base's origin.

    Returns
    -------
    ndarray, shape (..., 3, 3 + n)
        ``[D, D_q]`` of [Christidi 2017] Eq. 1, base axes: kg m^2, of prismatic joints kg m.
    """
    mass = matrix[..., :1, :1]
    return matrix[..., 3:, 3:] - (matrix[..., 3:, :3] / mass) @ matrix[..., :3, 3:]


def base_twist_from_momentum(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    wheel_rates: ArrayLike,
    total_momentum: ArrayLike = 0.0,
    matrix: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the base twist that conserves momentum: ``H_b^-1 (P - H_bm qd - h_wheels)``.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q, qd : array_like, shape (N, n)
        Joint positions and rates.
    wheel_rates : array_like, shape (N, w)
        Rates of the wheels, rad/s.
    total_momentum : array_like, broadcastable to (N, 6)
        Momentum of the whole system in base axes about the base's origin; zero at rest.
    matrix : ndarray, shape (N, 6, 6 + n), optional
        Momentum matrices at the positions, where they are there already.

    Returns
    -------
    ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    """
    if matrix is None:
        matrix = momentum_matrix(model, q)
    moving = np.einsum('nij,nj->ni', matrix[:, :, 6:], np.asarray(qd, dtype=float))
    remaining = total_momentum - moving - wheel_momentum(model, q, wheel_rates)
    return np.linalg.solve(matrix[:, :, :6], remaining[..., None])[..., 0]


def whole_robot(model: RobotModel, q: ArrayLike) -> InertialParameters:
    """Return the robot as one rigid body, as it stands, in the base's frame.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints; minimal parameters expanded to standard ones do as well.
    q : array_like, shape (n,)
        Joint positions, rad or m.
    """
    of_base = momentum_matrix(model, np.asarray(q, dtype=float)[None])[0, :, :6]
    moment = np.array([of_base[5, 1], of_base[3, 2], of_base[4, 0]])
    return InertialParameters(float(of_base[0, 0]), moment, of_base[3:, 3:])


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

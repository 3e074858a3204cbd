"""The mass matrix of a free-floating tree by the composite rigid body algorithm.

The text of [Wilde 2018] differentiates every rotation matrix and Jacobian (Eqs. 66-79, 82-102).
Seen from the base, moving a joint carries all that hangs on it rigidly along its screw, so that
composite bodies, screws and momenta change by cross products with the screw alone.

Of the many matrices that give the same forces this is the one of body-level Christoffel symbols
(S. Echeandia, P. M. Wensing, *Numerical Methods to Compute the Coriolis Matrix and Christoffel
Symbols for Rigid-Body Systems*, 2021): the rate of the mass matrix less twice this one is skew.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import (
    cross_twist,
    cross_wrench,
    joint_screws,
    link_motion,
    link_poses,
    link_twists,
    LinkMotion,
    path_to_base,
    per_joint,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.composite_body import Bodies, composite_bodies, link_bodies
from spacerobot_id.multibody.momentum import link_spins, wheel_values


@dataclass(frozen=True, eq=False)
class _MovingBodies:
    """Composite bodies, their rates of change and their momenta; components first."""

    bodies: Bodies
    rates: Bodies
    momenta: NDArray[np.float64]

    def forces(
        self, link: int, screw: NDArray[np.float64], transposed: bool = False
    ) -> NDArray[np.float64]:
        """Return the body-level Coriolis matrix, or its transpose, times a screw, (6, N)."""
        gyroscopic = cross_wrench(screw, self.momenta[link])
        sign = -1.0 if transposed else 1.0
        return 0.5 * (self.rates.momentum(link, screw) + sign * gyroscopic)


def coriolis_matrix(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    base_twist: ArrayLike,
    wheel_rates: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return ``C`` with ``M @ acceleration + C @ rates`` the forces ([Wilde 2018] Eq. 39).

    Rates are the base twist in base axes and the joint rates, the acceleration is that of these
    components, and the forces are the base's wrench in base axes and the joint torques.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).
    base_twist : array_like, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    wheel_rates : array_like, shape (N, w), optional
        Rates of the wheels, rad/s; at rest if not given. Their gyroscopic torques are in ``C``.

    Returns
    -------
    ndarray, shape (N, 6 + n, 6 + n)
        Coriolis matrix; ``mass_matrix_rate - 2 C`` is skew.
    """
    motion = link_motion(model, q, qd, base_twist)
    screws, twists = joint_screws(model, motion.poses), link_twists(motion)
    moving = _moving_bodies(model, motion, twists, wheel_rates)
    size = 5 + len(model.links)
    matrix = np.zeros((size, size, screws.shape[-1]))
    for column, unit in enumerate(np.eye(6)):
        screw = np.broadcast_to(unit[:, None], screws[0].shape)
        matrix[:6, column] = moving.bodies.momentum(0, cross_twist(twists[0], screw))
        matrix[:6, column] += moving.forces(0, screw)
    for link in range(1, len(model.links)):
        _fill_link(matrix, model, link, screws, twists, moving)
    return np.moveaxis(per_joint(model, matrix, 0, 1), -1, 0)


def _moving_bodies(
    model: RobotModel,
    motion: LinkMotion,
    twists: NDArray[np.float64],
    wheel_rates: ArrayLike | None,
) -> _MovingBodies:
    """Return what all links do, summed over what hangs on each."""
    bodies = link_bodies(model, motion.poses)
    momenta = np.stack([bodies.momentum(link, twist) for link, twist in enumerate(twists)])
    rates = wheel_values(model, wheel_rates, twists.shape[-1])
    # A gyrostat's torque is linear in the twist, a body's quadratic: hence the factor.
    momenta[:, 3:] += 2.0 * link_spins(model, motion.poses, rates)
    for link in range(len(model.links) - 1, 0, -1):
        momenta[model.tree_joints[link - 1].parent] += momenta[link]
    return _MovingBodies(bodies.composite(model), bodies.rate(twists).composite(model), momenta)


def _fill_link(
    matrix: NDArray[np.float64],
    model: RobotModel,
    link: int,
    screws: NDArray[np.float64],
    twists: NDArray[np.float64],
    moving: _MovingBodies,
) -> None:
    """Write the rows and columns that one link has in common with those below it."""
    path = path_to_base(model, link)
    screw, omega = screws[link], cross_twist(*(a[path].swapaxes(0, 1) for a in (twists, screws)))
    momentum = moving.bodies.momentum(link, screw)
    forces = moving.bodies.momentum(link, omega[:, 0]) + moving.forces(link, screw)
    transposed = moving.forces(link, screw, transposed=True)
    place, rows = 5 + link, 5 + np.array(path)
    matrix[place, :6] = transposed - cross_wrench(twists[0], momentum)
    matrix[place, rows] = np.einsum('acn,cn->an', screws[path], transposed)
    matrix[place, rows] += np.einsum('can,cn->an', omega, momentum)
    matrix[:6, place] = forces
    matrix[rows, place] = np.einsum('acn,cn->an', screws[path], forces)


def mass_matrix_rate(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> NDArray[np.float64]:
    """Return the time derivative of the mass matrix ([Wilde 2018] Eqs. 66-79).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).

    Returns
    -------
    ndarray, shape (N, 6 + n, 6 + n)
        Rate of ``mass_matrix``, in its units per second; the base's motion plays no part.
    """
    motion = link_motion(model, q, qd, np.zeros((len(np.asarray(q)), 6)))
    screws, twists = joint_screws(model, motion.poses), link_twists(motion)
    bodies = link_bodies(model, motion.poses)
    rates, bodies = bodies.rate(twists).composite(model), bodies.composite(model)
    size = 5 + len(model.links)
    matrix = np.zeros((size, size, screws.shape[-1]))
    matrix[:6, :6] = rates.matrix(0)
    for link in range(1, len(model.links)):
        path = path_to_base(model, link)
        omega = cross_twist(twists[path].swapaxes(0, 1), screws[path].swapaxes(0, 1))
        momentum = bodies.momentum(link, screws[link])
        change = bodies.momentum(link, omega[:, 0]) + rates.momentum(link, screws[link])
        rows = 5 + np.array(path)
        matrix[:6, 5 + link] = matrix[5 + link, :6] = change
        matrix[rows, 5 + link] = np.einsum('acn,cn->an', screws[path], change)
        matrix[rows, 5 + link] += np.einsum('can,cn->an', omega, momentum)
        matrix[5 + link, rows] = matrix[rows, 5 + link]
    return np.moveaxis(per_joint(model, matrix, 0, 1), -1, 0)


def mass_matrix_derivatives(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return the derivatives of the mass matrix by every joint ([Wilde 2018] Eqs. 82-102).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, n, 6 + n, 6 + n)
        ``[:, k]`` is the derivative by the position of joint k, per rad or per m.
    """
    poses = link_poses(model, q)
    bodies, screws = composite_bodies(model, poses), joint_screws(model, poses)
    rates = bodies.rate(screws)
    momenta = [bodies.momentum(link, screw) for link, screw in enumerate(screws)]
    size = 5 + len(model.links)
    derivatives = np.zeros((len(model.tree_joints), size, size, screws.shape[-1]))
    for joint, link in enumerate(range(1, len(model.links))):
        _fill_derivative(derivatives[joint], model, link, screws, rates, momenta)
    derivatives = per_joint(model, per_joint(model, derivatives, 1, 2), 0, free=0)
    return np.moveaxis(derivatives, -1, 0)


def _fill_derivative(
    matrix: NDArray[np.float64],
    model: RobotModel,
    moved: int,
    screws: NDArray[np.float64],
    rates: Bodies,
    momenta: list[NDArray[np.float64]],
) -> None:
    """Write the derivative by the joint of one link, shape (6 + n, 6 + n, N)."""
    below = path_to_base(model, moved)[1:]
    columns = np.concatenate([np.arange(6), 5 + np.array(below, dtype=int)])
    base = np.broadcast_to(np.eye(6)[:, :, None], (6, 6, screws.shape[-1]))
    still = np.concatenate([base, screws[below]])
    of_body = np.einsum('cdn,adn->can', rates.matrix(moved), still)
    matrix[np.ix_(columns, columns)] = np.einsum('acn,cbn->abn', still, of_body)
    for link in range(moved, len(model.links)):
        if moved in path_to_base(model, link):
            carried = cross_wrench(screws[moved], momenta[link])
            matrix[columns, 5 + link] = np.einsum('acn,cn->an', still, carried)
            matrix[5 + link, columns] = matrix[columns, 5 + link]


@dataclass(frozen=True, eq=False)
class MassMatrixBlocks:
    """The three matrices of the kinetic energy ([Wilde 2018] Eq. 27).

    Parameters
    ----------
    base : ndarray, shape (N, 6, 6)
        Base inertia ``H_0`` (Eq. 28): kg, kg m, kg m^2.
    coupling : ndarray, shape (N, 6, n)
        Dynamic-coupling inertia ``H_0m`` (Eq. 31): momentum per joint rate.
    manipulator : ndarray, shape (N, n, n)
        Manipulator inertia ``H_m`` (Eq. 36), as that of a robot on a fixed base.
    """

    base: NDArray[np.float64]
    coupling: NDArray[np.float64]
    manipulator: NDArray[np.float64]


def mass_matrix(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return the mass matrix ``[[H_0, H_0m], [H_0m^T, H_m]]`` ([Wilde 2018] Eqs. 27-36).

    The momentum that a unit joint rate gives to all that hangs on the joint is a column of
    ``H_0m``; what of it lies along the axes of the joints below is a column of ``H_m``.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints; wheels are part of the links that carry them.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, 6 + n, 6 + n)
        Symmetric matrix for the base twist in base axes, then the joint rates. Twice the
        kinetic energy (J) is its quadratic form of these rates.
    """
    poses = link_poses(model, q)
    bodies, screws = composite_bodies(model, poses), joint_screws(model, poses)
    size = 5 + len(model.links)
    matrix = np.zeros((size, size, poses.origins.shape[-1]))
    matrix[:6, :6] = bodies.matrix(0)
    for link in range(1, len(model.links)):
        momentum = bodies.momentum(link, screws[link])
        matrix[:6, 5 + link] = matrix[5 + link, :6] = momentum
        path = path_to_base(model, link)
        rows = 5 + np.array(path)
        matrix[rows, 5 + link] = np.einsum('acn,cn->an', screws[path], momentum)
        matrix[5 + link, rows] = matrix[rows, 5 + link]
    return np.moveaxis(per_joint(model, matrix, 0, 1), -1, 0)


def mass_matrix_blocks(matrix: NDArray[np.float64]) -> MassMatrixBlocks:
    """Return the blocks of a mass matrix, or of its derivative, of shape (..., 6 + n, 6 + n)."""
    return MassMatrixBlocks(matrix[..., :6, :6], matrix[..., :6, 6:], matrix[..., 6:, 6:])

"""Poses and twists of all links in base axes, for many samples at once ([Naveen 2024] Eqs. 14-17).

Everything is seen from the base: axes of the base link, origin of the base link, velocities
against the inertial frame. The base pose plays no part.

A twist about the base's origin is the velocity of the body's point that is there, then the
angular velocity; a wrench is the force, then the moment about that point. All bodies then add
up without any transform between them. Components come first, samples last.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import Joint, JointType, RobotModel


@dataclass(frozen=True, eq=False)
class LinkPoses:
    """Axes and origins of the links in the base's frame, components first, samples last.

    Parameters
    ----------
    axes : ndarray, shape (n + 1, 3, 3, N)
        ``axes[i, k]`` is the k-th axis of link i in base axes: a column of ``R_BL``.
    origins : ndarray, shape (n + 1, 3, N)
        Origins of the links in the base's frame, m.
    """

    axes: NDArray[np.float64]
    origins: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkMotion:
    """Poses of the links and their twists, components first, samples last.

    Parameters
    ----------
    poses : LinkPoses
        Axes and origins.
    linear : ndarray, shape (n + 1, 3, N)
        Velocities of the links' origins in base axes, m/s.
    angular : ndarray, shape (n + 1, 3, N)
        Angular velocities of the links in base axes, rad/s.
    """

    poses: LinkPoses
    linear: NDArray[np.float64]
    angular: NDArray[np.float64]


def cross_components(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cross products of vectors whose components come first, shape (3, ...)."""
    (ax, ay, az), (bx, by, bz) = a, b
    first = ay * bz
    product = np.empty((3, *first.shape))
    np.subtract(first, az * by, out=product[0])
    np.subtract(az * bx, ax * bz, out=product[1])
    np.subtract(ax * by, ay * bx, out=product[2])
    return product


def link_poses(model: RobotModel, q: ArrayLike) -> LinkPoses:
    """Return where all links are in the base's frame ([Naveen 2024] Eqs. 14, 15).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    LinkPoses
        Axes and origins in the base's frame.
    """
    positions = position_rows(model, q)
    samples = positions.shape[1]
    axes = np.empty((len(model.links), 3, 3, samples))
    origins = np.zeros((len(model.links), 3, samples))
    axes[0] = np.eye(3)[:, :, None]
    for child, (joint, position) in enumerate(zip(model.tree_joints, positions, strict=True), 1):
        parent_axes = axes[joint.parent]
        flat = parent_axes.reshape(3, -1)
        turned = (joint.R_PC.T @ flat).reshape(3, 3, samples)
        origins[child] = origins[joint.parent] + (joint.p_PC_P @ flat).reshape(3, samples)
        if joint.type is JointType.PRISMATIC:
            axes[child] = turned
            origins[child] += turned[2] * position
        else:
            cosine, sine = np.cos(position), np.sin(position)
            axes[child, 0] = cosine * turned[0] + sine * turned[1]
            axes[child, 1] = cosine * turned[1] - sine * turned[0]
            axes[child, 2] = turned[2]
    return LinkPoses(axes, origins)


def link_motion(
    model: RobotModel, q: ArrayLike, qd: ArrayLike, base_twist: ArrayLike
) -> LinkMotion:
    """Return poses and twists of all links, seen from the base ([Naveen 2024] Eqs. 14-17).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.
    qd : array_like, shape (N, n)
        Joint rates, rad/s or m/s.
    base_twist : array_like, shape (N, 6)
        Velocity of the base's origin (m/s), then its angular velocity (rad/s), both against the
        inertial frame and in base axes.

    Returns
    -------
    LinkMotion
        Poses and twists in base axes.
    """
    poses = link_poses(model, q)
    rates = rate_rows(model, qd)
    linear = np.empty_like(poses.origins)
    angular = np.empty_like(poses.origins)
    linear[0], angular[0] = np.asarray(base_twist, dtype=float).T.reshape(2, 3, -1)
    for child, (joint, rate) in enumerate(zip(model.tree_joints, rates, strict=True), 1):
        _move_child(joint, child, rate, poses, linear, angular)
    return LinkMotion(poses, linear, angular)


def _move_child(
    joint: Joint,
    child: int,
    rate: NDArray[np.float64],
    poses: LinkPoses,
    linear: NDArray[np.float64],
    angular: NDArray[np.float64],
) -> None:
    """Fill in one link's twist from its parent's."""
    parent = joint.parent
    offset = poses.origins[child] - poses.origins[parent]
    linear[child] = linear[parent] + cross_components(angular[parent], offset)
    angular[child] = angular[parent]
    moved = linear if joint.type is JointType.PRISMATIC else angular
    moved[child] += poses.axes[child, 2] * rate


def position_rows(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return the positions of all t joints of the tree as contiguous rows, shape (t, N)."""
    q = _checked(model, q)
    return np.ascontiguousarray((q if model.coupling is None else model.coupling.positions(q)).T)


def rate_rows(model: RobotModel, qd: ArrayLike) -> NDArray[np.float64]:
    """Return rates, or accelerations, of all t joints as contiguous rows, shape (t, N)."""
    qd = _checked(model, qd)
    return np.ascontiguousarray((qd if model.coupling is None else model.coupling.rates(qd)).T)


def _checked(model: RobotModel, values: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(values, dtype=float)
    if values.ndim != 2 or values.shape[1] != len(model.joints):
        raise ValueError(f'expected (samples, {len(model.joints)}) values, got {values.shape}')
    return values


def per_joint(
    model: RobotModel, values: NDArray[np.float64], *axes: int, free: int = 6
) -> NDArray[np.float64]:
    """Return what the t joints of the tree have as what the n leading ones have of it.

    Parameters
    ----------
    model : RobotModel
        Robot.
    values : ndarray
        Columns of a Jacobian, torques, rows and columns of a mass matrix.
    axes : int
        Axes with ``free + t`` entries, to have ``free + n``.
    free : int
        Entries before those of the joints, six for the base's.
    """
    if model.coupling is None:
        return values
    return model.coupling.contract(values, *axes, free=free)


@dataclass(frozen=True, eq=False)
class LinkAcceleration:
    """Accelerations of the links against the inertial frame, components first, samples last.

    Parameters
    ----------
    linear : ndarray, shape (n + 1, 3, N)
        Accelerations of the links' origins in base axes, m/s^2.
    angular : ndarray, shape (n + 1, 3, N)
        Angular accelerations of the links in base axes, rad/s^2.
    """

    linear: NDArray[np.float64]
    angular: NDArray[np.float64]


def link_acceleration(
    model: RobotModel,
    motion: LinkMotion,
    qd: ArrayLike,
    qdd: ArrayLike,
    base_acceleration: ArrayLike,
) -> LinkAcceleration:
    """Return the accelerations of all links that go with a motion.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    motion : LinkMotion
        Poses and twists of the links.
    qd, qdd : array_like, shape (N, n)
        Joint rates (rad/s or m/s) and accelerations (rad/s^2 or m/s^2).
    base_acceleration : array_like, shape (N, 6)
        Acceleration of the base's origin against the inertial frame (m/s^2), then angular
        acceleration (rad/s^2), both in base axes.

    Returns
    -------
    LinkAcceleration
        Accelerations in base axes.
    """
    rates, accelerations = rate_rows(model, qd), rate_rows(model, qdd)
    linear, angular = np.empty_like(motion.linear), np.empty_like(motion.angular)
    linear[0], angular[0] = np.asarray(base_acceleration, dtype=float).T.reshape(2, 3, -1)
    origins = motion.poses.origins
    for child, joint in enumerate(model.tree_joints, 1):
        parent, axis = joint.parent, motion.poses.axes[child, 2]
        omega, offset = motion.angular[parent], origins[child] - origins[parent]
        rate, acceleration = rates[child - 1], accelerations[child - 1]
        swept = cross_components(omega, cross_components(omega, offset))
        linear[child] = linear[parent] + cross_components(angular[parent], offset) + swept
        angular[child] = angular[parent]
        coriolis = cross_components(omega, axis) * rate
        if joint.type is JointType.PRISMATIC:
            linear[child] += axis * acceleration + 2.0 * coriolis
        else:
            angular[child] += axis * acceleration + coriolis
    return LinkAcceleration(linear, angular)


def joint_screws(model: RobotModel, poses: LinkPoses) -> NDArray[np.float64]:
    """Return what unit rates of the joints make their children do ([Wilde 2018] Eqs. 15, 16).

    Parameters
    ----------
    model : RobotModel
        Robot with t joints in its tree.
    poses : LinkPoses
        Axes and origins of the links.

    Returns
    -------
    ndarray, shape (t + 1, 6, N)
        ``screws[i]`` is the twist of link i against its parent about the base's origin, in base
        axes, per unit rate of its joint; zero for the base.
    """
    screws = np.zeros((len(model.links), 6, poses.origins.shape[-1]))
    for child, joint in enumerate(model.tree_joints, 1):
        axis = poses.axes[child, 2]
        if joint.type is JointType.PRISMATIC:
            screws[child, :3] = axis
        else:
            screws[child, :3] = cross_components(poses.origins[child], axis)
            screws[child, 3:] = axis
    return screws


def link_twists(motion: LinkMotion) -> NDArray[np.float64]:
    """Return the twists of all links about the base's origin, in base axes, (n + 1, 6, N)."""
    origins, angular = motion.poses.origins, motion.angular
    carried = np.moveaxis(cross_components(origins.swapaxes(0, 1), angular.swapaxes(0, 1)), 1, 0)
    return np.concatenate([motion.linear + carried, angular], axis=1)


def path_to_base(model: RobotModel, link: int) -> list[int]:
    """Return a link and the links between it and the base, which is not among them."""
    path = []
    while link > 0:
        path.append(link)
        link = model.tree_joints[link - 1].parent
    return path


def cross_twist(twist: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rate of a twist that is carried along by another, shape (6, ...)."""
    linear, angular = twist[:3], twist[3:]
    moved = cross_components(angular, other[:3]) + cross_components(linear, other[3:])
    return np.concatenate([moved, cross_components(angular, other[3:])])


def cross_wrench(twist: NDArray[np.float64], wrench: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rate of a wrench or momentum that is carried along by a twist, (6, ...)."""
    linear, angular = twist[:3], twist[3:]
    turned = cross_components(angular, wrench[3:]) + cross_components(linear, wrench[:3])
    return np.concatenate([cross_components(angular, wrench[:3]), turned])


def point_jacobian(
    model: RobotModel, q: ArrayLike, link: int, point: Sequence[float] = (0.0, 0.0, 0.0)
) -> NDArray[np.float64]:
    """Return ``[J_0, J_m]``, from base twist and joint rates to the twist of a point.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.
    link : int
        Index of the link that the point is fixed to; 0 is the base.
    point : sequence of 3 floats
        The point in that link's frame, m.

    Returns
    -------
    ndarray, shape (N, 6, 6 + n)
        Velocity of the point (m/s) and angular velocity of its link (rad/s), both against the
        inertial frame and in base axes, per unit of base twist (six columns, Eq. 105) and of
        joint rate (n columns, Eq. 104).

    Raises
    ------
    ValueError
        If the robot has no such link.
    """
    if not 0 <= link < len(model.links):
        raise ValueError(f'{model.name} has links 0 to {len(model.links) - 1}, not {link}')
    poses = link_poses(model, q)
    place = poses.origins[link] + np.tensordot(np.asarray(point), poses.axes[link], axes=1)
    screws = joint_screws(model, poses)
    jacobian = np.zeros((6, 6 + len(model.tree_joints), place.shape[-1]))
    jacobian[:, :6] = np.eye(6)[:, :, None]
    for ancestor in path_to_base(model, link):
        jacobian[:, 5 + ancestor] = screws[ancestor]
    jacobian[:3] += cross_components(jacobian[3:], place[:, None])
    return per_joint(model, np.moveaxis(jacobian, -1, 0), 2)

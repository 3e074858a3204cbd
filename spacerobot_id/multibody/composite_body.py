"""Links, and all that hangs on them, as rigid bodies in the base's frame.

Everything is about the base's origin and in base axes, so that bodies add up by their numbers
and need no transform. Components come first, samples last.

The body is a free-flyer with what it has grasped, arms at rest. A state is one row of thirteen:
position of the frame (m), quaternion x y z w of ``R_WB``, velocity of the origin (m/s) and angular
velocity (rad/s) in base axes. Wrenches are held constant through a step, as a computer on board
does; within it everything is integrated by the classical Runge-Kutta method of fourth order.

Links beyond a joint that are displaced as one body by a screw ``d`` carry their momentum ``h`` and
their inertia ``I`` along (Featherstone, Rigid Body Dynamics Algorithms, 2008, Section 2.9), while
their parent moves as before, with the twist ``v``: the momentum of the robot becomes larger by
``d x* h - I (d x v)``.
"""

from dataclasses import dataclass
from functools import cache
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import (
    cross_components,
    cross_twist,
    cross_wrench,
    link_motion,
    link_poses,
    link_twists,
    LinkPoses,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.spatial import skew

POSE = slice(0, 7)
"""Where position and quaternion stand in a state."""

TWIST = slice(7, 13)
"""Where the twist in base axes stands in a state."""


def body_inertia(parameters: ArrayLike) -> NDArray[np.float64]:
    """Return the spatial inertia about the origin, from the ten parameters.

    Parameters
    ----------
    parameters : array_like, shape (..., 10)
        Ixx Iyy Izz Ixy Iyz Izx m mx my mz.

    Returns
    -------
    ndarray, shape (..., 6, 6)
        Matrix that carries a twist (linear, angular) to the momentum (linear, angular).
    """
    parameters = np.asarray(parameters, dtype=float)
    matrix = np.zeros((*parameters.shape[:-1], 6, 6))
    matrix[..., [0, 1, 2], [0, 1, 2]] = parameters[..., 6:7]
    matrix[..., 3:, :3] = skew(parameters[..., 7:])
    matrix[..., :3, 3:] = -matrix[..., 3:, :3]
    matrix[..., [3, 4, 5], [3, 4, 5]] = parameters[..., :3]
    matrix[..., [3, 4, 5], [4, 5, 3]] = matrix[..., [4, 5, 3], [3, 4, 5]] = parameters[..., 3:6]
    return matrix


def rigid_body_motion(
    parameters: ArrayLike,
    states: ArrayLike,
    wrenches: ArrayLike,
    steps: ArrayLike,
) -> NDArray[np.float64]:
    """Return where bodies go under series of wrenches.

    Parameters
    ----------
    parameters : array_like, shape (B, 10)
        Parameters of each body.
    states : array_like, shape (B, 13)
        State of each at the start.
    wrenches : array_like, shape (K, 6) or (B, K, 6)
        Force (N) and moment about the origin (N m) in base axes, through each step; the same for
        all bodies, or each its own.
    steps : array_like, shape (K,)
        Steps, s.

    Returns
    -------
    ndarray, shape (B, K, 13)
        States at the ends of the steps.
    """
    parameters, states, wrenches, steps = (
        np.array(each, dtype=float, order='C') for each in (parameters, states, wrenches, steps)
    )
    record = np.empty((len(states), len(steps), states.shape[1]))
    inverse = np.linalg.inv(body_inertia(parameters))
    wrenches = wrenches[None] if wrenches.ndim == 2 else wrenches
    kernels().advance_bodies(parameters, inverse, states, wrenches, steps, record)
    return record


@cache
def kernels() -> ModuleType:
    """Return the compiled kernels; importing numba takes, and only those who need them wait."""
    from spacerobot_id.multibody.kernels import rigid_body_step

    return rigid_body_step


@dataclass(frozen=True, eq=False)
class Bodies:
    """Rigid bodies, or the rates of change of bodies: one per link.

    Parameters
    ----------
    inertia : ndarray, shape (n + 1, 3, 3, N)
        Inertia matrices about the base's origin, in base axes, kg m^2.
    moment : ndarray, shape (n + 1, 3, N)
        First moments of mass from the base's origin, in base axes, kg m.
    mass : ndarray, shape (n + 1,) or (n + 1, N)
        Masses, kg; by samples where these are of several robots.
    """

    inertia: NDArray[np.float64]
    moment: NDArray[np.float64]
    mass: NDArray[np.float64]

    def momentum(self, link: int, twist: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the momentum of one body that moves with a twist, shape (6, N)."""
        linear, angular, moment = twist[:3], twist[3:], self.moment[link]
        spin = np.einsum('cdn,dn->cn', self.inertia[link], angular)
        return np.concatenate(
            [
                self.mass[link] * linear + cross_components(angular, moment),
                spin + cross_components(moment, linear),
            ]
        )

    def matrix(self, link: int) -> NDArray[np.float64]:
        """Return the matrix from twist to momentum of one body, shape (6, 6, N)."""
        matrix = np.zeros((6, 6, self.moment.shape[-1]))
        crossed = np.moveaxis(skew(self.moment[link].T), 0, -1)
        matrix[[0, 1, 2], [0, 1, 2]] = self.mass[link]
        matrix[:3, 3:], matrix[3:, :3] = -crossed, crossed
        matrix[3:, 3:] = self.inertia[link]
        return matrix

    def rate(self, twists: NDArray[np.float64]) -> 'Bodies':
        """Return how fast the bodies change in the base's frame as they move with twists.

        Parameters
        ----------
        twists : ndarray, shape (n + 1, 6, N)
            Twists of the bodies against the base, about its origin: m/s and rad/s.

        Returns
        -------
        Bodies
            Rates of inertia (kg m^2/s) and first moment (kg m/s); that of mass is zero.
        """
        linear, angular = twists[:, :3], twists[:, 3:]
        mass = self.mass.reshape(len(self.mass), 1, -1)
        moment = _cross_rows(angular, self.moment) + mass * linear
        # Half of each is what the columns do, the other half, transposed, what the rows do.
        columns = _cross_columns(angular, self.inertia)
        columns -= self.moment[:, :, None] * linear[:, None]
        inertia = columns + columns.swapaxes(1, 2)
        trace = 2.0 * np.einsum('lcn,lcn->ln', linear, self.moment)
        inertia[:, [0, 1, 2], [0, 1, 2]] += trace[:, None]
        return Bodies(inertia, moment, np.zeros_like(self.mass))

    def composite(self, model: RobotModel) -> 'Bodies':
        """Return each link together with all that hangs on it, summed from the tips."""
        inertia, moment, mass = self.inertia.copy(), self.moment.copy(), self.mass.copy()
        for link in range(len(model.links) - 1, 0, -1):
            parent = model.tree_joints[link - 1].parent
            inertia[parent] += inertia[link]
            moment[parent] += moment[link]
            mass[parent] += mass[link]
        return Bodies(inertia, moment, mass)


def link_bodies(model: RobotModel, poses: LinkPoses) -> Bodies:
    """Return the links in the base's frame, each alone."""
    count, samples = len(model.links), poses.origins.shape[-1]
    inertia, moment = np.empty((count, 3, 3, samples)), np.empty((count, 3, samples))
    for index, link in enumerate(model.links):
        body, axes, origin = link.inertial, poses.axes[index], poses.origins[index]
        turned = (body.first_moment @ axes.reshape(3, -1)).reshape(3, samples)
        half_turned = (body.inertia @ axes.reshape(3, -1)).reshape(3, 3, samples)
        inertia[index] = np.einsum('acn,adn->cdn', axes, half_turned)
        inertia[index] += shifted(body.mass, turned, origin)
        moment[index] = turned + body.mass * origin
    return Bodies(inertia, moment, np.array([link.inertial.mass for link in model.links]))


def composite_bodies(model: RobotModel, poses: LinkPoses) -> Bodies:
    """Return each link together with all that hangs on it, in the base's frame."""
    return link_bodies(model, poses).composite(model)


def centre_of_mass(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return the centre of mass of the whole robot in the base's frame ([Wilde 2018] Eq. 14).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, 3)
        Positions in base axes from the base's origin, m.
    """
    bodies = link_bodies(model, link_poses(model, q))
    return bodies.moment.sum(axis=0).T / bodies.mass.sum()


def shifted(
    mass: float | NDArray[np.float64], moment: NDArray[np.float64], offset: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what moving the reference point by an offset adds to an inertia matrix.

    Parameters
    ----------
    mass : float or ndarray, broadcastable to (..., N)
        Mass, kg.
    moment : ndarray, shape (3, ..., N)
        First moment from the point before, kg m.
    offset : ndarray, broadcastable to (3, ..., N)
        The point before, from the one after, m.

    Returns
    -------
    ndarray, shape (3, 3, ..., N)
        What is added, kg m^2.
    """
    scale = np.einsum('c...,c...->...', offset, 2.0 * moment + mass * offset)
    mixed = offset[:, None] * (moment + mass * offset)[None]
    added = -mixed - moment[:, None] * offset[None]
    for diagonal in range(3):
        added[diagonal, diagonal] += scale
    return added


def _cross_rows(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cross products of vectors of all links, shape (n + 1, 3, N)."""
    return cross_components(a.swapaxes(0, 1), b.swapaxes(0, 1)).swapaxes(0, 1)


def _cross_columns(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cross products with the columns of matrices, shape (n + 1, 3, 3, N)."""
    return cross_components(a.swapaxes(0, 1)[:, :, None], b.swapaxes(0, 1)).swapaxes(0, 1)


DISPLACEMENTS = 6
"""Of each joint: along the axes of its parent link, m; about those of its own frame, rad."""


def momentum_by_displacements(
    model: RobotModel, q: ArrayLike, qd: ArrayLike, base_twist: ArrayLike, wheel_rates: ArrayLike
) -> NDArray[np.float64]:
    """Return the slope of the momentum in displacements of the joints' frames.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints, t in its tree, and w wheels.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).
    base_twist : array_like, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    wheel_rates : array_like, shape (N, w)
        Rates of the wheels against the links that carry them, rad/s.

    Returns
    -------
    ndarray, shape (N, 6, t, 6)
        Slope of the momentum of links and wheels, in base axes about the base's origin; the last
        axis are three displacements along the axes of the parent link (per m), and three
        rotations about those of the joint's frame as it is at position zero (per rad).
    """
    motion = link_motion(model, q, qd, base_twist)
    poses, twists = motion.poses, link_twists(motion)
    bodies = link_bodies(model, poses)
    momenta = np.stack([bodies.momentum(k, twists[k]) for k in range(len(model.links))])
    for wheel, rates in zip(model.wheels, np.asarray(wheel_rates, dtype=float).T, strict=True):
        spin = np.tensordot(wheel.spin_inertia * wheel.axis, poses.axes[wheel.link], axes=1)
        momenta[wheel.link, 3:] += spin * rates
    beyond = bodies.composite(model)
    slope = np.empty((6, len(model.tree_joints), DISPLACEMENTS, poses.origins.shape[-1]))
    for link in range(len(model.links) - 1, 0, -1):
        parent = model.tree_joints[link - 1].parent
        for place, screw in enumerate(_displacements(model, poses, link)):
            lagging = beyond.momentum(link, cross_twist(screw, twists[parent]))
            slope[:, link - 1, place] = cross_wrench(screw, momenta[link]) - lagging
        momenta[parent] += momenta[link]
    return np.ascontiguousarray(np.moveaxis(slope, -1, 0))


def _displacements(model: RobotModel, poses: LinkPoses, link: int) -> list[NDArray[np.float64]]:
    """Return the screws about the base's origin, in base axes, of a link's joint, (6, N) each."""
    joint = model.tree_joints[link - 1]
    parent, flat = poses.axes[joint.parent], poses.axes[joint.parent].reshape(3, -1)
    origin = poses.origins[joint.parent] + (joint.p_PC_P @ flat).reshape(3, -1)
    turned = (joint.R_PC.T @ flat).reshape(parent.shape)
    moved = [np.concatenate([axis, np.zeros_like(axis)]) for axis in parent]
    return moved + [np.concatenate([cross_components(origin, axis), axis]) for axis in turned]

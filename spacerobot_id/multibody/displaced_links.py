"""What the momentum is where a joint, and all that hangs on it, sits elsewhere: to first order.

Links beyond a joint that are displaced as one body by a screw ``d`` carry their momentum ``h`` and
their inertia ``I`` along (Featherstone, Rigid Body Dynamics Algorithms, 2008, Section 2.9), while
their parent moves as before, with the twist ``v``: the momentum of the robot becomes larger by
``d x* h - I (d x v)``.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import (
    cross_components,
    cross_twist,
    cross_wrench,
    link_motion,
    link_twists,
    LinkPoses,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.composite_body import link_bodies

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

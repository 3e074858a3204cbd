"""Accelerations of all links in base axes, for many samples at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics.link_motion import cross_components, LinkMotion, rate_rows
from spacerobot_id.model import JointType, RobotModel


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
        turning, offset = motion.angular[parent], origins[child] - origins[parent]
        rate, acceleration = rates[child - 1], accelerations[child - 1]
        swept = cross_components(turning, cross_components(turning, offset))
        linear[child] = linear[parent] + cross_components(angular[parent], offset) + swept
        angular[child] = angular[parent]
        coriolis = cross_components(turning, axis) * rate
        if joint.type is JointType.PRISMATIC:
            linear[child] += axis * acceleration + 2.0 * coriolis
        else:
            angular[child] += axis * acceleration + coriolis
    return LinkAcceleration(linear, angular)

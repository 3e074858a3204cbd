"""Joint axes as screws in the base's frame, and the cross products of twists and wrenches.

A twist about the base's origin is the velocity of the body's point that is there, then the
angular velocity; a wrench is the force, then the moment about that point. All bodies then add
up without any transform between them. Components come first, samples last.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.link_motion import cross_components, LinkMotion, LinkPoses
from spacerobot_id.model import JointType, RobotModel


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

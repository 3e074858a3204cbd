"""The Jacobian of a point on a link of a free-floating robot ([Wilde 2018] Eqs. 103-106)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics.joint_screws import joint_screws, path_to_base
from spacerobot_id.kinematics.link_motion import cross_components, link_poses, per_joint
from spacerobot_id.model import RobotModel


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

"""States of a robot carried over to the same robot with another base."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics.link_motion import link_motion, link_poses
from spacerobot_id.model import RobotModel
from spacerobot_id.model.reroot import Rerooting
from spacerobot_id.spatial import rotation_from_quaternion


@dataclass(frozen=True, eq=False)
class RerootedState:
    """A state of the robot with the new base.

    Parameters
    ----------
    q, qd : ndarray, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s), in the new order.
    base_twist : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the new base in its own axes.
    """

    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    base_twist: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BasePose:
    """Where a base is in the inertial frame.

    Parameters
    ----------
    position : ndarray, shape (N, 3)
        Position of its origin, m.
    attitude : ndarray, shape (N, 4)
        Attitude quaternions x y z w.
    """

    position: NDArray[np.float64]
    attitude: NDArray[np.float64]


def rerooted_state(
    model: RobotModel,
    rerooting: Rerooting,
    q: ArrayLike,
    qd: ArrayLike,
    base_twist: ArrayLike,
) -> RerootedState:
    """Return the same motion as the robot with the new base has it ([Jain 1995] Eq. A.3).

    Parameters
    ----------
    model : RobotModel
        Robot with the old base, n joints.
    rerooting : Rerooting
        What ``reroot`` made of it.
    q, qd : array_like, shape (N, n)
        Joint positions and rates of the old model.
    base_twist : array_like, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the old base in its axes.
    """
    q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    motion, base = link_motion(model, q, qd, base_twist), rerooting.links[0]
    linear, angular = (
        np.einsum('kcn,cn->nk', motion.poses.axes[base], velocities[base])
        for velocities in (motion.linear, motion.angular)
    )
    joints = rerooting.joints
    return RerootedState(q[:, joints], qd[:, joints], np.hstack([linear, angular]))


def rerooted_pose(
    model: RobotModel,
    rerooting: Rerooting,
    q: ArrayLike,
    position: ArrayLike,
    attitude: ArrayLike,
) -> BasePose:
    """Return where the new base is when the old one is somewhere.

    Parameters
    ----------
    model : RobotModel
        Robot with the old base, n joints.
    rerooting : Rerooting
        What ``reroot`` made of it.
    q : array_like, shape (N, n)
        Joint positions of the old model.
    position : array_like, shape (N, 3)
        Position of the old base in the inertial frame, m.
    attitude : array_like, shape (N, 4)
        Attitude quaternions x y z w of the old base.
    """
    poses, base = link_poses(model, q), rerooting.links[0]
    R_WB = rotation_from_quaternion(attitude)
    R_WL = np.einsum('nij,kjn->nik', R_WB, poses.axes[base])
    moved = np.einsum('nij,jn->ni', R_WB, poses.origins[base])
    return BasePose(np.asarray(position) + moved, Rotation.from_matrix(R_WL).as_quat())

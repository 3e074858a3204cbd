"""Where the links of a robot are, as transforms: frames of the URDF."""

from collections.abc import Iterator

from geometry_msgs.msg import TransformStamped
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics import link_poses
from spacerobot_id.model import Frame, RobotModel
from spacerobot_id.nodes.common.stamps import stamp_from_seconds


def transform_message(
    stamp: float, parent: str, child: str, position: ArrayLike, attitude: ArrayLike
) -> TransformStamped:
    """Return where a frame is in another.

    Parameters
    ----------
    stamp : float
        Time, s.
    parent, child : str
        Names of the frames.
    position : array_like, shape (3,)
        Origin of the child in the parent, m.
    attitude : array_like, shape (4,)
        Quaternion x y z w from the child's axes to the parent's.
    """
    message = TransformStamped(child_frame_id=child)
    message.header.stamp, message.header.frame_id = stamp_from_seconds(stamp), parent
    place, turn = message.transform.translation, message.transform.rotation
    place.x, place.y, place.z = map(float, position)
    turn.x, turn.y, turn.z, turn.w = map(float, attitude)
    return message


def link_transforms(
    stamp: float, model: RobotModel, q: NDArray[np.float64]
) -> Iterator[TransformStamped]:
    """Yield where every link and every frame on one is in the base link.

    Parameters
    ----------
    stamp : float
        Time, s.
    model : RobotModel
        Robot with n joints.
    q : ndarray, shape (n,)
        Joint positions, rad or m.
    """
    poses, base = link_poses(model, q[None]), model.links[0].name
    frames = {
        link.name: Frame(index, link.R_UL.T, np.zeros(3)) for index, link in enumerate(model.links)
    } | dict(model.frames)
    for name, frame in frames.items():
        if name == base:
            continue
        R_BL, origin = poses.axes[frame.link, ..., 0].T, poses.origins[frame.link, :, 0]
        attitude = Rotation.from_matrix(R_BL @ frame.R_LF).as_quat()
        yield transform_message(stamp, base, name, origin + R_BL @ frame.p_LF_L, attitude)

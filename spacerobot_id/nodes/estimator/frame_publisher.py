"""The frames of the base and of the links on ``/tf``, for viewers, where tf2_msgs is installed."""

from collections.abc import Iterator

from geometry_msgs.msg import TransformStamped
import numpy as np
from numpy.typing import ArrayLike, NDArray
from rclpy.clock import Clock, ClockType
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.kinematics import link_poses
from spacerobot_id.model import Frame, RobotModel
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.estimator.inputs import EstimatorInputs
from spacerobot_id.nodes.messages import message_class, stamp_from_seconds

_PERIOD = 0.05
"""Time between two messages, s."""


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


class FramePublisher:
    """Publishes where the base was seen last, and where the joints put the links.

    Without the package tf2_msgs there is a warning, and nothing is published.

    Parameters
    ----------
    node : ManagedNode
        Node that publishes.
    model : RobotModel
        Prior model.
    inputs : EstimatorInputs
        Joint positions and poses.
    """

    def __init__(self, node: ManagedNode, model: RobotModel, inputs: EstimatorInputs) -> None:
        self._model, self._inputs = model, inputs
        self._published: dict[str, float] = {}
        try:
            self._type = message_class('tf2_msgs/msg/TFMessage', 'publish_tf')
        except ConfigurationError as error:
            node.get_logger().warning(f'{error}; frames are not published')
            return
        self._publisher = node.create_publisher(self._type, '/tf', qos.stream_output(100))
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(_PERIOD, self.publish, clock=steady)

    def publish(self) -> None:
        """Publish what is newer than the last time."""
        transforms = [*self._base(), *self._links()]
        if transforms:
            self._publisher.publish(self._type(transforms=transforms))

    def _base(self) -> Iterator[TransformStamped]:
        """Yield the pose of the base."""
        pose = self._inputs.last_pose
        if pose is None or not np.isfinite(pose).all() or not self._is_new('base_pose'):
            return
        stamp, frame = self._published['base_pose'], self._inputs.pose_frame
        yield transform_message(stamp, frame, self._model.links[0].name, pose[:3], pose[3:])

    def _links(self) -> Iterator[TransformStamped]:
        """Yield the poses of the links."""
        if self._is_new('joint_states'):
            stamp = self._published['joint_states']
            yield from link_transforms(stamp, self._model, self._inputs.last_positions)

    def _is_new(self, topic: str) -> bool:
        """Return whether a stream went on, and remember up to when."""
        stream = self._inputs.alignment.streams.get(topic)
        latest = -np.inf if stream is None else stream.latest
        if not np.isfinite(latest) or latest == self._published.get(topic):
            return False
        self._published[topic] = latest
        return True

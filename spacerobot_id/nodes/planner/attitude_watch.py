"""The latest attitude of the base, as its pose says."""

from geometry_msgs.msg import PoseStamped
import numpy as np

from spacerobot_id.nodes.messages.base import pose_from_message
from spacerobot_id.spatial import normalise_quaternion


class AttitudeWatch:
    """Remembers the last attitude that is one; that of the inertial frame before the first."""

    def __init__(self) -> None:
        self.attitude: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0)

    def take(self, message: PoseStamped) -> None:
        """Take a pose; one without a rotation is passed over."""
        attitude = normalise_quaternion(pose_from_message(message).attitude)
        if attitude is not None and np.isfinite(attitude).all():
            self.attitude = tuple(attitude.tolist())

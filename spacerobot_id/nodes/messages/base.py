"""Sensors of the base, from messages and to them: the codecs of bags, made with rclpy."""

from functools import partial

from geometry_msgs.msg import WrenchStamped
import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import codecs
from spacerobot_id.measurement.codecs import (
    gyro_from_message,
    pose_from_message,
    twist_from_message,
)
from spacerobot_id.nodes.messages.pieces import make_message

__all__ = [
    'gyro_from_message',
    'imu_message',
    'pose_from_message',
    'pose_message',
    'twist_from_message',
    'twist_message',
    'wrench_from_message',
    'wrench_message',
]

imu_message = partial(codecs.imu_message, make_message)
pose_message = partial(codecs.pose_message, make_message)
twist_message = partial(codecs.twist_message, make_message)
wrench_message = partial(codecs.wrench_message, make_message)


def wrench_from_message(message: WrenchStamped, frame_id: str) -> NDArray[np.float64]:
    """Return the wrench of a message (force, torque), shape (6,).

    Raises
    ------
    MeasurementError
        If it is in another frame than the one named.
    """
    return codecs.wrench_from_message(message).in_frame(frame_id)

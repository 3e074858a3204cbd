"""Poses of the base: read, written, and as columns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.measurement.codecs import header, Make, vector
from spacerobot_id.measurement.streams.stream_kind import (
    Fields,
    MessageStream,
    stamps_of,
    StreamKind,
)


@dataclass(frozen=True, eq=False)
class PoseStream(MessageStream):
    """Poses of the base: every row is one message, or it is one alone.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    frame_id : str
        Frame that the poses are given in.
    positions : ndarray, shape (N, 3)
        m.
    attitudes : ndarray, shape (N, 4)
        Quaternions x y z w from the base's axes to that frame's, as they came.
    child_frame : str
        Frame on the base whose poses they are; the base link's own if empty.
    """

    frame_id: str
    positions: NDArray[np.float64]
    attitudes: NDArray[np.float64]
    child_frame: str = ''

    @property
    def position(self) -> NDArray[np.float64]:
        """Position of one message alone, m, shape (3,)."""
        return self.positions

    @property
    def attitude(self) -> NDArray[np.float64]:
        """Quaternion x y z w of one message alone, shape (4,)."""
        return self.attitudes


def _decoded(columns: Fields, arrivals: NDArray[np.float64]) -> PoseStream:
    """Return the poses of a ``PoseStamped``, or those of the child frame of an ``Odometry``."""
    is_odometry = hasattr(columns.first, 'child_frame_id')
    pose = 'pose.pose' if is_odometry else 'pose'
    return PoseStream(
        stamps_of(columns),
        arrivals,
        columns.common('header.frame_id'),
        columns.components(f'{pose}.position'),
        columns.components(f'{pose}.orientation', 'xyzw'),
        columns.common('child_frame_id') if is_odometry else '',
    )


def pose_message(
    make: Make, stamp: float, frame_id: str, position: ArrayLike, attitude: ArrayLike
) -> object:
    """Return a message of a pose; attitude is a quaternion x y z w."""
    pose = make(
        'geometry_msgs/msg/Pose',
        position=vector(make, position, 'Point'),
        orientation=vector(make, attitude, 'Quaternion'),
    )
    kind = 'geometry_msgs/msg/PoseStamped'
    return make(kind, header=header(make, stamp, frame_id), pose=pose)


def _encoded(make: Make, one: PoseStream) -> object:
    return pose_message(make, one.stamp, one.frame_id, one.position, one.attitude)


POSE = StreamKind(
    PoseStream, ('geometry_msgs/msg/PoseStamped', 'nav_msgs/msg/Odometry'), _decoded, _encoded
)
"""Positions and attitudes."""

pose_from_message = POSE.of_message

"""Twists of the base: read, written, and as columns."""

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
class TwistStream(MessageStream):
    """Twists of the base: every row is one message, or it is one alone.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    frame_id : str
        Frame in whose axes they are; of one on the base its origin's twists.
    twists : ndarray, shape (N, 6)
        Linear (m/s), then angular (rad/s) velocity.
    """

    frame_id: str
    twists: NDArray[np.float64]

    @property
    def twist(self) -> NDArray[np.float64]:
        """Twist of one message alone, shape (6,)."""
        return self.twists


def _decoded(columns: Fields, arrivals: NDArray[np.float64]) -> TwistStream:
    """Return the twists of a ``TwistStamped``, or of an ``Odometry`` in its child frame."""
    is_odometry = hasattr(columns.first, 'child_frame_id')
    twist = 'twist.twist' if is_odometry else 'twist'
    frame = columns.common('child_frame_id' if is_odometry else 'header.frame_id')
    parts = [columns.components(f'{twist}.{part}') for part in ('linear', 'angular')]
    return TwistStream(stamps_of(columns), arrivals, frame, np.concatenate(parts, axis=-1))


def twist_message(make: Make, stamp: float, frame_id: str, twist: ArrayLike) -> object:
    """Return a message of a twist (linear, angular) in the axes of a frame."""
    linear, angular = (vector(make, each) for each in np.reshape(twist, (2, 3)))
    inner = make('geometry_msgs/msg/Twist', linear=linear, angular=angular)
    kind = 'geometry_msgs/msg/TwistStamped'
    return make(kind, header=header(make, stamp, frame_id), twist=inner)


def _encoded(make: Make, one: TwistStream) -> object:
    return twist_message(make, one.stamp, one.frame_id, one.twist)


TWIST = StreamKind(
    TwistStream, ('geometry_msgs/msg/TwistStamped', 'nav_msgs/msg/Odometry'), _decoded, _encoded
)
"""Linear and angular velocities."""

twist_from_message = TWIST.of_message

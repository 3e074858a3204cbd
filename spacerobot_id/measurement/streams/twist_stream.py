"""Twists of the base: read, written, and as columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.measurement.bag.cdr_columns import Columns
from spacerobot_id.measurement.codecs import components, header, Make, seconds_from_stamp, vector
from spacerobot_id.measurement.streams.stream_kind import (
    Arrivals,
    column,
    frame_of,
    OfRow,
    Read,
    stamps_of,
    StreamKind,
    times_of,
)
from spacerobot_id.model import RobotModel


@dataclass(frozen=True, eq=False)
class TwistReading:
    """Twist of the base.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame in whose axes it is given; of one on the base its origin's twist.
    twist : ndarray, shape (6,)
        Linear (m/s), then angular (rad/s) velocity.
    """

    stamp: float
    frame_id: str
    twist: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TwistStream:
    """Twists of the base: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    frame_id : str
        Frame whose axes they are in.
    twists : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity.
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    frame_id: str
    twists: NDArray[np.float64]


def twist_from_message(message: Any) -> TwistReading:  # noqa: ANN401
    """Return the twist of a ``TwistStamped``, or that of an ``Odometry`` in its child frame."""
    twist = getattr(message.twist, 'twist', message.twist)
    return TwistReading(
        seconds_from_stamp(message.header.stamp),
        getattr(message, 'child_frame_id', message.header.frame_id),
        np.concatenate([components(twist.linear), components(twist.angular)]),
    )


def twist_message(make: Make, stamp: float, frame_id: str, twist: ArrayLike) -> object:
    """Return a message of a twist (linear, angular) in the axes of a frame."""
    linear, angular = (vector(make, each) for each in np.reshape(twist, (2, 3)))
    inner = make('geometry_msgs/msg/Twist', linear=linear, angular=angular)
    kind = 'geometry_msgs/msg/TwistStamped'
    return make(kind, header=header(make, stamp, frame_id), twist=inner)


def _of_columns(columns: Columns, arrivals: Arrivals) -> TwistStream:
    is_odometry = 'twist.twist.linear.x' in columns.places
    twist = 'twist.twist' if is_odometry else 'twist'
    frame = columns.common('child_frame_id' if is_odometry else 'header.frame_id')
    parts = [columns.components(f'{twist}.{part}') for part in ('linear', 'angular')]
    return TwistStream(stamps_of(columns), arrivals, frame, np.hstack(parts))


def _of_read(path: str, read: Sequence[Read]) -> TwistStream:
    return TwistStream(*times_of(read), frame_of(path, read), column(read, 'twist'))


def _of_row(_model: RobotModel, stream: TwistStream) -> OfRow:
    stamps = stream.stamps.tolist()
    return lambda row: TwistReading(stamps[row], stream.frame_id, stream.twists[row])


def _messages(make: Make, stream: TwistStream) -> Iterator[object]:
    for stamp, values in zip(stream.stamps.tolist(), stream.twists, strict=True):
        yield twist_message(make, stamp, stream.frame_id, values)


TWIST = StreamKind(
    TwistReading,
    TwistStream,
    {
        'geometry_msgs/msg/TwistStamped': twist_from_message,
        'nav_msgs/msg/Odometry': twist_from_message,
    },
    _of_columns,
    _of_read,
    _of_row,
    _messages,
)
"""Linear and angular velocities."""

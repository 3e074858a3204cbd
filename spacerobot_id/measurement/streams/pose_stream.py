"""Poses of the base: read, written, and as columns."""

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
class PoseReading:
    """Pose of the base.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame that the pose is given in.
    position : ndarray, shape (3,)
        Position, m.
    attitude : ndarray, shape (4,)
        Quaternion x y z w from the base's axes to that frame's, as it came.
    child_frame : str
        Frame on the base whose pose it is; the base link's own if empty.
    """

    stamp: float
    frame_id: str
    position: NDArray[np.float64]
    attitude: NDArray[np.float64]
    child_frame: str = ''


@dataclass(frozen=True, eq=False)
class PoseStream:
    """Poses of the base: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    frame_id : str
        Frame that the poses are given in.
    positions : ndarray, shape (N, 3)
        m.
    attitudes : ndarray, shape (N, 4)
        Quaternions x y z w from the base's axes to that frame's.
    child_frame : str
        Frame on the base whose poses they are; the base link's own if empty.
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    frame_id: str
    positions: NDArray[np.float64]
    attitudes: NDArray[np.float64]
    child_frame: str = ''


def pose_from_message(message: Any) -> PoseReading:  # noqa: ANN401
    """Return the pose of a ``PoseStamped``, or that of the child frame of an ``Odometry``."""
    pose = getattr(message.pose, 'pose', message.pose)
    return PoseReading(
        seconds_from_stamp(message.header.stamp),
        message.header.frame_id,
        components(pose.position),
        components(pose.orientation, 'xyzw'),
        getattr(message, 'child_frame_id', ''),
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


def _of_columns(columns: Columns, arrivals: Arrivals) -> PoseStream:
    is_odometry = 'pose.pose.position.x' in columns.places
    pose = 'pose.pose' if is_odometry else 'pose'
    return PoseStream(
        stamps_of(columns),
        arrivals,
        columns.common('header.frame_id'),
        columns.components(f'{pose}.position'),
        columns.components(f'{pose}.orientation', 'xyzw'),
        columns.common('child_frame_id') if is_odometry else '',
    )


def _of_read(path: str, read: Sequence[Read]) -> PoseStream:
    places = column(read, 'position'), column(read, 'attitude')
    frame, child = frame_of(path, read), frame_of(path, read, 'child_frame')
    return PoseStream(*times_of(read), frame, *places, child)


def _of_row(_model: RobotModel, stream: PoseStream) -> OfRow:
    stamps, positions, attitudes = stream.stamps.tolist(), stream.positions, stream.attitudes
    frames = stream.frame_id, stream.child_frame
    return lambda row: PoseReading(
        stamps[row], frames[0], positions[row], attitudes[row], frames[1]
    )


def _messages(make: Make, stream: PoseStream) -> Iterator[object]:
    rows = (stream.stamps.tolist(), stream.positions, stream.attitudes)
    for stamp, position, attitude in zip(*rows, strict=True):
        yield pose_message(make, stamp, stream.frame_id, position, attitude)


POSE = StreamKind(
    PoseReading,
    PoseStream,
    {
        'geometry_msgs/msg/PoseStamped': pose_from_message,
        'nav_msgs/msg/Odometry': pose_from_message,
    },
    _of_columns,
    _of_read,
    _of_row,
    _messages,
)
"""Positions and attitudes."""

"""Wrenches on the base, asked for or given: read, written, and as columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import MeasurementError
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
class WrenchReading:
    """Wrench on the base.

    Parameters
    ----------
    stamp : float
        Time from which it acts, s.
    frame_id : str
        Frame in whose axes it is given.
    wrench : ndarray, shape (6,)
        Force (N), then torque (N m).
    is_applied : bool
        Whether the actuators gave it; otherwise it was asked for.
    """

    stamp: float
    frame_id: str
    wrench: NDArray[np.float64]
    is_applied: bool = False

    def in_frame(self, frame_id: str) -> NDArray[np.float64]:
        """Return the wrench; raise MeasurementError if it is in another frame than that named."""
        if not self.is_in(frame_id):
            raise MeasurementError(f'frame {self.frame_id!r}, not the base {frame_id!r}')
        return self.wrench

    def is_in(self, frame_id: str) -> bool:
        """Return whether the wrench is in a frame; one that names none is."""
        return self.frame_id.strip('/') in ('', frame_id)


@dataclass(frozen=True, eq=False)
class WrenchStream:
    """Wrenches on the base: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        From when the wrench is to act, and when the message came, s.
    frame_id : str
        Frame whose axes they are in.
    wrenches : ndarray, shape (N, 6)
        Force (N) and moment (N m).
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    frame_id: str
    wrenches: NDArray[np.float64]


def wrench_from_message(message: Any, *, is_applied: bool = False) -> WrenchReading:  # noqa: ANN401
    """Return the wrench of a ``geometry_msgs/msg/WrenchStamped``."""
    wrench = message.wrench
    return WrenchReading(
        seconds_from_stamp(message.header.stamp),
        message.header.frame_id,
        np.concatenate([components(wrench.force), components(wrench.torque)]),
        is_applied,
    )


def wrench_message(make: Make, stamp: float, frame_id: str, wrench: ArrayLike) -> object:
    """Return a message of a wrench (force, torque) in the axes of a frame."""
    force, torque = (vector(make, each) for each in np.reshape(wrench, (2, 3)))
    inner = make('geometry_msgs/msg/Wrench', force=force, torque=torque)
    kind = 'geometry_msgs/msg/WrenchStamped'
    return make(kind, header=header(make, stamp, frame_id), wrench=inner)


def _of_columns(columns: Columns, arrivals: Arrivals) -> WrenchStream:
    parts = [columns.components(f'wrench.{part}') for part in ('force', 'torque')]
    frame = columns.common('header.frame_id')
    return WrenchStream(stamps_of(columns), arrivals, frame, np.hstack(parts))


def _of_read(path: str, read: Sequence[Read]) -> WrenchStream:
    return WrenchStream(*times_of(read), frame_of(path, read), column(read, 'wrench'))


def _of_row(_model: RobotModel, stream: WrenchStream, *, is_applied: bool = False) -> OfRow:
    stamps = stream.stamps.tolist()
    return lambda row: WrenchReading(
        stamps[row], stream.frame_id, stream.wrenches[row], is_applied
    )


def _messages(make: Make, stream: WrenchStream) -> Iterator[object]:
    for stamp, values in zip(stream.stamps.tolist(), stream.wrenches, strict=True):
        yield wrench_message(make, stamp, stream.frame_id, values)


WRENCH = StreamKind(
    WrenchReading,
    WrenchStream,
    {'geometry_msgs/msg/WrenchStamped': wrench_from_message},
    _of_columns,
    _of_read,
    _of_row,
    _messages,
)
"""Wrenches that were asked for."""

APPLIED_WRENCH = StreamKind(
    WrenchReading,
    WrenchStream,
    {'geometry_msgs/msg/WrenchStamped': partial(wrench_from_message, is_applied=True)},
    _of_columns,
    _of_read,
    partial(_of_row, is_applied=True),
    _messages,
)
"""Wrenches that actuators report they gave."""

"""Wrenches on the base, asked for or given: read, written, and as columns."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.codecs import header, Make, vector
from spacerobot_id.measurement.streams.stream_kind import (
    Fields,
    MessageStream,
    stamps_of,
    StreamKind,
)


@dataclass(frozen=True, eq=False)
class WrenchStream(MessageStream):
    """Wrenches on the base: every row is one message, or it is one alone.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        From when the wrench is to act, and when the message came, s.
    frame_id : str
        Frame in whose axes they are given.
    wrenches : ndarray, shape (N, 6)
        Force (N), then torque (N m).
    is_applied : bool
        Whether the actuators gave it; otherwise it was asked for. Of one alone: in a log the name
        of the stream says so.
    """

    frame_id: str
    wrenches: NDArray[np.float64]
    is_applied: bool = False

    @property
    def wrench(self) -> NDArray[np.float64]:
        """Wrench of one message alone, shape (6,)."""
        return self.wrenches

    def in_frame(self, frame_id: str) -> NDArray[np.float64]:
        """Return the wrench; raise MeasurementError if it is in another frame than that named."""
        if not self.is_in(frame_id):
            raise MeasurementError(f'frame {self.frame_id!r}, not the base {frame_id!r}')
        return self.wrenches

    def is_in(self, frame_id: str) -> bool:
        """Return whether the wrench is in a frame; one that names none is."""
        return self.frame_id.strip('/') in ('', frame_id)


def _decoded(
    columns: Fields, arrivals: NDArray[np.float64], *, is_applied: bool = False
) -> WrenchStream:
    """Return the wrenches of a ``geometry_msgs/msg/WrenchStamped``."""
    parts = [columns.components(f'wrench.{part}') for part in ('force', 'torque')]
    wrenches = np.concatenate(parts, axis=-1)
    frame = columns.common('header.frame_id')
    return WrenchStream(stamps_of(columns), arrivals, frame, wrenches, is_applied)


def wrench_message(make: Make, stamp: float, frame_id: str, wrench: ArrayLike) -> object:
    """Return a message of a wrench (force, torque) in the axes of a frame."""
    force, torque = (vector(make, each) for each in np.reshape(wrench, (2, 3)))
    inner = make('geometry_msgs/msg/Wrench', force=force, torque=torque)
    kind = 'geometry_msgs/msg/WrenchStamped'
    return make(kind, header=header(make, stamp, frame_id), wrench=inner)


def _encoded(make: Make, one: WrenchStream) -> object:
    return wrench_message(make, one.stamp, one.frame_id, one.wrench)


_TYPES = ('geometry_msgs/msg/WrenchStamped',)

WRENCH = StreamKind(WrenchStream, _TYPES, _decoded, _encoded)
"""Wrenches that were asked for."""

APPLIED_WRENCH = StreamKind(WrenchStream, _TYPES, partial(_decoded, is_applied=True), _encoded)
"""Wrenches that actuators report they gave."""

wrench_from_message = WRENCH.of_message

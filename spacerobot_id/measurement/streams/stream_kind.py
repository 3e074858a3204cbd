"""What there is to know of a kind of stream: its messages, one by one and as columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.bag.cdr_columns import Columns
from spacerobot_id.measurement.codecs import Make, NANOSECONDS
from spacerobot_id.model import RobotModel

Arrivals = NDArray[np.float64]
"""When messages came, shape (N,), s."""

OfRow = Callable[[int], Any]
"""Returns the reading of a row of a stream."""


@dataclass(frozen=True, eq=False)
class Read:
    """What was read of a message, and on which topic it came when."""

    topic: str
    kind: str
    arrival: float
    reading: Any


@dataclass(frozen=True, eq=False)
class StreamKind:
    """A kind of stream.

    Parameters
    ----------
    reading, stream : type
        What one message says, and what many do, a row each.
    messages : mapping of str to callable
        Types of ROS messages that give it, and what reads one; it is written as the first.
    of_columns : callable
        Makes a stream of columns of messages and their arrivals; None where they have to be
        looked at one by one.
    of_read : callable
        Makes a stream of what was read of messages; takes the name of the log for errors, too.
    of_row : callable
        From a robot and a stream to what returns the reading of a row.
    written : callable
        Yields the messages of a stream; takes what makes messages first.
    """

    reading: type
    stream: type
    messages: Mapping[str, Callable[[Any], Any]]
    of_columns: Callable[[Columns, Arrivals], Any]
    of_read: Callable[[str, Sequence[Read]], Any]
    of_row: Callable[[RobotModel, Any], OfRow]
    written: Callable[[Make, Any], Iterator[object]]

    @property
    def message_type(self) -> str:
        """Type of the messages that it is written as."""
        return next(iter(self.messages))


def stamps_of(columns: Columns) -> NDArray[np.float64]:
    """Return the stamps of messages, s."""
    seconds, fraction = (columns.numbers(f'header.stamp.{part}') for part in ('sec', 'nanosec'))
    return (seconds + fraction / NANOSECONDS)[:, 0]


def times_of(read: Sequence[Read]) -> tuple[NDArray[np.float64], ...]:
    """Return stamps and arrivals, s."""
    stamps = np.array([each.reading.stamp for each in read])
    return stamps, np.array([each.arrival for each in read])


def column(read: Sequence[Read], field: str) -> NDArray[np.float64]:
    """Return a field of all readings."""
    return np.array([getattr(each.reading, field) for each in read])


def named(path: str, read: Sequence[Read]) -> str:
    """Return how errors name what was read."""
    return f'{path}: {" and ".join(sorted({each.topic for each in read}))}'


def frame_of(path: str, read: Sequence[Read], field: str = 'frame_id') -> str:
    """Return the frame of all messages; raise MeasurementError if it changes."""
    frames = {getattr(each.reading, field) for each in read}
    if len(frames) > 1:
        raise MeasurementError(
            f'{named(path, read)}: {field} changes: {", ".join(map(repr, sorted(frames)))}'
        )
    return frames.pop()

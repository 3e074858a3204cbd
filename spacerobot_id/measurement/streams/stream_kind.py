"""What there is to know of a kind of stream: its messages, many as columns or one alone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.bag.cdr_columns import Columns
from spacerobot_id.measurement.codecs import components, Make, NANOSECONDS

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, eq=False)
class MessageStream:
    """Messages of one kind: every row is one; arrays of one alone lack the first axis.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, or from when it holds, and when the message came, s; NaN if not known.
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]

    def __getitem__(self, rows: int | NDArray[np.intp]) -> 'Self':
        """Return one of the messages alone, or some in a given order."""
        values = vars(self).values()
        return type(self)(*(v[rows] if isinstance(v, np.ndarray) else v for v in values))

    @property
    def stamp(self) -> float:
        """Stamp of one message alone, s."""
        return float(self.stamps)

    def completed(self) -> 'Self | None':
        """Return the messages as a log has them; None if they have to be looked at one by one."""
        return self

    @classmethod
    def joined(cls, messages: Sequence['Self'], source: str) -> 'Self':
        """Return single messages as a stream.

        Parameters
        ----------
        messages : sequence of MessageStream
            Messages, each alone.
        source : str
            What errors call them.

        Raises
        ------
        MeasurementError
            If what all have in common changes.
        """
        values = {}
        for name in (each.name for each in fields(cls)):
            column = [getattr(each, name) for each in messages]
            if not isinstance(column[0], str | bool):
                values[name] = np.array(column)
                continue
            if len(set(column)) > 1:
                different = ', '.join(map(repr, sorted(set(column))))
                raise MeasurementError(f'{source}: {name} changes: {different}')
            values[name] = column[0]
        return cls(**values)


@dataclass(frozen=True, eq=False)
class OneMessage:
    """A message whose fields are read as those of many in columns.

    Parameters
    ----------
    first : object
        The message.
    """

    first: Any

    def numbers(self, path: str) -> NDArray[np.float64]:
        """Return the numbers of a field, shape (m,); m is 1 for a single one."""
        return np.atleast_1d(np.asarray(attrgetter(path)(self.first), dtype=float))

    def components(self, path: str, names: str = 'xyz') -> NDArray[np.float64]:
        """Return the components of a vector, point or quaternion, shape (len(names),)."""
        return components(attrgetter(path)(self.first), names)

    def common(self, path: str) -> str | list[str]:
        """Return a text, or texts."""
        return attrgetter(path)(self.first)


Fields = Columns | OneMessage


@dataclass(frozen=True, eq=False)
class StreamKind:
    """A kind of stream.

    Parameters
    ----------
    stream : type
        What its messages say.
    types : tuple of str
        Types of ROS messages that give it; it is written as the first.
    decoded : callable
        Makes a stream of the fields of messages, and when they came.
    encoded : callable
        Makes the message of one alone; takes what makes messages first.
    """

    stream: type[MessageStream]
    types: tuple[str, ...]
    decoded: Callable[[Fields, Any], Any]
    encoded: Callable[[Make, Any], object]

    def of_message(self, message: Any) -> Any:  # noqa: ANN401
        """Return a message alone; when it came is not known."""
        return self.decoded(OneMessage(message), np.nan)

    def of_columns(self, columns: Columns, arrivals: NDArray[np.float64]) -> Any:  # noqa: ANN401
        """Return the stream of messages of one layout; None if they are to be read one by one."""
        return self.decoded(columns, arrivals).completed()

    def written(self, make: Make, stream: MessageStream) -> Iterator[object]:
        """Yield the messages of a stream."""
        return (self.encoded(make, stream[row]) for row in range(len(stream.stamps)))


def stamps_of(columns: Fields) -> NDArray[np.float64]:
    """Return the stamps of messages, s."""
    seconds, fraction = (columns.numbers(f'header.stamp.{part}') for part in ('sec', 'nanosec'))
    return (seconds + fraction / NANOSECONDS)[..., 0]

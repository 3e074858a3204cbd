"""Messages of one layout as columns: where each field is, is looked up in the first of them.

In CDR, the encoding of ROS 2, the place of a field depends on the lengths of the texts and
sequences before it alone. Messages that share those, as the ones of a sensor nearly always do, are
the rows of a table.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple, Protocol, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rosbags.typesys.store import Typestore

_HEAD = 4
"""Bytes before a message that state its encoding; alignment counts from after them."""

_LITTLE_ENDIAN = b'\x00\x01'

_WORD, _LONGEST_TAIL = 4, 64
"""Steps in which bytes that follow a message are left off, and how many there may be."""

_NUMBERS = {
    *(f'{sign}int{bits}' for sign in ('', 'u') for bits in (8, 16, 32, 64)),
    'float32',
    'float64',
}
"""Types of fields that columns are made of."""


class Field(NamedTuple):
    """A field of a message.

    Parameters
    ----------
    name : str
        Name.
    kind : str
        Its type, or that of its elements: ``float64``, ``string``, ``std_msgs/msg/Header``.
    count : int, optional
        Number of elements of an array, -1 of a sequence; None of a single value.
    """

    name: str
    kind: str
    count: int | None


class Definitions(Protocol):
    """What messages are made of."""

    def fields(self, kind: str) -> Iterable[Field]:
        """Return the fields of a type such as ``sensor_msgs/msg/Imu``, in order."""

    def message(self, data: bytes, kind: str) -> object:
        """Return a message that was sent, in CDR."""


class OfTypestore:
    """Definitions that rosbags has.

    Parameters
    ----------
    store : Typestore
        Definitions of types.
    """

    def __init__(self, store: 'Typestore') -> None:
        self._store = store

    def fields(self, kind: str) -> Iterable[Field]:
        """Return the fields of a type, in order."""
        from rosbags.interfaces import Nodetype  # which nodes do without

        for name, (node, what) in self._store.fielddefs[kind][1]:
            count = None
            if node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
                (inner, what), count = what
                count = -1 if node is Nodetype.SEQUENCE else count
                node = inner
            yield Field(name, what if node is Nodetype.NAME else what[0], count)

    def message(self, data: bytes, kind: str) -> object:
        """Return a message; raise SerdeError if it is none of that type.

        Bytes that mean nothing may follow it: Fast DDS makes room for what each sequence may need
        to be aligned where a program serializes a message itself, as those do that write a bag.
        rosbags knows of three such bytes at most.
        """
        from rosbags.serde import SerdeError  # which nodes do without

        try:
            return self._store.deserialize_cdr(data, kind)
        except SerdeError:
            for tail in range(_WORD, min(_LONGEST_TAIL, len(data)) + 1, _WORD):
                with suppress(SerdeError):
                    return self._store.deserialize_cdr(data[:-tail], kind)
            raise


@dataclass(frozen=True, eq=False)
class Columns:
    """The fields of N messages of one layout.

    Parameters
    ----------
    first : object
        The first message, for what all have in common: texts and names.
    table : ndarray, shape (N, size)
        The messages as bytes.
    places : mapping of str to (int, int, dtype)
        First byte, count and type of the numbers of each field, by its path.
    """

    first: object
    table: NDArray[np.uint8]
    places: Mapping[str, tuple[int, int, np.dtype]]

    def __len__(self) -> int:
        """Return the number of messages."""
        return len(self.table)

    def numbers(self, path: str) -> NDArray[np.float64]:
        """Return the numbers of a field, shape (N, m); m is 1 for a single one."""
        begin, count, kind = self.places[path]
        part = self.table[:, begin : begin + count * kind.itemsize]
        return np.ascontiguousarray(part).view(kind).astype(float, copy=False)

    def components(self, path: str, names: str = 'xyz') -> NDArray[np.float64]:
        """Return the components of vectors, points or quaternions, shape (N, len(names))."""
        return np.hstack([self.numbers(f'{path}.{name}') for name in names])

    def common(self, path: str) -> str | list[str]:
        """Return a text, or texts, that all messages have in common."""
        return attrgetter(path)(self.first)


def columns(data: Sequence[bytes], kind: str, definitions: Definitions) -> Columns | None:
    """Return the fields of messages as columns; None if that is not possible.

    Messages of different layouts have none, and types with sequences of messages.

    Parameters
    ----------
    data : sequence of bytes
        N messages as they were sent, in CDR; at least one.
    kind : str
        Their type, such as ``sensor_msgs/msg/Imu``.
    definitions : Definitions
        What messages are made of; its errors are raised if the first one is none of that type.
    """
    head = bytes(data[0])
    size = len(head)
    if head[:2] != _LITTLE_ENDIAN or any(len(each) != size for each in data):
        return None
    first = definitions.message(head, kind)
    layout = _Layout(head, definitions)
    if not layout.walk(kind, ''):
        return None
    table = np.frombuffer(b''.join(data), dtype=np.uint8).reshape(len(data), size)
    for begin, end in layout.shared:
        if (table[:, begin:end] != table[0, begin:end]).any():
            return None
    return Columns(first, table, layout.places)


class _Layout:
    """Where the fields of a message are.

    Parameters
    ----------
    data : bytes
        A message that can be read.
    definitions : Definitions
        What messages are made of.

    Attributes
    ----------
    places : dict of str to (int, int, dtype)
        As ``Columns`` has them.
    shared : list of (int, int)
        Begin and end of the bytes that the places depend on: encoding, lengths and texts.
    """

    def __init__(self, data: bytes, definitions: Definitions) -> None:
        self.places: dict[str, tuple[int, int, np.dtype]] = {}
        self.shared = [(0, 2)]
        self._data, self._definitions, self._at = data, definitions, _HEAD

    def walk(self, kind: str, prefix: str) -> bool:
        """Note the fields of a message that begins here; return whether all are known."""
        return all(self._field(prefix, field) for field in self._definitions.fields(kind))

    def _field(self, prefix: str, field: Field) -> bool:
        """Note a field; return whether columns can be made of it, and of those after it."""
        path, kind, count = f'{prefix}{field.name}', field.kind, field.count
        if '/' in kind:
            return count is None and self.walk(kind, f'{path}.')
        count = self._length() if count == -1 else 1 if count is None else count
        if kind == 'string':
            for _ in range(count):
                self._text()
        elif kind in _NUMBERS:
            self._numbers(path, count, np.dtype(kind).newbyteorder('<'))
        return kind == 'string' or kind in _NUMBERS

    def _align(self, size: int) -> None:
        """Move on to where a number of some bytes may begin."""
        self._at += -(self._at - _HEAD) % size

    def _length(self) -> int:
        """Take the length of a text or a sequence."""
        self._align(4)
        begin, self._at = self._at, self._at + 4
        self.shared.append((begin, self._at))
        return int.from_bytes(self._data[begin : self._at], 'little')

    def _text(self) -> None:
        """Take a text."""
        length = self._length()
        begin, self._at = self._at, self._at + length
        self.shared.append((begin, self._at))

    def _numbers(self, path: str, count: int, kind: np.dtype) -> None:
        """Take numbers."""
        if count:
            self._align(kind.itemsize)
        self.places[path] = (self._at, count, kind)
        self._at += count * kind.itemsize

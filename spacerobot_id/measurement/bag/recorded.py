"""A file of a log of ROS 2, whatever its format: topics, and messages as they were sent."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Recorded:
    """A topic of a log.

    Parameters
    ----------
    id : int
        Number in its file, or in the log.
    topic, msgtype : str
        Name, and type of its messages.
    msgcount : int
        Messages there are.
    encoding, definition : str
        How its type is defined, ``ros2msg`` or ``ros2idl``, and the definition.
    serialization : str
        How its messages were sent; ``cdr``, or they cannot be read.
    """

    id: int
    topic: str
    msgtype: str
    msgcount: int
    encoding: str = ''
    definition: str = ''
    serialization: str = 'cdr'


Sent = tuple[int, int, bytes]
"""Number of a topic, when a message came, ns, and what was sent."""


class RecordedFile(Protocol):
    """A file of a log of ROS 2.

    Parameters
    ----------
    path : Path
        File.
    copies : Path
        Folder for copies.
    """

    note: str
    """What is wrong with it, though it can be read; nothing if empty."""

    def __init__(self, path: Path, copies: Path) -> None: ...

    def topics(self) -> list[Recorded]:
        """Return its topics, in the order of their numbers."""

    def messages(self, numbers: Collection[int]) -> Iterator[Sent]:
        """Yield the messages of some topics, in the order in which they were written."""

    def close(self) -> None:
        """Close it."""

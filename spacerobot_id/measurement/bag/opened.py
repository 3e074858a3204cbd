"""Logs of ROS 2 and ROS 1, opened with the types that they define themselves.

The library that reads them is imported when one is opened: rosdep does not know it, and nodes,
which read none, run without.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from spacerobot_id.exceptions import ConfigurationError, MeasurementError, SpaceRobotIdError
from spacerobot_id.measurement.bag.cdr_columns import OfTypestore
from spacerobot_id.settings.bounded_text import load_yaml, read_text_file

if TYPE_CHECKING:
    from rosbags.highlevel import AnyReader
    from rosbags.interfaces.typing import Typesdict


@contextmanager
def with_rosbags() -> Iterator[None]:
    """Let a missing library be named where it is imported.

    Raises
    ------
    ConfigurationError
        If rosbags is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise ConfigurationError(
            'logs are read and written with rosbags, which is not installed: pip install rosbags'
        ) from error


@contextmanager
def opened(path: str | Path) -> Iterator['AnyReader']:
    """Open a rosbag2 folder or a file of ROS 1; types are those that it defines itself.

    Raises
    ------
    ConfigurationError
        If rosbags is not installed.
    MeasurementError
        If it cannot be read, now or within the context.
    """
    with with_rosbags():
        from rosbags.highlevel import AnyReader
    try:
        _refuse_bombs(Path(path) / 'metadata.yaml')
        with AnyReader([_LogPath(path)], default_typestore=_TypesOfRos()) as reader:
            yield reader
    except MemoryError as error:
        raise MeasurementError(f'{path}: a size in it is larger than the memory') from error
    except SpaceRobotIdError:
        raise
    except Exception as error:  # the library raises whatever damage makes it stumble over
        why = str(error) or type(error).__name__
        raise MeasurementError(f'{path}: no rosbag2 folder that can be read: {why}') from error


def message_of(reader: 'AnyReader', data: bytes, kind: str) -> object:
    """Return a message of a log of ROS 2 or ROS 1; raise if it is none of that type."""
    if reader.is2:
        return OfTypestore(reader.typestore).message(data, kind)
    return reader.deserialize(data, kind)


class _LogPath(type(Path())):
    """A path of a log: the library takes all whose names end in .bag for files of ROS 1."""

    @property
    def suffix(self) -> str:
        """Ending of a file's name; a folder has none."""
        return '' if self.is_dir() else super().suffix


class _TypesOfRos:
    """The types of ROS 2 for logs that define none themselves; made only for these."""

    @property
    def fielddefs(self) -> 'Typesdict':
        """Definitions by name."""
        from rosbags.typesys import get_typestore, Stores

        return get_typestore(Stores.ROS2_JAZZY).fielddefs


def _refuse_bombs(metadata: Path) -> None:
    """Raise if the metadata, which the library reads whole, stand for more than they may."""
    if metadata.is_file():
        text = read_text_file(metadata)
        if '&' in text:  # without anchors there are no aliases
            load_yaml(text)

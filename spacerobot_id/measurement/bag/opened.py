"""Logs of ROS 2 and ROS 1, opened with the types that they define themselves."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.typesys import get_typestore, Stores

from spacerobot_id.exceptions import MeasurementError


@contextmanager
def opened(path: str | Path) -> Iterator[AnyReader]:
    """Open a rosbag2 folder or a file of ROS 1; types are those that it defines itself.

    Raises
    ------
    MeasurementError
        If it cannot be read, now or within the context.
    """
    try:
        with AnyReader([Path(path)], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
            yield reader
    except (AnyReaderError, OSError, KeyError, ValueError, AssertionError) as error:
        raise MeasurementError(f'{path}: no rosbag2 folder that can be read: {error}') from error

"""Writing streams as a rosbag2 folder, without ROS."""

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import codecs
from spacerobot_id.measurement.bag.opened import with_rosbags
from spacerobot_id.measurement.streams.log_streams import BagStreams, LOG_STREAMS, TOPICS

if TYPE_CHECKING:
    from rosbags.rosbag2 import Writer
    from rosbags.typesys.store import Typestore

_VERSION = 9
"""Version of the folder's metadata; every ROS 2 since Humble reads it."""


class BagStorage(Enum):
    """File format within the folder."""

    MCAP = 'mcap'
    SQLITE3 = 'sqlite3'


def write_bag(
    path: str | Path,
    streams: BagStreams,
    storage: BagStorage = BagStorage.MCAP,
    topics: Mapping[str, str] = TOPICS,
) -> int:
    """Write streams as a rosbag2 folder, messages in the order of their arrival.

    Parameters
    ----------
    path : str or Path
        Folder, which must not exist yet.
    streams : BagStreams
        Streams; those that are None are left out.
    storage : BagStorage
        File format.
    topics : mapping of str to str
        Topics by the streams' names.

    Returns
    -------
    int
        Number of messages.

    Raises
    ------
    ConfigurationError
        If rosbags is not installed.
    MeasurementError
        If the folder exists already or cannot be written.
    """
    with with_rosbags():
        from rosbags.rosbag2 import StoragePlugin, Writer, WriterError
        from rosbags.typesys import get_typestore, Stores
    store = get_typestore(Stores.ROS2_JAZZY)
    if storage is BagStorage.SQLITE3 and set('?#%') & set(str(path)):
        raise MeasurementError(f'{path}: a folder of sqlite3 can have no ?, # or % in its name')
    try:
        writer = Writer(Path(path), version=_VERSION, storage_plugin=StoragePlugin[storage.name])
        with writer:
            return _write(writer, store, streams, topics)
    except WriterError as error:
        raise MeasurementError(f'{path}: {error}') from error
    except OSError as error:
        raise MeasurementError(f'{path}: cannot be written: {error.strerror}') from error


def _write(
    writer: 'Writer', store: 'Typestore', streams: BagStreams, topics: Mapping[str, str]
) -> int:
    """Write all messages of all streams; return how many."""

    def make(kind: str, **fields: object) -> object:
        return store.types[kind](**fields)

    present = {name: getattr(streams, name) for name in LOG_STREAMS}
    present = {name: stream for name, stream in present.items() if stream is not None}
    arrivals, sources = [], []
    connections, messages = [], []
    for place, (name, stream) in enumerate(present.items()):
        kind = LOG_STREAMS[name].kind
        connections.append(writer.add_connection(topics[name], kind.types[0], typestore=store))
        messages.append(kind.written(make, stream))
        arrivals.append(np.round(stream.arrivals * codecs.NANOSECONDS).astype(np.int64))
        sources.append(np.full(len(stream.arrivals), place))
    if not present:
        return 0
    arrivals, sources = np.concatenate(arrivals), np.concatenate(sources)
    order = np.argsort(arrivals, kind='stable')
    for arrival, source in zip(arrivals[order].tolist(), sources[order].tolist(), strict=True):
        connection = connections[source]
        data = store.serialize_cdr(next(messages[source]), connection.msgtype)
        writer.write(connection, arrival, data)
    return len(arrivals)

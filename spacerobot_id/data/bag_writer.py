"""Writing streams as a rosbag2 folder, without ROS."""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer, WriterError
from rosbags.typesys import get_typestore, Stores
from rosbags.typesys.store import Typestore

from spacerobot_id.data.bag_streams import (
    BagStreams,
    ImuStream,
    JointStream,
    PoseStream,
    STREAM_KINDS,
    TOPICS,
    TwistStream,
    TYPES,
    WrenchStream,
)
from spacerobot_id.exceptions import MeasurementError

NANOSECONDS = 1_000_000_000
_VERSION = 9
"""Version of the folder's metadata; every ROS 2 since Humble reads it."""


class BagStorage(Enum):
    """File format within the folder."""

    MCAP = 'mcap'
    SQLITE3 = 'sqlite3'


_PLUGINS = {BagStorage.MCAP: StoragePlugin.MCAP, BagStorage.SQLITE3: StoragePlugin.SQLITE3}


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
    MeasurementError
        If the folder exists already or cannot be written.
    """
    store = get_typestore(Stores.ROS2_JAZZY)
    try:
        writer = Writer(Path(path), version=_VERSION, storage_plugin=_PLUGINS[storage])
        with writer:
            return _write(writer, store, streams, topics)
    except WriterError as error:
        raise MeasurementError(f'{path}: {error}') from error
    except OSError as error:
        raise MeasurementError(f'{path}: cannot be written: {error.strerror}') from error


def _write(
    writer: Writer, store: Typestore, streams: BagStreams, topics: Mapping[str, str]
) -> int:
    """Write all messages of all streams; return how many."""
    present = {name: getattr(streams, name) for name in STREAM_KINDS}
    present = {name: stream for name, stream in present.items() if stream is not None}
    arrivals, sources = [], []
    connections, messages = [], []
    for place, (name, stream) in enumerate(present.items()):
        kind = TYPES[type(stream)]
        connections.append(writer.add_connection(topics[name], kind, typestore=store))
        messages.append(_MESSAGES[type(stream)](store.types, stream))
        arrivals.append(np.round(stream.arrivals * NANOSECONDS).astype(np.int64))
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


def _header(types: Mapping[str, Any], stamp: float, frame_id: str) -> object:
    sec, nanosec = divmod(round(stamp * NANOSECONDS), NANOSECONDS)
    time = types['builtin_interfaces/msg/Time'](sec, nanosec)
    return types['std_msgs/msg/Header'](time, frame_id)


def _joint_messages(types: Mapping[str, Any], stream: JointStream) -> Iterator[object]:
    make, names = types[TYPES[JointStream]], list(stream.names)
    none = np.zeros((len(stream.stamps), 0))
    efforts = none if stream.efforts is None else stream.efforts
    for stamp, positions, velocities, effort in zip(
        stream.stamps.tolist(), stream.positions, stream.velocities, efforts, strict=True
    ):
        yield make(_header(types, stamp, ''), names, positions, velocities, effort)


def _imu_messages(types: Mapping[str, Any], stream: ImuStream) -> Iterator[object]:
    make, vector = types[TYPES[ImuStream]], types['geometry_msgs/msg/Vector3']
    quaternion = types['geometry_msgs/msg/Quaternion']
    absent, unknown = np.zeros(9), np.zeros(9)
    absent[0] = -1.0
    noise = np.diag(np.full(3, stream.noise**2)).ravel()
    rows = (stream.stamps, stream.angular_velocity, stream.specific_force, stream.attitudes)
    for stamp, rates, force, attitude in zip(*(row.tolist() for row in rows), strict=True):
        has = [not np.isnan(values[0]) for values in (attitude, rates, force)]
        yield make(
            _header(types, stamp, stream.frame_id),
            quaternion(*(attitude if has[0] else (0.0, 0.0, 0.0, 1.0))),
            unknown if has[0] else absent,
            vector(*(rates if has[1] else (0.0, 0.0, 0.0))),
            noise if has[1] else absent,
            vector(*(force if has[2] else (0.0, 0.0, 0.0))),
            unknown if has[2] else absent,
        )


def _pose_messages(types: Mapping[str, Any], stream: PoseStream) -> Iterator[object]:
    make, pose = types[TYPES[PoseStream]], types['geometry_msgs/msg/Pose']
    point, quaternion = types['geometry_msgs/msg/Point'], types['geometry_msgs/msg/Quaternion']
    rows = (stream.stamps, stream.positions, stream.attitudes)
    for stamp, position, attitude in zip(*(row.tolist() for row in rows), strict=True):
        header = _header(types, stamp, stream.frame_id)
        yield make(header, pose(point(*position), quaternion(*attitude)))


def _twist_messages(types: Mapping[str, Any], stream: TwistStream) -> Iterator[object]:
    make, twist = types[TYPES[TwistStream]], types['geometry_msgs/msg/Twist']
    vector = types['geometry_msgs/msg/Vector3']
    for stamp, values in zip(stream.stamps.tolist(), stream.twists.tolist(), strict=True):
        header = _header(types, stamp, stream.frame_id)
        yield make(header, twist(vector(*values[:3]), vector(*values[3:])))


def _wrench_messages(types: Mapping[str, Any], stream: WrenchStream) -> Iterator[object]:
    make, wrench = types[TYPES[WrenchStream]], types['geometry_msgs/msg/Wrench']
    vector = types['geometry_msgs/msg/Vector3']
    for stamp, values in zip(stream.stamps.tolist(), stream.wrenches.tolist(), strict=True):
        header = _header(types, stamp, stream.frame_id)
        yield make(header, wrench(vector(*values[:3]), vector(*values[3:])))


_MESSAGES: dict[type, Callable[[Mapping[str, Any], Any], Iterator[object]]] = {
    JointStream: _joint_messages,
    ImuStream: _imu_messages,
    PoseStream: _pose_messages,
    TwistStream: _twist_messages,
    WrenchStream: _wrench_messages,
}

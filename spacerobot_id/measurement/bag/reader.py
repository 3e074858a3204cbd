"""Reading a rosbag2 folder into streams, without ROS."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.rosbag2 import Reader, ReaderError
from rosbags.typesys import get_typestore, Stores

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import codecs
from spacerobot_id.measurement.bag.streams import (
    BagStreams,
    ImuStream,
    JointStream,
    PoseStream,
    STREAM_KINDS,
    ThrustStream,
    TOPICS,
    TwistStream,
    TYPES,
    WrenchStream,
)
from spacerobot_id.measurement.readings import Reading

ODOMETRY = 'nav_msgs/msg/Odometry'
"""Type of messages that have a pose and a twist, each with a frame of its own."""

_NANOSECOND = 1e-9
_Messages = list[tuple[int, Any]]


def read_bag(
    path: str | Path,
    needed: Sequence[str] = ('joints', 'imu'),
    topics: Mapping[str, str] = TOPICS,
) -> BagStreams:
    """Return the streams of a rosbag2 folder, mcap or sqlite3, messages in order of arrival.

    A topic of odometry gives poses, and twists too where no topic of twists is there.

    Parameters
    ----------
    path : str or Path
        Folder with its ``metadata.yaml``.
    needed : sequence of str
        Names of the streams that must be there.
    topics : mapping of str to str
        Topics by the streams' names.

    Returns
    -------
    BagStreams
        Streams; None where a topic has no messages.

    Raises
    ------
    MeasurementError
        If the folder cannot be read, or a topic is missing, has another type or messages that
        contradict each other; names the folder and the topic.
    """
    store = get_typestore(Stores.ROS2_JAZZY)
    messages: dict[str, _Messages] = {name: [] for name in topics}
    kinds = {}
    names = {topic: name for name, topic in topics.items()}
    try:
        with Reader(Path(path)) as reader:
            chosen = [each for each in reader.connections if each.topic in names]
            for connection in chosen:
                _check_type(path, connection.topic, connection.msgtype, names)
                kinds[names[connection.topic]] = connection.msgtype
            for connection, arrival, data in reader.messages(chosen) if chosen else ():
                message = store.deserialize_cdr(data, connection.msgtype)
                messages[names[connection.topic]].append((arrival, message))
            present = sorted({each.topic for each in reader.connections})
    except (ReaderError, OSError, KeyError, ValueError, AssertionError) as error:
        raise MeasurementError(f'{path}: no rosbag2 folder that can be read: {error}') from error
    for name in needed:
        if not messages[name]:
            there = ', '.join(present) or 'none'
            raise MeasurementError(f'{path}: no messages on {topics[name]}; topics are {there}')
    sources = {name: (topics[name], found) for name, found in messages.items() if found}
    if kinds.get('pose') == ODOMETRY and 'pose' in sources:
        sources.setdefault('twist', sources['pose'])
    return BagStreams(
        **{
            name: _STREAMS[STREAM_KINDS[name]](f'{path}: {topic}', found)
            for name, (topic, found) in sources.items()
        }
    )


def _check_type(path: str | Path, topic: str, kind: str, names: Mapping[str, str]) -> None:
    stream = STREAM_KINDS[names[topic]]
    wanted = [TYPES[stream]] + [ODOMETRY] * (stream in (PoseStream, TwistStream))
    if kind not in wanted:
        raise MeasurementError(
            f'{path}: {topic} has messages of {kind}, not of {" or ".join(wanted)}'
        )


def _times(found: _Messages, readings: Sequence[Reading]) -> tuple[NDArray[np.float64], ...]:
    """Return stamps and arrivals."""
    arrivals = np.array([arrival * _NANOSECOND for arrival, _ in found])
    return np.array([each.stamp for each in readings]), arrivals


def _frame_id(source: str, readings: Sequence[Reading], field: str = 'frame_id') -> str:
    """Return the frame of all messages."""
    frames = {getattr(each, field) for each in readings}
    if len(frames) > 1:
        raise MeasurementError(
            f'{source}: {field} changes: {", ".join(map(repr, sorted(frames)))}'
        )
    return frames.pop()


def _joint_stream(source: str, found: _Messages) -> JointStream:
    """Return joints by name: their order may differ from message to message (F1).

    What a message does not say, or says in arrays of another size than its names, is NaN.
    """
    readings = [codecs.joints_from_message(message) for _, message in found]
    names = tuple(dict.fromkeys(name for each in readings for name in each.names))
    columns = {name: column for column, name in enumerate(names)}
    values = np.full((3, len(found), len(names)), np.nan)
    for row, each in enumerate(readings):
        there = [columns[name] for name in each.names]
        if len(set(there)) < len(there):
            continue
        for part, given in enumerate((each.positions, each.velocities, each.efforts)):
            if len(given) == len(there):
                values[part, row, there] = given
    if all(len(set(each.names)) < len(each.names) for each in readings):
        raise MeasurementError(f'{source}: a joint is named twice')
    positions, velocities, efforts = values
    given = None if np.isnan(efforts).all() else efforts
    return JointStream(*_times(found, readings), names, positions, velocities, given)


def _imu_stream(source: str, found: _Messages) -> ImuStream:
    """Return an IMU's messages; the noise is the middle one of those stated (F9)."""
    readings = [codecs.gyro_from_message(message) for _, message in found]
    rates = np.array([each.angular_velocity for each in readings])
    rates[[each.is_absent for each in readings]] = np.nan
    variances = [each.noise**2 for each in readings if each.noise]
    return ImuStream(
        *_times(found, readings),
        _frame_id(source, readings),
        rates,
        float(np.sqrt(np.median(variances))) if variances else 0.0,
        np.array([each.specific_force for each in readings]),
        np.array([each.attitude for each in readings]),
    )


def _pose_stream(source: str, found: _Messages) -> PoseStream:
    readings = [codecs.pose_from_message(message) for _, message in found]
    positions = np.array([each.position for each in readings])
    attitudes = np.array([each.attitude for each in readings])
    frame = _frame_id(source, readings)
    child = _frame_id(source, readings, 'child_frame')
    return PoseStream(*_times(found, readings), frame, positions, attitudes, child)


def _twist_stream(source: str, found: _Messages) -> TwistStream:
    readings = [codecs.twist_from_message(message) for _, message in found]
    twists = np.array([each.twist for each in readings])
    return TwistStream(*_times(found, readings), _frame_id(source, readings), twists)


def _wrench_stream(source: str, found: _Messages) -> WrenchStream:
    readings = [codecs.wrench_from_message(message) for _, message in found]
    wrenches = np.array([each.wrench for each in readings])
    return WrenchStream(*_times(found, readings), _frame_id(source, readings), wrenches)


def _thrust_stream(source: str, found: _Messages) -> ThrustStream:
    """Return commands by name; thrusters that a message does not name are closed."""
    readings = [codecs.thrust_from_message(message) for _, message in found]
    names = tuple(dict.fromkeys(name for each in readings for name in each.names))
    try:
        shares = np.array([each.of(names) for each in readings])
    except MeasurementError as error:
        raise MeasurementError(f'{source}: {error}') from error
    return ThrustStream(*_times(found, readings), names, shares)


_STREAMS: dict[type, Callable[[str, _Messages], Any]] = {
    JointStream: _joint_stream,
    ImuStream: _imu_stream,
    PoseStream: _pose_stream,
    TwistStream: _twist_stream,
    WrenchStream: _wrench_stream,
    ThrustStream: _thrust_stream,
}

"""Reading a rosbag2 folder into streams, without ROS."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.rosbag2 import Reader, ReaderError
from rosbags.typesys import get_typestore, Stores

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


def _times(found: _Messages) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return stamps and arrivals."""
    stamps = [message.header.stamp for _, message in found]
    return (
        np.array([stamp.sec + stamp.nanosec * _NANOSECOND for stamp in stamps]),
        np.array([arrival * _NANOSECOND for arrival, _ in found]),
    )


def _frame_id(source: str, found: _Messages) -> str:
    """Return the frame of all messages."""
    return _only_frame(source, {message.header.frame_id for _, message in found})


def _only_frame(source: str, frames: set[str]) -> str:
    if len(frames) > 1:
        raise MeasurementError(
            f'{source}: frame_id changes: {", ".join(map(repr, sorted(frames)))}'
        )
    return frames.pop()


def _joint_stream(source: str, found: _Messages) -> JointStream:
    """Return joints by name: their order may differ from message to message (F1).

    What a message does not say, or says in arrays of another size than its names, is NaN.
    """
    messages = [message for _, message in found]
    names = tuple(dict.fromkeys(name for message in messages for name in message.name))
    columns = {name: column for column, name in enumerate(names)}
    values = np.full((3, len(found), len(names)), np.nan)
    for row, message in enumerate(messages):
        there = [columns[name] for name in message.name]
        if len(set(there)) < len(there):
            continue
        for part, given in enumerate((message.position, message.velocity, message.effort)):
            if len(given) == len(there):
                values[part, row, there] = given
    if all(len(set(message.name)) < len(message.name) for message in messages):
        raise MeasurementError(f'{source}: a joint is named twice')
    positions, velocities, efforts = values
    given = None if np.isnan(efforts).all() else efforts
    return JointStream(*_times(found), names, positions, velocities, given)


def _imu_stream(source: str, found: _Messages) -> ImuStream:
    messages = [message for _, message in found]

    def given(vectors: list[Any], covariances: list[Any], names: str) -> NDArray[np.float64]:
        values = _components(vectors, names)
        values[[covariance[0] == -1.0 for covariance in covariances]] = np.nan
        return values

    return ImuStream(
        *_times(found),
        _frame_id(source, found),
        given(
            [each.angular_velocity for each in messages],
            [each.angular_velocity_covariance for each in messages],
            'xyz',
        ),
        _noise([each.angular_velocity_covariance for each in messages]),
        given(
            [each.linear_acceleration for each in messages],
            [each.linear_acceleration_covariance for each in messages],
            'xyz',
        ),
        given(
            [each.orientation for each in messages],
            [each.orientation_covariance for each in messages],
            'xyzw',
        ),
    )


def _noise(covariances: list[NDArray[np.float64]]) -> float:
    """Return the standard deviation of an axis that messages state (F9), zero if none does.

    All zero means unknown and -1 absent; anything else that is not positive is no variance.
    """
    variances = np.array([np.asarray(each)[[0, 4, 8]] for each in covariances])
    stated = np.isfinite(variances).all(axis=1) & (variances > 0.0).all(axis=1)
    return float(np.sqrt(np.median(variances[stated].mean(axis=1)))) if stated.any() else 0.0


def _pose_stream(source: str, found: _Messages) -> PoseStream:
    poses = [message.pose for _, message in found]
    if hasattr(poses[0], 'covariance'):
        poses = [pose.pose for pose in poses]
    positions = _components([pose.position for pose in poses], 'xyz')
    attitudes = _components([pose.orientation for pose in poses], 'xyzw')
    return PoseStream(*_times(found), _frame_id(source, found), positions, attitudes)


def _twist_stream(source: str, found: _Messages) -> TwistStream:
    twists = [message.twist for _, message in found]
    if hasattr(twists[0], 'covariance'):  # odometry: in the axes of its child frame
        twists = [twist.twist for twist in twists]
        frame = _only_frame(source, {message.child_frame_id for _, message in found})
    else:
        frame = _frame_id(source, found)
    parts = [_components([getattr(each, part) for each in twists], 'xyz') for part in _PARTS]
    return TwistStream(*_times(found), frame, np.hstack(parts))


def _wrench_stream(source: str, found: _Messages) -> WrenchStream:
    wrenches = [message.wrench for _, message in found]
    parts = [
        _components([getattr(each, part) for each in wrenches], 'xyz')
        for part in ('force', 'torque')
    ]
    return WrenchStream(*_times(found), _frame_id(source, found), np.hstack(parts))


_PARTS = ('linear', 'angular')


def _components(vectors: list[Any], names: str) -> NDArray[np.float64]:
    return np.array([[getattr(vector, name) for name in names] for vector in vectors])


_STREAMS: dict[type, Callable[[str, _Messages], Any]] = {
    JointStream: _joint_stream,
    ImuStream: _imu_stream,
    PoseStream: _pose_stream,
    TwistStream: _twist_stream,
    WrenchStream: _wrench_stream,
}

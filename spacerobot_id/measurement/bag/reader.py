"""Reading the log of a bed into streams, without ROS, by the adapter of the bed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.adapters.adapter import Adapter, OWN, Source
from spacerobot_id.measurement.adapters.conversion import conversion, UNREADABLE
from spacerobot_id.measurement.adapters.own_topics import (
    KINDS,
    ODOMETRY,
    own_topics,
    with_odometry,
)
from spacerobot_id.measurement.bag.opened import opened
from spacerobot_id.measurement.bag.streams import (
    BagStreams,
    ImuStream,
    JointStream,
    PoseStream,
    STREAM_KINDS,
    ThrustStream,
    TOPICS,
    TwistStream,
    WrenchStream,
)
from spacerobot_id.measurement.readings import (
    Arrived,
    GyroReading,
    JointReading,
    PoseReading,
    Reading,
    ThrustReading,
    TwistReading,
    WrenchReading,
)

if TYPE_CHECKING:
    from rosbags.highlevel import AnyReader
    from rosbags.interfaces import Connection

_NANOSECOND = 1e-9
_STREAMS = {kind: name for name, kind in KINDS.items()}
_NAMES = {
    JointReading: 'joints',
    GyroReading: 'imu',
    PoseReading: 'pose',
    TwistReading: 'twist',
    WrenchReading: 'wrench',
    ThrustReading: 'thrust',
}
"""Names of the streams by what their messages say."""


def read_bag(
    path: str | Path,
    needed: Sequence[str] = ('joints', 'imu'),
    adapter: Adapter | None = None,
) -> BagStreams:
    """Return the streams of a log, mcap, sqlite3 or of ROS 1, messages in order of arrival.

    On our own topics, one of odometry gives poses, and twists too where no topic of twists is.

    Parameters
    ----------
    path : str or Path
        Folder with its ``metadata.yaml``, or a ``.bag`` file of ROS 1.
    needed : sequence of str
        Names of the streams that must be there.
    adapter : Adapter, optional
        Which topics give which streams; our own topics if None.

    Returns
    -------
    BagStreams
        Streams; None where no topic has messages.

    Raises
    ------
    MeasurementError
        If the folder cannot be read, or a topic is missing, has another type or messages that
        contradict each other; names the folder and the topic.
    DescriptionError
        If the adapter names fields that the messages do not have.
    """
    adapter = own_topics() if adapter is None else adapter
    found: dict[str, list[_Read]] = {}
    with opened(path) as reader:
        present = sorted({each.topic for each in reader.connections})
        for each in _read(path, reader, adapter):
            found.setdefault(_STREAMS[each.kind], []).append(each)
    for name in needed:
        if name not in found:
            topics = adapter.topics_of(KINDS[name])
            if not topics:
                raise MeasurementError(f'{adapter.source}: no topic gives {KINDS[name]}')
            there = ', '.join(present) or 'none'
            raise MeasurementError(
                f'{path}: no messages on {" or ".join(topics)}; topics are {there}'
            )
    return _built(str(path), found)


def streams_of_readings(source: str, readings: Iterable[Arrived]) -> BagStreams:
    """Return what messages say as the streams of a log.

    Parameters
    ----------
    source : str
        What errors call it.
    readings : iterable of Arrived
        Messages in order of arrival.

    Raises
    ------
    MeasurementError
        If messages of a stream contradict each other.
    """
    found: dict[str, list[_Read]] = {}
    for arrival, reading in readings:
        name = _NAMES[type(reading)]
        if name == 'wrench' and reading.is_applied:
            name = 'applied_wrench'
        found.setdefault(name, []).append(_Read(TOPICS[name], '', arrival, reading))
    return _built(source, found)


def _built(source: str, found: dict[str, list['_Read']]) -> BagStreams:
    return BagStreams(
        **{name: _BUILDERS[STREAM_KINDS[name]](source, each) for name, each in found.items()}
    )


@dataclass(frozen=True, eq=False)
class _Read:
    """What was read of a message, and on which topic it came when."""

    topic: str
    kind: str
    arrival: float
    reading: Any


def _read(path: str | Path, reader: 'AnyReader', adapter: Adapter) -> Iterator[_Read]:
    """Yield what the messages of an adapter's topics say."""
    sources = _with_twists_of_odometry(adapter, reader.connections)
    by_topic = {each.topic.strip('/'): each for each in sources}
    chosen = [each for each in reader.connections if each.topic.strip('/') in by_topic]
    for each in chosen:
        _check_type(path, by_topic[each.topic.strip('/')], each, reader)
    convert: dict[int, Callable[[Any, float], tuple[Reading, ...]]] = {}
    for connection, arrival, data in reader.messages(chosen) if chosen else ():
        message = reader.deserialize(data, connection.msgtype)
        source, seconds = by_topic[connection.topic.strip('/')], arrival * _NANOSECOND
        if connection.id not in convert:
            convert[connection.id] = conversion(adapter, source, message, connection.msgtype)
        try:
            readings = convert[connection.id](message, seconds)
        except UNREADABLE as error:
            raise MeasurementError(f'{path}: {connection.topic}: {error}') from error
        for quantity, reading in zip(source.quantities, readings, strict=True):
            yield _Read(connection.topic, quantity.kind, seconds, reading)


def _with_twists_of_odometry(
    adapter: Adapter, connections: 'Sequence[Connection]'
) -> Sequence[Source]:
    """Return the sources; of our own topics an odometry gives twists where no other does."""
    kinds = {each.topic: each.msgtype for each in connections if each.msgcount}
    poses, twists = adapter.topics_of('base_pose'), adapter.topics_of('base_twist')
    has_odometry = any(kinds.get(topic) == ODOMETRY for topic in poses)
    if adapter.source != OWN or not has_odometry or any(topic in kinds for topic in twists):
        return adapter.sources
    return with_odometry(adapter).sources


def _check_type(
    path: str | Path, source: Source, connection: 'Connection', reader: 'AnyReader'
) -> None:
    kind = connection.msgtype
    if kind not in source.types:
        raise MeasurementError(
            f'{path}: {connection.topic} has messages of {kind}, not of '
            f'{" or ".join(source.types)}'
        )
    if kind not in reader.typestore.fielddefs:
        raise MeasurementError(
            f'{path}: {connection.topic}: the bag has no definition of {kind}; record it as mcap'
        )


def _times(read: Sequence[_Read]) -> tuple[NDArray[np.float64], ...]:
    """Return stamps and arrivals."""
    stamps = np.array([each.reading.stamp for each in read])
    return stamps, np.array([each.arrival for each in read])


def _column(read: Sequence[_Read], field: str) -> NDArray[np.float64]:
    return np.array([getattr(each.reading, field) for each in read])


def _named(path: str, read: Sequence[_Read]) -> str:
    """Return how errors name what was read."""
    return f'{path}: {" and ".join(sorted({each.topic for each in read}))}'


def _frame_id(path: str, read: Sequence[_Read], field: str = 'frame_id') -> str:
    """Return the frame of all messages."""
    frames = {getattr(each.reading, field) for each in read}
    if len(frames) > 1:
        raise MeasurementError(
            f'{_named(path, read)}: {field} changes: {", ".join(map(repr, sorted(frames)))}'
        )
    return frames.pop()


def _joint_stream(path: str, read: Sequence[_Read]) -> JointStream:
    """Return joints by name: their order may differ from message to message (F1).

    What a message does not say, or says in arrays of another size than its names, is NaN.
    """
    readings = [each.reading for each in read]
    names = tuple(dict.fromkeys(name for each in readings for name in each.names))
    columns = {name: column for column, name in enumerate(names)}
    values = np.full((3, len(readings), len(names)), np.nan)
    for row, each in enumerate(readings):
        there = [columns[name] for name in each.names]
        if len(set(there)) < len(there):
            continue
        for part, given in enumerate((each.positions, each.velocities, each.efforts)):
            if len(given) == len(there):
                values[part, row, there] = given
    if all(len(set(each.names)) < len(each.names) for each in readings):
        raise MeasurementError(f'{_named(path, read)}: a joint is named twice')
    positions, velocities, efforts = values
    given = None if np.isnan(efforts).all() else efforts
    return JointStream(*_times(read), names, positions, velocities, given)


def _imu_stream(path: str, read: Sequence[_Read]) -> ImuStream:
    """Return an IMU's messages; the noise is the middle one of those stated (F9)."""
    readings = [each.reading for each in read]
    rates = _column(read, 'angular_velocity')
    rates[[each.is_absent for each in readings]] = np.nan
    variances = [each.noise**2 for each in readings if each.noise]
    return ImuStream(
        *_times(read),
        _frame_id(path, read),
        rates,
        float(np.sqrt(np.median(variances))) if variances else 0.0,
        _column(read, 'specific_force'),
        _column(read, 'attitude'),
    )


def _pose_stream(path: str, read: Sequence[_Read]) -> PoseStream:
    places = _column(read, 'position'), _column(read, 'attitude')
    frame, child = _frame_id(path, read), _frame_id(path, read, 'child_frame')
    return PoseStream(*_times(read), frame, *places, child)


def _twist_stream(path: str, read: Sequence[_Read]) -> TwistStream:
    return TwistStream(*_times(read), _frame_id(path, read), _column(read, 'twist'))


def _wrench_stream(path: str, read: Sequence[_Read]) -> WrenchStream:
    return WrenchStream(*_times(read), _frame_id(path, read), _column(read, 'wrench'))


def _thrust_stream(path: str, read: Sequence[_Read]) -> ThrustStream:
    """Return commands by name; thrusters that a message does not name are closed."""
    names = tuple(dict.fromkeys(name for each in read for name in each.reading.names))
    try:
        shares = np.array([each.reading.of(names) for each in read])
    except MeasurementError as error:
        raise MeasurementError(f'{_named(path, read)}: {error}') from error
    return ThrustStream(*_times(read), names, shares)


_BUILDERS: dict[type, Callable[[str, Sequence[_Read]], Any]] = {
    JointStream: _joint_stream,
    ImuStream: _imu_stream,
    PoseStream: _pose_stream,
    TwistStream: _twist_stream,
    WrenchStream: _wrench_stream,
    ThrustStream: _thrust_stream,
}

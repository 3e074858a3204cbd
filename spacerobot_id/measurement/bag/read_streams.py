"""Streams of a log from what was read of its messages, one by one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.bag.standard_streams import Made
from spacerobot_id.measurement.bag.streams import (
    ImuStream,
    JointStream,
    PoseStream,
    STREAM_KINDS,
    ThrustStream,
    TwistStream,
    WrenchStream,
)


@dataclass(frozen=True, eq=False)
class Read:
    """What was read of a message, and on which topic it came when."""

    topic: str
    kind: str
    arrival: float
    reading: Any


def built(source: str, found: dict[str, list[Read]]) -> dict[str, Made]:
    """Return the streams that messages make, by name."""
    return {name: _BUILDERS[STREAM_KINDS[name]](source, each) for name, each in found.items()}


def _times(read: Sequence[Read]) -> tuple[NDArray[np.float64], ...]:
    """Return stamps and arrivals."""
    stamps = np.array([each.reading.stamp for each in read])
    return stamps, np.array([each.arrival for each in read])


def _column(read: Sequence[Read], field: str) -> NDArray[np.float64]:
    return np.array([getattr(each.reading, field) for each in read])


def _named(path: str, read: Sequence[Read]) -> str:
    """Return how errors name what was read."""
    return f'{path}: {" and ".join(sorted({each.topic for each in read}))}'


def _frame_id(path: str, read: Sequence[Read], field: str = 'frame_id') -> str:
    """Return the frame of all messages."""
    frames = {getattr(each.reading, field) for each in read}
    if len(frames) > 1:
        raise MeasurementError(
            f'{_named(path, read)}: {field} changes: {", ".join(map(repr, sorted(frames)))}'
        )
    return frames.pop()


def _joint_stream(path: str, read: Sequence[Read]) -> JointStream:
    """Return joints by name: their order may differ from message to message (F1).

    What a message does not give, or gives in arrays of another size than its names, is NaN.
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


def _imu_stream(path: str, read: Sequence[Read]) -> ImuStream:
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


def _pose_stream(path: str, read: Sequence[Read]) -> PoseStream:
    places = _column(read, 'position'), _column(read, 'attitude')
    frame, child = _frame_id(path, read), _frame_id(path, read, 'child_frame')
    return PoseStream(*_times(read), frame, *places, child)


def _twist_stream(path: str, read: Sequence[Read]) -> TwistStream:
    return TwistStream(*_times(read), _frame_id(path, read), _column(read, 'twist'))


def _wrench_stream(path: str, read: Sequence[Read]) -> WrenchStream:
    return WrenchStream(*_times(read), _frame_id(path, read), _column(read, 'wrench'))


def _thrust_stream(path: str, read: Sequence[Read]) -> ThrustStream:
    """Return commands by name; thrusters that a message does not name are closed."""
    names = tuple(dict.fromkeys(name for each in read for name in each.reading.names))
    try:
        shares = np.array([each.reading.of(names) for each in read])
    except MeasurementError as error:
        raise MeasurementError(f'{_named(path, read)}: {error}') from error
    return ThrustStream(*_times(read), names, shares)


_BUILDERS: dict[type, Callable[[str, Sequence[Read]], Any]] = {
    JointStream: _joint_stream,
    ImuStream: _imu_stream,
    PoseStream: _pose_stream,
    TwistStream: _twist_stream,
    WrenchStream: _wrench_stream,
    ThrustStream: _thrust_stream,
}

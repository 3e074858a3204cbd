"""The faults of docs/faults.md that a log can carry; config/lab/faults.yaml has what they are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
import yaml

from spacerobot_id.lab.faults import value_faults as values
from spacerobot_id.lab.faults.fault import (
    Case,
    Change,
    Fault,
    HELD,
    of_each,
    of_messages,
    ReadSize,
    SENSORS,
    Size,
)
from spacerobot_id.lab.faults.value_faults import stated_std
from spacerobot_id.measurement.streams.log_streams import Arrived, Reading
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.model import RobotModel, shipped_file

_FAR = 1000.0
"""Time by which single stamps are off, s."""

_OVERTAKEN = 0.05
"""Time by which a message is overtaken, s: several of its topic come before it."""

_SCALES = {'deg': math.pi / 180.0}
"""SI units in one of the unit of the strengths, where that is not the same."""


def _typical(measure: Callable[[Any, Any], float]) -> ReadSize:
    """Return what reads the median over messages of what has changed in each."""

    def read(before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel) -> float:
        changes = [measure(old.reading, new.reading) for old, new in _pairs(before, after)]
        return float(np.median(changes)) if changes else np.nan

    return read


_stamps_later = _typical(lambda old, new: new.stamp - old.stamp)
_stamps_earlier = _typical(lambda old, new: old.stamp - new.stamp)
_joints_added = _typical(lambda old, new: len(new.names) - len(old.names))
_length_added = _typical(lambda old, new: _norm(new.attitude) / _norm(old.attitude) - 1.0)


def noise_stated(_before: Sequence[Arrived], after: Sequence[Arrived], model: RobotModel) -> float:
    """Return the noise that messages of a gyro state over that described."""
    stated = [each.reading.noise for each in after]
    return float(np.median(stated)) / stated_std(model) if stated else np.nan


def angle_turned(before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel) -> float:
    """Return the angle by which angular velocities are turned, rad."""
    pairs = _pairs(before, after)
    if not pairs:
        return np.nan
    old, new = (np.array([pair[k].reading.angular_velocity for pair in pairs]) for k in (0, 1))
    turn, _ = Rotation.align_vectors(new, old)
    return float(turn.magnitude())


def burst_interval(
    _before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel
) -> float:
    """Return the time between bursts, s."""
    arrivals = np.unique([each.arrival for each in after])
    return float(np.median(np.diff(arrivals))) if len(arrivals) > 1 else np.nan


def velocity_gained(
    before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel
) -> float:
    """Return the velocity that twists have more, or poses by the way that they gain, m/s."""
    pairs = _pairs(before, after)
    gained = [
        _norm(new.reading.twist[:3] - old.reading.twist[:3])
        for old, new in pairs
        if isinstance(new.reading, TwistStream)
    ]
    if gained:
        return float(np.median(gained))
    ways = [
        (new.reading.stamp, new.reading.position - old.reading.position)
        for old, new in pairs
        if isinstance(new.reading, PoseStream)
    ]
    if len(ways) < 2:
        return np.nan
    (begin, first), *_, (end, last) = ways
    return _norm(last - first) / (end - begin)


def _norm(vector: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(vector))


def _pairs(before: Sequence[Arrived], after: Sequence[Arrived]) -> list[tuple[Arrived, Arrived]]:
    """Return messages as they were and as they are; none where some came or went."""
    return list(zip(before, after, strict=True)) if len(before) == len(after) else []


@of_messages
def repeated(message: Arrived, _case: Case) -> Iterable[Arrived]:
    """Return a message twice (F13)."""
    return message, message


@of_messages
def overtaken(message: Arrived, _case: Case) -> Iterable[Arrived]:
    """Return a message that comes after later ones (F14)."""
    return [Arrived(message.arrival + _OVERTAKEN, message.reading)]


@of_each
def without_stamp(reading: Reading, _case: Case) -> Reading:
    """Return a message without a stamp (F15)."""
    return replace(reading, stamps=0.0)


@of_each
def far_stamp(reading: Reading, case: Case) -> Reading:
    """Return a message whose stamp is far in the past or the future (F16)."""
    return replace(reading, stamps=reading.stamp + _FAR * case.rng.choice([-0.5, 1.0]))


@of_each
def late_stamp(reading: Reading, case: Case) -> Reading:
    """Return a message whose stamp is late by the size in s.

    Of one sensor that is skew between clocks (F16), of all a clock that jumps (F17).
    """
    return replace(reading, stamps=reading.stamp + case.size)


@of_each
def early_stamp(reading: Reading, case: Case) -> Reading:
    """Return a message whose stamp is early by the size in s (F17)."""
    return replace(reading, stamps=reading.stamp - case.size)


@of_messages
def lost(_message: Arrived, _case: Case) -> Iterable[Arrived]:
    """Return nothing in place of a message that is lost (F20 to F22)."""
    return ()


@of_messages
def held_back(message: Arrived, case: Case) -> Iterable[Arrived]:
    """Return a message that comes in a burst with others, the size in s apart (F25)."""
    bursts = math.ceil((message.arrival - case.begin) / case.size)
    return [Arrived(case.begin + bursts * case.size, message.reading)]


_CHANGES: Mapping[str, Change] = {
    'F1 order': values.shuffled,
    'F2 missing': values.without_last,
    'F2 extra': values.with_others,
    'F3 size': values.short_velocities,
    'F4 NaN velocity': values.nan_velocity,
    'F5 publishers': values.second_publisher,
    'F6 not finite': values.not_finite,
    'F7 zero': values.zero_quaternion,
    'F7 length': values.scaled_quaternion,
    'F8 sign': values.negated_quaternion,
    'F8 wrap': values.wrapped,
    'F9 absent': values.absent_rate,
    'F9 negative': values.negative_covariance,
    'F9 noise': values.stated_noise,
    'F10 frame': values.unknown_frame,
    'F10 turned': values.turned_imu,
    'F11 NED': values.ned_gyro,
    'F11 world': values.twist_in_world,
    'F11 inverse': values.inverse_attitude,
    'F12 {topic}': values.frozen,
    'F13 duplicate': repeated,
    'F14 disorder': overtaken,
    'F15 no stamp': without_stamp,
    'F16 far': far_stamp,
    'F16 skew {topic}': late_stamp,
    'F17 back': early_stamp,
    'F17 forward': late_stamp,
    'F22 {topic}': lost,
    'F21 loss': lost,
    'F21 commands': lost,
    'F25 {topic}': held_back,
    'F30 outliers {topic}': values.outlier,
    'F30 push': values.pushed,
}
"""How each fault is put into messages."""

_SIZES: Mapping[str, ReadSize] = {
    'F2 extra': _joints_added,
    'F7 length': _length_added,
    'F9 noise': noise_stated,
    'F10 turned': angle_turned,
    'F16 skew {topic}': _stamps_later,
    'F17 back': _stamps_earlier,
    'F17 forward': _stamps_later,
    'F25 {topic}': burst_interval,
    'F30 push': velocity_gained,
}
"""How its size is read from them, where it shows."""


def _described(key: str, topic: str, given: Mapping[str, Any]) -> Fault:
    """Return a fault from the list of all, of each of its topics in turn or of all."""
    grows_by = next(each for each in ('share', 'duration', 'size') if each in given)
    unit = given.get('unit', 'of the messages' if grows_by == 'share' else 's')
    size = None
    if grows_by == 'size':
        scale = _SCALES.get(unit, 1.0)
        others = {'scale': scale, 'tolerance': given.get('tolerance', 1e-6)}
        size = Size(given.get('si', unit), _SIZES.get(key), **others)
    return Fault(
        key.format(topic=topic),
        given['is'].format(topic=topic),
        grows_by,
        tuple(map(float, given[grows_by])),
        unit,
        _CHANGES[key],
        tuple((SENSORS | HELD)[each] for each in ([topic] if topic else given['hits'])),
        size,
        not given.get('hidden', False),
    )


_LIST = yaml.safe_load(shipped_file('config/lab/faults.yaml').read_text(encoding='utf-8'))

FAULTS = tuple(
    _described(key, topic, given)
    for key, given in _LIST['faults'].items()
    for topic in (given['hits'] if '{topic}' in key else [''])
)
"""All faults, in the order of their numbers."""

BY_KEY = {each.key: each for each in FAULTS}
"""The same by their keys."""


def faults_of(messages: Sequence[Arrived]) -> tuple[Fault, ...]:
    """Return the faults that messages can carry: those of streams that are there."""
    there = {type(each.reading) for each in messages}
    return tuple(each for each in FAULTS if not each.kinds or there & set(each.kinds))

"""The faults of docs/faults.md that a log can carry, each in three strengths."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.lab.faults import value_faults as values
from spacerobot_id.lab.faults.fault import (
    Case,
    Change,
    Fault,
    HELD,
    of_each,
    ReadSize,
    SENSORS,
    Size,
)
from spacerobot_id.lab.faults.value_faults import stated_std
from spacerobot_id.measurement.streams.imu_stream import GyroReading
from spacerobot_id.measurement.streams.joint_stream import JointReading
from spacerobot_id.measurement.streams.log_streams import Arrived, Reading
from spacerobot_id.measurement.streams.pose_stream import PoseReading
from spacerobot_id.measurement.streams.twist_stream import TwistReading
from spacerobot_id.model import RobotModel

_FAR = 1000.0
"""Time by which single stamps are off, s."""

_OVERTAKEN = 0.05
"""Time by which a message is overtaken, s: several of its topic come before it."""

_SHARES = (0.01, 0.1, 0.5)

_LOSSES = (0.1, 0.3, 0.5)

_TIMES = (0.3, 3.0, math.inf)

_JUMPS, _SKEWS = (0.5, 5.0, 500.0), (0.002, 0.02, 2.0)

_ALL_SENSORS, _ALL_HELD = tuple(SENSORS.values()), tuple(HELD.values())

_DEGREE = math.pi / 180.0


def _typical(measure: Callable[[Any, Any], float]) -> ReadSize:
    """Return what reads the median over messages of what has changed in each."""

    def read(before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel) -> float:
        changes = [measure(old.reading, new.reading) for old, new in _pairs(before, after)]
        return float(np.median(changes)) if changes else np.nan

    return read


_LATER = Size('s', _typical(lambda old, new: new.stamp - old.stamp))
_EARLIER = Size('s', _typical(lambda old, new: old.stamp - new.stamp))
_LONGER = Size('1', _typical(lambda old, new: _norm(new.attitude) / _norm(old.attitude) - 1.0))
_MORE = Size('1', _typical(lambda old, new: len(new.names) - len(old.names)), tolerance=0.51)


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
        if isinstance(new.reading, TwistReading)
    ]
    if gained:
        return float(np.median(gained))
    ways = [
        (new.reading.stamp, new.reading.position - old.reading.position)
        for old, new in pairs
        if isinstance(new.reading, PoseReading)
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


def repeated(
    messages: Sequence[Arrived], hit: NDArray[np.bool_], _case: Case
) -> Iterable[Arrived]:
    """Yield messages, those that are hit twice (F13)."""
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        yield message
        if is_hit:
            yield message


def overtaken(
    messages: Sequence[Arrived], hit: NDArray[np.bool_], _case: Case
) -> Iterable[Arrived]:
    """Yield messages, those that are hit after later ones (F14)."""
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        yield Arrived(message.arrival + _OVERTAKEN, message.reading) if is_hit else message


@of_each
def without_stamp(reading: Reading, _case: Case) -> Reading:
    """Return a message without a stamp (F15)."""
    return replace(reading, stamp=0.0)


@of_each
def far_stamp(reading: Reading, case: Case) -> Reading:
    """Return a message whose stamp is far in the past or the future (F16)."""
    return replace(reading, stamp=reading.stamp + _FAR * case.rng.choice([-0.5, 1.0]))


@of_each
def late_stamp(reading: Reading, case: Case) -> Reading:
    """Return a message whose stamp is late by the size in s.

    Of one sensor that is skew between clocks (F16), of all a clock that jumps (F17).
    """
    return replace(reading, stamp=reading.stamp + case.size)


@of_each
def early_stamp(reading: Reading, case: Case) -> Reading:
    """Return a message whose stamp is early by the size in s (F17)."""
    return replace(reading, stamp=reading.stamp - case.size)


def lost(messages: Sequence[Arrived], hit: NDArray[np.bool_], _case: Case) -> Iterable[Arrived]:
    """Yield messages without those that are lost (F20 to F22)."""
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        if not is_hit:
            yield message


def held_back(
    messages: Sequence[Arrived], hit: NDArray[np.bool_], case: Case
) -> Iterable[Arrived]:
    """Yield messages that come in bursts, the size in s apart (F25)."""
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        if is_hit:
            bursts = math.ceil((message.arrival - case.begin) / case.size)
            message = Arrived(case.begin + bursts * case.size, message.reading)
        yield message


Kinds = type[Reading] | tuple[type[Reading], ...]
Strengths = tuple[float, float, float]


def _of_share(
    key: str, description: str, kinds: Kinds, change: Change, shares: Strengths = _SHARES
) -> Fault:
    """Return a fault that grows by the share of the messages that it hits."""
    return Fault(key, description, 'share', shares, 'of the messages', change, _several(kinds))


def _of_time(key: str, description: str, kind: type[Reading], change: Change) -> Fault:
    """Return a fault that grows by the time for which it hits all messages."""
    return Fault(key, description, 'duration', _TIMES, 's', change, (kind,))


def _of_size(
    key: str,
    description: str,
    kinds: Kinds,
    change: Change,
    strengths: Strengths,
    size: Size,
    unit: str = 's',
) -> Fault:
    """Return a fault that grows by how large it is."""
    return Fault(key, description, 'size', strengths, unit, change, _several(kinds), size)


def _several(kinds: Kinds) -> tuple[type[Reading], ...]:
    return kinds if isinstance(kinds, tuple) else (kinds,)


_JOINTS, _IMU, _POSE, _TWIST = JointReading, GyroReading, PoseReading, TwistReading
_STATED, _TURNED = Size('1', noise_stated), Size('rad', angle_turned, _DEGREE)
_BURSTS = Size('s', burst_interval, tolerance=0.05)
_PUSH = Size('m/s', velocity_gained)

_ORDER = _of_share('F1 order', 'joints in another order', _JOINTS, values.shuffled)
_WRAP = _of_size(
    'F8 wrap', 'angles wrap', _JOINTS, values.wrapped, (1.0, 3.0, 99.0), Size('1'), 'joints'
)

FAULTS = (
    replace(_ORDER, is_shown=False),
    _of_share('F2 missing', 'a joint is missing', _JOINTS, values.without_last),
    _of_size(
        'F2 extra',
        'joints that the robot does not have',
        _JOINTS,
        values.with_others,
        (1.0, 3.0, 10.0),
        _MORE,
        'joints',
    ),
    _of_share('F3 size', 'velocities empty or too few', _JOINTS, values.short_velocities),
    _of_share('F4 NaN velocity', 'a velocity is NaN', _JOINTS, values.nan_velocity),
    _of_share(
        'F5 publishers',
        'a second publisher has all joints at rest',
        _JOINTS,
        values.second_publisher,
    ),
    _of_share('F6 not finite', 'NaN or infinity in a field', _ALL_SENSORS, values.not_finite),
    _of_share('F7 zero', 'quaternion of zeros', _POSE, values.zero_quaternion),
    _of_size(
        'F7 length',
        'quaternion longer than one',
        _POSE,
        values.scaled_quaternion,
        (1e-4, 0.02, 1.0),
        _LONGER,
        'of its length',
    ),
    _of_share('F8 sign', 'quaternion changes its sign', _POSE, values.negated_quaternion),
    replace(_WRAP, is_shown=False),
    _of_share('F9 absent', 'angular velocity marked as not provided', _IMU, values.absent_rate),
    _of_share('F9 negative', 'negative covariance', _IMU, values.negative_covariance),
    _of_size(
        'F9 noise',
        'gyro states another noise than it has',
        _IMU,
        values.stated_noise,
        (0.5, 3.0, 0.05),
        _STATED,
        'times the described',
    ),
    _of_share('F10 frame', 'IMU in an unknown frame', _IMU, values.unknown_frame),
    _of_size(
        'F10 turned',
        'IMU turned, and the description does not know',
        _IMU,
        values.turned_imu,
        (1.0, 10.0, 90.0),
        _TURNED,
        'deg',
    ),
    _of_time('F11 NED', 'gyro in axes north, east, down', _IMU, values.ned_gyro),
    _of_time('F11 world', 'twists in inertial axes', _TWIST, values.twist_in_world),
    _of_time(
        'F11 inverse', 'attitude of the world against the base', _POSE, values.inverse_attitude
    ),
    *(
        _of_time(f'F12 {topic}', f'{topic}: value frozen', kind, values.frozen)
        for topic, kind in SENSORS.items()
    ),
    _of_share('F13 duplicate', 'messages come twice', (), repeated),
    _of_share('F14 disorder', 'messages overtaken', (), overtaken),
    _of_share('F15 no stamp', 'stamp of zero', _ALL_SENSORS, without_stamp),
    _of_share('F16 far', 'single stamps far off', _ALL_SENSORS, far_stamp),
    *(
        _of_size(f'F16 skew {topic}', f'{topic}: stamps late', kind, late_stamp, _SKEWS, _LATER)
        for topic, kind in (SENSORS | HELD).items()
    ),
    _of_size('F17 back', 'the clock jumps back', (), early_stamp, _JUMPS, _EARLIER),
    _of_size('F17 forward', 'the clock jumps forward', (), late_stamp, (*_JUMPS[:2], 1e6), _LATER),
    *(
        _of_time(f'F22 {topic}', f'{topic}: silent', kind, lost)
        for topic, kind in (SENSORS | HELD).items()
    ),
    _of_share('F21 loss', 'messages of sensors are lost', _ALL_SENSORS, lost, _LOSSES),
    _of_share(
        'F21 commands', 'wrenches or commands of thrusters are lost', _ALL_HELD, lost, _LOSSES
    ),
    *(
        _of_size(
            f'F25 {topic}', f'{topic}: comes in bursts', kind, held_back, (0.1, 1.0, 10.0), _BURSTS
        )
        for topic, kind in (SENSORS | HELD).items()
    ),
    *(
        _of_share(f'F30 outliers {topic}', f'{topic}: readings far off', kind, values.outlier)
        for topic, kind in SENSORS.items()
    ),
    _of_size(
        'F30 push',
        'something pushes the robot at its centre of mass',
        (_TWIST, _POSE),
        values.pushed,
        (1e-4, 1e-3, 1e-2),
        _PUSH,
        'm/s',
    ),
)
"""All faults, in the order of their numbers."""

BY_KEY = {each.key: each for each in FAULTS}
"""The same by their keys."""


def faults_of(messages: Sequence[Arrived]) -> tuple[Fault, ...]:
    """Return the faults that messages can carry: those of streams that are there."""
    there = {type(each.reading) for each in messages}
    return tuple(each for each in FAULTS if not each.kinds or there & set(each.kinds))

"""The faults of docs/faults.md that a log can carry, each in three strengths."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
import math

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
    ReadingChange,
    ReadSize,
    SENSORS,
    Size,
)
from spacerobot_id.lab.faults.value_faults import stated_std
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import Arrived, Reading
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.model import RobotModel

_FAR = 1000.0
"""Time by which single stamps are off, s."""

_OVERTAKEN = 0.05
"""Time by which a message is overtaken, s: several of its topic come before it."""

_SHARES = (0.01, 0.1, 0.5)

_TIMES = (0.3, 3.0, math.inf)

_JUMPS, _SKEWS = (0.5, 5.0, 500.0), (0.002, 0.02, 2.0)

_ALL_SENSORS, _ALL_HELD = tuple(SENSORS.values()), tuple(HELD.values())

_DEGREE = math.pi / 180.0

Kinds = type[Reading] | tuple[type[Reading], ...]


def stamps_moved(sign: float) -> ReadSize:
    """Return what reads by how much stamps are late, or early."""

    def read(before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel) -> float:
        moves = [new.reading.stamp - old.reading.stamp for old, new in _pairs(before, after)]
        return sign * float(np.median(moves)) if moves else np.nan

    return read


def joints_added(before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel) -> float:
    """Return by how many joints messages have more."""
    more = [len(new.reading.names) - len(old.reading.names) for old, new in _pairs(before, after)]
    return float(np.median(more)) if more else np.nan


def length_added(before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel) -> float:
    """Return by how much quaternions are longer, as a share."""
    pairs = _pairs(before, after)
    more = [
        np.linalg.norm(new.reading.attitude) / np.linalg.norm(old.reading.attitude) - 1.0
        for old, new in pairs
    ]
    return float(np.median(more)) if more else np.nan


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


def without_stamp(reading: Reading, _case: Case) -> Reading:
    """Return a message without a stamp (F15)."""
    return replace(reading, stamps=0.0)


def far_stamp(reading: Reading, case: Case) -> Reading:
    """Return a message whose stamp is far in the past or the future (F16)."""
    return replace(reading, stamps=reading.stamp + _FAR * case.rng.choice([-0.5, 1.0]))


def moved_stamp(sign: float) -> ReadingChange:
    """Return the change of a message whose stamp is late or early by the size in s.

    Of one sensor that is skew between clocks (F16), of all a clock that jumps (F17).
    """

    def changed(reading: Reading, case: Case) -> Reading:
        return replace(reading, stamps=reading.stamp + sign * case.size)

    return changed


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


def _of_share(
    key: str,
    description: str,
    kinds: Kinds,
    change: Change,
    shares: tuple[float, float, float] = _SHARES,
    *,
    is_shown: bool = True,
) -> Fault:
    """Return a fault that grows by the share of the messages that it hits."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    return Fault(
        key, description, 'share', shares, 'of the messages', change, kinds, is_shown=is_shown
    )


def _of_time(key: str, description: str, kind: type[Reading], change: Change) -> Fault:
    """Return a fault that grows by the time for which it hits all messages."""
    return Fault(key, description, 'duration', _TIMES, 's', change, (kind,))


def _of_size(
    key: str,
    description: str,
    kinds: Kinds,
    change: Change,
    strengths: tuple[float, float, float],
    unit: str,
    size: Size,
    *,
    is_shown: bool = True,
) -> Fault:
    """Return a fault that grows by how large it is."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    return Fault(key, description, 'size', strengths, unit, change, kinds, size, is_shown)


FAULTS = (
    _of_share(
        'F1 order',
        'joints in another order',
        JointStream,
        of_each(values.shuffled),
        is_shown=False,
    ),
    _of_share('F2 missing', 'a joint is missing', JointStream, of_each(values.without_last)),
    _of_size(
        'F2 extra',
        'joints that the robot does not have',
        JointStream,
        of_each(values.with_others),
        (1.0, 3.0, 10.0),
        'joints',
        Size('1', joints_added, tolerance=0.51),
    ),
    _of_share(
        'F3 size', 'velocities empty or too few', JointStream, of_each(values.short_velocities)
    ),
    _of_share('F4 NaN velocity', 'a velocity is NaN', JointStream, of_each(values.nan_velocity)),
    _of_share(
        'F5 publishers',
        'a second publisher has all joints at rest',
        JointStream,
        values.second_publisher,
    ),
    _of_share(
        'F6 not finite', 'NaN or infinity in a field', _ALL_SENSORS, of_each(values.not_finite)
    ),
    _of_share('F7 zero', 'quaternion of zeros', PoseStream, of_each(values.zero_quaternion)),
    _of_size(
        'F7 length',
        'quaternion longer than one',
        PoseStream,
        of_each(values.scaled_quaternion),
        (1e-4, 0.02, 1.0),
        'of its length',
        Size('1', length_added),
    ),
    _of_share(
        'F8 sign', 'quaternion changes its sign', PoseStream, of_each(values.negated_quaternion)
    ),
    _of_size(
        'F8 wrap',
        'angles wrap',
        JointStream,
        of_each(values.wrapped),
        (1.0, 3.0, 99.0),
        'joints',
        Size('1'),
        is_shown=False,
    ),
    _of_share(
        'F9 absent',
        'angular velocity marked as not provided',
        ImuStream,
        of_each(values.absent_rate),
    ),
    _of_share(
        'F9 negative', 'negative covariance', ImuStream, of_each(values.negative_covariance)
    ),
    _of_size(
        'F9 noise',
        'gyro states another noise than it has',
        ImuStream,
        of_each(values.stated_noise),
        (0.5, 3.0, 0.05),
        'times the described',
        Size('1', noise_stated),
    ),
    _of_share('F10 frame', 'IMU in an unknown frame', ImuStream, of_each(values.unknown_frame)),
    _of_size(
        'F10 turned',
        'IMU turned, and the description does not know',
        ImuStream,
        of_each(values.turned_imu),
        (1.0, 10.0, 90.0),
        'deg',
        Size('rad', angle_turned, _DEGREE),
    ),
    _of_time('F11 NED', 'gyro in axes north, east, down', ImuStream, of_each(values.ned_gyro)),
    _of_time('F11 world', 'twists in inertial axes', TwistStream, values.twist_in_world),
    _of_time(
        'F11 inverse',
        'attitude of the world against the base',
        PoseStream,
        of_each(values.inverse_attitude),
    ),
    *(
        _of_time(f'F12 {topic}', f'{topic}: value frozen', kind, values.frozen)
        for topic, kind in SENSORS.items()
    ),
    _of_share('F13 duplicate', 'messages come twice', (), repeated),
    _of_share('F14 disorder', 'messages overtaken', (), overtaken),
    _of_share('F15 no stamp', 'stamp of zero', _ALL_SENSORS, of_each(without_stamp)),
    _of_share('F16 far', 'single stamps far off', _ALL_SENSORS, of_each(far_stamp)),
    *(
        _of_size(
            f'F16 skew {topic}',
            f'{topic}: stamps late',
            kind,
            of_each(moved_stamp(1.0)),
            _SKEWS,
            's',
            Size('s', stamps_moved(1.0)),
        )
        for topic, kind in (SENSORS | HELD).items()
    ),
    _of_size(
        'F17 back',
        'the clock jumps back',
        (),
        of_each(moved_stamp(-1.0)),
        _JUMPS,
        's',
        Size('s', stamps_moved(-1.0)),
    ),
    _of_size(
        'F17 forward',
        'the clock jumps forward',
        (),
        of_each(moved_stamp(1.0)),
        (*_JUMPS[:2], 1e6),
        's',
        Size('s', stamps_moved(1.0)),
    ),
    *(
        _of_time(f'F22 {topic}', f'{topic}: silent', kind, lost)
        for topic, kind in (SENSORS | HELD).items()
    ),
    _of_share('F21 loss', 'messages of sensors are lost', _ALL_SENSORS, lost, (0.1, 0.3, 0.5)),
    _of_share(
        'F21 commands',
        'wrenches or commands of thrusters are lost',
        _ALL_HELD,
        lost,
        (0.1, 0.3, 0.5),
    ),
    *(
        _of_size(
            f'F25 {topic}',
            f'{topic}: comes in bursts',
            kind,
            held_back,
            (0.1, 1.0, 10.0),
            's',
            Size('s', burst_interval, tolerance=0.05),
        )
        for topic, kind in (SENSORS | HELD).items()
    ),
    *(
        _of_share(
            f'F30 outliers {topic}', f'{topic}: readings far off', kind, of_each(values.outlier)
        )
        for topic, kind in SENSORS.items()
    ),
    _of_size(
        'F30 push',
        'something pushes the robot at its centre of mass',
        (TwistStream, PoseStream),
        values.pushed,
        (1e-4, 1e-3, 1e-2),
        'm/s',
        Size('m/s', velocity_gained),
    ),
)
"""All faults, in the order of their numbers."""

BY_KEY = {each.key: each for each in FAULTS}
"""The same by their keys."""


def faults_of(messages: Sequence[Arrived]) -> tuple[Fault, ...]:
    """Return the faults that messages can carry: those of streams that are there."""
    there = {type(each.reading) for each in messages}
    return tuple(each for each in FAULTS if not each.kinds or there & set(each.kinds))

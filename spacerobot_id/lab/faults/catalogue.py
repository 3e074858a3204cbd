"""The faults of docs/faults.md that a log can carry, each in three strengths."""

from collections.abc import Sequence
import math

from spacerobot_id.lab.faults import delivery_faults as delivery
from spacerobot_id.lab.faults import joint_faults as joints
from spacerobot_id.lab.faults import sizes
from spacerobot_id.lab.faults import stamp_faults as stamps
from spacerobot_id.lab.faults import value_faults as values
from spacerobot_id.lab.faults.fault import (
    Change,
    Fault,
    HELD,
    of_each,
    SENSORS,
    Size,
)
from spacerobot_id.measurement.readings import (
    Arrived,
    GyroReading,
    JointReading,
    PoseReading,
    Reading,
    TwistReading,
)

_SHARES = (0.01, 0.1, 0.5)
_TIMES = (0.3, 3.0, math.inf)
_JUMPS, _SKEWS = (0.5, 5.0, 500.0), (0.002, 0.02, 2.0)
_ALL_SENSORS, _ALL_HELD = tuple(SENSORS.values()), tuple(HELD.values())
_DEGREE = math.pi / 180.0

Kinds = type[Reading] | tuple[type[Reading], ...]


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
        JointReading,
        of_each(joints.shuffled),
        is_shown=False,
    ),
    _of_share('F2 missing', 'a joint is missing', JointReading, of_each(joints.without_last)),
    _of_size(
        'F2 extra',
        'joints that the robot does not have',
        JointReading,
        of_each(joints.with_others),
        (1.0, 3.0, 10.0),
        'joints',
        Size('1', sizes.joints_added, tolerance=0.51),
    ),
    _of_share(
        'F3 size', 'velocities empty or too few', JointReading, of_each(joints.short_velocities)
    ),
    _of_share('F4 NaN velocity', 'a velocity is NaN', JointReading, of_each(joints.nan_velocity)),
    _of_share(
        'F5 publishers',
        'a second publisher has all joints at rest',
        JointReading,
        joints.second_publisher,
    ),
    _of_share(
        'F6 not finite', 'NaN or infinity in a field', _ALL_SENSORS, of_each(values.not_finite)
    ),
    _of_share('F7 zero', 'quaternion of zeros', PoseReading, of_each(values.zero_quaternion)),
    _of_size(
        'F7 length',
        'quaternion longer than one',
        PoseReading,
        of_each(values.scaled_quaternion),
        (1e-4, 0.02, 1.0),
        'of its length',
        Size('1', sizes.length_added),
    ),
    _of_share(
        'F8 sign', 'quaternion changes its sign', PoseReading, of_each(values.negated_quaternion)
    ),
    _of_size(
        'F8 wrap',
        'angles wrap',
        JointReading,
        of_each(joints.wrapped),
        (1.0, 3.0, 99.0),
        'joints',
        Size('1'),
        is_shown=False,
    ),
    _of_share(
        'F9 absent',
        'angular velocity marked as not provided',
        GyroReading,
        of_each(values.absent_rate),
    ),
    _of_share(
        'F9 negative', 'negative covariance', GyroReading, of_each(values.negative_covariance)
    ),
    _of_size(
        'F9 noise',
        'gyro states another noise than it has',
        GyroReading,
        of_each(values.stated_noise),
        (0.5, 3.0, 0.05),
        'times the described',
        Size('1', sizes.noise_stated),
    ),
    _of_share('F10 frame', 'IMU in an unknown frame', GyroReading, of_each(values.unknown_frame)),
    _of_size(
        'F10 turned',
        'IMU turned, and the description does not know',
        GyroReading,
        of_each(values.turned_imu),
        (1.0, 10.0, 90.0),
        'deg',
        Size('rad', sizes.angle_turned, _DEGREE),
    ),
    _of_time('F11 NED', 'gyro in axes north, east, down', GyroReading, of_each(values.ned_gyro)),
    _of_time('F11 world', 'twists in inertial axes', TwistReading, values.twist_in_world),
    _of_time(
        'F11 inverse',
        'attitude of the world against the base',
        PoseReading,
        of_each(values.inverse_attitude),
    ),
    *(
        _of_time(f'F12 {topic}', f'{topic}: value frozen', kind, values.frozen)
        for topic, kind in SENSORS.items()
    ),
    _of_share('F13 duplicate', 'messages come twice', (), stamps.repeated),
    _of_share('F14 disorder', 'messages overtaken', (), stamps.overtaken),
    _of_share('F15 no stamp', 'stamp of zero', _ALL_SENSORS, of_each(stamps.without_stamp)),
    _of_share('F16 far', 'single stamps far off', _ALL_SENSORS, of_each(stamps.far_stamp)),
    *(
        _of_size(
            f'F16 skew {topic}',
            f'{topic}: stamps late',
            kind,
            of_each(stamps.moved_stamp(1.0)),
            _SKEWS,
            's',
            Size('s', sizes.stamps_moved(1.0)),
        )
        for topic, kind in (SENSORS | HELD).items()
    ),
    _of_size(
        'F17 back',
        'the clock jumps back',
        (),
        of_each(stamps.moved_stamp(-1.0)),
        _JUMPS,
        's',
        Size('s', sizes.stamps_moved(-1.0)),
    ),
    _of_size(
        'F17 forward',
        'the clock jumps forward',
        (),
        of_each(stamps.moved_stamp(1.0)),
        (*_JUMPS[:2], 1e6),
        's',
        Size('s', sizes.stamps_moved(1.0)),
    ),
    *(
        _of_time(f'F22 {topic}', f'{topic}: silent', kind, delivery.lost)
        for topic, kind in (SENSORS | HELD).items()
    ),
    _of_share(
        'F21 loss', 'messages of sensors are lost', _ALL_SENSORS, delivery.lost, (0.1, 0.3, 0.5)
    ),
    _of_share(
        'F21 commands',
        'wrenches or commands of thrusters are lost',
        _ALL_HELD,
        delivery.lost,
        (0.1, 0.3, 0.5),
    ),
    *(
        _of_size(
            f'F25 {topic}',
            f'{topic}: comes in bursts',
            kind,
            delivery.held_back,
            (0.1, 1.0, 10.0),
            's',
            Size('s', sizes.burst_interval, tolerance=0.05),
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
        (TwistReading, PoseReading),
        values.pushed,
        (1e-4, 1e-3, 1e-2),
        'm/s',
        Size('m/s', sizes.velocity_gained),
    ),
)
"""All faults, in the order of their numbers."""

BY_KEY = {each.key: each for each in FAULTS}
"""The same by their keys."""


def faults_of(messages: Sequence[Arrived]) -> tuple[Fault, ...]:
    """Return the faults that messages can carry: those of streams that are there."""
    there = {type(each.reading) for each in messages}
    return tuple(each for each in FAULTS if not each.kinds or there & set(each.kinds))

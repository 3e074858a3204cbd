"""The faults of docs/faults.md that a log can carry, each in three strengths."""

from collections.abc import Sequence
import math

from spacerobot_id.measurement.faults import delivery_faults as delivery
from spacerobot_id.measurement.faults import joint_faults as joints
from spacerobot_id.measurement.faults import stamp_faults as stamps
from spacerobot_id.measurement.faults import value_faults as values
from spacerobot_id.measurement.faults.fault import Fault, for_time, in_all, in_share
from spacerobot_id.measurement.readings import (
    Arrived,
    GyroReading,
    JointReading,
    PoseReading,
    ThrustReading,
    TwistReading,
    WrenchReading,
)

_SHARES = (0.01, 0.1, 0.5)
_TIMES = (0.3, 3.0, math.inf)
_TOPICS = {
    'joint_states': JointReading,
    'imu/data': GyroReading,
    'base_pose': PoseReading,
    'base_twist': TwistReading,
}
_SENSORS = tuple(_TOPICS.values())
_HELD = {'wrench': WrenchReading, 'thruster_commands': ThrustReading}


def _of_share(key: str, words: str, kinds: type | tuple[type, ...], change: object) -> Fault:
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    return Fault(key, words, _SHARES, 'of the messages', in_share(kinds, change), kinds)


def _of_topics(
    key: str,
    words: str,
    strengths: tuple,
    unit: str,
    made: object,
    topics: dict[str, type] = _TOPICS,
) -> list[Fault]:
    """Return a fault of each topic."""
    return [
        Fault(f'{key} {topic}', f'{topic}: {words}', strengths, unit, made(kind), (kind,))
        for topic, kind in topics.items()
    ]


FAULTS = (
    _of_share('F1 order', 'joints in another order', JointReading, joints.shuffled),
    _of_share('F2 missing', 'a joint is missing', JointReading, joints.without_last),
    Fault(
        'F2 extra',
        'joints that the robot does not have',
        (1.0, 3.0, 10.0),
        'joints',
        in_all(JointReading, joints.with_others),
        (JointReading,),
    ),
    _of_share('F3 size', 'velocities empty or too few', JointReading, joints.short_velocities),
    _of_share('F4 NaN velocity', 'a velocity is NaN', JointReading, joints.nan_velocity),
    Fault(
        'F5 publishers',
        'a second publisher says that all joints rest',
        _SHARES,
        'of the messages',
        joints.second_publisher,
        (JointReading,),
    ),
    _of_share('F6 not finite', 'NaN or infinity in a field', _SENSORS, values.not_finite),
    _of_share('F7 zero', 'quaternion of zeros', PoseReading, values.zero_quaternion),
    Fault(
        'F7 length',
        'quaternion longer than one',
        (1e-4, 0.02, 1.0),
        'of its length',
        in_all(PoseReading, values.scaled_quaternion),
        (PoseReading,),
    ),
    _of_share('F8 sign', 'quaternion changes its sign', PoseReading, values.negated_quaternion),
    Fault(
        'F8 wrap',
        'angles wrap',
        (1.0, 3.0, 99.0),
        'joints',
        in_all(JointReading, joints.wrapped),
        (JointReading,),
    ),
    _of_share('F9 absent', 'gyro says that it has none', GyroReading, values.absent_rate),
    _of_share('F9 negative', 'negative covariance', GyroReading, values.negative_covariance),
    Fault(
        'F9 noise',
        'gyro states another noise than it has',
        (0.5, 3.0, 0.05),
        'times the described',
        in_all(GyroReading, values.stated_noise),
        (GyroReading,),
    ),
    _of_share('F10 frame', 'IMU in an unknown frame', GyroReading, values.unknown_frame),
    Fault(
        'F10 turned',
        'IMU turned, and the description does not know',
        (1.0, 10.0, 90.0),
        'deg',
        in_all(GyroReading, values.turned_imu),
        (GyroReading,),
    ),
    Fault(
        'F11 NED',
        'gyro in axes north, east, down',
        _TIMES,
        's',
        for_time(GyroReading, values.ned_gyro),
        (GyroReading,),
    ),
    Fault(
        'F11 world',
        'twists in inertial axes',
        _TIMES,
        's',
        values.twist_in_world,
        (TwistReading,),
    ),
    Fault(
        'F11 inverse',
        'attitude of the world against the base',
        _TIMES,
        's',
        for_time(PoseReading, values.inverse_attitude),
        (PoseReading,),
    ),
    *_of_topics('F12', 'value frozen', _TIMES, 's', values.frozen),
    Fault('F13 duplicate', 'messages come twice', _SHARES, 'of the messages', stamps.repeated),
    Fault('F14 disorder', 'messages overtaken', _SHARES, 'of the messages', stamps.overtaken),
    _of_share('F15 no stamp', 'stamp of zero', _SENSORS, stamps.without_stamp),
    _of_share('F16 far', 'single stamps far off', _SENSORS, stamps.far_stamp),
    *_of_topics(
        'F16 skew',
        'stamps late',
        (0.002, 0.02, 2.0),
        's',
        lambda kind: in_all(kind, stamps.late_stamp),
        _TOPICS | _HELD,
    ),
    Fault('F17 back', 'the clock jumps back', (0.5, 5.0, 500.0), 's', stamps.clock_jump(-1.0)),
    Fault('F17 forward', 'the clock jumps forward', (0.5, 5.0, 1e6), 's', stamps.clock_jump(1.0)),
    *_of_topics('F22', 'silent', _TIMES, 's', delivery.silent, _TOPICS | _HELD),
    Fault(
        'F21 loss',
        'messages of sensors are lost',
        (0.1, 0.3, 0.5),
        'of the messages',
        delivery.lost(_SENSORS),
        _SENSORS,
    ),
    Fault(
        'F21 commands',
        'wrenches or commands of thrusters are lost',
        (0.1, 0.3, 0.5),
        'of the messages',
        delivery.lost(tuple(_HELD.values())),
        tuple(_HELD.values()),
    ),
    *_of_topics(
        'F25', 'comes in bursts', (0.1, 1.0, 10.0), 's', delivery.held_back, _TOPICS | _HELD
    ),
    *(
        _of_share(f'F30 outliers {topic}', f'{topic}: readings far off', kind, values.outlier)
        for topic, kind in _TOPICS.items()
    ),
    Fault(
        'F30 push',
        'something pushes the robot at its centre of mass',
        (1e-4, 1e-3, 1e-2),
        'm/s',
        values.pushed,
        (TwistReading, PoseReading),
    ),
)
"""All faults, in the order of their numbers."""


def faults_of(messages: Sequence[Arrived]) -> tuple[Fault, ...]:
    """Return the faults that messages can carry: those of streams that are there."""
    there = {type(each.reading) for each in messages}
    return tuple(each for each in FAULTS if not each.kinds or there & set(each.kinds))

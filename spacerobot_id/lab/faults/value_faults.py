"""Faults of the values of messages: joints F1 to F4 and F8, others F6, F7, F9 to F12, F30."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.lab.faults.fault import Case, of_each
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import Arrived, Reading
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.model import JointType, RobotModel

_BESIDE = 1e-3
"""Time after a message at which that of another publisher comes, s."""


def with_rows(reading: JointStream, rows: Sequence[int] | NDArray[np.intp]) -> JointStream:
    """Return some joints of a message, in a given order."""
    kept = list(rows)
    columns = {
        field: values[kept] if len(values := getattr(reading, field)) else values
        for field in ('positions', 'velocities', 'efforts')
    }
    return replace(reading, names=tuple(reading.names[row] for row in kept), **columns)


@of_each
def shuffled(reading: JointStream, case: Case) -> JointStream:
    """Return joints in another order (F1)."""
    return with_rows(reading, case.rng.permutation(len(reading.names)))


@of_each
def without_last(reading: JointStream, _case: Case) -> JointStream:
    """Return a message in which the last joint is missing (F2)."""
    return with_rows(reading, range(len(reading.names) - 1))


@of_each
def with_others(reading: JointStream, case: Case) -> JointStream:
    """Return a message with joints that the robot does not have (F2)."""
    count = round(case.size)
    values = case.rng.normal(size=(3, count))
    columns = {
        field: np.append(getattr(reading, field), more)
        for field, more in zip(('positions', 'velocities', 'efforts'), values, strict=True)
    }
    names = tuple(f'other_{number}' for number in range(count))
    return replace(reading, names=reading.names + names, **columns)


@of_each
def short_velocities(reading: JointStream, case: Case) -> JointStream:
    """Return a message with no velocities, or with one too few (F3)."""
    count = 0 if case.rng.random() < 0.5 else len(reading.velocities) - 1
    return replace(reading, velocities=reading.velocities[:count])


@of_each
def nan_velocity(reading: JointStream, case: Case) -> JointStream:
    """Return a message in which a velocity is NaN, which means that it is not provided (F4)."""
    velocities = reading.velocities.copy()
    velocities[case.rng.integers(len(velocities))] = np.nan
    return replace(reading, velocities=velocities)


def second_publisher(
    messages: Sequence[Arrived], hit: NDArray[np.bool_], _case: Case
) -> Iterable[Arrived]:
    """Yield messages, and beside some those of a driver that reports all joints at rest (F5)."""
    resting: JointStream | None = None
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        yield message
        reading = message.reading
        if isinstance(reading, JointStream) and resting is None:
            resting = replace(reading, velocities=np.zeros_like(reading.velocities))
        if is_hit:
            yield Arrived(
                message.arrival + _BESIDE, replace(resting, stamps=reading.stamp + _BESIDE)
            )


@of_each
def wrapped(reading: JointStream, case: Case) -> JointStream:
    """Return revolute joints, as many as the size, between 0 and a whole turn (F8)."""
    revolute = [each.name for each in case.model.joints if each.type is JointType.REVOLUTE]
    rows = np.isin(reading.names, revolute[: round(case.size)])
    positions = np.where(rows, reading.positions % (2.0 * np.pi), reading.positions)
    return replace(reading, positions=positions)


_SENSED = {
    JointStream: {'positions': 'joint_position', 'velocities': 'joint_rate'},
    ImuStream: {'angular_velocity': 'base_angular_velocity'},
    PoseStream: {'positions': 'base_position', 'attitudes': 'base_attitude'},
    TwistStream: {'twists': 'base_linear_velocity'},
}
"""Fields of the messages of sensors, and the noise of the robot that they have."""

_LEAST_STD = 1e-6
"""Least standard deviation that sizes of outliers are multiples of."""

_SIZES = (10.0, 1000.0)
"""Sizes of outliers, standard deviations of the noise."""

_FROM_NED = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])


@of_each
def not_finite(reading: Reading, case: Case) -> Reading:
    """Return a message with NaN or infinity in one of its numbers (F6)."""
    field = str(case.rng.choice(list(_SENSED[type(reading)])))
    values = np.array(getattr(reading, field), dtype=float)
    values[case.rng.integers(len(values))] = case.rng.choice([np.nan, np.inf, -np.inf])
    return replace(reading, **{field: values})


@of_each
def zero_quaternion(reading: PoseStream, _case: Case) -> PoseStream:
    """Return a pose whose quaternion is zero (F7)."""
    return replace(reading, attitudes=np.zeros(4))


@of_each
def scaled_quaternion(reading: PoseStream, case: Case) -> PoseStream:
    """Return a pose whose quaternion is longer than one by the size (F7)."""
    return replace(reading, attitudes=(1.0 + case.size) * reading.attitude)


@of_each
def negated_quaternion(reading: PoseStream, _case: Case) -> PoseStream:
    """Return a pose with the other quaternion of the same attitude (F8)."""
    return replace(reading, attitudes=-reading.attitude)


@of_each
def absent_rate(reading: ImuStream, _case: Case) -> ImuStream:
    """Return a message that marks its angular velocity as not provided: covariance -1 (F9)."""
    return replace(reading, angular_velocity=np.full(3, np.nan))


@of_each
def negative_covariance(reading: ImuStream, _case: Case) -> ImuStream:
    """Return a message whose covariance is none (F9)."""
    return replace(reading, noise=0.0)


@of_each
def stated_noise(reading: ImuStream, case: Case) -> ImuStream:
    """Return a message that states the described noise times the size (F9)."""
    return replace(reading, noise=case.size * stated_std(case.model))


def stated_std(model: RobotModel) -> float:
    """Return the described noise of the gyro that others are multiples of, rad/s."""
    return max(model.noise.base_angular_velocity, _LEAST_STD)


@of_each
def unknown_frame(reading: ImuStream, _case: Case) -> ImuStream:
    """Return a message in a frame that the description does not have (F10)."""
    return replace(reading, frame_id='imu_of_another_robot')


@of_each
def turned_imu(reading: ImuStream, case: Case) -> ImuStream:
    """Return the reading of an IMU turned by the size in rad, its frame as before (F10)."""
    turn = Rotation.from_rotvec(case.size * np.ones(3) / np.sqrt(3.0))
    return replace(reading, angular_velocity=turn.apply(reading.angular_velocity))


@of_each
def ned_gyro(reading: ImuStream, _case: Case) -> ImuStream:
    """Return an angular velocity in axes north, east, down (F11)."""
    return replace(reading, angular_velocity=_FROM_NED @ reading.angular_velocity)


@of_each
def inverse_attitude(reading: PoseStream, _case: Case) -> PoseStream:
    """Return the attitude of the world against the base (F11)."""
    return replace(reading, attitudes=reading.attitude * [-1.0, -1.0, -1.0, 1.0])


def twist_in_world(
    messages: Sequence[Arrived], hit: NDArray[np.bool_], _case: Case
) -> Iterable[Arrived]:
    """Yield messages with twists in inertial axes that are stated in those of the base (F11)."""
    attitude: Rotation | None = None
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        reading = message.reading
        if isinstance(reading, PoseStream):
            attitude = Rotation.from_quat(reading.attitude)
        if is_hit and attitude is not None:
            twist = attitude.apply(reading.twist.reshape(2, 3)).ravel()
            message = Arrived(message.arrival, replace(reading, twists=twist))
        yield message


def frozen(messages: Sequence[Arrived], hit: NDArray[np.bool_], _case: Case) -> Iterable[Arrived]:
    """Yield messages of which values stay while stamps advance, stream by stream (F12)."""
    first: dict[type[Reading], Reading] = {}
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        if is_hit:
            held = first.setdefault(type(message.reading), message.reading)
            message = Arrived(message.arrival, replace(held, stamps=message.reading.stamps))
        yield message


@of_each
def outlier(reading: Reading, case: Case) -> Reading:
    """Return a message in which one number is far off (F30)."""
    field = str(case.rng.choice(list(_SENSED[type(reading)])))
    std = max(getattr(case.model.noise, _SENSED[type(reading)][field]), _LEAST_STD)
    off = std * np.exp(case.rng.uniform(*np.log(_SIZES))) * case.rng.choice([-1.0, 1.0])
    values = np.array(getattr(reading, field), dtype=float)
    if field == 'attitudes':
        turn = off * np.eye(3)[case.rng.integers(3)]
        values = (Rotation.from_quat(values) * Rotation.from_rotvec(turn)).as_quat()
    else:
        count = 3 if field == 'twists' else len(values)
        values[case.rng.integers(count)] += off
    return replace(reading, **{field: values})


def pushed(messages: Sequence[Arrived], hit: NDArray[np.bool_], case: Case) -> Iterable[Arrived]:
    """Yield messages of a robot that something pushed at its centre of mass (F30).

    An impulse there changes nothing but the velocity of the whole, by the size in m/s.
    """
    velocity = case.size * np.ones(3) / np.sqrt(3.0)
    begin, attitude = messages[0].reading.stamp, None
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        reading = message.reading
        if isinstance(reading, PoseStream):
            attitude = Rotation.from_quat(reading.attitude)
        if is_hit and isinstance(reading, PoseStream):
            way = velocity * max(reading.stamp - begin, 0.0)
            message = Arrived(message.arrival, replace(reading, positions=reading.position + way))
        elif is_hit and attitude is not None:
            turned = np.append(attitude.apply(velocity, inverse=True), np.zeros(3))
            message = Arrived(message.arrival, replace(reading, twists=reading.twist + turned))
        yield message

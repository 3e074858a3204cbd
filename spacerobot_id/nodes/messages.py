"""Messages of ROS, from numbers and to them: the codecs of bags, made with rclpy.

Nothing is judged but whether the sizes fit: whether a motion can be followed is the core's
business.
"""

from collections.abc import Sequence
from functools import partial
from importlib import import_module

from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Vector3, WrenchStamped
import numpy as np
from numpy.typing import ArrayLike, NDArray
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage
from trajectory_msgs.msg import JointTrajectoryPoint

from spacerobot_id.exceptions import ConfigurationError, TrajectoryError
from spacerobot_id.kinematics.trajectory_motion import JointTrajectory, MAX_POINTS
from spacerobot_id.measurement import codecs
from spacerobot_id.measurement.codecs import NANOSECONDS, seconds_from_stamp
from spacerobot_id.measurement.streams import (
    imu_stream,
    joint_stream,
    pose_stream,
    twist_stream,
    wrench_stream,
)
from spacerobot_id.measurement.streams.imu_stream import gyro_from_message
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.pose_stream import pose_from_message
from spacerobot_id.measurement.streams.twist_stream import twist_from_message


def stamp_from_seconds(seconds: float) -> Time:
    """Return the stamp of a time in seconds, to the nanosecond."""
    sec, nanosec = divmod(round(seconds * NANOSECONDS), NANOSECONDS)
    return Time(sec=sec, nanosec=nanosec)


def duration_from_seconds(seconds: float) -> Duration:
    """Return the duration of some seconds, to the nanosecond."""
    sec, nanosec = divmod(round(seconds * NANOSECONDS), NANOSECONDS)
    return Duration(sec=sec, nanosec=nanosec)


def clock_message(seconds: float) -> Clock:
    """Return a message of the simulated time."""
    return Clock(clock=stamp_from_seconds(seconds))


def message_class(kind: str, what: str) -> type:
    """Return the class of a type such as ``geometry_msgs/msg/Vector3``.

    Raises
    ------
    ConfigurationError
        If its package is not installed, or has no such type; names it, and what needs it.
    """
    package, folder, name = kind.split('/')
    try:
        return getattr(import_module(f'{package}.{folder}'), name)
    except ImportError as error:
        raise ConfigurationError(
            f'{what}: {kind} needs the package {package}, which is not installed here: {error}'
        ) from error
    except AttributeError as error:
        raise ConfigurationError(f'{what}: {package} has no {kind}') from error


def make_message(kind: str, **fields: object) -> object:
    """Return a message of a type such as ``geometry_msgs/msg/Vector3``, arrays as lists."""
    values = {
        field: value.tolist() if isinstance(value, np.ndarray) else value
        for field, value in fields.items()
    }
    return message_class(kind, 'a message')(**values)


def string_message(text: str) -> String:
    """Return a message of a text."""
    return String(data=text)


def vector3_from_array(values: ArrayLike) -> Vector3:
    """Return the message of three components."""
    return codecs.vector(make_message, values)


def array_from_vector3(message: Vector3 | Point) -> NDArray[np.float64]:
    """Return the components of a vector or point, shape (3,)."""
    return codecs.components(message)


joint_state_message = partial(joint_stream.joint_state_message, make_message)


def joints_from_message(message: JointState, names: Sequence[str]) -> JointStream:
    """Return some joints of a message, found by name; see ``JointStream.of``."""
    return joint_stream.joints_from_message(message).of(names)


__all__ = [
    'gyro_from_message',
    'imu_message',
    'pose_from_message',
    'pose_message',
    'twist_from_message',
    'twist_message',
    'wrench_from_message',
    'wrench_message',
]

imu_message = partial(imu_stream.imu_message, make_message)
pose_message = partial(pose_stream.pose_message, make_message)
twist_message = partial(twist_stream.twist_message, make_message)
wrench_message = partial(wrench_stream.wrench_message, make_message)


def wrench_from_message(message: WrenchStamped, frame_id: str) -> NDArray[np.float64]:
    """Return the wrench of a message (force, torque), shape (6,).

    Raises
    ------
    MeasurementError
        If it is in another frame than the one named.
    """
    return wrench_stream.wrench_from_message(message).in_frame(frame_id)


_TRAJECTORY_FIELDS = ('positions', 'velocities', 'accelerations')


def trajectory_message(trajectory: JointTrajectory) -> JointTrajectoryMessage:
    """Return the message of a trajectory; its stamp is zero, which means to start now (F37)."""
    count = len(trajectory.times)
    message = JointTrajectoryMessage(joint_names=list(trajectory.names))
    columns = [
        [()] * count if values is None else values.tolist()
        for values in (trajectory.positions, trajectory.velocities, trajectory.accelerations)
    ]
    for time, *values in zip(trajectory.times.tolist(), *columns, strict=True):
        fields = dict(zip(_TRAJECTORY_FIELDS, values, strict=True))
        message.points.append(
            JointTrajectoryPoint(time_from_start=duration_from_seconds(time), **fields)
        )
    return message


def trajectory_from_message(message: JointTrajectoryMessage) -> JointTrajectory:
    """Return the trajectory of a message.

    Raises
    ------
    TrajectoryError
        If the sizes do not fit, there are efforts, or the stamp asks for another time than now.
    """
    stamp = seconds_from_stamp(message.header.stamp)
    if stamp:
        raise TrajectoryError(f'stamped {stamp:.3f} s: only stamp zero, start now, is taken')
    size = len(message.joint_names)
    if len(message.points) > MAX_POINTS:
        raise TrajectoryError(f'{len(message.points)} points, more than {MAX_POINTS}')
    if any(len(point.effort) for point in message.points):
        raise TrajectoryError('efforts cannot be followed')
    times = [seconds_from_stamp(point.time_from_start) for point in message.points]
    positions, *derivatives = (_point_values(message, field, size) for field in _TRAJECTORY_FIELDS)
    if positions is None:
        positions = np.zeros((0, size))
        if message.points:
            raise TrajectoryError('no positions')
    return JointTrajectory(
        tuple(message.joint_names), np.array(times, dtype=float), positions, *derivatives
    )


def _point_values(
    message: JointTrajectoryMessage, field: str, size: int
) -> NDArray[np.float64] | None:
    """Return one field of all points, shape (K, m); None if no point has it."""
    rows = [getattr(point, field) for point in message.points]
    lengths = [len(row) for row in rows]
    if not any(lengths):
        return None
    for index, length in enumerate(lengths):
        if length != size:
            raise TrajectoryError(f'point {index} has {length} {field} for {size} joints')
    return np.array(rows, dtype=float)

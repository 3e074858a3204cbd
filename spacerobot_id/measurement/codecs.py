"""ROS messages read and made without ROS: the same for nodes and for bags.

A message is read by its attributes, which those of rclpy and those of a bag share. It is made by
a function that knows the classes: ``make('geometry_msgs/msg/Vector3', x=1.0, y=0.0, z=0.0)``.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.measurement.readings import (
    GyroReading,
    JointReading,
    PoseReading,
    ThrustReading,
    TwistReading,
    WrenchReading,
)

NANOSECONDS = 1_000_000_000

Make = Callable[..., Any]
"""Makes a message: its type's name, then its fields by keyword."""

_UNKNOWN, _ABSENT = np.zeros(9), np.array([-1.0, *np.zeros(8)])
"""Covariances of what is not known how well, and of what is not there at all."""


def seconds_from_stamp(stamp: Any) -> float:  # noqa: ANN401 - any message class
    """Return a time or duration in seconds."""
    return stamp.sec + stamp.nanosec / NANOSECONDS


def components(message: Any, names: str = 'xyz') -> NDArray[np.float64]:  # noqa: ANN401
    """Return the components of a vector, point or quaternion."""
    return np.array([getattr(message, name) for name in names])


def joints_from_message(message: Any) -> JointReading:  # noqa: ANN401
    """Return the joints of a ``sensor_msgs/msg/JointState``, arrays as they are."""
    arrays = (message.position, message.velocity, message.effort)
    values = (np.asarray(each, dtype=float) for each in arrays)
    return JointReading(seconds_from_stamp(message.header.stamp), tuple(message.name), *values)


def thrust_from_message(message: Any) -> ThrustReading:  # noqa: ANN401
    """Return commands of thrusters: the efforts of a ``sensor_msgs/msg/JointState``."""
    shares = np.asarray(message.effort, dtype=float)
    return ThrustReading(seconds_from_stamp(message.header.stamp), tuple(message.name), shares)


def gyro_from_message(message: Any) -> GyroReading:  # noqa: ANN401
    """Return the reading of a ``sensor_msgs/msg/Imu``, with its noise where stated (F9)."""
    covariance = np.array(message.angular_velocity_covariance, dtype=float).reshape(3, 3)
    is_absent = bool(covariance[0, 0] == -1.0)
    force = components(message.linear_acceleration)
    attitude = components(message.orientation, 'xyzw')
    has_force = message.linear_acceleration_covariance[0] != -1.0
    has_attitude = message.orientation_covariance[0] != -1.0
    return GyroReading(
        seconds_from_stamp(message.header.stamp),
        message.header.frame_id,
        components(message.angular_velocity),
        covariance if covariance.any() and not is_absent else None,
        is_absent,
        force if has_force else np.full(3, np.nan),
        attitude if has_attitude else np.full(4, np.nan),
    )


def pose_from_message(message: Any) -> PoseReading:  # noqa: ANN401
    """Return the pose of a ``PoseStamped``, or that of the child frame of an ``Odometry``."""
    pose = getattr(message.pose, 'pose', message.pose)
    return PoseReading(
        seconds_from_stamp(message.header.stamp),
        message.header.frame_id,
        components(pose.position),
        components(pose.orientation, 'xyzw'),
        getattr(message, 'child_frame_id', ''),
    )


def twist_from_message(message: Any) -> TwistReading:  # noqa: ANN401
    """Return the twist of a ``TwistStamped``, or that of an ``Odometry`` in its child frame."""
    twist = getattr(message.twist, 'twist', message.twist)
    return TwistReading(
        seconds_from_stamp(message.header.stamp),
        getattr(message, 'child_frame_id', message.header.frame_id),
        np.concatenate([components(twist.linear), components(twist.angular)]),
    )


def wrench_from_message(message: Any, *, is_applied: bool = False) -> WrenchReading:  # noqa: ANN401
    """Return the wrench of a ``geometry_msgs/msg/WrenchStamped``."""
    wrench = message.wrench
    return WrenchReading(
        seconds_from_stamp(message.header.stamp),
        message.header.frame_id,
        np.concatenate([components(wrench.force), components(wrench.torque)]),
        is_applied,
    )


def header(make: Make, stamp: float, frame_id: str = '') -> object:
    """Return a header; its time is exact to the nanosecond."""
    sec, nanosec = divmod(round(stamp * NANOSECONDS), NANOSECONDS)
    time = make('builtin_interfaces/msg/Time', sec=sec, nanosec=nanosec)
    return make('std_msgs/msg/Header', stamp=time, frame_id=frame_id)


def vector(make: Make, values: ArrayLike, kind: str = 'Vector3') -> object:
    """Return a vector, a point or, of four numbers x y z w, a quaternion."""
    values = np.asarray(values, dtype=float).tolist()
    return make(f'geometry_msgs/msg/{kind}', **dict(zip('xyzw', values, strict=False)))


def joint_state_message(
    make: Make,
    stamp: float,
    names: Sequence[str],
    positions: ArrayLike,
    velocities: ArrayLike,
    efforts: ArrayLike = (),
) -> object:
    """Return a message of joints, values in the order of the names; no efforts by default."""
    return make(
        'sensor_msgs/msg/JointState',
        header=header(make, stamp),
        name=list(names),
        position=np.asarray(positions, dtype=float),
        velocity=np.asarray(velocities, dtype=float),
        effort=np.asarray(efforts, dtype=float),
    )


def imu_message(
    make: Make,
    stamp: float,
    frame_id: str,
    angular_velocity: ArrayLike | None,
    standard_deviation: float,
    attitude: ArrayLike | None = None,
    specific_force: ArrayLike | None = None,
) -> object:
    """Return a message of an IMU; what is None is marked as absent.

    Parameters
    ----------
    make : callable
        Makes messages.
    stamp : float
        Time, s.
    frame_id : str
        Frame of the sensor.
    angular_velocity : array_like, shape (3,), optional
        In the axes of the sensor, rad/s.
    standard_deviation : float
        Noise of each component, rad/s; zero means unknown, as the message has it.
    attitude : array_like, shape (4,), optional
        Quaternion x y z w.
    specific_force : array_like, shape (3,), optional
        In the axes of the sensor, m/s^2.
    """
    variance = np.diag(np.full(3, standard_deviation**2)).ravel()
    zero = np.zeros(3)
    return make(
        'sensor_msgs/msg/Imu',
        header=header(make, stamp, frame_id),
        orientation=vector(make, (0, 0, 0, 1) if attitude is None else attitude, 'Quaternion'),
        orientation_covariance=_ABSENT if attitude is None else _UNKNOWN,
        angular_velocity=vector(make, zero if angular_velocity is None else angular_velocity),
        angular_velocity_covariance=_ABSENT if angular_velocity is None else variance,
        linear_acceleration=vector(make, zero if specific_force is None else specific_force),
        linear_acceleration_covariance=_ABSENT if specific_force is None else _UNKNOWN,
    )


def pose_message(
    make: Make, stamp: float, frame_id: str, position: ArrayLike, attitude: ArrayLike
) -> object:
    """Return a message of a pose; attitude is a quaternion x y z w."""
    pose = make(
        'geometry_msgs/msg/Pose',
        position=vector(make, position, 'Point'),
        orientation=vector(make, attitude, 'Quaternion'),
    )
    kind = 'geometry_msgs/msg/PoseStamped'
    return make(kind, header=header(make, stamp, frame_id), pose=pose)


def twist_message(make: Make, stamp: float, frame_id: str, twist: ArrayLike) -> object:
    """Return a message of a twist (linear, angular) in the axes of a frame."""
    linear, angular = (vector(make, each) for each in np.reshape(twist, (2, 3)))
    inner = make('geometry_msgs/msg/Twist', linear=linear, angular=angular)
    kind = 'geometry_msgs/msg/TwistStamped'
    return make(kind, header=header(make, stamp, frame_id), twist=inner)


def wrench_message(make: Make, stamp: float, frame_id: str, wrench: ArrayLike) -> object:
    """Return a message of a wrench (force, torque) in the axes of a frame."""
    force, torque = (vector(make, each) for each in np.reshape(wrench, (2, 3)))
    inner = make('geometry_msgs/msg/Wrench', force=force, torque=torque)
    kind = 'geometry_msgs/msg/WrenchStamped'
    return make(kind, header=header(make, stamp, frame_id), wrench=inner)

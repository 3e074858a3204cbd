"""What sensors of the base say: rates, poses, twists and wrenches, from messages and to them.

Stamps become float seconds and nothing is judged: whether a value makes sense is the core's
business.
"""

from dataclasses import dataclass

from geometry_msgs.msg import Point, PoseStamped, TwistStamped, WrenchStamped
from nav_msgs.msg import Odometry
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sensor_msgs.msg import Imu

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.nodes.message_pieces import (
    array_from_vector3,
    quaternion_from_array,
    vector3_from_array,
)
from spacerobot_id.nodes.stamps import seconds_from_stamp, stamp_from_seconds


@dataclass(frozen=True, eq=False)
class GyroReading:
    """Rates of an IMU.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame of the sensor.
    angular_velocity : ndarray, shape (3,)
        Angular velocity of the sensor against the inertial frame, in its own axes, rad/s.
    covariance : ndarray, shape (3, 3), optional
        Covariance, rad^2/s^2; None where the message says that it is unknown (all zero).
    is_absent : bool
        Whether the message says that it has no angular velocity (first element -1).
    """

    stamp: float
    frame_id: str
    angular_velocity: NDArray[np.float64]
    covariance: NDArray[np.float64] | None
    is_absent: bool

    @property
    def noise(self) -> float:
        """Standard deviation of the first component, rad/s; 0 if unknown or nonsense."""
        variance = 0.0 if self.covariance is None else self.covariance[0, 0]
        return float(np.sqrt(variance)) if variance > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class PoseReading:
    """Pose of a body.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame that the pose is given in.
    position : ndarray, shape (3,)
        Position, m.
    attitude : ndarray, shape (4,)
        Quaternion x y z w from the body's axes to that frame's, as it came.
    """

    stamp: float
    frame_id: str
    position: NDArray[np.float64]
    attitude: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TwistReading:
    """Twist of a body.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame in whose axes it is given.
    twist : ndarray, shape (6,)
        Linear (m/s), then angular (rad/s) velocity.
    """

    stamp: float
    frame_id: str
    twist: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WrenchReading:
    """Wrench on the base.

    Parameters
    ----------
    stamp : float
        Time from which it acts, s.
    wrench : ndarray, shape (6,)
        Force (N), then torque (N m).
    """

    stamp: float
    wrench: NDArray[np.float64]


def imu_message(
    stamp: float,
    frame_id: str,
    angular_velocity: ArrayLike,
    standard_deviation: float,
    attitude: ArrayLike | None = None,
    specific_force: ArrayLike | None = None,
) -> Imu:
    """Return a message of an IMU; attitude and acceleration are marked as absent if None.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame of the sensor.
    angular_velocity : array_like, shape (3,)
        In the axes of the sensor, rad/s.
    standard_deviation : float
        Noise of each component, rad/s; zero means unknown, as the message has it.
    attitude : array_like, shape (4,), optional
        Quaternion x y z w.
    specific_force : array_like, shape (3,), optional
        In the axes of the sensor, m/s^2.
    """
    message = Imu(angular_velocity=vector3_from_array(angular_velocity))
    message.header.stamp, message.header.frame_id = stamp_from_seconds(stamp), frame_id
    message.angular_velocity_covariance[[0, 4, 8]] = standard_deviation**2
    if specific_force is None:
        message.linear_acceleration_covariance[0] = -1.0
    else:
        message.linear_acceleration = vector3_from_array(specific_force)
    if attitude is None:
        message.orientation_covariance[0] = -1.0
    else:
        message.orientation = quaternion_from_array(attitude)
    return message


def gyro_from_message(message: Imu) -> GyroReading:
    """Return the angular velocity of an IMU's message, and what it says of its noise (F9)."""
    covariance = np.array(message.angular_velocity_covariance, dtype=float).reshape(3, 3)
    is_absent = bool(covariance[0, 0] == -1.0)
    return GyroReading(
        seconds_from_stamp(message.header.stamp),
        message.header.frame_id,
        array_from_vector3(message.angular_velocity),
        covariance if covariance.any() and not is_absent else None,
        is_absent,
    )


def pose_message(
    stamp: float, frame_id: str, position: ArrayLike, attitude: ArrayLike
) -> PoseStamped:
    """Return a message of a pose; attitude is a quaternion x y z w."""
    message = PoseStamped()
    message.header.stamp, message.header.frame_id = stamp_from_seconds(stamp), frame_id
    x, y, z = np.asarray(position, dtype=float).tolist()
    message.pose.position = Point(x=x, y=y, z=z)
    message.pose.orientation = quaternion_from_array(attitude)
    return message


def pose_from_message(message: PoseStamped | Odometry) -> PoseReading:
    """Return the pose of a message of either kind."""
    pose = message.pose.pose if isinstance(message, Odometry) else message.pose
    turned = pose.orientation
    return PoseReading(
        seconds_from_stamp(message.header.stamp),
        message.header.frame_id,
        array_from_vector3(pose.position),
        np.array([turned.x, turned.y, turned.z, turned.w]),
    )


def twist_message(stamp: float, frame_id: str, twist: ArrayLike) -> TwistStamped:
    """Return a message of a twist (linear, angular) in the axes of a frame."""
    message = TwistStamped()
    message.header.stamp, message.header.frame_id = stamp_from_seconds(stamp), frame_id
    twist = np.asarray(twist, dtype=float)
    message.twist.linear = vector3_from_array(twist[:3])
    message.twist.angular = vector3_from_array(twist[3:])
    return message


def twist_from_message(message: TwistStamped | Odometry) -> TwistReading:
    """Return the twist of a message; that of an Odometry is in the axes of its child frame."""
    is_odometry = isinstance(message, Odometry)
    twist = message.twist.twist if is_odometry else message.twist
    return TwistReading(
        seconds_from_stamp(message.header.stamp),
        message.child_frame_id if is_odometry else message.header.frame_id,
        np.concatenate([array_from_vector3(twist.linear), array_from_vector3(twist.angular)]),
    )


def wrench_from_message(message: WrenchStamped, frame_id: str) -> NDArray[np.float64]:
    """Return the wrench of a message (force, torque), shape (6,).

    Raises
    ------
    MeasurementError
        If it is in another frame than the one named.
    """
    if message.header.frame_id not in ('', frame_id):
        raise MeasurementError(f'frame {message.header.frame_id!r}, not {frame_id!r}')
    parts = (message.wrench.force, message.wrench.torque)
    return np.concatenate([array_from_vector3(part) for part in parts])


def stamped_wrench_from_message(message: WrenchStamped, frame_id: str) -> WrenchReading:
    """Return the wrench of a message and its stamp.

    Raises
    ------
    MeasurementError
        If it is in another frame than the one named.
    """
    stamp = seconds_from_stamp(message.header.stamp)
    return WrenchReading(stamp, wrench_from_message(message, frame_id))


def wrench_message(stamp: float, frame_id: str, wrench: ArrayLike) -> WrenchStamped:
    """Return a message of a wrench (force, torque) in the axes of a frame."""
    message = WrenchStamped()
    message.header.stamp, message.header.frame_id = stamp_from_seconds(stamp), frame_id
    wrench = np.asarray(wrench, dtype=float)
    message.wrench.force = vector3_from_array(wrench[:3])
    message.wrench.torque = vector3_from_array(wrench[3:])
    return message

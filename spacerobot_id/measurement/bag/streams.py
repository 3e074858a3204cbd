"""The streams of a log file: values of every topic, their stamps and times of arrival."""

from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class JointStream:
    """Joint states, wheels among them: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    names : tuple of str
        Names of the m joints.
    positions, velocities : ndarray, shape (N, m)
        rad and rad/s, or m and m/s; NaN where a message does not give it.
    efforts : ndarray, shape (N, m), optional
        Torques, N m, or forces, N; NaN where a message does not give it, None where none does.
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    names: tuple[str, ...]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    efforts: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class ImuStream:
    """An IMU: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    frame_id : str
        Frame of the sensor.
    angular_velocity : ndarray, shape (N, 3)
        In the axes of the sensor, rad/s; NaN where a message marks it as not provided.
    noise : float
        Standard deviation of each component as stated in the messages, rad/s; zero is unknown.
    specific_force : ndarray, shape (N, 3)
        In the axes of the sensor, m/s^2; NaN where a message marks it as not provided.
    attitudes : ndarray, shape (N, 4)
        Quaternions x y z w; NaN where a message marks it as not provided.
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    frame_id: str
    angular_velocity: NDArray[np.float64]
    noise: float
    specific_force: NDArray[np.float64]
    attitudes: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PoseStream:
    """Poses of the base: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    frame_id : str
        Frame that the poses are given in.
    positions : ndarray, shape (N, 3)
        m.
    attitudes : ndarray, shape (N, 4)
        Quaternions x y z w from the base's axes to that frame's.
    child_frame : str
        Frame on the base whose poses they are; the base link's own if empty.
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    frame_id: str
    positions: NDArray[np.float64]
    attitudes: NDArray[np.float64]
    child_frame: str = ''


@dataclass(frozen=True, eq=False)
class TwistStream:
    """Twists of the base: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    frame_id : str
        Frame whose axes they are in.
    twists : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity.
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    frame_id: str
    twists: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WrenchStream:
    """Wrenches on the base: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        From when the wrench is to act, and when the message came, s.
    frame_id : str
        Frame whose axes they are in.
    wrenches : ndarray, shape (N, 6)
        Force (N) and moment (N m).
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    frame_id: str
    wrenches: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ThrustStream:
    """Commands of thrusters: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        From when the commands hold, and when the message came, s.
    names : tuple of str
        The T thrusters.
    shares : ndarray, shape (N, T)
        Shares of their strength.
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    names: tuple[str, ...]
    shares: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BagStreams:
    """What a log file has; None where a topic is not there.

    Parameters
    ----------
    joints, imu, pose, twist : JointStream, ImuStream, PoseStream, TwistStream
        Streams of the sensors.
    thrust : ThrustStream
        Commands of the base's thrusters.
    wrench, applied_wrench : WrenchStream
        What was asked of the base's drives, and what these report they gave.
    true_joints, true_pose, true_twist : JointStream, PoseStream, TwistStream
        The truth of a simulator.
    notes : tuple of str
        What is wrong with the log, a sentence each.
    """

    joints: JointStream | None = None
    imu: ImuStream | None = None
    pose: PoseStream | None = None
    twist: TwistStream | None = None
    true_joints: JointStream | None = None
    true_pose: PoseStream | None = None
    true_twist: TwistStream | None = None
    wrench: WrenchStream | None = None
    applied_wrench: WrenchStream | None = None
    thrust: ThrustStream | None = None
    notes: tuple[str, ...] = ()


Stream = TypeVar(
    'Stream', JointStream, ImuStream, PoseStream, TwistStream, WrenchStream, ThrustStream
)


def taken(stream: Stream, rows: NDArray[np.intp]) -> Stream:
    """Return a stream with some of its messages, in a given order."""
    columns = {
        each.name: value[rows]
        for each in fields(stream)
        if isinstance(value := getattr(stream, each.name), np.ndarray)
    }
    return replace(stream, **columns)


TOPICS = {
    'joints': '/joint_states',
    'imu': '/imu/data',
    'pose': '/base_pose',
    'twist': '/base_twist',
    'wrench': '/base_wrench',
    'applied_wrench': '/applied_wrench',
    'thrust': '/thruster_commands',
    'true_joints': '/simulator/truth/joint_states',
    'true_pose': '/simulator/truth/base_pose',
    'true_twist': '/simulator/truth/base_twist',
}
"""Topics by the name of their stream, as the nodes have them without a namespace."""

TYPES = {
    JointStream: 'sensor_msgs/msg/JointState',
    ImuStream: 'sensor_msgs/msg/Imu',
    PoseStream: 'geometry_msgs/msg/PoseStamped',
    TwistStream: 'geometry_msgs/msg/TwistStamped',
    WrenchStream: 'geometry_msgs/msg/WrenchStamped',
    ThrustStream: 'sensor_msgs/msg/JointState',
}
"""Types of the messages by kind of stream."""

STREAM_KINDS = {
    'joints': JointStream,
    'imu': ImuStream,
    'pose': PoseStream,
    'twist': TwistStream,
    'wrench': WrenchStream,
    'applied_wrench': WrenchStream,
    'thrust': ThrustStream,
    'true_joints': JointStream,
    'true_pose': PoseStream,
    'true_twist': TwistStream,
}
"""Kinds of stream by name."""

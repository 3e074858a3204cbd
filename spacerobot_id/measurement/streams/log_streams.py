"""The streams of a log and of the nodes: what they are called, and what a log has of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from spacerobot_id.measurement.stream import StreamNeeds
from spacerobot_id.measurement.streams.imu_stream import IMU, ImuStream
from spacerobot_id.measurement.streams.joint_stream import JOINTS, JointStream
from spacerobot_id.measurement.streams.pose_stream import POSE, PoseStream
from spacerobot_id.measurement.streams.stream_kind import StreamKind
from spacerobot_id.measurement.streams.thrust_stream import THRUST, ThrustStream
from spacerobot_id.measurement.streams.twist_stream import TWIST, TwistStream
from spacerobot_id.measurement.streams.wrench_stream import (
    APPLIED_WRENCH,
    WRENCH,
    WrenchStream,
)

Reading = JointStream | ImuStream | PoseStream | TwistStream | WrenchStream | ThrustStream
"""What one message says, alone."""


class Arrived(NamedTuple):
    """A reading, and when its message came, s."""

    arrival: float
    reading: Reading


class LogStream(NamedTuple):
    """A stream of a log.

    Parameters
    ----------
    quantity : str
        What adapters call it.
    topic : str
        Topic that the nodes have it on, without a namespace.
    kind : StreamKind
        Kind of its messages.
    is_used : callable
        Returns whether a method uses it, by what that takes from the sensors.
    is_held : bool
        Whether messages hold until the next, however late that comes.
    """

    quantity: str
    topic: str
    kind: StreamKind
    is_used: Callable[[StreamNeeds], object]
    is_held: bool = False

    @property
    def name(self) -> str:
        """Relative name of its topic."""
        return self.topic.strip('/')


SENSED: Mapping[str, LogStream] = {
    'joints': LogStream('joint_states', '/joint_states', JOINTS, attrgetter('joints')),
    'imu': LogStream('imu', '/imu/data', IMU, attrgetter('gyro')),
    'pose': LogStream('base_pose', '/base_pose', POSE, lambda needs: needs.pose or needs.velocity),
    'twist': LogStream('base_twist', '/base_twist', TWIST, attrgetter('velocity')),
    'wrench': LogStream('base_wrench', '/base_wrench', WRENCH, attrgetter('wrench'), is_held=True),
    'applied_wrench': LogStream(
        'applied_wrench', '/applied_wrench', APPLIED_WRENCH, attrgetter('wrench'), is_held=True
    ),
    'thrust': LogStream(
        'thruster_commands', '/thruster_commands', THRUST, attrgetter('thrust'), is_held=True
    ),
}
"""Streams of sensors and commands by their names in a log."""

LOG_STREAMS: Mapping[str, LogStream] = SENSED | {
    f'true_{name}': LogStream(
        f'true_{each.quantity}', f'/simulator/truth{each.topic}', each.kind, each.is_used
    )
    for name, each in SENSED.items()
    if name in ('joints', 'pose', 'twist')
}
"""Those, and the truth of a simulator."""

TOPICS = {name: each.topic for name, each in LOG_STREAMS.items()}
"""Topics by the name of their stream, as the nodes have them without a namespace."""

SENSED_TOPICS = {name: each.topic for name, each in SENSED.items()}
"""Those but the truth of a simulator."""

STREAM_OF = {each.quantity: name for name, each in LOG_STREAMS.items()}
"""Names of streams by their quantity."""

KINDS_BY_TOPIC = {each.name: each.quantity for each in SENSED.values()}
"""Quantities by the relative names of our topics."""


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


def name_of(reading: Reading) -> str:
    """Return the name of the stream that a reading is of."""
    if isinstance(reading, WrenchStream) and reading.is_applied:
        return 'applied_wrench'
    return _NAMES[type(reading)]


_NAMES = {each.kind.stream: name for name, each in reversed(SENSED.items())}
"""Names of the streams by their type."""

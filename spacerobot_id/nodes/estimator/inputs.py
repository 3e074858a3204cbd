"""The estimator's topics: messages become readings, which the intake judges and aligns."""

from collections.abc import Callable
from functools import partial

from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
from nav_msgs.msg import Odometry
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import Imu, JointState

from spacerobot_id.measurement import Alignment, codecs, Record
from spacerobot_id.measurement.intake import Intake
from spacerobot_id.measurement.monitors.statistics import TopicStatistics
from spacerobot_id.measurement.readings import Reading
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode

_DEPTH = 200
"""Messages that the middleware keeps per topic."""

_TOPICS: dict[str, tuple[type, Callable[[object], Reading], Callable[..., object]]] = {
    'joint_states': (JointState, codecs.joints_from_message, qos.sensor_input),
    'imu/data': (Imu, codecs.gyro_from_message, qos.sensor_input),
    'base_pose': (PoseStamped, codecs.pose_from_message, qos.sensor_input),
    'base_twist': (TwistStamped, codecs.twist_from_message, qos.sensor_input),
    'base_wrench': (WrenchStamped, codecs.wrench_from_message, qos.command),
    'applied_wrench': (
        WrenchStamped,
        partial(codecs.wrench_from_message, is_applied=True),
        qos.sensor_input,
    ),
    'thruster_commands': (JointState, codecs.thrust_from_message, qos.sensor_input),
}
"""Type, conversion and quality of service by topic."""


class EstimatorInputs:
    """Subscriptions of the estimator to what its method needs or may use.

    Parameters
    ----------
    node : ManagedNode
        Node that subscribes.
    intake : Intake
        Judges, counts and aligns what comes; its statistics name the topics.
    with_odometry : bool
        Whether ``base_pose`` is an Odometry, pose and twist in one, and not a PoseStamped.
    """

    def __init__(self, node: ManagedNode, intake: Intake, *, with_odometry: bool) -> None:
        self._intake = intake
        for topic in intake.statistics:
            kind, read, profile = _TOPICS[topic]
            on_message = partial(self._on_message, read)
            if with_odometry and topic == 'base_pose':
                kind, on_message = Odometry, self._on_odometry
            if with_odometry and topic == 'base_twist':
                continue
            node.create_subscription(kind, topic, on_message, profile(depth=_DEPTH))

    @property
    def alignment(self) -> Alignment:
        """Where good samples go."""
        return self._intake.alignment

    @property
    def monitors(self) -> dict[str, TopicStatistics]:
        """Counters by topic."""
        return self._intake.statistics

    @property
    def gyro_noise(self) -> float:
        """Standard deviation that the first message of the gyro states, rad/s; unknown if 0."""
        return self._intake.gyro_noise

    @property
    def last_positions(self) -> NDArray[np.float64]:
        """Joint positions of the last good joint states, shape (n,)."""
        return self._intake.last_positions

    def samples(self) -> Record | None:
        """Return the samples that have become complete."""
        return self._intake.samples()

    def clear(self) -> None:
        """Drop everything buffered, counters apart."""
        self._intake.clear()

    def _on_message(self, read: Callable[[object], Reading], message: object) -> None:
        """Take a message."""
        self._intake.take(read(message))

    def _on_odometry(self, message: Odometry) -> None:
        """Take the pose of an odometry, and its twist if that is good."""
        is_good = self._intake.take(codecs.pose_from_message(message))
        if is_good and 'base_twist' in self._intake.statistics:
            self._intake.take(codecs.twist_from_message(message))

"""The topics of the simulated sensors, and of the truth behind them."""

from collections import deque
from collections.abc import Callable

from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
import numpy as np
from numpy.typing import NDArray
from rclpy.publisher import Publisher
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState

from spacerobot_id.model import RobotModel
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.messages import (
    clock_message,
    imu_message,
    joint_state_message,
    pose_message,
    twist_message,
    wrench_message,
)
from spacerobot_id.simulation import MotionSamples
from spacerobot_id.simulation.sensor_errors import StreamDelivery
from spacerobot_id.simulation.sensor_set import Readings

_SOON = 1e-9
"""Time by which a message may come before the clock that brings it, s."""


class SimulatedStreams:
    """Publishers of everything that has a stamp.

    Messages of topics without a subscriber are not built.

    Parameters
    ----------
    node : ManagedNode
        Node that publishes; its ``configure`` is running.
    model : RobotModel
        Robot, for names of joints, wheels and the base link, and the gyro's noise.
    world_frame : str
        Name of the inertial frame.
    with_clock, with_base_twist : bool
        Whether to publish ``clock`` and ``base_twist``.

    Attributes
    ----------
    ways : dict of str to StreamDelivery
        How every stream comes, by its topic.
    """

    def __init__(
        self,
        node: ManagedNode,
        model: RobotModel,
        world_frame: str,
        *,
        with_clock: bool,
        with_base_twist: bool,
    ) -> None:
        def output(message_type: type, topic: str) -> Publisher:
            return node.create_publisher(message_type, topic, qos.stream_output())

        self.ways: dict[str, StreamDelivery] = {}
        self._waiting: dict[str, deque[tuple[float, Callable[[], None]]]] = {}
        self._imu_frame = model.sensors.imu_frame or model.link_names[0]
        self._names = [*model.joint_names, *model.wheel_names]
        self._base_frame = model.link_names[0]
        self._world_frame = world_frame
        self._gyro_noise = model.noise.base_angular_velocity
        self._clock = output(Clock, 'clock') if with_clock else None
        self._joints = output(JointState, 'joint_states')
        self._imu = output(Imu, 'imu/data')
        self._pose = output(PoseStamped, 'base_pose')
        self._twist = output(TwistStamped, 'base_twist') if with_base_twist else None
        self._period = 1.0 / model.noise.rate
        # Nothing measures what valves give: a robot of thrusters has commands alone.
        self._wrench = None if model.thrusters else output(WrenchStamped, 'applied_wrench')
        self._true_joints = output(JointState, '~/truth/joint_states')
        self._true_pose = output(PoseStamped, '~/truth/base_pose')
        self._true_twist = output(TwistStamped, '~/truth/base_twist')

    def forget(self, ways: dict[str, StreamDelivery]) -> None:
        """Drop what is on its way, and deliver in these ways from now on."""
        self.ways = ways
        self._waiting = {topic: deque() for topic in ways}

    def publish(self, readings: Readings, truth: MotionSamples) -> None:
        """Publish samples, one after the other, each with the clock first, each when it is due."""
        motion = readings.motion
        builders = {
            'joint_states': lambda *at: self._publish_joints(self._joints, motion, *at),
            'base_pose': lambda *at: self._publish_pose(self._pose, motion, *at),
            'base_twist': lambda *at: self._publish_twist(self._twist, motion, *at),
            'imu/data': lambda *at: self._publish_imu(readings, *at),
        }
        for topic, build in builders.items():
            on_way = self.ways[topic].deliver(truth.times)
            stamped = zip(on_way.rows.tolist(), on_way.stamps.tolist(), strict=True)
            self._waiting[topic].extend(
                (arrival, lambda build=build, at=at: build(*at))
                for arrival, at in zip(on_way.arrivals.tolist(), stamped, strict=True)
            )
        for row, time in enumerate(truth.times.tolist()):
            self._publish_clock(time)
            for waiting in self._waiting.values():
                while waiting and waiting[0][0] <= time + _SOON:
                    waiting.popleft()[1]()
            self._publish_wrench(truth, row)
            self._publish_joints(self._true_joints, truth, row, time)
            self._publish_pose(self._true_pose, truth, row, time)
            self._publish_twist(self._true_twist, truth, row, time)

    def _publish_clock(self, time: float) -> None:
        if self._clock is not None:
            self._clock.publish(clock_message(time))

    def _publish_joints(
        self, publisher: Publisher, samples: MotionSamples, row: int, stamp: float
    ) -> None:
        _publish_if_subscribed(
            publisher,
            lambda: joint_state_message(
                stamp,
                self._names,
                np.concatenate([samples.q[row], samples.wheel_angles[row]]),
                np.concatenate([samples.qd[row], samples.wheel_rates[row]]),
                _efforts(samples, row),
            ),
        )

    def _publish_pose(
        self, publisher: Publisher, samples: MotionSamples, row: int, stamp: float
    ) -> None:
        _publish_if_subscribed(
            publisher,
            lambda: pose_message(
                stamp,
                self._world_frame,
                samples.position[row],
                samples.attitude[row],
            ),
        )

    def _publish_twist(
        self, publisher: Publisher | None, samples: MotionSamples, row: int, stamp: float
    ) -> None:
        _publish_if_subscribed(
            publisher,
            lambda: twist_message(stamp, self._base_frame, samples.base_twist[row]),
        )

    def _publish_wrench(self, samples: MotionSamples, row: int) -> None:
        """Publish what the base's drives gave up to a sample, from the one before on."""
        if samples.base_wrench is not None:
            _publish_if_subscribed(
                self._wrench,
                lambda: wrench_message(
                    float(samples.times[row]) - self._period,
                    self._base_frame,
                    samples.base_wrench[row],
                ),
            )

    def _publish_imu(self, readings: Readings, row: int, stamp: float) -> None:
        force = readings.specific_force
        _publish_if_subscribed(
            self._imu,
            lambda: imu_message(
                stamp,
                self._imu_frame,
                readings.gyro[row],
                self._gyro_noise,
                readings.attitude[row],
                None if force is None else force[row],
            ),
        )


def _efforts(samples: MotionSamples, row: int) -> NDArray[np.float64]:
    """Return the torques of joints and wheels; none where the motion comes without forces."""
    return np.zeros(0) if samples.motor_torque is None else samples.motor_torque[row]


def _publish_if_subscribed(publisher: Publisher | None, build: Callable[[], object]) -> None:
    """Build and publish a message if there is a subscriber."""
    if publisher is not None and publisher.get_subscription_count():
        publisher.publish(build())

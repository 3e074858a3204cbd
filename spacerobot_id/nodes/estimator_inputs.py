"""The estimator's topics: messages judged, turned into base axes, and aligned."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from geometry_msgs.msg import PoseStamped, TwistStamped
from nav_msgs.msg import Odometry
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import Imu, JointState

from spacerobot_id.data import Alignment, Verdict
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes import qos
from spacerobot_id.nodes.base_messages import (
    gyro_from_message,
    pose_from_message,
    PoseReading,
    twist_from_message,
    TwistReading,
)
from spacerobot_id.nodes.frozen_watch import FrozenWatch
from spacerobot_id.nodes.input_monitor import InputMonitor
from spacerobot_id.nodes.joint_messages import joints_from_message
from spacerobot_id.nodes.lifecycle import ManagedNode
from spacerobot_id.nodes.stamps import seconds_from_stamp
from spacerobot_id.spatial import normalise_quaternion


class EstimatorInputs:
    """Subscriptions of the estimator, and what they have heard.

    Parameters
    ----------
    node : ManagedNode
        Node that subscribes.
    model : RobotModel
        Robot; names its joints, wheels and frames.
    alignment : Alignment
        Where good samples go.
    with_odometry : bool
        Whether ``base_pose`` is an Odometry, pose and twist in one, and not a PoseStamped.
    frozen : FrozenWatch
        Finds values that do not change although they must.
    with_torques : bool
        Whether joint states need efforts.
    """

    def __init__(
        self,
        node: ManagedNode,
        model: RobotModel,
        alignment: Alignment,
        frozen: FrozenWatch,
        *,
        with_odometry: bool,
        with_torques: bool = False,
    ) -> None:
        self._torques: deque[tuple[float, NDArray[np.float64]]] | None = None
        if with_torques:
            self._torques = deque(maxlen=2 * alignment.settings.capacity)
        self.alignment = alignment
        self.monitors: dict[str, InputMonitor] = {}
        self.gyro_noise = 0.0
        """Standard deviation that the first message of the gyro states, rad/s; unknown if 0."""
        self.last_positions = np.zeros(len(model.joints))
        self._model, self._frozen = model, frozen
        self._names = model.joint_names + model.wheel_names
        self._pose: PoseReading | None = None
        self._subscribe(node, JointState, 'joint_states', self._take_joints)
        self._subscribe(node, Imu, 'imu/data', self._take_gyro)
        pose_type = Odometry if with_odometry else PoseStamped
        self._subscribe(node, pose_type, 'base_pose', self._take_pose)
        if not with_odometry:
            self._subscribe(node, TwistStamped, 'base_twist', self._take_twist)

    def _subscribe(
        self, node: ManagedNode, kind: type, topic: str, take: Callable[[object], Verdict]
    ) -> None:
        """Subscribe to a topic; what it brings is counted, and refused with its reason."""
        monitor = self.monitors[topic] = InputMonitor(topic, node.get_logger())

        def on_message(message: object) -> None:
            try:
                verdict = take(message)
            except MeasurementError as error:
                monitor.reject(str(error))
                return
            if verdict is Verdict.CLOCK_JUMPED:
                node.get_logger().warning(f'{topic}: the clock has jumped; buffers cleared')
                monitor.accept()
            elif verdict.is_taken:
                monitor.accept(seconds_from_stamp(message.header.stamp))
            else:
                monitor.reject(verdict.value)

        node.create_subscription(kind, topic, on_message, qos.sensor_input(depth=200))

    def _take_joints(self, message: JointState) -> Verdict:
        """Take joints and wheels, by name (F1-F4)."""
        reading = joints_from_message(message, self._names)
        count = len(self._model.joints)
        self._require(reading.positions[:count], 'position')
        self._require(reading.velocities, 'velocity')
        if self._torques is not None:
            self._require(reading.efforts[:count], 'effort')
        motion = [reading.positions[:count], reading.velocities]
        self._require_change('joint_states', reading.stamp, np.concatenate(motion))
        verdict = self.alignment.push_joints(
            reading.stamp,
            reading.positions[:count],
            reading.velocities[:count],
            reading.velocities[count:],
        )
        if verdict.is_taken:
            self.last_positions = reading.positions[:count]
            if self._torques is not None:
                self._torques.append((reading.stamp, reading.efforts[:count]))
        return verdict

    def take_torques(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the joint torques of samples that have become complete, shape (N, n).

        The times are stamps of joint states; what came before the last of them is forgotten.
        """
        by_stamp = dict(self._torques)
        while self._torques and self._torques[0][0] <= times[-1]:
            self._torques.popleft()
        return np.array([by_stamp[stamp] for stamp in times.tolist()])

    def _require(self, values: np.ndarray, what: str) -> None:
        """Raise if a joint does not say what is needed; NaN means that it is not provided."""
        missing = [
            name for name, value in zip(self._names, values, strict=False) if np.isnan(value)
        ]
        if missing:
            raise MeasurementError(f'{what} of {", ".join(missing)} is not provided')

    def _require_change(self, topic: str, stamp: float, value: NDArray[np.float64]) -> None:
        """Raise if a value is the same as before although it cannot be (F12)."""
        if self._frozen.is_frozen(topic, stamp, value):
            raise MeasurementError(self._frozen.reason)

    def _take_gyro(self, message: Imu) -> Verdict:
        """Take an angular velocity, turned from the sensor's axes to the base's."""
        reading = gyro_from_message(message)
        if reading.is_absent:
            raise MeasurementError('says that it has no angular velocity')
        frame = self._model.frames.get(reading.frame_id)
        if frame is None:
            raise MeasurementError(f'frame {reading.frame_id!r} is not in the description')
        if frame.link != 0:
            raise MeasurementError(f'frame {reading.frame_id!r} is not fixed to the base')
        self._require_change('imu/data', reading.stamp, reading.angular_velocity)
        if not self.gyro_noise:
            self.gyro_noise = reading.noise
        turned = frame.R_LF @ reading.angular_velocity
        return self.alignment.push_gyro(reading.stamp, turned)

    def _take_pose(self, message: PoseStamped | Odometry) -> Verdict:
        """Take a pose of the base, and the twist that an Odometry has."""
        reading = pose_from_message(message)
        attitude = reading.attitude
        if np.isfinite(attitude).all():
            attitude = normalise_quaternion(attitude)
            if attitude is None:
                raise MeasurementError('quaternion is not of unit length')
        pose = np.concatenate([reading.position, reading.attitude])
        self._require_change('base_pose', reading.stamp, pose)
        verdict = self.alignment.push_pose(reading.stamp, reading.position, attitude)
        if verdict.is_taken:
            self._pose = replace(reading, attitude=attitude)
        if isinstance(message, Odometry) and verdict.is_taken:
            return self._take_twist(message)
        return verdict

    def _take_twist(self, message: TwistStamped | Odometry) -> Verdict:
        """Take a linear velocity, in the axes that the message's frame names."""
        reading = twist_from_message(message)
        linear = reading.twist[:3]
        self._require_change('base_twist', reading.stamp, linear)
        if reading.frame_id != self._model.links[0].name:
            turn = Rotation.from_quat(self._pose_beside(reading).attitude)
            linear = turn.apply(linear, inverse=True)
        return self.alignment.push_linear_velocity(reading.stamp, linear)

    def _pose_beside(self, twist: TwistReading) -> PoseReading:
        """Return the pose that a twist in inertial axes is turned with, not older than allowed."""
        pose, longest = self._pose, self.alignment.settings.longest_bracket
        if pose is None or not twist.frame_id or twist.frame_id != pose.frame_id:
            raise MeasurementError(
                f'frame {twist.frame_id!r} is neither the base {self._model.links[0].name!r} '
                f'nor the frame of the pose {pose and pose.frame_id!r}'
            )
        if not abs(twist.stamp - pose.stamp) <= longest:
            raise MeasurementError(f'no pose within {longest:g} s to turn it to base axes with')
        return pose

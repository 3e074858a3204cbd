"""The estimator's topics for the method free_flyer: poses of the base, wrenches on it."""

from collections.abc import Callable, Mapping

from geometry_msgs.msg import PoseStamped, WrenchStamped
from nav_msgs.msg import Odometry
import numpy as np

from spacerobot_id.data import AlignmentSettings, FreeFlyerRecord, Stream, VelocitySource, Verdict
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes import qos
from spacerobot_id.nodes.base_messages import pose_from_message, stamped_wrench_from_message
from spacerobot_id.nodes.frozen_watch import FrozenPoseWatch
from spacerobot_id.nodes.input_monitor import InputMonitor
from spacerobot_id.nodes.lifecycle import ManagedNode
from spacerobot_id.spatial import normalise_quaternion

_TOPICS = ('base_pose', 'base_wrench', 'applied_wrench')

_LATE = 0.3
"""Time that a wrench may come after the pose that it answers, s: poses wait for it."""


class FreeFlyerAlignment:
    """Poses with the wrenches that act between them.

    What acts is what the drives say they gave, where they say so; else the wrench asked for, cut
    down to what the propellers give. Each acts from its stamp until that of the next one; before
    the first there is none.

    Parameters
    ----------
    model : RobotModel
        Robot, for its propellers.
    settings : AlignmentSettings
        Bounds.
    """

    source = VelocitySource.POSE

    def __init__(self, model: RobotModel, settings: AlignmentSettings) -> None:
        self.settings = settings
        self.unaligned = 0
        self.jumps = 0
        self._propellers = model.actuators.propellers
        self.streams = {
            'base_pose': Stream(7, settings.capacity, settings.longest_gap),
            'base_wrench': Stream(6, settings.capacity, np.inf),
        }
        self._acting = np.zeros(6)
        self._drives_speak = False

    def push_pose(self, stamp: float, position: np.ndarray, attitude: np.ndarray) -> Verdict:
        """Take a position (m) and a unit quaternion x y z w of the base."""
        verdict = self.streams['base_pose'].push(stamp, np.concatenate([position, attitude]))
        if verdict is Verdict.CLOCK_JUMPED:
            self.jumps += 1
            self.streams['base_wrench'].clear()
            self._acting = np.zeros(6)
        return verdict

    def push_wrench(self, stamp: float, wrench: np.ndarray) -> Verdict:
        """Take a wrench asked for, N and N m in base axes; useless where the drives speak."""
        if self._drives_speak:
            return Verdict.ACCEPTED
        given = wrench if self._propellers is None else self._propellers.given(wrench)
        return self.streams['base_wrench'].push(stamp, given)

    def push_applied(self, stamp: float, wrench: np.ndarray) -> Verdict:
        """Take a wrench that the drives gave, N and N m in base axes."""
        if not self._drives_speak:
            self._drives_speak = True
            self.streams['base_wrench'].clear()
        return self.streams['base_wrench'].push(stamp, wrench)

    def take(self) -> FreeFlyerRecord | None:
        """Return the poses whose wrenches must have come by now, and forget them."""
        poses, wrenches = self.streams['base_pose'], self.streams['base_wrench']
        ready = poses.stamps
        ready = ready[ready <= max(poses.latest - _LATE, wrenches.latest)]
        if not len(ready):
            return None
        values = poses.values[: len(ready)]
        poses.drop_through(ready[-1])
        stamps, asked = wrenches.stamps, wrenches.values
        earlier = stamps[stamps <= ready[-1]]
        if not len(earlier) or earlier[0] > ready[0]:
            stamps = np.append(min(ready[0], stamps[0] if len(stamps) else np.inf) - 1e-6, stamps)
            asked = np.vstack([self._acting, asked])
        record = FreeFlyerRecord(ready, values[:, :3], values[:, 3:], stamps, asked)
        self._acting = record.wrench_at(ready[-1:])[0]
        wrenches.drop_before(ready[-1])
        return record

    def clear(self) -> None:
        """Drop everything buffered, counters apart."""
        for stream in self.streams.values():
            stream.clear()
        self._acting = np.zeros(6)

    @property
    def acting(self) -> np.ndarray:
        """Wrench that acts now, N and N m in base axes, shape (6,)."""
        last = self.streams['base_wrench'].last
        return self._acting if last is None else last

    def waiting_for(self) -> tuple[str, ...]:
        """Return the streams that have brought nothing yet."""
        return tuple(name for name in ('base_pose',) if not np.isfinite(self.streams[name].latest))


class FreeFlyerInputs:
    """Subscriptions of the estimator, and what they have heard.

    Parameters
    ----------
    node : ManagedNode
        Node that subscribes.
    model : RobotModel
        Robot; names its base.
    alignment : FreeFlyerAlignment
        Where good samples go.
    frozen : FrozenPoseWatch
        Finds poses that do not change although they must.
    with_odometry : bool
        Whether ``base_pose`` is an Odometry.
    """

    def __init__(
        self,
        node: ManagedNode,
        model: RobotModel,
        alignment: FreeFlyerAlignment,
        frozen: FrozenPoseWatch,
        *,
        with_odometry: bool,
    ) -> None:
        self.alignment = alignment
        self.monitors: Mapping[str, InputMonitor] = {
            topic: InputMonitor(topic, node.get_logger()) for topic in _TOPICS
        }
        self.last_positions = np.zeros(len(model.joints))
        self._base, self._frozen = model.link_names[0], frozen
        pose_type = Odometry if with_odometry else PoseStamped
        node.create_subscription(
            pose_type,
            'base_pose',
            lambda message: self._take('base_pose', lambda: self._pose(message)),
            qos.sensor_input(depth=200),
        )
        node.create_subscription(
            WrenchStamped,
            'base_wrench',
            lambda message: self._take(
                'base_wrench', lambda: self._wrench(message, alignment.push_wrench)
            ),
            qos.command(depth=200),
        )
        node.create_subscription(
            WrenchStamped,
            'applied_wrench',
            lambda message: self._take(
                'applied_wrench', lambda: self._wrench(message, alignment.push_applied)
            ),
            qos.sensor_input(depth=200),
        )

    def _take(self, topic: str, take: Callable[[], Verdict]) -> None:
        """Take a message, or refuse it with its reason."""
        monitor = self.monitors[topic]
        try:
            verdict = take()
        except MeasurementError as error:
            monitor.reject(str(error))
            return
        if not verdict.is_taken:
            monitor.reject(verdict.value)
            return
        goes_on = topic == 'base_pose' and verdict is Verdict.ACCEPTED
        monitor.accept(self.alignment.streams['base_pose'].latest if goes_on else None)

    def _pose(self, message: PoseStamped | Odometry) -> Verdict:
        """Take a pose of the base (F6, F7)."""
        reading = pose_from_message(message)
        attitude = reading.attitude
        if np.isfinite(attitude).all():
            attitude = normalise_quaternion(attitude)
            if attitude is None:
                raise MeasurementError('quaternion is not of unit length')
        pose = np.concatenate([reading.position, reading.attitude])
        if self._frozen.is_frozen(reading.stamp, pose, self.alignment.acting):
            raise MeasurementError(self._frozen.reason)
        return self.alignment.push_pose(reading.stamp, reading.position, attitude)

    def _wrench(
        self, message: WrenchStamped, push: Callable[[float, np.ndarray], Verdict]
    ) -> Verdict:
        """Take a wrench on the base, in its own axes."""
        reading = stamped_wrench_from_message(message, self._base)
        return push(reading.stamp, reading.wrench)

"""The one way by which commands go to joints and wheels: held against limits, then sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from spacerobot_id.excitation.constraint.actuator_limits import actuator_limits
from spacerobot_id.excitation.trajectory.command_check import check_command
from spacerobot_id.kinematics.joint_trajectory import JointTrajectory
from spacerobot_id.kinematics.trajectory_motion import JointMotion
from spacerobot_id.model import JointLimits, RobotModel
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.messages.trajectory import trajectory_message


@dataclass(frozen=True, eq=False)
class Command:
    """What a controller is to do.

    Parameters
    ----------
    trajectory : JointTrajectory
        Trajectory of its m actuators.
    starts : JointMotion
        States in which it may take it up, shape (S, m).
    """

    trajectory: JointTrajectory
    starts: JointMotion


class PlannerCommands:
    """The topics of the controllers of joints and wheels.

    Parameters
    ----------
    node : ManagedNode
        The planner; its ``configure`` is running.
    model : RobotModel
        Robot.
    theirs : callable
        From names of the description to those that the controllers know.

    Attributes
    ----------
    groups : dict of str to tuple of str
        Actuators of each controller by its topic.
    """

    def __init__(
        self,
        node: ManagedNode,
        model: RobotModel,
        theirs: Callable[[Sequence[str]], tuple[str, ...]],
    ) -> None:
        self._node, self._theirs = node, theirs
        groups = {'joint_trajectory': model.joint_names, 'wheel_trajectory': model.wheel_names}
        self.groups = {topic: names for topic, names in groups.items() if names}
        names = model.joint_names + model.wheel_names
        self._limits = dict(zip(names, actuator_limits(model), strict=True))
        self._outputs = {
            topic: node.create_publisher(JointTrajectoryMessage, topic, qos.command())
            for topic in self.groups
        }
        self._rivals: set[str] = set()

    def without_subscriber(self) -> list[str]:
        """Return the topics that have no subscriber."""
        return [topic for topic, out in self._outputs.items() if not out.get_subscription_count()]

    def limits(self, names: Sequence[str]) -> list[JointLimits]:
        """Return the limits of some actuators."""
        return [self._limits[name] for name in names]

    def warn_of_rivals(self) -> None:
        """Log on which topics others publish, too: once, until they are gone."""
        rivals = {
            topic
            for topic, out in self._outputs.items()
            if self._node.count_publishers(out.topic_name) > 1
        }
        for topic in sorted(rivals - self._rivals):
            self._node.get_logger().warning(
                f'{topic}: somebody else publishes on it, too, and may replace what is sent'
            )
        self._rivals = rivals

    def send(self, commands: Mapping[str, Command]) -> None:
        """Send commands to controllers, all or none.

        Parameters
        ----------
        commands : mapping of str to Command
            What to send, by topic.

        Raises
        ------
        TrajectoryError
            If one of them may exceed a limit on its way; names the actuator.
        """
        for command in commands.values():
            trajectory = command.trajectory
            check_command(trajectory, command.starts, self.limits(trajectory.names))
        for topic, command in commands.items():
            named = replace(command.trajectory, names=self._theirs(command.trajectory.names))
            self._outputs[topic].publish(trajectory_message(named))

"""What the planner sends: each controller the part of a motion that its actuators have."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from spacerobot_id.kinematics.joint_trajectory import JointTrajectory
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.messages.trajectory import trajectory_message


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
        self._theirs = theirs
        groups = {'joint_trajectory': model.joint_names, 'wheel_trajectory': model.wheel_names}
        self.groups = {topic: names for topic, names in groups.items() if names}
        self._outputs = {
            topic: node.create_publisher(JointTrajectoryMessage, topic, qos.command())
            for topic in self.groups
        }

    def without_subscriber(self) -> list[str]:
        """Return the topics that have no subscriber."""
        return [topic for topic, out in self._outputs.items() if not out.get_subscription_count()]

    def send(self, topic: str, trajectory: JointTrajectory) -> None:
        """Send a trajectory of its actuators to a controller."""
        named = replace(trajectory, names=self._theirs(trajectory.names))
        self._outputs[topic].publish(trajectory_message(named))

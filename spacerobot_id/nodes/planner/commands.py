"""What the planner sends: each controller the part of a motion that its actuators have."""

from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.kinematics.joint_trajectory import JointTrajectory
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.messages.trajectory import trajectory_message
from spacerobot_id.nodes.planner.execution import part_of


class PlannerCommands:
    """The topics of the controllers of joints and wheels.

    Parameters
    ----------
    node : ManagedNode
        The planner; its ``configure`` is running.
    model : RobotModel
        Robot.
    """

    def __init__(self, node: ManagedNode, model: RobotModel) -> None:
        groups = {'joint_trajectory': model.joint_names, 'wheel_trajectory': model.wheel_names}
        self._groups = {topic: names for topic, names in groups.items() if names}
        self._outputs = {
            topic: node.create_publisher(JointTrajectoryMessage, topic, qos.command())
            for topic in self._groups
        }

    def without_subscriber(self) -> list[str]:
        """Return the topics that have no subscriber."""
        return [topic for topic, out in self._outputs.items() if not out.get_subscription_count()]

    def send_plan(self, plan: ExcitingMotion, spacing: float) -> None:
        """Send a plan as points at most some time apart, s."""
        for topic, names in self._groups.items():
            trajectory = plan.joint_trajectory(names, spacing)
            self._outputs[topic].publish(trajectory_message(trajectory))

    def send(self, trajectory: JointTrajectory) -> None:
        """Send a trajectory of all actuators."""
        for topic, names in self._groups.items():
            self._outputs[topic].publish(trajectory_message(part_of(trajectory, names)))

"""What the planner sends: each controller the part of a motion that its actuators have."""

from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from spacerobot_id.evaluation.plan_trajectory import trajectory_from_plan
from spacerobot_id.excitation import ExcitingMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes import qos
from spacerobot_id.nodes.execution import part_of
from spacerobot_id.nodes.lifecycle import ManagedNode
from spacerobot_id.nodes.trajectory_messages import trajectory_message
from spacerobot_id.simulation import JointTrajectory


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

    def unheard(self) -> list[str]:
        """Return the topics that nobody listens on."""
        return [topic for topic, out in self._outputs.items() if not out.get_subscription_count()]

    def send_plan(self, plan: ExcitingMotion, spacing: float) -> None:
        """Send a plan as points at most some time apart, s."""
        for topic, names in self._groups.items():
            trajectory = trajectory_from_plan(plan, names, spacing)
            self._outputs[topic].publish(trajectory_message(trajectory))

    def send(self, trajectory: JointTrajectory) -> None:
        """Send a trajectory of all actuators."""
        for topic, names in self._groups.items():
            self._outputs[topic].publish(trajectory_message(part_of(trajectory, names)))

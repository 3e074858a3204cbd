"""The one way by which commands go to joints and wheels: held against limits, then sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.excitation.constraint.actuator_limits import actuator_limits
from spacerobot_id.excitation.constraint.torque_limits import TorqueLimits
from spacerobot_id.excitation.trajectory.command_check import check_command
from spacerobot_id.excitation.trajectory.possible_states import MeasuredState
from spacerobot_id.kinematics.joint_trajectory import JointTrajectory
from spacerobot_id.kinematics.planned_motion import PlannedMotion
from spacerobot_id.kinematics.trajectory_motion import JointMotion, TrajectoryMotion
from spacerobot_id.model import JointLimits, RobotModel
from spacerobot_id.multibody.free_floating.planned_base import PlannedBase
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.messages.trajectory import trajectory_message

_LOADED = 1.01
"""Share of an effort up to which a command is sent."""

_LOOK, _MOST_LOOKS = 0.02, 2000
"""Distance of the looks at torques, s, and most of them."""


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
        self._node, self._model, self._theirs = node, model, theirs
        self._base = PlannedBase(model, node.settings.planar)  # kernels as of planning
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

    def overload(self, commands: Mapping[str, Command], state: MeasuredState) -> str | None:
        """Return which joint would need too large a torque, by the prior of a robot at rest.

        Parameters
        ----------
        commands : mapping of str to Command
            What is sent, by topic.
        state : MeasuredState
            State of all actuators; who is sent nothing keeps its rate.
        """
        if not np.isfinite([joint.limits.effort for joint in self._model.joints]).any():
            return None
        end = max(float(each.trajectory.times[-1]) for each in commands.values())
        times = np.linspace(0.0, end, int(np.clip(end / _LOOK, 2, _MOST_LOOKS)))
        still = np.zeros((len(times), len(state.rate)))
        motion = PlannedMotion(times, still + state.position, still + state.rate, still.copy())
        names = self._model.joint_names + self._model.wheel_names
        for command in commands.values():
            own = command.trajectory.names
            columns = [names.index(name) for name in own]
            start = JointMotion(*(each[0] for each in vars(command.starts).values()))
            follows = TrajectoryMotion.from_trajectory(command.trajectory, own, start).at(times)
            for key, values in vars(follows).items():
                getattr(motion, key)[:, columns] = values
        shares = TorqueLimits(self._base).usage(motion)[:, : len(self._model.joints)]
        most = shares.max(axis=0) / np.maximum(shares[0], 1.0)
        worst = int(np.argmax(most))
        if most[worst] <= _LOADED:
            return None
        return f'{names[worst]}: the command would ask for {most[worst]:.3g} times its effort'

    def send(self, commands: Mapping[str, Command], state: MeasuredState) -> None:
        """Send commands to controllers, all or none.

        Parameters
        ----------
        commands : mapping of str to Command
            What to send, by topic.
        state : MeasuredState
            State of all actuators.

        Raises
        ------
        TrajectoryError
            If one of them may exceed a limit on its way; names the actuator.
        """
        for command in commands.values():
            trajectory = command.trajectory
            check_command(trajectory, command.starts, self.limits(trajectory.names))
        overload = self.overload(commands, state)
        if overload:
            raise TrajectoryError(overload)
        for topic, command in commands.items():
            named = replace(command.trajectory, names=self._theirs(command.trajectory.names))
            self._outputs[topic].publish(trajectory_message(named))

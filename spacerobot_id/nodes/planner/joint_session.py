"""The planner where joints and wheels are what moves: plans are sent as trajectories."""

import time

from geometry_msgs.msg import PoseStamped
import numpy as np
from sensor_msgs.msg import JointState

from spacerobot_id.excitation.objective.choice import Known
from spacerobot_id.kinematics.joint_trajectory import JointTrajectory
from spacerobot_id.methods.information.motion_information import InformationSource
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.planner.attitude_watch import AttitudeWatch
from spacerobot_id.nodes.planner.commands import PlannerCommands
from spacerobot_id.nodes.planner.execution import Execution
from spacerobot_id.nodes.planner.job import planning_job
from spacerobot_id.nodes.planner.joint_watch import JointWatch
from spacerobot_id.nodes.planner.session import PlannerSession
from spacerobot_id.nodes.planner.status import PlannerState
from spacerobot_id.nodes.planner.worker import Job

_SETTLED = 0.5
"""Time after the end of a motion before it counts as done, s."""

_AT_START = 0.01
"""Distance from the start of a plan within which it may be sent, rad or m."""

_AT_REST = 0.05
"""Share of its largest rate below which an actuator counts as at rest."""


class JointSession(PlannerSession):
    """Follows joints and wheels along a plan.

    Parameters
    ----------
    node : ManagedNode
        The planner; its ``configure`` is running.
    source : InformationSource
        What motions show to the method that is planned for.
    """

    def __init__(self, node: ManagedNode, source: InformationSource) -> None:
        super().__init__(node, source)
        model = self._model
        self._execution: Execution | None = None
        self._ending: JointTrajectory | None = None
        self._braked_at = 0.0, 0.0
        self._joints = JointWatch(model.joint_names + model.wheel_names, node.get_logger())
        self._rate_limits = np.array(
            [joint.limits.velocity for joint in model.joints]
            + [wheel.rate_limit for wheel in model.wheels]
        )
        node.create_subscription(JointState, 'joint_states', self._joints.take, qos.sensor_input())
        self._base = AttitudeWatch()
        if source.is_turning:
            node.create_subscription(PoseStamped, 'base_pose', self._base.take, qos.sensor_input())
        self._commands = PlannerCommands(node, model)

    @property
    def silence(self) -> str | None:
        """Why no joint states come; None if they do."""
        return self._joints.silence

    @property
    def elapsed(self) -> float:
        """Time since the plan was sent, s, no longer than the plan."""
        return 0.0 if self._execution is None else self._execution.elapsed(self._joints.stamp)

    def _job(self, known: Known | None) -> Job:
        """Return the planning from where the joints are."""
        present = self._joints.positions.copy()
        self._execution = None
        return planning_job(self._source, present, self._base.attitude, self._node.settings, known)

    def _can_start(self) -> bool:
        """Return whether the actuators are still where the plan starts."""
        start = self._planned.plan.sample([0.0]).position[0]
        is_there = np.all(np.abs(self._joints.positions - start) <= _AT_START)
        return self._state is PlannerState.READY and bool(is_there)

    def _outputs_without_subscriber(self) -> list[str]:
        """Return the topics of controllers that have no subscriber."""
        return self._commands.without_subscriber()

    def _begin_motion(self) -> None:
        """Send the plan to the controllers."""
        plan = self._planned.plan
        self._commands.send_plan(plan, self._node.settings.point_spacing)
        self._execution = Execution(plan, self._joints.stamp)

    def _brake(self) -> str:
        """Send all controllers to rest, from where the motion is or should be by now."""
        now, positions = self._joints.stamp, self._joints.positions
        if self._joints.silence:
            now += self._joints.age
            positions = np.full(len(positions), np.nan)
        self._ending = self._execution.ending(now, positions, self._tolerance())
        self._braked_at = time.monotonic(), self._joints.stamp
        self._commands.send(self._ending)
        return 'one interval'

    def _follow_motion(self) -> None:
        """See whether the joints follow, and whether the motion is over."""
        now = self._joints.stamp
        stray = self._execution.straying(now, self._joints.positions, self._tolerance())
        fault = self._joints.silence or stray
        if fault:
            self._node.get_logger().error(f'stopping the motion: {fault}')
            self._halt(f'failed: {fault}')
        elif self._execution.is_over(now, _SETTLED):
            self._go(PlannerState.DONE, 'motion complete')

    def _follow_stop(self) -> None:
        """See whether all is at rest; ask again if a controller did not obey."""
        needed = float(self._ending.times[-1]) + _SETTLED
        wall, stamp = self._braked_at
        if self._joints.silence and time.monotonic() - wall > needed:
            self._go(PlannerState.STOPPED, f'{self._said}; nobody says whether it is at rest')
        elif self._joints.stamp - stamp > needed:
            if self._is_moving():
                self._node.get_logger().error('still moving: stopping once more')
                self._brake()
            else:
                self._go(PlannerState.STOPPED, self._said)

    def _is_moving(self) -> bool:
        """Return whether a joint or wheel moves, as far as the joint states say."""
        return bool(np.any(np.abs(self._joints.rates) > _AT_REST * self._rate_limits))

    def _tolerance(self) -> np.ndarray:
        """Return how far each actuator may be from where it should be."""
        return self._node.settings.tracking_delay * self._rate_limits

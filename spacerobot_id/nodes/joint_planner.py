"""The planner's methods in which joints and wheels move: plans, sends, follows and stops."""

import time

from geometry_msgs.msg import PoseStamped
import numpy as np
from rclpy.clock import Clock, ClockType
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacerobot_id.exceptions import ConfigurationError, PlanningError, SpaceRobotIdError
from spacerobot_id.excitation import Known, PlannedExcitation
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes import qos
from spacerobot_id.nodes.attitude_watch import AttitudeWatch
from spacerobot_id.nodes.estimate_client import EstimateClient
from spacerobot_id.nodes.execution import Execution
from spacerobot_id.nodes.joint_watch import JointWatch
from spacerobot_id.nodes.lifecycle import ManagedNode
from spacerobot_id.nodes.message_pieces import string_message
from spacerobot_id.nodes.planner_commands import PlannerCommands
from spacerobot_id.nodes.planner_status import PlannerState, status_text
from spacerobot_id.nodes.planning_job import planning_job
from spacerobot_id.nodes.planning_worker import PlanningWorker
from spacerobot_id.regressor import minimal_parameters
from spacerobot_id.simulation import JointTrajectory

TICK = 0.1
"""Period of the steady timer that follows planning and motion, s."""

_SETTLED = 0.5
"""Time after the end of a motion before it counts as done, s."""

_AT_START = 0.01
"""Distance from the start of a plan within which it may be sent, rad or m."""

_AT_REST = 0.05
"""Share of its largest rate below which an actuator counts as at rest."""


class JointPlanner:
    """Topics and services of the planner when joints and wheels are what moves.

    Parameters
    ----------
    node : ManagedNode
        The planner; its ``configure`` is running.
    model : RobotModel
        Prior model of the robot.
    """

    def __init__(self, node: ManagedNode, model: RobotModel) -> None:
        self._node, self._model = node, model
        self._state, self._said = PlannerState.IDLE, 'no plan yet'
        self._worker: PlanningWorker | None = None
        self._planned: PlannedExcitation | None = None
        self._plan_seconds = 0.0
        self._execution: Execution | None = None
        self._ending: JointTrajectory | None = None
        self._start_when_planned = False
        self._estimate = EstimateClient(node, minimal_parameters(model).names)
        self._joints = JointWatch(model.joint_names + model.wheel_names, node.get_logger())
        self._rate_limits = np.array(
            [joint.limits.velocity for joint in model.joints]
            + [wheel.rate_limit for wheel in model.wheels]
        )
        node.create_subscription(JointState, 'joint_states', self._joints.take, qos.sensor_input())
        self._base = AttitudeWatch()
        if node.settings.method != 'momentum':
            node.create_subscription(PoseStamped, 'base_pose', self._base.take, qos.sensor_input())
        self._commands = PlannerCommands(node, model)
        self._status = node.create_publisher(String, '~/status', qos.latched())
        node.create_service(Trigger, '~/plan', self._on_plan)
        node.create_service(Trigger, '~/start_excitation', self._on_start)
        node.create_service(Trigger, '~/stop_excitation', self._on_stop)
        node.create_timer(TICK, self._on_tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def activate(self) -> None:
        """Say that there is no plan yet."""
        self._publish_status()

    def deactivate(self) -> None:
        """Bring everything to rest."""
        self._halt('deactivated')

    def close(self) -> None:
        """End the planning."""
        if self._worker is not None:
            self._worker.stop()

    # Services.

    def _on_plan(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Start to plan from where the joints are."""
        response.success, response.message = self._begin_planning(start=False)
        return response

    def _on_start(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Start the motion, or plan and then start."""
        if self._state is PlannerState.PLANNING and not self._start_when_planned:
            self._start_when_planned = True
            response.success, response.message = True, 'starting as soon as it is planned'
        elif self._state is PlannerState.READY and self._is_at_start():
            response.success, response.message = self._send_plan()
        else:
            response.success, response.message = self._begin_planning(start=True)
        return response

    def _on_stop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """End planning or motion; always works."""
        response.success, response.message = True, self._halt('stopped on request')
        return response

    # What the services do.

    def _begin_planning(self, *, start: bool) -> tuple[bool, str]:
        """Start the planning thread; return whether, and a word on it."""
        if self._state in (PlannerState.PLANNING, PlannerState.RUNNING, PlannerState.STOPPING):
            return False, f'busy: {self._state.value}'
        if self._joints.silence:
            return False, self._joints.silence
        try:
            if self._node.settings.replan_from_estimate:
                self._estimate.ask()
            else:
                self._work(None)
        except (ConfigurationError, PlanningError) as error:
            self._fail_planning(error)
            return False, str(error)
        self._start_when_planned, self._execution = start, None
        self._go(PlannerState.PLANNING, 'planning')
        return True, 'planning, then starting' if start else 'planning'

    def _work(self, known: Known | None) -> None:
        """Start the planning thread, with what the estimator knows if that was asked for."""
        present = self._joints.positions.copy()
        job = planning_job(self._model, present, self._base.attitude, self._node.settings, known)
        self._worker = PlanningWorker(job)

    def _is_at_start(self) -> bool:
        """Return whether the actuators are still where the plan starts."""
        start = self._planned.plan.sample([0.0]).position[0]
        return bool(np.all(np.abs(self._joints.positions - start) <= _AT_START))

    def _send_plan(self) -> tuple[bool, str]:
        """Send the plan to the controllers; return whether, and a word on it."""
        unheard = self._commands.unheard()
        if unheard:
            message = f'nobody listens on {", ".join(unheard)}'
            self._go(PlannerState.FAILED, message)
            return False, message
        plan = self._planned.plan
        self._commands.send_plan(plan, self._node.settings.point_spacing)
        self._execution = Execution(plan, self._joints.stamp)
        self._go(PlannerState.RUNNING, f'motion of {plan.duration:.1f} s')
        return True, f'started a motion of {plan.duration:.1f} s'

    def _halt(self, reason: str) -> str:
        """End whatever is under way; return a word on it."""
        if self._state is PlannerState.PLANNING:
            self._start_when_planned = False
            self._estimate.forget()
            if self._worker is not None:
                self._worker.stop()
            self._worker = None
            self._go(PlannerState.STOPPED, reason)
            return 'planning ended'
        if self._state is PlannerState.RUNNING:
            self._brake()
            self._go(PlannerState.STOPPING, reason)
            return 'at rest within one interval'
        return f'nothing to stop: {self._state.value}'

    def _brake(self) -> None:
        """Send all controllers to rest, from where the motion is or should be by now."""
        now, positions = self._joints.stamp, self._joints.positions
        if self._joints.silence:
            now += self._joints.age
            positions = np.full(len(positions), np.nan)
        self._ending = self._execution.ending(now, positions, self._tolerance())
        self._braked_at = time.monotonic(), self._joints.stamp
        self._commands.send(self._ending)

    # What goes on.

    def _is_moving(self) -> bool:
        """Return whether a joint or wheel moves, as far as the joint states say."""
        return bool(np.any(np.abs(self._joints.rates) > _AT_REST * self._rate_limits))

    def _on_tick(self) -> None:
        """Follow the planning or the motion."""
        if self._state is PlannerState.PLANNING:
            self._follow_planning()
        elif self._state is PlannerState.RUNNING:
            self._follow_motion()
        elif self._state is PlannerState.STOPPING:
            self._follow_stop()
        if self._state in (PlannerState.PLANNING, PlannerState.RUNNING):
            self._publish_status()

    def _follow_planning(self) -> None:
        """Take over the estimate when it is there, then the plan."""
        if self._worker is None:
            self._follow_estimate()
            return
        if not self._worker.is_done:
            return
        worker, self._worker = self._worker, None
        if worker.error is not None:
            self._fail_planning(worker.error)
            return
        self._planned, self._plan_seconds = worker.result, worker.seconds
        self._go(PlannerState.READY, f'planned in {worker.seconds:.1f} s')
        if self._start_when_planned:
            self._send_plan()

    def _follow_estimate(self) -> None:
        """Begin to plan when the estimator has answered."""
        try:
            known = self._estimate.answer()
            if known is not None:
                self._work(known)
        except (ConfigurationError, PlanningError) as error:
            self._fail_planning(error)

    def _fail_planning(self, error: Exception) -> None:
        """Say why there is no plan."""
        text = str(error) if isinstance(error, SpaceRobotIdError) else repr(error)
        self._node.get_logger().error(f'no plan: {text}')
        self._go(PlannerState.FAILED, text)

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

    def _tolerance(self) -> np.ndarray:
        """Return how far each actuator may be from where it should be."""
        return self._node.settings.tracking_delay * self._rate_limits

    def _go(self, state: PlannerState, said: str) -> None:
        """Change the state and publish it."""
        self._state, self._said = state, said
        self._node.get_logger().info(f'{state.value}: {said}')
        self._publish_status()

    def _publish_status(self) -> None:
        """Publish where the planner is, as one JSON object."""
        elapsed = 0.0
        if self._execution is not None:
            elapsed = self._execution.elapsed(self._joints.stamp)
        text = status_text(
            self._state, self._said, elapsed, self._planned, self._plan_seconds, self._worker
        )
        self._status.publish(string_message(text))

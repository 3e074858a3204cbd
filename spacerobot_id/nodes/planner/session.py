"""Planning, starting, following and stopping a motion: what is the same whatever moves."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
import json
import time

from rclpy.clock import Clock, ClockType
from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacerobot_id.estimation.result import finite
from spacerobot_id.exceptions import (
    ConfigurationError,
    PlanningError,
    SpaceRobotIdError,
    TrajectoryError,
)
from spacerobot_id.excitation.objective.objective import Known
from spacerobot_id.excitation.planner import PlannedExcitation
from spacerobot_id.methods.information.motion_information import InformationSource
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.messages import string_message
from spacerobot_id.nodes.mission.estimate_client import EstimateClient
from spacerobot_id.nodes.planner.job import Job, PlanningWorker
from spacerobot_id.nodes.planner.robot_interface import RobotInterface

_MOST_LIMITS = 10
"""Limits that are published, the closest first."""


class PlannerState(Enum):
    """What the planner is doing."""

    INACTIVE = 'inactive'
    IDLE = 'idle'
    PLANNING = 'planning'
    READY = 'ready'
    RUNNING = 'running'
    STOPPING = 'stopping'
    DONE = 'done'
    STOPPED = 'stopped'
    FAILED = 'failed'


TICK = 0.1
"""Period of the steady timer that follows planning and motion, s."""

_INACTIVE = 'the planner is inactive: activate it first'

_BUSY = (PlannerState.PLANNING, PlannerState.RUNNING, PlannerState.STOPPING)


class PlannerSession(ABC):
    """Services, status and states of the planner; what moves fills in how.

    Parameters
    ----------
    node : ManagedNode
        The planner; its ``configure`` is running.
    source : InformationSource
        What motions show to the method that is planned for, of the prior model.
    interface : RobotInterface
        Topics of the robot.
    clock : callable
        Steady time, s.
    """

    def __init__(
        self,
        node: ManagedNode,
        source: InformationSource,
        interface: RobotInterface,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._node, self._source, self._model = node, source, source.models[0]
        self._interface = interface
        self.clock = clock
        self._state, self._message = PlannerState.IDLE, 'no plan yet'
        self._worker: PlanningWorker | None = None
        self._planned: PlannedExcitation | None = None
        self._plan_seconds = 0.0
        self._start_when_planned = False
        self._estimate = EstimateClient(node, source.names)
        self._status = node.create_publisher(String, '~/status', qos.latched())
        node.create_service(Trigger, '~/plan', self._on_plan)
        node.create_service(Trigger, '~/start_excitation', self._on_start)
        node.create_service(Trigger, '~/stop_excitation', self._on_stop)
        node.create_timer(TICK, self._on_tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    # What moves fills in.

    @property
    @abstractmethod
    def silence(self) -> str | None:
        """A message on which input is silent, and why; None if none is."""

    @property
    @abstractmethod
    def elapsed(self) -> float:
        """Time since the motion began, s; zero if none is under way."""

    @abstractmethod
    def _job(self, known: Known | None) -> Job:
        """Return what the planning thread is to do, with what the estimator knows."""

    @abstractmethod
    def _can_start(self) -> bool:
        """Return whether the plan that there is can be started from where the robot is."""

    @abstractmethod
    def _outputs_without_subscriber(self) -> list[str]:
        """Return the topics of commands that have no subscriber."""

    @abstractmethod
    def _begin_motion(self) -> None:
        """Start the plan.

        Raises
        ------
        TrajectoryError
            If that cannot be within limits from where the robot is.
        """

    @abstractmethod
    def _brake(self) -> str:
        """Bring everything to rest; return a message on within which time."""

    @abstractmethod
    def _follow_motion(self) -> None:
        """See whether the robot follows, and whether the motion is over."""

    @abstractmethod
    def _follow_stop(self) -> None:
        """See whether all is at rest."""

    def _take(self, result: object) -> PlannedExcitation:
        """Take over what the thread has planned; return the plan."""
        return result

    # Lifecycle.

    def activate(self) -> None:
        """Publish that there is no plan yet."""
        self._planned = None
        self._state, self._message = PlannerState.IDLE, 'no plan yet'
        self._publish_status()

    def deactivate(self) -> None:
        """Bring everything to rest: nothing is followed any more."""
        self._go(PlannerState.INACTIVE, f'deactivated: {self._halt("deactivated")}')

    def close(self) -> None:
        """End the planning."""
        if self._worker is not None:
            self._worker.stop()

    # Services.

    def _on_plan(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Start to plan from where the robot is."""
        response.success, response.message = self._begin_planning(start=False)
        return response

    def _on_start(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Start the motion, or plan and then start."""
        if not self._node.is_active:
            response.success, response.message = False, _INACTIVE
        elif self._state is PlannerState.PLANNING and not self._start_when_planned:
            self._start_when_planned = True
            response.success, response.message = True, 'starting as soon as it is planned'
        elif self._planned is not None and self._state not in _BUSY and self._can_start():
            response.success, response.message = self._start()
        else:
            response.success, response.message = self._begin_planning(start=True)
        return response

    def _on_stop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """End planning or motion; always works."""
        response.success, response.message = True, self._halt('stopped on request')
        return response

    # What the services do.

    def _begin_planning(self, *, start: bool) -> tuple[bool, str]:
        """Start the planning thread; return whether it was, and a message."""
        if not self._node.is_active:
            return False, _INACTIVE
        if self._state in _BUSY:
            return False, f'busy: {self._state.value}'
        if self.silence:
            return False, self.silence
        try:
            if self._node.settings.replan_from_estimate:
                self._estimate.ask()
            else:
                self._worker = PlanningWorker(self._job(None))
        except (ConfigurationError, PlanningError) as error:
            self._fail_planning(error)
            return False, str(error)
        self._start_when_planned, self._planned = start, None
        self._go(PlannerState.PLANNING, 'planning')
        return True, 'planning, then starting' if start else 'planning'

    def _start(self) -> tuple[bool, str]:
        """Start the plan; return whether it was, and a message."""
        if self.silence:
            return False, self.silence
        unsubscribed = self._outputs_without_subscriber()
        if unsubscribed:
            message = f'no subscriber on {", ".join(unsubscribed)}'
            self._go(PlannerState.FAILED, message)
            return False, message
        try:
            self._begin_motion()
        except TrajectoryError as error:
            self._node.get_logger().error(f'not started: {error}')
            self._go(PlannerState.FAILED, f'not started: {error}')
            return False, f'not started: {error}'
        duration = self._planned.plan.duration
        self._go(PlannerState.RUNNING, f'motion of {duration:.1f} s')
        return True, f'started a motion of {duration:.1f} s'

    def _halt(self, reason: str) -> str:
        """End whatever is under way; return a message."""
        if self._state is PlannerState.PLANNING:
            self._start_when_planned = False
            self._estimate.forget()
            if self._worker is not None:
                self._worker.stop()
            self._worker = None
            self._go(PlannerState.STOPPED, reason)
            return 'planning ended'
        if self._state is PlannerState.RUNNING:
            within = self._brake()
            self._go(PlannerState.STOPPING, reason)
            return f'at rest within {within}'
        return f'nothing to stop: {self._state.value}'

    # What goes on.

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
        elif self._worker.is_done:
            worker, self._worker = self._worker, None
            if worker.error is not None:
                self._fail_planning(worker.error)
                return
            self._planned, self._plan_seconds = self._take(worker.result), worker.seconds
            self._go(PlannerState.READY, f'planned in {worker.seconds:.1f} s')
            if self._start_when_planned:
                started, message = self._start()
                if not started and self._state is PlannerState.READY:
                    self._go(PlannerState.FAILED, message)

    def _follow_estimate(self) -> None:
        """Begin to plan when the estimator has answered."""
        try:
            known = self._estimate.answer()
            if known is not None:
                self._worker = PlanningWorker(self._job(known))
        except (ConfigurationError, PlanningError) as error:
            self._fail_planning(error)

    def _fail_planning(self, error: Exception) -> None:
        """Publish why there is no plan."""
        text = str(error) if isinstance(error, SpaceRobotIdError) else repr(error)
        self._node.get_logger().error(f'no plan: {text}')
        self._go(PlannerState.FAILED, text)

    def _go(self, state: PlannerState, message: str) -> None:
        """Change the state and publish it."""
        self._state, self._message = state, message
        self._node.get_logger().info(f'{state.value}: {message}')
        self._publish_status()

    def _publish_status(self) -> None:
        """Publish where the planner is: one JSON object, of the same keys whatever the method."""
        planned, worker = self._planned, self._worker
        limits = planned.limits[:_MOST_LIMITS] if planned is not None else ()
        text = json.dumps(
            {
                'method': self._node.settings.method,
                'state': self._state.value,
                'message': self._message,
                'elapsed': self.elapsed,
                'duration': planned.plan.duration if planned is not None else 0.0,
                'evaluations': worker.evaluations if worker is not None else 0,
                'cost': None if planned is None else finite(planned.cost),
                'condition_number': None if planned is None else finite(planned.condition),
                'plan_seconds': self._plan_seconds,
                'limits': {use.name: round(use.share, 4) for use in limits},
            }
        )
        self._status.publish(string_message(text))

"""The planner where the base is what moves: plans are tracked by ``base_wrench``."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.objective.choice import Known
from spacerobot_id.excitation.planner import PlannedExcitation
from spacerobot_id.measurement.readings import PoseReading
from spacerobot_id.methods.information.motion_information import InformationSource
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.planner.base_watch import BaseWatch
from spacerobot_id.nodes.planner.bed import Bed
from spacerobot_id.nodes.planner.flight import (
    body_of,
    flight_of,
    PlannedFlight,
    seen_from,
    SETTLED,
    still,
)
from spacerobot_id.nodes.planner.job import planning_job
from spacerobot_id.nodes.planner.session import PlannerSession
from spacerobot_id.nodes.planner.status import PlannerState
from spacerobot_id.nodes.planner.worker import Job
from spacerobot_id.simulation import SaturatedTracking

_BRAKING = 5.0
"""Longest time in which the base is brought to rest, s."""

_SPEED, _RATE = 0.02, 0.05
"""Speed (m/s) and angular velocity (rad/s) below which the base counts as at rest."""


class BaseSession(PlannerSession):
    """Follows the base along a plan, a wrench for every pose.

    Parameters
    ----------
    node : ManagedNode
        The planner; its ``configure`` is running.
    source : InformationSource
        What motions show to the method that is planned for.
    bed : Bed
        Topics of the robot.

    Raises
    ------
    ConfigurationError
        If the robot's YAML file gives no rate of the poses.
    """

    def __init__(self, node: ManagedNode, source: InformationSource, bed: Bed) -> None:
        super().__init__(node, source, bed)
        if not self._model.noise.rate > 0.0:
            raise ConfigurationError('noise: the rate of base_pose is needed')
        self._base = self._model.link_names[0]
        self._flight: PlannedFlight | None = None
        self._began, self._origin, self._held = 0.0, np.zeros(13), 0.0
        self._watch = BaseWatch(self._base, node.settings.filter_time, node.get_logger())
        for kind, take in (('base_pose', self._on_pose), ('base_twist', self._watch.take_twist)):
            bed.subscribe(kind, take, partial(self._watch.refuse, kind))
        self._wrench = bed.output('base_wrench')

    @property
    def silence(self) -> str | None:
        """Which of poses and twists do not come, and why; None if they do."""
        return self._watch.silence

    @property
    def elapsed(self) -> float:
        """Time since the motion began, s."""
        is_moving = self._state is PlannerState.RUNNING
        return self._watch.stamp - self._began if is_moving else 0.0

    def deactivate(self) -> None:
        """Turn the propellers off: nothing would bring the base to rest any more."""
        if self._state in (PlannerState.RUNNING, PlannerState.STOPPING):
            self._end(PlannerState.STOPPED, 'deactivated')
        super().deactivate()

    def _job(self, known: Known | None) -> Job:
        """Return the planning of the motion and of the control that makes it."""
        model, settings = self._model, self._node.settings
        plan = planning_job(self._source, None, None, settings, known)
        return lambda progress: flight_of(model, plan(progress), settings.tracking)

    def _take(self, result: PlannedFlight) -> PlannedExcitation:
        """Take over motion and control; return the motion."""
        self._flight = result
        return result.planned

    def _can_start(self) -> bool:
        """Return whether there is a plan: it begins wherever the base is."""
        return self._state in (PlannerState.READY, PlannerState.DONE)

    def _outputs_without_subscriber(self) -> list[str]:
        """Return the topic of the wrench if it has no subscriber."""
        return [] if self._wrench.has_subscriber else [self._wrench.topic]

    def _begin_motion(self) -> None:
        """Begin the motion from where the base is."""
        self._began, self._origin = self._watch.stamp, self._watch.state

    def _brake(self) -> str:
        """Hold the base where it is from now on."""
        self._held, self._origin = self._watch.stamp, self._watch.state
        return f'{_BRAKING:g} s'

    def _follow_motion(self) -> None:
        """See whether the sensors still speak; poses do the rest."""
        if self._watch.silence:
            self._node.get_logger().error(f'propellers off: {self._watch.silence}')
            self._end(PlannerState.FAILED, f'failed: {self._watch.silence}')

    def _follow_stop(self) -> None:
        """See whether the sensors still speak; poses do the rest."""
        self._follow_motion()

    # A pose at a time.

    def _on_pose(self, reading: PoseReading) -> None:
        """Answer a pose with a wrench, while the base moves."""
        if not self._watch.take_pose(reading):
            return
        if self._state is PlannerState.RUNNING:
            self._track()
        elif self._state is PlannerState.STOPPING:
            self._hold()

    def _track(self) -> None:
        """Ask for the wrench of this step; see whether the motion strays or is over."""
        elapsed = self._watch.stamp - self._began
        if elapsed > self._planned.plan.duration + SETTLED:
            self._end(PlannerState.DONE, 'motion complete')
            return
        state = seen_from(self._origin, self._watch.state)
        step = self._flight.step_at(elapsed)
        away = float(np.linalg.norm(state[:3] - self._flight.reference.position[0, step]))
        if away > self._node.settings.stray_distance:
            self._node.get_logger().error(f'stopping the motion: {away:.2f} m off')
            self._halt(f'failed: {away:.2f} m from where it should be')
            return
        self._publish_wrench(self._flight.control.wrench(step, state[None])[0])

    def _hold(self) -> None:
        """Hold the base until it is at rest, then turn the propellers off."""
        state = self._watch.state
        is_slow = np.linalg.norm(state[7:10]) < _SPEED and np.linalg.norm(state[10:]) < _RATE
        if is_slow or self._watch.stamp - self._held > _BRAKING:
            failed = self._message.startswith('failed')
            self._end(PlannerState.FAILED if failed else PlannerState.STOPPED, self._message)
            return
        control = SaturatedTracking(body_of(self._model), still())
        held = seen_from(self._origin, state)
        self._publish_wrench(control.wrench(0, held[None])[0])

    def _end(self, state: PlannerState, message: str) -> None:
        """Turn the propellers off."""
        self._publish_wrench(np.zeros(6))
        self._go(state, message)

    def _publish_wrench(self, wrench: NDArray[np.float64]) -> None:
        """Publish a wrench, cut down to what the propellers give."""
        propellers = self._model.actuators.propellers
        given = wrench if propellers is None else propellers.given(wrench)
        self._wrench.send(self._watch.stamp, given)

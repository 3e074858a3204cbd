"""The planner where joints and wheels are what moves: plans are sent as trajectories.

A plan that rests on its way is sent from rest to rest, each part once the one before has ended: a
planner that is killed leaves nothing behind that moves on for longer than an interval.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
import time

import numpy as np

from spacerobot_id.excitation.objective.choice import Known
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.measurement.readings import JointReading
from spacerobot_id.methods.information.motion_information import InformationSource
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.planner.attitude_watch import AttitudeWatch
from spacerobot_id.nodes.planner.bed import Bed
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

_EARLY = 0.03
"""Share of a part before its end from which on the next may be sent: it takes a while to come."""

_SLOW = 0.02
"""Share of its largest rate below which an actuator takes up the next part."""


class JointSession(PlannerSession):
    """Follows joints and wheels along a plan.

    Parameters
    ----------
    node : ManagedNode
        The planner; its ``configure`` is running.
    source : InformationSource
        What motions show to the method that is planned for.
    bed : Bed
        Topics of the robot.
    """

    def __init__(self, node: ManagedNode, source: InformationSource, bed: Bed) -> None:
        super().__init__(node, source, bed)
        model = self._model
        self._executions: dict[str, Execution] = {}
        self._parts: deque[ExcitingMotion] = deque()
        self._started, self._passed = 0.0, 0.0
        self._sent_at, self._braked_at, self._braking = (0.0, 0.0), (0.0, 0.0), 0.0
        self._names = model.joint_names + model.wheel_names
        wrap = [joint.is_continuous for joint in model.joints] + [False] * len(model.wheels)
        self._joints = JointWatch(self._names, wrap, node.get_logger())
        self._rate_limits = np.array(
            [joint.limits.velocity for joint in model.joints]
            + [wheel.rate_limit for wheel in model.wheels]
        )
        bed.subscribe('joint_states', self._on_joints, self._joints.refuse)
        self._base = AttitudeWatch()
        if source.is_turning:
            bed.subscribe('base_pose', self._base.take, self._base.refuse)
        self._commands = PlannerCommands(node, model, bed.theirs)

    @property
    def silence(self) -> str | None:
        """Why no joint states come; None if they do."""
        return self._joints.silence

    @property
    def elapsed(self) -> float:
        """How far the motion is, s: what the last controller has done, rests between left out."""
        now = self._joints.stamp
        part = min((each.elapsed(now) for each in self._executions.values()), default=0.0)
        return self._passed + part

    def _job(self, known: Known | None) -> Job:
        """Return the planning from where the joints are."""
        self._joints.forget_turns()
        present = self._joints.positions
        self._executions, self._passed = {}, 0.0
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
        """Send the first part of the plan."""
        plan = self._planned.plan
        self._parts = deque([plan] if self._node.settings.send_whole else plan.parts())
        self._started, self._passed = self._joints.stamp, 0.0
        self._send_part()

    def _send_part(self) -> None:
        """Send each controller what its actuators do in the next part of the plan."""
        part = self._parts.popleft()
        self._sent_at = time.monotonic(), self._joints.stamp
        tolerance = self._node.settings.tracking_delay * self._rate_limits
        self._executions = {}
        for topic, names in self._commands.groups.items():
            plan = part.reordered(names)
            self._commands.send(
                topic, plan.joint_trajectory(step=self._node.settings.point_spacing)
            )
            own = tolerance[self._columns(names)]
            self._executions[topic] = Execution(plan, own, self._joints.stamp)

    def _columns(self, names: Sequence[str]) -> list[int]:
        """Return the places of some actuators among all."""
        return [self._names.index(name) for name in names]

    def _brake(self) -> str:
        """Send all controllers to rest, from where the motion is or should be by now."""
        now, positions = self._joints.stamp, self._joints.positions
        if self._joints.silence:
            now += self._joints.age
            positions = np.full(len(positions), np.nan)
        self._braked_at, self._braking = (time.monotonic(), self._joints.stamp), 0.0
        for topic, each in self._executions.items():
            if self._joints.silence and each.begin is None:
                each = replace(each, begin=each.sent)
            own = self._columns(each.plan.names)
            ending = each.ending(now, positions[own], self._joints.rates[own])
            self._commands.send(topic, ending)
            self._braking = max(self._braking, float(ending.times[-1]))
        return 'one interval'

    def _on_joints(self, reading: JointReading) -> None:
        """Take joint states; send the next part of the plan as soon as they end one."""
        self._joints.take(reading)
        if self._state is not PlannerState.RUNNING or not self._parts:
            return
        self._observe()
        if self._part_is_over():
            self._passed += next(iter(self._executions.values())).plan.duration
            self._send_part()

    def _observe(self) -> None:
        """See which controllers have begun."""
        now, positions = self._joints.stamp, self._joints.positions
        self._executions = {
            topic: each.observed(now, positions[self._columns(each.plan.names)])
            for topic, each in self._executions.items()
        }

    def _is_over(self) -> bool:
        """Return whether what was sent is over, and the joints have settled."""
        now = self._joints.stamp
        return all(each.is_over(now, _SETTLED) for each in self._executions.values())

    def _part_is_over(self) -> bool:
        """Return whether all controllers can take up the next part."""
        now, executions = self._joints.stamp, self._executions.values()
        if self._is_over():
            return True
        are_there = all(each.is_over(now, -_EARLY * each.plan.duration) for each in executions)
        return are_there and not self._is_moving(_SLOW)

    def _follow_motion(self) -> None:
        """See whether the joints have begun and follow, and whether the motion is over."""
        self._observe()
        now, positions = self._joints.stamp, self._joints.positions
        strays = (
            each.straying(now, positions[self._columns(each.plan.names)])
            for each in self._executions.values()
        )
        fault = self._joints.silence or next(filter(None, strays), None) or self._not_begun()
        if fault:
            self._node.get_logger().error(f'stopping the motion: {fault}')
            self._halt(f'failed: {fault}')
        elif not self._parts and self._is_over():
            self._go(PlannerState.DONE, 'motion complete')

    def _not_begun(self) -> str | None:
        """Return a message on which controller should have begun by now by both clocks."""
        wall, stamp = self._sent_at
        wall, stamp = time.monotonic() - wall, self._joints.stamp - stamp
        allowed = self._node.settings.start_timeout
        for topic, each in self._executions.items():
            if each.begin is None and wall > allowed and stamp > allowed + each.leaves_rest:
                return f'{topic}: the motion has not begun within {allowed:g} s'
        return None

    def _follow_stop(self) -> None:
        """See whether all is at rest; ask again if a controller did not obey."""
        needed = self._braking + _SETTLED
        wall, stamp = self._braked_at
        wall, stamp = time.monotonic() - wall, self._joints.stamp - stamp
        if self._joints.silence and wall > needed:
            self._go(PlannerState.STOPPED, f'{self._message}; whether it is at rest is not known')
        elif stamp > needed:
            if not self._is_moving(_AT_REST):
                self._go(PlannerState.STOPPED, self._message)
            elif wall > needed:  # commands take their time where simulated time runs faster
                self._node.get_logger().error('still moving: stopping once more')
                self._brake()

    def _is_moving(self, share: float) -> bool:
        """Return whether a joint or wheel is faster than a share of its largest rate."""
        return bool(np.any(np.abs(self._joints.rates) > share * self._rate_limits))

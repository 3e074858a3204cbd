"""The planner where joints and wheels are what moves: plans are sent as trajectories.

A plan that rests on its way is sent from rest to rest, each part once the one before has ended: a
planner that is killed leaves nothing behind that moves on for longer than an interval.
"""

from collections import deque
from collections.abc import Callable, Sequence
import time

import numpy as np

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.excitation.constraint.limit_set import actuator_limits
from spacerobot_id.excitation.objective.objective import Known
from spacerobot_id.excitation.trajectory.command_check import extent_of
from spacerobot_id.excitation.trajectory.started import misplaced, needed_wait, taken_up
from spacerobot_id.excitation.trajectory.stop import EarlyStop
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.kinematics.trajectory_motion import JointMotion
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.methods.information.motion_information import InformationSource
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.planner.execution import Command, Execution, PlannerCommands
from spacerobot_id.nodes.planner.job import Job, planning_job
from spacerobot_id.nodes.planner.joint_watch import JointWatch
from spacerobot_id.nodes.planner.robot_interface import RobotInterface
from spacerobot_id.nodes.planner.session import PlannerSession, PlannerState
from spacerobot_id.spatial import normalise_quaternion

_SETTLED = 0.5
"""Time after the end of a motion before it counts as done, s."""

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
        super().__init__(node, source, interface, clock)
        model = self._model
        self._executions: dict[str, Execution] = {}
        self._plan: ExcitingMotion | None = None
        self._parts: deque[ExcitingMotion] = deque()
        self._started, self._passed = 0.0, 0.0
        self._sent_at, self._rests_at = (0.0, 0.0), (0.0, 0.0)
        self._unbraked: set[str] = set()
        self._names = model.joint_names + model.wheel_names
        wrap = [joint.is_continuous for joint in model.joints] + [False] * len(model.wheels)
        self._limits = actuator_limits(model)
        self._within = extent_of(self._limits)
        self._joints = JointWatch(
            self._names, wrap, node.get_logger(), self._within, model.noise, self.clock
        )
        interface.subscribe('joint_states', self._on_joints, self._joints.refuse)
        self._attitude: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0)  # until the first pose
        if source.is_turning:  # poses that are not readable are passed over
            interface.subscribe('base_pose', self._on_pose, lambda _reason: None)
        self._commands = PlannerCommands(node, model, interface.theirs)

    @property
    def silence(self) -> str | None:
        """Why no joint states come; None if they do."""
        return self._joints.silence

    @property
    def elapsed(self) -> float:
        """How far the motion is, s: what the last controller has done, rests between left out."""
        now = self._joints.stamp
        part = min((each.planned_time(now) for each in self._executions.values()), default=0.0)
        return self._passed + part

    def _job(self, known: Known | None) -> Job:
        """Return the planning from where the joints are."""
        self._joints.forget_turns()
        present = self._joints.positions
        self._executions, self._passed = {}, 0.0
        return planning_job(self._source, present, self._attitude, self._node.settings, known)

    def _can_start(self) -> bool:
        """Return whether the actuators are still where the plan starts."""
        if self._state is not PlannerState.READY or self._joints.silence:
            return False
        plan = self._from_here(self._planned.plan)
        return misplaced(plan, self._joints.state, self._limits) is None

    def _outputs_without_subscriber(self) -> list[str]:
        """Return the topics of controllers that have no subscriber."""
        return self._commands.without_subscriber()

    def _begin_motion(self) -> None:
        """Send the first part of the plan."""
        plan = self._plan = self._from_here(self._planned.plan)
        self._parts = deque([plan] if self._node.settings.send_whole else plan.parts())
        self._passed, self._executions = 0.0, {}
        reach = self._node.settings.still_reach
        wait = needed_wait(self._joints.state, self._limits, reach)
        if wait:
            self._node.get_logger().warning(
                f'joint_states repeat exactly: the motion waits for {wait:.1f} s, as joints may '
                f'be {reach:g} from where they seem to be'
            )
        self._started = self._joints.stamp + wait
        self._send_part(wait)

    def _from_here(self, plan: ExcitingMotion) -> ExcitingMotion:
        """Return a plan with its wheels, which may begin anywhere, moved to where they are."""
        way = self._joints.positions - plan.sample([0.0]).position[0]
        way[: len(self._model.joints)] = 0.0
        return plan.moved(way)

    def _send_part(self, wait: float = 0.0) -> None:
        """Send each controller what its actuators do in the next part, from where they are.

        Parameters
        ----------
        wait : float
            Time to wait before, s: they may be anywhere until it is over.

        Raises
        ------
        TrajectoryError
            If that cannot be within limits; the message names the actuator.
        """
        part, state, settings = self._parts[0], self._joints.state, self._node.settings
        reason = self._joints.doubt or misplaced(part, state, self._limits)
        if reason:
            raise TrajectoryError(reason)
        step, reach = settings.point_spacing, settings.still_reach
        begun, starts = taken_up(
            part,
            state,
            self._limits,
            step,
            wait=(wait, reach) if wait else None,
            is_first=not self._executions,
        )
        groups = {topic: begun.reordered(own) for topic, own in self._commands.groups.items()}
        commands = {
            topic: Command(own.joint_trajectory(step=step), self._own(starts, own.names))
            for topic, own in groups.items()
        }
        self._commands.send(commands, state)
        self._parts.popleft()
        self._sent_at = self.clock(), state.stamp
        tolerance = settings.tracking_delay * self._within.velocity
        self._executions = {
            topic: Execution(own, tolerance[self._columns(own.names)], state.stamp, reach=reach)
            for topic, own in groups.items()
        }

    def _own(self, starts: JointMotion, names: Sequence[str]) -> JointMotion:
        """Return the states of some actuators."""
        columns = self._columns(names)
        return JointMotion(*(each[:, columns] for each in vars(starts).values()))

    def _columns(self, names: Sequence[str]) -> list[int]:
        """Return the places of some actuators among all."""
        return [self._names.index(name) for name in names]

    def _brake(self) -> str:
        """Send all controllers to rest, from where they are or will be then."""
        now = self._joints.stamp
        self._rests_at = self.clock(), now
        self._unbraked = set(self._executions)
        self._try_to_brake()
        within = self._rests_at[0] - self.clock()
        plans = [(each.plan, each.elapsed(now)) for each in self._executions.values()]
        if within <= max((plan.section(at).longest for plan, at in plans), default=0.0):
            return 'one interval'
        return f'{within:.1f} s, when what was sent ends'

    def _try_to_brake(self) -> None:
        """Send to rest who has not been yet, where limits let it; the others end by themselves."""
        is_first = self._state is not PlannerState.STOPPING
        now = self._joints.stamp + self._joints.age
        for topic in sorted(self._unbraked):
            each = self._executions[topic]
            try:
                duration = self._braked(topic, each)
            except TrajectoryError as error:
                if not is_first:
                    continue
                duration = each.remaining(now)
                self._node.get_logger().warning(f'{topic}: no stop is sent yet: {error}')
            else:
                self._unbraked.remove(topic)
            wall, stamp = self.clock() + duration, self._joints.stamp + duration
            self._rests_at = max(self._rests_at[0], wall), max(self._rests_at[1], stamp)

    def _braked(self, topic: str, each: Execution) -> float:
        """Send a controller to rest; return how long that takes, s.

        Raises
        ------
        TrajectoryError
            If no stop would keep limits, or nothing is known to reckon it from.
        """
        doubt, own = self._joints.doubt, self._columns(each.plan.names)
        if doubt:
            raise TrajectoryError(doubt)
        whole = self._joints.state
        state = whole.of(own)
        is_slow = (np.abs(state.rate) <= _AT_REST * self._within.velocity[own]).all()
        if is_slow and each.is_over(state.stamp, 0.0):
            return 0.0
        here = JointMotion(
            *(value[None] for value in (state.position, state.rate, 0 * state.rate))
        )

        def accepts(stop: EarlyStop) -> bool:
            command = Command(stop.trajectory(each.plan.names), here)
            return self._commands.overload({topic: command}, whole) is None

        command = each.ending(state, [self._limits[place] for place in own], accepts)
        self._commands.send({topic: command}, whole)
        return float(command.trajectory.times[-1])

    def _on_joints(self, reading: JointStream) -> None:
        """Take joint states; send the next part of the plan as soon as they end one."""
        self._joints.take(reading)
        if self._state is not PlannerState.RUNNING or not self._parts or self._joints.doubt:
            return
        self._observe()
        if not self._part_is_over():
            return
        passed = next(iter(self._executions.values())).plan.motion.duration
        try:
            self._send_part()
        except TrajectoryError as error:
            if self._is_over():
                self._stop_for(str(error))
        else:
            self._passed += passed

    def _on_pose(self, reading: PoseStream) -> None:
        """Remember the attitude of the base; a pose without a rotation is passed over."""
        attitude = normalise_quaternion(reading.attitude)
        if attitude is not None and np.isfinite(attitude).all():
            self._attitude = tuple(attitude.tolist())

    def _stop_for(self, fault: str) -> None:
        """Stop the motion, for a reason."""
        self._node.get_logger().error(f'stopping the motion: {fault}')
        self._halt(f'failed: {fault}')

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
        fault = self._joints.fault or next(filter(None, strays), None) or self._not_begun()
        self._commands.warn_of_rivals()
        if fault:
            self._stop_for(fault)
        elif not self._parts and self._is_over():
            state, end = self._joints.state, self._plan.duration
            fault = misplaced(self._plan, state, self._limits, end)
            if fault:
                self._stop_for(fault)
                return
            self._go(PlannerState.DONE, 'motion complete')

    def _not_begun(self) -> str | None:
        """Return a message on which controller should have begun by now by both clocks."""
        wall, stamp = self._sent_at
        wall, stamp = self.clock() - wall, self._joints.stamp - stamp
        allowed = self._node.settings.start_timeout
        for topic, each in self._executions.items():
            if each.begin is None and wall > allowed and stamp > allowed + each.leaves_rest:
                return f'{topic}: the motion has not begun within {allowed:g} s'
        return None

    def _follow_stop(self) -> None:
        """See whether all is at rest; ask again if a controller did not obey."""
        if self._unbraked:
            self._try_to_brake()
        wall, stamp = self._rests_at
        wall, stamp = self.clock() - wall, self._joints.stamp - stamp
        if self._joints.fault and wall > _SETTLED:
            self._go(PlannerState.STOPPED, f'{self._message}; whether it is at rest is not known')
        elif stamp > _SETTLED:
            if not self._is_moving(_AT_REST):
                self._go(PlannerState.STOPPED, self._message)
            elif wall > _SETTLED:  # commands take their time where simulated time runs faster
                self._node.get_logger().error('still moving: stopping once more')
                self._brake()

    def _is_moving(self, share: float) -> bool:
        """Return whether a joint or wheel is faster than a share of its largest rate."""
        return bool(np.any(np.abs(self._joints.rates) > share * self._within.velocity))

"""A controller's part of a plan under way: when it began, who does not follow, how to end it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.excitation.constraint.limit_set import actuator_limits, TorqueLimits
from spacerobot_id.excitation.trajectory.command_check import check_command, extent_of
from spacerobot_id.excitation.trajectory.possible_states import (
    anywhere,
    coming,
    drifting,
    following,
    joined,
    LATEST,
    MeasuredState,
    resting,
)
from spacerobot_id.excitation.trajectory.started import StartedMotion
from spacerobot_id.excitation.trajectory.stop import EarlyStop, shortest_stop
from spacerobot_id.excitation.trajectory.trajectory import MotionExtent
from spacerobot_id.kinematics.trajectory_motion import (
    JointMotion,
    JointTrajectory,
    PlannedMotion,
    TrajectoryMotion,
)
from spacerobot_id.model import JointLimits, RobotModel
from spacerobot_id.multibody.free_floating.planned_base import PlannedBase
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.messages import trajectory_message

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


_LEFT_REST = 0.2
"""Share of its tolerance by which an actuator has left rest."""

_SHORT = 0.25
"""Share of its farthest way by which an actuator has left rest, if that is less."""

_LIVELY = 0.5
"""Reach in tolerances, relative to the largest, of actuators that show the begin."""

_SAMPLES = 2000
"""Times of the plan that the begin is looked for at."""

_STOP_TIMES = 0.25, 20.0
"""Shortest and longest time in which who does not follow comes to rest, s.

Where actuators are when they take it up is known less well, by what they move until then.
"""

_LATE = 0.5
"""Time by which a motion may show later than it should, s, without any doubt in joint states."""

_FINE, _MOST = 0.03, 300.0
"""Distance of states that are looked at, s, and most of them."""

_UNSURE = 0.3
"""Error that the observed begin of a motion may have, s."""


@dataclass(frozen=True, eq=False)
class Execution:
    """The part of a plan that one controller has, when it was sent and when it began.

    Parameters
    ----------
    plan : StartedMotion
        Motion of the m actuators of the controller.
    tolerance : ndarray, shape (m,)
        Distances from where they should be that are allowed, rad or m; may be infinite.
    sent : float
        Stamp of the joint states when it was sent, s.
    begin : float, optional
        Stamp at which the motion began, s; None while the actuators still rest.
    reach : float
        Distance from where they were seen at which they may have been, rad or m.
    """

    plan: StartedMotion
    tolerance: NDArray[np.float64]
    sent: float
    begin: float | None = None
    reach: float = 0.0

    @cached_property
    def _at_start(self) -> NDArray[np.float64]:
        """Positions that the motion begins at, shape (m,)."""
        return self.plan.sample([0.0]).position[0]

    @cached_property
    def _rest(self) -> NDArray[np.float64]:
        """Distances from the start within which the actuators are at rest, shape (m,).

        Infinite for those whose motion shows little beside the others', or nothing.
        """
        extent = self.plan.extent()
        reach = np.maximum(extent.highest - self._at_start, self._at_start - extent.lowest)
        relative = reach / self.tolerance
        relative = relative if relative.any() else reach
        is_lively = (reach > 0.0) & (relative >= _LIVELY * relative.max())
        return np.where(is_lively, np.minimum(_LEFT_REST * self.tolerance, _SHORT * reach), np.inf)

    @cached_property
    def leaves_rest(self) -> float:
        """Time after its begin at which the motion shows, s."""
        times = np.linspace(0.0, self.plan.duration, _SAMPLES)
        away = np.abs(self.plan.sample(times).position - self._at_start) > self._rest
        return float(times[np.argmax(away.any(axis=1))])

    def observed(self, now: float, positions: NDArray[np.float64]) -> 'Execution':
        """Return the same with its begin, once the actuators have left rest.

        The begin is where the motion fits the positions best: a controller that is late by a
        constant is followed as one that is not. A motion without any way has begun when it is
        sent.

        Parameters
        ----------
        now : float
            Stamp of the joint states, s.
        positions : ndarray, shape (m,)
            Positions of the actuators.
        """
        if self.begin is not None:
            return self
        if np.isinf(self._rest).all():
            return replace(self, begin=self.sent)
        if not (np.abs(positions - self._at_start) > self._rest).any():
            return self
        elapsed = np.linspace(0.0, np.clip(now - self.sent, 0.0, self.plan.duration), _SAMPLES)
        errors = (self.plan.sample(elapsed).position - positions) / self._rest
        return replace(self, begin=now - float(elapsed[np.argmin(np.sum(errors**2, axis=1))]))

    def elapsed(self, now: float) -> float:
        """Return the time since the begin at a stamp, s, no longer than the plan."""
        since = 0.0 if self.begin is None else now - self.begin
        return min(max(since, 0.0), self.plan.duration)

    def is_over(self, now: float, margin: float) -> bool:
        """Return whether the plan has ended some time ago, s."""
        return self.begin is not None and now - self.begin >= self.plan.duration + margin

    def straying(self, now: float, positions: NDArray[np.float64]) -> str | None:
        """Return an actuator that is not where it should be, if there is one.

        Parameters
        ----------
        now : float
            Stamp of the joint states, s.
        positions : ndarray, shape (m,)
            Positions of the actuators.
        """
        wanted = self.plan.sample([self.elapsed(now)]).position[0]
        excess = np.abs(positions - wanted) - self.tolerance
        worst = int(np.argmax(excess))
        if excess[worst] <= 0.0:
            return None
        name = self.plan.names[worst]
        return f'{name} is at {positions[worst]:.4g} and should be at {wanted[worst]:.4g}'

    def planned_time(self, now: float) -> float:
        """Return how far the motion is at a stamp as it was planned, s."""
        return self.plan.planned_time(self.elapsed(now))

    def remaining(self, now: float) -> float:
        """Return the longest time until it ends by itself, s."""
        return self.plan.duration - self.elapsed(now)

    def ending(
        self,
        state: MeasuredState,
        limits: Sequence[JointLimits],
        accepts: Callable[[EarlyStop], bool] = lambda _: True,
    ) -> Command:
        """Return the command that ends the present interval, or motion, early.

        It has one point, at rest. Who follows the motion asks for no more than that does, if it
        can; who does not comes to rest from how it moves.

        Parameters
        ----------
        state : MeasuredState
            State of the m actuators.
        limits : sequence of JointLimits
            Their limits.
        accepts : callable
            Whether a stop within these may be.

        Raises
        ------
        TrajectoryError
            If the motion is over sooner by itself.
        """
        within = extent_of(limits)
        starts = self._states(state, within)
        if not self._is_seen(state):
            starts = self._unseen(state, within)
            times = _STOP_TIMES[0], max(_STOP_TIMES[1], 2.0 * self.plan.wait)
            stop = shortest_stop(starts, within, times, end=state.position, accepts=accepts)
        elif starts is None:
            starts = drifting(state, within)
            stop = shortest_stop(starts, within, _STOP_TIMES, coasts=True, accepts=accepts)
        else:
            stop = self._braking(state, starts, within, accepts)
        return Command(stop.trajectory(self.plan.names), starts)

    def _braking(
        self,
        state: MeasuredState,
        starts: JointMotion,
        limits: MotionExtent,
        accepts: Callable[[EarlyStop], bool],
    ) -> EarlyStop:
        """Return how to come to rest from the motion, by its own bounds if that can be."""
        section = self.plan.section(self.elapsed(state.stamp))
        times = min(_STOP_TIMES[0], 0.5 * section.longest), section.longest
        remaining = self.remaining(state.stamp)
        stop = shortest_stop(starts, section.extent, times, accepts=accepts)
        if not stop.keeps or stop.duration > remaining:
            stop = shortest_stop(starts, limits, times, accepts=accepts)
        if self.begin is not None and stop.duration > remaining > 0.0:
            raise TrajectoryError(f'the motion is over in {remaining:.2f} s')
        return stop

    def _is_seen(self, state: MeasuredState) -> bool:
        """Return whether joint states tell anything of the motion."""
        is_due = state.stamp - self.sent > self.leaves_rest + _LATE
        return state.news > self.sent and not (self.begin is None and is_due)

    def _unseen(self, state: MeasuredState, limits: MotionExtent) -> JointMotion:
        """Return in which states actuators may be of which nothing is known since it was sent."""
        elapsed = state.stamp + state.age - self.sent + LATEST
        last = min(elapsed, self.plan.duration)
        planned = self.plan.sample(np.linspace(0.0, last, 2 + int(min(last / _FINE, _MOST))))
        starts = JointMotion(planned.position, planned.velocity, planned.acceleration)
        starts = joined(starts, resting(state))
        if not self.plan.wait:
            return starts
        elsewhere = anywhere(state, limits, self.reach)
        return joined(starts, coming(state, elsewhere, self.plan.wait, elapsed))

    def _states(self, state: MeasuredState, limits: MotionExtent) -> JointMotion | None:
        """Return in which states the controller may be when it takes up what is sent now."""
        news = max(state.news, self.sent)
        elapsed = 0.0, news - self.sent
        if self.begin is not None:
            since = news - self.begin
            elapsed = max(0.0, since - _UNSURE), min(since + _UNSURE, news - self.sent)
        return following(self.plan, state, elapsed, limits, self.sent)

"""A motion begun from where actuators are, and move, instead of where it was planned to begin.

What they are off by, and their rates, fade by a quintic until the end of the motion, so that its
first point asks for no more than the others. Where limits leave no room for that the motion takes
longer; it may have to wait until actuators that may be elsewhere are where they were seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.excitation.trajectory.command_check import check_command, extent_of
from spacerobot_id.excitation.trajectory.possible_states import (
    anywhere,
    MeasuredState,
    resting,
    setting_out,
    tracking_error,
)
from spacerobot_id.excitation.trajectory.stop import shortest_stop
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion, MotionExtent, Section
from spacerobot_id.kinematics.trajectory_motion import JointMotion, JointTrajectory, PlannedMotion
from spacerobot_id.model import JointLimits

_OFFSET = np.array([1.0, 0.0, 0.0, -10.0, 15.0, -6.0])
_RATE = np.array([0.0, 1.0, 0.0, -6.0, 8.0, -3.0])
"""Quintics of the phase that begin with a position, or a rate, of one and end at rest at zero."""

_STRETCHES = (1.0, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0)
"""How many times as long a motion may take that has to begin elsewhere; the least that does."""

_GRID = np.linspace(0.0, 1.0, 201)


@dataclass(frozen=True, eq=False)
class StartedMotion(ExcitingMotion):
    """A motion of m actuators, from a state near its start.

    Parameters
    ----------
    motion : ExcitingMotion
        Motion as it was planned.
    position, rate : ndarray, shape (m,)
        Where the actuators are (rad or m), and how they move.
    stretch : float
        How many times as long as planned it takes.
    wait : float
        Time at rest before, s.
    """

    motion: ExcitingMotion
    position: NDArray[np.float64]
    rate: NDArray[np.float64]
    stretch: float = 1.0
    wait: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the m actuators."""
        return self.motion.names

    @property
    def duration(self) -> float:
        """Duration of the wait and of the motion, s."""
        return self.wait + self.stretch * self.motion.duration

    @property
    def breaks(self) -> NDArray[np.float64]:
        """Times at which a controller needs a point, the start and the end among them, s."""
        breaks = self.wait + self.stretch * self.motion.breaks
        return np.concatenate([[0.0], breaks]) if self.wait else breaks

    def planned_time(self, time: float) -> float:
        """Return how far the planned motion is at a time of this one, s."""
        return float(np.clip((time - self.wait) / self.stretch, 0.0, self.motion.duration))

    def reordered(self, names: Sequence[str]) -> 'StartedMotion':
        """Return the motion with its actuators in another order."""
        order = [self.names.index(name) for name in names]
        return replace(
            self,
            motion=self.motion.reordered(names),
            position=self.position[order],
            rate=self.rate[order],
        )

    def moved(self, way: NDArray[np.float64]) -> 'StartedMotion':
        """Return the motion with all positions moved by a way, shape (m,), rad or m."""
        return replace(self, motion=self.motion.moved(way), position=self.position + way)

    def sample(self, times: ArrayLike) -> PlannedMotion:
        """Return the motion at given times since the start; at rest before and after it."""
        times = np.asarray(times, dtype=float)
        planned = self.motion.sample((times - self.wait) / self.stretch)
        fading = self._fading((times - self.wait) / (self.duration - self.wait))
        return PlannedMotion(
            times,
            planned.position + fading[0],
            planned.velocity / self.stretch + fading[1],
            planned.acceleration / self.stretch**2 + fading[2],
        )

    def extent(self) -> MotionExtent:
        """Return how far the motion goes."""
        return self._widened(self.motion.extent())

    def section(self, time: float) -> Section:
        """Return the part about some time since the start within which a stop has to stay."""
        section = self.motion.section(self.planned_time(time))
        return Section(self._widened(section.extent), self.stretch * section.longest)

    def joint_trajectory(
        self, names: Sequence[str] | None = None, step: float = 0.1, since: float = 0.0
    ) -> JointTrajectory:
        """Return the points of a trajectory, as of any motion; none before the wait is over."""
        points = super().joint_trajectory(names, step, since)
        kept = points.times > self.wait - since - 1e-9
        values = (points.positions, points.velocities, points.accelerations)
        return JointTrajectory(points.names, points.times[kept], *(each[kept] for each in values))

    def _widened(self, extent: MotionExtent) -> MotionExtent:
        """Return how far this motion goes where the planned one goes so far."""
        position, velocity, acceleration = (
            np.abs(each).max(axis=0) for each in self._fading(_GRID)
        )
        return MotionExtent(
            extent.lowest - position,
            extent.highest + position,
            extent.velocity / self.stretch + velocity,
            extent.acceleration / self.stretch**2 + acceleration,
        )

    def _fading(self, phases: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return what is left of offset and rate, and two derivatives, each of shape (N, m)."""
        length = self.duration - self.wait
        offset = self.position - self.motion.sample([0.0]).position[0]
        shapes = np.outer(_OFFSET, offset) + np.outer(_RATE, length * self.rate)
        inside = ((phases >= 0.0) & (phases <= 1.0))[:, None]
        before = (phases < 0.0)[:, None]
        values = [
            polynomial.polyval(np.clip(phases, 0.0, 1.0), polynomial.polyder(shapes, order)).T
            / length**order
            for order in range(3)
        ]
        return [
            np.where(inside, values[0], np.where(before, offset, 0.0)),
            np.where(inside, values[1], 0.0),
            np.where(inside, values[2], 0.0),
        ]


def _slow_enough(
    motion: StartedMotion, starts: JointMotion, limits: Sequence[JointLimits], step: float
) -> StartedMotion:
    """Return a motion as slow as limits need from all states that it may be taken up in.

    It is as it was planned if its first point may take up what actuators are off by.

    Parameters
    ----------
    motion : StartedMotion
        Motion as fast as it was planned.
    starts : JointMotion
        States, shape (S, m).
    limits : sequence of JointLimits
        Limits of the actuators.
    step : float
        Largest time between the points that are sent, s.

    Raises
    ------
    TrajectoryError
        If it keeps limits at no pace; names the actuator.
    """
    start = motion.motion.sample([0.0]).position[0]
    as_planned = replace(motion, position=start, rate=np.zeros(len(start)))
    slowed = (replace(motion, stretch=stretch) for stretch in _STRETCHES)
    for each in (as_planned, *slowed):
        try:
            check_command(each.joint_trajectory(step=step), starts, limits)
        except TrajectoryError as error:
            reason = error
        else:
            return each
    raise reason


_STILL = 0.05
"""Time without any news from joint states after which they may be frozen, s."""

_WAITS = 0.1, 600.0
"""Shortest and longest time that actuators may take to where they seem to be, s."""


def misplaced(
    motion: ExcitingMotion,
    state: MeasuredState,
    limits: Sequence[JointLimits],
    time: float = 0.0,
) -> str | None:
    """Return an actuator that is not where a motion has it at a time, s, if there is one.

    Parameters
    ----------
    motion : ExcitingMotion
        Motion of m actuators.
    state : MeasuredState
        Their state.
    limits : sequence of JointLimits
        Their limits.
    time : float
        Time since its start, s.
    """
    wanted = motion.sample([time]).position[0]
    off = np.abs(state.position - wanted) - state.position_noise
    off = off - tracking_error(extent_of(limits))
    worst = int(np.argmax(off))
    if off[worst] <= 0.0:
        return None
    here, there = state.position[worst], wanted[worst]
    return f'{motion.names[worst]} is at {here:.4g} and should be at {there:.4g}'


def needed_wait(state: MeasuredState, limits: Sequence[JointLimits], reach: float) -> float:
    """Return how long a motion has to wait for actuators that may be elsewhere, s.

    Joint states that repeat exactly are those of a robot that is perfectly still, or frozen.

    Parameters
    ----------
    state : MeasuredState
        State of the actuators.
    limits : sequence of JointLimits
        Their limits.
    reach : float
        How far from there they may be, rad or m.
    """
    if state.stamp - state.news <= _STILL or not reach:
        return 0.0
    within = extent_of(limits)
    starts = anywhere(state, within, reach)
    return shortest_stop(starts, within, _WAITS, end=state.position).duration


def taken_up(
    part: ExcitingMotion,
    state: MeasuredState,
    limits: Sequence[JointLimits],
    step: float,
    *,
    wait: tuple[float, float] | None = None,
    is_first: bool = False,
) -> tuple[StartedMotion, JointMotion]:
    """Return a part as it is sent, and the states in which it may be taken up.

    Parameters
    ----------
    part : ExcitingMotion
        Part of a plan.
    state : MeasuredState
        State of its actuators.
    limits : sequence of JointLimits
        Their limits.
    step : float
        Largest time between the points that are sent, s.
    wait : tuple of 2 floats, optional
        Time to wait before (s), and how far away they may be until then, rad or m.
    is_first : bool
        Whether nothing was sent before from which they come to rest.

    Raises
    ------
    TrajectoryError
        If it cannot be within limits; the message names the actuator.
    """
    if wait is not None:
        starts = anywhere(state, extent_of(limits), wait[1])
    else:
        starts = setting_out(state) if is_first else resting(state)
    is_known = (np.abs(state.rate) > state.rate_noise) & (is_first and wait is None)
    rate = np.where(is_known, state.rate, 0.0)
    begun = StartedMotion(part, state.position, rate, wait=wait[0] if wait is not None else 0.0)
    return _slow_enough(begun, starts, limits, step), starts

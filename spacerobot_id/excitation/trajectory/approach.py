"""A way to the start of a plan from where joints and wheels are, and on along the plan."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.excitation.constraint.limit_set import actuator_limits
from spacerobot_id.excitation.motion_search import interval_from_limits
from spacerobot_id.excitation.task import check_limits
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan, largest_range
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion, MotionExtent
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.model import RobotModel

_AT_START = 1e-9
"""Distance of joints from its start at which a motion needs no approach, rad or m."""


@dataclass(frozen=True, eq=False)
class ApproachedMotion(ExcitingMotion):
    """Cycloids that lead to the start of another motion, at rest there, and that motion.

    Parameters
    ----------
    approach : ExcitationPlan
        Way to the start.
    motion : ExcitingMotion
        Motion of the same actuators from there.
    """

    approach: ExcitationPlan
    motion: ExcitingMotion

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the m actuators: joints, then wheels."""
        return self.motion.names

    @property
    def breaks(self) -> NDArray[np.float64]:
        """Times of the knots of the approach, then those of the motion, s."""
        later = self.approach.duration + self.motion.breaks
        return np.concatenate([self.approach.breaks, later[1:]])

    def reordered(self, names: Sequence[str]) -> 'ApproachedMotion':
        """Return both with their actuators in another order."""
        return ApproachedMotion(self.approach.reordered(names), self.motion.reordered(names))

    def moved(self, way: NDArray[np.float64]) -> 'ApproachedMotion':
        """Return both with all positions moved by a way, shape (m,)."""
        return ApproachedMotion(self.approach.moved(way), self.motion.moved(way))

    @property
    def duration(self) -> float:
        """Duration of both, s."""
        return self.approach.duration + self.motion.duration

    def parts(self) -> tuple[ExcitingMotion, ...]:
        """Return the parts of the approach, then those of the motion."""
        return (*self.approach.parts(), *self.motion.parts())

    def sample(self, times: ArrayLike) -> PlannedMotion:
        """Return the motion at given times; at rest before the start and after the end.

        Parameters
        ----------
        times : array_like, shape (N,)
            Times since the start, s.
        """
        times = np.asarray(times, dtype=float)
        before = self.approach.sample(times)
        after = self.motion.sample(times - self.approach.duration)
        is_before = (times < self.approach.duration)[:, None]
        parts = ('position', 'velocity', 'acceleration')
        values = (
            np.where(is_before, getattr(before, part), getattr(after, part)) for part in parts
        )
        return PlannedMotion(times, *values)

    def extent(self) -> MotionExtent:
        """Return how far both go together."""
        before, after = self.approach.extent(), self.motion.extent()
        largest = {
            each.name: np.maximum(getattr(before, each.name), getattr(after, each.name))
            for each in fields(MotionExtent)
        }
        return MotionExtent(**{**largest, 'lowest': np.minimum(before.lowest, after.lowest)})


def with_approach(
    model: RobotModel,
    present: NDArray[np.float64],
    motion: ExcitingMotion,
    slowness: float = 1.0,
) -> ExcitingMotion:
    """Return a motion with cycloids before it that lead from the present to its start.

    The joints go straight. Wheels have no place where they must be: the motion goes on from where
    they are, and until then they turn to and fro, each half as often as the one before, so that
    the scale of the parameters shows from the first second on.

    Parameters
    ----------
    model : RobotModel
        Robot.
    present : ndarray, shape (n + w,)
        Positions of joints, then wheels, rad or m, at rest.
    motion : ExcitingMotion
        Motion; the first interval of cycloids gives the duration of those before it.
    slowness : float
        How many times as long those before it take as the robot's limits let them.

    Returns
    -------
    ExcitingMotion
        Cycloids if the motion is one of cycloids; the motion itself, its wheels turned, if the
        joints are at its start.

    Raises
    ------
    PlanningError
        If an actuator has no limit that gives the approach its time; names it.
    """
    joints, limits = len(model.joints), actuator_limits(model)
    begin = motion.sample([0.0]).position[0]
    way = begin[:joints] - present[:joints]
    if np.abs(way).max() <= _AT_START:
        return motion.moved(np.concatenate([np.zeros(joints), (present - begin)[joints:]]))
    check_limits(model, motion.names, limits, 1)
    is_cycloids = isinstance(motion, ExcitationPlan)
    interval = float(motion.durations[0]) if is_cycloids else interval_from_limits(limits)
    plateau = motion.plateau if is_cycloids else 0.0
    ranges = np.array([largest_range(limit, interval, plateau) for limit in limits])
    count = int(np.ceil(np.max(np.abs(way) / ranges[:joints])))
    share = np.arange(count + 1)[:, None] / count
    phase = np.arange(count)[:, None] >> np.arange(len(model.wheels))
    turned = np.cumsum((1 - 2 * (phase & 1)) * ranges[joints:], axis=0)
    turned = np.vstack([np.zeros(len(model.wheels)), turned])
    knots = np.hstack([present[:joints] + share * way, present[joints:] + turned])
    durations = np.full(count, slowness * interval)
    approach = ExcitationPlan(motion.names, knots, durations, plateau)
    moved = motion.moved(np.concatenate([np.zeros(joints), (knots[-1] - begin)[joints:]]))
    if not is_cycloids:
        return ApproachedMotion(approach, moved)
    return ExcitationPlan(
        names=motion.names,
        knots=np.vstack([approach.knots[:-1], moved.knots]),
        durations=np.concatenate([approach.durations, moved.durations]),
        plateau=plateau,
    )

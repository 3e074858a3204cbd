"""Taking up a trajectory: checked against limits, from where the reference motion is now.

A stop is taken from any motion: who sends it cannot know to the last rate where the joints are
when it comes.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.trajectory_motion import (
    JointMotion,
    JointTrajectory,
    TrajectoryMotion,
)
from spacerobot_id.model import JointLimits, RobotModel
from spacerobot_id.simulation.trajectory_check import (
    BeyondLimitsError,
    check_trajectory,
    POSITION_TOLERANCE,
    RATE_TOLERANCE,
    REST_TOLERANCE,
)

_AGE = 1.0
"""How long ago the joints may have been seen by who stops them, s."""

_STRETCH = np.geomspace(1.0, 16.0, 33)
"""Durations of a stop that are tried, relative to that asked for; first those as much shorter."""

_COASTS = np.array(sorted(np.linspace(0.0, 1.0, 21), key=lambda way: abs(way - 0.5)))
"""Ways of a stop that are tried, relative to that at the present rate; half of it first."""

_PHASES = np.linspace(0.0, 1.0, 33)


def joints_following(
    model: RobotModel, motion: TrajectoryMotion, trajectory: JointTrajectory, time: float
) -> TrajectoryMotion:
    """Return the motion of joints that take up a trajectory at some time.

    A trajectory of one point with rates and accelerations of zero, sent to joints that move, is a
    stop if they are, or were a second ago, near enough to reach it at their largest rates: where
    the way to it goes beyond limits, they come to rest as gently as they can.

    Parameters
    ----------
    model : RobotModel
        Robot, for names and limits of its joints.
    motion : TrajectoryMotion
        What the joints do until then.
    trajectory : JointTrajectory
        What they do from then on.
    time : float
        When, s.

    Raises
    ------
    TrajectoryError
        If they cannot follow it.
    """
    limits = {joint.name: joint.limits for joint in model.joints}
    return _following(model.joint_names, limits, motion, trajectory, time)


def wheels_following(
    model: RobotModel, motion: TrajectoryMotion, trajectory: JointTrajectory, time: float
) -> TrajectoryMotion:
    """Return the motion of wheels that take up a trajectory; see ``joints_following``."""
    limits = {wheel.name: JointLimits(velocity=wheel.rate_limit) for wheel in model.wheels}
    return _following(model.wheel_names, limits, motion, trajectory, time)


def _following(
    names: tuple[str, ...],
    limits: dict[str, JointLimits],
    motion: TrajectoryMotion,
    trajectory: JointTrajectory,
    time: float,
) -> TrajectoryMotion:
    now = motion.at([time])
    present = JointMotion(now.position[0], now.velocity[0], now.acceleration[0])
    try:
        check_trajectory(trajectory, names, limits, present)
    except BeyondLimitsError:
        bounds = _bounds(names, limits)
        if not _is_stop(trajectory, names, bounds['velocity'], present):
            raise
        trajectory = _gentlest_stop(float(trajectory.times[0]), names, bounds, present)
    return TrajectoryMotion.from_trajectory(trajectory, names, present, time)


def _bounds(
    names: tuple[str, ...], limits: Mapping[str, JointLimits]
) -> dict[str, NDArray[np.float64]]:
    """Return each kind of limit of all joints, shape (m,)."""
    own = [limits.get(name, JointLimits()) for name in names]
    kinds = ('lower', 'upper', 'velocity', 'acceleration')
    return {kind: np.array([getattr(each, kind) for each in own]) for kind in kinds}


def _is_stop(
    trajectory: JointTrajectory,
    names: tuple[str, ...],
    most: NDArray[np.float64],
    present: JointMotion,
) -> bool:
    """Return whether moving joints are sent to rest near where they are or were."""
    if len(trajectory.times) != 1 or trajectory.accelerations is None:
        return False
    columns = [trajectory.names.index(name) for name in names]
    way = np.abs(trajectory.positions[0, columns] - present.position)
    is_moving = (np.abs(present.velocity) > REST_TOLERANCE).any()
    return is_moving and (way <= most * (trajectory.times[0] + _AGE)).all()


def _gentlest_stop(
    asked: float,
    names: tuple[str, ...],
    bounds: Mapping[str, NDArray[np.float64]],
    present: JointMotion,
) -> JointTrajectory:
    """Return a stop within limits, in the time asked for, s, if there is one; else the gentlest.

    All joints rest at its end; each goes on by what asks the least of it.
    """
    best, least = None, np.inf
    for duration in asked * np.concatenate([1.0 / _STRETCH, _STRETCH[1:]]):
        ends = present.position + _COASTS[:, None] * duration * present.velocity
        loads = _loads(duration, ends, bounds, present)
        chosen = np.argmin(loads, axis=0), np.arange(len(names))
        if loads[chosen].max() < least:
            best, least = (duration, ends[chosen]), loads[chosen].max()
        if least <= 1.0 + RATE_TOLERANCE:
            break
    return _rest_at(names, *best)


def _rest_at(
    names: tuple[str, ...], duration: float, ends: NDArray[np.float64]
) -> JointTrajectory:
    """Return the trajectory of one point at rest."""
    rest = np.zeros((1, len(names)))
    return JointTrajectory(names, np.array([duration]), ends[None], rest, rest)


def _loads(
    duration: float,
    ends: NDArray[np.float64],
    bounds: Mapping[str, NDArray[np.float64]],
    present: JointMotion,
) -> NDArray[np.float64]:
    """Return the largest shares of limits that ways to rest take, shape (E, m) as the ends."""
    columns = tuple(map(str, range(ends.size)))
    start = JointMotion(
        *(
            np.tile(getattr(present, each), len(ends))
            for each in ('position', 'velocity', 'acceleration')
        )
    )
    asked = _rest_at(columns, duration, ends.ravel())
    way = TrajectoryMotion.from_trajectory(asked, columns, start).within_pieces(_PHASES)
    position, velocity, acceleration = (
        getattr(way, each)[0].reshape(len(_PHASES), *ends.shape)
        for each in ('position', 'velocity', 'acceleration')
    )
    beyond = np.maximum(bounds['lower'] - position, position - bounds['upper'])
    shares = (
        beyond / POSITION_TOLERANCE,
        np.abs(velocity) / bounds['velocity'],
        np.abs(acceleration) / bounds['acceleration'],
    )
    return np.maximum.reduce([each.max(axis=0) for each in shares])

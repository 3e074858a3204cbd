"""Taking up a trajectory: checked against limits, from where the reference motion is now.

A stop is taken from any motion: who sends it cannot know to the last rate where the joints are
when it comes.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.kinematics.trajectory_motion import (
    JointMotion,
    JointTrajectory,
    MAX_POINTS,
    TrajectoryMotion,
)
from spacerobot_id.model import JointLimits, RobotModel

START_TOLERANCE = 1e-3
"""How far a point at time zero may be from where the joint is, rad or m."""

REST_TOLERANCE = 1e-6
"""Largest rate at the last point that counts as rest, rad/s or m/s."""

POSITION_TOLERANCE = 1e-4
"""How far a position may be beyond its limit, rad or m."""

RATE_TOLERANCE = 1e-3
"""How far, relatively, rates and accelerations between the points may exceed their limits."""

_VALUES_PER_CHECK = 2_000_000
"""Values looked at between the points, about: bounds the time that a huge trajectory takes."""


class BeyondLimitsError(TrajectoryError):
    """A trajectory that is whole, but goes beyond limits on its way."""


def check_trajectory(
    trajectory: JointTrajectory,
    names: Sequence[str],
    limits: Mapping[str, JointLimits],
    present: JointMotion,
) -> None:
    """Raise an error if a trajectory cannot be followed from where the joints are.

    Parameters
    ----------
    trajectory : JointTrajectory
        What is asked for.
    names : sequence of str
        The m joints, all of which it must have, in any order.
    limits : mapping of str to JointLimits
        Limits by name; none for a joint that is not in it. They hold between the points, too.
    present : JointMotion
        Where the joints are and how they move, in the order of the names.

    Raises
    ------
    BeyondLimitsError
        If it goes beyond limits; the message names the joint and the time.
    TrajectoryError
        If it cannot be followed at all; the message names the joint and the point.
    """
    _check_names(trajectory, names)
    _check_sizes(trajectory)
    _check_values(trajectory)
    _check_times(trajectory)
    _check_ends(trajectory, names, present)
    _check_limits(trajectory, tuple(names), limits, present)


def _fields(trajectory: JointTrajectory) -> dict[str, NDArray[np.float64]]:
    """Return what the points have, by name."""
    named = {name: getattr(trajectory, name) for name in ('velocities', 'accelerations')}
    given = {name: values for name, values in named.items() if values is not None}
    return {'positions': trajectory.positions, **given}


def _check_names(trajectory: JointTrajectory, names: Sequence[str]) -> None:
    if not names:
        raise TrajectoryError('the robot has none to move')
    twice = [name for name, count in Counter(trajectory.names).items() if count > 1]
    unknown = [name for name in trajectory.names if name not in names]
    missing = [name for name in names if name not in trajectory.names]
    for fault, offenders in (
        ('is named twice', twice),
        ('is unknown here', unknown),
        ('is missing', missing),
    ):
        if offenders:
            raise TrajectoryError(f'joint {", ".join(map(repr, offenders))} {fault}')


def _check_sizes(trajectory: JointTrajectory) -> None:
    points = len(trajectory.times)
    if not points:
        raise TrajectoryError('no points')
    if points > MAX_POINTS:
        raise TrajectoryError(f'{points} points, more than {MAX_POINTS}')
    if trajectory.velocities is None and trajectory.accelerations is not None:
        raise TrajectoryError('accelerations without velocities')
    for field, values in _fields(trajectory).items():
        if values.shape != (points, len(trajectory.names)):
            wanted = f'{points} points of {len(trajectory.names)} joints'
            raise TrajectoryError(f'{field} of shape {values.shape} for {wanted}')


def _check_values(trajectory: JointTrajectory) -> None:
    for field, values in _fields(trajectory).items():
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            point, joint = bad[0]
            name, value = trajectory.names[joint], values[point, joint]
            raise TrajectoryError(f'joint {name!r}, point {point}: {field} has {value}')


def _check_times(trajectory: JointTrajectory) -> None:
    times = trajectory.times
    if not np.isfinite(times).all():
        raise TrajectoryError(f'point {np.argmin(np.isfinite(times))}: its time is not finite')
    if times[0] < 0.0:
        raise TrajectoryError(f'point 0: its time is negative, {times[0]:g} s')
    late = np.flatnonzero(np.diff(times) <= 0.0)
    if len(late):
        point = late[0] + 1
        reason = f'its time, {times[point]:g} s, is not after that of the point before'
        raise TrajectoryError(f'point {point}: {reason}, {times[point - 1]:g} s')


def _check_ends(trajectory: JointTrajectory, names: Sequence[str], present: JointMotion) -> None:
    """Check that the joints are where the trajectory starts, and rest where it ends."""
    columns = [trajectory.names.index(name) for name in names]
    gap = np.abs(trajectory.positions[0, columns] - present.position)
    if trajectory.times[0] == 0.0 and (gap > START_TOLERANCE).any():
        joint = int(np.argmax(gap))
        asked, here = trajectory.positions[0, columns[joint]], present.position[joint]
        reason = f'at {asked:g} at time zero, while the joint is at {here:g}'
        raise TrajectoryError(f'joint {names[joint]!r}, point 0: {reason}')
    if trajectory.times[-1] == 0.0:
        raise TrajectoryError('the only point is at time zero')
    if trajectory.velocities is None:
        return
    speed = np.abs(trajectory.velocities[-1])
    if (speed > REST_TOLERANCE).any():
        name, point = trajectory.names[int(np.argmax(speed))], len(trajectory.times) - 1
        raise TrajectoryError(f'joint {name!r}, point {point}: not at rest at the last point')


def _check_limits(
    trajectory: JointTrajectory,
    names: tuple[str, ...],
    limits: Mapping[str, JointLimits],
    present: JointMotion,
) -> None:
    """Check positions, rates and accelerations at and between the points."""
    motion = TrajectoryMotion.from_trajectory(trajectory, names, present)
    pieces = len(motion.knots) - 1
    phases = np.linspace(0.0, 1.0, int(np.clip(_VALUES_PER_CHECK // (pieces * len(names)), 3, 33)))
    inside = motion.within_pieces(phases)
    times = motion.knots[:-1, None] + phases * np.diff(motion.knots)[:, None]
    for joint, name in enumerate(names):
        bound = limits.get(name, JointLimits())
        slack = 1.0 + RATE_TOLERANCE
        _check_range(
            inside.position[..., joint],
            (bound.lower - POSITION_TOLERANCE, bound.upper + POSITION_TOLERANCE),
            f'joint {name!r}: position {{:g}} at {{:.3f}} s is beyond its limits, '
            f'{bound.lower:g} to {bound.upper:g}',
            times,
        )
        for what, most in (('velocity', bound.velocity), ('acceleration', bound.acceleration)):
            _check_range(
                getattr(inside, what)[..., joint],
                (-most * slack, most * slack),
                f'joint {name!r}: {what} {{:g}} at {{:.3f}} s is beyond its limit, {most:g}',
                times,
            )


def _check_range(
    values: NDArray[np.float64],
    allowed: tuple[float, float],
    reason: str,
    times: NDArray[np.float64],
) -> None:
    """Raise an error with the first value and its time that are not within a range."""
    bad = ~((values >= allowed[0]) & (values <= allowed[1]))
    if bad.any():
        first = int(np.argmax(bad))
        raise BeyondLimitsError(reason.format(values.flat[first], times.flat[first]))


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

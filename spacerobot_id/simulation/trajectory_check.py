"""Which trajectories are refused, and why: nothing is followed that is not wholly good (F36)."""

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
from spacerobot_id.model import JointLimits

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

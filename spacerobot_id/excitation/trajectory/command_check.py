"""Whether a trajectory keeps limits from wherever its controller may take it up.

A joint_trajectory_controller goes to the first point by a quintic from where its joints are, or
are to be, with their rates and accelerations, or by a cubic where it knows no accelerations. Who
sends a trajectory knows that state as well as it was measured, and not when the controller takes
the message up: a command keeps limits if it does from all states that there may be by then.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import TrajectoryError
from spacerobot_id.excitation.trajectory.trajectory import MotionExtent
from spacerobot_id.kinematics.trajectory_motion import (
    JointMotion,
    JointTrajectory,
    TrajectoryMotion,
)
from spacerobot_id.model import JointLimits

ALLOWED = 1.001
"""Share of a limit up to which a command is sent."""

_PHASES = np.linspace(0.0, 1.0, 33)
_POWERS = np.array(
    [
        [np.polyval(np.polyder(row, order), _PHASES) for row in np.eye(6)[::-1]]
        for order in range(3)
    ]
)
"""Powers 0 to 5 of the phase and their first two derivatives, shape (3, 6, P)."""

_KINDS = ('position', 'rate', 'acceleration')


def extent_of(limits: Sequence[JointLimits]) -> MotionExtent:
    """Return how far limits let actuators go."""
    keys = ('lower', 'upper', 'velocity', 'acceleration')
    return MotionExtent(*(np.array([getattr(each, key) for each in limits]) for key in keys))


def check_command(
    trajectory: JointTrajectory, starts: JointMotion, limits: Sequence[JointLimits]
) -> None:
    """Raise if a trajectory may exceed a limit; names the actuator.

    Parameters
    ----------
    trajectory : JointTrajectory
        Trajectory of m actuators, with rates and accelerations.
    starts : JointMotion
        States in which its controller may take it up, shape (S, m).
    limits : sequence of JointLimits
        Limits of the actuators.

    Raises
    ------
    TrajectoryError
        If more than ``ALLOWED`` of a limit would be asked for.
    """
    extent = _reaching(extent_of(limits), starts)
    targets = (trajectory.positions, trajectory.velocities, trajectory.accelerations)
    first = JointMotion(*(each[:1] for each in targets))
    shares = way_shares(starts, first, float(trajectory.times[0]), extent)[:, 0]
    start, kind, place = np.unravel_index(int(np.argmax(shares)), shares.shape)
    most, later = shares[start, kind, place], _later_shares(trajectory, extent)
    if later.max() > max(most, ALLOWED):
        kind, place = np.unravel_index(int(np.argmax(later)), later.shape)
        most = later[kind, place]
    if most > ALLOWED:
        position, rate = starts.position[start, place], starts.velocity[start, place]
        raise TrajectoryError(
            f'{trajectory.names[place]}: from {position:.4g}, moving at {rate:.3g} per s, the '
            f'command would ask for {most:.3g} times the limit of its {_KINDS[kind]}'
        )


def _reaching(extent: MotionExtent, starts: JointMotion) -> MotionExtent:
    """Return limits that leave room for actuators which are beyond them already."""
    return replace(
        extent,
        lowest=np.minimum(extent.lowest, starts.position.min(axis=0)),
        highest=np.maximum(extent.highest, starts.position.max(axis=0)),
    )


def way_shares(
    starts: JointMotion,
    targets: JointMotion,
    duration: float,
    extent: MotionExtent,
    stride: int = 1,
) -> NDArray[np.float64]:
    """Return the largest shares of limits on the ways from states to points, by either spline.

    A rate or acceleration beyond its limit at the start is no fault of the way, nor is a position.

    Parameters
    ----------
    starts : JointMotion
        States, shape (S, m).
    targets : JointMotion
        Points, shape (E, m).
    duration : float
        Time from one to the other, s.
    extent : MotionExtent
        Limits.
    stride : int
        Which of the phases are looked at: a power of two.

    Returns
    -------
    ndarray, shape (S, E, 3, m)
        Of positions, 0 where they keep to their range, of rates and of accelerations.
    """
    begin = [
        each[:, None] * duration**order
        for order, each in enumerate((starts.position, starts.velocity, starts.acceleration))
    ]
    end = [
        each[None] * duration**order
        for order, each in enumerate((targets.position, targets.velocity, targets.acceleration))
    ]
    splines = (_quintic(begin, end), _cubic(begin, end))
    bends = (np.abs(begin[2]), np.zeros_like(begin[2]))  # a cubic begins with one of its own
    return np.maximum(
        *(
            _shares(_POWERS[..., ::stride], spline, begin, bend, duration, extent)
            for spline, bend in zip(splines, bends, strict=True)
        )
    )


def _quintic(
    begin: list[NDArray[np.float64]], end: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return coefficients of the powers of the phase, shape (6, S, E, m)."""
    way, rate, bend = end[0] - begin[0], begin[1], begin[2]
    zero = np.zeros_like(way)
    return np.stack(
        [
            begin[0] + zero,
            rate + zero,
            0.5 * bend + zero,
            10.0 * way - 6.0 * rate - 4.0 * end[1] - 1.5 * bend + 0.5 * end[2],
            -15.0 * way + 8.0 * rate + 7.0 * end[1] + 1.5 * bend - end[2],
            6.0 * way - 3.0 * rate - 3.0 * end[1] - 0.5 * bend + 0.5 * end[2],
        ]
    )


def _cubic(
    begin: list[NDArray[np.float64]], end: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the same of the cubic, which takes no accelerations, shape (4, S, E, m)."""
    way, rate = end[0] - begin[0], begin[1]
    zero = np.zeros_like(way)
    second, third = 3.0 * way - 2.0 * rate - end[1], -2.0 * way + rate + end[1]
    return np.stack([begin[0] + zero, rate + zero, second, third])


def _shares(
    powers: NDArray[np.float64],
    spline: NDArray[np.float64],
    begin: list[NDArray[np.float64]],
    bend: NDArray[np.float64],
    duration: float,
    extent: MotionExtent,
) -> NDArray[np.float64]:
    """Return the largest shares of a spline, shape (S, E, 3, m)."""
    path, speed, push = (np.tensordot(each[: len(spline)].T, spline, axes=1) for each in powers)
    position = _position_share(path, begin[0], extent)
    rate = np.abs(speed).max(axis=0) / _limit(extent.velocity * duration, np.abs(begin[1]))
    acceleration = np.abs(push).max(axis=0) / _limit(extent.acceleration * duration**2, bend)
    return np.stack([position, rate, acceleration], axis=-2)


def _position_share(
    path: NDArray[np.float64], start: NDArray[np.float64], extent: MotionExtent
) -> NDArray[np.float64]:
    """Return one and what lies beyond the range in halves of it, zero where nothing does."""
    half = 0.5 * (extent.highest - extent.lowest)
    half = np.where(np.isfinite(half), _limit(half, 0.0), 1.0)
    outside = np.maximum(extent.lowest - start, start - extent.highest).clip(min=0.0)
    beyond = np.maximum(path - extent.highest, extent.lowest - path).max(axis=0) - outside
    return np.where(beyond > 0.0, 1.0 + beyond / half, 0.0)


def _limit(
    limit: NDArray[np.float64], at_start: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return a limit, or what there is already if that is more; never zero."""
    return np.maximum(np.maximum(limit, at_start), np.finfo(float).tiny)


def _later_shares(trajectory: JointTrajectory, extent: MotionExtent) -> NDArray[np.float64]:
    """Return the largest shares after the first point, shape (3, m)."""
    if len(trajectory.times) == 1:
        return np.zeros((3, len(trajectory.names)))
    given = (trajectory.positions, trajectory.velocities, trajectory.accelerations)
    present = JointMotion(*(each[0] for each in given))
    rest = JointTrajectory(
        trajectory.names,
        trajectory.times[1:] - trajectory.times[0],
        *(each[1:] for each in given),
    )
    motion = TrajectoryMotion.from_trajectory(rest, trajectory.names, present)
    inside = motion.within_pieces(_PHASES)
    position, velocity, acceleration = (
        np.asarray(getattr(inside, each)).reshape(-1, len(trajectory.names))
        for each in ('position', 'velocity', 'acceleration')
    )
    return np.stack(
        [
            _position_share(position, present.position, extent),
            np.abs(velocity).max(axis=0) / _limit(extent.velocity, 0.0),
            np.abs(acceleration).max(axis=0) / _limit(extent.acceleration, 0.0),
        ]
    )

"""Coming to rest early: all actuators by one spline each, in the same time.

A controller takes the command up a little later than the motion was seen, by an unknown time; so
the shortest time is taken in which the ways to rest from all states that there may be by then keep
given bounds. Where they end is free: to be at rest where a motion would end can ask too much.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.trajectory.command_check import ALLOWED, way_shares
from spacerobot_id.excitation.trajectory.trajectory import MotionExtent
from spacerobot_id.kinematics.trajectory_motion import JointMotion, JointTrajectory

_KEPT = 1.0 + 1e-6
"""Load up to which a stop keeps its bounds."""

_TIMES = 20
"""Times that are tried."""

_STRIDE = 2
"""How coarsely a way is looked at while it is searched for."""

_ENDS = np.linspace(-1.0, 1.0, 13)
"""Ends that are tried, in units of how far the largest rate goes in that time; then finer."""

_SLOWEST = 1e-12
"""Least acceleration that counts, rad/s^2 or m/s^2."""

_FASTEST = 1e6
"""Rate that no actuator has, rad/s or m/s, where none is limited."""


@dataclass(frozen=True, eq=False)
class EarlyStop:
    """Where all actuators come to rest, and when.

    Parameters
    ----------
    duration : float
        Time that it takes, s.
    position : ndarray, shape (m,)
        Where they end, rad or m.
    load : float
        Largest share of the bounds that is asked for.
    """

    duration: float
    position: NDArray[np.float64]
    load: float

    @property
    def keeps(self) -> bool:
        """Whether the bounds are kept."""
        return self.load <= _KEPT

    def trajectory(self, names: tuple[str, ...]) -> JointTrajectory:
        """Return the trajectory of one point, at rest."""
        rest = np.zeros((1, len(names)))
        return JointTrajectory(names, np.array([self.duration]), self.position[None], rest, rest)


def shortest_stop(
    starts: JointMotion,
    extent: MotionExtent,
    times: tuple[float, float],
    *,
    end: NDArray[np.float64] | None = None,
    coasts: bool = False,
    accepts: Callable[['EarlyStop'], bool] = lambda _: True,
) -> EarlyStop:
    """Return the shortest way to rest that keeps bounds; the gentlest if none does.

    Parameters
    ----------
    starts : JointMotion
        States in which a controller may take it up, shape (S, m); the first is the likeliest.
    extent : MotionExtent
        Bounds of positions, rates and accelerations.
    times : tuple of 2 floats
        Shortest and longest time that is tried, s.
    end : ndarray, shape (m,), optional
        Where all come to rest; free if None.
    coasts : bool
        Whether they come to rest where a constant deceleration takes them.
    accepts : callable
        Whether a stop that keeps the bounds may be.
    """
    slowing = np.abs(starts.velocity).max(axis=0) / np.maximum(extent.acceleration, _SLOWEST)
    first = min(max(times[0], float(slowing.max())), times[1])
    find = partial(_gentlest, starts, extent)
    if end is not None:
        find = partial(_to, starts, extent, end)
    elif coasts:
        find = partial(_coasting, starts, extent)
    stops = []
    for duration in np.geomspace(first, times[1], _TIMES).tolist():
        stops.append(find(duration))
        if not stops[-1].keeps:
            continue
        end = stops[-1].position[None]
        is_kept = _loads(starts, extent, end, duration, stride=1).max() <= ALLOWED
        if is_kept and accepts(stops[-1]):
            return stops[-1]
    return min(stops, key=lambda stop: stop.load)


def _to(
    starts: JointMotion, extent: MotionExtent, end: NDArray[np.float64], duration: float
) -> EarlyStop:
    """Return the way to rest at given ends."""
    return EarlyStop(duration, end, float(_loads(starts, extent, end[None], duration).max()))


def _coasting(starts: JointMotion, extent: MotionExtent, duration: float) -> EarlyStop:
    """Return the way to rest by a constant deceleration, within the range of positions."""
    end = starts.position[0] + 0.5 * duration * starts.velocity[0]
    return _to(starts, extent, _within(end, starts, extent), duration)


def _gentlest(starts: JointMotion, extent: MotionExtent, duration: float) -> EarlyStop:
    """Return where to end in a given time so that the least is asked of each actuator."""
    fastest = np.minimum(extent.velocity, duration * extent.acceleration)
    middle, reach = starts.position.mean(axis=0), duration * np.minimum(fastest, _FASTEST)
    columns = np.arange(len(middle))
    for _ in range(2):  # the largest of loads is convex in the end
        ends = _within(middle + _ENDS[:, None] * reach, starts, extent)
        loads = _loads(starts, extent, ends, duration)
        best = np.argmin(loads, axis=0), columns
        middle, reach = ends[best], 2.0 * reach / (len(_ENDS) - 1)
    return EarlyStop(duration, middle, float(loads[best].max()))


def _within(
    ends: NDArray[np.float64], starts: JointMotion, extent: MotionExtent
) -> NDArray[np.float64]:
    """Return ends within the range, or as far out of it as the actuators are."""
    lowest = np.minimum(extent.lowest, starts.position.min(axis=0))
    return np.clip(ends, lowest, np.maximum(extent.highest, starts.position.max(axis=0)))


def _loads(
    starts: JointMotion,
    extent: MotionExtent,
    ends: NDArray[np.float64],
    duration: float,
    stride: int = _STRIDE,
) -> NDArray[np.float64]:
    """Return the largest shares from all starts to rest at each end, shape (E, m)."""
    rest = JointMotion.at_rest(ends)
    return way_shares(starts, rest, duration, extent, stride).max(axis=(0, 2))

"""Ending a motion early: all actuators to rest by one quintic each, in the same time.

A controller gets the command a little later than the motion was seen, by an unknown time; so
the shortest time is taken in which quintics from wherever it may be by then ask no more than the
motion itself does where it is: of positions, rates and accelerations. Where they end is free
between its ends: to be at rest earlier than there, or exactly there, can ask too much.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion, MotionExtent
from spacerobot_id.kinematics.planned_motion import PlannedMotion

LONGEST_DELAY = 0.1
"""Longest delay of the command that is reckoned with, as a share of the longest stop."""

_SHORTEST = 0.05
"""Shortest stop that is tried, as a share of the longest."""

_ALLOWED = 1.0 + 1e-9
"""Load up to which a stop asks no more than the motion."""

_DELAYS = np.linspace(0.0, 1.0, 5)
_PHASES = np.linspace(0.0, 1.0, 41)
_TIMES = 39
_ENDS = np.linspace(-1.0, 1.0, 121)
"""Ends that are tried, in units of how far the largest rate goes in that time."""

_BEYOND = 200.0
"""Weight of what goes beyond the ends of the motion, where position limits may be."""


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
        Largest rate or acceleration, relative to those of the motion.
    """

    duration: float
    position: NDArray[np.float64]
    load: float


def stop_early(motion: ExcitingMotion, elapsed: float, delay: float) -> EarlyStop:
    """Return the shortest way to rest that asks no more than the motion; else the gentlest.

    Parameters
    ----------
    motion : ExcitingMotion
        Motion of m actuators.
    elapsed : float
        Time since its start at which it was seen last, s.
    delay : float
        Longest time until the controller starts to brake, s.
    """
    section = motion.section(elapsed)
    longest = max(section.longest, np.finfo(float).tiny)
    delay = min(delay, LONGEST_DELAY * longest)
    starts = motion.sample(elapsed + delay * _DELAYS)
    extent, stops = section.extent, []
    for duration in np.geomspace(max(2.0 * delay, _SHORTEST * longest), longest, _TIMES).tolist():
        stop = _gentlest(starts, extent, duration)
        if stop.load <= _ALLOWED:
            return stop
        stops.append(stop)
    return min(stops, key=lambda stop: stop.load)


def _gentlest(starts: PlannedMotion, extent: MotionExtent, duration: float) -> EarlyStop:
    """Return where to end in a given time so that the least is asked of each actuator."""
    ends = starts.position[0] + _ENDS[:, None] * duration * extent.velocity
    ends = np.clip(ends, extent.lowest, extent.highest)
    loads = _loads(starts, extent, ends, duration)
    best = np.argmin(loads, axis=0)
    columns = np.arange(ends.shape[1])
    return EarlyStop(duration, ends[best, columns], float(loads[best, columns].max()))


def _loads(
    starts: PlannedMotion, extent: MotionExtent, ends: NDArray[np.float64], duration: float
) -> NDArray[np.float64]:
    """Return the largest loads from all starts to each end, shape (E, m)."""
    position = starts.position[:, None]
    first = duration * starts.velocity[:, None]
    second = 0.5 * duration**2 * starts.acceleration[:, None]
    way = ends - position
    third = 10.0 * way - 6.0 * first - 3.0 * second
    fourth = -15.0 * way + 8.0 * first + 3.0 * second
    fifth = 6.0 * way - 3.0 * first - second
    still = np.zeros_like(way)
    coefficients = np.stack(
        [position + still, first + still, second + still, third, fourth, fifth]
    )
    powers = _PHASES ** np.arange(6)[:, None]
    degree = np.arange(1, 6)[:, None, None, None]
    rates = degree * coefficients[1:]
    path = np.tensordot(powers.T, coefficients, axes=1)
    speed = np.abs(np.tensordot(powers[:5].T, rates, axes=1)).max(axis=0) / duration
    push = np.abs(np.tensordot(powers[:4].T, degree[:-1] * rates[1:], axes=1)).max(axis=0)
    beyond = np.maximum(path - extent.highest, extent.lowest - path).max(axis=0).clip(min=0.0)
    tiny = np.finfo(float).tiny
    load = np.maximum(
        speed / np.maximum(extent.velocity, tiny),
        push / duration**2 / np.maximum(extent.acceleration, tiny),
    )
    span = np.maximum(extent.highest - extent.lowest, tiny)
    return (load + _BEYOND * beyond / span).max(axis=0)

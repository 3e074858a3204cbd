"""Stamps of receipt on a coarse grid, put back to the even times of the frames they are of.

A camera takes frames at even times; where messages are stamped as they are received, by a clock of
coarse ticks, stamps jump about those times. That shows by itself: along even times the motion is
smoother. What is common to all frames, the latency, remains; it is a delay to be estimated.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.signal.smooth_path import SmoothPath

_FEWEST = 20
"""Stamps below which nothing is said."""

_LEAST_TICK = 1e-3
"""Least tick that counts as coarse, s."""

_ON_GRID = 0.02
"""Share of a tick within which stamps are on a grid."""

_APART = 20
"""Stamps that frames are counted along first, before a fifth more."""

_PHASES = 20
"""Places of the first frame that are tried, within the time of one."""

_MOST_TICKS = 2.0
"""Most ticks by which a stamp may be off its frame."""

_SMOOTHER = 0.7
"""Roughness along even times over that along the stamps below which they are believed."""

_KNOTS = 0.3
"""Distance of the knots of the curve that roughness is about, s."""


def restamped(
    stamps: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the even times of frames with stamps on a coarse grid; None if they are not such.

    Parameters
    ----------
    stamps : ndarray, shape (N,)
        Stamps, strictly increasing, s.
    values : ndarray, shape (N, w)
        What was read: positions and attitudes, say, without jumps of their signs.
    """
    if len(stamps) < _FEWEST:
        return None
    steps = np.diff(stamps)
    tick = float(steps.min())
    ticks = (stamps - stamps[0]) / tick
    jumps = np.round(steps / tick)
    on_grid = np.abs(ticks - np.round(ticks)).max() < _ON_GRID
    if tick < _LEAST_TICK or not on_grid or len(np.unique(jumps)) < 2:
        return None
    frame = float(np.median(steps))
    phases = frame * np.linspace(-0.5, 0.5, _PHASES, endpoint=False)
    found = [_even(stamps, stamps[0] - phase, frame) for phase in phases]
    every = np.arange(float(len(stamps)))
    found.append(np.polyval(np.polyfit(every, stamps, 1), every))  # if no frame is lost
    found = [
        even
        for even in found
        if (np.diff(even) > 0.0).all() and np.abs(even - stamps).max() < _MOST_TICKS * tick
    ]
    if not found:
        return None
    rough = [_roughness(even, values) for even in found]
    best = int(np.argmin(rough))
    return found[best] if rough[best] < _SMOOTHER * _roughness(stamps, values) else None


def _even(stamps: NDArray[np.float64], begin: float, frame: float) -> NDArray[np.float64]:
    """Return even times near stamps, the first of them about a time.

    Their distance gets more exact the more of them are counted.
    """
    known = _APART
    while True:
        count = np.round((stamps[:known] - begin) / frame)
        frame, begin = np.polyfit(count, stamps[:known], 1)
        if known >= len(stamps):
            return begin + frame * count
        known += max(known // 5, 1)


def _roughness(times: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Return how far values are off a smooth curve: the product of their deviations.

    What does not move, such as a base's height above a table, is off by its noise along any times,
    and does not change how the roughness along some compares with that along others.
    """
    values = values[:, np.ptp(values, axis=0) > 0.0]
    curve = SmoothPath.through(times, values, spacing=_KNOTS).at(times)[0]
    return float(np.prod(np.std(values - curve, axis=0)))

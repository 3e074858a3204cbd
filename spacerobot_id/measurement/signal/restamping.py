"""Stamps of receipt, put back to the even times of the frames they are of.

A camera takes frames at even times; where messages are stamped as they are received, after a
transport that takes now more and now less time, or by a clock of coarse ticks, stamps jump about
those times. That shows by itself: along even times the motion is smoother. What is common to all
frames, the latency, remains; it is a delay to be estimated.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.signal.smooth_path import SmoothPath

_FEWEST = 20
"""Stamps below which there is no result."""

_EVEN = 0.01
"""Share of a frame by which stamps may be off even ones and need no others."""

_APART = 20
"""Stamps that frames are counted along first, before a fifth more."""

_PHASES = 20
"""Places of the first frame that are tried, within the time of one."""

_SURE = 3.0
"""Deviations by which the distance of frames by their earliest stamps may differ from that by all:
where ticks and frames drift apart the earliest ones are not late alike."""

_MOST = 1.0
"""Most frames by which a stamp may be off its own."""

_SMOOTHER = 0.7
"""Roughness along even times over that along the stamps below which they are believed."""

_KNOTS = 0.3
"""Distance of the knots of the curve that roughness is about, s."""


def restamped(
    stamps: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the even times of frames that were stamped on receipt; None if they were not.

    Parameters
    ----------
    stamps : ndarray, shape (N,)
        Stamps, strictly increasing, s.
    values : ndarray, shape (N, w)
        What was read: positions and attitudes, for instance, without jumps of their signs.
    """
    if len(stamps) < _FEWEST:
        return None
    steps = np.diff(stamps)
    frame = float(np.median(steps))
    if np.abs(steps - frame * np.round(steps / frame)).max() < _EVEN * frame:
        return None
    phases = frame * np.linspace(-0.5, 0.5, _PHASES, endpoint=False)
    counts = [_counted(stamps, stamps[0] - phase, frame) for phase in phases]
    counts.append(np.arange(float(len(stamps))))  # if no frame is lost
    counts = np.unique([count - count[0] for count in counts], axis=0)  # few are different
    found = [(count, _line(count, stamps)) for count in counts if (np.diff(count) > 0.0).all()]
    found = [(count, even) for count, even in found if np.abs(even - stamps).max() < _MOST * frame]
    if not found:
        return None
    rough = [_roughness(even, values) for _, even in found]
    best = int(np.argmin(rough))
    if rough[best] >= _SMOOTHER * _roughness(stamps, values):
        return None
    count, even = found[best]
    earliest = _earliest(count, stamps)
    late = stamps - even
    chance = _SURE * np.std(late) * np.sqrt(12.0 / len(stamps))
    return earliest if np.ptp(earliest - even) < chance else even


def _counted(stamps: NDArray[np.float64], begin: float, frame: float) -> NDArray[np.float64]:
    """Return the numbers of frames with stamps, the first of them about a time.

    Their distance gets more exact the more of them are counted.
    """
    known = _APART
    while True:
        count = np.round((stamps[:known] - begin) / frame)
        if known >= len(stamps):
            return count
        frame, begin = np.polyfit(count, stamps[:known], 1)
        known += max(known // 5, 1)


def _line(count: NDArray[np.float64], stamps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return even times amid stamps of counted frames."""
    return np.polyval(np.polyfit(count, stamps, 1), count)


def _earliest(count: NDArray[np.float64], stamps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return even times of counted frames as late as none of their stamps is early.

    Receipts are late by chance and never early: those that are the least late show the distance of
    the frames far better than all of them do (Moon, Skelly and Towsley, Estimation and removal of
    clock skew from network delay measurements, 1999). Of all lines below the stamps this is the
    nearest to them: the edge of their lower convex hull at the middle of the counts.
    """
    hull: list[int] = []
    for k in range(len(count)):
        while len(hull) > 1:
            i, j = hull[-2:]
            run = count[[j, k]] - count[i]
            rise = stamps[[j, k]] - stamps[i]
            if rise[0] * run[1] < rise[1] * run[0]:
                break
            hull.pop()
        hull.append(k)
    after = int(np.clip(np.searchsorted(count[hull], count.mean()), 1, len(hull) - 1))
    i, j = hull[after - 1 : after + 1]
    frame = (stamps[j] - stamps[i]) / (count[j] - count[i])
    return stamps[i] + frame * (count - count[i])


def _roughness(times: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Return how far values are off a smooth curve: the product of their deviations.

    What does not move, such as a base's height above a table, is off by its noise along any times,
    and does not change how the roughness along some compares with that along others.
    """
    values = values[:, np.ptp(values, axis=0) > 0.0]
    curve = SmoothPath.through(times, values, spacing=_KNOTS).at(times)[0]
    return float(np.prod(np.std(values - curve, axis=0)))

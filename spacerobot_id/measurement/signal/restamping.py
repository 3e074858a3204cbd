"""Stamps of receipt, put back to the even times of the frames they are of.

A camera takes frames at even times; where messages are stamped as they are received, after a
transport that takes now more and now less time, or by a clock of coarse ticks, stamps jump about
those times. That shows by itself: along even times the motion is smoother. What is common to all
frames, the latency, remains; it is a delay to be estimated.
"""

from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray

from spacerobot_id.measurement.signal.smooth_path import SmoothPath

_FEWEST = 20
"""Stamps below which there is no result."""

_EVEN = 0.01
"""Share of a frame by which stamps may be off even ones and need no others."""

_AROUND = (12, 20)
"""Frames before and after a place whose least lags are compared: some are received soon, and few
are lost."""

_APART = 8
"""Frames over which their distance is taken: ticks and transports hardly show, few are lost."""

_LOST = 0.6
"""Share of a frame by which the lag rises for good where one was lost."""

_ROUNDS = 3
"""Times that the distance of frames is found again from their numbers."""

_SPAN, _DEGREE = 26, 11
"""Frames on each side of a lost one that are compared, and degree of polynomials through them."""

_SWEEPS, _MOST_LOST = 3, 50
"""Most times that places are looked for, and most of these."""

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
    frame = float(np.median(stamps[_APART:] - stamps[:-_APART])) / _APART
    none_lost = np.arange(float(len(stamps)))
    counts = [_counted(stamps, frame, none_lost, around) for around in _AROUND]
    counts = np.unique([none_lost, *counts], axis=0)
    counts = [_with_places(count, stamps, values) for count in counts]
    rough = [_roughness(_line(count, stamps), values) for count in counts]
    count, rough = counts[int(np.argmin(rough))], min(rough)
    even = _line(count, stamps)
    is_near = np.abs(even - stamps).max() < _MOST * frame
    if not is_near or rough >= _SMOOTHER * _roughness(stamps, values):
        return None
    earliest = _earliest(count, stamps)
    late = stamps - even
    chance = _SURE * np.std(late) * np.sqrt(12.0 / len(stamps))
    return earliest if np.ptp(earliest - even) < chance else even


def _counted(
    stamps: NDArray[np.float64], frame: float, known: NDArray[np.float64], around: int
) -> NDArray[np.float64]:
    """Return the numbers of frames with stamps, by their accumulated lag beside those known.

    Receipts are late by now more and now less, but the least of some lags in a row are alike:
    they rise by the distance of frames, for good, where one was lost.
    """
    for _ in range(_ROUNDS):
        count = known.copy()
        for _ in range(_MOST_LOST):
            rise = _rise(stamps - frame * count, around)
            place = int(np.argmax(rise > _LOST * frame))
            if rise[place] <= _LOST * frame:
                break
            count[place + 1 :] += max(round(rise[place] / frame), 1)
        frame = float(np.polyfit(count, stamps, 1)[0])
    return count


def _rise(lag: NDArray[np.float64], around: int) -> NDArray[np.float64]:
    """Return by how much the least lags after each but the last exceed those before, (N - 1,).

    Zero where there are too few on one side.
    """
    aside, few = np.full(around - 1, np.inf), around // 2
    before = sliding_window_view(np.concatenate([aside, lag[:-1]]), around)
    after = sliding_window_view(np.concatenate([lag[1:], aside]), around)
    rise = after.min(axis=1) - before.min(axis=1)
    rise[:few] = rise[len(rise) - few :] = 0.0
    return rise


def _with_places(
    count: NDArray[np.float64], stamps: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return numbers of frames with the lost ones where the motion around them is smoothest.

    One that is lost soon after another shows when that has its place. Where motion is no smoother
    than along the stamps, no frames are even.
    """
    received = _roughness(stamps, values)
    for _ in range(_SWEEPS):
        before = count
        for place in np.flatnonzero(np.diff(count) > 1.0)[:_MOST_LOST].tolist():
            around = slice(max(place - _SPAN, 0), place + _SPAN)
            tried = [count, *_elsewhere(count, place)]
            rough = _off_polynomials(np.array(tried)[:, around], values[around])
            count = tried[int(np.argmin(rough))]
        count = _counted(stamps, float(np.polyfit(count, stamps, 1)[0]), count, min(_AROUND))
        is_smoother = _roughness(_line(count, stamps), values) < received
        if np.array_equal(count, before) or not is_smoother:
            break
    return count


def _off_polynomials(
    counts: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return how far values are off polynomials of each of C counts, (C, N), as ``_roughness``."""
    values = values[:, np.ptp(values, axis=0) > 0.0]
    middle = 0.5 * (counts[:, :1] + counts[:, -1:])
    basis = np.linalg.qr(chebvander((counts - middle) / (counts[:, -1:] - middle), _DEGREE))[0]
    left = values - basis @ (np.swapaxes(basis, 1, 2) @ values)
    return np.prod(np.std(left, axis=1), axis=-1)


def _elsewhere(count: NDArray[np.float64], place: int) -> Iterator[NDArray[np.float64]]:
    """Yield numbers with a frame lost some frames from a place, or not at all."""
    most = max(_AROUND)
    near = range(place - most, place), range(place + 1, place + most + 1)
    for end in (*near[0], *near[1], len(count)):
        moved = count.copy()
        first, last = sorted((place, min(end, len(count) - 1)))
        moved[first + 1 : last + 1] += 1.0 if end < place else -1.0
        if end >= 0 and (np.diff(moved) > 0.0).all():
            yield moved


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

"""Readings that are far from where their neighbours go.

Those of a fast stream are replaced by these: one reading that is far out would move all averages
that it is part of. What cubics through two neighbours on each side leave of a reading (its fourth
difference) has no motion in it where a stream is fast, only noise: an outlier is many times the
middle one of these (Hampel's identifier; Pearson, Outliers in process modeling and
identification, 2002). Joint rates are judged by the positions around them at any rate.
"""

import numpy as np
from numpy.typing import NDArray

_BEYOND = 10.0
"""Times the middle distance from neighbours that is no noise: nine standard deviations."""

_STATED, _STEPS = 6.0, 3.0
"""The same in standard deviations that are stated, and in the smallest steps that there are: those
of an encoder are no outliers."""

_REACH = 2
"""Neighbours on each side."""

_ROUNDS = 3
"""Times that they are looked for: one hides another that is next to it."""

_AROUND = 8
"""Samples on each side half of which move, too, where a motion lasts."""

_LONGEST = 0.35
"""Longest time between the neighbours of a rate that positions around it judge, s."""

_USUAL, _AS_MEDIAN = 0.4, 1.286
"""Share of differences that are no larger than usual, and the median of normal ones beside theirs:
each outlying rate spoils three differences, so that one in seven would spoil their median."""

_SHARES = 0.15, 0.4
"""Shares of an outlying rate in the differences beside it, of which they have a quarter."""


def without_outliers(
    values: NDArray[np.float64], noise: NDArray[np.float64] | float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return readings with those replaced that are far off, each component judged by itself.

    Parameters
    ----------
    values : ndarray, shape (N, w)
        Readings, evenly in time; components that are not all finite are left as they are.
    noise : ndarray, shape (w,), or float
        Standard deviation of their noise as it is stated; zero if it is not.

    Returns
    -------
    ndarray, shape (N, w), and ndarray of bool, shape (N,)
        Readings, the same array where there is no outlier; and which had one.
    """
    is_out = np.zeros(len(values), dtype=bool)
    if len(values) <= 4 * _REACH:
        return values, is_out
    left = _left(values)
    stated = np.broadcast_to(_STATED * np.asarray(noise), values.shape[1:])
    limit = np.maximum(_BEYOND * np.median(np.abs(left), axis=0), stated)
    suspect = np.flatnonzero(np.abs(left).max(axis=0) > limit)  # not so of NaN
    if not len(suspect):
        return values, is_out
    found = values.copy()
    for column in suspect:
        own = found[:, column]
        steps = np.abs(np.diff(own))
        least = max(limit[column], _STEPS * np.min(steps, where=steps > 0.0, initial=np.inf))
        for _ in range(_ROUNDS):
            off = _left(own)
            size = np.pad(np.abs(off), _REACH)
            around = [size[shift : shift + len(off)] for shift in range(2 * _REACH + 1)]
            rows = np.flatnonzero((np.abs(off) > least) & (np.abs(off) >= np.max(around, axis=0)))
            if not len(rows):
                break
            own[rows + _REACH] -= off[rows]
            is_out[rows + _REACH] = True
    return (found, is_out) if is_out.any() else (values, is_out)


def _left(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return readings less cubics through two neighbours on each side, but for the ends."""
    near, far = values[1:-3] + values[3:-1], values[:-4] + values[4:]
    return values[2:-2] - (4.0 * near - far) / 6.0


def rates_off_positions(
    times: NDArray[np.float64],
    positions: NDArray[np.float64],
    rates: NDArray[np.float64],
    position_std: float,
    rate_std: float,
) -> NDArray[np.bool_]:
    """Return which samples have a rate that the positions around it contradict, shape (N,).

    The cubic through positions and rates of both neighbours (Hermite) predicts a rate; one that is
    off by much more than usual is an outlier if its neighbours, whose cubics it is part of, show a
    share of it, too; bends of a motion and outliers among positions have none.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, increasing, s.
    positions, rates : ndarray, shape (N, n)
        Positions of joints (rad or m) and their rates; NaN where they are not known.
    position_std, rate_std : float
        Standard deviations of their noise as they are stated.
    """
    is_out = np.zeros(len(times), dtype=bool)
    if len(times) <= 4 * _REACH:
        return is_out
    whole = times[2:] - times[:-2]
    part = (times[1:-1] - times[:-2]) / whole
    near = (whole <= _LONGEST) & (np.abs(part - 0.5) <= 0.25)
    if np.count_nonzero(near) <= 4 * _REACH:
        return is_out
    slope = 6.0 * part * (1.0 - part) / whole
    before, after = 1.0 - part * (4.0 - 3.0 * part), part * (3.0 * part - 2.0)
    off = np.zeros_like(rates)
    off[1:-1] = rates[1:-1] - slope[:, None] * (positions[2:] - positions[:-2])
    off[1:-1] -= before[:, None] * rates[:-2] + after[:, None] * rates[2:]
    off[1:-1][~near] = 0.0
    off = np.nan_to_num(off)
    usual = _AS_MEDIAN * np.quantile(np.abs(off[1:-1][near]), _USUAL, axis=0)
    stated = np.hypot(rate_std, np.sqrt(2.0) * np.median(slope[near]) * position_std)
    far = np.abs(off) > np.maximum(_BEYOND * usual, _STATED * stated)
    for column in np.flatnonzero(far.any(axis=0)):
        own = off[:, column]
        rows = np.flatnonzero(far[:, column])
        beside = np.array([own[rows - 1], own[rows + 1]]) / own[rows]
        is_out[rows] |= ((beside > _SHARES[0]) & (beside < _SHARES[1])).all(axis=0)
    return is_out


def lasting(moving: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which samples move as at least half of those around them do, shape (N,).

    One that moves alone while all is at rest is an outlier, which shows nothing of a motion.

    Parameters
    ----------
    moving : ndarray of bool, shape (N,)
        Which samples are beyond their noise, in the order of time.
    """
    if moving.all() or not moving.any():
        return moving
    until = np.concatenate([[0], np.cumsum(moving)])
    place = np.arange(len(moving))
    first, last = np.maximum(place - _AROUND, 0), np.minimum(place + _AROUND + 1, len(moving))
    besides = until[last] - until[first] - moving
    return moving & (2 * besides >= last - first - 1)

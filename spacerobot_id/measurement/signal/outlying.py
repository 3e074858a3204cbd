"""Readings of a fast stream that are far from where their neighbours go: replaced by these.

One reading that is far out would move all averages that it is part of. What cubics through two
neighbours on each side leave of a reading (its fourth difference) has no motion in it where a
stream is fast, only noise: an outlier is many times the middle one of these (Hampel's identifier;
Pearson, Outliers in process modeling and identification, 2002).
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

"""Values of a stream at the times of others, whatever its rate, and how much noise is left.

Where a stream is faster than the times wanted, all its samples count, but for outliers: a quartic
is fitted around each time, which follows motions that a parabola cuts the crests of. Its window is
as wide as gives the value the variance of independent averages, so that neighbours, which share a
few samples, are as good as independent: their correlation is 5 %.

Those of a fast stream are replaced by these: one reading that is far out would move all averages
that it is part of. What cubics through two neighbours on each side leave of a reading (its fourth
difference) has no motion in it where a stream is fast, only noise: an outlier is many times the
middle one of these (Hampel's identifier; Pearson, Outliers in process modeling and
identification, 2002). Joint rates are judged by the positions around them at any rate.
"""

from dataclasses import dataclass, field

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

_BESIDE = 8
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
    first, last = (
        np.maximum(place - _BESIDE, 0),
        np.minimum(place + _BESIDE + 1, len(moving)),
    )
    besides = until[last] - until[first] - moving
    return moving & (2 * besides >= last - first - 1)


_POINTS = 6
"""Most samples that a value is made of."""


@dataclass(frozen=True, eq=False)
class Interpolated:
    """A stream of M samples at N times.

    Parameters
    ----------
    values : ndarray, shape (N, w)
        Values; of no meaning where they are not good.
    good : ndarray of bool, shape (N,)
        Where samples on both sides are near enough.
    places : ndarray of int, shape (N, 6)
        Places of the samples that each value is made of.
    weights : ndarray, shape (N, 6)
        Their weights, zero for those that are not needed.
    """

    values: NDArray[np.float64]
    good: NDArray[np.bool_]
    places: NDArray[np.intp]
    weights: NDArray[np.float64]

    @property
    def variance(self) -> NDArray[np.float64]:
        """Variance over that of the samples where their noise is white, shape (N,).

        More than one where samples are spaced so unevenly that their weights are large.
        """
        return np.sum(self.weights**2, axis=1)

    def use(self, samples: int) -> NDArray[np.float64]:
        """Return how often each of M samples is used by good values, weights summed up."""
        rows = self.good
        return np.bincount(self.places[rows].ravel(), self.weights[rows].ravel(), samples)


def interpolate(
    times: NDArray[np.float64],
    stamps: NDArray[np.float64],
    values: NDArray[np.float64],
    longest_bracket: float,
    longest_line: float = np.inf,
) -> Interpolated:
    """Return values at some times, where they are good, and what they are made of.

    Straight lines cut the corners of a motion, always on its inner side; where samples are lost
    that is a bias. A polynomial through three samples before and three after, or through two and
    two, has none to speak of. At a stamp the sample itself is returned.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times wanted, s.
    stamps : ndarray, shape (M,)
        Times of the samples, ascending, s.
    values : ndarray, shape (M, w)
        Samples.
    longest_bracket : float
        Largest distance of two samples that may be interpolated between, s. Where a sample
        further out is farther from its neighbour than that, a straight line has to do.
    longest_line : float
        Largest distance of two samples that a straight line may connect, s.
    """
    places = np.zeros((len(times), _POINTS), dtype=np.intp)
    used = np.zeros((len(times), _POINTS))
    if not len(stamps):
        nothing = np.zeros((len(times), values.shape[1]))
        return Interpolated(nothing, np.zeros(len(times), dtype=bool), places, used)
    after = np.searchsorted(stamps, times)
    high = np.minimum(after, len(stamps) - 1)
    exact = stamps[high] == times
    low = np.where(exact, high, np.maximum(after - 1, 0))
    span = stamps[high] - stamps[low]
    share = np.where(span > 0.0, (times - stamps[low]) / np.where(span > 0.0, span, 1.0), 0.0)
    between = (times > stamps[low]) & (times < stamps[high])
    mixed = values[low] + share[:, None] * (values[high] - values[low])
    places[:, 0], places[:, 1], used[:, 0], used[:, 1] = low, high, 1.0 - share, share
    steps = np.diff(stamps, prepend=-np.inf, append=np.inf)
    near = np.append(steps <= longest_bracket, False)
    curved = between & near[low] & near[high + 1]
    quintic = curved & near[np.maximum(low - 1, 0)] & near[np.minimum(high + 2, len(steps))]
    for points, rows in ((4, curved & ~quintic), (_POINTS, quintic)):
        weights, around = _polynomial(times[rows], stamps, low[rows], points)
        mixed[rows] = np.einsum('nk,nkw->nw', weights, values[around])
        places[rows, :points], used[rows, :points] = around, weights
    good = exact | (between & (curved | (span <= longest_line)))
    return Interpolated(mixed, good & (span <= longest_bracket), places, used)


def _polynomial(
    times: NDArray[np.float64],
    stamps: NDArray[np.float64],
    low: NDArray[np.intp],
    points: int,
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return weights of Lagrange's polynomial through samples, half of them up to the last before.

    Both are of shape (N, points): weights, and the places of the samples.
    """
    around = low[:, None] + np.arange(1 - points // 2, 1 + points // 2)
    knots = stamps[around] - times[:, None]
    weights = np.ones_like(knots)
    for k in range(points):
        for other in range(points):
            if other != k:
                weights[:, k] *= knots[:, other] / (knots[:, other] - knots[:, k])
    return weights, around


AVERAGED = 1.5
"""Samples per time wanted from which on they are averaged."""

_DEGREE = 4
"""Of the polynomial."""

HALF_WINDOW = 225.0 / 128.0
"""Half the window of a quartic, in distances of the times wanted.

With n samples in it the value in the middle has 225 / (64 n) of their variance, which is one over
the samples per time wanted for this window.
"""

_AROUND = 3
"""Samples before the last time that later times are made of, too."""

_LEAST = 6
"""Least samples in a window; with fewer there is interpolation."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """A stream at N times.

    Parameters
    ----------
    values : ndarray, shape (N, w)
        Values; of no meaning where they are not good.
    good : ndarray of bool, shape (N,)
        Where samples on both sides are near enough.
    variance : ndarray, shape (N,)
        Variance of their noise over that of a sample; more than one where several times share
        the samples.
    used : ndarray, shape (M,), optional
        How often each sample was used, until now; None where they are averaged.
    outlying : ndarray
        Stamps of those among averaged samples that are far from their neighbours and do not
        count, s.
    """

    values: NDArray[np.float64]
    good: NDArray[np.bool_]
    variance: NDArray[np.float64]
    used: NDArray[np.float64] | None = None
    outlying: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


def resampled(
    times: NDArray[np.float64],
    spacing: float,
    stamps: NDArray[np.float64],
    values: NDArray[np.float64],
    interval: float,
    longest_bracket: float,
    longest_line: float = np.inf,
    used: NDArray[np.float64] | None = None,
    noise: NDArray[np.float64] | float = 0.0,
) -> Resampled:
    """Return a stream at some times.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times wanted, ascending, s.
    spacing : float
        Their usual distance, s.
    stamps : ndarray, shape (M,)
        Times of the samples, ascending, s.
    values : ndarray, shape (M, w)
        Samples.
    interval : float
        Usual distance of the samples, s.
    longest_bracket : float
        Largest distance of two samples that may be interpolated between, s.
    longest_line : float
        Largest distance of two samples that a straight line may connect, s.
    used : ndarray, shape (M,), optional
        How often samples were used for earlier times; never if None.
    noise : ndarray, shape (w,), or float
        Standard deviation of their noise as it is stated, for outliers; zero if it is not.
    """
    found = interpolate(times, stamps, values, longest_bracket, longest_line)
    if not (interval > 0.0 and spacing > AVERAGED * interval and len(stamps) >= _LEAST):
        usual = interval / spacing if interval > 0.0 and spacing > 0.0 else 1.0
        use = found.use(len(stamps)) + (0.0 if used is None else used)
        return Resampled(found.values, found.good, _shared(found, times, stamps, use, usual), use)
    mixed, good = found.values, found.good
    half = HALF_WINDOW * spacing
    first = np.searchsorted(stamps, times - half, side='left')
    last = np.searchsorted(stamps, times + half, side='right')
    middle = np.searchsorted(stamps, times)
    sides = np.minimum(middle - first, last - middle)
    fits = good & (last - first >= _LEAST) & (sides >= (last - first) // 3)
    variance = np.ones(len(times))
    variance[fits] = 2.0 * HALF_WINDOW / (last - first)[fits]
    values, is_out = without_outliers(values, noise)
    mixed[fits] = _polynomials(times[fits], half, stamps, values, first[fits], last[fits])
    return Resampled(mixed, good, variance, outlying=stamps[is_out])


def _shared(
    found: Interpolated,
    times: NDArray[np.float64],
    stamps: NDArray[np.float64],
    use: NDArray[np.float64],
    usual: float,
) -> NDArray[np.float64]:
    """Return the noise of values with all that they have in common with others, shape (N,).

    Samples that are to be used further are taken to be used as usual.
    """
    if not (len(times) and len(stamps)):
        return np.ones(len(times))
    whole = use.copy()
    open_ = max(int(np.searchsorted(stamps, times[-1])) - _AROUND, 0)
    whole[open_:] = np.maximum(whole[open_:], usual)
    common = np.sum(found.weights * whole[found.places], axis=1)
    return np.maximum(common, found.variance)


def _polynomials(
    times: NDArray[np.float64],
    half: float,
    stamps: NDArray[np.float64],
    values: NDArray[np.float64],
    first: NDArray[np.intp],
    last: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return values of polynomials through the samples from ``first`` to before ``last``."""
    if not len(times):
        return np.zeros((0, values.shape[1]))
    places = first[:, None] + np.arange(int((last - first).max()))
    inside = places < last[:, None]
    places = np.minimum(places, len(stamps) - 1)
    offsets = (stamps[places] - times[:, None]) / half
    powers = offsets[..., None] ** np.arange(_DEGREE + 1) * inside[..., None]
    gram = np.swapaxes(powers, -1, -2) @ powers
    weights = np.linalg.solve(gram, np.swapaxes(powers, -1, -2))[:, 0]
    return np.einsum('nk,nkw->nw', weights, values[places])

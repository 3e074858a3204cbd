"""Values of a stream between its samples: a polynomial through the six around, or the four."""

import numpy as np
from numpy.typing import NDArray


def interpolate(
    times: NDArray[np.float64],
    stamps: NDArray[np.float64],
    values: NDArray[np.float64],
    longest_bracket: float,
    longest_line: float = np.inf,
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
    """Return values at some times, where they are good, and how noise comes through.

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

    Returns
    -------
    values : ndarray, shape (N, w)
        Values; of no meaning where they are not good.
    good : ndarray of bool, shape (N,)
        Where samples on both sides are near enough.
    variance : ndarray, shape (N,)
        Variance of the values over that of the samples where the noise of these is white: more
        than one where samples are spaced so unevenly that their weights are large.
    """
    variance = np.ones(len(times))
    if not len(stamps):
        nothing = np.zeros((len(times), values.shape[1]))
        return nothing, np.zeros(len(times), dtype=bool), variance
    after = np.searchsorted(stamps, times)
    high = np.minimum(after, len(stamps) - 1)
    exact = stamps[high] == times
    low = np.where(exact, high, np.maximum(after - 1, 0))
    span = stamps[high] - stamps[low]
    share = np.where(span > 0.0, (times - stamps[low]) / np.where(span > 0.0, span, 1.0), 0.0)
    between = (times > stamps[low]) & (times < stamps[high])
    mixed = values[low] + share[:, None] * (values[high] - values[low])
    steps = np.diff(stamps, prepend=-np.inf, append=np.inf)
    near = np.append(steps <= longest_bracket, False)
    curved = between & near[low] & near[high + 1]
    quintic = curved & near[np.maximum(low - 1, 0)] & near[np.minimum(high + 2, len(steps))]
    for points, rows in ((4, curved & ~quintic), (6, quintic)):
        weights, around = _polynomial(times[rows], stamps, low[rows], points)
        mixed[rows] = np.einsum('nk,nkw->nw', weights, values[around])
        variance[rows] = np.sum(weights**2, axis=1)
    good = exact | (between & (curved | (span <= longest_line)))
    return mixed, good & (span <= longest_bracket), variance


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

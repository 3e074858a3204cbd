"""Values of a stream between its samples: a cubic through the four around, where they are near."""

import numpy as np
from numpy.typing import NDArray


def interpolate(
    times: NDArray[np.float64],
    stamps: NDArray[np.float64],
    values: NDArray[np.float64],
    longest_bracket: float,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return values at some times, and where they are good.

    Straight lines cut the corners of a motion, always on its inner side; where samples are lost
    that is a bias. A cubic through the two samples before and the two after has none to speak of.
    At a stamp the sample itself is returned.

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

    Returns
    -------
    values : ndarray, shape (N, w)
        Values; of no meaning where they are not good.
    good : ndarray of bool, shape (N,)
        Where samples on both sides are near enough.
    """
    if not len(stamps):
        return np.zeros((len(times), values.shape[1])), np.zeros(len(times), dtype=bool)
    after = np.searchsorted(stamps, times)
    high = np.minimum(after, len(stamps) - 1)
    exact = stamps[high] == times
    low = np.where(exact, high, np.maximum(after - 1, 0))
    span = stamps[high] - stamps[low]
    share = np.where(span > 0.0, (times - stamps[low]) / np.where(span > 0.0, span, 1.0), 0.0)
    between = (times > stamps[low]) & (times < stamps[high])
    mixed = values[low] + share[:, None] * (values[high] - values[low])
    steps = np.diff(stamps, prepend=-np.inf, append=np.inf)
    cubic = between & (steps[low] <= longest_bracket) & (steps[high + 1] <= longest_bracket)
    mixed[cubic] = _cubic(times[cubic], stamps, values, low[cubic])
    return mixed, (exact | between) & (span <= longest_bracket)


def _cubic(
    times: NDArray[np.float64],
    stamps: NDArray[np.float64],
    values: NDArray[np.float64],
    low: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return the polynomial through four samples, of which the second is the last before."""
    four = low[:, None] + np.arange(-1, 3)
    knots = stamps[four] - times[:, None]
    weights = np.ones_like(knots)
    for k in range(4):
        for other in range(4):
            if other != k:
                weights[:, k] *= knots[:, other] / (knots[:, other] - knots[:, k])
    return np.einsum('nk,nkw->nw', weights, values[four])

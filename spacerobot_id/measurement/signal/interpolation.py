"""Values of a stream between its samples: a polynomial through the six around, or the four."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

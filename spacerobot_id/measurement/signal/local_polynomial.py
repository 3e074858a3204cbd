"""Rates and values by local polynomials: Savitzky-Golay and middle slopes, for uneven stamps."""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

REACH = 2
"""Samples on each side."""


@dataclass(frozen=True, eq=False)
class CentralSlope:
    """Weights of the samples around each in the rate there.

    Parameters
    ----------
    nodes : ndarray of int, shape (N, 5)
        Places of the samples.
    weights : ndarray, shape (N, 5)
        Their weights, 1/s; of no meaning where they are not good.
    good : ndarray of bool, shape (N,)
        Where there are samples enough on both sides, without a hole between them.
    """

    nodes: NDArray[np.intp]
    weights: NDArray[np.float64]
    good: NDArray[np.bool_]

    @classmethod
    def at(cls, times: NDArray[np.float64], longest_step: float) -> 'CentralSlope':
        """Return the weights at some times.

        Lagrange's polynomial is exact to the fourth power of time, so that the slope of a motion
        has no bias to speak of, unlike that of three samples or of a smoothed curve.

        Parameters
        ----------
        times : ndarray, shape (N,)
            Times of the samples, s, strictly increasing.
        longest_step : float
            Largest time between two samples, s: across a hole no polynomial fits.
        """
        count = len(times)
        around = np.arange(count)[:, None] + np.arange(-REACH, REACH + 1)
        good = (around[:, 0] >= 0) & (around[:, -1] < count)
        nodes = np.clip(around, 0, max(count - 1, 0))
        knots = times[nodes] - times[:, None]
        good &= (np.diff(knots, axis=1) <= longest_step).all(axis=1)
        knots[~good] = np.arange(-REACH, REACH + 1)
        weights = np.ones_like(knots)
        for k in range(2 * REACH + 1):
            others = [m for m in range(2 * REACH + 1) if m not in (k, REACH)]
            if k == REACH:
                weights[:, k] = -np.sum(1.0 / knots[:, others], axis=1)
                continue
            for m in others:
                weights[:, k] *= knots[:, m] / (knots[:, m] - knots[:, k])
            weights[:, k] /= knots[:, k]
        return cls(nodes, weights, good)

    def of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rates of values, shape (N, d), likewise."""
        return np.einsum('nk,nkd->nd', self.weights, values[self.nodes])


def local_slopes(
    times: NDArray[np.float64],
    values: NDArray[np.float64],
    points: int,
    longest_step: float = np.inf,
) -> NDArray[np.float64]:
    """Return rates of change in the middle of a sliding window.

    A parabola is fitted to the values of each window by least squares; its slope at the middle
    sample is the rate.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, ascending, s.
    values : ndarray, shape (N, d)
        Values.
    points : int
        Samples per window, odd, at least 3.
    longest_step : float
        Largest time between two samples of a window: across a hole no parabola fits, s.

    Returns
    -------
    ndarray, shape (N - points + 1, d)
        Rates at ``times[points // 2 : N - points // 2]``, per second; NaN where a window has a
        hole, none where the samples do not fill a window.
    """
    coefficients, scale, _ = _parabolas(times, values, points, longest_step)
    return coefficients[:, 1] / scale


def local_means(
    times: NDArray[np.float64],
    values: NDArray[np.float64],
    points: int,
    longest_step: float = np.inf,
) -> NDArray[np.float64]:
    """Return values in the middle of a sliding window, of parabolas through all other samples.

    The middle sample itself is left out, so that its noise is in no way in its mean.
    Parameters and shapes are those of ``local_slopes``.
    """
    coefficients, _, own = _parabolas(times, values, points, longest_step)
    middle = values[points // 2 :][: len(coefficients)]
    return (coefficients[:, 0] - own * middle) / (1.0 - own)


def _parabolas(
    times: NDArray[np.float64],
    values: NDArray[np.float64],
    points: int,
    longest_step: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return parabolas about the middle of each window.

    Returns
    -------
    coefficients : ndarray, shape (N - points + 1, 3, d)
        In powers of the time from the middle, in units of the scale; NaN where there is a hole.
    scale : ndarray, shape (N - points + 1, 1)
        Time from the middle to the farthest end, s.
    own : ndarray, shape (N - points + 1, 1)
        Weight of the middle sample in the value there.
    """
    count, middle = max(len(times) - points + 1, 0), points // 2
    if not count:
        return np.zeros((0, 3, values.shape[1])), np.ones((0, 1)), np.zeros((0, 1))
    windows = sliding_window_view(times, points)
    offsets = windows - windows[:, middle, None]
    scale = np.abs(offsets).max(axis=1, keepdims=True)
    powers = (offsets / scale)[..., None] ** np.arange(3)
    samples = np.moveaxis(sliding_window_view(values, points, axis=0), -1, 1)
    transposed = np.swapaxes(powers, -1, -2)
    gram = transposed @ powers
    coefficients = np.linalg.solve(gram, transposed @ samples)
    has_hole = np.diff(windows, axis=1).max(axis=1) > longest_step
    coefficients[has_hole] = np.nan
    return coefficients, scale, np.linalg.inv(gram)[:, 0, :1]

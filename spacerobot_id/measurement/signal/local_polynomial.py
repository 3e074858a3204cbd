"""Rates and values with less noise by a local polynomial: Savitzky-Golay for uneven stamps."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray


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

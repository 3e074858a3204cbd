"""Rates from positions by a local polynomial: a Savitzky-Golay filter for uneven stamps."""

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
    if len(times) < points:
        return np.zeros((0, values.shape[1]))
    middle = points // 2
    windows = sliding_window_view(times, points)
    offsets = windows - windows[:, middle, None]
    scale = np.abs(offsets).max(axis=1, keepdims=True)
    powers = (offsets / scale)[..., None] ** np.arange(3)
    samples = np.moveaxis(sliding_window_view(values, points, axis=0), -1, 1)
    transposed = np.swapaxes(powers, -1, -2)
    coefficients = np.linalg.solve(transposed @ powers, transposed @ samples)
    has_hole = np.diff(windows, axis=1).max(axis=1) > longest_step
    return np.where(has_hole[:, None], np.nan, coefficients[:, 1] / scale)

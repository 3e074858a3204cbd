"""How residuals differ from white noise: autocorrelation and spectrum, against chance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

_TWO_SIDED = 1.959963984540054
"""Half a 95 % interval of the normal distribution, in standard deviations."""


@dataclass(frozen=True, eq=False)
class Autocorrelation:
    """Autocorrelation of a series.

    Parameters
    ----------
    lags : ndarray of int, shape (L,)
        Lags from 1 on, samples.
    values : ndarray, shape (L,)
        Autocorrelation.
    chance : float
        What white noise stays within at 95 of 100 lags.
    """

    lags: NDArray[np.intp]
    values: NDArray[np.float64]
    chance: float

    @property
    def outside(self) -> int:
        """Lags at which it is beyond chance."""
        return int(np.sum(np.abs(self.values) > self.chance))

    @property
    def expected(self) -> int:
        """Lags at most at which that of white noise is, in 97.5 of 100 cases."""
        count = len(self.lags)
        return int(np.ceil(0.05 * count + _TWO_SIDED * np.sqrt(0.05 * 0.95 * count)))


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Power of a series over frequency, as a share of that of white noise of unit variance.

    Parameters
    ----------
    frequencies : ndarray, shape (F,)
        Hz.
    power : ndarray, shape (F,)
        One for white noise of unit variance.
    low, high : float
        What white noise of unit variance stays within at 95 of 100 frequencies.
    """

    frequencies: NDArray[np.float64]
    power: NDArray[np.float64]
    low: float
    high: float


def autocorrelation(series: NDArray[np.float64], most: int = 50) -> Autocorrelation:
    """Return the autocorrelation of a series whose mean is to be zero (Box and Jenkins, 1976).

    Parameters
    ----------
    series : ndarray, shape (N,)
        Evenly spaced numbers.
    most : int
        Lags at most.
    """
    count = len(series)
    lags = np.arange(1, max(min(most, count // 4), 1) + 1)
    power = float(series @ series)
    values = [float(series[lag:] @ series[:-lag]) / power if power else 0.0 for lag in lags]
    return Autocorrelation(lags, np.array(values), _TWO_SIDED / np.sqrt(max(count, 1)))


def spectrum(series: NDArray[np.float64], step: float, bins: int = 120) -> Spectrum:
    """Return the power of a series, periodogram values averaged over bands (Daniell, 1946).

    Parameters
    ----------
    series : ndarray, shape (N,)
        Evenly spaced numbers, N at least 4.
    step : float
        Time between two of them, s.
    bins : int
        Frequencies at most.
    """
    count = len(series)
    power = np.abs(np.fft.rfft(series)[1:]) ** 2 / count
    frequencies = np.fft.rfftfreq(count, step)[1:]
    width = -(-len(power) // bins)
    whole = len(power) // width * width
    averaged = power[:whole].reshape(-1, width).mean(axis=1)
    middle = frequencies[:whole].reshape(-1, width).mean(axis=1)
    low, high = (float(gammaincinv(width, share)) / width for share in (0.025, 0.975))
    return Spectrum(middle, averaged, low, high)

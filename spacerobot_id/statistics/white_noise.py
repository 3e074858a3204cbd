"""White noise and other: how residuals differ from it, and the roots of noise that is correlated.

The root turns readings into *innovations*: what each sample adds to all before it. They have
unit noise and do not depend on each other, so that every reading counts once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky_banded
from scipy.linalg.lapack import dtbtrs
from scipy.special import gammaincinv


@dataclass(frozen=True, eq=False)
class BandedRoot:
    """Lower root of the covariance of N samples of k readings.

    Parameters
    ----------
    band : ndarray, shape (b, N k)
        Its diagonal and those below, as LAPACK wants them.
    outputs : int
        Readings k of a sample.
    """

    band: NDArray[np.float64]
    outputs: int

    @classmethod
    def of(cls, own: NDArray[np.float64], shared: NDArray[np.float64]) -> 'BandedRoot':
        """Return the root of a covariance.

        Parameters
        ----------
        own : ndarray, shape (N, k, k)
            Covariance of each sample.
        shared : ndarray, shape (L, N, k, k)
            Of the samples 1 to L later with each, a row per reading of the later one; zero where
            there are none.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the covariance is not positive definite.
        """
        lags, count, k = np.array([own, *shared]), len(own), own.shape[1]
        band = np.zeros(((len(shared) + 1) * k, count, k))
        for lag, blocks in enumerate(lags):
            for row in range(k):
                for column in range(k):
                    below = lag * k + row - column
                    if below >= 0:
                        band[below, :, column] = blocks[:, row, column]
        whole = band.reshape(-1, count * k)[: min(len(band), count * k)]
        return cls(cholesky_banded(whole, lower=True, check_finite=False), k)

    def whitened(self, readings: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return innovations of readings, shape (N, k, c), of c columns at once."""
        columns = np.asfortranarray(readings.reshape(self.band.shape[1], -1))
        solved, _ = dtbtrs(self.band, columns, uplo='L')
        return np.ascontiguousarray(solved).reshape(readings.shape)

    def log_determinant(self) -> float:
        """Return the logarithm of the determinant of the covariance."""
        return 2.0 * float(np.sum(np.log(self.band[0])))


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

"""Noise that samples share with those next to them: a banded covariance and its root.

The root turns readings into *innovations*: what each sample adds to all before it. They have
unit noise and do not depend on each other, so that every reading counts once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky_banded
from scipy.linalg.lapack import dtbtrs


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

"""Finite Fourier series of one period, and their fit to samples of one cycle ([Ekal 2019] 5.2).

A series is written as in Eq. 20: its rate is ``sum_k a_k cos(k w t) + b_k sin(k w t)``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import MeasurementError


@dataclass(frozen=True, eq=False)
class FourierSeries:
    """Finite Fourier series of m quantities.

    Parameters
    ----------
    period : float
        Period, s.
    offset : ndarray, shape (m,)
        Constant terms, any unit.
    sine, cosine : ndarray, shape (n, m)
        Coefficients ``a_k`` and ``b_k`` of n harmonics, that unit per second.
    """

    period: float
    offset: NDArray[np.float64]
    sine: NDArray[np.float64]
    cosine: NDArray[np.float64]

    @property
    def orders(self) -> NDArray[np.float64]:
        """Angular frequencies of the harmonics, shape (n,), rad/s."""
        return np.arange(1, len(self.sine) + 1) * 2.0 * np.pi / self.period

    def at(self, times: ArrayLike) -> tuple[NDArray[np.float64], ...]:
        """Return the quantities at some times and their first two derivatives, each (N, m)."""
        orders = self.orders
        angle = np.outer(np.asarray(times, dtype=float), orders)
        sines, cosines = np.sin(angle), np.cos(angle)
        return (
            self.offset + (sines / orders) @ self.sine - (cosines / orders) @ self.cosine,
            cosines @ self.sine + sines @ self.cosine,
            (cosines * orders) @ self.cosine - (sines * orders) @ self.sine,
        )


def average_over_cycles(samples: ArrayLike, cycles: int) -> NDArray[np.float64]:
    """Return the mean of cycles that are alike ([Ekal 2019] 5.1).

    Parameters
    ----------
    samples : array_like, shape (cycles M, m)
        Equally spaced samples of whole cycles.
    cycles : int
        Number of cycles.

    Returns
    -------
    ndarray, shape (M, m)
        Mean of every sample over the cycles.

    Raises
    ------
    MeasurementError
        If there is not a whole number of samples in a cycle.
    """
    samples = np.asarray(samples, dtype=float)
    if cycles < 1 or len(samples) % cycles:
        raise MeasurementError(f'{len(samples)} samples are no {cycles} cycles of equal length')
    return samples.reshape(cycles, -1, *samples.shape[1:]).mean(axis=0)


def harmonic_filter(cycle: ArrayLike, harmonics: int) -> NDArray[np.float64]:
    """Return one cycle with everything above some harmonic taken out ([Ekal 2019] 5.1).

    Parameters
    ----------
    cycle : array_like, shape (M, m)
        Equally spaced samples of one cycle.
    harmonics : int
        Highest harmonic that stays.

    Returns
    -------
    ndarray, shape (M, m)
        Filtered samples.

    Raises
    ------
    MeasurementError
        If the samples are too few for the harmonics.
    """
    cycle = np.asarray(cycle, dtype=float)
    if len(cycle) <= 2 * harmonics:
        raise MeasurementError(f'{len(cycle)} samples per cycle do not show {harmonics} harmonics')
    spectrum = np.fft.rfft(cycle, axis=0)
    spectrum[harmonics + 1 :] = 0.0
    return np.fft.irfft(spectrum, n=len(cycle), axis=0)


def fit_fourier_series(cycle: ArrayLike, period: float, harmonics: int) -> FourierSeries:
    """Return the series that fits one cycle best ([Ekal 2019] 5.2).

    The least-squares fit is the discrete Fourier transform, so that filtering before changes
    nothing in the harmonics that stay.

    Parameters
    ----------
    cycle : array_like, shape (M, m)
        Equally spaced samples of one cycle, the first at its start.
    period : float
        Period, s.
    harmonics : int
        Number of harmonics ``n``; twice that is less than M.
    """
    cycle = np.asarray(cycle, dtype=float)
    spectrum = np.fft.rfft(harmonic_filter(cycle, harmonics), axis=0) / len(cycle)
    orders = np.arange(1, harmonics + 1)[:, None] * 2.0 * np.pi / period
    waves = spectrum[1 : harmonics + 1]
    return FourierSeries(
        period, spectrum[0].real, -2.0 * orders * waves.imag, -2.0 * orders * waves.real
    )

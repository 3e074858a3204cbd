"""Finite Fourier series of one period, and their fit to samples of one cycle ([Ekal 2019] 5.2).

A series is written as in Eq. 20: its rate is ``sum_k a_k cos(k w t) + b_k sin(k w t)``.

The basis is that of [Christidi 2017] Eq. 23. Unlike a series alone it needs no periodic signal:
the polynomial takes what differs between the ends.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import MeasurementError

_DEGREE = 5


@dataclass(frozen=True, eq=False)
class FourierPolynomial:
    """A fit of d signals.

    Parameters
    ----------
    start, duration : float
        Time that the basis begins at and period of its first harmonic, s.
    coefficients : ndarray, shape (2 L + 6, d)
        Of sines and cosines of L harmonics, then of powers 0 to 5 of time over duration.
    """

    start: float
    duration: float
    coefficients: NDArray[np.float64]

    @property
    def harmonics(self) -> int:
        """Number L of harmonics."""
        return (len(self.coefficients) - _DEGREE - 1) // 2

    def derivative(self, times: ArrayLike, order: int = 0) -> NDArray[np.float64]:
        """Return the signals, or a derivative of them per power of a second, shape (N, d)."""
        phase = (np.asarray(times, dtype=float) - self.start) / self.duration
        basis = _basis(phase, self.harmonics, order)
        return basis @ self.coefficients / self.duration**order


@dataclass(frozen=True)
class Span:
    """When a motion took place, where that is known: a fit over all of it needs fewer harmonics.

    Parameters
    ----------
    start, duration : float
        s.
    """

    start: float
    duration: float


def fit_fourier_polynomial(
    times: ArrayLike, values: ArrayLike, harmonics: int, span: Span | None = None
) -> FourierPolynomial:
    """Return the fit with some harmonics, by least squares.

    Parameters
    ----------
    times : array_like, shape (N,)
        Times, s, ascending.
    values : array_like, shape (N, d)
        Signals.
    harmonics : int
        Number L of harmonics.
    span : Span, optional
        Period of the first harmonic; from the first sample to the last one if None.

    Raises
    ------
    MeasurementError
        If there are fewer samples than coefficients.
    """
    times, values = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    if len(times) < 2 * harmonics + _DEGREE + 1:
        raise MeasurementError(
            f'{len(times)} samples are too few for {harmonics} harmonics and a quintic'
        )
    span = span or Span(float(times[0]), float(times[-1] - times[0]))
    basis = _basis((times - span.start) / span.duration, harmonics, 0)
    coefficients = np.linalg.lstsq(basis, values, rcond=None)[0]
    return FourierPolynomial(span.start, span.duration, coefficients)


def best_fourier_polynomial(
    times: ArrayLike, values: ArrayLike, most: int, span: Span | None = None
) -> FourierPolynomial:
    """Return the fit whose number of harmonics the residual asks for.

    That is the least value of the Bayesian information criterion, summed over the signals.

    Parameters
    ----------
    times, values, span
        As for ``fit_fourier_polynomial``.
    most : int
        Most harmonics that are tried.

    Raises
    ------
    MeasurementError
        If there are fewer samples than coefficients.
    """
    values = np.asarray(values, dtype=float)
    most = max(min(most, (len(values) - _DEGREE - 2) // 2), 1)
    fits = [fit_fourier_polynomial(times, values, count, span) for count in range(1, most + 1)]
    criteria = []
    for fit in fits:
        residual = np.mean((values - fit.derivative(times)) ** 2, axis=0)
        criteria.append(
            len(values) * np.sum(np.log(np.maximum(residual, np.finfo(float).tiny)))
            + fit.coefficients.size * np.log(len(values))
        )
    return fits[int(np.argmin(criteria))]


def _basis(phase: NDArray[np.float64], harmonics: int, order: int) -> NDArray[np.float64]:
    """Return the derivative of sines, cosines and powers by phase, shape (N, 2 L + 6)."""
    frequencies = 2.0 * np.pi * np.arange(1, harmonics + 1)
    angles = phase[:, None] * frequencies + 0.5 * np.pi * order
    scale = frequencies**order
    powers = polynomial.polyder(np.eye(_DEGREE + 1), order)
    return np.hstack(
        [scale * np.sin(angles), scale * np.cos(angles), polynomial.polyval(phase, powers).T]
    )


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

"""Fourier series and quintic fitted to samples: derivatives without the noise of differences.

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

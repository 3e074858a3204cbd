"""Weak form of differential equations: integrals over time in place of derivatives.

Integrated by parts against a test function that vanishes at both ends of its support, a derivative
becomes that of the function, which is known (method of modulating functions, M. Shinbrot, *On the
analysis of linear and nonlinear systems*, 1957).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_POWER = 4
"""Power of ``1 - s^2``: three derivatives are zero at the ends, so sums are good integrals."""

_OVERLAP = 4
"""Test functions whose supports hold a time."""


@dataclass(frozen=True, eq=False)
class WeakForm:
    """Weights that make sums over N samples integrals against K test functions.

    Parameters
    ----------
    values, slopes : ndarray, shape (K, N)
        Test functions (s) and their derivatives, times the step of each sample.
    """

    values: NDArray[np.float64]
    slopes: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of test functions."""
        return len(self.values)

    def integral(self, signal: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the integrals of a signal, shapes (N, ...) to (K, ...)."""
        return np.tensordot(self.values, signal, axes=1)

    def integral_of_rate(self, signal: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the integrals of a signal's rate of change, shapes (N, ...) to (K, ...)."""
        return -np.tensordot(self.slopes, signal, axes=1)


def weak_form(times: NDArray[np.float64], support: float) -> WeakForm:
    """Return the weak form with bumps ``(1 - s^2)^4`` that follow one another.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, ascending, without holes, s.
    support : float
        How long each bump is, s.
    """
    half = 0.5 * support
    step = np.gradient(times) if len(times) > 1 else np.zeros(len(times))
    spare = times[-1] - times[0] - support
    count = int(spare / (support / _OVERLAP)) + 1 if spare >= 0.0 else 0
    centres = times[0] + half + np.linspace(0.0, max(spare, 0.0), count)
    phase = np.clip((times - centres[:, None]) / half, -1.0, 1.0)
    rest = 1.0 - phase**2
    slopes = -2.0 * _POWER * phase * rest ** (_POWER - 1) / half
    return WeakForm(step * rest**_POWER, step * slopes)

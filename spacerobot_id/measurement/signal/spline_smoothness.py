"""How smooth a spline through noisy readings is: as smooth as the readings show (P-splines).

Third differences of the coefficients are random, as if the motion were jerked at random (Eilers
and Marx, Flexible smoothing with B-splines and penalties, 1996). Their penalty, the smoothing
parameter, is that of largest restricted marginal likelihood (REML). They are Student's, so that a
motion may turn sharply now and then and be smooth everywhere else; their weights follow from the
curve itself, by turns.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve_banded, cholesky_banded
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array

_THIRD = (-1.0, 3.0, -3.0, 1.0)
"""Coefficients of a third difference."""

_WIDTH = 5
"""Neighbours on either side that a coefficient of a quintic shares readings with."""

_BOUNDS, _CLOSE = (np.log(1e-9), np.log(1e6)), 0.3
"""Logarithm of the weight of these differences beside a reading: digits are lost beyond; and how
closely it is found."""

_ROUNDS, _NEARBY = 4, 3.0
"""Times that it is looked for, and how far from where it was before."""

_STIFFNESSES = np.arange(_BOUNDS[0], np.log(1e8), 2.0)
"""The same logarithms as a grid, for short stretches, whose digits last longer: the likelihood
hardly changes between two of them."""

_DEGREES = 4.0
"""Degrees of freedom of Student's t."""


class SmoothFit(NamedTuple):
    """Coefficients of a spline (K,), a sample of their errors (K,), deviation of a reading."""

    coefficients: NDArray[np.float64]
    errors: NDArray[np.float64]
    std: float


def smooth_fit(
    rows: csr_array,
    readings: NDArray[np.float64],
    std: float,
    least: NDArray[np.float64],
    rng: np.random.Generator,
) -> SmoothFit:
    """Return a spline through readings of equal noise, as smooth as they show.

    Parameters
    ----------
    rows : csr_array, shape (N, K)
        What the coefficients of a quintic make of each reading.
    readings : ndarray, shape (N,)
        Readings.
    std : float
        Their standard deviation as stated; where they are farther off, they show their own.
    least : ndarray, shape (K - 3,)
        Least weight of the square of each third difference beside that of a reading.
    rng : numpy.random.Generator
        Draws the sample of the errors.
    """
    search = _Search(rows, readings, std, least)
    share, stiff, (lowest, highest) = np.ones(len(least)), 0.0, _BOUNDS
    for _ in range(_ROUNDS):
        found = minimize_scalar(
            lambda trial, share=share: float(search.at(trial, share).cost),
            bounds=(lowest, highest),
            method='bounded',
            options={'xatol': _CLOSE},
        )
        stiff = float(found.x)
        at = search.at(stiff, share)
        squares = np.diff(at.coefficients, 3) ** 2 * np.exp(stiff) / at.variance
        share = (_DEGREES + 1.0) / (_DEGREES + squares)
        lowest, highest = np.clip([stiff - _NEARBY, stiff + _NEARBY], *_BOUNDS)
    return SmoothFit(at.coefficients, search.errors(at, rng), float(np.sqrt(at.variance)))


def common_fit(
    rows: csr_array, readings: NDArray[np.float64], std: float, least: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the coefficients of several splines through readings at the same times, (K, d).

    Each is of the likeliest of some stiffnesses, its third differences normal: one factor serves
    all of them, which takes a small part of the time of ``smooth_fit``.

    Parameters
    ----------
    rows, std, least
        As for ``smooth_fit``.
    readings : ndarray, shape (N, d)
        Readings.
    """
    found, lowest = np.zeros((rows.shape[1], readings.shape[1])), np.inf
    search = _Search(rows, readings, std, least)
    for stiff in _STIFFNESSES:
        at = search.at(stiff, np.ones(len(least)))
        found = np.where(at.cost < lowest, at.coefficients, found)
        lowest = np.minimum(at.cost, lowest)
    return found


class _Fit(NamedTuple):
    """Splines of some smoothness: minus twice their log-likelihood, and variance of a reading."""

    coefficients: NDArray[np.float64]
    factor: NDArray[np.float64]
    weights: NDArray[np.float64]
    variance: NDArray[np.float64]
    cost: NDArray[np.float64]


class _Search:
    """Splines of any smoothness through the same readings."""

    def __init__(
        self,
        rows: csr_array,
        readings: NDArray[np.float64],
        std: float,
        least: NDArray[np.float64],
    ) -> None:
        self._rows, self._readings, self._least = rows, readings, least
        self._variance = max(std, np.finfo(float).tiny ** 0.25) ** 2
        self._band = banded(csr_array(rows.T @ rows))
        self._right = rows.T @ readings

    def at(self, stiff: float, share: NDArray[np.float64]) -> _Fit:
        """Return the spline of a stiffness, each difference weighed by its share."""
        weights = np.maximum(np.exp(stiff) * share, self._least)
        factor = cholesky_banded(self._band + band_of_differences(weights))
        found = cho_solve_banded((factor, False), self._right)
        left = self._readings - self._rows @ found
        squares = np.sum(left**2, axis=0) + weights @ np.diff(found, 3, axis=0) ** 2
        freedom = max(len(left) - len(_THIRD) + 1, 1)
        variance = np.maximum(squares / freedom, self._variance)
        determinant = 2.0 * np.log(factor[-1]).sum() - np.log(weights).sum()
        cost = squares / variance + freedom * np.log(variance) + determinant
        return _Fit(found, factor, weights, variance, cost)

    def errors(self, fit: _Fit, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return a sample of the errors of coefficients: of their distribution given all."""
        noise = self._rows.T @ rng.normal(size=len(self._readings))
        jerks = np.sqrt(fit.weights) * rng.normal(size=len(fit.weights))
        noise += np.convolve(jerks, _THIRD)
        return np.sqrt(fit.variance) * cho_solve_banded((fit.factor, False), noise)


def banded(matrix: csr_array) -> NDArray[np.float64]:
    """Return the upper band of a symmetric matrix as scipy wants it, shape (6, K)."""
    count = matrix.shape[0]
    band = np.zeros((_WIDTH + 1, count))
    for offset in range(min(_WIDTH, count - 1) + 1):
        band[_WIDTH - offset, offset:] = matrix.diagonal(offset)
    return band


def band_of_differences(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the band of a weighted sum of squares of third differences, shape (6, K)."""
    count, order = len(weights), len(_THIRD) - 1
    band = np.zeros((_WIDTH + 1, count + order))
    for offset in range(order + 1):
        row = band[_WIDTH - offset, offset:]
        for place in range(order + 1 - offset):
            row[place : place + count] += _THIRD[place] * _THIRD[place + offset] * weights
    return band

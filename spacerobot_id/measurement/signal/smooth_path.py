"""One smooth motion through positions and rates: a quintic spline by weighted least squares.

Positions and their rates are readings of one curve, each with its own noise; the curve can be
evaluated anywhere, and its rate is the derivative of its position, so that integrating one gives
the other. Where the noise is known the curve is as smooth as the readings show.

Third differences of the coefficients are random, as if the motion were jerked at random (Eilers
and Marx, Flexible smoothing with B-splines and penalties, 1996). Their penalty, the smoothing
parameter, is that of largest restricted marginal likelihood (REML). They are Student's, so that a
motion may turn sharply now and then and be smooth everywhere else; their weights follow from the
curve itself, by turns.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.linalg import cho_solve_banded, cholesky_banded, solveh_banded
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array, vstack

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


_DEGREE = 5
"""Degree of the splines: accelerations are smooth."""

_LEAST_SPACING = 0.04
"""Least distance of knots, s: what is faster is noise."""

_PENALTY, _BRIDGED = 1e-9, 0.1
"""Weight of third differences of the coefficients beside that of a position, and where positions
are missing: else a curve follows the noise of the last ones far into a gap."""

_FEW = 0.6
"""Share of the usual number of positions below which some are missing."""

_TRUSTED = 2.0
"""Times its expected deviation up to which the misfit of rates is what it is stated to be."""

_FAR, _STANDING_OUT = 8.0, (3.0, 8.0, 8.0)
"""Deviations from which on one, two or three rates in a row are outliers, if they are so many
times farther off than those on both sides: where a motion turns sharply, these are off, too."""

_PIECE, _BESIDE = 3.0, 1.0
"""Time that one stiffness holds for, and beyond on both sides that it is found from, s."""

_APART = 1.0
"""Time between two samples beyond which a curve through both says nothing, s."""

_TURNING = np.pi
"""Angular frequency of errors that last, rad/s: such as of motions that parameters are seen by."""

_QUARTILE = 0.6745
"""Median of the size of a normal error, in deviations: rates near the ends are far worse."""


@dataclass(frozen=True, eq=False)
class SmoothPath:
    """A curve of several coordinates.

    Parameters
    ----------
    curve : scipy.interpolate.BSpline
        Coordinates by time.
    rate_std : ndarray, shape (d,)
        Deviations of the rates about it, as far as they are larger than stated.
    own_std, own_rate_std : ndarray, shape (d,)
        Deviations of its own positions and rates: what it leaves of the noise.
    density : ndarray, shape (d,)
        Root of the spectral density of what is slow in these positions, (rad or m) s^(1/2): that
        of positions and integrated rates as they are read.
    """

    curve: BSpline
    rate_std: NDArray[np.float64]
    own_std: NDArray[np.float64]
    own_rate_std: NDArray[np.float64]
    density: NDArray[np.float64]

    @classmethod
    def through(
        cls,
        times: NDArray[np.float64],
        positions: NDArray[np.float64],
        rates: NDArray[np.float64] | None = None,
        stds: tuple[float, float] | None = None,
        spacing: float = _LEAST_SPACING,
    ) -> 'SmoothPath':
        """Return the curve through samples.

        Parameters
        ----------
        times : ndarray, shape (N,)
            Times, strictly increasing, s; at least two.
        positions : ndarray, shape (N, d)
            Positions.
        rates : ndarray, shape (N, d), optional
            Rates; NaN, or None, where they are not measured.
        stds : tuple of float, optional
            Standard deviations of positions and rates as stated, from which it is found how
            smooth the curve is; without them it is as smooth as its knots make it. Rates that
            contradict the positions count for as little as their misfit shows; single outliers
            do not.
        spacing : float
            Least distance of knots, s: what is faster is noise.
        """
        none = np.zeros(positions.shape[1])
        if not len(none):
            return cls(_Basis.over(times, np.inf).straight(), *[none] * 4)
        interval = float(np.median(np.diff(times)))
        basis = _Basis.over(times, max(2.0 * interval, spacing))
        if stds is None:
            return cls(basis.clamped.fitted(times, positions), *[none] * 4)
        std, rate_std = (none + max(each, np.finfo(float).tiny) for each in stds)
        if rates is not None and np.isfinite(rates).all():
            rates, rate_std = basis.judged(times, positions, rates, (std, rate_std))
        else:
            rates = None
        basis = _Basis.over(times, max(interval, spacing))
        curve, errors, slow = basis.smoothed(times, positions, rates, (std, rate_std))
        own_rates = _usual(errors.derivative()(times))
        own = np.std(errors(times), axis=0)
        if rates is not None:  # integrated they are as good as positions, or better
            integrated = rate_std / std * slow / _TURNING
            slow = integrated * slow / np.hypot(integrated, slow)
        apart = np.sqrt((times[-1] - times[0]) / (len(times) - 1))  # on average: some are lost
        return cls(curve, rate_std, own, own_rates, slow * apart)

    @property
    def begin(self) -> float:
        """First time, s."""
        return float(self.curve.t[self.curve.k])

    @property
    def end(self) -> float:
        """Last time, s."""
        return float(self.curve.t[-1 - self.curve.k])

    def white_stds(self, interval: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return deviations of white noise of positions and rates that lasts as its errors do.

        Errors that last longer than readings are apart do not average out as white ones do; white
        noise that leaves as much of a mean over seconds takes their place.

        Parameters
        ----------
        interval : float
            Time between two readings of what positions and rates move, s.
        """
        slow = self.density / np.sqrt(interval)
        return np.maximum(self.own_std, slow), np.maximum(self.own_rate_std, _TURNING * slow)

    def at(self, times: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return positions and rates at times, each (N, d); held beyond the ends."""
        t, k = self.curve.t, self.curve.k
        inside = np.clip(times, t[k], t[-k - 1])
        rates = self.curve.derivative()(inside)
        rates[inside != times] = 0.0
        return self.curve(inside), rates


def smooth_motion(
    times: NDArray[np.float64],
    positions: NDArray[np.float64],
    rates: NDArray[np.float64] | None,
    stds: tuple[float, float],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return positions and rates of curves through samples, each (N, d).

    Stretches of some seconds have a stiffness of their own: where a joint rests next to nothing of
    the noise is left, where it turns sharply the curve follows. What is left of the noise of rates
    is 0.03 % of its variance at rest, and 2 to 7 % in motion.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, strictly increasing, s.
    positions, rates : ndarray, shape (N, d)
        Readings; without rates those of the curve through the positions alone.
    stds : tuple of float
        Standard deviations of positions and rates.
    """
    found = positions.copy(), np.zeros_like(positions) if rates is None else rates.copy()
    if not positions.shape[1]:
        return found
    for inside, around in _stretches(times):
        curve = _common_curve(
            times[around], positions[around], None if rates is None else rates[around], stds
        )
        found[0][inside] = curve(times[inside])
        found[1][inside] = curve.derivative()(times[inside])
    return found


def _stretches(times: NDArray[np.float64]) -> Iterator[tuple[slice, slice]]:
    """Yield stretches of samples without gaps, and each with what is beside it."""
    ends = np.flatnonzero(np.diff(times) > _APART) + 1
    for first, last in zip([0, *ends], [*ends, len(times)], strict=True):
        own = times[first:last]
        if len(own) <= _DEGREE:
            continue  # too few for a curve
        count = max(round((own[-1] - own[0]) / _PIECE), 1)
        inner = np.searchsorted(own, np.linspace(own[0], own[-1], count + 1)[1:-1])
        edges = np.unique([0, *inner, len(own)])
        for begin, end in pairwise(edges):
            wide = np.searchsorted(own, [own[begin] - _BESIDE, own[end - 1] + _BESIDE])
            yield slice(first + begin, first + end), slice(first + wide[0], first + wide[1])


def _common_curve(
    times: NDArray[np.float64],
    positions: NDArray[np.float64],
    rates: NDArray[np.float64] | None,
    stds: tuple[float, float],
) -> BSpline:
    """Return the curves through samples that are as smooth as these show; parameters as above."""
    basis = _Basis.over(times, max(float(np.median(np.diff(times))), _LEAST_SPACING))
    rows = csr_array(BSpline.design_matrix(times, basis.knots, _DEGREE))
    readings, std = positions, max(stds[0], np.finfo(float).tiny)
    if rates is not None:
        weight = std / max(stds[1], np.finfo(float).tiny)
        rows = csr_array(vstack([rows, weight * basis.slopes(times)]))
        readings = np.concatenate([positions, weight * rates])
    found = common_fit(rows, readings, std, basis.least_stiffness(times))
    return BSpline(basis.knots, found, _DEGREE)


@dataclass(frozen=True, eq=False)
class _Basis:
    """Knots of a spline with equal distances, some of them before its begin and after its end.

    So what is smooth has small differences of coefficients everywhere.
    """

    knots: NDArray[np.float64]

    @classmethod
    def over(cls, times: NDArray[np.float64], spacing: float) -> '_Basis':
        """Return knots from the first to the last time."""
        count = max(round((times[-1] - times[0]) / spacing), 1)
        step = (times[-1] - times[0]) / count
        places = np.arange(-_DEGREE, count + _DEGREE + 1)
        return cls(np.where(places == count, times[-1], times[0] + step * places))

    def straight(self) -> BSpline:
        """Return the curve of nothing, which has no dimension."""
        return BSpline(self.knots, np.zeros((len(self.knots) - _DEGREE - 1, 0)), _DEGREE)

    @property
    def clamped(self) -> '_Basis':
        """The same with all of the outer knots at the ends."""
        begin, end = self.knots[_DEGREE], self.knots[-1 - _DEGREE]
        return _Basis(np.clip(self.knots, begin, end))

    def fitted(self, times: NDArray[np.float64], positions: NDArray[np.float64]) -> BSpline:
        """Return the curve of least squares through positions, as smooth as the knots make it."""
        values = BSpline.design_matrix(times, self.knots, _DEGREE)
        band = banded(csr_array(values.T @ values))
        band += band_of_differences(self.least_stiffness(times))
        found = solveh_banded(band, values.T @ positions)
        return BSpline(self.knots, found, _DEGREE)

    def judged(
        self,
        times: NDArray[np.float64],
        positions: NDArray[np.float64],
        rates: NDArray[np.float64],
        stds: tuple[NDArray[np.float64], NDArray[np.float64]],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return rates without outliers, (N, d), and their deviations about positions, (d,)."""
        dense = self._dense(times)
        dense = dense if dense.any() else np.ones(len(times), dtype=bool)
        curve, own, _ = self.smoothed(times, positions, None, stds)
        errors = rates - curve.derivative()(times)
        expected = np.hypot(stds[1], _usual(own.derivative()(times)))
        outlying = _outlying(errors, dense, stds[1])
        rates, errors = (np.where(outlying, np.nan, each) for each in (rates, errors))
        misfit = np.sqrt(np.nanmean(errors[dense] ** 2, axis=0))
        return rates, np.where(misfit > _TRUSTED * expected, misfit, stds[1])

    def smoothed(
        self,
        times: NDArray[np.float64],
        positions: NDArray[np.float64],
        rates: NDArray[np.float64] | None,
        stds: tuple[NDArray[np.float64], NDArray[np.float64]],
    ) -> tuple[BSpline, BSpline, NDArray[np.float64]]:
        """Return the curve as smooth as readings are, a sample of its errors, deviations, (d,)."""
        values = csr_array(BSpline.design_matrix(times, self.knots, _DEGREE))
        slopes = None if rates is None else self.slopes(times)
        least, rng = self.least_stiffness(times), np.random.default_rng(0)
        found, errors = np.empty((2, values.shape[1], positions.shape[1]))
        shown = np.empty(positions.shape[1])
        for column, (own, std) in enumerate(zip(positions.T, stds[0], strict=True)):
            rows = values
            if rates is not None and slopes is not None:
                there, weight = np.isfinite(rates[:, column]), std / stds[1][column]
                rows = csr_array(vstack([values, weight * slopes[there]]))
                own = np.concatenate([own, weight * rates[there, column]])
            fit = smooth_fit(rows, own, std, least, rng)
            found[:, column], errors[:, column], shown[column] = fit
        curve, errors = (BSpline(self.knots, each, _DEGREE) for each in (found, errors))
        return curve, errors, shown

    def least_stiffness(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least weight of third differences of the coefficients, (K - 3,)."""
        return np.where(self._missing(times), _BRIDGED, _PENALTY)

    @property
    def _middles(self) -> NDArray[np.float64]:
        """Times that the coefficients are of (Greville's abscissae), none before or after it."""
        middles = np.convolve(self.knots[1:-1], np.full(_DEGREE, 1.0 / _DEGREE), 'valid')
        end = np.nextafter(self.knots[-1 - _DEGREE], np.inf)  # with the last of the readings
        return np.clip(middles, self.knots[_DEGREE], end)

    def _missing(self, times: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return where positions are missing along each third difference of the coefficients."""
        middles = self._middles
        counted = np.searchsorted(times, middles)
        usual = (middles[3:] - middles[:-3]) / np.median(np.diff(times))
        return counted[3:] - counted[:-3] < _FEW * usual

    def _dense(self, times: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return about which of the times of positions none are missing; not at the ends then."""
        missing, middles = self._missing(times), self._middles
        if not missing.any():
            return np.ones(len(times), dtype=bool)
        place = np.searchsorted(middles, times, side='right') - 2
        inside = (times > middles[_DEGREE]) & (times < middles[-1 - _DEGREE])
        return inside & ~missing[np.clip(place, 0, len(missing) - 1)]

    def slopes(self, times: NDArray[np.float64]) -> csr_array:
        """Return the matrix from coefficients to rates at times."""
        count = len(self.knots) - 1 - _DEGREE
        lower = BSpline.design_matrix(times, self.knots[1:-1], _DEGREE - 1)
        width = self.knots[_DEGREE + 1 : _DEGREE + count] - self.knots[1:count]
        step = _DEGREE / width
        rows = np.arange(count - 1)
        change = csr_array(
            (
                np.concatenate([-step, step]),
                (np.tile(rows, 2), np.concatenate([rows, rows + 1])),
            ),
            shape=(count - 1, count),
        )
        return lower @ change


def _usual(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the usual deviation of errors (N, d), whatever a few of them are, (d,)."""
    return np.median(np.abs(errors), axis=0) / _QUARTILE


def _outlying(
    errors: NDArray[np.float64], dense: NDArray[np.bool_], std: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which errors are far larger than usual, and than those on both sides, (N, d)."""
    size = np.abs(errors)
    far = _FAR * np.maximum(std, _usual(size[dense]))
    found = np.zeros(size.shape, dtype=bool)
    for length, ratio in enumerate(_STANDING_OUT, start=1):
        rows = np.arange(1, len(size) - length)
        runs = rows[:, None] + np.arange(length)
        besides = np.maximum(size[rows - 1], size[rows + length])
        stand_out = (size[runs] > np.maximum(far, ratio * besides)[:, None]).all(axis=1)
        for place in range(length):
            found[rows + place] |= stand_out
    return found & dense[:, None]

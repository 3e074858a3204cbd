"""One smooth motion through positions and rates: a quintic spline by weighted least squares.

Positions and their rates are readings of one curve, each with its own noise; the curve can be
evaluated anywhere, and its rate is the derivative of its position, so that integrating one gives
the other.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.linalg import solveh_banded
from scipy.sparse import csr_array, diags_array

_DEGREE = 5
_LEAST_SPACING = 0.04
"""Least distance of knots, s: what is faster is noise."""

_PENALTY, _BRIDGED = 1e-9, 0.1
"""Weight of third differences of the coefficients beside that of a position, and where positions
are missing: else a curve follows the noise of the last ones far into a gap."""

_FEW = 0.6
"""Share of the usual number of positions below which some are missing."""

_TRUSTED = 2.0
"""Times its expected deviation up to which the misfit of rates is what it is said to be."""

_FAR, _STANDING_OUT = 8.0, (3.0, 8.0, 8.0)
"""Deviations from which on one, two or three rates in a row are outliers, if they are so many
times farther off than those on both sides: where a motion turns sharply, these are off, too."""

_OF_CURVE = 3.0
"""Deviation of the rate of a curve through positions alone, times knot distance over theirs."""

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
    """

    curve: BSpline
    rate_std: NDArray[np.float64]
    own_std: NDArray[np.float64]
    own_rate_std: NDArray[np.float64]

    @classmethod
    def through(
        cls,
        times: NDArray[np.float64],
        positions: NDArray[np.float64],
        rates: NDArray[np.float64] | None = None,
        stds: tuple[float, float] = (1.0, 1.0),
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
        stds : tuple of float
            Standard deviations of positions and rates as stated. Rates that contradict the
            positions count for as little as their misfit shows; single outliers do not.
        spacing : float
            Least distance of knots, s: what is faster is noise.
        """
        interval = float(np.median(np.diff(times)))
        known = rates is not None and bool(np.isfinite(rates).all())
        apart = max(2.0 * interval, spacing)
        basis = _Basis.over(times, apart)
        curve = basis.fitted(times, positions, None, stds[0])
        rate_std = np.full(positions.shape[1], max(stds[1], np.finfo(float).tiny))
        if known:
            dense = basis.dense(times)
            dense = dense if dense.any() else np.ones(len(times), dtype=bool)
            errors = rates - curve.derivative()(times)
            expected = np.hypot(rate_std, _OF_CURVE * stds[0] / apart)
            outlying = _outlying(errors, dense, rate_std)
            rates, errors = (np.where(outlying, np.nan, each) for each in (rates, errors))
            misfit = np.sqrt(np.nanmean(errors[dense] ** 2, axis=0))
            rate_std = np.where(misfit > _TRUSTED * expected, misfit, rate_std)
            basis = _Basis.over(times, max(interval, spacing))
            curve = basis.fitted(times, positions, rates, stds[0], rate_std)
        rng = np.random.default_rng(0)
        noise = [std * rng.normal(size=positions.shape) for std in (stds[0], rate_std)]
        smoothed = basis.fitted(times, noise[0], noise[1] if known else None, stds[0], rate_std)
        own_rates = np.median(np.abs(smoothed.derivative()(times)), axis=0) / _QUARTILE
        return cls(curve, rate_std, np.std(smoothed(times), axis=0), own_rates)

    @property
    def begin(self) -> float:
        """First time, s."""
        return float(self.curve.t[0])

    @property
    def end(self) -> float:
        """Last time, s."""
        return float(self.curve.t[-1])

    def at(self, times: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return positions and rates at times, each (N, d); held beyond the ends."""
        t, k = self.curve.t, self.curve.k
        inside = np.clip(times, t[k], t[-k - 1])
        rates = self.curve.derivative()(inside)
        rates[inside != times] = 0.0
        return self.curve(inside), rates


@dataclass(frozen=True, eq=False)
class _Basis:
    """Knots of a spline with equal distances."""

    knots: NDArray[np.float64]

    @classmethod
    def over(cls, times: NDArray[np.float64], spacing: float) -> '_Basis':
        """Return knots from the first to the last time."""
        count = max(round((times[-1] - times[0]) / spacing), 1)
        inner = np.linspace(times[0], times[-1], count + 1)
        ends = [np.repeat(each, _DEGREE) for each in (inner[0], inner[-1])]
        return cls(np.concatenate([ends[0], inner, ends[1]]))

    def fitted(
        self,
        times: NDArray[np.float64],
        positions: NDArray[np.float64],
        rates: NDArray[np.float64] | None,
        position_std: float,
        rate_std: NDArray[np.float64] | None = None,
    ) -> BSpline:
        """Return the curve of least squares."""
        position_std = max(position_std, np.finfo(float).tiny)
        values = BSpline.design_matrix(times, self.knots, _DEGREE)
        count = values.shape[1]
        gram, right = values.T @ values, values.T @ positions
        third = [-1.0, 3.0, -3.0, 1.0]
        differences = diags_array(third, offsets=range(4), shape=(count - 3, count))
        weights = diags_array(np.where(self._missing(times), _BRIDGED, _PENALTY))
        gram = csr_array(gram + differences.T @ (weights @ differences))
        coefficients = np.empty((count, positions.shape[1]))
        slopes = None if rates is None else self._slopes(times, count)
        for column in range(positions.shape[1]):
            own, side = gram, right[:, column]
            if slopes is not None:
                weight = (position_std / rate_std[column]) ** 2
                there = np.isfinite(rates[:, column])
                counting = slopes if there.all() else slopes[there]
                own = gram + weight * (counting.T @ counting)
                side = side + weight * (counting.T @ rates[there, column])
            coefficients[:, column] = solveh_banded(_banded(own), side)
        return BSpline(self.knots, coefficients, _DEGREE)

    @property
    def _middles(self) -> NDArray[np.float64]:
        """Times that the coefficients are of (Greville's abscissae)."""
        return np.convolve(self.knots[1:-1], np.full(_DEGREE, 1.0 / _DEGREE), 'valid')

    def _missing(self, times: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return where positions are missing along each third difference of the coefficients."""
        middles = self._middles
        counted = np.searchsorted(times, middles)
        usual = (middles[3:] - middles[:-3]) / np.median(np.diff(times))
        return counted[3:] - counted[:-3] < _FEW * usual

    def dense(self, times: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return about which of the times of positions none are missing; not at the ends then."""
        missing, middles = self._missing(times), self._middles
        if not missing.any():
            return np.ones(len(times), dtype=bool)
        place = np.searchsorted(middles, times, side='right') - 2
        inside = (times > middles[_DEGREE]) & (times < middles[-1 - _DEGREE])
        return inside & ~missing[np.clip(place, 0, len(missing) - 1)]

    def _slopes(self, times: NDArray[np.float64], count: int) -> csr_array:
        """Return the matrix from coefficients to rates at times."""
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


def _outlying(
    errors: NDArray[np.float64], dense: NDArray[np.bool_], std: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which errors are far larger than usual, and than those on both sides, (N, d)."""
    size = np.abs(errors)
    far = _FAR * np.maximum(std, np.median(size[dense], axis=0) / _QUARTILE)
    found = np.zeros(size.shape, dtype=bool)
    for length, ratio in enumerate(_STANDING_OUT, start=1):
        rows = np.arange(1, len(size) - length)
        runs = rows[:, None] + np.arange(length)
        besides = np.maximum(size[rows - 1], size[rows + length])
        stand_out = (size[runs] > np.maximum(far, ratio * besides)[:, None]).all(axis=1)
        for place in range(length):
            found[rows + place] |= stand_out
    return found & dense[:, None]


def _banded(matrix: csr_array) -> NDArray[np.float64]:
    """Return the upper band of a symmetric matrix as scipy wants it."""
    count = matrix.shape[0]
    band = np.zeros((_DEGREE + 1, count))
    for offset in range(min(_DEGREE, count - 1) + 1):
        band[_DEGREE - offset, offset:] = matrix.diagonal(offset)
    return band

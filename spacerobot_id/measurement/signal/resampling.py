"""Values of a stream at the times of others, whatever its rate, and how much noise is left.

Where a stream is faster than the times wanted, all its samples count, but for outliers: a quartic
is fitted around each time, which follows motions that a parabola cuts the crests of. Its window is
as wide as gives the value the variance of independent averages, so that neighbours, which share a
few samples, are as good as independent: their correlation is 5 %.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.signal.interpolation import interpolate, Interpolated
from spacerobot_id.measurement.signal.outlying import without_outliers

AVERAGED = 1.5
"""Samples per time wanted from which on they are averaged."""

_DEGREE = 4
"""Of the polynomial."""

HALF_WINDOW = 225.0 / 128.0
"""Half the window of a quartic, in distances of the times wanted.

With n samples in it the value in the middle has 225 / (64 n) of their variance, which is one over
the samples per time wanted for this window.
"""

_AROUND = 3
"""Samples before the last time that later times are made of, too."""

_LEAST = 6
"""Least samples in a window; with fewer there is interpolation."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """A stream at N times.

    Parameters
    ----------
    values : ndarray, shape (N, w)
        Values; of no meaning where they are not good.
    good : ndarray of bool, shape (N,)
        Where samples on both sides are near enough.
    variance : ndarray, shape (N,)
        Variance of their noise over that of a sample; more than one where several times share
        the samples.
    used : ndarray, shape (M,), optional
        How often each sample was used, until now; None where they are averaged.
    outlying : ndarray
        Stamps of those among averaged samples that are far from their neighbours and do not
        count, s.
    """

    values: NDArray[np.float64]
    good: NDArray[np.bool_]
    variance: NDArray[np.float64]
    used: NDArray[np.float64] | None = None
    outlying: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


def resampled(
    times: NDArray[np.float64],
    spacing: float,
    stamps: NDArray[np.float64],
    values: NDArray[np.float64],
    interval: float,
    longest_bracket: float,
    longest_line: float = np.inf,
    used: NDArray[np.float64] | None = None,
    noise: NDArray[np.float64] | float = 0.0,
) -> Resampled:
    """Return a stream at some times.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times wanted, ascending, s.
    spacing : float
        Their usual distance, s.
    stamps : ndarray, shape (M,)
        Times of the samples, ascending, s.
    values : ndarray, shape (M, w)
        Samples.
    interval : float
        Usual distance of the samples, s.
    longest_bracket : float
        Largest distance of two samples that may be interpolated between, s.
    longest_line : float
        Largest distance of two samples that a straight line may connect, s.
    used : ndarray, shape (M,), optional
        How often samples were used for earlier times; never if None.
    noise : ndarray, shape (w,), or float
        Standard deviation of their noise as it is stated, for outliers; zero if it is not.
    """
    found = interpolate(times, stamps, values, longest_bracket, longest_line)
    if not (interval > 0.0 and spacing > AVERAGED * interval and len(stamps) >= _LEAST):
        usual = interval / spacing if interval > 0.0 and spacing > 0.0 else 1.0
        use = found.use(len(stamps)) + (0.0 if used is None else used)
        return Resampled(found.values, found.good, _shared(found, times, stamps, use, usual), use)
    mixed, good = found.values, found.good
    half = HALF_WINDOW * spacing
    first = np.searchsorted(stamps, times - half, side='left')
    last = np.searchsorted(stamps, times + half, side='right')
    middle = np.searchsorted(stamps, times)
    sides = np.minimum(middle - first, last - middle)
    fits = good & (last - first >= _LEAST) & (sides >= (last - first) // 3)
    variance = np.ones(len(times))
    variance[fits] = 2.0 * HALF_WINDOW / (last - first)[fits]
    values, is_out = without_outliers(values, noise)
    mixed[fits] = _polynomials(times[fits], half, stamps, values, first[fits], last[fits])
    return Resampled(mixed, good, variance, outlying=stamps[is_out])


def _shared(
    found: Interpolated,
    times: NDArray[np.float64],
    stamps: NDArray[np.float64],
    use: NDArray[np.float64],
    usual: float,
) -> NDArray[np.float64]:
    """Return the noise of values with all that they have in common with others, shape (N,).

    Samples that are to be used further are taken to be used as usual.
    """
    if not (len(times) and len(stamps)):
        return np.ones(len(times))
    whole = use.copy()
    open_ = max(int(np.searchsorted(stamps, times[-1])) - _AROUND, 0)
    whole[open_:] = np.maximum(whole[open_:], usual)
    common = np.sum(found.weights * whole[found.places], axis=1)
    return np.maximum(common, found.variance)


def _polynomials(
    times: NDArray[np.float64],
    half: float,
    stamps: NDArray[np.float64],
    values: NDArray[np.float64],
    first: NDArray[np.intp],
    last: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return values of polynomials through the samples from ``first`` to before ``last``."""
    if not len(times):
        return np.zeros((0, values.shape[1]))
    places = first[:, None] + np.arange(int((last - first).max()))
    inside = places < last[:, None]
    places = np.minimum(places, len(stamps) - 1)
    offsets = (stamps[places] - times[:, None]) / half
    powers = offsets[..., None] ** np.arange(_DEGREE + 1) * inside[..., None]
    gram = np.swapaxes(powers, -1, -2) @ powers
    weights = np.linalg.solve(gram, np.swapaxes(powers, -1, -2))[:, 0]
    return np.einsum('nk,nkw->nw', weights, values[places])

"""How an estimate came to be: what would have been known at times before the end."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.gauss_newton import absorb_rows
from spacerobot_id.estimation.result import Result
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import Method
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_STEPS = 60
"""Times at which it is looked at."""

_SAMPLES = 20_000
"""Samples at most that are looked at, evenly along longer records."""


@dataclass(frozen=True, eq=False)
class Convergence:
    """Estimates over time, linear about the one at the end.

    Parameters
    ----------
    times : ndarray, shape (M,)
        Times, s.
    values, std : ndarray, shape (M, p)
        Parameters and their standard deviations; NaN before they are determined.
    """

    times: NDArray[np.float64]
    values: NDArray[np.float64]
    std: NDArray[np.float64]


def convergence(result: Result, record: Record) -> Convergence | None:
    """Return the estimates over time; None where they follow from whole stretches of samples.

    Parameters
    ----------
    result : Result
        Result of an identification.
    record : Record
        Samples that it was made of, others among them.
    """
    method = result.method
    of_the_end = method.solves_at_once or method.has_finish
    if of_the_end or result.residuals is None or not len(result.residuals):
        return None
    try:
        samples = method.prepared(record)
    except EstimationError:
        return None
    samples = samples[np.isin(samples.times, result.residuals.times)]
    if len(samples) < 2:
        return None
    every = 1 + len(samples) // _SAMPLES
    return _scaled(_followed(method, samples[::every], result.values), result)


def _followed(method: Method, samples: Record, about: NDArray[np.float64]) -> Convergence:
    """Return what is known after each of some parts of the samples."""
    count = method.unknowns.parameters
    nothing = SquareRootInformation.nothing(len(about))
    known = nothing if method.is_for_comparison else method.prior().linearised(about)
    times, values, std, before = [], [], [], None
    for rows in np.array_split(np.arange(len(samples)), min(_STEPS, len(samples))):
        part = samples[rows]
        known = absorb_rows(method, part, about, known, before)
        before = float(part.times[-1])
        covariance = known.covariance()[:count, :count]
        determined = np.isfinite(covariance).all()
        times.append(before)
        std.append(np.sqrt(np.diag(covariance)) if determined else np.full(count, np.nan))
        values.append(known.values()[:count] if determined else np.full(count, np.nan))
    return Convergence(np.array(times), np.array(values), np.array(std))


def _scaled(found: Convergence, result: Result) -> Convergence:
    """Return it with as much noise as the result has, which the residuals at the end show."""
    ratios = result.estimate.std / found.std[-1]
    shown = ratios[np.isfinite(ratios)]
    scale = float(np.median(shown)) if len(shown) else 1.0
    return Convergence(found.times, found.values, np.minimum(scale * found.std, _before(result)))


def _before(result: Result) -> NDArray[np.float64]:
    """Return the standard deviations before the data; infinite where nothing is known."""
    return np.where(result.method.is_for_comparison, np.inf, result.estimate.prior_std)

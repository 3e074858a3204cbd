"""Where a fit can begin that outliers have spoilt: weights that they cannot move.

While little is known a few outliers bend the fit so far that no sample stands out from the others
any more. Reweighted fits (Geman and McClure, 1987) go from the description to where most
samples agree: a sample's weight falls with the square of its chi-square, in units of the middle
one, which outliers do not move (Maronna et al., Robust Statistics, 2019).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from spacerobot_id.estimation.batch.gauss_newton import gauss_newton
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import chunks, Method
from spacerobot_id.methods.solution import Prior, Solution
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_ROUNDS, _STEPS = 10, 2
"""Most times that weights are recomputed, and Gauss-Newton steps with each."""

_TAIL = 0.01
"""Probability of a good sample beyond the chi-square at which a weight is a quarter."""

_SETTLED = 0.1
"""Step, in standard deviations, at which the weights no longer change."""


def robust_start(
    method: Method,
    record: Record,
    start: NDArray[np.float64],
    prior: Prior | None = None,
    known: SquareRootInformation | None = None,
) -> Solution:
    """Return a fit that most samples agree on, those that stand out next to without weight.

    Parameters
    ----------
    method : Method
        Robot, readings and noise.
    record : Record
        N samples, outliers among them.
    start : ndarray, shape (u,)
        Unknowns that no outlier has moved: those of the description, or an earlier estimate.
    prior, known
        As for ``gauss_newton``.
    """
    values = start
    for _ in range(_ROUNDS):
        weighed = record.weighed(1.0 / _weights(method, record, values)[:, None])
        fit = gauss_newton(method, weighed, values, prior, known, _STEPS)
        moved = fit.information.deviations(fit.values - values)
        values = fit.values
        if moved < _SETTLED:
            break
    return fit


def _weights(method: Method, record: Record, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of each sample's information, one where it fits, shape (N,)."""
    squares = np.nansum(method.residuals(record, values).values ** 2, axis=1)
    scale = max(np.median(squares) / chdtri(method.outputs, 0.5), 1.0)
    return 1.0 / (1.0 + squares / (scale * chdtri(method.outputs, _TAIL))) ** 2


def truncated_cost(
    method: Method,
    record: Record,
    values: NDArray[np.float64],
    limit: float,
    prior: Prior | None = None,
    known: SquareRootInformation | None = None,
) -> float:
    """Return minus twice the logarithm of the posterior density, outliers cut off.

    Of two fits that leave out other samples the one is better whose cost this is less. Infinite
    where nothing can be predicted.

    Parameters
    ----------
    method, record, prior, known
        As for ``robust_start``.
    values : ndarray, shape (u,)
        Unknowns.
    limit : float
        Chi-square of a sample beyond which it counts no more.
    """
    total = 0.0 if prior is None else prior.cost(values)
    total += 0.0 if known is None else known.cost(values)
    try:
        for part in chunks(record):
            found = method.predict(part, values, with_slope=False)
            squares = np.nansum(found.whitened() ** 2, axis=1)
            total += found.cost() - float(np.sum(np.maximum(squares - limit, 0.0)))
    except np.linalg.LinAlgError:  # a robot that does not resist motion
        return np.inf
    return total

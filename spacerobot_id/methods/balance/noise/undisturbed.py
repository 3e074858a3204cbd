"""Flights that nothing disturbs: the fit without pushes, and whether data ask for some.

Sizes of noise of largest likelihood are seldom zero where the true ones are, and widen intervals
for nothing. So a flight is first fitted as if wrenches alone moved the robot; its sizes of noise
are looked for only where pushes make it likelier than chance does (a likelihood-ratio test).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.methods.balance.balance_fit import begin_fit
from spacerobot_id.methods.balance.balance_problem import Problem
from spacerobot_id.methods.balance.equations.flight_rows import full_weights
from spacerobot_id.methods.balance.flight import Flight, READINGS
from spacerobot_id.methods.balance.flight_fit import BalanceFit
from spacerobot_id.methods.balance.noise.noise_sizes import first_sizes, NoiseSizes
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.methods.momentum_balance import MomentumBalance

_NARROWING = (1.0, 0.1, 0.01, 1e-3, 1e-4)
"""Sizes of pushes on the way to none, over those that a search begins with.

Without any a long flight is so far from linear that fits get lost; with large ones it is not.
"""

_TRIED = _NARROWING[:-1]
"""Sizes of pushes that are tried, likewise."""

_SEGMENT = 0.5
"""Length of the segments, s: without pushes they need not be short."""

_PUSHES = ('force', 'torque', 'slow_force', 'slow_torque', 'scatter')
"""Sizes of what acts besides the wrenches as stated."""

_SPREADS = 3
"""Most fits with the noise of readings as the one before shows it."""

_AS_STATED = 0.2
"""Change of the logarithm of the noise of readings that ends these."""

_MOST = 0.95
"""Share of the readings that their noise is judged by: the others may be glitches."""

_CHANCE = 6.0
"""Twice the logarithm of the ratio of likelihoods that chance makes of pushes that are not."""


def undisturbed_fit(
    method: 'MomentumBalance',
    flights: Sequence[Flight],
    start: NDArray[np.float64],
    known: SquareRootInformation | None = None,
) -> BalanceFit | None:
    """Return the most likely unknowns of flights that wrenches alone move; None if they do not.

    Readings may have more noise than is stated, all of them alike.

    Parameters
    ----------
    method, flights, start, known
        As for ``begin_fit``.
    """
    scale = 1.0
    for _ in range(_SPREADS):
        try:
            fit = _fit_alone(method, flights, start, known, scale=scale)
        except EstimationError:
            return None
        problem = _in_full(fit.problem)
        spread = _spread(problem)
        if abs(np.log(spread / scale)) < _AS_STATED:
            break
        scale = spread
    else:  # what is left is of no one size
        return None
    usual = first_sizes(method, [own.flight for own in fit.flights])
    is_known = fit.converged and not _is_disturbed(problem, fit.sizes, usual)
    return fit if is_known else None


def held_fit(
    method: 'MomentumBalance', flights: Sequence[Flight], values: NDArray[np.float64]
) -> BalanceFit:
    """Return the states of flights of a given robot, with the least pushes that they follow from.

    Raises
    ------
    EstimationError
        If none follow even with the pushes that a search begins with.
    """
    for last in range(len(_NARROWING), 1, -1):
        with suppress(EstimationError):
            return _fit_alone(method, flights, values, shares=_NARROWING[:last], held=True)
    return _fit_alone(method, flights, values, shares=_NARROWING[:1], held=True)


def _fit_alone(
    method: 'MomentumBalance',
    flights: Sequence[Flight],
    start: NDArray[np.float64],
    known: SquareRootInformation | None = None,
    *,
    scale: float = 1.0,
    shares: Sequence[float] = _NARROWING,
    held: bool = False,
) -> BalanceFit:
    """Return the most likely unknowns of flights with pushes that become smaller and smaller."""
    flights = [each.coarser(_SEGMENT) for each in flights]
    usual = first_sizes(method, flights)
    narrowing = [_alone(usual, share, scale) for share in shares]
    return begin_fit(method, flights, start, known, given=narrowing, held=held).ended()


def _alone(usual: NoiseSizes, share: float, scale: float) -> NoiseSizes:
    """Return sizes of noise with a share of the usual pushes, and a scale of all readings."""
    pushes = {name: share * getattr(usual, name) for name in _PUSHES}
    return replace(usual, **pushes, scales=(scale,) * len(READINGS))


def _in_full(problem: Problem) -> Problem:
    """Return the equations of a fit with every push and reading at its full weight."""
    return replace(problem, weights=[full_weights(rows) for rows in problem.linear])


def _spread(problem: Problem) -> float:
    """Return the noise of readings over that stated, by what most of them leave over."""
    left = np.concatenate([rows.rows[:, -1] for rows in problem.linear])
    taken = problem.main * len(problem.linear) + len(problem.values[0])
    given_back = np.sqrt(len(left) / max(len(left) - taken, 1.0))
    return float(given_back * np.quantile(np.abs(left), _MOST) / norm.ppf(0.5 + 0.5 * _MOST))


def _is_disturbed(problem: Problem, sizes: NoiseSizes, usual: NoiseSizes) -> bool:
    """Return whether pushes make what a fit leaves over likelier than chance does."""
    least = problem.surprise(problem.solved(sizes)) - _CHANCE
    tried = (
        replace(sizes, **{name: share * getattr(usual, name)})
        for share in _TRIED
        for name in ('force', 'torque')
    )
    return any(problem.surprise(problem.solved(each)) < least for each in tried)

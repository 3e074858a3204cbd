"""Fits of flights: unknowns, states, disturbances, and sizes of noise from the data.

Sizes of noise of largest likelihood are seldom zero where the true ones are, and widen intervals
for nothing. So a method may ask that a flight is first fitted as if nothing disturbed it; sizes
are looked for only where disturbances make it likelier than chance does (likelihood-ratio test).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from spacerobot_id.estimation.states.fit import Begun, StatesFit
from spacerobot_id.estimation.states.iteration import (
    Iteration,
    LOST,
    MOST_ITERATIONS,
    Point,
    Task,
)
from spacerobot_id.estimation.states.marginal_prior import MarginalPrior
from spacerobot_id.estimation.states.problem import Problem
from spacerobot_id.exceptions import DivergenceError, EstimationError
from spacerobot_id.methods.blocks import NoiseSizes, Stretch
from spacerobot_id.methods.states_method import StatesMethod
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_NARROWING = (1.0, 0.1, 0.01, 1e-3, 1e-4)
"""Sizes of disturbances on the way to none, over those that a search begins with.

Without any a long flight is so far from linear that fits get lost; with large ones it is not.
"""

_SEGMENT = 0.5
"""Length of the segments, s: without disturbances they need not be short."""

_SPREADS = 3
"""Most fits with the noise of readings as the one before shows it."""

_AS_STATED, _SETTLED = 0.2, 0.05
"""Logarithm of the noise of readings over that stated up to which it is as stated, and its change
that ends these."""

_MOST = 0.95
"""Share of the readings that their noise is judged by: the others may be glitches."""

_CHANCE, _CLEAR = 6.0, 100.0
"""Twice the logarithm of the ratio of likelihoods that chance makes of disturbances, and that from
which on no smaller ones are tried."""


def begin_fit(
    method: StatesMethod,
    flights: Sequence[Stretch],
    start: NDArray[np.float64],
    known: SquareRootInformation | None = None,
    *,
    given: NoiseSizes | None = None,
    first: NoiseSizes | None = None,
    held: bool = False,
    marginal: MarginalPrior | None = None,
    begun: Begun | None = None,
    roughness: float = 0.0,
) -> Iteration:
    """Return the fit of flights before its first step.

    Parameters
    ----------
    method : StatesMethod
        Robot and unknowns.
    flights : sequence of Stretch
        One or more. All unknowns are common to them but for those that each has of its own: those
        of the first are among the unknowns returned.
    start : ndarray, shape (u,)
        Unknowns to start from.
    known : SquareRootInformation, optional
        What is known without the flights; the description by default.
    given : NoiseSizes, optional
        Sizes of noise; found if None.
    first : NoiseSizes, optional
        Sizes of noise to start from.
    held : bool
        Whether the unknowns stay where they are: states and disturbances alone are fitted.
    marginal : MarginalPrior, optional
        What is known where the first flight goes on, and before; then ``known`` does not count.
    begun : Begun, optional
        Information from an earlier fit on the first segments of the first flight.
    roughness : float
        Least noise of the first kind of readings to start from, over what is stated.

    Raises
    ------
    EstimationError
        If no motion follows from the unknowns.
    """
    goes_on = marginal is not None
    ready, values = method.begun(flights, start, held=held or goes_on, goes_on=goes_on)
    pairs = zip(ready, values, strict=True)
    trajectories = [method.trajectory(flight, own) for flight, own in pairs]
    if begun is not None:
        trajectories[0] = trajectories[0].begun(begun.trajectory)
    point = Point(values, trajectories)
    blocks = point.blocks(method, ready)
    if blocks is None:
        raise DivergenceError(LOST)
    weights = [each.full_weights for each in blocks]
    if begun is not None:
        weights[0] = begun.weights(blocks[0])
    task = Task(
        method,
        ready,
        known if marginal is None else marginal.information,
        marginal,
        held,
        is_given=given is not None,
        has_first=first is not None,
        goes_on=begun is not None,
    )
    sizes = given or first or method.first_sizes(ready)
    if sizes.scales[0] < roughness:
        sizes = sizes.with_scales(np.append(roughness, sizes.scales[1:]))
    unmoved = np.zeros(len(sizes.kinds))
    return Iteration(task, point, blocks, weights, sizes, unmoved)


def fit_flights(
    method: StatesMethod,
    flights: Sequence[Stretch],
    start: NDArray[np.float64] | None = None,
    known: SquareRootInformation | None = None,
    *,
    first: NoiseSizes | None = None,
    held: bool = False,
    marginal: MarginalPrior | None = None,
) -> StatesFit:
    """Return the most likely unknowns and sizes of noise of flights, from along their readings.

    Parameters
    ----------
    method, flights, known, first, held, marginal
        As for ``begin_fit``.
    start : ndarray, shape (u,), optional
        Unknowns to start from; the description by default.

    Raises
    ------
    EstimationError
        If no motion follows from the unknowns that it leads to.
    """
    start = method.prior().mean if start is None else start
    if method.may_be_undisturbed:
        if held:  # disturbances would hide what is wrong with the robot
            return _held_fit(method, flights, start)
        found = None if first is not None else undisturbed_fit(method, flights, start, known)
        if found is not None:
            return found
    return _fit_with_noise(
        method, flights, start, known, first=first, held=held, marginal=marginal
    )


def _fit_with_noise(
    method: StatesMethod,
    flights: Sequence[Stretch],
    start: NDArray[np.float64],
    known: SquareRootInformation | None,
    *,
    first: NoiseSizes | None,
    held: bool,
    marginal: MarginalPrior | None,
) -> StatesFit:
    """Return the most likely unknowns and sizes of noise.

    Where the noise that is stated leads nowhere, or to no end, as readings are far worse than
    that (stamped on receipt, for instance), the fit starts from what these are off a smooth curve.
    """
    begin = partial(
        begin_fit, method, flights, start, known, first=first, held=held, marginal=marginal
    )
    fit = None
    with suppress(EstimationError):
        fit = begin().ended()
        if fit.converged:
            return fit
    rough = method.roughness(flights)
    if fit is not None and rough <= (first.scales[0] if first else 1.0):
        return fit  # it would start from the same noise again
    try:
        other = begin(roughness=rough).ended()
    except EstimationError:
        if fit is None:
            raise
        return fit
    return other if fit is None or other.converged else fit


def undisturbed_fit(
    method: StatesMethod,
    flights: Sequence[Stretch],
    start: NDArray[np.float64],
    known: SquareRootInformation | None = None,
) -> StatesFit | None:
    """Return the most likely unknowns of flights that nothing disturbs; None if something does.

    Readings may have more noise than is stated, all of them alike.

    Parameters
    ----------
    method, flights, start, known
        As for ``fit_flights``.
    """
    coarse = [each.coarser(_SEGMENT) for each in flights]
    usual, likelier, rough = method.first_sizes(coarse), np.inf, method.roughness(flights)
    sizes = usual = usual.with_scales(rough if rough > np.exp(_AS_STATED) else 1.0)
    with suppress(EstimationError):
        fit = begin_fit(method, coarse, start, known, given=usual)
        for share in _NARROWING:
            fit = fit.with_sizes(usual.alone(share).with_scales(sizes.scales)).near()
            sizes, problem = _as_wide(fit, narrower=share < 1.0), _unweighted(fit)
            surprise = problem.surprise(problem.solved(sizes))
            if surprise > likelier + _CLEAR:
                return None
            likelier = surprise
        fit = fit.with_sizes(sizes)
        for _ in range(_SPREADS):
            fit = fit.further(MOST_ITERATIONS - fit.done)
            sizes = _as_wide(fit)
            if sizes is fit.sizes:
                is_known = fit.converged and not _is_disturbed(fit, usual)
                return fit.fit() if is_known else None
            fit = fit.with_sizes(sizes)
    return None  # what is left is of no one size


def _held_fit(
    method: StatesMethod, flights: Sequence[Stretch], values: NDArray[np.float64]
) -> StatesFit:
    """Return the states of flights of a given robot, with the least disturbances that do.

    Raises
    ------
    EstimationError
        If none follow even with the disturbances that a search begins with.
    """
    coarse = [each.coarser(_SEGMENT) for each in flights]
    usual = method.first_sizes(coarse)
    fit = first = begin_fit(method, coarse, values, given=usual, held=True).further(1)
    narrower = []
    for share in _NARROWING[1:]:
        with suppress(EstimationError):
            fit = fit.with_sizes(usual.alone(share)).further(1)
            narrower.append(fit)
    for each in reversed(narrower):
        with suppress(EstimationError):
            return each.ended()
    return first.ended()


def _as_wide(fit: Iteration, *, narrower: bool = True) -> NoiseSizes:
    """Return sizes with the noise of readings that most of them show; the same if it has that.

    Parameters
    ----------
    fit : Iteration
        Fit near its end.
    narrower : bool
        Whether it may be less than it is: large disturbances take up noise.
    """
    scale, spread = float(fit.sizes.scales[0]), _spread(_unweighted(fit))
    spread = spread if abs(np.log(spread)) > _AS_STATED else 1.0
    is_same = abs(np.log(spread / scale)) < _SETTLED or (spread < scale and not narrower)
    return fit.sizes if is_same else fit.sizes.with_scales(spread)


def _unweighted(fit: Iteration) -> Problem:
    """Return the rows of a fit, all of which count in full."""
    return replace(fit.problem, weights=[each.full_weights for each in fit.blocks])


def _spread(problem: Problem) -> float:
    """Return the noise of readings over that stated, by what most of them leave over."""
    left = np.concatenate([each.rows[:, -1] for each in problem.blocks])
    taken = sum(each.free for each in problem.blocks) + len(problem.values[0])
    given_back = np.sqrt(len(left) / max(len(left) - taken, 1.0))
    return float(given_back * np.quantile(np.abs(left), _MOST) / norm.ppf(0.5 + 0.5 * _MOST))


def _is_disturbed(fit: Iteration, usual: NoiseSizes) -> bool:
    """Return whether disturbances make what a fit leaves over likelier than chance does."""
    problem, sizes = _unweighted(fit), fit.sizes
    least = problem.surprise(problem.solved(sizes)) - _CHANCE
    tried = (
        sizes.changed({kind.name: share * usual[kind.name]})
        for share in _NARROWING[:-1]
        for kind in sizes.kinds
        if kind.is_white
    )
    return any(problem.surprise(problem.solved(each)) < least for each in tried)

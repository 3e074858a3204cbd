"""Samples fitted by a method with local states, as what is common to all methods."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.states.body_change import likeliest_change
from spacerobot_id.estimation.states.fit import StatesFit
from spacerobot_id.estimation.states.flight_scatter import flight_scatter
from spacerobot_id.estimation.states.flights_fit import begin_fit, fit_flights, undisturbed_fit
from spacerobot_id.estimation.states.window import smoothed, Window
from spacerobot_id.exceptions import EstimationError, InsufficientDataError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.blocks import NoiseSizes, Stretch
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.methods.solution import Residuals, Solution
from spacerobot_id.methods.states_method import StatesMethod
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_ROUGHER = 2.0
"""Times the usual roughness of flights beyond which one has stamps that are not its own."""

_FEWEST = 3
"""Flights of which one can be the odd one out."""

_COARSE = 0.2
"""Length of segments that a change is looked for with in a whole flight, s."""


def solution(
    method: Method,
    record: Record,
    start: NDArray[np.float64],
    known: SquareRootInformation | None = None,
    first: NoiseSizes | None = None,
) -> Solution:
    """Return the fit of all samples of a method with local states.

    Parameters
    ----------
    method : Method
        Method that has ``states``.
    record : Record
        Samples.
    start : ndarray, shape (u,)
        Unknowns to start from.
    known : SquareRootInformation, optional
        What is known without them, the prior included; the prior alone if None.
    first : NoiseSizes, optional
        Sizes of noise to start from.

    Raises
    ------
    EstimationError
        If the samples show too little, or the fit diverges.
    """
    states = method.states
    flights, notes = _smooth_flights(states, record)
    found = fit_flights(states, flights, start, _of_others(known), first=first)
    longest = max(flights, key=lambda each: each.length)
    short = states.shortage(longest.length, states.time_needed(longest))
    fit = _solution_of(method, record, found, short)
    return replace(fit, notes=fit.notes + notes)


def undisturbed_solution(
    method: Method,
    record: Record,
    start: NDArray[np.float64],
    known: SquareRootInformation | None = None,
) -> Solution | None:
    """Return the fit of all samples if nothing disturbs them; None if something does.

    Parameters
    ----------
    method : Method
        Method whose flights may be undisturbed.
    record, start, known
        As for ``solution``.
    """
    flights, _ = _smooth_flights(method.states, record)
    found = undisturbed_fit(method.states, flights, start, _of_others(known))
    return None if found is None else _solution_of(method, record, found, ())


def _smooth_flights(states: StatesMethod, record: Record) -> tuple[list[Stretch], tuple[str, ...]]:
    """Return the flights of a record, without those that are far rougher than the others.

    Their readings have stamps that are not theirs, and would spoil what all flights share. And
    notes on these, a sentence each.
    """
    flights = states.flights(record)
    if len(flights) < _FEWEST:
        return flights, ()
    rough = [states.roughness([each]) for each in flights]
    usual = float(np.median(rough))
    notes = tuple(
        f'flight {number} of {len(flights)} is left out: its readings are {own:.3g} times their '
        f'noise off a smooth curve, those of the others {usual:.3g} times; check their stamps'
        for number, own in enumerate(rough, start=1)
        if own > _ROUGHER * usual
    )
    kept = [each for each, own in zip(flights, rough, strict=True) if own <= _ROUGHER * usual]
    return kept, notes


def _of_others(known: SquareRootInformation | None) -> SquareRootInformation | None:
    """Return what is known without the residual of the other samples that it is of."""
    return None if known is None else replace(known, residual=0.0)


def furthest_solution(method: Method, record: Record, start: NDArray[np.float64]) -> Solution:
    """Return how far a fit of all samples that diverges has come, for what may be wrong.

    Parameters
    ----------
    method, record, start
        As for ``solution``.

    Raises
    ------
    DivergenceError
        If it does not even begin.
    """
    flights, _ = _smooth_flights(method.states, record)
    iteration = begin_fit(method.states, flights, start).furthest()
    return _solution_of(method, record, iteration.fit(), ())


def smoothed_solution(
    method: Method,
    record: Record,
    start: NDArray[np.float64],
    known: SquareRootInformation | None,
    window: Window | None,
) -> tuple[Solution, Window]:
    """Return the fit of the latest samples, what came before being known, and what comes next.

    Parameters
    ----------
    method : Method
        Method that has ``states``.
    record : Record
        Samples since the window needs them.
    start : ndarray, shape (u,)
        Unknowns to start from.
    known : SquareRootInformation, optional
        What is known before the first sample; the prior by default.
    window : Window, optional
        What was found so far; None at the beginning.

    Raises
    ------
    InsufficientDataError
        If nothing is fitted yet, whatever the samples show.
    EstimationError
        If the samples show too little.
    """
    states = method.states
    flights = states.flights(record, live=True)
    short = states.shortage(flights[-1].length, states.time_needed(flights[-1]))
    if window is None and short:
        raise InsufficientDataError(*short)
    found, window = smoothed(states, flights, start, known, window)
    search = window.search
    short = () if search is None else states.shortage(search.length, search.needed)
    return _solution_of(method, record, found, short), window


def residuals(method: Method, record: Record, values: NDArray[np.float64]) -> Residuals:
    """Return measured less predicted readings, states fitted to them where there are some.

    Parameters
    ----------
    method : Method
        Any method.
    record : Record
        N samples.
    values : ndarray, shape (u,)
        Unknowns.
    """
    if method.states is None:
        return method.residuals(record, values)
    flights, _ = _smooth_flights(method.states, record)
    return _left(method, record, fit_flights(method.states, flights, values, held=True))


def seems_changed(
    method: Method,
    record: Record,
    values: NDArray[np.float64],
    sizes: NoiseSizes | None,
    change: ChangeSettings,
) -> bool:
    """Return whether a body may have come or gone within samples that were fitted at once.

    Parameters
    ----------
    method : Method
        Method that has ``states``.
    record : Record
        Samples.
    values : ndarray, shape (u,)
        Unknowns that they gave.
    sizes : NoiseSizes, optional
        Sizes of noise that they gave.
    change : ChangeSettings
        Which links can change, and by how much.
    """
    flights = method.states.flights(record)
    if len(flights) != 1 or sizes is None:
        return False
    flight = flights[0].coarser(_COARSE)
    try:
        fit = begin_fit(method.states, [flight], values, given=sizes, held=True).ended()
    except EstimationError:  # values of a fit that diverged
        return False
    found = likeliest_change(fit, change, float(flight.edges[0]) + change.settle)
    return found is not None and found.is_sure


def compile_kernels(method: Method) -> None:
    """Compile what fits call, so that the first need not wait; kept on disk if it can be."""
    states = method.states
    record = None if states is None else states.record_at_rest()
    if record is not None:
        with suppress(EstimationError, np.linalg.LinAlgError):
            begin_fit(states, states.flights(record), states.prior().mean).further(1).fit()


def _solution_of(
    method: Method, record: Record, found: StatesFit, short: tuple[str, ...]
) -> Solution:
    """Return a fit of samples with notes on them."""
    states, scatter = method.states, flight_scatter(found)
    notes = states.notes(found)
    return Solution(
        found.values,
        found.information,
        found.iterations,
        found.converged,
        cost=found.information.residual,
        condition=states.condition(found.values, found.information),
        noise=states.found_noise(found),
        notes=notes if scatter is None else notes + scatter.sentences(method.unknowns.names),
        shortages=short,
        residuals=_left(method, record, found),
        fit=found,
        std_by_flights=None if scatter is None else scatter.std,
    )


def _left(method: Method, record: Record, found: StatesFit) -> Residuals:
    """Return what a fit leaves over of the readings that a method predicts."""
    left, count = method.states.left(record, found), method.outputs
    return replace(left, values=left.values[:, :count], misfit=left.misfit[:, :count])

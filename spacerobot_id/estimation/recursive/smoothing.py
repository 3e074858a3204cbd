"""Live identification by methods that smooth: the latest samples at once, the window as it was."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.recursive.changed_body import changed_bodies
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.states.solution import smoothed_solution
from spacerobot_id.estimation.states.window import changed, renewing
from spacerobot_id.exceptions import DivergenceError, EstimationError, InsufficientDataError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.blocks import Stretch
from spacerobot_id.methods.solution import are_explained, Solution

_FAR = 4.0
"""Deviations of the unknowns, root mean square, by which no fit of another second moves them."""

_SURE_MASS = 3.0
"""Deviations of its mass from which on a body came or went for sure."""


def smoothed_when_due(state: Identification) -> Identification:
    """Return the state with its latest samples fitted, if the last fit is some time ago.

    Parameters
    ----------
    state : Identification
        State that has samples.
    """
    begin, end = _begin(state), _end(state)
    states, window = state.method.states, state.window
    if end - begin < states.first_fit or end - state.smoothed_until < states.refit_interval:
        return state
    is_due = window is not None and window.is_due(end)
    if window is not None and window.is_lost and not is_due:
        return _of_changed_robot(replace(state, smoothed_until=end)) or state
    if is_due and not window.is_lost:
        flights = _flights(state, window.kept_since)
        state = replace(state, window=renewing(states, flights, _start(state), window))
    return smoothed(state, relinearise=is_due and window.is_lost)


def smoothed(state: Identification, relinearise: bool = False) -> Identification:
    """Return the state with its latest samples fitted; as it is if they show too little.

    A fit that goes on from the past and contradicts it is none: damaged data, or another robot.
    The estimate stays then, until all samples are fitted from the start.

    Parameters
    ----------
    state : Identification
        State that has samples.
    relinearise : bool
        Whether all samples that are kept are relinearised.
    """
    window = state.window
    if window is not None:
        window = window.relinearised() if relinearise else window.renewed()
    samples = Record.concatenate(_since(state, None if window is None else window.since))
    _, known = state.beforehand
    end = _end(state)
    state = replace(state, smoothed_until=end)
    try:
        fit, found = smoothed_solution(state.method, samples, _start(state), known, window)
    except InsufficientDataError as error:
        return replace(state, shortages=(str(error),))
    except EstimationError as error:
        if window is None and isinstance(error, DivergenceError):  # else more samples may show it
            return replace(state, failure=str(error))
        return _lost(state, end)
    if window is not None and _is_none(state, fit, relinearise=relinearise or window.is_renewed):
        return _lost(state, end)
    if not relinearise and found.is_doubtful:
        other = _of_changed_robot(state)
        if other is not None:
            return other
    return replace(state, window=found).after(fit, samples)


def _of_changed_robot(state: Identification) -> Identification | None:
    """Return the state of a robot that a body came to or left lately; None if none did."""
    window, change = state.window, state.settings.change
    if window is None or not state.looks_for_changes or _end(state) - window.begin < change.settle:
        return None
    try:
        flights = _flights(state, window.since)
        if len(flights) > 1:
            return None
        found = changed(state.method.states, flights[0], state.centre, window, change)
    except EstimationError:
        return None
    if found is None:
        return None
    end = _end(state)
    new = state.of_changed_robot(state.method, found.before, found.known, end)
    recorded = _since(state, found.window.kept_since)
    count = sum(int(np.sum(part.times >= found.time)) for part in recorded)
    new = smoothed(
        replace(new, window=found.window, recorded=recorded, samples=count), relinearise=True
    )
    return new if not new.window.is_lost and _has_mass(new) else None


def _has_mass(state: Identification) -> bool:
    """Return whether a body that came or went has a mass beyond doubt; lost commands have none."""
    return any(abs(each.mass) > _SURE_MASS * each.mass_std for each in changed_bodies(state))


def _flights(state: Identification, since: float) -> list[Stretch]:
    """Return the flights that the samples since a time are of."""
    samples = Record.concatenate(_since(state, since))
    return state.method.states.flights(samples, live=True)


def _start(state: Identification) -> NDArray[np.float64]:
    """Return the unknowns to start from: the last ones, or the first where these are lost."""
    if state.window is None or not state.window.is_lost:
        return state.centre
    return state.first_values


def _is_none(state: Identification, fit: Solution, *, relinearise: bool) -> bool:
    """Return whether a fit leaves samples unexplained, or goes on far from the one before.

    One of too few samples may be far off: the next may go anywhere.
    """
    step = (
        0.0
        if relinearise or state.shortages
        else state.information.deviations(fit.values - state.centre)
    )
    return bool(step > _FAR or not are_explained(fit.residuals.values))


def _lost(state: Identification, end: float) -> Identification:
    """Return the state after a fit that came to no good end; of another robot if it is one."""
    if state.window is None:
        return state
    return _of_changed_robot(state) or replace(state, window=state.window.lost(end))


def forgetting(state: Identification) -> Identification:
    """Return the state with no more samples kept than allowed, as far as the window goes."""
    kept = sum(len(block) for block in state.recorded)
    if kept <= state.settings.most_samples or state.window is None:
        return state
    times = np.concatenate([block.times for block in state.recorded])
    middle = float(times[kept - state.settings.most_samples // 2 - 1])
    window = state.window.forgotten(middle)
    state = replace(state, window=window)
    return replace(state, recorded=_since(state, window.kept_since))


def _since(state: Identification, time: float | None) -> tuple[Record, ...]:
    """Return the samples since a time, block by block; all if None."""
    if time is None:
        return state.recorded
    first = len(state.recorded)
    while first and state.recorded[first - 1].times[-1] >= time:
        first -= 1
    later = state.recorded[first:]
    return (later[0][later[0].times >= time], *later[1:]) if later else ()


def _begin(state: Identification) -> float:
    """Return the time of the first sample that is kept, s."""
    return float(state.recorded[0].times[0])


def _end(state: Identification) -> float:
    """Return the time of the last sample, s."""
    return float(state.recorded[-1].times[-1])

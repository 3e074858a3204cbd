"""Live identification by methods that smooth: the latest samples at once, the past as it was."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.recursive.changed_body import changed_bodies
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.exceptions import DivergenceError, EstimationError, InsufficientDataError
from spacerobot_id.measurement import Record
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
    method, last = state.method, state.smoothed_until
    if end - begin < method.first_fit or end - last < method.refit_interval:
        return state
    past = state.past
    is_due = past is not None and past.is_due(end)
    if past is not None and past.is_lost and not is_due:
        return _of_changed_robot(replace(state, smoothed_until=end)) or state
    if is_due and not past.is_lost:
        samples = Record.concatenate(_since(state, past.kept_since))
        state = replace(state, past=method.renewing(samples, _start(state), past))
    return smoothed(state, relinearise=is_due and past.is_lost)


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
    past = state.past
    if past is not None:
        past = past.relinearised() if relinearise else past.renewed()
    samples = Record.concatenate(_since(state, None if past is None else past.since))
    _, known = state.beforehand
    end = _end(state)
    state = replace(state, smoothed_until=end)
    try:
        found = state.method.smoothed(samples, _start(state), known, past)
    except InsufficientDataError as error:
        return replace(state, shortages=(str(error),))
    except EstimationError as error:
        if past is None and isinstance(error, DivergenceError):  # else more samples may show it
            return replace(state, failure=str(error))
        return _lost(state, end)
    if past is not None and _is_none(
        state, found.solution, relinearise=relinearise or past.is_renewed
    ):
        return _lost(state, end)
    if not relinearise and found.past.is_doubtful:
        other = _of_changed_robot(state)
        if other is not None:
            return other
    return replace(state, past=found.past).after(found.solution, samples)


def _of_changed_robot(state: Identification) -> Identification | None:
    """Return the state of a robot that a body came to or left lately; None if none did."""
    past, change = state.past, state.settings.change
    if past is None or not state.looks_for_changes or _end(state) - past.begin < change.settle:
        return None
    samples = Record.concatenate(_since(state, past.since))
    try:
        found = state.method.changed_lately(samples, state.centre, past, change)
    except EstimationError:
        return None
    if found is None:
        return None
    end = _end(state)
    new = state.of_changed_robot(state.method, found.before, found.known, end)
    recorded = _since(state, found.past.kept_since)
    count = sum(int(np.sum(part.times >= found.time)) for part in recorded)
    new = smoothed(
        replace(new, past=found.past, recorded=recorded, samples=count), relinearise=True
    )
    return new if not new.past.is_lost and _has_mass(new) else None


def _has_mass(state: Identification) -> bool:
    """Return whether a body that came or went has a mass beyond doubt; lost commands have none."""
    return any(abs(each.mass) > _SURE_MASS * each.mass_std for each in changed_bodies(state))


def _start(state: Identification) -> NDArray[np.float64]:
    """Return the unknowns to start from: the last ones, or the first where these are lost."""
    if state.past is None or not state.past.is_lost:
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
    if state.past is None:
        return state
    return _of_changed_robot(state) or replace(state, past=state.past.lost(end))


def forgetting(state: Identification) -> Identification:
    """Return the state with no more samples kept than allowed, as far as the past goes."""
    kept = sum(len(block) for block in state.recorded)
    if kept <= state.settings.most_samples or state.past is None:
        return state
    times = np.concatenate([block.times for block in state.recorded])
    middle = float(times[kept - state.settings.most_samples // 2 - 1])
    past = state.past.forgotten(middle)
    state = replace(state, past=past)
    return replace(state, recorded=_since(state, past.kept_since))


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

"""Live identification by methods that smooth: the latest samples at once, the past as it was."""

from dataclasses import replace

from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record


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
    return smoothed(state, anew=state.past is not None and state.past.is_due(end))


def smoothed(state: Identification, *, anew: bool = False) -> Identification:
    """Return the state with its latest samples fitted; as it is if they show too little.

    Parameters
    ----------
    state : Identification
        State that has samples.
    anew : bool
        Whether all samples that are kept are linearised anew.
    """
    past = state.past.anew() if anew and state.past is not None else state.past
    samples = Record.concatenate(_since(state, None if past is None else past.since))
    _, known = state.beforehand
    state = replace(state, smoothed_until=_end(state))
    try:
        found = state.method.smoothed(samples, state.centre, known, past)
    except EstimationError:  # more samples may show it
        return state
    fit = found.solution
    return replace(
        state,
        information=fit.information,
        centre=fit.values,
        linearised=state.samples,
        noise=fit.information.noise_variance(),
        condition=fit.condition,
        causes=(),
        found_noise=fit.noise,
        notes=fit.notes,
        past=found.past,
    ).judged(fit.residuals, samples)


def forgetting(state: Identification) -> Identification:
    """Return the state with no more samples kept than allowed, as far as the past goes."""
    kept = sum(len(block) for block in state.recorded)
    if kept <= state.settings.most_samples or state.past is None:
        return state
    middle, count = _begin(state), 0
    for block in state.recorded:
        count += len(block)
        if count > kept - state.settings.most_samples // 2:
            break
        middle = float(block.times[-1])
    past = state.past.forgotten(middle)
    state = replace(state, past=past)
    return replace(state, recorded=_since(state, past.anew().since))


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

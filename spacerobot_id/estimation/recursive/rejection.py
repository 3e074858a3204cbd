"""Samples that stand out, set aside whenever all are relinearised, and taken back.

An outlier that came before anything was known does no harm for longer than that. Where it has
biased the fit itself, one that begins with weights that outliers cannot move is tried beside it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from spacerobot_id.estimation.batch.robust_start import robust_start, truncated_cost
from spacerobot_id.estimation.recursive.gate import is_settled, standing_out
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import gram
from spacerobot_id.methods.solution import Solution

_ROUNDS = 3
"""Most times that samples which stand out are looked for each time that all are linearised."""

_TRIED = 1000
"""Samples about that fits which outliers may have spoilt are tried and compared with."""


Fitted = Callable[[Record, Sequence[NDArray[np.float64]]], Solution]
"""What fits samples from the best of some starts."""


@dataclass(frozen=True, eq=False)
class _Cleaned:
    """Which of N samples stand out, shape (N,), and the fit of the others."""

    out: NDArray[np.bool_]
    fit: Solution


def without_outliers(
    state: Identification,
    fit: Solution,
    starts: Sequence[NDArray[np.float64]],
    fitted: Fitted,
) -> tuple[Identification, Solution]:
    """Return state and fit without the samples that stand out, those taken back that do not.

    Parameters
    ----------
    state : Identification
        State with samples.
    fit : Solution
        Fit of all that are not set aside.
    starts : sequence of ndarray, shape (u,)
        What it began from: nothing that these samples have moved.
    fitted : Fitted
        Fits others.
    """
    samples = Record.concatenate([*state.recorded, *state.aside])
    order = np.argsort(samples.times, kind='stable')
    before = np.zeros(len(samples), dtype=bool)
    before[len(samples) - sum(map(len, state.aside)) :] = True
    samples, before = samples[order], before[order]
    found = _cleaned(state, samples, _Cleaned(before, fit), starts, fitted)
    if _may_be_spoilt(state, found, is_new=not np.array_equal(found.out, before)):
        found = _less_spoilt(state, samples, found, fitted)
    return _set_aside(state, samples, before, found.out), found.fit


def _cleaned(
    state: Identification,
    samples: Record,
    begun: _Cleaned,
    starts: Sequence[NDArray[np.float64]],
    fitted: Fitted,
) -> _Cleaned:
    """Return which samples stand out, judged again after each fit of the others."""
    out, fit = begun.out, begun.fit
    gate = state.settings.change.gate
    for _ in range(_ROUNDS):
        found = standing_out(state.method, samples, fit.information, fit.values, gate)
        if np.array_equal(found, out):
            break
        out, fit = found, fitted(samples[~found], starts)
    return _Cleaned(out, fit)


def _may_be_spoilt(state: Identification, found: _Cleaned, *, is_new: bool) -> bool:
    """Return whether outliers may have biased a fit: it fits badly, or little was known.

    A fit that stays bad is looked at once more whenever there are twice as many samples.

    Parameters
    ----------
    state : Identification
        State before.
    found : _Cleaned
        What stands out now, and the fit of all else.
    is_new : bool
        Whether that is not what stood out before.
    """
    if not state.method.judges_residuals:
        return False
    if is_settled(found.fit.information):
        moved = state.linearised / state.method.model.noise.rate
        return is_new and moved < state.settings.change.settle
    return state.samples.bit_length() > state.linearised.bit_length()


def _less_spoilt(
    state: Identification, samples: Record, found: _Cleaned, fitted: Fitted
) -> _Cleaned:
    """Return what a fit finds that begins where outliers do not lead, if that is likelier."""
    method, known = state.method, state.beforehand
    few = samples[:: 1 + len(samples) // _TRIED]
    limit = float(chdtri(method.outputs, state.settings.change.gate))
    robust = robust_start(method, few, state.first_values, *known)
    out = standing_out(
        method, samples, robust.information, robust.values, state.settings.change.gate
    )
    starts = (robust.values,)
    begun = _Cleaned(out, fitted(samples[~out], starts))
    other = _cleaned(state, samples, begun, starts, fitted)
    cost, of_other = (
        truncated_cost(method, few, each.fit.values, limit, *known) for each in (found, other)
    )
    return other if of_other < cost else found


def _set_aside(
    state: Identification, samples: Record, before: NDArray[np.bool_], out: NDArray[np.bool_]
) -> Identification:
    """Return the state with other samples set aside.

    Parameters
    ----------
    state : Identification
        State before.
    samples : Record
        N samples kept, those set aside among them.
    before, out : ndarray of bool, shape (N,)
        Which of them are set aside in it, and which are to be.
    """
    if np.array_equal(out, before):
        return state
    left, back = out & ~before, before & ~out
    moved = gram(state.method, samples[back]) - gram(state.method, samples[left])
    fewer = int(np.sum(left)) - int(np.sum(back))
    return replace(
        state,
        recorded=(samples[~out],),
        aside=(samples[out],) if out.any() else (),
        gram=state.gram + moved,
        samples=state.samples - fewer,
        rejected=state.rejected + fewer,
    )

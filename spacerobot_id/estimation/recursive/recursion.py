"""Identification while the robot moves: recursion block by block, relinearised as it proceeds.

A recursion alone trusts its first linearisations, made about a prior that may be far off, and
ends with intervals that are too narrow or far from the truth. So the samples are kept; new ones
are absorbed linear about a centre, and all are relinearised, from that centre and with step
control, when their number has grown by a share or when the estimate has left the centre by more
than its standard deviation. Estimate and covariance are then those of the batch fit, and the work
per sample stays bounded. What can only be solved for at once is solved for again as it grows, or
smoothed: the latest samples at once, those before as they were.
"""

from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.gauss_newton import (
    absorb_rows,
    best_fit,
    gauss_newton,
    no_fit,
)
from spacerobot_id.estimation.batch.hidden_causes import hidden_causes
from spacerobot_id.estimation.batch.reweighting import reweighted
from spacerobot_id.estimation.recursive.change_moment import changed_robot, divided
from spacerobot_id.estimation.recursive.gate import (
    explains_rejected,
    is_settled,
    watched,
)
from spacerobot_id.estimation.recursive.rejection import without_outliers
from spacerobot_id.estimation.recursive.rejection_window import NO_REJECTIONS
from spacerobot_id.estimation.recursive.smoothing import (
    forgetting,
    smoothed,
    smoothed_when_due,
)
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.settings import RecursionSettings
from spacerobot_id.estimation.states.solution import solution
from spacerobot_id.exceptions import DivergenceError, EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.body_prior import changeable_links
from spacerobot_id.methods.method import gram, Method
from spacerobot_id.methods.solution import Solution
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_TRIED = 300
"""Samples about that show whether one robot explains all of them."""

_LOOK = 1.3
"""Growth of the samples after which calibrations that bias the estimate are looked for again."""

_RARE = 0.005
"""Share of rejected samples up to which noise is looked for while the robot moves."""


def begin_identification(
    method: Method, settings: RecursionSettings = RecursionSettings()
) -> Identification:
    """Return the state before the first sample: the prior.

    Parameters
    ----------
    method : Method
        Robot, readings and noise; its model is the prior.
    settings : RecursionSettings
        How it runs.

    Raises
    ------
    ConfigurationError
        If a link that can change does not exist.
    """
    changeable_links(method.model, settings.change)
    prior, count = method.prior(), method.unknowns.parameters
    nothing = SquareRootInformation.nothing(len(method.unknowns))
    known = nothing if method.is_for_comparison else prior.linearised(prior.mean)
    return Identification(
        method, settings, prior, nothing, known, prior.mean, (), np.zeros((count, count))
    )


def absorb(state: Identification, block: Record) -> Identification:
    """Return the state after a block of samples.

    Parameters
    ----------
    state : Identification
        State before.
    block : Record
        New samples, in the order of time. Those in which nothing moves show nothing; they are
        left out.

    Raises
    ------
    EstimationError
        If a stream that the method needs is missing.
    """
    state, prepared = _prepared(state, block)
    block = state.method.usable(prepared, begun=bool(state.recorded))
    resting = int(np.sum(~state.is_moving(prepared))) if state.gates_samples else 0
    if not len(block):
        return state if not resting else state.rested(float(prepared.times[-1]), resting)
    block = state.reweighted(block)
    if not state.recorded and (state.described or not state.method.epoch):
        state = replace(state, method=state.method.since(float(block.times[0])))
    before = state
    state, good = watched(state, block, resting)
    if state is not before and state.rejections.exceeds_share(state.settings.change):
        joint = _reconciled(state, good)
        if joint is not None:
            return joint
        state, good = _changed(state, good)
    return _taken(state, good) if len(good) else state


def recorded(method: Method, samples: Record, settings: RecursionSettings) -> Identification:
    """Return the state with all samples recorded and none absorbed, to be refined at once.

    Parameters
    ----------
    method : Method
        Robot, readings and noise.
    samples : Record
        Samples that can be used, in the order of time.
    settings : RecursionSettings
        Gate and forgetting.
    """
    state = begin_identification(method.since(float(samples.times[0])), settings)
    return replace(state, recorded=(samples,), gram=gram(method, samples), samples=len(samples))


def refine(
    state: Identification,
    iterations: int = 20,
    tolerance: float = 1e-3,
    *,
    judge: bool = True,
) -> Identification:
    """Return the state with the batch fit over all samples kept; as it is if they show too little.

    Parameters
    ----------
    state : Identification
        State before.
    iterations : int
        Most Gauss-Newton steps.
    tolerance : float
        Step, in standard deviations, that ends them.
    judge : bool
        Whether samples that stand out are set aside, and those that no longer do are taken back.
    """
    if not state.recorded:
        return state
    if state.window is not None:
        return smoothed(state, relinearise=True)
    try:
        return refitted(state, iterations, tolerance, judge=judge)
    except EstimationError as error:
        if not state.method.solves_at_once:
            raise
        is_failure = isinstance(error, DivergenceError)  # else more samples may show it
        return replace(state, failure=str(error)) if is_failure else state


def _prepared(state: Identification, block: Record) -> tuple[Identification, Record]:
    """Return new samples as the method needs them, those before them in view, and keep the next.

    What is derived of neighbours may come as many samples later as it needs of these.
    """
    count = state.method.context
    if not (count and len(block)):
        return state, state.method.prepared(block)
    tail, until = state.tail, state.prepared_until
    if tail is None or not len(tail) or tail.times[-1] >= block.times[0]:
        seen, until = block, -np.inf
    else:
        seen = Record.concatenate([tail, block])
    prepared = state.method.prepared(seen)
    prepared = prepared[prepared.times > until]
    until = float(prepared.times[-1]) if len(prepared) else until
    return replace(state, tail=seen[-count:], prepared_until=until), prepared


def _taken(state: Identification, block: Record) -> Identification:
    """Return the state with a block in it, all relinearised if that is due."""
    method = state.method
    grown = replace(
        state,
        recorded=_appended(state.recorded, block),
        gram=state.gram + gram(method, block),
        samples=state.samples + len(block),
    )
    if state.is_smoothed:
        return _looked(smoothed_when_due(forgetting(grown)))
    if method.solves_at_once:
        grown = _forget_oldest(grown)
        return _looked(refine(grown)) if _is_solved_again(grown) else grown
    information = absorb_rows(method, block, state.centre, state.information, _last_time(state))
    grown = _forget_oldest(replace(grown, information=information))
    if not _is_due(grown):
        return grown
    is_linear = not method.has_finish  # else stretches may be in it already
    begun = grown.information if is_linear and block.smoothed is None else None
    settings = state.settings
    with suppress(EstimationError):  # linear about the centre the samples are in it all the same
        found = refitted(grown, settings.iterations, settings.tolerance, begun, finish=False)
        found = reweighted(found, _again) if _may_be_noisier(found) else found
        return _looked(found)
    return grown


def _looked(state: Identification) -> Identification:
    """Return the state with calibrations that bias it, looked for as its samples grow."""
    is_due = state.samples >= max(_LOOK * state.looked, 2 * len(state.method.unknowns))
    if (
        not is_due
        or state.linearised < state.samples
        or not is_settled(state.information, state.noise)
    ):
        return state
    causes = state.causes
    with suppress(np.linalg.LinAlgError):  # a robot that hardly resists motion
        causes = hidden_causes(state, Record.concatenate(state.recorded), is_live=True)
    return replace(state, causes=causes, looked=state.samples)


def _appended(recorded: tuple[Record, ...], block: Record) -> tuple[Record, ...]:
    """Return records with a block after them, joined with those before that are no longer.

    So that there are few, and large ones: thousands of small arrays between others that come and
    go take more memory from hour to hour.
    """
    first, count = len(recorded), len(block)
    while first and len(recorded[first - 1]) <= count:
        first -= 1
        count += len(recorded[first])
    joined = Record.concatenate([*recorded[first:], block]) if first < len(recorded) else block
    return *recorded[:first], joined


def _may_be_noisier(state: Identification) -> bool:
    """Return whether noise other than stated may be what a fit leaves over, and not outliers."""
    if state.shown is None and is_settled(state.information):
        return False
    enough = state.samples >= state.settings.change.settle * state.method.model.noise.rate
    return enough and state.rejected <= _RARE * state.samples


def _again(state: Identification) -> Identification:
    """Return the state with all samples relinearised, as often as when a block is taken."""
    settings = state.settings
    return refitted(state, settings.iterations, settings.tolerance, finish=False)


def _reconciled(state: Identification, good: Record) -> Identification | None:
    """Return the state that explains the rejected samples beside all others, or None.

    While little is known the estimate is linear about values that are far off, and good samples
    may seem not to fit. If one robot explains everything, nothing has changed.
    """
    refused = state.rejections.samples()
    samples = Record.concatenate([*state.recorded, good, refused])
    samples = samples[np.argsort(samples.times, kind='stable')]
    together = replace(
        state,
        gram=state.gram + gram(state.method, good) + gram(state.method, refused),
        samples=state.samples + len(good) + len(refused),
        rejected=state.rejected - len(refused),
        rejections=NO_REJECTIONS,
    )
    few = samples[:: 1 + len(samples) // _TRIED]
    trial = refine(replace(together, recorded=(few,), samples=len(few)), judge=False)
    if not explains_rejected(trial, state):
        return None
    joint = refitted(replace(together, recorded=(samples,)), near=trial.centre)
    return joint if explains_rejected(joint, state) else None


def _changed(state: Identification, good: Record) -> tuple[Identification, Record]:
    """Return the state of a robot of which some parameters are no longer known, and its samples.

    Parameters
    ----------
    state : Identification
        State before, its latest samples mostly rejected.
    good : Record
        Samples of the last block that are not rejected.
    """
    rejected = state.rejections.since_change(state.settings.change)
    # of what is not known nothing can change
    of_nothing = replace(state, rejections=NO_REJECTIONS), good
    if not state.information.has_full_rank():
        return of_nothing
    before, since = divided(state, rejected)
    if not before.has_full_rank():
        return of_nothing
    begin = float(since.times[0]) if len(since) else float(rejected.times[0])
    refused, good = (part[part.times >= begin] for part in (state.rejections.samples(), good))
    taken = Record.concatenate([since, refused, good])
    taken = taken[np.argsort(taken.times, kind='stable')]
    kept = sum(int(np.sum(part.times >= begin)) for part in state.recorded)
    method, known = changed_robot(state, before, rejected)
    found = state.of_changed_robot(method, before, known, float(rejected.times[-1]))
    taken_back = len(taken) - kept - len(good)
    usable = method.usable(taken)  # which may need more than before: poses
    return replace(found, rejected=state.rejected - taken_back), usable


def refitted(
    state: Identification,
    iterations: int = 20,
    tolerance: float = 1e-3,
    begun: SquareRootInformation | None = None,
    *,
    finish: bool = True,
    judge: bool = True,
    near: NDArray[np.float64] | None = None,
) -> Identification:
    """Return the state with the batch fit over all samples kept.

    Parameters
    ----------
    state : Identification
        State before; it has samples.
    iterations, tolerance, judge
        As for ``refine``.
    begun : SquareRootInformation, optional
        All information linear about the centre, where it is there already.
    finish : bool
        Whether what only whole stretches of samples show is added.
    near : ndarray, shape (u,), optional
        Values that a part of the samples gave, from several starts: the fit of all of
        them is looked for near there alone.

    Raises
    ------
    EstimationError
        If the samples show too little to predict anything from.
    """
    samples = Record.concatenate(state.recorded)
    if state.tail is not None or state.rejected:  # else they were prepared all at once
        samples = state.method.renewed(samples)
    prior, known = state.beforehand
    first = state.first_values
    candidates = (state.centre, first) if state.linearised else (first,)

    def fitted(
        to: Record,
        starts: tuple[NDArray[np.float64], ...],
        begun: SquareRootInformation | None = None,
    ) -> Solution:
        if near is not None:
            fit = gauss_newton(state.method, to, near, prior, known, iterations, tolerance)
            return state.method.finished(to, fit) if finish else fit
        return best_fit(
            state.method,
            to,
            starts,
            prior,
            known,
            iterations,
            tolerance,
            begun,
            finish=finish,
            first=state.first_sizes,
        )

    state = replace(state, recorded=(samples,))
    fit = fitted(samples, candidates, begun)
    if judge and state.gates_samples:
        state, fit = without_outliers(state, fit, candidates, fitted)
    try:
        return replace(state, recorded=(Record.concatenate(state.recorded),)).after(fit)
    except np.linalg.LinAlgError as error:  # equations without a prior, of next to no motion
        raise no_fit() from error


def _is_due(state: Identification) -> bool:
    """Return whether all samples are to be relinearised."""
    growth = state.samples / max(state.linearised, 1) - 1.0
    if growth >= state.settings.growth:
        return True
    step = state.information.values() - state.centre
    return growth >= state.settings.least_growth and state.information.deviations(step) > 1.0


def _is_solved_again(state: Identification) -> bool:
    """Return whether all samples are to be solved for again."""
    begin, end = state.recorded[0].times[0], state.recorded[-1].times[-1]
    states = state.method.states
    growth = state.settings.growth if states is None else states.refit_growth
    is_more = state.samples >= (1.0 + growth) * state.linearised
    return bool(states is None or end - begin >= states.first_fit) and is_more


def _last_time(state: Identification) -> float | None:
    """Return the time of the last sample absorbed, s."""
    return float(state.recorded[-1].times[-1]) if state.recorded else None


def _forget_oldest(state: Identification) -> Identification:
    """Return the state with no more samples kept than allowed, those dropped made known."""
    kept = sum(len(block) for block in state.recorded)
    if kept <= state.settings.most_samples:
        return state
    samples = Record.concatenate(state.recorded)
    half = len(samples) - state.settings.most_samples // 2
    if state.method.solves_at_once:
        if not state.method.fits_several_flights:
            return replace(state, recorded=(samples[-state.settings.most_samples :],))
        _, known = state.beforehand
        with suppress(EstimationError):  # what shows nothing is no loss
            fit = solution(state.method, samples[:half], state.centre, known, state.first_sizes)
            known = fit.information
        return replace(state, known=known or state.known, recorded=(samples[half:],))
    known = _discounted(state, samples[:half])
    known = absorb_rows(state.method, samples[:half], state.centre, known)
    begin = samples.times[half]
    aside = tuple(part[part.times >= begin] for part in state.aside)
    return replace(state, known=known, recorded=(samples[half:],), aside=aside)


def _discounted(state: Identification, samples: Record) -> SquareRootInformation:
    """Return the information of older samples, discounted (settings.forgetting_time)."""
    if not state.settings.forgetting_time or not state.known.rows:
        return state.known
    duration = float(samples.times[-1] - samples.times[0])
    rows = state.method.equations(samples, state.centre)
    return state.known.forgotten(rows.matrix, np.exp(-duration / state.settings.forgetting_time))

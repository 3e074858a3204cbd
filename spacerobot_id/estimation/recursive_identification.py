"""Identification while the robot moves: recursion block by block, re-linearised as it learns.

A recursion alone trusts its first linearisations, made about a prior that may be far off, and
ends with intervals that are too narrow or far from the truth. So the samples are kept; new ones
are absorbed linear about a centre, and all are linearised anew, from that centre and with step
control, when their number has grown by a share or when the estimate has left the centre by more
than its standard deviation. Estimate and covariance are then those of the batch fit, and the work
per sample stays bounded.
"""

from dataclasses import replace

import numpy as np

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.best_fit import best_fit
from spacerobot_id.estimation.change_detection import (
    fitting,
    loosened,
    NO_DOUBT,
)
from spacerobot_id.estimation.identification_state import Identification, RecursionSettings
from spacerobot_id.estimation.momentum_output_error import (
    absorb_output_error,
)
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.output_error_rows import output_error_rows
from spacerobot_id.estimation.prior import Prior
from spacerobot_id.estimation.square_root_information import SquareRootInformation

_GOOD_FIT = 2.0
"""Sum of squares per degree of freedom, over that of the noise, up to which a robot fits."""

_MOST_NOISE = 100.0
"""Variance of the residuals beyond which they are no noise: little is known yet."""


def begin_identification(
    problem: MomentumProblem,
    settings: RecursionSettings = RecursionSettings(),
) -> Identification:
    """Return the state before the first sample: the prior.

    Parameters
    ----------
    problem : MomentumProblem
        Robot and noise; its model is the prior.
    settings : RecursionSettings
        How it runs.
    """
    prior = Prior(problem, settings.prior_relative_std, settings.prior_mass_std)
    count = len(problem.minimal)
    nothing = SquareRootInformation.nothing(len(problem.unknowns))
    description = prior.linearised(prior.mean)
    return Identification(
        problem,
        settings,
        prior,
        nothing,
        description,
        prior.mean,
        (),
        np.zeros((count, count)),
    )


def absorb(state: Identification, block: Measurement) -> Identification:
    """Return the state after a block of samples.

    Parameters
    ----------
    state : Identification
        State before.
    block : Measurement
        New samples, in the order of time. Those in which nothing moves say nothing; they are
        left out.
    """
    block = block[state.problem.is_moving(block)]
    if not len(block):
        return state
    if not state.recorded and (state.described or not state.problem.epoch):
        state = replace(state, problem=state.problem.since(float(block.times[0])))
    state, block = _gated(state, block)
    return _taken(state, block) if len(block) else state


def recorded(
    problem: MomentumProblem, samples: Measurement, settings: RecursionSettings
) -> Identification:
    """Return the state with all samples recorded and none absorbed, to be refined at once.

    Parameters
    ----------
    problem : MomentumProblem
        Robot and noise.
    samples : Measurement
        Samples in which something moves, in the order of time.
    settings : RecursionSettings
        Prior and gate.
    """
    state = begin_identification(problem.since(float(samples.times[0])), settings)
    return replace(
        state,
        recorded=(samples,),
        gram=problem.gram(samples),
        samples=len(samples),
    )


def _taken(state: Identification, block: Measurement) -> Identification:
    """Return the state with a block in it, all linearised anew if that is due."""
    grown = replace(
        state,
        information=absorb_output_error(
            state.problem, block, state.centre, state.information, _last_time(state)
        ),
        recorded=(*state.recorded, block),
        gram=state.gram + state.problem.gram(block),
        samples=state.samples + len(block),
    )
    grown = _forget_oldest(grown)
    if not _is_due(grown):
        return grown
    return _refitted(grown, state.settings.iterations, state.settings.tolerance, grown.information)


def _gated(state: Identification, block: Measurement) -> tuple[Identification, Measurement]:
    """Return the state and the samples that fit; or the state of a changed robot, and all."""
    change = state.settings.change
    moved = state.linearised / state.problem.model.noise.rate
    if not change.gate or moved < change.settle or not is_settled(state, state.noise):
        return state, block
    good = fitting(state.problem, block, state.information, change.gate, state.centre, state.noise)
    watched = replace(
        state,
        rejected=state.rejected + int(np.sum(~good)),
        doubt=state.doubt.with_block(block, good, change.window),
    )
    if not watched.doubt.is_the_rule(change):
        return watched, block[good]
    joint = _reconciled(watched, block[good])
    if joint:
        return joint, block[:0]
    other = watched.doubt.since_change(change)
    return _changed(watched, len(other)), other


def is_settled(state: Identification, noise: float = 1.0) -> bool:
    """Return whether the estimate fits its own data, so that a misfit means something.

    Parameters
    ----------
    state : Identification
        State.
    noise : float
        Variance of the noise, where 1 is stated.
    """
    freedom = state.information.rows - len(state.problem.unknowns)
    fits = state.information.residual < _GOOD_FIT * noise * freedom
    return freedom > 0 and fits and noise < _MOST_NOISE


def _reconciled(state: Identification, good: Measurement) -> Identification | None:
    """Return the state that explains the refused samples beside all others, or None.

    While little is known the estimate is linear about values that are far off, and good samples
    may seem not to fit. If one robot explains everything, nothing has changed.
    """
    doubtful = state.doubt.samples()
    samples = Measurement.concatenate([*state.recorded, good, doubtful])
    samples = samples[np.argsort(samples.times, kind='stable')]
    joint = refine(
        replace(
            state,
            recorded=(samples,),
            gram=state.gram + state.problem.gram(good) + state.problem.gram(doubtful),
            samples=state.samples + len(good) + len(doubtful),
            rejected=state.rejected - len(doubtful),
            doubt=NO_DOUBT,
        )
    )
    change = state.settings.change
    fits = fitting(
        state.problem, doubtful, joint.information, change.gate, joint.centre, state.noise
    )
    explained = is_settled(joint, state.noise) and fits.mean() > 1.0 - change.share
    return joint if explained else None


def _changed(state: Identification, taken: int) -> Identification:
    """Return the state of a robot of which some links are no longer known.

    Parameters
    ----------
    state : Identification
        State before.
    taken : int
        Refused samples that are of the changed robot, to be absorbed next.
    """
    found = state.information.with_noise(state.noise)
    known = loosened(state.problem, found, state.settings.change)
    return replace(
        state,
        known=known,
        information=known,
        centre=known.values(),
        recorded=(),
        gram=np.zeros_like(state.gram),
        samples=0,
        linearised=0,
        rejected=state.rejected - taken,
        changes=state.changes + 1,
        described=False,
        doubt=NO_DOUBT,
        unchanged=state.information,
    )


def refine(state: Identification, iterations: int = 20, tolerance: float = 1e-3) -> Identification:
    """Return the state with the batch fit over all samples kept.

    Parameters
    ----------
    state : Identification
        State before.
    iterations : int
        Most Gauss-Newton steps.
    tolerance : float
        Step, in standard deviations, that ends them.
    """
    return _refitted(state, iterations, tolerance) if state.recorded else state


def _refitted(
    state: Identification,
    iterations: int,
    tolerance: float,
    begun: SquareRootInformation | None = None,
) -> Identification:
    """Return the state with the batch fit; what is begun is linear about the centre."""
    samples = Measurement.concatenate(state.recorded)
    prior = state.prior if state.described else None
    first = state.prior.mean if state.described else state.known.values()
    candidates = (state.centre, first) if state.linearised else (first,)
    fit = best_fit(
        state.problem, samples, candidates, prior, state.known, iterations, tolerance, begun
    )
    return replace(
        state,
        information=fit.information,
        centre=fit.values,
        recorded=(samples,),
        linearised=state.samples,
        noise=fit.information.noise_variance(),
    )


def _is_due(state: Identification) -> bool:
    """Return whether all samples are to be linearised anew."""
    growth = state.samples / max(state.linearised, 1) - 1.0
    if growth >= state.settings.growth:
        return True
    step = state.information.values() - state.centre
    return growth >= state.settings.least_growth and state.information.deviations(step) > 1.0


def _last_time(state: Identification) -> float | None:
    """Return the time of the last sample absorbed, s."""
    return float(state.recorded[-1].times[-1]) if state.recorded else None


def _forget_oldest(state: Identification) -> Identification:
    """Return the state with no more samples kept than allowed, those dropped made known."""
    kept = sum(len(block) for block in state.recorded)
    if kept <= state.settings.most_samples:
        return state
    samples = Measurement.concatenate(state.recorded)
    half = len(samples) - state.settings.most_samples // 2
    known = _discounted(state, samples[:half])
    known = absorb_output_error(state.problem, samples[:half], state.centre, known)
    return replace(state, known=known, recorded=(samples[half:],))


def _discounted(state: Identification, samples: Measurement) -> SquareRootInformation:
    """Return what older samples say, less where newer ones speak (settings.forgetting_time)."""
    if not state.settings.forgetting_time or not state.known.rows:
        return state.known
    duration = float(samples.times[-1] - samples.times[0])
    rows = output_error_rows(state.problem, samples, state.centre)
    return state.known.forgotten(rows.matrix, np.exp(-duration / state.settings.forgetting_time))

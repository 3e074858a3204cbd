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
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.best_fit import best_fit
from spacerobot_id.estimation.change_detection import (
    changeable_links,
    fitting,
    loosened,
    NO_DOUBT,
)
from spacerobot_id.estimation.identification_state import Identification, RecursionSettings
from spacerobot_id.estimation.momentum_output_error import (
    absorb_output_error,
)
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.outlier_gate import explains_doubt, gated
from spacerobot_id.estimation.output_error_rows import output_error_rows
from spacerobot_id.estimation.prior import Prior
from spacerobot_id.estimation.square_root_information import SquareRootInformation


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

    Raises
    ------
    ConfigurationError
        If a link that can change is not there.
    """
    changeable_links(problem, settings.change)
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
    state, block = gated(state, block, _fitting, _reconciled, _changed)
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


def _fitting(state: Identification, samples: Measurement) -> NDArray[np.bool_]:
    """Return which samples fit what a state knows."""
    gate = state.settings.change.gate
    return fitting(state.problem, samples, state.information, gate, state.centre, state.noise)


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
    return joint if explains_doubt(joint, state, _fitting) else None


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

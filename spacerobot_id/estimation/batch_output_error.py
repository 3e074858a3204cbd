"""Momentum output error of a whole log: outliers left out, changes found, nonsense given up."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.change_detection import standing_out
from spacerobot_id.estimation.fit_quality import fit_quality, FitQuality
from spacerobot_id.estimation.identification_state import Identification, RecursionSettings
from spacerobot_id.estimation.momentum_output_error import momentum_output_error
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.outlier_gate import is_settled
from spacerobot_id.estimation.output_error_rows import output_error_rows
from spacerobot_id.estimation.recursive_identification import (
    absorb,
    begin_identification,
    recorded,
    refine,
)

_BLOCK = 200
"""Samples taken at a time, so that a change of the robot is seen where it happens."""

_PART = 1000
"""Samples about that a first fit is made of."""

_PATIENCE = 2.0
"""Times the time to settle after which data are given up that still fit no robot."""

_ROUNDS = 5
"""Most times that outliers are looked for anew among all samples."""

_MOST_OUTLIERS = 0.2
"""Share of samples beyond which what stands out is no outlier."""


def fit_output_error(
    problem: MomentumProblem, measurement: Measurement, settings: RecursionSettings
) -> Identification:
    """Return the state that a whole log gives, outliers left out.

    One robot is fitted to a part of the samples, all along the log, and from there to all. Where
    the part does not fit, and not because its noise is larger than stated, the samples are taken
    in the order of time as the live estimator does, which finds out when the robot has changed.

    Parameters
    ----------
    problem : MomentumProblem
        Robot, noise and unknowns.
    measurement : Measurement
        Samples in the order of time.
    settings : RecursionSettings
        Prior and gate.
    """
    moving = measurement[problem.is_moving(measurement)]
    part = moving[:: 1 + len(moving) // _PART]
    coarse = _without_outliers(problem, part, settings)
    if not is_settled(coarse.information) and not state_quality(coarse).is_white:
        changed = _with_changes(problem, moving, settings)
        return coarse if changed is None else changed
    return _without_outliers(problem, moving, settings, coarse)


def _without_outliers(
    problem: MomentumProblem,
    samples: Measurement,
    settings: RecursionSettings,
    coarse: Identification | None = None,
) -> Identification:
    """Return the state that those samples give which do not stand out.

    Parameters
    ----------
    problem, samples, settings
        What is fitted.
    coarse : Identification, optional
        State that a part of the samples gave, to start from.
    """
    good = np.ones(len(samples), dtype=bool)
    if coarse is not None:
        good = ~_outliers(problem, samples, coarse, settings)
    state = _fitted(problem, samples, good, settings, coarse)
    for _ in range(1 if coarse is None else _ROUNDS):
        out = _outliers(problem, samples, state, settings)
        if np.array_equal(out, ~good):
            break
        good = ~out
        state = _fitted(problem, samples, good, settings, coarse and state)
    return state


def _outliers(
    problem: MomentumProblem,
    samples: Measurement,
    state: Identification,
    settings: RecursionSettings,
) -> NDArray[np.bool_]:
    """Return which samples stand out, shape (N,); none if they are too many for that."""
    none = np.zeros(len(samples), dtype=bool)
    if not settings.change.gate:
        return none
    out = standing_out(problem, samples, state.information, settings.change.gate)
    return none if out.mean() > _MOST_OUTLIERS else out


def _fitted(
    problem: MomentumProblem,
    samples: Measurement,
    good: NDArray[np.bool_],
    settings: RecursionSettings,
    start: Identification | None,
) -> Identification:
    """Return the state that the good ones of some samples give, near a start if there is one."""
    state = replace(recorded(problem, samples[good], settings), rejected=int(np.sum(~good)))
    if start is None:
        return refine(state)
    fit = momentum_output_error(state.problem, samples[good], start.centre, state.prior)
    return replace(state, information=fit.information, centre=fit.values, linearised=state.samples)


def _with_changes(
    problem: MomentumProblem, moving: Measurement, settings: RecursionSettings
) -> Identification | None:
    """Return the state of a robot that may change, or None where that explains nothing."""
    state = begin_identification(problem, settings)
    patience = _PATIENCE * settings.change.settle * problem.model.noise.rate
    for begin in range(0, len(moving), _BLOCK):
        state = absorb(state, moving[begin : begin + _BLOCK])
        if begin > patience:
            fits = is_settled(state.information, state.noise)
            if state.samples < patience:  # too little learnt to fit or not
                fits = state.rejected <= 0.5 * begin
            if not fits:
                return None
    return refine(state)


def state_quality(state: Identification) -> FitQuality:
    """Return how well a state explains the samples that it is made of."""
    samples = Measurement.concatenate(state.recorded)
    return quality_of(state.problem, samples, state.information.values(), state.rejected)


def quality_of(
    problem: MomentumProblem, samples: Measurement, values: NDArray[np.float64], refused: int = 0
) -> FitQuality:
    """Return how well unknowns explain samples."""
    rows = output_error_rows(problem, samples, values)
    residuals = (rows.right - rows.matrix @ values).reshape(len(samples), -1)
    walks = len(problem.unknowns.walk) > 0
    return fit_quality(samples.times, residuals, len(values), refused, with_windows=not walks)

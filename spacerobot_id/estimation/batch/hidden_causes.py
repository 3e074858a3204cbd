"""Calibrations that bias an estimate although its residuals are as stated.

What the parameters take up of an error leaves little over, and moves them by many of their
standard deviations. A score test (Rao, 1948) of all samples, linear about the fit, sees far less
than chi-square does; one of either half sees what began or ended on the way. Where states were
fitted, too, they and the sizes of noise that were found stay as they are.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.cause import (
    calibration_text,
    Cause,
    HARMFUL,
    MOST_CAUSES,
    NEAR,
)
from spacerobot_id.estimation.batch.common_mistakes import UNITS_OF_WHEELS
from spacerobot_id.estimation.batch.score_test import (
    extended_samples,
    fully_extended,
    known_for,
    new_names,
    Score,
    scores,
    scores_of_fit,
    usable_samples,
    values_for,
)
from spacerobot_id.estimation.recursive.gate import far_off
from spacerobot_id.estimation.states.solution import solution, undisturbed_solution
from spacerobot_id.estimation.verdict import DescribedMass
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import Method

if TYPE_CHECKING:
    from spacerobot_id.estimation.recursive.state import Identification


_MOST_SCORED = 4000
"""Samples about by which calibrations are judged where residuals are as stated."""

_CHANCE = {1.0: 1e-3, HARMFUL: 1e-2}
"""Probability that one of them is named although none is off, by the standard deviations by which
it has to move a parameter: an estimate that may be far off is doubted on less evidence."""

_OF_STATES = _CHANCE | {0.0: 1e-6}
"""The same where states are fitted: noise that was found may have taken up an error that moves
hardly a parameter, and inflated all intervals."""

_OF_HALVES = {1.0: 1e-3}
"""The same of calibrations that are off in the first or the second half of the samples alone."""

_IN_HALF = ('in the first half of the samples alone', 'in the second half of the samples alone')

_FAR_SCALE = 3.0
"""Prior deviations of the logarithm of the total mass beyond which its unit is doubted."""

_SURE = 10.0
"""Twice the logarithm of a ratio of likelihoods beyond which it is very strong evidence (Kass and
Raftery, Bayes factors, 1995)."""

_RESOLUTION = 2e-3
"""Deviation of the time of the joints' curve, s, a twentieth of the distance of its knots: where
states are integrated along it, delays against joints are known to it at best."""


@dataclass(frozen=True, eq=False)
class _Judged:
    """Scores of calibrations in the noise that residuals show.

    Parameters
    ----------
    scores : list of Score
        Scores.
    squares : float
        Sum of squares of the residuals.
    read : int
        Their number.
    noise : float
        Variance that they show, where one is stated; at least one.
    """

    scores: list[Score]
    squares: float
    read: int
    noise: float

    @classmethod
    def by(cls, found: list[Score], left: NDArray[np.float64]) -> '_Judged':
        """Return scores judged by residuals in standard deviations."""
        squares, read = float(np.nansum(left**2)), max(int(np.sum(~np.isnan(left))), 1)
        noise = max(squares / read, 1.0)
        return cls([each.with_noise(noise) for each in found], squares, read, noise)


def hidden_causes(
    state: 'Identification', record: Record, *, is_live: bool = False
) -> tuple[Cause, ...]:
    """Return the calibrations that bias a fit whose residuals are as stated, the likeliest first.

    Parameters
    ----------
    state : Identification
        State of a fit.
    record : Record
        Its samples, as they came.
    is_live : bool
        Whether the robot moves: there are many looks then, and no time for a fit once more.
    """
    method = state.method
    judged = _of_samples(state, record) if state.fit is None else _of_fit(state, record)
    chance = _OF_HALVES if is_live else _CHANCE if state.fit is None else _OF_STATES
    sure = _beyond_chance([each for each in judged.scores if each.half is None], chance)
    sure += _beyond_chance([each for each in judged.scores if each.half is not None], _OF_HALVES)
    count = np.log(judged.read)
    sure.sort(key=lambda each: each.freedom * count - each.gain)
    best: dict[str, Score] = {}
    for each in sure:
        best.setdefault(each.key, each)
    named = [each for each in best.values() if each.gain >= NEAR * sure[0].gain] if sure else []
    if state.fit is not None and not is_live:
        named = _refitted(state, record, named)
    before, causes = judged.squares / judged.read, []
    for each in named[:MOST_CAUSES]:
        suspect = method.with_calibration(each.key, method.candidate_errors[each.key])
        description, remedy = calibration_text(method, suspect, each.key, each.values, each.std)
        if each.half is not None:
            description = f'{description} {_IN_HALF[each.half]}'
            remedy = 'it changed on the way: identify what came before and after on its own'
        after = before - judged.noise * each.gain / judged.read
        causes.append(Cause(description, remedy, before, after, shift=each.moved, is_hidden=True))
    return tuple(causes)


def _of_samples(state: 'Identification', record: Record) -> _Judged:
    """Return the scores of a fit of single samples; of none where there are too few.

    Outliers are left out, as calibrations would be fitted to them.
    """
    method, gate, values = state.method, state.settings.change.gate, state.values()
    samples = extended_samples(method, record, _MOST_SCORED)
    if samples is None:
        return _Judged([], 0.0, 1, 1.0)
    extended, part = samples
    left = method.residuals(part, values).values
    if gate > 0.0:
        fits = ~far_off(np.nansum(left**2, axis=1), method.outputs, gate)
        part, left = part[fits], left[fits]
    known = None if state.described else state.known
    return _Judged.by(scores(method, extended, part, values, known, halves=(None, 0, 1)), left)


def _of_fit(state: 'Identification', record: Record) -> _Judged:
    """Return the scores of a fit with local states."""
    method, left = state.method, state.residuals.values
    found = scores_of_fit(method, fully_extended(method, record), state.fit)
    if method.needs.joints and method.model.joints:
        found = [
            each.with_floor(_RESOLUTION) if each.key.startswith('delay.') else each
            for each in found
        ]
    return _Judged.by(found, left)


def _beyond_chance(judged: list[Score], false_alarms: dict[float, float]) -> list[Score]:
    """Return the scores that chance makes as seldom as is allowed for how far they move."""
    return [
        each
        for each in judged
        if any(
            each.moved > shift and each.chance * len(judged) < false_alarm
            for shift, false_alarm in false_alarms.items()
        )
    ]


def causes_of_scale(state: 'Identification') -> tuple[Cause, ...]:
    """Return the unit of wheel rates that explains a total mass far from that described."""
    mass = DescribedMass.of(state)
    if mass is None or not state.method.model.wheels or mass.deviations <= _FAR_SCALE:
        return ()
    chi_square = state.quality.chi_square
    return tuple(
        Cause(description, 'check the unit of the wheel rates', chi_square, chi_square, mass.ratio)
        for description, factor in UNITS_OF_WHEELS.items()
        if abs(np.log(mass.ratio / factor)) <= mass.std
    )


def _refitted(state: 'Identification', record: Record, found: list[Score]) -> list[Score]:
    """Return the scores of fits in which each calibration is unknown, too, the likeliest first.

    The states of the fit without it, and the noise that it found, have taken up a part of the
    error. Clocks are tried, too, where a fit with them unknown starts elsewhere: it is far from
    linear in them. Those of a half of the samples, and those whose fits come to no end, stay.
    Where one leaves nothing for disturbances to explain, the others are not fitted with these.
    """
    method, keys = state.method, [each.key for each in found]
    halves = [(each, each.gain) for each in found if each.half is not None]
    tried = [(each, None) for each in found if each.half is None]
    for key in method.states.searched:
        if key in method.candidate_errors and key not in keys:
            start = _far_start(state, record, key)
            if start is not None:
                tried.append((_unscored(method, key), start))
    refits = []
    if method.states.may_be_undisturbed:
        alone = (_refit(state, record, *each, is_disturbed=False) for each in tried)
        refits = [each for each in alone if each is not None]
    refits = refits or [
        _refit(state, record, *each, is_disturbed=True) or (each[0], each[0].gain)
        for each in tried
    ]
    likely = [each for each in halves + refits if each[1] > _SURE]
    likely.sort(key=lambda each: -each[1])
    return [score for score, gain in likely if gain >= NEAR * likely[0][1]]


def _suspect(state: 'Identification', record: Record, key: str) -> tuple[Method, Record | None]:
    """Return the method with a calibration unknown, too, and the samples that it can use."""
    suspect = state.method.with_calibration(key, state.method.candidate_errors[key])
    return suspect, usable_samples(suspect, record)


def _far_start(state: 'Identification', record: Record, key: str) -> NDArray[np.float64] | None:
    """Return what a fit with a clock unknown, too, starts from; None if that clock is zero."""
    suspect, usable = _suspect(state, record, key)
    if usable is None:
        return None
    first = values_for(state.method, suspect, state.first_values)
    place = suspect.unknowns.places[key]
    states = suspect.states
    with suppress(EstimationError, np.linalg.LinAlgError):
        begun = states.begun(states.flights(usable), first, held=False, goes_on=False)
        start = begun[1][0]
        if np.any(start[place] != 0.0):
            return start
    return None


def _unscored(method: Method, key: str) -> Score:
    """Return the score of a calibration that explains nothing."""
    count = len(new_names(method, method.with_calibration(key, method.candidate_errors[key])))
    none = np.zeros(count)
    return Score(key, count, 0.0, none, none + 1.0, np.zeros(method.unknowns.parameters))


def _refit(
    state: 'Identification',
    record: Record,
    score: Score,
    start: NDArray[np.float64] | None,
    *,
    is_disturbed: bool,
) -> tuple[Score, float] | None:
    """Return a score with the numbers of a fit in which its calibration is unknown, too.

    And twice the logarithm of how much likelier that fit is; None where there is no such fit.
    """
    method, key = state.method, score.key
    suspect, usable = _suspect(state, record, key)
    if usable is None:
        return None
    known = known_for(method, suspect, None if state.described else state.known)
    is_near = state.converged and key not in method.states.searched
    if start is None:
        start = values_for(method, suspect, state.centre if is_near else state.first_values)
    try:
        if is_disturbed:
            first = state.first_sizes if is_near else None
            fit = solution(suspect, usable, start, known, first)
        else:
            fit = undisturbed_solution(suspect, usable, start, known)
        if fit is None or not fit.converged:
            return None
        covariance = fit.information.covariance()
    except (EstimationError, ConfigurationError, np.linalg.LinAlgError):
        return None
    names, estimate = suspect.unknowns.names, state.estimate()
    places = [names.index(name) for name in new_names(method, suspect)]
    found = replace(
        score,
        values=fit.values[places],
        std=np.sqrt(np.diag(covariance))[places],
        shift=(fit.values[: len(estimate.values)] - estimate.values) / estimate.std,
    )
    return found, state.fit.surprise - fit.fit.surprise

"""What would explain data that the model does not: one calibration, or one common mistake.

Every calibration that is off is judged by a score test: how much of the misfit its slopes explain
beside those of the parameters, linear about the fit. Where none explains it, common mistakes of
units, signs, wiring and axes are undone one by one. The likeliest of both are fitted, all to the
same samples; what these fits leave over shows which of them explains most. None is named that does
not improve the fit by far more than chance.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from spacerobot_id.estimation.batch.cause import (
    calibration_text,
    Cause,
    cause_name,
    MOST_CAUSES,
    NEAR,
)
from spacerobot_id.estimation.batch.common_mistakes import undone
from spacerobot_id.estimation.batch.gauss_newton import gauss_newton
from spacerobot_id.estimation.batch.hidden_causes import (
    causes_of_scale,
    hidden_causes,
)
from spacerobot_id.estimation.batch.reweighting import likelier_by, reweighted
from spacerobot_id.estimation.batch.score_test import (
    extended_samples,
    known_for,
    new_names,
    scores,
    usable_samples,
    values_for,
)
from spacerobot_id.estimation.recursive.recursion import refine
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import Method
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.estimation.recursive.state import Identification

_PART, _ITERATIONS = 800, 12
"""Samples about that the likeliest suspects are fitted to, and most Gauss-Newton steps."""

_ROUGH_PART, _ROUGH_ITERATIONS = 150, 6
"""The same of the fits that show which mistakes are the likeliest."""

_FINALISTS = 3
"""How many calibrations, and how many mistakes, are fitted."""

_DELAYS = ('delay.imu', 'delay.base_twist')
"""Calibrations that are tried together, too: joint states late against all other streams."""

_CHANCE = 1e-6
"""Probability that chance alone improves a fit by as much as one that is named."""

_LEAST_SHARE = 0.2
"""Share of what is not noise that a cause has to explain."""

_UNEXPLAINED, _MOST_LEFT, _DEVIATIONS = 0.1, 10.0, 5.0
"""Share of what is not noise and chi-square per reading, or deviations of its sum of squares, that
a calibration may leave where mistakes are not looked for."""

_MOST_SUSPECTED = 10.0
"""Size in deviations that are tried, beyond which a calibration is no cause."""


def likely_causes(
    method: Method,
    record: Record,
    values: NDArray[np.float64],
    known: SquareRootInformation | None = None,
    *,
    with_mistakes: bool = True,
) -> tuple[Cause, ...]:
    """Return what would explain a record best, the best first; empty if nothing does.

    Parameters
    ----------
    method : Method
        Robot, readings, noise and unknowns of the fit that leaves too much.
    record : Record
        All samples, as they came.
    values : ndarray, shape (u,)
        Unknowns of that fit.
    known : SquareRootInformation, optional
        What is known of them without the record, as of a robot that has changed; the description
        by default.
    with_mistakes : bool
        Whether mistakes are looked for, too: they do not leave white residuals.
    """
    samples = extended_samples(method, record, _PART)
    if samples is None:
        return ()
    extended, part = samples
    plain = _tried(method, _Suspect(method, part, values, known), _ITERATIONS)
    if plain is None:  # a robot that no data support explains them no better
        values = method.prior().mean
        plain = _tried(method, _Suspect(method, part, values, known), _ITERATIONS)
    if plain is None:
        return ()
    judged = sorted(scores(method, extended, part, values, known), key=lambda each: -each.gain)
    excess = max(plain.squares - plain.count, np.finfo(float).tiny)
    likeliest = list(dict.fromkeys(each.key for each in judged))[:_FINALISTS]
    finalists = [_calibration(method, part, values, known, key) for key in likeliest]
    trials = _all_tried(method, finalists)
    if any(trial.key in _DELAYS for trial in trials) and set(_DELAYS) <= set(
        method.candidate_errors
    ):
        trials += _all_tried(method, [_calibration(method, part, values, known, *_DELAYS)])
    left = min((trial.squares for trial in trials), default=np.inf) - plain.count
    bearable = min(_UNEXPLAINED * excess, _MOST_LEFT * plain.count)
    if with_mistakes and left > max(bearable, _DEVIATIONS * np.sqrt(2.0 * plain.count)):
        trials += _all_tried(method, _likeliest_mistakes(method, record, part, known))
    named = _significant(plain, trials, len(judged))
    moved = {each.key: each.moved for each in reversed(judged)}
    return tuple(
        Cause(
            trial.description,
            trial.remedy,
            plain.chi_square,
            trial.chi_square,
            shift=moved.get(trial.key),
        )
        for trial in named[:MOST_CAUSES]
        if plain.squares - trial.squares >= NEAR * (plain.squares - named[0].squares)
    )


def _significant(plain: '_Trial', trials: list['_Trial'], suspects: int) -> list['_Trial']:
    """Return the trials that explain far more than chance, the best first."""
    if not trials:
        return []
    noise = max(min(trial.chi_square for trial in trials), np.finfo(float).tiny)
    named = []
    for trial in trials:
        less = (plain.squares - trial.squares) / noise
        enough = chdtri(max(trial.freedom, 1), _CHANCE / max(suspects, 1))
        share = (plain.chi_square - trial.chi_square) / max(plain.chi_square - 1.0, 1e-3)
        if less > enough and share > _LEAST_SHARE:
            named.append(trial)
    named.sort(key=lambda trial: trial.squares / noise + trial.freedom * np.log(plain.count))
    best: dict[str, _Trial] = {}
    for trial in named:  # of one delay in several sizes the best
        best.setdefault(cause_name(trial.description), trial)
    return list(best.values())


@dataclass(frozen=True, eq=False)
class _Suspect:
    """Something that may be wrong: a calibration that is off, or a mistake in the record.

    Parameters
    ----------
    method : Method
        Method with the calibration switched on.
    part : Record
        Samples to fit, with the mistake undone.
    start : ndarray, shape (u,)
        Unknowns to start from.
    known : SquareRootInformation, optional
        What is known of them without the samples; the description by default.
    keys : tuple of str
        Settings of the calibration; none of a mistake.
    description : str
        Description of the mistake.
    """

    method: Method
    part: Record
    start: NDArray[np.float64]
    known: SquareRootInformation | None = None
    keys: tuple[str, ...] = ()
    description: str = ''


@dataclass(frozen=True, eq=False)
class _Trial:
    """A fit with one suspect."""

    description: str
    remedy: str
    squares: float
    count: int
    freedom: int
    key: str

    @property
    def chi_square(self) -> float:
        """Sum of squares per reading."""
        return self.squares / self.count


def _calibration(
    method: Method,
    part: Record,
    values: NDArray[np.float64],
    known: SquareRootInformation | None,
    *keys: str,
) -> _Suspect:
    """Return a calibration as a suspect, or several that are off together."""
    extended = method
    for key in keys:
        extended = extended.with_calibration(key, method.candidate_errors[key])
    start = values_for(method, extended, values)
    return _Suspect(extended, part, start, known_for(method, extended, known), keys)


def _likeliest_mistakes(
    method: Method, record: Record, part: Record, known: SquareRootInformation | None
) -> list[_Suspect]:
    """Return the mistakes that are the likeliest by a rough fit."""
    first, found = method.prior().mean if known is None else known.values(), []
    for description, changed in undone(method.model, record):
        usable = usable_samples(method, changed)
        if usable is None:
            continue
        there = usable[np.isin(usable.times, part.times)]
        same = _Suspect(method, there, first, known, description=description)
        rough = replace(same, part=same.part[:: 1 + len(same.part) // _ROUGH_PART])
        trial = _tried(method, rough, _ROUGH_ITERATIONS)
        if trial is not None:
            found.append((trial.chi_square, same))
    found.sort(key=lambda each: each[0])
    return [suspect for _, suspect in found[:_FINALISTS]]


def _all_tried(method: Method, suspects: list[_Suspect]) -> list[_Trial]:
    """Return the fits of suspects, of those that have one."""
    tried = (_tried(method, each, _ITERATIONS) for each in suspects)
    return [trial for trial in tried if trial is not None]


def _tried(method: Method, of: _Suspect, iterations: int) -> _Trial | None:
    """Return the fit of a suspect; None where there is none."""
    if len(of.part) * method.outputs <= len(of.start):
        return None
    suspect = of.method if of.known is not None else of.method.since(float(of.part.times[0]))
    prior = suspect.prior() if of.known is None else None
    if prior is not None and not np.isfinite(prior.cost(of.start)):
        return None
    try:
        fit = gauss_newton(suspect, of.part, of.start, prior, of.known, iterations)
        left = suspect.residuals(of.part, fit.values).values
    except (EstimationError, ConfigurationError, np.linalg.LinAlgError):
        return None
    left = left[~np.isnan(left)]
    if not np.isfinite(left).all():
        return None
    description, remedy = of.description, 'check the wiring and the description'
    key = ' and '.join(of.keys)
    if of.keys:
        places = [suspect.unknowns.names.index(name) for name in new_names(method, suspect)]
        found = fit.values[places]
        if np.abs(found).max() > _MOST_SUSPECTED * max(
            method.candidate_errors[each] for each in of.keys
        ):
            return None
        std = np.sqrt(np.diag(fit.information.covariance()))[places]
        description, remedy = calibration_text(method, suspect, key, found, std)
    freedom = len(suspect.unknowns) - len(method.unknowns)
    return _Trial(description, remedy, float(np.sum(left**2)), left.size, freedom, key)


def explained(state: 'Identification', record: Record) -> 'Identification':
    """Return a state with what would explain what it leaves over, if that is more than noise.

    Parameters
    ----------
    state : Identification
        State of a fit.
    record : Record
        Its samples, as they came.
    """
    if state.quality is None:
        return replace(state, causes=())
    found, quality = (), state.quality
    if not quality.is_as_stated:
        found = likely_causes(*_fit_of(state, record), with_mistakes=not quality.is_white)
    return replace(state, causes=found or causes_of_scale(state) or hidden_causes(state, record))


def explained_or_weighed(state: 'Identification', record: Record) -> 'Identification':
    """Return a state with what explains what it leaves over: a cause, or noise other than stated.

    Noise that is not as stated may look like a small error of a calibration. It is noise if
    samples are likelier with it, and if nothing shows that error then.

    Parameters
    ----------
    state : Identification
        State of a fit.
    record : Record
        Its samples, as they came or as they are weighed.
    """
    if state.shown is not None:  # what explains the noise that was found comes before it
        stated = record.weighed(1.0 / state.shown)
        causes = likely_causes(*_fit_of(state, stated), with_mistakes=False)
        return replace(state, causes=causes) if causes else explained(state, record)
    state = explained(state, record)
    weighed = reweighted(state, refine)
    if weighed is state:
        return state
    found = explained(weighed, Record.concatenate(weighed.recorded))
    shown = [cause for cause in state.causes if not cause.is_hidden]  # hidden by noise, maybe not
    if shown:
        by_cause = (shown[0].before - shown[0].after) * np.isfinite(state.residuals.values).sum()
        if found.causes or likelier_by(weighed, state) < by_cause:
            return state
    return found


def _fit_of(
    state: 'Identification', record: Record
) -> tuple[Method, Record, NDArray[np.float64], SquareRootInformation | None]:
    """Return what causes of a fit are looked for with."""
    return state.method, record, state.values(), None if state.described else state.known

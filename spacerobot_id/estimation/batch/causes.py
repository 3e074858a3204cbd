"""What would explain data that the model does not: one calibration, or one common mistake.

Every calibration that is off is judged by a score test: how much of the misfit its slopes explain
beside those of the parameters, linear about the fit. Where none explains it, common mistakes of
units, signs, wiring and axes are undone one by one. The likeliest of both are fitted, all to the
same samples; what these fits leave over says which of them explains most. None is named that does
not improve the fit by far more than chance.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from spacerobot_id.estimation.batch.common_mistakes import undone
from spacerobot_id.estimation.batch.gauss_newton import gauss_newton, known_information
from spacerobot_id.estimation.batch.suspects import freed_samples, usable_samples, values_for
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import Method, Solution

if TYPE_CHECKING:
    from spacerobot_id.estimation.recursive.state import Identification

_PART, _ITERATIONS = 800, 12
"""Samples about that the likeliest suspects are fitted to, and most Gauss-Newton steps."""

_ROUGH_PART, _ROUGH_ITERATIONS = 150, 6
"""The same of the fits that tell which mistakes are the likeliest."""

_FINALISTS = 3
"""How many calibrations, and how many mistakes, are fitted."""

_CHANCE = 1e-6
"""Probability that chance alone improves a fit by as much as one that is named."""

_LEAST_SHARE = 0.2
"""Share of what is not noise that a cause has to explain."""

_NEAR = 0.8
"""Share of what the best explains that others have to explain to be named beside it."""

_UNEXPLAINED, _DEVIATIONS = 0.1, 5.0
"""Share of what is not noise, or deviations of its sum of squares, that a calibration may leave
where mistakes are not looked for."""

_MOST = 3
"""Most causes that are named."""


@dataclass(frozen=True)
class Cause:
    """What explains data, or a part of what they leave over.

    Parameters
    ----------
    words : str
        What it is, and how large.
    remedy : str
        What to do about it.
    before, after : float
        Chi-square per degree of freedom without and with it.
    """

    words: str
    remedy: str
    before: float
    after: float

    def sentence(self) -> str:
        """Return the cause as a sentence."""
        return (
            f'{self.words} would explain it: chi-square {self.before:.3g} -> {self.after:.3g}; '
            f'{self.remedy}'
        )

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {
            'cause': self.words,
            'remedy': self.remedy,
            'chi_square_before': self.before,
            'chi_square_after': self.after,
        }


def likely_causes(
    method: Method, record: Record, values: NDArray[np.float64]
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
    """
    samples = freed_samples(method, record, _PART)
    if samples is None:
        return ()
    freed, part = samples
    plain = _tried(method, _Suspect(method, part, values), _ITERATIONS)
    if plain is None:
        return ()
    scores = _scores(method, freed, part, values)
    best = sorted(scores, key=scores.get, reverse=True)[:_FINALISTS]
    excess = max(plain.squares - plain.count, np.finfo(float).tiny)
    finalists = [_calibration(method, part, values, key) for key in best]
    left = excess - scores[best[0]] if best else np.inf
    if left > max(_UNEXPLAINED * excess, _DEVIATIONS * np.sqrt(2.0 * plain.count)):
        finalists += _likeliest_mistakes(method, record, part)
    trials = [_tried(method, each, _ITERATIONS) for each in finalists]
    named = _significant(plain, [trial for trial in trials if trial is not None], len(scores))
    return tuple(
        Cause(trial.words, trial.remedy, plain.chi_square, trial.chi_square)
        for trial in named[:_MOST]
        if plain.squares - trial.squares >= _NEAR * (plain.squares - named[0].squares)
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
    return named


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
    key, words : str
        Setting of the calibration, or the mistake in words.
    """

    method: Method
    part: Record
    start: NDArray[np.float64]
    key: str = ''
    words: str = ''


@dataclass(frozen=True, eq=False)
class _Trial:
    """A fit with one suspect."""

    words: str
    remedy: str
    squares: float
    count: int
    freedom: int

    @property
    def chi_square(self) -> float:
        """Sum of squares per reading."""
        return self.squares / self.count


def _scores(
    method: Method, freed: Method, part: Record, values: NDArray[np.float64]
) -> dict[str, float]:
    """Return how much smaller the sum of squares would be with each calibration, by its key.

    Rao's score test: all calibrations are linearised at zero, beside the parameters as fitted.
    """
    freed = freed.since(float(part.times[0]))
    about = values_for(method, freed, values)
    try:
        rows = freed.equations(part, about)
        known = known_information(values, method.since(freed.epoch).prior(), None)
    except (EstimationError, np.linalg.LinAlgError):
        return {}
    names = freed.unknowns.names
    own = [names.index(name) for name in method.unknowns.names]
    prior = np.zeros((len(known.target), len(names) + 1))
    prior[:, own], prior[:, -1] = known.factor, known.target
    whole = np.vstack([np.column_stack([rows.matrix, rows.right]), prior])
    triangle = np.linalg.qr(whole, mode='r')

    def squares(columns: list[int]) -> float:
        return float(np.linalg.qr(triangle[:, [*columns, -1]], mode='r')[len(columns), -1] ** 2)

    without, scores = squares(own), {}
    for key in method.suspects:
        alone = method.freed(key, method.suspects[key])
        new = [names.index(name) for name in alone.unknowns.names if name in names]
        if len(new) == len(alone.unknowns):
            scores[key] = without - squares(new)
    return scores


def _calibration(method: Method, part: Record, values: NDArray[np.float64], key: str) -> _Suspect:
    """Return a calibration as a suspect."""
    freed = method.freed(key, method.suspects[key])
    return _Suspect(freed, part, values_for(method, freed, values), key)


def _likeliest_mistakes(method: Method, record: Record, part: Record) -> list[_Suspect]:
    """Return the mistakes that are the likeliest by a rough fit."""
    first, found = method.prior().mean, []
    for words, changed in undone(method.model, record):
        usable = usable_samples(method, changed)
        if usable is None:
            continue
        same = _Suspect(method, usable[np.isin(usable.times, part.times)], first, words=words)
        rough = replace(same, part=same.part[:: 1 + len(same.part) // _ROUGH_PART])
        trial = _tried(method, rough, _ROUGH_ITERATIONS)
        if trial is not None:
            found.append((trial.chi_square, same))
    found.sort(key=lambda each: each[0])
    return [suspect for _, suspect in found[:_FINALISTS]]


def _tried(method: Method, of: _Suspect, iterations: int) -> _Trial | None:
    """Return the fit of a suspect; None where there is none."""
    if len(of.part) * method.outputs <= len(of.start):
        return None
    suspect = of.method.since(float(of.part.times[0]))
    try:
        fit = gauss_newton(suspect, of.part, of.start, suspect.prior(), iterations=iterations)
        left = suspect.residuals(of.part, fit.values).values
    except (EstimationError, ConfigurationError, np.linalg.LinAlgError):
        return None
    left = left[~np.isnan(left)]
    if not np.isfinite(left).all():
        return None
    words, remedy = of.words, 'check the wiring and the description'
    if of.key:
        words, remedy = _in_words(method, suspect, of.key, fit)
    freedom = len(suspect.unknowns) - len(method.unknowns)
    return _Trial(words, remedy, float(np.sum(left**2)), left.size, freedom)


def _in_words(method: Method, suspect: Method, key: str, fit: Solution) -> tuple[str, str]:
    """Return how large a calibration came out, and what to set."""
    names = suspect.unknowns.names
    new = np.array([k for k, name in enumerate(names) if name not in method.unknowns.names])
    std = np.sqrt(np.diag(fit.information.covariance()))[new]
    found = fit.values[new]
    order = np.argsort(-np.abs(found) / std)[:_MOST]
    units = suspect.unknowns.units
    sizes = ', '.join(
        f'{names[new[k]]} {found[k]:.3g} +- {std[k]:.2g} {units[new[k]]}'.rstrip(' 1')
        for k in order
    )
    wanted = 2.0 * float(np.abs(found[order]).max())
    return f'{key} ({sizes})', f'set {key}: {_rounded(wanted):g}'


def _rounded(value: float) -> float:
    """Return a number with one digit."""
    return float(f'{value:.0e}')


def explained(state: 'Identification', record: Record) -> 'Identification':
    """Return a state with what would explain what it leaves over, if that is more than noise.

    Parameters
    ----------
    state : Identification
        State of a fit.
    record : Record
        Its samples, as they came.
    """
    if state.quality is None or state.quality.is_as_stated:
        return replace(state, causes=())
    return replace(state, causes=likely_causes(state.method, record, state.values()))

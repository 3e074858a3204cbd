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

from spacerobot_id.estimation.batch.common_mistakes import undone, UNITS_OF_WHEELS
from spacerobot_id.estimation.batch.gauss_newton import gauss_newton
from spacerobot_id.estimation.batch.score_test import scores
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

_UNEXPLAINED, _MOST_LEFT, _DEVIATIONS = 0.1, 10.0, 5.0
"""Share of what is not noise and chi-square per reading, or deviations of its sum of squares, that
a calibration may leave where mistakes are not looked for."""

_MOST_SUSPECTED = 10.0
"""Size in deviations that are tried, beyond which a calibration is no cause."""

_MOST_SCORED = 4000
"""Samples about by which calibrations are judged where residuals are as stated."""

_FALSE_ALARM = 1e-3
"""Probability that one of them is named there although none is off."""

_LEAST_SHIFT = 1.0
"""Standard deviations by which it has to move a parameter to be named."""

_FAR_SCALE = 3.0
"""Prior deviations of the logarithm of the total mass beyond which its unit is doubted."""

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
    mass_ratio : float, optional
        Total mass over that described, of a cause of this alone, which no reading shows.
    shift : float, optional
        Most standard deviations by which it would move a parameter, of a calibration.
    is_hidden : bool
        Whether the parameters take it up, so that residuals hardly show it.
    """

    words: str
    remedy: str
    before: float
    after: float
    mass_ratio: float | None = None
    shift: float | None = None
    is_hidden: bool = False

    def sentence(self) -> str:
        """Return the cause as a sentence."""
        if self.mass_ratio is not None:
            return (
                f'{self.words} would explain a total mass {self.mass_ratio:.3g} times that '
                f'described, which no reading shows; {self.remedy}'
            )
        if self.is_hidden:
            return (
                f'{self.words} explains these data better than chance does, and would move a '
                f'parameter by {self.shift:.2g} standard deviations; {self.remedy}'
            )
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
            'mass_ratio': self.mass_ratio,
            'shift': self.shift,
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
    if plain is None:  # a robot that no data have led to explains them no better
        values = method.prior().mean
        plain = _tried(method, _Suspect(method, part, values), _ITERATIONS)
    if plain is None:
        return ()
    judged = sorted(scores(method, freed, part, values), key=lambda each: -each.gain)
    excess = max(plain.squares - plain.count, np.finfo(float).tiny)
    finalists = [_calibration(method, part, values, each.key) for each in judged[:_FINALISTS]]
    trials = [trial for each in finalists if (trial := _tried(method, each, _ITERATIONS))]
    left = min((trial.squares for trial in trials), default=np.inf) - plain.count
    bearable = min(_UNEXPLAINED * excess, _MOST_LEFT * plain.count)
    if left > max(bearable, _DEVIATIONS * np.sqrt(2.0 * plain.count)):
        mistakes = _likeliest_mistakes(method, record, part)
        trials += [trial for each in mistakes if (trial := _tried(method, each, _ITERATIONS))]
    named = _significant(plain, trials, len(judged))
    shifts = {each.key: float(np.abs(each.shift).max(initial=0.0)) for each in judged}
    return tuple(
        Cause(
            trial.words,
            trial.remedy,
            plain.chi_square,
            trial.chi_square,
            shift=shifts.get(trial.key),
        )
        for trial in named[:_MOST]
        if plain.squares - trial.squares >= _NEAR * (plain.squares - named[0].squares)
    )


def hidden_causes(
    method: Method, record: Record, values: NDArray[np.float64]
) -> tuple[Cause, ...]:
    """Return the calibrations that bias a fit whose residuals are as stated, the likeliest first.

    What the parameters take up of an error leaves little over, and moves them by many of their
    standard deviations. A score test of all samples sees far less than chi-square does.

    Parameters
    ----------
    method, record, values
        As for ``likely_causes``.
    """
    samples = freed_samples(method, record, _MOST_SCORED)
    if samples is None:
        return ()
    freed, part = samples
    left = method.residuals(part, values).values
    squares, read = float(np.nansum(left**2)), int(np.sum(~np.isnan(left)))
    noise = max(squares / max(read, 1), 1.0)
    judged = [each.with_noise(noise) for each in scores(method, freed, part, values)]
    sure = [
        each
        for each in judged
        if each.chance * len(judged) < _FALSE_ALARM and np.abs(each.shift).max() > _LEAST_SHIFT
    ]
    if not sure:
        return ()
    count = np.log(len(part) * method.outputs)
    sure.sort(key=lambda each: len(each.values) * count - each.gain)
    causes = []
    for each in sure[:_MOST]:
        if each.gain < _NEAR * sure[0].gain:
            continue
        suspect = method.freed(each.key, method.suspects[each.key])
        words, remedy = _sizes(method, suspect, each.key, each.values, each.std)
        shift = float(np.abs(each.shift).max(initial=0.0))
        after = (squares - noise * each.gain) / read
        causes.append(Cause(words, remedy, squares / read, after, shift=shift, is_hidden=True))
    return tuple(causes)


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
    key: str

    @property
    def chi_square(self) -> float:
        """Sum of squares per reading."""
        return self.squares / self.count


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
        new = [suspect.unknowns.names.index(name) for name in _new_names(method, suspect)]
        if np.abs(fit.values[new]).max() > _MOST_SUSPECTED * method.suspects[of.key]:
            return None
        words, remedy = _in_words(method, suspect, of.key, fit)
    freedom = len(suspect.unknowns) - len(method.unknowns)
    return _Trial(words, remedy, float(np.sum(left**2)), left.size, freedom, of.key)


def _in_words(method: Method, suspect: Method, key: str, fit: Solution) -> tuple[str, str]:
    """Return how large a calibration came out, and what to set."""
    new = _new_names(method, suspect)
    places = [suspect.unknowns.names.index(name) for name in new]
    std = np.sqrt(np.diag(fit.information.covariance()))[places]
    return _sizes(method, suspect, key, fit.values[places], std)


def _new_names(method: Method, suspect: Method) -> list[str]:
    """Return the unknowns that only a suspect has."""
    return [name for name in suspect.unknowns.names if name not in method.unknowns.names]


def _sizes(
    method: Method,
    suspect: Method,
    key: str,
    found: NDArray[np.float64],
    std: NDArray[np.float64],
) -> tuple[str, str]:
    """Return the unknowns of a calibration in words, the surest first, and what to set."""
    new = _new_names(method, suspect)
    units = dict(zip(suspect.unknowns.names, suspect.unknowns.units, strict=True))
    order = np.argsort(-np.abs(found) / std)[:_MOST]
    sizes = ', '.join(
        f'{new[k]} {found[k]:.3g} +- {std[k]:.2g} {units[new[k]]}'.rstrip(' 1') for k in order
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
    if state.quality is None:
        return replace(state, causes=())
    method, values = state.method, state.values()
    found = () if state.quality.is_as_stated else likely_causes(method, record, values)
    found = found or _causes_of_scale(state) or hidden_causes(method, record, values)
    return replace(state, causes=found)


def _causes_of_scale(state: 'Identification') -> tuple[Cause, ...]:
    """Return the unit of wheel rates that explains a total mass far from that described."""
    method, prior = state.method, getattr(state.method, 'prior_settings', None)
    masses = list(method.masses)
    if prior is None or not masses or not method.model.wheels or state.changes:
        return ()
    ratio = float(state.values()[masses].sum() / method.prior().mean[masses].sum())
    if not ratio > 0.0 or abs(np.log(ratio)) <= _FAR_SCALE * prior.mass_std:
        return ()
    chi_square = state.quality.chi_square
    return tuple(
        Cause(words, 'check the unit of the wheel rates', chi_square, chi_square, ratio)
        for words, factor in UNITS_OF_WHEELS.items()
        if abs(np.log(ratio / factor)) <= prior.mass_std
    )

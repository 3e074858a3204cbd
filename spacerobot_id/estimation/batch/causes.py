"""What would explain data that the model does not: one calibration, or one common mistake.

Every calibration that is off is switched on alone, and every common mistake of wheels and joints
is undone alone; the parameters are fitted again to samples all along the log. What is left over
says which of them explains most. None is named that does not improve the fit by far more than
chance.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from spacerobot_id.estimation.batch.gauss_newton import gauss_newton
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.method import Method

_PART = 800
"""Samples about that suspects are tried on."""

_ITERATIONS = 12
"""Most Gauss-Newton steps of a trial."""

_CHANCE = 1e-6
"""Probability that chance alone improves a fit by as much as one that is named."""

_LEAST_SHARE = 0.2
"""Share of what is not noise that a cause has to explain."""

_NEAR = 0.8
"""Share of what the best explains that others have to explain to be named beside it."""

_MOST = 3
"""Most causes that are named."""

_RPM = 2.0 * np.pi / 60.0


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
    if method.solves_at_once or method.is_for_comparison:
        return ()
    plain = _tried(method, record, method, values)
    if plain is None:
        return ()
    trials = [trial for trial in _trials(method, record, values) if trial is not None]
    if not trials:
        return ()
    noise = max(min(trial.chi_square for trial in trials), np.finfo(float).tiny)
    named = []
    for trial in trials:
        less = (plain.squares - trial.squares) / noise
        enough = chdtri(max(trial.freedom, 1), _CHANCE / len(trials))
        share = (plain.chi_square - trial.chi_square) / max(plain.chi_square - 1.0, 1e-3)
        if less > enough and share > _LEAST_SHARE:
            named.append(trial)
    named.sort(key=lambda trial: trial.squares / noise + trial.freedom * np.log(plain.count))
    return tuple(
        Cause(trial.words, trial.remedy, plain.chi_square, trial.chi_square)
        for trial in named[:_MOST]
        if plain.squares - trial.squares >= _NEAR * (plain.squares - named[0].squares)
    )


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


def _trials(
    method: Method, record: Record, values: NDArray[np.float64]
) -> Iterator[_Trial | None]:
    """Yield a fit for each suspect."""
    for key, std in method.suspects.items():
        yield _tried(method, record, method.freed(key, std), values, key=key)
    for words, changed in _undone(method, record):
        yield _tried(method, changed, method, method.prior().mean, words=words)


def _tried(
    method: Method,
    record: Record,
    suspect: Method,
    values: NDArray[np.float64],
    *,
    key: str = '',
    words: str = '',
) -> _Trial | None:
    """Return the fit of a method to samples all along a record; None where there is none."""
    start = _start(method, suspect, values)
    try:
        usable = suspect.usable(suspect.prepared(record))
        if len(usable) <= len(start):
            return None
        suspect = suspect.since(float(usable.times[0]))
        part = usable[:: 1 + len(usable) // _PART]
        fit = gauss_newton(suspect, part, start, suspect.prior(), iterations=_ITERATIONS)
        left = suspect.residuals(part, fit.values).values
    except (EstimationError, ConfigurationError, np.linalg.LinAlgError):
        return None
    if not np.isfinite(left).all():
        return None
    remedy = 'check the wiring and the description'
    if key:
        place = suspect.unknowns.places[key]
        std = np.sqrt(np.diag(fit.information.covariance()))
        words, remedy = _in_words(suspect, key, fit.values[place], std[place])
    freedom = len(suspect.unknowns) - len(method.unknowns)
    return _Trial(words, remedy, float(np.sum(left**2)), left.size, freedom)


def _start(method: Method, suspect: Method, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values by name, zero for unknowns that the fit did not have."""
    known = dict(zip(method.unknowns.names, values.tolist(), strict=True))
    return np.array([known.get(name, 0.0) for name in suspect.unknowns.names])


def _in_words(
    suspect: Method, key: str, found: NDArray[np.float64], std: NDArray[np.float64]
) -> tuple[str, str]:
    """Return how large a calibration came out, and what to set."""
    place = suspect.unknowns.places[key]
    names, units = suspect.unknowns.names[place], suspect.unknowns.units[place]
    order = np.argsort(-np.abs(found) / std)[:_MOST]
    sizes = ', '.join(
        f'{names[k]} {found[k]:.3g} +- {std[k]:.2g} {units[k]}'.rstrip(' 1') for k in order
    )
    wanted = 2.0 * float(np.abs(found[order]).max())
    return f'{key} ({sizes})', f'set {key}: {_rounded(wanted):g}'


def _rounded(value: float) -> float:
    """Return a number with one digit."""
    return float(f'{value:.0e}')


def _undone(method: Method, record: Record) -> Iterator[tuple[str, Record]]:
    """Yield the record with each common mistake of wheels and joints undone."""
    model, rates = method.model, record.wheel_rates
    if rates is not None and rates.any():
        for k, name in enumerate(model.wheel_names):
            if rates[:, k].any():
                yield f'wheel {name} with its sign negated', _with_wheels(record, {k: (k, -1.0)})
        for (i, one), (j, other) in combinations(enumerate(model.wheel_names), 2):
            swapped = _with_wheels(record, {i: (j, 1.0), j: (i, 1.0)})
            yield f'wheels {one} and {other} exchanged', swapped
        every = {k: (k, _RPM) for k in range(rates.shape[1])}
        yield 'wheel rates in revolutions per minute', _with_wheels(record, every)
    if record.q is not None:
        for k, name in enumerate(model.joint_names):
            side = np.ones(record.q.shape[1])
            side[k] = -1.0
            yield (
                f'joint {name} with its sign negated',
                replace(record, q=record.q * side, qd=record.qd * side),
            )


def _with_wheels(record: Record, changes: dict[int, tuple[int, float]]) -> Record:
    """Return a record with columns of wheel rates taken from others, times a factor."""
    rates = record.wheel_rates.copy()
    for column, (source, factor) in changes.items():
        rates[:, column] = factor * record.wheel_rates[:, source]
    return replace(record, wheel_rates=rates)

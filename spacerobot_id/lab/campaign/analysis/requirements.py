"""Requirements on the runs of a campaign, and the bounds that decide them.

A requirement holds if a share of all runs that could be drawn keeps it. Of n runs, k keep it; the
bounds of Clopper and Pearson (1934) on that share decide. They are looked at several times: the
probability of a wrong verdict is spent over a schedule of looks that is fixed beforehand, half of
it at the last, the other half in equal parts at those before, so that by Boole's inequality the
stated confidence holds for the verdict whenever it falls (Jennison and Turnbull, 1999, chapter 7).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
import re
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator
from scipy.stats import binom, binomtest

from spacerobot_id.lab.campaign.draws.key_names import factor_of, names_of
from spacerobot_id.lab.campaign.outcome import METRICS
from spacerobot_id.model.inertial_parameters import PARAMETER_NAMES, PARAMETER_UNITS
from spacerobot_id.settings.kinds import Finite, KeyedError, keys, ReadFrom

_MOST_LOOKS, _FEWEST_RUNS = 8, 20
"""Looks at most, and runs of the first one at least."""


_COMPARED_BY = {'<': np.less, '<=': np.less_equal, '>': np.greater, '>=': np.greater_equal}


class Verdict(Enum):
    """What is known of a requirement."""

    PASSED = 'passed'
    FAILED = 'failed'
    UNDECIDED = 'not yet decided'


@dataclass(frozen=True)
class Requirement:
    """Something that a share of all runs is to keep.

    Parameters
    ----------
    name : str
        Its name.
    metric : str
        Column of the table of runs; its magnitude counts.
    relation : str
        ``<``, ``<=``, ``>``, ``>=``; empty for one that is true or false.
    bound : float
        What it is held against, in SI units.
    text : str
        The requirement as the campaign file has it.
    share : float
        Share of runs that must keep it.
    confidence : float
        Confidence of the verdict.
    """

    name: str
    metric: str
    relation: str
    bound: float
    text: str
    share: float
    confidence: float

    def kept(self, values: NDArray) -> NDArray[np.bool_]:
        """Return which runs keep it, shape (N,); one without a value does not."""
        if not self.relation:
            return np.asarray(values, dtype=float) == 1.0
        return _COMPARED_BY[self.relation](np.abs(np.asarray(values, dtype=float)), self.bound)


@dataclass(frozen=True)
class Judgement:
    """A verdict with what it rests on.

    Parameters
    ----------
    requirement : Requirement
        What was judged.
    verdict : Verdict
        What is known.
    kept, runs : int
        Runs that kept it, of those looked at.
    bounds : tuple of 2 floats
        Lower and upper bound of the share, each at the confidence of the look.
    """

    requirement: Requirement
    verdict: Verdict
    kept: int
    runs: int
    bounds: tuple[float, float]


def looks(budget: int) -> tuple[int, ...]:
    """Return the numbers of runs at which verdicts are looked for: halves of the budget."""
    counts = [budget]
    while len(counts) < _MOST_LOOKS and counts[-1] // 2 >= _FEWEST_RUNS:
        counts.append(counts[-1] // 2)
    return tuple(reversed(counts))


def confidence_at(confidence: float, look: int, count: int) -> float:
    """Return the confidence of each bound at one of some looks, counted from 0."""
    risk = 1.0 - confidence
    if count == 1:
        return confidence
    return 1.0 - (0.5 * risk if look == count - 1 else 0.5 * risk / (count - 1))


@lru_cache(maxsize=10_000)
def share_bounds(kept: int, runs: int, confidence: float) -> tuple[float, float]:
    """Return a lower and an upper bound of a share, each of one side (Clopper and Pearson)."""
    if not runs:
        return 0.0, 1.0
    interval = binomtest(kept, runs).proportion_ci(2.0 * confidence - 1.0, method='exact')
    return float(interval.low), float(interval.high)


def judged(requirement: Requirement, kept: Sequence[bool], budget: int) -> Judgement:
    """Return the verdict on a requirement at the first look that decides it, or at the last.

    Parameters
    ----------
    requirement : Requirement
        Requirement.
    kept : sequence of bool, length N
        Which runs kept it, in the order of their indices from 0 on.
    budget : int
        Runs at most, which the looks follow from.
    """
    schedule = looks(budget)
    kept = np.asarray(kept, dtype=bool)
    found = Judgement(requirement, Verdict.UNDECIDED, 0, 0, (0.0, 1.0))
    for look, runs in enumerate(schedule):
        if runs > len(kept):
            break
        level = confidence_at(requirement.confidence, look, len(schedule))
        count = int(kept[:runs].sum())
        bounds = share_bounds(count, runs, level)
        verdict = Verdict.UNDECIDED
        if bounds[0] >= requirement.share:
            verdict = Verdict.PASSED
        elif bounds[1] < requirement.share:
            verdict = Verdict.FAILED
        found = Judgement(requirement, verdict, count, runs, bounds)
        if verdict is not Verdict.UNDECIDED:
            break
    return found


@dataclass(frozen=True)
class Percentile:
    """A percentile with an interval.

    Parameters
    ----------
    value : float
        Estimate.
    low, high : float
        Interval; infinite where there are too few runs for an end.
    """

    value: float
    low: float
    high: float


def percentile(values: NDArray[np.float64], share: float, confidence: float) -> Percentile:
    """Return a percentile and the order statistics about it that hold it with a confidence.

    The number of values below the percentile is binomial whatever their distribution
    (David and Nagaraja, 2003, section 7.1).

    Parameters
    ----------
    values : ndarray, shape (N,)
        Values; those that are NaN count as infinite.
    share : float
        Share of the distribution below the percentile.
    confidence : float
        Confidence of the interval.
    """
    ordered = np.sort(np.where(np.isnan(values), np.inf, values))
    count = len(ordered)
    tail = 0.5 * (1.0 - confidence)
    low = int(binom.ppf(tail, count, share)) - 1  # counted from 0, one below at least
    high = int(binom.ppf(1.0 - tail, count, share))
    low_value = ordered[low] if low >= 0 else -np.inf
    high_value = ordered[high] if high < count else np.inf
    middle = min(int(np.floor(share * count)), count - 1)
    return Percentile(float(ordered[middle]), float(low_value), float(high_value))


_COMPARED = re.compile(r'(\S+)\s*(<=|>=|<|>)\s*(\S+?)\s*(%|[A-Za-z].*)?$')

_ERROR = 'error.'


def _parsed(text: str) -> tuple[str, str, float]:
    """Return metric, relation and bound in SI units."""
    if text in METRICS and METRICS[text].is_flag:
        return text, '', 1.0
    match = _COMPARED.match(text)
    if match is None:
        flags = ', '.join(name for name, each in METRICS.items() if each.is_flag)
        raise ValueError(f'must be like mass_error < 0.5 %, or one of {flags}; got {text!r}')
    metric, relation, number, unit = match.groups()
    wanted = _unit_of_metric(metric)
    given = unit or '1'
    if given not in names_of(wanted):
        known = ', '.join(names_of(wanted))
        raise ValueError(f'{metric}: unit must be one of {known}, got {given!r}')
    try:
        bound = float(number) * factor_of(given, wanted)
    except ValueError:
        raise ValueError(f'must have a number, got {number!r}') from None
    return metric, relation, bound


def _unit_of_metric(metric: str) -> str:
    """Return the unit of a metric, or of the error of a parameter."""
    if metric in METRICS:
        return METRICS[metric].unit
    if metric.startswith(_ERROR):
        name = metric.partition(':')[0].rpartition('.')[2]
        if name in PARAMETER_NAMES:
            return PARAMETER_UNITS[PARAMETER_NAMES.index(name)]
    known = ', '.join(METRICS)
    raise ValueError(
        f'{metric!r} is no metric; known are {known}, and error.PARAMETER such as error.L1.mx'
    )


def _probability(value: str | float) -> float:
    """Return a share: a number between 0 and 1, or per cent as a text."""
    share = value
    if isinstance(value, str):
        try:
            share = 0.01 * float(value.strip().removesuffix('%'))
        except ValueError:
            share = np.nan
        if not value.strip().endswith('%') or np.isnan(share):
            raise ValueError(f'must be like 99 %, got {value!r}')
    if not 0.0 < share < 1.0:
        raise ValueError(f'must be between 0 and 1, or 0 % and 100 %, got {value!r}')
    return share


def _requirement(given: Mapping[str, Any]) -> Requirement:
    text = given['require'].strip()
    try:
        metric, relation, bound = _parsed(text)
    except ValueError as error:
        raise KeyedError(('require',), str(error)) from None
    name, confidence = given.get('name', text), given.get('confidence', 0.95)
    return Requirement(name, metric, relation, bound, text, given['share'], confidence)


def _named_once(found: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    names = [each.name for each in found]
    for row, name in enumerate(names):
        if name in names[:row]:
            raise KeyedError((row,), f'duplicate name of a requirement: {name}')
    return found


_PROBABILITY = ReadFrom(str | Finite, _probability)
_KEYS = {
    'name': (str, 'Name.'),
    'require': (str, 'A flag, or a metric and its bound.'),
    'share': (_PROBABILITY, 'Share of the runs.'),
    'confidence': (_PROBABILITY, 'Confidence.'),
}
_REQUIREMENT = Annotated[Requirement, ReadFrom(keys('', _KEYS, 'require', 'share'), _requirement)]
REQUIREMENTS = Annotated[tuple[_REQUIREMENT, ...], AfterValidator(_named_once)]
"""What is required."""

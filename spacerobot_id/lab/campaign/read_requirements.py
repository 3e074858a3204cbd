"""Reading requirements from a campaign file: ``mass_error < 0.5 %`` in a share of the runs."""

from collections.abc import Mapping
import re
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator

from spacerobot_id.lab.campaign.analysis.requirements import Requirement
from spacerobot_id.lab.campaign.draws.key_names import factor_of, names_of
from spacerobot_id.lab.campaign.outcome import METRICS
from spacerobot_id.model.inertial_parameters import PARAMETER_NAMES, PARAMETER_UNITS
from spacerobot_id.settings.kinds import Finite, KeyedError, keys, ReadFrom

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

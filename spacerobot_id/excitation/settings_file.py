"""The planner's settings by the names of the node's parameters, and from a file of them."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import numpy as np
import yaml

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.keep_in_box import KeepInBox
from spacerobot_id.excitation.limit_set import LimitSettings
from spacerobot_id.excitation.planner_settings import (
    CriterionName,
    FamilyName,
    PlanCriterionSettings,
    PlannerSettings,
)

_PLAIN = tuple(
    each.name
    for each in fields(PlannerSettings)
    if each.name not in ('family', 'criterion', 'limits')
)
_OF_CRITERION = ('signal_weight', 'level_weight', 'worst_share')
_LIMITS = (
    'base_rate_limit',
    'base_excursion_limit',
    'keep_in_frame',
    'keep_in_lower',
    'keep_in_upper',
    'clearance',
    'planar',
)
KEYS = ('family', 'criterion', 'of_interest', *_OF_CRITERION, *_LIMITS, *_PLAIN)
"""Names of the settings in files and on the node."""


def settings_from_mapping(values: Mapping[str, object]) -> PlannerSettings:
    """Return settings from values by the names of the node's parameters.

    Parameters
    ----------
    values : mapping
        Values by name; other names are passed over.

    Raises
    ------
    ConfigurationError
        If a value is not of its kind; names the key.
    """
    plain = {key: _number(key, values) for key in _PLAIN if key in values}
    for each in fields(PlannerSettings):
        if each.name in plain and each.type in (int, 'int'):
            plain[each.name] = int(plain[each.name])
    criterion = {key: _number(key, values) for key in _OF_CRITERION if key in values}
    name = _choice('criterion', values, CriterionName, CriterionName.DEVIATION)
    interest = _texts('of_interest', values)
    return PlannerSettings(
        family=_choice('family', values, FamilyName, FamilyName.CYCLOIDS),
        criterion=PlanCriterionSettings(name, of_interest=interest, **criterion),
        limits=_limits(values),
        **plain,
    )


def load_planner_settings(path: str | Path) -> PlannerSettings:
    """Return settings from a YAML file.

    Parameters
    ----------
    path : str or Path
        File with the planner's parameters as keys, or a parameter file of the nodes, of which the
        planner's part is taken.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or a key is unknown or has no value it can have.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f'{path}: cannot be read: {error}') from error
    if not isinstance(content, dict):
        raise ConfigurationError(f'{path}: needs keys and values')
    sections = [value for key, value in content.items() if str(key).endswith('planner')]
    if sections:
        content = sections[0].get('ros__parameters', {})
    elif unknown := sorted(str(key) for key in set(content) - set(KEYS)):
        raise ConfigurationError(f'{path}: unknown key {", ".join(unknown)}')
    try:
        return settings_from_mapping(content)
    except ConfigurationError as error:
        raise ConfigurationError(f'{path}: {error}') from error


def _limits(values: Mapping[str, object]) -> LimitSettings:
    """Return limits beside the robot's; 0 stands for none, as ROS knows no infinity."""
    rate, excursion, clearance = (
        _number(key, values) if key in values else 0.0
        for key in ('base_rate_limit', 'base_excursion_limit', 'clearance')
    )
    frame = values.get('keep_in_frame', '')
    boxes = []
    if frame:
        corners = [_numbers(key, values) for key in ('keep_in_lower', 'keep_in_upper')]
        boxes.append(KeepInBox(str(frame), *corners))
    planar = bool(values.get('planar', False))
    return LimitSettings(rate or np.inf, excursion or np.inf, tuple(boxes), clearance, planar)


def _number(key: str, values: Mapping[str, object]) -> float:
    value = values[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
        raise ConfigurationError(f'{key}: {value!r} is no number')
    return value


def _numbers(key: str, values: Mapping[str, object]) -> tuple[float, ...]:
    given = values.get(key, ())
    try:
        numbers = tuple(float(each) for each in given)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != 3 or not np.isfinite(numbers).all():
        raise ConfigurationError(f'{key}: three numbers are needed, got {given!r}')
    return numbers


def _texts(key: str, values: Mapping[str, object]) -> tuple[str, ...]:
    given = values.get(key, ())
    if isinstance(given, str) or not all(isinstance(each, str) for each in given):
        raise ConfigurationError(f'{key}: a list of texts is needed, got {given!r}')
    return tuple(given)


def _choice(
    key: str,
    values: Mapping[str, object],
    kind: type[CriterionName] | type[FamilyName],
    default: CriterionName | FamilyName,
) -> CriterionName | FamilyName:
    if key not in values:
        return default
    names = [each.value for each in kind]
    if values[key] not in names:
        raise ConfigurationError(f'{key}: {values[key]!r} is none of {", ".join(names)}')
    return kind(values[key])

"""The estimator's settings from a file: plain keys, or the parameter file of the nodes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import yaml

from spacerobot_id.estimation.angular_momentum_problem import ReducedSettings
from spacerobot_id.estimation.change_detection import ChangeSettings
from spacerobot_id.estimation.identification_state import RecursionSettings
from spacerobot_id.estimation.nuisance import NuisanceSettings
from spacerobot_id.exceptions import ConfigurationError

_CHANGE_KEYS = {
    'gate': 'gate',
    'settle_time': 'settle',
    'change_window': 'window',
    'change_links': 'links',
    'change_mass': 'mass',
}
_RECURSION_KEYS = ('prior_relative_std', 'prior_mass_std', 'most_samples', 'forgetting_time')

_REDUCED_KEYS = tuple(each.name for each in fields(ReducedSettings))


@dataclass(frozen=True)
class IdentifySettings:
    """What an identification can be told, by the names of the estimator's parameters.

    Parameters
    ----------
    recursion : RecursionSettings
        Prior, gate, forgetting.
    nuisance : NuisanceSettings
        What is unknown beside the parameters.
    planar : bool
        Whether the base can only move along x and y and turn about z.
    reduced : ReducedSettings
        What methods without the base's velocity are told.
    """

    recursion: RecursionSettings = field(default_factory=RecursionSettings)
    nuisance: NuisanceSettings = field(default_factory=NuisanceSettings)
    planar: bool = False
    reduced: ReducedSettings = ReducedSettings()


def settings_from_mapping(values: Mapping[str, object]) -> IdentifySettings:
    """Return settings from values by the names of the estimator's parameters.

    Parameters
    ----------
    values : mapping
        Values by name; names of other parameters are passed over.

    Raises
    ------
    ConfigurationError
        If a value is no number where one is wanted; names the key.
    """
    change = {_CHANGE_KEYS[key]: _value(key, values[key]) for key in _CHANGE_KEYS if key in values}
    recursion = {key: _value(key, values[key]) for key in _RECURSION_KEYS if key in values}
    names = [each.name for each in fields(NuisanceSettings)]
    nuisance = {name: _value(name, values[name]) for name in names if name in values}
    return IdentifySettings(
        replace(RecursionSettings(**recursion), change=ChangeSettings(**change)),
        NuisanceSettings(**nuisance),
        bool(values.get('planar', False)),
        _reduced(values),
    )


def _reduced(values: Mapping[str, object]) -> ReducedSettings:
    """Return what methods without the base's velocity are told."""
    given = {key: values[key] for key in _REDUCED_KEYS if key in values}
    momentum = given.get('known_angular_momentum', ())
    if not isinstance(momentum, (list, tuple)) or not all(
        isinstance(each, (int, float)) for each in momentum
    ):
        raise ConfigurationError(f'known_angular_momentum: {momentum!r} are no numbers')
    if momentum:
        given['known_angular_momentum'] = tuple(map(float, momentum))
    return ReducedSettings(**given)


def load_identify_settings(path: str | Path) -> IdentifySettings:
    """Return settings from a YAML file.

    Parameters
    ----------
    path : str or Path
        File with the estimator's parameters as keys, or a parameter file of the nodes, of which
        the estimator's part is taken.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or a key is unknown or has no value it can have.
    """
    try:
        content = yaml.safe_load(Path(path).read_text())
    except (OSError, yaml.YAMLError) as error:
        raise ConfigurationError(f'{path}: cannot be read: {error}') from error
    if not isinstance(content, dict):
        raise ConfigurationError(f'{path}: needs keys and values')
    sections = [value for key, value in content.items() if str(key).endswith('estimator')]
    if sections:
        content = sections[0].get('ros__parameters', {})
    else:
        _refuse_unknown(path, content)
    try:
        return settings_from_mapping(content)
    except ConfigurationError as error:
        raise ConfigurationError(f'{path}: {error}') from error


def _refuse_unknown(path: str | Path, content: Mapping[str, object]) -> None:
    """Raise if a key is none of the settings."""
    known = {
        'planar',
        *_CHANGE_KEYS,
        *_RECURSION_KEYS,
        *_REDUCED_KEYS,
        *(each.name for each in fields(NuisanceSettings)),
    }
    unknown = sorted(set(content) - known)
    if unknown:
        raise ConfigurationError(f'{path}: unknown key {", ".join(map(str, unknown))}')


def _value(key: str, value: object) -> object:
    """Return a number, or a tuple of texts."""
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise ConfigurationError(f'{key}: {value!r} is no number')

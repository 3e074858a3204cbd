"""The estimator's settings from a file: plain keys, or the parameter file of the nodes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from spacerobot_id.data import AlignmentSettings, VelocitySource
from spacerobot_id.estimation.angular_momentum_problem import ReducedSettings
from spacerobot_id.estimation.change_detection import ChangeSettings
from spacerobot_id.estimation.estimator_settings import EstimatorSettings
from spacerobot_id.estimation.identification_state import RecursionSettings
from spacerobot_id.estimation.nuisance import NuisanceSettings
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.settings import own_parameters, settings_from_values, values_from_file

_CHANGE_KEYS = {
    'gate': 'gate',
    'settle_time': 'settle',
    'change_window': 'window',
    'change_links': 'links',
    'change_mass': 'mass',
}
_RECURSION_KEYS = ('prior_relative_std', 'prior_mass_std', 'most_samples', 'forgetting_time')
_NUISANCE_KEYS = tuple(each.name for each in fields(NuisanceSettings))
_ALIGNMENT_KEYS = {
    'buffer_size': 'capacity',
    'longest_gap': 'longest_gap',
    'longest_bracket': 'longest_bracket',
    'velocity_window': 'window',
}
_OTHER_KEYS = ('planar', 'base_velocity', 'gyro_noise')
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
    alignment : AlignmentSettings
        How streams are aligned.
    source : VelocitySource, optional
        Where the linear velocity comes from; from twists if there are any if None.
    gyro_noise : float
        Standard deviation of the gyro's noise, rad/s; what its messages state, or else the
        description, if 0.
    """

    recursion: RecursionSettings = field(default_factory=RecursionSettings)
    nuisance: NuisanceSettings = field(default_factory=NuisanceSettings)
    planar: bool = False
    reduced: ReducedSettings = ReducedSettings()
    alignment: AlignmentSettings = AlignmentSettings()
    source: VelocitySource | None = None
    gyro_noise: float = 0.0


def settings_from_mapping(values: Mapping[str, object]) -> IdentifySettings:
    """Return settings from values by the names of the estimator's parameters.

    Parameters
    ----------
    values : mapping
        Values by name; names of other things are passed over.

    Raises
    ------
    ConfigurationError
        If a value is not of its kind or out of its range; names the key.
    """
    told = settings_from_values(EstimatorSettings, values)
    change = {field: getattr(told, key) for key, field in _CHANGE_KEYS.items()}
    recursion = {key: getattr(told, key) for key in _RECURSION_KEYS}
    return IdentifySettings(
        RecursionSettings(**recursion, change=ChangeSettings(**change)),
        NuisanceSettings(**{key: getattr(told, key) for key in _NUISANCE_KEYS}),
        told.planar,
        ReducedSettings(**{key: getattr(told, key) for key in _REDUCED_KEYS}),
        AlignmentSettings(**{field: getattr(told, key) for key, field in _ALIGNMENT_KEYS.items()}),
        None if told.base_velocity == 'auto' else VelocitySource(told.base_velocity),
        told.gyro_noise,
    )


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
    parts = (_CHANGE_KEYS, _RECURSION_KEYS, _NUISANCE_KEYS, _REDUCED_KEYS, _ALIGNMENT_KEYS)
    known = (*_OTHER_KEYS, *(key for part in parts for key in part))
    values = values_from_file(path, 'estimator', known, own_parameters(EstimatorSettings))
    try:
        return settings_from_mapping(values)
    except ConfigurationError as error:
        raise ConfigurationError(f'{path}: {error}') from error

"""The methods by their names: choices of the node and of commands, and the docs' table."""

from collections.abc import Collection, Mapping
from dataclasses import replace
import importlib
from typing import TYPE_CHECKING
import warnings

from spacerobot_id.exceptions import ConfigurationError, DeprecatedNameWarning
from spacerobot_id.methods.calibrations.calibration import AUTO, with_tolerances
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.model import RobotModel

if TYPE_CHECKING:
    from spacerobot_id.methods.method import Method


_ROOM = 'spacerobot_id.methods'

_METHODS: dict[str, str] = {
    'momentum': f'{_ROOM}.momentum:Momentum',
    'momentum_balance': f'{_ROOM}.momentum_balance:MomentumBalance',
    'angular_momentum': f'{_ROOM}.angular_momentum:AngularMomentum',
    'angular_momentum_and_torques': (
        f'{_ROOM}.angular_momentum_and_torques:AngularMomentumAndTorques'
    ),
    'free_flyer': f'{_ROOM}.free_flyer:FreeFlyer',
    'least_squares': f'{_ROOM}.least_squares:LeastSquares',
    'weighted_least_squares': f'{_ROOM}.least_squares:WeightedLeastSquares',
    'angular_momentum_least_squares': f'{_ROOM}.least_squares:AngularMomentumLeastSquares',
    'equations_of_motion': f'{_ROOM}.equations_of_motion:EquationsOfMotion',
    'equations_of_motion_fourier': f'{_ROOM}.equations_of_motion:FittedEquationsOfMotion',
    'harmonic_least_squares': f'{_ROOM}.harmonic_least_squares:HarmonicLeastSquares',
    'recursive_harmonic_least_squares': (
        f'{_ROOM}.harmonic_least_squares:RecursiveHarmonicLeastSquares'
    ),
}
"""Module and class by name; a module is imported when its method is asked for."""

_DEPRECATED: Mapping[str, str] = {'output_error': 'momentum'}
"""Names of before, and those that took their place."""

DEFAULT = 'momentum'
"""Method that is used where none is named."""


def method_names() -> tuple[str, ...]:
    """Return the names of all methods, those to use before those to compare with."""
    return tuple(_METHODS)


def method_class(name: str) -> type['Method']:
    """Return a method by its name.

    Raises
    ------
    ConfigurationError
        If there is none of that name; lists those there are.
    """
    if name not in _METHODS:
        raise ConfigurationError(f'method: must be one of {", ".join(_METHODS)}, got {name!r}')
    module, _, attribute = _METHODS[name].partition(':')
    return getattr(importlib.import_module(module), attribute)


def register(name: str, target: str) -> None:
    """Add a method, so that node, commands, report and planner know it.

    Parameters
    ----------
    name : str
        Its name.
    target : str
        ``package.module:Class`` of a subclass of ``Method``.
    """
    _METHODS[name] = target


def unregister(name: str) -> None:
    """Take a method out again."""
    _METHODS.pop(name, None)


def current_name(name: str) -> str:
    """Return a method's name, one of before replaced with a deprecation warning."""
    if name not in _DEPRECATED:
        return name
    warnings.warn(
        f'method {name!r} is deprecated: it is called {_DEPRECATED[name]!r}',
        DeprecatedNameWarning,
        stacklevel=2,
    )
    return _DEPRECATED[name]


def method_that_takes(name: str, given: Collection[str]) -> type['Method']:
    """Return a method by its name, if it takes some settings.

    Parameters
    ----------
    name : str
        Name of the method.
    given : collection of str
        Keys of the settings that were given.

    Raises
    ------
    ConfigurationError
        If there is none of that name, or it does not take a setting; names it.
    """
    kind = method_class(name)
    refused = sorted(set(given) - kind.takes)
    if refused:
        raise ConfigurationError(
            f'{", ".join(refused)}: not taken by the method {name}{_takers(refused)}'
        )
    return kind


def _takers(keys: list[str]) -> str:
    """Return a text of which methods take some settings."""
    takers = [name for name in method_names() if set(keys) <= method_class(name).takes]
    return f'; {", ".join(takers)} take{"s" if len(takers) == 1 else ""} it' if takers else ''


def with_tolerances_of(
    model: RobotModel, settings: MethodSettings, takes: Collection[str]
) -> MethodSettings:
    """Return settings with a robot's tolerances, where these are asked for and none are given.

    Parameters
    ----------
    model : RobotModel
        Robot, with its tolerances.
    settings : MethodSettings
        What the method is given; its ``calibrate`` asks.
    takes : collection of str
        Keys of the settings that the method takes.

    Raises
    ------
    ConfigurationError
        If the robot's YAML file gives none.
    """
    if settings.calibration.calibrate != AUTO:
        return settings
    if not model.tolerances:
        raise ConfigurationError(
            f"calibrate: auto needs tolerances in {model.name}'s YAML file, which gives none"
        )
    taken = {key: std for key, std in model.tolerances.items() if key in takes}
    return replace(
        settings,
        calibration=with_tolerances(settings.calibration, taken),
        nuisance=with_tolerances(settings.nuisance, taken),
    )

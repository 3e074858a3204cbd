"""What a method is given: refused where it does not take it, with the robot's tolerances."""

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.methods.calibrations.settings import AUTO, with_tolerances
from spacerobot_id.methods.registry import method_class, method_names
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.model import RobotModel

if TYPE_CHECKING:
    from spacerobot_id.methods.method import Method


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

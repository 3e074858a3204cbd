"""The families of motions by their names: choices of node and commands, and of plan files.

A family is a module with ``make(settings, names, limits, interval, start, cycles)``, which returns
a ``MotionFamily``, and with ``LAYOUT``, how its motions stand in a file; None if another family's
motions are its own.
"""

from enum import Enum
import importlib
from types import ModuleType

from spacerobot_id.exceptions import ConfigurationError

_ROOM = 'spacerobot_id.excitation.family'

_MODULES: dict[str, str] = {
    'cycloids': f'{_ROOM}.cycloid_family',
    'seeds': f'{_ROOM}.seed_family',
    'fourier-quintic': f'{_ROOM}.quintic_family',
    'periodic-fourier': f'{_ROOM}.periodic_family',
}
"""Modules by name, imported when their family is asked for."""


class FamilyName(Enum):
    """Which motions there are to choose from.

    AUTOMATIC stands for cycloids where the robot starts at rest, for Fourier series with a quintic
    where it turns with a known momentum, and for periodic Fourier series of its base's pose.
    """

    AUTOMATIC = 'automatic'
    CYCLOIDS = 'cycloids'
    SEEDS = 'seeds'
    FOURIER_QUINTIC = 'fourier-quintic'
    PERIODIC_FOURIER = 'periodic-fourier'


def family_names() -> tuple[str, ...]:
    """Return the names of all families, and the one that stands for the best."""
    return FamilyName.AUTOMATIC.value, *_MODULES


def family_named(name: str) -> FamilyName | str:
    """Return a family of this package, or the name of another that was registered.

    Raises
    ------
    ConfigurationError
        If there is none of that name; lists those there are.
    """
    if name not in family_names():
        raise ConfigurationError(f'family: must be one of {", ".join(family_names())}')
    known = {each.value for each in FamilyName}
    return FamilyName(name) if name in known else name


def family_module(family: FamilyName | str) -> ModuleType:
    """Return the module of a family, by its name."""
    return importlib.import_module(_MODULES[name_of(family)])


def name_of(family: FamilyName | str) -> str:
    """Return the name of a family."""
    return family.value if isinstance(family, FamilyName) else family


def register_family(name: str, module: str) -> None:
    """Add a family, so that planner, commands and plan files know it.

    Parameters
    ----------
    name : str
        Its name.
    module : str
        Where ``make`` and ``LAYOUT`` are, such as ``package.module``.
    """
    _MODULES[name] = module


def unregister_family(name: str) -> None:
    """Take a family out again."""
    _MODULES.pop(name, None)

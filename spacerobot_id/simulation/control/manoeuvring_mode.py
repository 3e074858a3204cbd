"""The five manoeuvring modes ([Wilde 2018] Table 1): what drives the base, what is conserved."""

from dataclasses import dataclass
from enum import Enum


class Drive(Enum):
    """What moves the base on purpose."""

    NONE = 'nothing'
    WHEELS = 'reaction wheels'
    TORQUE = 'pure torque'
    THRUSTERS = 'thrusters'


@dataclass(frozen=True)
class ModeProperties:
    """A row of the table.

    Parameters
    ----------
    rotation, translation : Drive
        What drives the base's rotation and translation.
    drives_wheels : bool
        Whether the reaction wheels may be driven; they keep their rates if not.
    conserves_linear, conserves_angular : bool
        Whether the linear momentum, and the angular momentum about the system's centre of mass,
        stay as they are.
    """

    rotation: Drive
    translation: Drive
    drives_wheels: bool
    conserves_linear: bool
    conserves_angular: bool

    @property
    def conserved(self) -> str:
        """Description of what is conserved."""
        kinds = (('linear', self.conserves_linear), ('angular', self.conserves_angular))
        kept = ' and '.join(name for name, holds in kinds if holds)
        return f'{kept} momentum conserved' if kept else 'no momentum conserved'


class ManoeuvringMode(Enum):
    """How the base moves ([Wilde 2018], 'Detailed Classification'); joints are driven in all."""

    FLOATING = 'floating'
    ROTATION_FLOATING = 'rotation-floating'
    ROTATION_FLYING = 'rotation-flying'
    TRANSLATION_FLYING = 'translation-flying'
    FLYING = 'flying'

    @property
    def properties(self) -> ModeProperties:
        """What is driven and what is conserved."""
        return _TABLE[self]


_TABLE = {
    ManoeuvringMode.FLOATING: ModeProperties(Drive.NONE, Drive.NONE, False, True, True),
    ManoeuvringMode.ROTATION_FLOATING: ModeProperties(Drive.WHEELS, Drive.NONE, True, True, True),
    ManoeuvringMode.ROTATION_FLYING: ModeProperties(Drive.TORQUE, Drive.NONE, False, True, False),
    ManoeuvringMode.TRANSLATION_FLYING: ModeProperties(
        Drive.WHEELS, Drive.THRUSTERS, True, False, True
    ),
    ManoeuvringMode.FLYING: ModeProperties(Drive.THRUSTERS, Drive.THRUSTERS, False, False, False),
}

MODE_NUMBERS = {mode: number for number, mode in enumerate(ManoeuvringMode)}
"""Numbers by which compiled kernels know the modes."""

FLOATING, ROTATION_FLOATING, ROTATION_FLYING, TRANSLATION_FLYING, FLYING = range(5)

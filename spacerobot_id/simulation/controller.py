"""Settings of the control: the robot it believes in, its gains, and what it holds."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.kernels.tree_arrays import Tree


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


class ControlArrays(NamedTuple):
    """Settings of the control as plain numbers and arrays.

    Parameters
    ----------
    tree : Tree
        Robot as the control believes it to be.
    mode : int
        Mode of manoeuvring.
    holds : bool
        Whether what the mode drives of the base is held where it was.
    is_planar : bool
        Whether a table holds the base in its plane.
    is_open : bool
        Whether joint torques are given, not computed.
    stiffness, damping : ndarray, shape (n + w,)
        Gains ``K_P`` (1/s^2) and ``K_D`` (1/s) of joints, then wheels.
    base_stiffness, base_damping : float
        Gains of the base hold, 1/s^2 and 1/s.
    feed_forward : float
        Share of the accelerations wanted that is fed forward: one or zero.
    joint_torque : ndarray, shape (n,)
        Torques of open control, N m.
    wrench : ndarray, shape (6,)
        Force (N) and torque (N m) asked of the base's drives, in base axes about its origin.
    position : ndarray, shape (3,)
        Position to hold, m.
    rotation : ndarray, shape (3, 3)
        Attitude to hold, from base to inertial axes.
    """

    tree: Tree
    mode: int
    holds: bool
    is_planar: bool
    is_open: bool
    stiffness: NDArray[np.float64]
    damping: NDArray[np.float64]
    base_stiffness: float
    base_damping: float
    feed_forward: float
    joint_torque: NDArray[np.float64]
    wrench: NDArray[np.float64]
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]


@dataclass(frozen=True)
class Gains:
    """Gains of a PD rule in units of acceleration ([Wilde 2018] Eq. 112).

    Parameters
    ----------
    stiffness : float
        ``K_P``, 1/s^2.
    damping : float
        ``K_D``, 1/s.

    Raises
    ------
    ConfigurationError
        If one is below zero, or not finite.
    """

    stiffness: float
    damping: float

    def __post_init__(self) -> None:
        for name, gain in (('K_P', self.stiffness), ('K_D', self.damping)):
            if not 0.0 <= gain < np.inf:
                raise ConfigurationError(f'gains: {name} must be zero or more, got {gain:g}')

    @classmethod
    def critically_damped(cls, stiffness: float) -> 'Gains':
        """Return the gains with ``K_D = 2 sqrt(K_P)`` ([Wilde 2018] Eq. 114)."""
        return cls(stiffness, 2.0 * float(np.sqrt(stiffness)))

    @classmethod
    def from_limits(cls, largest: float, largest_error: float) -> 'Gains':
        """Return the gains that ask for the most at the largest error ([Wilde 2018] Eq. 113).

        Parameters
        ----------
        largest : float
            Largest acceleration asked for, rad/s^2 or m/s^2.
        largest_error : float
            Error at which it is asked for, rad or m.
        """
        return cls.critically_damped(largest / largest_error)


DEFAULT_GAINS = Gains.critically_damped(100.0)
"""Gains of joints and wheels: errors fade within half a second."""

BASE_GAINS = Gains.critically_damped(0.25)
"""Gains of the base hold: a base is heavier than what holds it."""


@dataclass(frozen=True, eq=False)
class Controller:
    """What controls the robot.

    Parameters
    ----------
    model : RobotModel
        Robot as the control knows it; its masses and inertias need not be true.
    joints, wheels, base : Gains
        Gains of the joints, of the wheels' servo and of the base hold.
    holds_base : bool
        Whether what the mode drives of the base is held where it was.
    feeds_forward : bool
        Whether the accelerations wanted of joints and wheels are fed forward; [Wilde 2018]
        Eq. 112 has errors of rates and positions alone.
    """

    model: RobotModel
    joints: Gains = DEFAULT_GAINS
    wheels: Gains = DEFAULT_GAINS
    base: Gains = BASE_GAINS
    holds_base: bool = False
    feeds_forward: bool = True

    def check_fits(self, robot: RobotModel) -> None:
        """Raise ConfigurationError if the model's joints or wheels are not those of a robot."""
        for kind in ('joint_names', 'wheel_names'):
            own, wanted = getattr(self.model, kind), getattr(robot, kind)
            if own != wanted:
                raise ConfigurationError(
                    f'controller: {kind.replace("_", " ")} {", ".join(own) or "none"} are not '
                    f'those of the robot, {", ".join(wanted) or "none"}'
                )

    def stiffness(self) -> NDArray[np.float64]:
        """Return ``K_P`` of joints, then wheels, shape (n + w,)."""
        return self._each(self.joints.stiffness, self.wheels.stiffness)

    def damping(self) -> NDArray[np.float64]:
        """Return ``K_D`` of joints, then wheels, shape (n + w,)."""
        return self._each(self.joints.damping, self.wheels.damping)

    def _each(self, joint: float, wheel: float) -> NDArray[np.float64]:
        return np.repeat([joint, wheel], [len(self.model.joints), len(self.model.wheels)])

"""The YAML file beside a URDF: what URDF cannot hold, wheels and noise among it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import AfterValidator, Discriminator, Field, Tag

from spacerobot_id.model.actuators import Actuators, Thruster
from spacerobot_id.model.description.dh_table import DhTable
from spacerobot_id.model.inertial_parameters import CALIBRATED, TOLERANCES
from spacerobot_id.model.robot_model import Disturbances, SensorNoise
from spacerobot_id.model.sensors import Sensors
from spacerobot_id.settings.kinds import (
    Direction,
    Finite,
    KeyedError,
    keys,
    Maybe,
    NotNegative,
    Number,
    Positive,
    Vector,
)
from spacerobot_id.settings.yaml_file import read_yaml


@dataclass(frozen=True, eq=False, kw_only=True)
class WheelLimits:
    """Limits of a reaction wheel.

    Parameters
    ----------
    max_rate : float, optional
        Largest magnitude of the rate, rad/s.
    max_momentum : float, optional
        Largest magnitude of the momentum, N m s.
    max_torque : float, optional
        Largest magnitude of the torque, N m.
    """

    max_rate: Maybe[Positive] = None
    max_momentum: Maybe[Positive] = None
    max_torque: Maybe[Positive] = None


@dataclass(frozen=True, eq=False, kw_only=True)
class JointWheel(WheelLimits):
    """A wheel that is a joint.

    Parameters
    ----------
    name : str
        Name of the continuous joint of the URDF that the wheel is.
    """

    name: Annotated[str, Field(alias='joint')]


@dataclass(frozen=True, eq=False, kw_only=True)
class OwnWheel(WheelLimits):
    """A wheel of its own.

    Parameters
    ----------
    name : str
        Name of a wheel that is no joint of the URDF.
    link : str, optional
        Name of the link that carries it; the base if None.
    axis : ndarray, shape (3,)
        Direction of the spin axis in that link's axes.
    spin_inertia : float
        Inertia about the axis, kg m^2.
    """

    name: str
    link: Maybe[str] = None
    axis: Direction
    spin_inertia: Positive


def _kind_of_wheel(content: object) -> str:
    is_joint = isinstance(content, Mapping) and 'joint' in content
    return 'a joint' if is_joint else 'of its own'


WheelSettings = Annotated[
    Annotated[JointWheel, Tag('a joint')] | Annotated[OwnWheel, Tag('of its own')],
    Discriminator(_kind_of_wheel),
]
"""A reaction wheel as the file gives it."""

_LIMITS = {
    'lower': (Number, 'Position, rad or m.'),
    'upper': (Number, 'Position, rad or m.'),
    'velocity': (Positive, 'Largest magnitude of the rate, rad/s or m/s.'),
    'acceleration': (Positive, 'Largest magnitude of the acceleration, rad/s^2 or m/s^2.'),
    'effort': (Positive, 'Largest magnitude of torque or force, N m or N.'),
}
GivenLimits = keys('Limits.', _LIMITS)
"""Fields of ``JointLimits`` that stand in place of the URDF's."""


def _unit(unit: str) -> str:
    return 'No unit.' if unit == '1' else f'{unit}.'


_ONE = Annotated[Finite, AfterValidator(lambda value: (value,))]

Tolerances = keys('', {key: (NotNegative, _unit(unit)) for key, unit in TOLERANCES.items()})
"""How far sensors and geometry may be off, by name."""

Calibration = keys(
    '',
    {
        key: (_ONE if size == 1 else Vector, _unit(TOLERANCES[key]))
        for key, size in CALIBRATED.items()
    },
)
"""Known errors of sensors, tuples of one or three numbers, by name."""


def _named_once(thrusters: tuple[Thruster, ...]) -> tuple[Thruster, ...]:
    names = [each.name for each in thrusters]
    for row, name in enumerate(names):
        if name in names[:row]:
            raise KeyedError((row, 'name'), f'duplicate name of a thruster: {name}')
    return thrusters


Thrusters = Annotated[tuple[Thruster, ...], AfterValidator(_named_once)]
"""Thrusters of the base, each of a name of its own."""


@dataclass(frozen=True, eq=False)
class RobotKeys:
    """What a URDF cannot hold.

    Parameters
    ----------
    description : str
        What the robot is, for people.
    free_base : str, optional
        Link that is the base, whatever holds it to a world; None to take it from the URDF.
    wheels : sequence of WheelSettings
        Reaction wheels.
    joint_limits : mapping of str to mapping
        Limits by name of the joint.
    noise : SensorNoise
        Noise of the sensors.
    actuators : Actuators
        Drives in simulation.
    sensors : Sensors
        Sensors in simulation, their white noise apart.
    tolerances : mapping of str to float
        How far sensors and geometry may be off, as standard deviations by name.
    calibration : mapping of str to tuple of float
        Errors of the sensors that are known, by name.
    thrusters : sequence of Thruster
        Thrusters of the base.
    disturbances : Disturbances
        What acts on the robot from outside in simulation.
    dh : DhTable, optional
        Links and joints of a robot without a URDF.
    """

    description: str = ''
    free_base: Maybe[str] = None
    wheels: tuple[WheelSettings, ...] = ()
    joint_limits: Mapping[str, GivenLimits] = field(default_factory=dict)
    noise: SensorNoise = field(default_factory=SensorNoise)
    actuators: Actuators = field(default_factory=Actuators)
    sensors: Sensors = field(default_factory=Sensors)
    tolerances: Tolerances = field(default_factory=dict)
    calibration: Calibration = field(default_factory=dict)
    thrusters: Thrusters = ()
    disturbances: Disturbances = field(default_factory=Disturbances)
    dh: Maybe[DhTable] = None

    def __post_init__(self) -> None:
        for name, stream in self.sensors.streams.items():
            if stream.rate is not None and stream.rate > self.noise.rate:
                raise KeyedError(
                    ('sensors', 'streams', name, 'rate'),
                    f'must not be above the rate of noise, {self.noise.rate:g} Hz',
                )


@dataclass(frozen=True, eq=False)
class RobotSettings(RobotKeys):
    """Contents of a YAML file, and its name in errors, ``source``."""

    source: str = 'no settings'


def read_robot_yaml(text: str, source: str) -> RobotSettings:
    """Return the settings of a robot's YAML file.

    Parameters
    ----------
    text : str
        Text of the file.
    source : str
        File, or another name for it, to be named in errors.

    Returns
    -------
    RobotSettings
        Settings; the links and joints that they name may still be unknown.

    Raises
    ------
    DescriptionError
        If the text is no YAML, or a key is unknown, doubled or has a value that makes no sense.
    """
    return RobotSettings(**vars(read_yaml(RobotKeys, text, source)), source=source)

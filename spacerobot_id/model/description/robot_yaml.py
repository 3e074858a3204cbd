"""Reading the YAML file beside a URDF: what URDF cannot hold, wheels and noise among it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model.actuators import Actuators
from spacerobot_id.model.description.equipment_yaml import (
    read_actuators,
    read_disturbances,
    read_sensors,
)
from spacerobot_id.model.description.yaml_node import parse_yaml, YamlNode
from spacerobot_id.model.disturbances import Disturbances
from spacerobot_id.model.joint import JointLimits
from spacerobot_id.model.robot_model import SensorNoise
from spacerobot_id.model.sensors import Sensors
from spacerobot_id.model.thruster import Thruster
from spacerobot_id.model.tolerances import CALIBRATED, TOLERANCES


@dataclass(frozen=True, eq=False)
class WheelSettings:
    """A reaction wheel as the YAML file names it.

    Parameters
    ----------
    name : str
        Name of the wheel; where ``spin_inertia`` is None, of the continuous joint that it is.
    link : str, optional
        Name of the link that carries it; the base if None.
    axis : ndarray, shape (3,), optional
        Direction of the spin axis in that link's axes.
    spin_inertia : float, optional
        Inertia about the axis, kg m^2.
    max_rate : float, optional
        Largest magnitude of the rate, rad/s.
    max_momentum : float, optional
        Largest magnitude of the momentum, N m s.
    max_torque : float, optional
        Largest magnitude of the torque, N m.
    """

    name: str
    link: str | None = None
    axis: NDArray[np.float64] | None = None
    spin_inertia: float | None = None
    max_rate: float | None = None
    max_momentum: float | None = None
    max_torque: float | None = None

    @property
    def is_joint(self) -> bool:
        """Whether the wheel is a joint of the URDF, which then gives its axis and inertia."""
        return self.spin_inertia is None


@dataclass(frozen=True)
class LimitSettings:
    """Limits of one joint as the YAML file gives them; None where the URDF's stands.

    Parameters
    ----------
    lower, upper : float, optional
        Position, rad or m.
    velocity : float, optional
        Largest magnitude of the rate, rad/s or m/s.
    acceleration : float, optional
        Largest magnitude of the acceleration, rad/s^2 or m/s^2.
    effort : float, optional
        Largest magnitude of torque or force, N m or N.
    """

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    acceleration: float | None = None
    effort: float | None = None

    def override(self, limits: JointLimits) -> JointLimits:
        """Return limits with those of this entry in place of the given ones."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return replace(limits, **{key: value for key, value in given.items() if value is not None})


@dataclass(frozen=True, eq=False)
class RobotSettings:
    """Contents of the YAML file.

    Parameters
    ----------
    source : str
        File, or another name for it.
    description : str
        What the robot is, for people.
    free_base : str, optional
        Link that is the base, whatever holds it to a world; None to take it from the URDF.
    wheels : sequence of WheelSettings
        Reaction wheels.
    joint_limits : mapping of str to LimitSettings
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
    """

    source: str = 'no settings'
    description: str = ''
    wheels: Sequence[WheelSettings] = ()
    joint_limits: Mapping[str, LimitSettings] = field(default_factory=dict)
    noise: SensorNoise = field(default_factory=SensorNoise)
    actuators: Actuators = field(default_factory=Actuators)
    sensors: Sensors = field(default_factory=Sensors)
    tolerances: Mapping[str, float] = field(default_factory=dict)
    calibration: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    thrusters: Sequence[Thruster] = ()
    disturbances: Disturbances = field(default_factory=Disturbances)
    free_base: str | None = None


_KEYS = (
    'description',
    'free_base',
    'wheels',
    'joint_limits',
    'noise',
    'actuators',
    'sensors',
    'tolerances',
    'calibration',
    'thrusters',
    'disturbances',
)
_WHEEL_LIMITS = ('max_rate', 'max_momentum', 'max_torque')
_JOINT_WHEEL = ('joint', *_WHEEL_LIMITS)
_OWN_WHEEL = ('name', 'link', 'axis', 'spin_inertia', *_WHEEL_LIMITS)
_THRUSTER = ('name', 'position', 'direction', 'strength')
_LIMITS = tuple(each.name for each in fields(LimitSettings))
_NOISE = tuple(each.name for each in fields(SensorNoise))


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
    top = parse_yaml(text, source).mapping(_KEYS)
    wheels = top['wheels'].sequence() if 'wheels' in top else []
    limits = top['joint_limits'].mapping() if 'joint_limits' in top else {}
    noise = read_noise(top['noise']) if 'noise' in top else SensorNoise()
    return RobotSettings(
        source,
        top['description'].string() if 'description' in top else '',
        [_read_wheel(wheel) for wheel in wheels],
        {joint: _read_limits(entry) for joint, entry in limits.items()},
        noise,
        read_actuators(top['actuators']) if 'actuators' in top else Actuators(),
        read_sensors(top['sensors'], noise.rate) if 'sensors' in top else Sensors(),
        _read_tolerances(top['tolerances']) if 'tolerances' in top else {},
        _read_calibration(top['calibration']) if 'calibration' in top else {},
        read_thrusters(top['thrusters']) if 'thrusters' in top else (),
        read_disturbances(top['disturbances']) if 'disturbances' in top else Disturbances(),
        top['free_base'].string() if 'free_base' in top else None,
    )


def _read_wheel(node: YamlNode) -> WheelSettings:
    is_joint = 'joint' in node.mapping()
    entries = node.mapping(_JOINT_WHEEL if is_joint else _OWN_WHEEL)
    limits = {key: entries[key].positive() for key in _WHEEL_LIMITS if key in entries}
    if is_joint:
        return WheelSettings(entries['joint'].string(), **limits)
    axis, spin_inertia = node.require('axis').vector(), node.require('spin_inertia').positive()
    if not axis.any():
        raise entries['axis'].place.error('an axis needs a direction')
    link = entries['link'].string() if 'link' in entries else None
    return WheelSettings(node.require('name').string(), link, axis, spin_inertia, **limits)


def _read_limits(node: YamlNode) -> LimitSettings:
    entries = node.mapping(_LIMITS)
    positions = {key: entries[key].number() for key in ('lower', 'upper') if key in entries}
    magnitudes = {key: entries[key].positive() for key in _LIMITS[2:] if key in entries}
    return LimitSettings(**positions, **magnitudes)


def _read_tolerances(node: YamlNode) -> dict[str, float]:
    entries = node.mapping(tuple(TOLERANCES))
    _check_not_negative(entries)
    return {key: entry.number() for key, entry in entries.items()}


def _read_calibration(node: YamlNode) -> dict[str, tuple[float, ...]]:
    entries = node.mapping(tuple(CALIBRATED))
    return {
        key: (entry.finite(),) if CALIBRATED[key] == 1 else tuple(entry.vector().tolist())
        for key, entry in entries.items()
    }


def read_thrusters(node: YamlNode) -> tuple[Thruster, ...]:
    """Return the thrusters that a list of places, directions and strengths gives."""
    found: list[Thruster] = []
    for entry in node.sequence():
        entry.mapping(_THRUSTER)
        name, direction = entry.require('name'), entry.require('direction').vector()
        if name.string() in [each.name for each in found]:
            raise name.place.error(f'is the name of two thrusters: {name.value}')
        if not direction.any():
            raise entry.require('direction').place.error('a direction must not be zero')
        found.append(
            Thruster(
                name.string(),
                entry.require('position').vector(),
                direction / np.linalg.norm(direction),
                _finite_positive(entry.require('strength')),
            )
        )
    return tuple(found)


def _finite_positive(node: YamlNode) -> float:
    node.finite()
    return node.positive()


def _check_not_negative(entries: Mapping[str, YamlNode]) -> None:
    for entry in entries.values():
        if entry.finite() < 0.0:
            raise entry.place.error(f'must not be negative, got {entry.value}')


def read_noise(node: YamlNode) -> SensorNoise:
    """Return the noise that the key ``noise`` gives."""
    entries = node.mapping(_NOISE)
    _check_not_negative(entries)
    if 'rate' in entries:
        entries['rate'].positive()
    return SensorNoise(**{key: entry.number() for key, entry in entries.items()})

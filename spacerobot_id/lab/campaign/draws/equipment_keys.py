"""Sensors, drives and disturbances of a robot by their keys: read, set, and checked."""

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass, replace

import numpy as np

from spacerobot_id.exceptions import ConfigurationError, DescriptionError
from spacerobot_id.flight.recording import Grasp
from spacerobot_id.lab.campaign.draws.dispersions import RunSetting, Start
from spacerobot_id.lab.campaign.draws.key_names import AXES, EQUIPMENT, vector_values, vector_with
from spacerobot_id.lab.campaign.draws.robot_keys import of_names
from spacerobot_id.lab.faults import Occurrence
from spacerobot_id.measurement.adapters.adapter_yaml import UNITS
from spacerobot_id.model import InertialParameters, JointFriction, RobotModel, StreamSettings
from spacerobot_id.model.description.robot_writer import changed
from spacerobot_id.model.description.robot_yaml import RobotKeys
from spacerobot_id.settings.yaml_file import checked
from spacerobot_id.simulation import Payload


def start_values(start: Start, robot: RobotModel) -> dict[str, float]:
    """Return joint positions, momenta and attitude."""
    values = {
        f'start.joints.{name}': float(value)
        for name, value in zip(robot.joint_names, start.joints, strict=True)
    }
    for key in ('angular_momentum', 'linear_momentum', 'attitude'):
        values |= vector_values(f'start.{key}', getattr(start, key))
    return values


def with_start(start: Start, robot: RobotModel, values: Mapping[str, float]) -> Start:
    """Return a start with what is drawn of it."""
    joints = tuple(
        values.get(f'joints.{name}', value)
        for name, value in zip(robot.joint_names, start.joints, strict=True)
    )
    vectors = {
        key: vector_with(getattr(start, key), key, values)
        for key in ('angular_momentum', 'linear_momentum', 'attitude')
    }
    return Start(joints, **vectors)


def grasp_values(setting: RunSetting) -> dict[str, float]:
    """Return when a body is grasped, its mass and its centre of mass; nothing without one."""
    if setting.grasp is None:
        return {}
    body = setting.grasp.payload.body
    values = {'grasp.time': setting.grasp.time, 'grasp.mass': body.mass}
    return values | vector_values('grasp.com', body.com)


def with_grasp(nominal: RunSetting, values: Mapping[str, float]) -> Grasp | None:
    """Return the grasp with what is drawn of it.

    Raises
    ------
    ConfigurationError
        If its mass is not above zero.
    """
    grasp = nominal.grasp
    if grasp is None or not values:
        return grasp
    body = grasp.payload.body
    mass = values.get('mass', body.mass)
    com = vector_with(tuple(body.com), 'com', values)
    if mass <= 0.0:
        raise ConfigurationError(f'drawn: grasp.mass: must be above zero, got {mass:g}')
    body = InertialParameters.from_com(mass, com, body.inertia_about_com * (mass / body.mass))
    payload = Payload(grasp.payload.link, body)
    return replace(grasp, payload=payload, time=values.get('time', grasp.time))


def fault_values(faults: Mapping[str, Occurrence]) -> dict[str, float]:
    """Return when faults happen, to which share of messages, and their sizes if these show."""
    values = {}
    for name, each in faults.items():
        size = each.fault.size
        sized = ('size',) if size is not None and size.read is not None else ()
        for key in ('begin', 'duration', 'share', *sized):
            values[f'faults.{name}.{key}'] = getattr(each, key)
    return values


def with_faults(nominal: RunSetting, values: Mapping[str, float]) -> dict[str, Occurrence]:
    """Return the faults with what is drawn of them.

    Raises
    ------
    ConfigurationError
        If a share is no share.
    """
    of_faults = of_names(values, list(nominal.faults))
    for name, given in of_faults.items():
        if not 0.0 <= given.get('share', 0.0) <= 1.0:
            raise ConfigurationError(
                f'drawn: faults.{name}.share: must be 0 to 1, got {given["share"]:g}'
            )
    return {
        name: replace(fault, **of_faults.get(name, {})) for name, fault in nominal.faults.items()
    }


_OTHERS = {'1': 1.0, '%': 1e-2, 'mrad': 1e-3, 'Hz': 1.0, 'kHz': 1e3, 'um': 1e-6}

_ALIKE = (
    ('m', 'cm', 'mm', 'um'),
    ('rad', 'mrad', 'deg'),
    ('m/s', 'mm/s'),
    ('rad/s', 'deg/s', 'rpm'),
    ('N', 'mN'),
    ('N m', 'mN m'),
    ('kg', 'g'),
    ('kg m^2', 'kg cm^2', 'kg mm^2'),
    ('s', 'ms', 'us', 'ns'),
    ('Hz', 'kHz'),
    ('1', '%'),
)
"""Units that one can be given in place of another, the SI unit first."""


def names_of(unit: str) -> tuple[str, ...]:
    """Return the units that a quantity of an SI unit can be given in."""
    return next((each for each in _ALIKE if each[0] == unit), (unit,))


def factor_of(name: str, wanted: str) -> float:
    """Return what one of a unit is in an SI unit of the same quantity."""
    return 1.0 if name == wanted else (UNITS | _OTHERS)[name]


EQUIPMENT_PARTS = ('noise', 'sensors', 'actuators', 'disturbances')

_ABSENT = {'streams': StreamSettings(), 'friction': JointFriction(), 'direction': (0.0, 0.0, 0.0)}
"""What stands for an entry of a mapping that is not there; a number of zero for others."""

_NAMED = ('JOINT', 'THRUSTER')


def path_of(name: str) -> tuple[str, ...]:
    """Return the way to a value of the equipment; names of joints and thrusters may have dots."""
    parts = name.split('.')
    for pattern in EQUIPMENT:
        wanted = pattern.split('.')
        named = next((k for k, part in enumerate(wanted) if part in _NAMED), None)
        if named is None or wanted[:named] != parts[:named]:
            continue
        after = len(wanted) - named - 1
        end = len(parts) - after
        tail = wanted[named + 1 :]
        if all(want in (part, 'AXIS') for want, part in zip(tail, parts[end:], strict=True)):
            return (*parts[:named], '.'.join(parts[named:end]), *parts[end:])
    return tuple(parts)


def value_at(owner: object, path: Sequence[str]) -> float:
    """Return a number of nested settings; NaN where there is none."""
    robot, before = owner, ''
    for part in path:
        if is_dataclass(owner):
            owner = getattr(owner, part)
        elif isinstance(owner, Mapping):
            owner = owner.get(part, _ABSENT.get(before, 0.0))
        else:
            owner = owner[AXES.index(part)]
        before = part
    if owner is None:
        return robot.noise.rate if path[-1] == 'rate' else np.nan
    return float(owner)


def with_value(owner: object, path: Sequence[str], value: float, before: str = '') -> object:
    """Return nested settings with one number changed."""
    if not path:
        return value
    part, *rest = path
    if is_dataclass(owner):
        inner = getattr(owner, part)
        return replace(owner, **{part: with_value(inner, rest, value, part)})
    if isinstance(owner, Mapping):
        inner = owner.get(part, _ABSENT.get(before, 0.0))
        return {**owner, part: with_value(inner, rest, value, part)}
    return tuple(value if axis == part else owner[k] for k, axis in enumerate(AXES))


def check_equipment(robot: RobotModel) -> None:
    """Raise ConfigurationError if a robot has equipment that no YAML file could give it."""
    content = {part: changed(getattr(robot, part)) for part in EQUIPMENT_PARTS}
    try:
        checked(RobotKeys, content, 'drawn')
    except DescriptionError as error:
        raise ConfigurationError(str(error)) from None

"""Sensors, drives and disturbances of a robot by their keys: read, set, and checked."""

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass, replace

import numpy as np

from spacerobot_id.exceptions import ConfigurationError, DescriptionError
from spacerobot_id.lab.campaign.draws.key_names import AXES, EQUIPMENT
from spacerobot_id.model import JointFriction, RobotModel, StreamSettings
from spacerobot_id.model.description.robot_writer import changed
from spacerobot_id.model.description.robot_yaml import RobotKeys
from spacerobot_id.settings.yaml_file import checked

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

"""Everything that can be drawn, by its key: its unit, how it is set, and how it is read back.

A key is read from the objects that a run was flown with in the same way as from those of the
campaign file, so that what was really drawn can be held against what was asked.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import ConfigurationError, DescriptionError
from spacerobot_id.flight.recording import Grasp
from spacerobot_id.lab.campaign.draws.dispersions import RunSetting
from spacerobot_id.lab.campaign.draws.distributions import body_values, link_with
from spacerobot_id.lab.campaign.draws.key_names import (
    AXES,
    DRAWN,
    units_of,
    vector_values,
)
from spacerobot_id.lab.faults import SENSORS, tolerances
from spacerobot_id.methods.calibrations.joint_geometry import JointAxis, JointOrigin
from spacerobot_id.model import InertialParameters, JointFriction, RobotModel, StreamSettings
from spacerobot_id.model.description.robot_writer import changed
from spacerobot_id.model.description.robot_yaml import RobotKeys
from spacerobot_id.settings.yaml_file import checked
from spacerobot_id.simulation import Payload

_EQUIPMENT = ('noise', 'sensors', 'actuators', 'disturbances')
"""Sensors, drives and disturbances of a robot."""

_NESTED = (*_EQUIPMENT, 'start', 'faults')
"""Keys that are the way to a number of nested settings."""

_ROUNDING = 1e-7
"""How far a value that is read back may be from the drawn one, as a share of it or of one unit."""

_COMMANDS = 1.0
"""Commands of thrusters and wrenches per second that are counted on."""


@dataclass(frozen=True)
class Key:
    """Something that can be drawn.

    Parameters
    ----------
    name : str
        Its key.
    unit : str
        SI unit.
    nominal : float
        Its value by the campaign file.
    tolerance : float
        How far what is read back may be from what was drawn.
    """

    name: str
    unit: str
    nominal: float
    tolerance: float = _ROUNDING

    def is_at(self, drawn: float, read: float) -> bool:
        """Return whether a value that was read back is the drawn one."""
        return bool(abs(read - drawn) <= self.tolerance * max(1.0, abs(drawn)))


def known_keys(setting: RunSetting) -> dict[str, Key]:
    """Return everything that can be drawn of a nominal run, by name."""
    units = dict(units_of(setting))
    values = values_of(setting, setting)
    found = {}
    for name, unit in units.items():
        if name in values:
            found[name] = Key(name, unit, values[name], _tolerance(name, setting))
    return found


def _tolerance(name: str, setting: RunSetting) -> float:
    """Return how far what is read back may be from what was drawn."""
    kind, *rest = name.split('.')
    if kind != 'faults':
        return _ROUNDING
    fault = setting.faults['.'.join(rest[:-1])]
    robot = setting.robot
    rates = [
        robot.sensors.stream(topic).rate or robot.noise.rate
        for topic, reading in SENSORS.items()
        if reading in fault.kinds
    ]
    return tolerances(fault, sum(rates) or _COMMANDS)[rest[-1]]


def values_of(
    setting: RunSetting, nominal: RunSetting, wanted: Collection[str] | None = None
) -> dict[str, float]:
    """Return the values of keys that a run has; shapes and tilts are relative to the nominal.

    Parameters
    ----------
    setting : RunSetting
        What is read.
    nominal : RunSetting
        The same by the campaign file.
    wanted : collection of str, optional
        Keys to read; all by default.
    """
    values = _tree_values(setting.robot, nominal.robot, wanted) | _grasp_values(setting)
    names = [name for name, _ in units_of(nominal)] if wanted is None else wanted
    for name in names:
        if name.partition('.')[0] in _NESTED:
            values[name] = _value_at(setting, _path_of(name))
    return values if wanted is None else {name: values[name] for name in wanted if name in values}


def setting_with(nominal: RunSetting, drawn: Mapping[str, float]) -> RunSetting:
    """Return what a run is flown with: the nominal one with values drawn by key.

    Raises
    ------
    ConfigurationError
        If what is drawn cannot be; names the key, and why.
    """
    of_kind: dict[str, dict[str, float]] = {}
    for name, value in drawn.items():
        kind, _, rest = name.partition('.')
        of_kind.setdefault(kind, {})[rest] = value
    robot = _with_links(nominal.robot, of_kind.get('links', {}))
    robot = _with_wheels(robot, of_kind.get('wheels', {}))
    robot = _with_joints(robot, of_kind.get('joints', {}))
    setting = replace(nominal, robot=robot, grasp=_with_grasp(nominal, of_kind.get('grasp', {})))
    for name, value in drawn.items():
        if name.partition('.')[0] in _NESTED:
            setting = _with_value(setting, _path_of(name), value)
    if any(kind in of_kind for kind in _EQUIPMENT):
        _check_equipment(setting.robot)
    for name, fault in setting.faults.items():
        if not 0.0 <= fault.share <= 1.0:
            raise ConfigurationError(
                f'drawn: faults.{name}.share: must be 0 to 1, got {fault.share:g}'
            )
    return setting


def _grasp_values(setting: RunSetting) -> dict[str, float]:
    """Return when a body is grasped, its mass and its centre of mass; nothing without one."""
    if setting.grasp is None:
        return {}
    body = setting.grasp.payload.body
    values = {'grasp.time': setting.grasp.time, 'grasp.mass': body.mass}
    return values | vector_values('grasp.com', body.com)


def _with_grasp(nominal: RunSetting, values: Mapping[str, float]) -> Grasp | None:
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
    com = tuple(values.get(f'com.{axis}', body.com[k]) for k, axis in enumerate(AXES))
    if mass <= 0.0:
        raise ConfigurationError(f'drawn: grasp.mass: must be above zero, got {mass:g}')
    body = InertialParameters.from_com(mass, com, body.inertia_about_com * (mass / body.mass))
    payload = Payload(grasp.payload.link, body)
    return replace(grasp, payload=payload, time=values.get('time', grasp.time))


_ABSENT = {'streams': StreamSettings(), 'friction': JointFriction(), 'direction': (0.0, 0.0, 0.0)}
"""What stands for an entry of a mapping that is not there; a number of zero for others."""

_NAMED = ('JOINT', 'THRUSTER', 'FAULT')


def _path_of(name: str) -> tuple[str, ...]:
    """Return the way to a value of a run; names of joints, thrusters and faults may have dots."""
    parts = name.split('.')
    owner = ('robot',) * (parts[0] in _EQUIPMENT)
    for pattern in DRAWN:
        wanted = pattern.split('.')
        named = next((k for k, part in enumerate(wanted) if part in _NAMED), None)
        if named is None or wanted[:named] != parts[:named]:
            continue
        after = len(wanted) - named - 1
        end = len(parts) - after
        tail = wanted[named + 1 :]
        if all(want in (part, 'AXIS') for want, part in zip(tail, parts[end:], strict=True)):
            return (*owner, *parts[:named], '.'.join(parts[named:end]), *parts[end:])
    return (*owner, *parts)


def _value_at(setting: RunSetting, path: Sequence[str]) -> float:
    """Return a number of nested settings; NaN where there is none."""
    owner: object = setting
    before = ''
    for part in path:
        if is_dataclass(owner):
            owner = getattr(owner, part)
        elif isinstance(owner, Mapping):
            owner = owner.get(part, _ABSENT.get(before, 0.0))
        else:
            owner = owner[AXES.index(part)]
        before = part
    if owner is None:
        return setting.robot.noise.rate if path[-1] == 'rate' else np.nan
    return float(owner)


def _with_value(owner: object, path: Sequence[str], value: float, before: str = '') -> object:
    """Return nested settings with one number changed."""
    if not path:
        return value
    part, *rest = path
    if is_dataclass(owner):
        inner = getattr(owner, part)
        return replace(owner, **{part: _with_value(inner, rest, value, part)})
    if isinstance(owner, Mapping):
        inner = owner.get(part, _ABSENT.get(before, 0.0))
        return {**owner, part: _with_value(inner, rest, value, part)}
    return tuple(value if axis == part else owner[k] for k, axis in enumerate(AXES))


def _check_equipment(robot: RobotModel) -> None:
    """Raise ConfigurationError if a robot has equipment that no YAML file could give it."""
    content = {part: changed(getattr(robot, part)) for part in _EQUIPMENT}
    try:
        checked(RobotKeys, content, 'drawn')
    except DescriptionError as error:
        raise ConfigurationError(str(error)) from None


def _tree_values(
    robot: RobotModel, described: RobotModel, wanted: Collection[str] | None
) -> dict[str, float]:
    """Return the values of links, wheels and joints."""
    values: dict[str, float] = {}
    for link, before in zip(robot.links, described.links, strict=True):
        prefix = f'links.{link.name}.'
        if wanted is None or any(name.startswith(prefix) for name in wanted):
            of_link = body_values(link, before)
            values |= {f'{prefix}{key}': value for key, value in of_link.items()}
    for wheel, before in zip(robot.wheels, described.wheels, strict=True):
        tilt = _tilt_of(before.axis, wheel.axis)
        values[f'wheels.{wheel.name}.spin_inertia'] = wheel.spin_inertia
        values |= {f'wheels.{wheel.name}.tilt.{k + 1}': float(tilt[k]) for k in range(2)}
    for joint, before in zip(robot.tree_joints, described.tree_joints, strict=True):
        turned = Rotation.from_matrix(before.R_PC.T @ joint.R_PC).as_rotvec()
        values |= vector_values(f'joints.{joint.name}.origin', joint.p_PC_P)
        values |= {
            f'joints.{joint.name}.tilt.{axis}': float(turned[k]) for k, axis in enumerate('xy')
        }
    return values


def _with_links(robot: RobotModel, values: Mapping[str, float]) -> RobotModel:
    """Return a robot with links that are drawn.

    Raises
    ------
    ConfigurationError
        If there can be no such robot; names the key.
    """
    of_links = _of_names(values, robot.link_names)
    links = []
    for link in robot.links:
        try:
            links.append(link_with(link, of_links[link.name]) if link.name in of_links else link)
        except ValueError as error:
            raise ConfigurationError(f'drawn: links.{link.name}: {error}') from None
    return replace(robot, links=links) if of_links else robot


def _with_wheels(robot: RobotModel, values: Mapping[str, float]) -> RobotModel:
    """Return a robot with wheels that are drawn.

    Raises
    ------
    ConfigurationError
        If there can be no such robot; names the key.
    """
    of_wheels = _of_names(values, robot.wheel_names)
    wheels = []
    for wheel in robot.wheels:
        given = of_wheels.get(wheel.name, {})
        spin = given.get('spin_inertia', wheel.spin_inertia)
        if spin <= 0.0:
            raise ConfigurationError(
                f'drawn: wheels.{wheel.name}.spin_inertia: must be above zero, got {spin:g}'
            )
        tilt = np.array([given.get('tilt.1', 0.0), given.get('tilt.2', 0.0)])
        turn = Rotation.from_rotvec(tilt @ _across(wheel.axis))
        wheels.append(replace(wheel, spin_inertia=spin, axis=turn.apply(wheel.axis)))
    return replace(robot, wheels=wheels) if of_wheels else robot


def _with_joints(robot: RobotModel, values: Mapping[str, float]) -> RobotModel:
    """Return a robot with joints whose places and axes are drawn."""
    of_joints = _of_names(values, [joint.name for joint in robot.tree_joints])
    if not of_joints:
        return robot
    tilts, moves = [], []
    for joint in robot.tree_joints:
        given = of_joints.get(joint.name, {})
        tilts += [given.get(f'tilt.{axis}', 0.0) for axis in 'xy']
        moves += [
            given.get(f'origin.{axis}', joint.p_PC_P[k]) - joint.p_PC_P[k]
            for k, axis in enumerate(AXES)
        ]
    robot = JointOrigin(0.0).robot(robot, np.array(moves))
    return JointAxis(0.0).robot(robot, np.array(tilts))


def _of_names(values: Mapping[str, float], names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return values by name and by what follows it; names may have dots."""
    found: dict[str, dict[str, float]] = {}
    for key, value in values.items():
        name = max((each for each in names if key.startswith(f'{each}.')), key=len)
        found.setdefault(name, {})[key[len(name) + 1 :]] = value
    return found


def _across(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return two unit vectors across an axis, shape (2, 3)."""
    return np.linalg.svd(axis[None])[2][1:]


def _tilt_of(before: NDArray[np.float64], axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the tilt that carries one axis to another, about the two axes across it, rad."""
    about = np.cross(before, axis)
    sine = np.linalg.norm(about)
    angle = np.arctan2(sine, before @ axis)
    return _across(before) @ (about * (angle / sine if sine else 1.0))

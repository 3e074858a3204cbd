"""Everything that can be drawn, by its key: its unit, how it is set, and how it is read back.

A key is read from the objects that a run was flown with in the same way as from those of the
campaign file, so that what was really drawn can be held against what was asked.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.campaign.draws.bodies import body_values, FIELDS, link_with
from spacerobot_id.campaign.draws.faults import FAULTS, tolerances
from spacerobot_id.campaign.draws.setting import RunSetting, Start
from spacerobot_id.exceptions import ConfigurationError, DescriptionError
from spacerobot_id.methods.calibrations.joint_geometry import JointAxis, JointOrigin
from spacerobot_id.model import (
    InertialParameters,
    JointFriction,
    JointType,
    RobotModel,
    STREAMS,
    StreamSettings,
)
from spacerobot_id.model.description.equipment_yaml import (
    actuators_content,
    disturbances_content,
    read_actuators,
    read_disturbances,
    read_sensors,
    sensors_content,
)
from spacerobot_id.model.description.robot_yaml import read_noise
from spacerobot_id.model.description.yaml_node import outermost_node
from spacerobot_id.model.disturbances import MONOMIALS
from spacerobot_id.simulation import Payload

AXES = ('x', 'y', 'z')

_STREAM = {
    'rate': ('Hz', 'rate of a stream'),
    'latency': ('s', 'time from stamp to arrival'),
    'dropout': ('1', 'share of messages that never come'),
    'delay': ('s', 'stamp less the time that a reading is of'),
    'outliers': ('1', 'share of readings that are far off'),
    'outlier_size': ('1', 'how far off these are, in standard deviations'),
    'stamp_step': ('s', 'step that stamps are rounded up to'),
}

EQUIPMENT: Mapping[str, tuple[str, str]] = {
    'noise.joint_position': ('rad', 'noise of joint positions'),
    'noise.joint_rate': ('rad/s', 'noise of joint rates'),
    'noise.base_angular_velocity': ('rad/s', 'noise of the gyro'),
    'noise.base_linear_velocity': ('m/s', 'noise of the base velocity'),
    'noise.base_position': ('m', 'noise of the base position'),
    'noise.base_attitude': ('rad', 'noise of the base attitude'),
    'noise.rate': ('Hz', 'rate of all streams that have none of their own'),
    'sensors.encoder_resolution': ('rad', 'step of encoders'),
    'sensors.gyro_bias': ('rad/s', 'bias of the gyro at the start, on each axis'),
    'sensors.gyro_bias_walk': ('rad/s/s^0.5', 'random walk of that bias'),
    'sensors.accelerometer': ('m/s^2', 'noise of the accelerometer'),
    'sensors.encoder_offset.JOINT': ('rad', 'offset of an encoder (m for prismatic joints)'),
    'sensors.gyro_mounting.AXIS': ('rad', 'mounting of the gyro, rotation vector'),
    'sensors.gyro_scale.AXIS': ('1', 'scale error of the gyro'),
    'sensors.twist_point.AXIS': ('m', 'place whose velocity is measured'),
    'sensors.twist_mounting.AXIS': ('rad', 'axes of the velocity, rotation vector'),
    'sensors.twist_scale.AXIS': ('1', 'scale error of the velocity'),
    'sensors.pose_point.AXIS': ('m', 'place whose position is measured'),
    'sensors.pose_mounting.AXIS': ('rad', 'axes of the attitude, rotation vector'),
    **{f'sensors.streams.STREAM.{key}': said for key, said in _STREAM.items()},
    'actuators.friction.JOINT.viscous': ('N m s/rad', 'viscous friction of a joint'),
    'actuators.friction.JOINT.coulomb': ('N m', 'dry friction of a joint'),
    'actuators.thrusters.max_force': ('N', 'largest force along each base axis'),
    'actuators.thrusters.max_torque': ('N m', 'largest torque about each base axis'),
    'actuators.thrusters.min_impulse': ('N s', 'smallest impulse of a pulse'),
    'actuators.thrusters.min_angular_impulse': ('N m s', 'smallest angular impulse of a pulse'),
    'actuators.valves.strength.THRUSTER': ('1', 'error of the strength of a thruster'),
    'actuators.valves.direction.THRUSTER.AXIS': ('rad', 'error of its direction'),
    'actuators.valves.strength_loss': ('1', 'strength lost for every further open valve'),
    'actuators.valves.dead_time': ('s', 'time by which pulses begin late'),
    'actuators.valves.delay': ('s', 'time by which commands act late'),
    'actuators.valves.scatter': ('1', 'scatter of the strength from pulse to pulse'),
    'disturbances.force.AXIS': ('N', 'constant force on the robot'),
    'disturbances.torque.AXIS': ('N m', 'constant torque on the robot'),
    'disturbances.drag': ('1/s', 'force against the momentum, over it'),
    'disturbances.table.MONOMIAL': ('1', 'term of the height of the table, m per m to the order'),
}
"""Unit and meaning of what a robot's YAML file has, by patterns: names stand for capitals."""

OTHERS: Mapping[str, tuple[str, str]] = {
    'links.LINK.mass': ('kg', 'mass of a link; first moment and inertia grow with it'),
    'links.LINK.com.AXIS': ('m', 'its centre of mass, the inertia about it the same'),
    'links.LINK.shape.SHAPE': (
        '1',
        'how its mass lies about that: stretch_x, stretch_y, stretch_z as logarithms, shear_xy, '
        'shear_xz, shear_yz; any are a body that can exist',
    ),
    'wheels.WHEEL.spin_inertia': ('kg m^2', 'spin inertia of a wheel'),
    'wheels.WHEEL.tilt.1|2': ('rad', 'tilt of its axis about two axes across it'),
    'joints.JOINT.origin.AXIS': ('m', 'origin of a joint in the frame of its parent'),
    'joints.JOINT.tilt.x|y': ('rad', 'tilt of its axis about the x and y axes of its frame'),
    'start.joints.JOINT': ('rad', 'joint position at the start (m for prismatic joints)'),
    'start.angular_momentum.AXIS': ('N m s', 'angular momentum about the centre of mass'),
    'start.linear_momentum.AXIS': ('N s', 'linear momentum'),
    'start.attitude.AXIS': ('rad', 'attitude of the base, rotation vector'),
    'grasp.time': ('s', 'moment of the grasp after the motion begins'),
    'grasp.mass': ('kg', 'mass of the payload; its inertia grows with it'),
    'grasp.com.AXIS': ('m', 'its centre of mass in the frame of the link'),
    'faults.FAULT.begin': ('s', 'beginning of a fault after that of the motion'),
    'faults.FAULT.duration': ('s', 'its duration'),
    'faults.FAULT.share': ('1', 'share of the messages within that time that it hits'),
    'faults.FAULT.size': ('s', 'its size, where it has one'),
}
"""The same of all else that can be drawn."""

_ABSENT = {'streams': StreamSettings(), 'friction': JointFriction(), 'direction': (0.0, 0.0, 0.0)}
"""What stands for an entry of a mapping that is not there; a number of zero for others."""

_ROUNDING = 1e-7
"""How far a value that is read back may be from the drawn one, as a share of it or of one unit."""


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
    units = dict(_units(setting))
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
    rate = setting.robot.sensors.stream(fault.stream).rate or setting.robot.noise.rate
    return tolerances(fault, rate)[rest[-1]]


def _units(setting: RunSetting) -> Iterator[tuple[str, str]]:
    """Yield names and units of all keys."""
    robot = setting.robot
    prismatic = {joint.name for joint in robot.tree_joints if joint.type is JointType.PRISMATIC}
    names: dict[str, Sequence[str]] = {
        'LINK': robot.link_names,
        'JOINT': robot.joint_names,
        'WHEEL': robot.wheel_names,
        'THRUSTER': [each.name for each in robot.thrusters],
        'FAULT': list(setting.faults),
        'STREAM': STREAMS,
        'AXIS': AXES,
        'MONOMIAL': MONOMIALS,
        'SHAPE': [key.partition('.')[2] for key in FIELDS if key.startswith('shape.')],
        '1|2': ('1', '2'),
        'x|y': ('x', 'y'),
    }
    for pattern, (unit, _) in (EQUIPMENT | OTHERS).items():
        for name in _expanded(pattern, names):
            slides = 'JOINT' in pattern and any(f'.{each}' in name for each in prismatic)
            yield name, unit.replace('N m', 'N').replace('rad', 'm') if slides else unit


def _expanded(pattern: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a pattern with all names in place of its capitals."""
    for part in pattern.split('.'):
        if part in names:
            begin, end = pattern.split(part, 1)
            return [
                each for name in names[part] for each in _expanded(f'{begin}{name}{end}', names)
            ]
    return [pattern]


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
    values = _tree_values(setting.robot, nominal.robot, wanted)
    values |= _start_values(setting.start, setting.robot)
    values |= _grasp_values(setting)
    for name, fault in setting.faults.items():
        sized = ('size',) if FAULTS[fault.kind].has_size else ()
        for key in ('begin', 'duration', 'share', *sized):
            values[f'faults.{name}.{key}'] = getattr(fault, key)
    names = [name for name, _ in _units(nominal)] if wanted is None else wanted
    for name in names:
        if name.split('.')[0] in _EQUIPMENT_PARTS:
            values[name] = _read(setting.robot, _path(name))
    return values if wanted is None else {name: values[name] for name in wanted if name in values}


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
        values |= _vector(f'joints.{joint.name}.origin', joint.p_PC_P)
        values |= {f'joints.{joint.name}.tilt.{axis}': float(turned[k]) for k, axis in _XY}
    return values


_XY = tuple(enumerate('xy'))
_EQUIPMENT_PARTS = ('noise', 'sensors', 'actuators', 'disturbances')


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
    for name, value in drawn.items():
        if name.split('.')[0] in _EQUIPMENT_PARTS:
            robot = _written(robot, _path(name), value)
    if any(kind in of_kind for kind in _EQUIPMENT_PARTS):
        _check_equipment(robot)
    return RunSetting(
        robot,
        _with_start(nominal.start, robot, of_kind.get('start', {})),
        _with_grasp(nominal, of_kind.get('grasp', {})),
        _with_faults(nominal, of_kind.get('faults', {})),
    )


def _check_equipment(robot: RobotModel) -> None:
    """Raise ConfigurationError if a robot has equipment that no YAML file could give it."""
    content = {
        'noise': asdict(robot.noise),
        'actuators': actuators_content(robot.actuators),
        'sensors': sensors_content(robot.sensors),
        'disturbances': disturbances_content(robot.disturbances),
    }
    nodes = outermost_node(content, 'drawn').mapping()
    try:
        rate = read_noise(nodes['noise']).rate
        read_actuators(nodes['actuators'])
        read_sensors(nodes['sensors'], rate)
        read_disturbances(nodes['disturbances'])
    except DescriptionError as error:
        raise ConfigurationError(str(error)) from None


def _of_names(values: Mapping[str, float], names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return values by name and by what follows it; names may have dots."""
    found: dict[str, dict[str, float]] = {}
    for key, value in values.items():
        name = max((each for each in names if key.startswith(f'{each}.')), key=len)
        found.setdefault(name, {})[key[len(name) + 1 :]] = value
    return found


def _with_links(robot: RobotModel, values: Mapping[str, float]) -> RobotModel:
    of_links = _of_names(values, robot.link_names)
    links = []
    for link in robot.links:
        try:
            links.append(link_with(link, of_links[link.name]) if link.name in of_links else link)
        except ValueError as error:
            raise ConfigurationError(f'drawn: links.{link.name}: {error}') from None
    return replace(robot, links=links) if of_links else robot


def _with_wheels(robot: RobotModel, values: Mapping[str, float]) -> RobotModel:
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


def _start_values(start: Start, robot: RobotModel) -> dict[str, float]:
    values = {
        f'start.joints.{name}': float(value)
        for name, value in zip(robot.joint_names, start.joints, strict=True)
    }
    for key in ('angular_momentum', 'linear_momentum', 'attitude'):
        values |= _vector(f'start.{key}', getattr(start, key))
    return values


def _with_start(start: Start, robot: RobotModel, values: Mapping[str, float]) -> Start:
    joints = tuple(
        values.get(f'joints.{name}', value)
        for name, value in zip(robot.joint_names, start.joints, strict=True)
    )
    vectors = {
        key: _vector_with(getattr(start, key), key, values)
        for key in ('angular_momentum', 'linear_momentum', 'attitude')
    }
    return Start(joints, **vectors)


def _grasp_values(setting: RunSetting) -> dict[str, float]:
    if setting.grasp is None:
        return {}
    body = setting.grasp.payload.body
    values = {'grasp.time': setting.grasp.time, 'grasp.mass': body.mass}
    return values | _vector('grasp.com', body.com)


def _with_grasp(nominal: RunSetting, values: Mapping[str, float]) -> object:
    grasp = nominal.grasp
    if grasp is None or not values:
        return grasp
    body = grasp.payload.body
    mass = values.get('mass', body.mass)
    com = _vector_with(tuple(body.com), 'com', values)
    if mass <= 0.0:
        raise ConfigurationError(f'drawn: grasp.mass: must be above zero, got {mass:g}')
    body = InertialParameters.from_com(mass, com, body.inertia_about_com * (mass / body.mass))
    payload = Payload(grasp.payload.link, body)
    return replace(grasp, payload=payload, time=values.get('time', grasp.time))


def _with_faults(nominal: RunSetting, values: Mapping[str, float]) -> dict[str, object]:
    of_faults = _of_names(values, list(nominal.faults))
    return {
        name: replace(fault, **of_faults.get(name, {})) for name, fault in nominal.faults.items()
    }


def _path(name: str) -> tuple[str, ...]:
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


_NAMED = ('JOINT', 'THRUSTER')


def _read(owner: object, path: Sequence[str]) -> float:
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


def _written(owner: object, path: Sequence[str], value: float, before: str = '') -> object:
    """Return nested settings with one number changed."""
    if not path:
        return value
    part, *rest = path
    if is_dataclass(owner):
        inner = getattr(owner, part)
        return replace(owner, **{part: _written(inner, rest, value, part)})
    if isinstance(owner, Mapping):
        inner = owner.get(part, _ABSENT.get(before, 0.0))
        return {**owner, part: _written(inner, rest, value, part)}
    return tuple(value if axis == part else owner[k] for k, axis in enumerate(AXES))


def _vector(name: str, values: Sequence[float]) -> dict[str, float]:
    return {f'{name}.{axis}': float(values[k]) for k, axis in enumerate(AXES)}


def _vector_with(
    vector: Sequence[float], key: str, values: Mapping[str, float]
) -> tuple[float, ...]:
    return tuple(values.get(f'{key}.{axis}', float(vector[k])) for k, axis in enumerate(AXES))


def _across(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return two unit vectors across an axis, shape (2, 3)."""
    return np.linalg.svd(axis[None])[2][1:]


def _tilt_of(before: NDArray[np.float64], axis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the tilt that carries one axis to another, about the two axes across it, rad."""
    about = np.cross(before, axis)
    sine = np.linalg.norm(about)
    angle = np.arctan2(sine, before @ axis)
    return _across(before) @ (about * (angle / sine if sine else 1.0))

"""Names and units of everything that can be drawn, by patterns, and what units stand for."""

from collections.abc import Iterator, Mapping, Sequence

from spacerobot_id.lab.campaign.draws.dispersions import RunSetting
from spacerobot_id.lab.campaign.draws.distributions import FIELDS
from spacerobot_id.measurement.adapters.adapter_yaml import UNITS
from spacerobot_id.model import JointType, STREAMS
from spacerobot_id.model.robot_model import MONOMIALS

AXES = ('x', 'y', 'z')

OF_FAULT = 'of the fault'
"""What stands for the unit of the sizes of faults, of which each kind has its own."""

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
    **{f'sensors.streams.STREAM.{key}': text for key, text in _STREAM.items()},
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
    'faults.FAULT.size': (OF_FAULT, 'its size, where it has one and messages show it'),
}
"""The same of all else that can be drawn."""


_MORE_UNITS = {'1': 1.0, '%': 1e-2, 'mrad': 1e-3, 'Hz': 1.0, 'kHz': 1e3, 'um': 1e-6}

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
    return 1.0 if name == wanted else (UNITS | _MORE_UNITS)[name]


def units_of(setting: RunSetting) -> Iterator[tuple[str, str]]:
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
    for pattern, (unit, _) in (OTHERS | EQUIPMENT).items():
        if unit == OF_FAULT:
            continue
        for name in _expanded(pattern, names):
            slides = 'JOINT' in pattern and any(f'.{each}' in name for each in prismatic)
            yield name, unit.replace('N m', 'N').replace('rad', 'm') if slides else unit
    for name, fault in setting.faults.items():
        if fault.fault.size is not None and fault.fault.size.read is not None:
            yield f'faults.{name}.size', fault.fault.size.unit


def _expanded(pattern: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a pattern with all names in place of its capitals."""
    for part in pattern.split('.'):
        if part in names:
            begin, end = pattern.split(part, 1)
            return [
                each for name in names[part] for each in _expanded(f'{begin}{name}{end}', names)
            ]
    return [pattern]


def vector_values(name: str, values: Sequence[float]) -> dict[str, float]:
    """Return a vector by the keys of its axes."""
    return {f'{name}.{axis}': float(values[k]) for k, axis in enumerate(AXES)}


def vector_with(
    vector: Sequence[float], key: str, values: Mapping[str, float]
) -> tuple[float, ...]:
    """Return a vector with the elements that values name by their axes."""
    return tuple(values.get(f'{key}.{axis}', float(vector[k])) for k, axis in enumerate(AXES))

"""The schema of a robot's YAML file; what keys mean is said where the core keeps their values."""

from dataclasses import fields

from spacerobot_id.model.actuators import Actuators, JointFriction, propeller_ring, Thrusters
from spacerobot_id.model.description.robot_yaml import LimitSettings, RobotSettings, WheelSettings
from spacerobot_id.model.disturbances import Disturbances, MONOMIALS
from spacerobot_id.model.robot_model import SensorNoise
from spacerobot_id.model.sensors import NOTHING, Sensors, STREAMS, StreamSettings
from spacerobot_id.model.thruster import Thruster
from spacerobot_id.model.tolerances import CALIBRATED, TOLERANCES
from spacerobot_id.model.valves import Valves
from spacerobot_id.settings.schema import (
    by_name,
    field_texts,
    flag,
    listed,
    not_negative,
    number,
    positive,
    record,
    Schema,
    vector,
    whole_file,
    words,
)


def robot_schema() -> Schema:
    """Return the schema of the YAML file beside a URDF."""
    said = field_texts(RobotSettings)
    return whole_file(
        'robot.yaml by key',
        record(
            'What a URDF cannot hold.',
            {
                'description': words(said['description']),
                'free_base': words(said['free_base']),
                'wheels': listed(said['wheels'], _wheel()),
                'joint_limits': by_name(said['joint_limits'], _limits()),
                'noise': _numbers(said['noise'], SensorNoise, above_zero=('rate',)),
                'actuators': _actuators(said['actuators']),
                'sensors': _sensors(said['sensors']),
                'tolerances': record(
                    said['tolerances'],
                    {key: not_negative(_unit(unit)) for key, unit in TOLERANCES.items()},
                ),
                'calibration': record(
                    said['calibration'],
                    {key: _calibrated(key, size) for key, size in CALIBRATED.items()},
                ),
                'thrusters': listed(said['thrusters'], thruster_schema()),
                'disturbances': _disturbances(said['disturbances']),
            },
        ),
    )


def thruster_schema() -> Schema:
    """Return the schema of a thruster."""
    said = field_texts(Thruster)
    keys = {
        'name': words(said['name']),
        'position': vector(said['position']),
        'direction': vector('Direction of the force on the base, in base axes; of any length.'),
        'strength': positive(said['strength']),
    }
    return record('A thruster.', keys, *keys)


def _wheel() -> Schema:
    said = field_texts(WheelSettings)
    limits = {key: positive(said[key]) for key in ('max_rate', 'max_momentum', 'max_torque')}
    joint = {'joint': words('Name of the continuous joint of the URDF that the wheel is.')}
    own = {
        'name': words('Name of a wheel that is no joint of the URDF.'),
        'link': words(said['link']),
        'axis': vector(said['axis']),
        'spin_inertia': positive(said['spin_inertia']),
    }
    return {
        'anyOf': [
            record('A wheel that is a joint.', joint | limits, 'joint'),
            record('A wheel of its own.', own | limits, 'name', 'axis', 'spin_inertia'),
        ]
    }


def _limits() -> Schema:
    said = field_texts(LimitSettings)
    kinds = {'lower': number, 'upper': number}
    return record('Limits.', {key: kinds.get(key, positive)(text) for key, text in said.items()})


def _actuators(text: str) -> Schema:
    said, valves = field_texts(Actuators), field_texts(Valves)
    return record(
        text,
        {
            'joint_limits': flag(said['joint_limits']),
            'wheel_limits': flag(said['wheel_limits']),
            'friction': by_name(said['friction'], _numbers('Friction.', JointFriction)),
            'thrusters': _numbers(
                'What the thrusters give along each base axis.',
                Thrusters,
                above_zero=('max_force', 'max_torque'),
            ),
            'propellers': _propellers(said['propellers']),
            'valves': record(
                said['valves'],
                {
                    'strength': by_name(
                        valves['strength'], number('Relative error.', exclusiveMinimum=-1.0)
                    ),
                    'direction': by_name(valves['direction'], vector('Rotation vector, rad.')),
                    'strength_loss': number(valves['strength_loss'], minimum=0.0, maximum=1.0),
                }
                | {k: not_negative(valves[k]) for k in ('dead_time', 'delay', 'scatter')},
            ),
        },
    )


def _propellers(text: str) -> Schema:
    ring = field_texts(propeller_ring)
    return record(
        f'{text} Either a `ring` or a `mixing_matrix`.',
        {
            'ring': record(
                'A regular polygon about z.',
                {
                    'count': positive(ring['count']),
                    'radius': positive(ring['radius']),
                    'tilt': number(ring['tilt']),
                    'torque_per_thrust': not_negative(ring['torque_per_thrust']),
                },
                *('count', 'radius', 'tilt'),
            ),
            'mixing_matrix': listed(
                'Six rows: force and moment about the origin of the base, by thrust.',
                listed('A row.', {'type': 'number'}),
            ),
            'max_thrust': positive('Largest thrust of each, in either direction, N.'),
        },
    )


def _sensors(text: str) -> Schema:
    said, streams = field_texts(Sensors), field_texts(StreamSettings)
    shares = ('dropout', 'outliers')
    stream = {
        key: number(meaning, minimum=0.0, maximum=1.0) if key in shares else not_negative(meaning)
        for key, meaning in streams.items()
    } | {'rate': positive(streams['rate']), 'delay': number(streams['delay'])}
    keys = {
        'imu_frame': words(said['imu_frame']),
        'encoder_offset': by_name(said['encoder_offset'], number('Offset, rad or m.')),
        'gyro_bias': number(said['gyro_bias']),
        'streams': by_name(said['streams'], record('How it comes.', stream))
        | {'propertyNames': {'enum': list(STREAMS)}},
    }
    for each in fields(Sensors):
        if each.name not in keys:
            kind = vector if each.default == NOTHING else not_negative
            keys[each.name] = kind(said[each.name])
    return record(text, {each.name: keys[each.name] for each in fields(Sensors)})


def _disturbances(text: str) -> Schema:
    said = field_texts(Disturbances)
    heights = {name: number(f'Coefficient of {name}.') for name in MONOMIALS}
    return record(
        text,
        {
            'force': vector(said['force']),
            'torque': vector(said['torque']),
            'drag': not_negative(said['drag']),
            'table': record(said['table'], heights),
        },
    )


def _numbers(text: str, kind: type, above_zero: tuple[str, ...] = ()) -> Schema:
    """Return the schema of a dataclass of numbers that are not negative."""
    kinds = dict.fromkeys(above_zero, positive)
    said = field_texts(kind)
    return record(text, {key: kinds.get(key, not_negative)(said[key]) for key in said})


def _calibrated(key: str, size: int) -> Schema:
    text = _unit(TOLERANCES[key])
    return number(text) if size == 1 else vector(text)


def _unit(unit: str) -> str:
    return 'No unit.' if unit == '1' else f'{unit}.'

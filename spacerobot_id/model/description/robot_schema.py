"""The schema of a robot's YAML file; the core describes keys where it keeps their values."""

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
    string,
    vector,
    whole_file,
)


def robot_schema() -> Schema:
    """Return the schema of the YAML file beside a URDF."""
    descriptions = field_texts(RobotSettings)
    return whole_file(
        'robot.yaml by key',
        record(
            'What a URDF cannot hold.',
            {
                'description': string(descriptions['description']),
                'free_base': string(descriptions['free_base']),
                'wheels': listed(descriptions['wheels'], _wheel()),
                'joint_limits': by_name(descriptions['joint_limits'], _limits()),
                'noise': _numbers(descriptions['noise'], SensorNoise, above_zero=('rate',)),
                'actuators': _actuators(descriptions['actuators']),
                'sensors': _sensors(descriptions['sensors']),
                'tolerances': record(
                    descriptions['tolerances'],
                    {key: not_negative(_unit(unit)) for key, unit in TOLERANCES.items()},
                ),
                'calibration': record(
                    descriptions['calibration'],
                    {key: _calibrated(key, size) for key, size in CALIBRATED.items()},
                ),
                'thrusters': listed(descriptions['thrusters'], thruster_schema()),
                'disturbances': _disturbances(descriptions['disturbances']),
            },
        ),
    )


def thruster_schema() -> Schema:
    """Return the schema of a thruster."""
    descriptions = field_texts(Thruster)
    keys = {
        'name': string(descriptions['name']),
        'position': vector(descriptions['position']),
        'direction': vector('Direction of the force on the base, in base axes; of any length.'),
        'strength': positive(descriptions['strength']),
    }
    return record('A thruster.', keys, *keys)


def _wheel() -> Schema:
    descriptions = field_texts(WheelSettings)
    limits = {
        key: positive(descriptions[key]) for key in ('max_rate', 'max_momentum', 'max_torque')
    }
    joint = {'joint': string('Name of the continuous joint of the URDF that the wheel is.')}
    own = {
        'name': string('Name of a wheel that is no joint of the URDF.'),
        'link': string(descriptions['link']),
        'axis': vector(descriptions['axis']),
        'spin_inertia': positive(descriptions['spin_inertia']),
    }
    return {
        'anyOf': [
            record('A wheel that is a joint.', joint | limits, 'joint'),
            record('A wheel of its own.', own | limits, 'name', 'axis', 'spin_inertia'),
        ]
    }


def _limits() -> Schema:
    descriptions = field_texts(LimitSettings)
    kinds = {'lower': number, 'upper': number}
    return record(
        'Limits.', {key: kinds.get(key, positive)(text) for key, text in descriptions.items()}
    )


def _actuators(text: str) -> Schema:
    descriptions, valves = field_texts(Actuators), field_texts(Valves)
    return record(
        text,
        {
            'joint_limits': flag(descriptions['joint_limits']),
            'wheel_limits': flag(descriptions['wheel_limits']),
            'friction': by_name(descriptions['friction'], _numbers('Friction.', JointFriction)),
            'thrusters': _numbers(
                'What the thrusters give along each base axis.',
                Thrusters,
                above_zero=('max_force', 'max_torque'),
            ),
            'propellers': _propellers(descriptions['propellers']),
            'valves': record(
                descriptions['valves'],
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
    descriptions, streams = field_texts(Sensors), field_texts(StreamSettings)
    shares = ('dropout', 'outliers')
    stream = {
        key: number(meaning, minimum=0.0, maximum=1.0) if key in shares else not_negative(meaning)
        for key, meaning in streams.items()
    } | {'rate': positive(streams['rate']), 'delay': number(streams['delay'])}
    keys = {
        'imu_frame': string(descriptions['imu_frame']),
        'encoder_offset': by_name(descriptions['encoder_offset'], number('Offset, rad or m.')),
        'gyro_bias': number(descriptions['gyro_bias']),
        'streams': by_name(descriptions['streams'], record('How it comes.', stream))
        | {'propertyNames': {'enum': list(STREAMS)}},
    }
    for each in fields(Sensors):
        if each.name not in keys:
            kind = vector if each.default == NOTHING else not_negative
            keys[each.name] = kind(descriptions[each.name])
    return record(text, {each.name: keys[each.name] for each in fields(Sensors)})


def _disturbances(text: str) -> Schema:
    descriptions = field_texts(Disturbances)
    heights = {name: number(f'Coefficient of {name}.') for name in MONOMIALS}
    return record(
        text,
        {
            'force': vector(descriptions['force']),
            'torque': vector(descriptions['torque']),
            'drag': not_negative(descriptions['drag']),
            'table': record(descriptions['table'], heights),
        },
    )


def _numbers(text: str, kind: type, above_zero: tuple[str, ...] = ()) -> Schema:
    """Return the schema of a dataclass of numbers that are not negative."""
    kinds = dict.fromkeys(above_zero, positive)
    descriptions = field_texts(kind)
    return record(
        text, {key: kinds.get(key, not_negative)(descriptions[key]) for key in descriptions}
    )


def _calibrated(key: str, size: int) -> Schema:
    text = _unit(TOLERANCES[key])
    return number(text) if size == 1 else vector(text)


def _unit(unit: str) -> str:
    return 'No unit.' if unit == '1' else f'{unit}.'

"""The schema of adapters."""

from spacerobot_id.measurement.adapters.adapter import Adapter, Delivery, Quantity
from spacerobot_id.measurement.adapters.adapter_yaml import NUMBERS, UNITS
from spacerobot_id.measurement.adapters.axes import BODY_AXES, WORLD_AXES
from spacerobot_id.model import Thruster
from spacerobot_id.settings.schema import (
    by_name,
    defined,
    either,
    field_texts,
    flag,
    listed,
    number,
    positive,
    record,
    Schema,
    schema_of,
    string,
    whole_file,
)

_PATH = 'Field of the message, such as `pose.position`, `q` or `data[1:9]`.'
_NUMBERS = {
    'positions': 'Positions of the joints, rad or m.',
    'velocities': 'Velocities of the joints, rad/s or m/s.',
    'efforts': 'Torques or forces of the joints, N m or N.',
    'angular_velocity': 'Angular velocity, three numbers, rad/s.',
    'std': 'Standard deviation of the angular velocity, rad/s.',
    'position': 'Position of the base, m; two numbers are x and y.',
    'linear': 'Linear velocity, m/s.',
    'angular': 'Angular velocity, rad/s.',
    'force': 'Force on the base, N.',
    'torque': 'Torque on the base, N m; one number is about z.',
    'shares': 'How far each thruster is open, 0 to 1, or as stated by `open`.',
}


def adapter_schema() -> Schema:
    """Return the schema of an adapter."""
    descriptions = field_texts(Adapter)
    return whole_file(
        'Adapters by key',
        record(
            'How the messages of a bed become readings.',
            {
                'description': string(descriptions['description']),
                'axes': axes_schema('Axes that all topics are given in.'),
                'world': string(descriptions['world']),
                'topics': listed('Topics, and what their messages give.', _source()),
                'thrusters': listed(descriptions['thrusters'], schema_of(Thruster)),
            },
            'topics',
        ),
        numbers=_numbers(),
        unit=unit_schema(),
    )


def axes_schema(text: str, *keys: str) -> Schema:
    """Return the schema of axes: names, or which components are our x, y and z."""
    known = {'world': WORLD_AXES, 'body': BODY_AXES}
    meaning = {
        'world': 'Inertial axes; or which of their components are our x, y, z: `[y, x, -z]`.',
        'body': 'Axes of the base; or which of their components are our x, y, z.',
    }
    components = listed('', string('', 'x', 'y', 'z', '-x', '-y', '-z'))
    components |= {'minItems': 3, 'maxItems': 3}
    return record(
        text,
        {
            key: either(meaning[key], string('', *known[key]), components)
            for key in keys or tuple(known)
        },
    )


def unit_schema() -> Schema:
    """Return the schema of a unit."""
    return either(
        'Unit: its name, or SI units in one of it.', string('', *UNITS), {'type': 'number'}
    )


def _source() -> Schema:
    delivery = field_texts(Delivery)
    keys = {
        'topic': string('Name of the topic, relative or absolute.'),
        'type': string('Type of its messages, such as `sensor_msgs/msg/Imu`.'),
        'stamp': record(
            'Where the time is from; `header.stamp` by default.',
            {
                'field': string('Field with a time, or with a number and its `unit`.'),
                'unit': defined('unit', 'Unit of a field that is a number.'),
                'offset': number('Added to it, s.'),
                'receipt': {'const': True, 'description': 'The time of receipt.'},
                'latency': number('Taken from the time of receipt, s.'),
            },
        ),
        'axes': axes_schema('Axes of this topic, where they are others.'),
        'qos': record(
            'Quality of service of the subscription.',
            {
                'reliability': string(delivery['reliability'], 'best_effort', 'reliable'),
                'durability': string(delivery['durability'], 'volatile', 'transient_local'),
                'depth': positive(delivery['depth']),
            },
        ),
    }
    keys |= {kind: _quantity(kind) for kind in NUMBERS}
    return record('A topic.', keys, 'topic', 'type')


def _quantity(kind: str) -> Schema:
    """Return the schema of what a message gives; nothing where it is a message of ROS."""
    keys = {name: defined('numbers', _NUMBERS[name]) for name in NUMBERS[kind]} | _others(kind)
    given = record('', keys)
    return either(
        f'{_KINDS[kind]} Without keys, as a message of ROS has it.', {'type': 'null'}, given
    )


_KINDS = {
    'joint_states': 'Joints and wheels.',
    'imu': 'Angular velocity of the base.',
    'base_pose': 'Pose of the base.',
    'base_twist': 'Velocity of the base.',
    'base_wrench': 'Force and torque asked of the drives of the base.',
    'applied_wrench': 'Force and torque that they gave.',
    'thruster_commands': 'Which thrusters are open.',
}


def _others(kind: str) -> dict[str, Schema]:
    """Return the keys of a quantity that are no numbers."""
    descriptions = field_texts(Quantity)
    names = either(
        'Names: a list, or the field that has them.',
        listed('', {'type': 'string'}),
        {'type': 'string'},
        record('', {'field': string(_PATH)}, 'field'),
    )
    frame = either(
        'Axes of the numbers: `body`, `world`, a frame of the description, or by a field.',
        {'type': 'string'},
        record(
            '',
            {
                'field': string('Field whose whole number decides.'),
                'values': by_name('Axes by that number.', string('`body` or `world`.')),
            },
            *('field', 'values'),
        ),
    )
    text = {'type': 'string'}, record('', {'field': string(_PATH)}, 'field')
    always = either('Its value.', {'type': ['number', 'string', 'boolean']})
    constants = by_name(descriptions['constants'], always)
    others = {
        'joint_states': {
            'names': names,
            'renamed': by_name(descriptions['renamed'], string('Its name.')),
        },
        'base_pose': {
            'attitude': _attitude(),
            'frame_id': either('Frame that the pose is given in.', *text),
            'child_frame': either('Frame on the base whose pose it is.', *text),
        },
        'thruster_commands': {
            'names': names,
            'open': either(
                'What the field is where a thruster is open: a number, or one for each.',
                {'type': 'number', 'exclusiveMinimum': 0.0},
                listed('', {'type': 'number', 'exclusiveMinimum': 0.0}),
            ),
            'nan_is_closed': flag(descriptions['nan_is_closed']),
            'constants': constants,
        },
        'base_wrench': {'in': frame, 'constants': constants},
    }
    return others.get(kind, {'in': frame})


def _attitude() -> Schema:
    return record(
        'One of `quaternion`, `mrp` and `yaw`.',
        {
            'quaternion': defined('numbers', 'Four numbers.'),
            'mrp': defined('numbers', 'Modified Rodrigues parameters.'),
            'yaw': defined('numbers', 'Angle about z, rad.'),
            'order': string('Order of the quaternion.', 'xyzw', 'wxyz'),
            'inverse': flag('Whether it is the turn from inertial axes to those of the base.'),
        },
    )


def _numbers() -> Schema:
    """Return the schema of numbers: a path, paths and constants, or these with their unit."""
    plain = (
        {'type': 'string'},
        {'type': 'number'},
        listed('', {'type': ['string', 'number']}),
    )
    fields = either(f'{_PATH} Or a list of fields and constants, one for each number.', *plain)
    with_unit = record(
        '', {'fields': fields, 'unit': defined('unit', 'Their unit.')}, 'fields', 'unit'
    )
    return either(
        'A field, a list of fields and constants, or these with their unit.', *plain, with_unit
    )

"""Adapters from YAML files, by pydantic: what is wrong is an error that names file and key."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Len
import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator
from typing_extensions import TypeAliasType

from spacerobot_id.measurement.adapters.adapter import (
    Adapter,
    Attitude,
    Axes,
    axes_matrix,
    BODY_AXES,
    Delivery,
    Frame,
    Numbers,
    Quantity,
    Source,
    StampSource,
    Text,
    WORLD_AXES,
)
from spacerobot_id.measurement.adapters.from_fields import is_path
from spacerobot_id.model import file_or_shipped, shipped_file, shipped_names, Thruster
from spacerobot_id.model.description.description import Place, read_text
from spacerobot_id.model.description.robot_yaml import Thrusters
from spacerobot_id.settings.kinds import (
    described,
    Finite,
    Flag,
    KeyedError,
    keys,
    Positive,
    ReadFrom,
)
from spacerobot_id.settings.yaml_file import checked, yaml_content

UNITS = {
    'm': 1.0,
    'cm': 1e-2,
    'mm': 1e-3,
    'rad': 1.0,
    'deg': np.pi / 180.0,
    'm/s': 1.0,
    'mm/s': 1e-3,
    'rad/s': 1.0,
    'deg/s': np.pi / 180.0,
    'rpm': np.pi / 30.0,
    'N': 1.0,
    'mN': 1e-3,
    'N m': 1.0,
    'mN m': 1e-3,
    'kg': 1.0,
    'g': 1e-3,
    'kg m^2': 1.0,
    'kg cm^2': 1e-4,
    'kg mm^2': 1e-6,
    's': 1.0,
    'ms': 1e-3,
    'us': 1e-6,
    'ns': 1e-9,
}
"""SI units in one of each unit."""

_FORMS = ('quaternion', 'mrp', 'yaw')

_FOLDER = 'config/adapters'


# Kinds of values


def _is_path(text: str) -> str:
    if not is_path(text):
        raise ValueError(f'must be fields such as pose.position or data[1:9], got {text!r}')
    return text


def _numbers(given: Any) -> Numbers:  # noqa: ANN401
    fields, scale = (given['fields'], given['unit']) if isinstance(given, dict) else (given, 1.0)
    return Numbers((fields,) if isinstance(fields, float) else fields, scale)


def _text(given: str | Mapping[str, str]) -> Text:
    return Text(given) if isinstance(given, str) else Text(None, given['field'])


def _names(given: str | Mapping[str, str] | tuple[str, ...]) -> Text | tuple[str, ...]:
    if not isinstance(given, tuple):
        return _text(given)
    if len(set(given)) != len(given):
        raise ValueError('one is named twice')
    return given


def _frame(given: str | Mapping[str, Any]) -> Frame:
    return Frame(given) if isinstance(given, str) else Frame('', given['field'], given['values'])


def _attitude(given: Mapping[str, Any]) -> Attitude:
    forms = [form for form in _FORMS if form in given]
    if len(forms) != 1:
        raise ValueError(f'needs one of {", ".join(_FORMS)}')
    (form,) = forms
    if 'order' in given and form != 'quaternion':
        raise KeyedError(('order',), 'is of a quaternion')
    return Attitude(form, given[form], given.get('order', 'xyzw'), given.get('inverse', False))


def _stamp(given: Mapping[str, Any]) -> StampSource:
    is_receipt = 'receipt' in given
    for key in ('field', 'unit', 'offset') if is_receipt else ('latency',):
        if key in given:
            reason = 'means nothing beside receipt' if is_receipt else 'is of receipt: true'
            raise KeyedError((key,), reason)
    if is_receipt:
        return StampSource('', 0.0, -given.get('latency', 0.0))
    path = given.get('field', 'header.stamp')
    return StampSource(path, given.get('unit', 0.0), given.get('offset', 0.0))


def _axes_of(known: Mapping[str, tuple[str, ...]]) -> object:
    """Return the kind of axes: a name, or which components are our x, y and z."""
    components = Annotated[tuple[Literal['x', 'y', 'z', '-x', '-y', '-z'], ...], Len(3, 3)]

    def matrix(given: str | tuple[str, ...]) -> NDArray[np.float64]:
        return axes_matrix(known[given] if isinstance(given, str) else given)

    return Annotated[NDArray[np.float64], ReadFrom(Literal[tuple(known)] | components, matrix)]


FieldPath = Annotated[str, AfterValidator(_is_path)]
"""Field of a message."""

Constant = Flag | Finite | str
"""What a field always is."""

Unit = TypeAliasType(
    'unit',
    described(
        ReadFrom(Literal[tuple(UNITS)] | Finite, lambda each: UNITS.get(each, each)),
        'Unit: its name, or SI units in one of it.',
    ),
)
"""SI units in one of a unit."""

BODY = _axes_of(BODY_AXES), 'Axes of the base; or which of their components are our x, y, z.'
_WORLD_TEXT = 'Inertial axes; or which of their components are our x, y, z: `[y, x, -z]`.'
_AXES = {'world': (_axes_of(WORLD_AXES), _WORLD_TEXT), 'body': BODY}

_PATH = 'Field of the message, such as `pose.position`, `q` or `data[1:9]`.'
_PLAIN = FieldPath | Finite | tuple[FieldPath | Finite, ...]
_LISTED = f'{_PATH} Or a list of fields and constants, one for each number.'
_IN_UNIT = keys('', {'fields': (_PLAIN, _LISTED), 'unit': (Unit, 'Their unit.')}, 'fields', 'unit')
_NUMBERS = TypeAliasType(
    'numbers',
    described(
        ReadFrom(_PLAIN | _IN_UNIT, _numbers),
        'A field, a list of fields and constants, or these with their unit.',
    ),
)
_FIELD = keys('', {'field': (FieldPath, _PATH)}, 'field')
_BY_FIELD = keys(
    '',
    {
        'field': (FieldPath, 'Field whose whole number decides.'),
        'values': (Mapping[int, str], 'Axes by that number: `body`, `world` or a frame.'),
    },
    *('field', 'values'),
)

# Keys of a topic

_TEXT = ReadFrom(str | _FIELD, _text)
_IN = 'Axes of the numbers: `body`, `world`, a frame of the description, or by a field.'
_OF_VECTORS = {'in': (ReadFrom(str | _BY_FIELD, _frame), _IN)}
_OF_WRENCHES = {
    'force': (_NUMBERS, 'Force on the base, N.'),
    'torque': (_NUMBERS, 'Torque on the base, N m; one number is about z.'),
    **_OF_VECTORS,
}
_NAMES = ReadFrom(str | tuple[str, ...] | _FIELD, _names)
_OF_NAMES = {'names': (_NAMES, 'Names: a list, or the field that has them.')}
_CONSTANTS = 'Fields of commands that are sent, and what they always are.'
_OF_COMMANDS = {'constants': (Mapping[FieldPath, Constant], _CONSTANTS)}
_OF_ATTITUDES = {
    'quaternion': (_NUMBERS, 'Four numbers.'),
    'mrp': (_NUMBERS, 'Modified Rodrigues parameters.'),
    'yaw': (_NUMBERS, 'Angle about z, rad.'),
    'order': (Literal['xyzw', 'wxyz'], 'Order of the quaternion.'),
    'inverse': (Flag, 'Whether it is the turn from inertial axes to those of the base.'),
}
_ATTITUDE = ReadFrom(keys('', _OF_ATTITUDES), _attitude)
_OPEN = 'What the field is where a thruster is open: a number, or one for each.'

_KINDS = {
    'joint_states': 'Joints and wheels.',
    'imu': 'Angular velocity of the base.',
    'base_pose': 'Pose of the base.',
    'base_twist': 'Velocity of the base.',
    'base_wrench': 'Force and torque asked of the drives of the base.',
    'applied_wrench': 'Force and torque that they gave.',
    'thruster_commands': 'Which thrusters are open.',
}
_KEYS: Mapping[str, Mapping[str, tuple[Any, str]]] = {
    'joint_states': {
        'positions': (_NUMBERS, 'Positions of the joints, rad or m.'),
        'velocities': (_NUMBERS, 'Velocities of the joints, rad/s or m/s.'),
        'efforts': (_NUMBERS, 'Torques or forces of the joints, N m or N.'),
        **_OF_NAMES,
        'renamed': (Mapping[str, str], 'Names of the description by those of the messages.'),
    },
    'imu': {
        'angular_velocity': (_NUMBERS, 'Angular velocity, three numbers, rad/s.'),
        'std': (_NUMBERS, 'Standard deviation of the angular velocity, rad/s.'),
        **_OF_VECTORS,
    },
    'base_pose': {
        'position': (_NUMBERS, 'Position of the base, m; two numbers are x and y.'),
        'attitude': (_ATTITUDE, 'One of `quaternion`, `mrp` and `yaw`.'),
        'frame_id': (_TEXT, 'Frame that the pose is given in.'),
        'child_frame': (_TEXT, 'Frame on the base whose pose it is.'),
    },
    'base_twist': {
        'linear': (_NUMBERS, 'Linear velocity, m/s.'),
        'angular': (_NUMBERS, 'Angular velocity, rad/s.'),
        **_OF_VECTORS,
    },
    'base_wrench': _OF_WRENCHES | _OF_COMMANDS,
    'applied_wrench': _OF_WRENCHES,
    'thruster_commands': {
        'shares': (_NUMBERS, 'How far each thruster is open, 0 to 1, or as stated by `open`.'),
        **_OF_NAMES,
        'open': (Positive | tuple[Positive, ...], _OPEN),
        'nan_is_closed': (Flag, 'Whether a thruster whose command is not a number is closed.'),
        **_OF_COMMANDS,
    },
}
"""Keys of the quantities."""

NUMBERS = {
    kind: tuple(key for key, (what, _) in known.items() if what is _NUMBERS)
    for kind, known in _KEYS.items()
}
"""Numbers of each quantity."""


def _quantity(kind: str, given: Mapping[str, Any] | None) -> Quantity:
    """Return one of our quantities; where it has no keys, as a message of ROS has it."""
    given = dict(given or {})
    numbers = {key: given.pop(key) for key in NUMBERS[kind] if key in given}
    if 'open' in given:
        if 'shares' not in numbers:
            raise KeyedError(('open',), 'states what open is of shares, which are missing')
        scale = given.pop('open')
        scale = tuple(1.0 / each for each in scale) if isinstance(scale, tuple) else 1.0 / scale
        numbers['shares'] = replace(numbers['shares'], scale=scale)
    if 'in' in given:
        given['frame'] = given.pop('in')
    return Quantity(kind, None, numbers, **given)


def _message_type(name: str) -> str:
    if len(name.split('/')) != 3:
        raise ValueError(f'must be like sensor_msgs/msg/Imu, got {name!r}')
    return name


_STAMP = {
    'field': (FieldPath, 'Field with a time, or with a number and its `unit`.'),
    'unit': (Unit, 'Unit of a field that is a number.'),
    'offset': (Finite, 'Added to it, s.'),
    'receipt': (Literal[True], 'The time of receipt.'),
    'latency': (Finite, 'Taken from the time of receipt, s.'),
}
_TYPE = Annotated[str, AfterValidator(_message_type)]
_FROM = ReadFrom(keys('', _STAMP), _stamp)
_TOPIC = {
    'topic': (str, 'Name of the topic, relative or absolute.'),
    'type': (_TYPE, 'Type of its messages, such as `sensor_msgs/msg/Imu`.'),
    'stamp': (_FROM, 'Where the time is from; `header.stamp` by default.'),
    'axes': (keys('', _AXES), 'Axes of this topic, where they are others.'),
    'qos': (Delivery, 'Quality of service of the subscription.'),
} | {
    kind: (
        ReadFrom(keys('', known) | None, partial(_quantity, kind)),
        f'{_KINDS[kind]} Without keys, as a message of ROS has it.',
    )
    for kind, known in _KEYS.items()
}
_TOPICS = tuple[keys('A topic.', _TOPIC, 'topic', 'type'), ...]
_THRUSTERS = 'Thrusters on the base, in its axes; for robots whose description has none.'
ADAPTER_KEYS = keys(
    'How the messages of a robot interface become readings.',
    {
        'description': (str, 'A sentence for people.'),
        'axes': (keys('', _AXES), 'Axes that all topics are given in.'),
        'world': (str, 'Name of the inertial frame, where messages name none.'),
        'topics': (_TOPICS, 'Topics, and what their messages give.'),
        'thrusters': (Thrusters, _THRUSTERS),
    },
    'topics',
)
"""What the file of an adapter may have."""


# The adapter


def load_adapter(name: str | Path) -> Adapter:
    """Return an adapter.

    Parameters
    ----------
    name : str or Path
        File, or the name of one that comes with the package (``px4_spacecraft``).

    Raises
    ------
    ConfigurationError
        If there is no such file.
    DescriptionError
        If a key is unknown, missing or has no value that it can have; names file and key.
    """
    path = file_or_shipped(name, _FOLDER, 'adapter')
    return parse_adapter(read_text(path), str(path))


def preset_path(name: str) -> Path:
    """Return the file of an adapter that comes with the package."""
    return shipped_file(f'{_FOLDER}/{name}.yaml')


def preset_names() -> tuple[str, ...]:
    """Return the names of the adapters that come with the package."""
    return shipped_names(_FOLDER)


def parse_adapter(text: str, source: str) -> Adapter:
    """Return the adapter of a YAML text; ``source`` names it in errors."""
    content: Any = yaml_content(text, source)
    given = checked(ADAPTER_KEYS, content, source)
    axes = replace(Axes(), **given.get('axes', {}))
    topics = [
        {key: topic[key] for key in order}  # its quantities in the order of the file
        for topic, order in zip(given['topics'], content['topics'], strict=True)
    ]
    if not topics:
        raise Place(source, 'topics').error('there are none')
    names = [each['topic'] for each in topics]
    for row, name in enumerate(names):
        if name in names[:row]:
            raise Place(source, f'topics[{row}]').error(f'duplicate topic {name}')
    return Adapter(
        source,
        tuple(
            _source(each, Place(source, f'topics[{row}]'), axes) for row, each in enumerate(topics)
        ),
        given.get('world', 'world'),
        tuple(_turned(each, axes) for each in given.get('thrusters', ())),
        given.get('description', ''),
    )


def _source(topic: Mapping[str, Any], place: Place, axes: Axes) -> Source:
    """Return a topic."""
    quantities = tuple(replace(topic[key], place=place.at(key)) for key in topic if key in _KEYS)
    if not quantities:
        raise place.error(f'{topic["topic"]} gives nothing; it needs one of {", ".join(_KEYS)}')
    return Source(
        topic['topic'],
        (topic['type'],),
        quantities,
        place,
        topic.get('stamp', StampSource()),
        replace(axes, **topic.get('axes', {})),
        topic.get('qos', Delivery()),
    )


def _turned(thruster: Thruster, axes: Axes) -> Thruster:
    """Return a thruster, its place and direction in our axes."""
    turned = (axes.body @ each + 0.0 for each in (thruster.position, thruster.direction))
    return Thruster(thruster.name, *turned, thruster.strength)

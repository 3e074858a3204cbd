"""Reading adapters from YAML files: keys that are not known are errors that name file and key."""

from pathlib import Path
from typing import Any

import numpy as np

from spacerobot_id.measurement.adapters.adapter import (
    Adapter,
    Attitude,
    Delivery,
    Frame,
    Numbers,
    Quantity,
    Source,
    StampSource,
    Text,
)
from spacerobot_id.measurement.adapters.axes import Axes, axes_matrix, BODY_AXES, WORLD_AXES
from spacerobot_id.measurement.adapters.fields import is_path
from spacerobot_id.model import file_or_shipped, shipped_file, shipped_names, Thruster
from spacerobot_id.model.description.description import read_text
from spacerobot_id.model.description.robot_yaml import Thrusters
from spacerobot_id.model.description.yaml_node import parse_yaml, YamlNode
from spacerobot_id.settings.yaml_file import checked

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

NUMBERS = {
    'joint_states': ('positions', 'velocities', 'efforts'),
    'imu': ('angular_velocity', 'std'),
    'base_pose': ('position',),
    'base_twist': ('linear', 'angular'),
    'base_wrench': ('force', 'torque'),
    'applied_wrench': ('force', 'torque'),
    'thruster_commands': ('shares',),
}
"""Numbers of each quantity."""

_OTHERS = {
    'joint_states': ('names', 'renamed'),
    'imu': ('in',),
    'base_pose': ('attitude', 'frame_id', 'child_frame'),
    'base_twist': ('in',),
    'base_wrench': ('in', 'constants'),
    'applied_wrench': ('in',),
    'thruster_commands': ('names', 'open', 'nan_is_closed', 'constants'),
}
"""Other keys of each quantity."""

_DEEPEST = 1_000_000
"""Messages that a subscription may keep, at most."""

_FORMS = ('quaternion', 'mrp', 'yaw')

_FOLDER = 'config/adapters'


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
    node = parse_yaml(text, source)
    entries = node.mapping(('description', 'axes', 'world', 'topics', 'thrusters'))
    axes = read_axes(entries['axes'], Axes()) if 'axes' in entries else Axes()
    sources = tuple(_source(each, axes) for each in node.require('topics').sequence())
    if not sources:
        raise entries['topics'].place.error('there are none')
    for row, each in enumerate(sources):
        if each.topic in [before.topic for before in sources[:row]]:
            raise each.place.error(f'{each.topic} is there twice')
    thrusters = ()
    if 'thrusters' in entries:
        thrusters = checked(Thrusters, entries['thrusters'].value, source, ('thrusters',))
    return Adapter(
        source,
        sources,
        entries['world'].string() if 'world' in entries else 'world',
        tuple(_turned(each, axes) for each in thrusters),
        entries['description'].string() if 'description' in entries else '',
    )


def _source(node: YamlNode, axes: Axes) -> Source:
    """Return a topic."""
    kinds = tuple(NUMBERS)
    entries = node.mapping(('topic', 'type', 'stamp', 'axes', 'qos', *kinds))
    topic, kind = node.require('topic').string(), node.require('type').string()
    if len(kind.split('/')) != 3:
        raise entries['type'].place.error(f'must be like sensor_msgs/msg/Imu, got {kind!r}')
    quantities = tuple(_quantity(entries[key], key) for key in entries if key in kinds)
    if not quantities:
        raise node.place.error(f'{topic} gives nothing; it needs one of {", ".join(kinds)}')
    return Source(
        topic,
        (kind,),
        quantities,
        node.place,
        _stamp(entries['stamp']) if 'stamp' in entries else StampSource(place=node.place),
        read_axes(entries['axes'], axes) if 'axes' in entries else axes,
        _delivery(entries['qos']) if 'qos' in entries else Delivery(),
    )


def _quantity(node: YamlNode, kind: str) -> Quantity:
    """Return one of our quantities."""
    if node.value is None:
        return Quantity(kind, node.place)
    entries = node.mapping(NUMBERS[kind] + _OTHERS[kind])
    numbers = {key: _numbers(entries[key]) for key in NUMBERS[kind] if key in entries}
    given: dict[str, Any] = {}
    if 'open' in entries:
        numbers['shares'] = _shares(numbers.get('shares'), entries['open'])
    if 'attitude' in entries:
        given['attitude'] = _attitude(entries['attitude'])
    if 'in' in entries:
        given['frame'] = _frame(entries['in'])
    given |= {key: _text(entries[key]) for key in ('frame_id', 'child_frame') if key in entries}
    if 'names' in entries:
        given['names'] = _names(entries['names'])
    if 'renamed' in entries:
        pairs = entries['renamed'].mapping()
        given['renamed'] = {name: each.string() for name, each in pairs.items()}
    if 'nan_is_closed' in entries:
        given['nan_is_closed'] = entries['nan_is_closed'].boolean()
    if 'constants' in entries:
        pairs = entries['constants'].mapping()
        given['constants'] = {_path_of(key, each): constant(each) for key, each in pairs.items()}
    return Quantity(kind, node.place, numbers, **given)


def _numbers(node: YamlNode) -> Numbers:
    """Return numbers: a path, a list of paths and constants, or these with their unit."""
    if not isinstance(node.value, dict):
        return Numbers(_fields(node), 1.0, node.place)
    node.mapping(('fields', 'unit'))
    return Numbers(_fields(node.require('fields')), unit_in_si(node.require('unit')), node.place)


def _fields(node: YamlNode) -> str | tuple[str | float, ...]:
    if isinstance(node.value, str):
        return _path(node)
    if isinstance(node.value, int | float):
        return (node.finite(),)
    return tuple(
        _path(each) if isinstance(each.value, str) else each.finite() for each in node.sequence()
    )


def _path(node: YamlNode) -> str:
    return _path_of(node.string(), node)


def _path_of(path: str, node: YamlNode) -> str:
    if not is_path(path):
        raise node.place.error(f'must be fields such as pose.position or data[1:9], got {path!r}')
    return path


def constant(node: YamlNode) -> float | str | bool:
    """Return what a field always is: a number, a text, or true or false."""
    return node.value if isinstance(node.value, str | bool) else node.finite()


def unit_in_si(node: YamlNode) -> float:
    """Return what one of a unit is in SI units: by its name, or as a number."""
    if not isinstance(node.value, str):
        return node.finite()
    if node.value not in UNITS:
        raise node.place.error(f'unknown unit {node.value!r}; known are {", ".join(UNITS)}')
    return UNITS[node.value]


def _shares(shares: Numbers | None, node: YamlNode) -> Numbers:
    """Return shares whose field has another value than 1 where a thruster is open."""
    if shares is None:
        raise node.place.error('states what open is of shares, which are missing')
    if isinstance(node.value, list):
        scale = tuple(1.0 / each.positive() for each in node.sequence())
        return Numbers(shares.fields, scale, shares.place)
    return Numbers(shares.fields, 1.0 / node.positive(), shares.place)


def _attitude(node: YamlNode) -> Attitude:
    entries = node.mapping((*_FORMS, 'order', 'inverse'))
    forms = [form for form in _FORMS if form in entries]
    if len(forms) != 1:
        raise node.place.error(f'needs one of {", ".join(_FORMS)}')
    order = entries['order'].string() if 'order' in entries else 'xyzw'
    if order not in ('xyzw', 'wxyz'):
        raise entries['order'].place.error(f'must be xyzw or wxyz, got {order!r}')
    if 'order' in entries and forms[0] != 'quaternion':
        raise entries['order'].place.error('is of a quaternion')
    is_inverse = 'inverse' in entries and entries['inverse'].boolean()
    return Attitude(forms[0], _numbers(entries[forms[0]]), order, is_inverse)


def _frame(node: YamlNode) -> Frame:
    """Return axes: the base's, the inertial ones, a frame's, or those that a field names."""
    if isinstance(node.value, str):
        return Frame(node.string(), place=node.place)
    entries = node.mapping(('field', 'values'))
    names = {}
    for value, name in node.require('values').mapping().items():
        if not value.lstrip('-').isdigit():
            raise name.place.error(f'must be a whole number, got {value!r}')
        names[int(value)] = name.string()
    node.require('field')
    return Frame('', _path(entries['field']), names, node.place)


def _text(node: YamlNode) -> Text:
    if isinstance(node.value, str):
        return Text(node.string(), place=node.place)
    entries = node.mapping(('field',))
    node.require('field')
    return Text(None, _path(entries['field']), node.place)


def _names(node: YamlNode) -> Text | tuple[str, ...]:
    if not isinstance(node.value, list):
        return _text(node)
    names = tuple(each.string() for each in node.sequence())
    if len(set(names)) != len(names):
        raise node.place.error('one is named twice')
    return names


def _stamp(node: YamlNode) -> StampSource:
    entries = node.mapping(('field', 'unit', 'offset', 'receipt', 'latency'))
    if 'receipt' in entries:
        if not entries['receipt'].boolean():
            raise entries['receipt'].place.error('must be true, or left out')
        for key in ('field', 'unit', 'offset'):
            if key in entries:
                raise entries[key].place.error('means nothing beside receipt')
        latency = entries['latency'].finite() if 'latency' in entries else 0.0
        return StampSource('', 0.0, -latency, node.place)
    if 'latency' in entries:
        raise entries['latency'].place.error('is of receipt: true')
    path = _path(entries['field']) if 'field' in entries else 'header.stamp'
    scale = unit_in_si(entries['unit']) if 'unit' in entries else 0.0
    offset = entries['offset'].finite() if 'offset' in entries else 0.0
    return StampSource(path, scale, offset, node.place)


def read_axes(node: YamlNode, default: Axes) -> Axes:
    """Return axes by their names or components; where they are not given those of a default."""
    entries = node.mapping(('world', 'body'))
    known = {'world': WORLD_AXES, 'body': BODY_AXES}
    found = {'world': default.world, 'body': default.body}
    for key, entry in entries.items():
        if isinstance(entry.value, list):
            components = tuple(each.string() for each in entry.sequence())
        elif entry.value in known[key]:
            components = known[key][entry.string()]
        else:
            raise entry.place.error(
                f'must be {" or ".join(known[key])} or three of x, y, z, -x, -y, -z, '
                f'got {entry.value!r}'
            )
        try:
            found[key] = axes_matrix(components)
        except ValueError as error:
            raise entry.place.error(str(error)) from None
    return Axes(**found)


def _delivery(node: YamlNode) -> Delivery:
    entries = node.mapping(('reliability', 'durability', 'depth'))
    choices = {
        'reliability': ('best_effort', 'reliable'),
        'durability': ('volatile', 'transient_local'),
    }
    given: dict[str, Any] = {}
    for key, allowed in choices.items():
        if key in entries:
            given[key] = entries[key].string()
            if given[key] not in allowed:
                raise entries[key].place.error(
                    f'must be {" or ".join(allowed)}, got {given[key]!r}'
                )
    if 'depth' in entries:
        given['depth'] = entries['depth'].whole(1, _DEEPEST)
    return Delivery(**given)


def _turned(thruster: Thruster, axes: Axes) -> Thruster:
    """Return a thruster, its place and direction in our axes."""
    turned = (axes.body @ each + 0.0 for each in (thruster.position, thruster.direction))
    return Thruster(thruster.name, *turned, thruster.strength)

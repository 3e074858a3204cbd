"""An adapter proposed for topics that were seen: a beginning, to be looked over by a person."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
import re
from typing import Any

import numpy as np
import yaml

from spacerobot_id.measurement.adapters.adapter_yaml import NUMBERS, preset_names, preset_path
from spacerobot_id.measurement.adapters.conversion import STANDARD
from spacerobot_id.measurement.adapters.from_fields import path_getter
from spacerobot_id.measurement.adapters.observation import ObservedTopic
from spacerobot_id.measurement.codecs import NANOSECONDS
from spacerobot_id.model.description.description import Place

Value = float | str | bool | Sequence[float] | Sequence[str]
"""What a field is filled with."""

_LAST = re.compile(r'(?:(.*)\.)?(\w+)(?:\[(\d+)(?::(\d+))?\])?')
_OPEN = 0.5
"""Number above which a field that is true or false is true."""


def assign(message: object, path: str, value: Value, place: Place) -> None:
    """Set a field of a message, or elements of one that is an array.

    Parameters
    ----------
    message : object
        The message.
    path : str
        Fields; an element or a range of elements at the end.
    value : number, text, bool or sequence
        Of a vector, an array or a range of elements a number for each; of a time, s.
    place : Place
        What errors name.

    Raises
    ------
    DescriptionError
        If the message has no such field, or that takes no such value.
    """
    owner_path, name, first, last = _LAST.fullmatch(path).groups()
    owner: Any = message
    if owner_path:
        owner = path_getter(owner_path, message, place)(message)
    before = path_getter(name, owner, place)(owner)
    if last is not None:
        setattr(owner, name, _with_range(before, int(first), int(last), value, place))
    elif first is not None:
        if len(before) <= int(first):
            raise place.error(f'has {len(before)} elements')
        before[int(first)] = _like(before[int(first)], _number(value, place))
    elif hasattr(before, 'nanosec'):
        whole, share = divmod(_number(value, place), 1.0)
        more, before.nanosec = divmod(round(share * NANOSECONDS), NANOSECONDS)
        before.sec = int(whole) + more
    elif isinstance(before, str | bool):
        if isinstance(before, bool) and isinstance(value, int | float):
            value = value > _OPEN
        if not isinstance(value, type(before)):
            raise place.error(f'is {type(before).__name__}, not {value!r}')
        setattr(owner, name, value)
    elif isinstance(before, int | float | np.number):
        setattr(owner, name, _like(before, _number(value, place)))
    elif hasattr(before, 'x'):
        _assign_parts(before, value, place)
    elif hasattr(before, '__len__'):
        setattr(owner, name, _array(before, value, place))
    else:
        raise place.error(f'is {type(before).__name__}: say which of its fields')


def _assign_parts(vector: object, value: Value, place: Place) -> None:
    """Set the components of a vector."""
    parts = [part for part in 'xyzw' if hasattr(vector, part)]
    for part, number in zip(parts, _numbers(value, len(parts), place), strict=True):
        setattr(vector, part, number)


def _with_range(before: Any, first: int, last: int, value: Value, place: Place) -> object:  # noqa: ANN401
    """Return an array with other numbers in a range; one without a fixed length grows to it."""
    length = max(len(before), last)
    whole = [*before, *[0] * (length - len(before))]
    whole[first:last] = _numbers(value, last - first, place)
    return _array(before if len(before) == length else before[:0], whole, place)


def _array(before: Any, value: Value, place: Place) -> object:  # noqa: ANN401
    """Return numbers as the array that was there: of as many elements where that is fixed."""
    is_sequence = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
    if is_sequence and len(value) and isinstance(value[0], str):
        return list(value)
    length = len(before) or (len(value) if is_sequence else 0)
    numbers = _numbers(value, length, place)
    if isinstance(before, np.ndarray):
        return np.array([_like(before.dtype.type(), each) for each in numbers], before.dtype)
    kind = _element_kind(before)
    return numbers if kind is None else [_like(kind(), each) for each in numbers]


def _element_kind(before: Any) -> type | None:  # noqa: ANN401
    """Return the type of the elements of an array; None where an empty one does not show it."""
    if getattr(before, 'typecode', 'd') not in 'fd':  # array.array
        return int
    return type(before[0]) if len(before) else None


def _like(before: object, number: float) -> Any:  # noqa: ANN401
    """Return a number as the one that was there: whole, true or false, or as it is."""
    if isinstance(before, bool | np.bool_):
        return number > _OPEN
    return round(number) if isinstance(before, int | np.integer) else number


def _numbers(value: Value, count: int, place: Place) -> list[float]:
    is_sequence = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
    if not is_sequence or len(value) != count:
        got = len(value) if is_sequence else repr(value)
        raise place.error(f'takes {count} numbers, got {got}')
    return [float(each) for each in value]


def _number(value: Value, place: Place) -> float:
    if isinstance(value, bool | str | Sequence | np.ndarray):
        raise place.error(f'takes a number, got {value!r}')
    return float(value)


_THREE, _FOUR = ('vector', '3 numbers'), ('quaternion', '4 numbers')

_GUESSES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    'position': (r'position|pos|point|translation|p|r|r_\w+', _THREE),
    'quaternion': (r'q|quat|quaternion|orientation|attitude|rotation', _FOUR),
    'mrp': (r'mrp|sigma\w*', _THREE),
    'yaw': (r'yaw|theta|psi|heading', ('number',)),
    'linear': (r'velocity|vel|linear|linear_velocity|v|v_\w+', _THREE),
    'angular_velocity': (r'angular_velocity|angular|omega\w*|gyro\w*|rates?|xyz', _THREE),
    'force': (r'force\w*', _THREE),
    'torque': (r'torque\w*|moment', _THREE),
    'shares': (r'thr\w*|valves?\w*|duty\w*|control|switches|motors?|commands?|data', ()),
    'velocities': (r'wheel_?speeds?|velocities|velocity', ()),
}
"""Names that fields have, and what such fields are; several numbers if nothing."""

_TRUTH = re.compile(r'(^|[/_])(ground_?)?truth([/_]|$)')
"""Names of topics with what no sensor on board knows."""

_SIMULATED = '/simulator/truth/'
"""In the names of topics of our simulator with what none knows at all."""


def presets_for(topics: Sequence[ObservedTopic]) -> tuple[str, ...]:
    """Return the presets that read a type of these topics that no ROS package has, best first."""
    there = {each.kind for each in topics}
    scores = {
        name: len(there & {entry['type'] for entry in _entries(name)} - _common())
        for name in preset_names()
    }
    found = [name for name, score in scores.items() if score]
    return tuple(sorted(found, key=lambda name: -scores[name]))


def could_be(topic: ObservedTopic) -> tuple[str, ...]:
    """Return which of our quantities a topic could be."""
    return tuple(key for key in _proposed(topic) if key in NUMBERS)


def proposal(topics: Sequence[ObservedTopic]) -> str:
    """Return the text of an adapter.

    Of several topics that could give one quantity the first with the most messages is taken, the
    others stand beside it as comments; so do topics without messages, and the truth of our
    simulator. That of others, which may be a laboratory's camera, comes after all sensors. Joint
    states are of several topics where these name different joints.

    Parameters
    ----------
    topics : sequence of ObservedTopic
        Topics.
    """
    taken: set[str] = set()
    chosen, others = [], []
    for topic in sorted(topics, key=lambda each: (_is_true(each), -each.count)):
        entry = _proposed(topic)
        gives = set(_given(topic, entry))
        if not gives:
            continue
        if why := _why_not(topic, gives & taken):
            others.append((why, entry))
            continue
        chosen.append(entry)
        taken |= gives
    if not chosen:
        return ''
    lines = ['# Proposed from what was seen: look at orders, axes, units and stamps.', 'topics:']
    for entry in chosen:
        lines += ['', *_yaml(entry)]
    for why, entry in others:
        lines += ['', f'# {why}:', *(f'# {line}' for line in _yaml(entry))]
    return '\n'.join(lines).replace(': null', ':') + '\n'


def _given(topic: ObservedTopic, entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a topic gives: quantities, joint states joint by joint."""
    for kind in entry:
        if kind == 'joint_states':
            names = topic.names or (entry[kind] or {}).get('names', [kind])
            yield from (f'{kind} of {name}' for name in names)
        elif kind in NUMBERS:
            yield kind


def _is_true(topic: ObservedTopic) -> bool:
    """Return whether a topic has what no sensor on board knows."""
    return _TRUTH.search(topic.topic) is not None


def _why_not(topic: ObservedTopic, twice: Collection[str]) -> str:
    """Return why a topic is no more than a comment; empty if it is more."""
    if not topic.count:
        return 'No messages'
    if _SIMULATED in topic.topic:
        return 'The truth of a simulator, no sensor'
    return 'Instead of the above' if twice else ''


def _proposed(topic: ObservedTopic) -> dict[str, Any]:
    """Return a topic as an adapter would have it."""
    for name in preset_names():
        for entry in _entries(name):
            if entry['type'] == topic.kind and topic.kind not in _common():
                return entry | {'topic': topic.topic}
    entry: dict[str, Any] = {'topic': topic.topic, 'type': topic.kind}
    standard = [key for key in NUMBERS if topic.kind in STANDARD[key]]
    if standard:
        is_wrench = 'base_wrench' in standard
        is_thrust = 'thruster' in topic.topic or 'thrust' in topic.topic
        kinds = standard[:1] if is_wrench or 'joint_states' in standard else standard
        kinds = ['thruster_commands'] if is_thrust and 'joint_states' in standard else kinds
        return entry | dict.fromkeys(kinds)
    return entry | _stamp(topic) | dict(_guessed(topic))


def _stamp(topic: ObservedTopic) -> dict[str, Any]:
    """Return where the time is from, if it is not the header."""
    if topic.stamp == 'header.stamp':
        return {}
    if not topic.stamp:
        return {'stamp': {'receipt': True, 'latency': 0.0}}
    unit = {'unit': topic.stamp_unit} if topic.stamp_unit else {}
    return {'stamp': {'field': topic.stamp, **unit}}


def _guessed(topic: ObservedTopic) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield quantities that a type of its own may have, by the names of its fields."""
    found = {key: _field(topic, *guess) for key, guess in _GUESSES.items()}
    plane = _plane(topic)
    if found['quaternion'] and found['position']:
        order = {'order': 'xyzw'} if topic.fields[found['quaternion']] != 'quaternion' else {}
        attitude = {'quaternion': found['quaternion'], **order}
        frames = {
            key: {'field': path}
            for key, field in (('frame_id', 'header.frame_id'), ('child_frame', 'child_frame_id'))
            if (path := f'{_array_of(found["position"])}{field}') in topic.fields
        }
        yield 'base_pose', {'position': found['position'], 'attitude': attitude, **frames}
    elif found['mrp'] and found['position']:
        yield 'base_pose', {'position': found['position'], 'attitude': {'mrp': found['mrp']}}
    elif found['yaw'] and plane:
        yield 'base_pose', {'position': plane, 'attitude': {'yaw': found['yaw']}}
    if found['linear']:
        yield 'base_twist', {'linear': found['linear'], 'in': 'world'}
    if found['angular_velocity']:
        yield 'imu', {'angular_velocity': found['angular_velocity']}
    if found['force'] and found['torque']:
        parts = {'force': found['force'], 'torque': found['torque'], 'in': 'body'}
        yield 'base_wrench', parts
    if found['velocities'] and not found['linear']:
        path, count = _several(topic, found['velocities'])
        names = [f'wheel_{k + 1}' for k in range(count)]
        yield 'joint_states', {'names': names, 'velocities': path}
    elif found['shares'] and not found['position'] and not found['force']:
        path, count = _several(topic, found['shares'])
        names = [f'thruster_{k + 1}' for k in range(count)]
        yield 'thruster_commands', {'names': names, 'shares': path}


def _field(topic: ObservedTopic, pattern: str, kinds: tuple[str, ...]) -> str:
    """Return the first field whose name and kind fit; empty if there is none."""
    for path, what in topic.fields.items():
        fits = what in kinds if kinds else what.endswith(' numbers')
        if fits and re.fullmatch(pattern, path.rsplit('.', 1)[-1]):
            return path
    return ''


def _plane(topic: ObservedTopic) -> list[str]:
    """Return the fields x and y that stand beside each other; empty if there are none."""
    for path, what in topic.fields.items():
        other = f'{path[:-1]}y'
        if what == 'number' and path.rsplit('.', 1)[-1] == 'x' and other in topic.fields:
            return [path, other]
    return []


def _array_of(path: str) -> str:
    """Return the begin of a path that leads to an element of an array; empty if none does."""
    begin, bracket, _ = path.rpartition(']')
    return f'{begin}{bracket}.' if bracket else ''


def _several(topic: ObservedTopic, path: str) -> tuple[str, int]:
    """Return the path of all elements of an array, and how many they are."""
    count = int(topic.fields[path].split()[0])
    return f'{path}[0:{count}]', count


def _yaml(entry: Mapping[str, Any]) -> list[str]:
    """Return a topic as lines of an adapter."""
    return yaml.safe_dump([dict(entry)], sort_keys=False, width=90).rstrip().splitlines()


@cache
def _entries(preset: str) -> tuple[dict[str, Any], ...]:
    """Return the topics of a preset, as its file has them, each with the axes of all."""
    content = yaml.safe_load(preset_path(preset).read_text())
    axes = {'axes': content['axes']} if 'axes' in content else {}
    return tuple({**entry, **axes} for entry in content['topics'])


@cache
def _common() -> frozenset[str]:
    """Return the types that beds share: they do not show which one it is."""
    standard = frozenset(kind for kinds in STANDARD.values() for kind in kinds)
    return standard | {
        entry['type']
        for name in preset_names()
        for entry in _entries(name)
        if entry['type'].startswith('std_msgs')
    }

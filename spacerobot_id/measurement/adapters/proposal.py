"""An adapter proposed for topics that were seen: a beginning, to be looked over by a person."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
import re
from typing import Any

import yaml

from spacerobot_id.measurement.adapters.adapter_yaml import NUMBERS, preset_names, preset_path
from spacerobot_id.measurement.adapters.from_standard import STANDARD
from spacerobot_id.measurement.adapters.observation import ObservedTopic

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
    others stand beside it as comments.

    Parameters
    ----------
    topics : sequence of ObservedTopic
        Topics.
    """
    taken: set[str] = set()
    chosen, others = [], []
    for topic in sorted(topics, key=lambda each: -each.count):
        entry = _proposed(topic)
        kinds = {key for key in entry if key in NUMBERS}
        if not kinds:
            continue
        is_second = bool(kinds & taken - {'joint_states'})
        (others if is_second else chosen).append(entry)
        taken |= kinds
    if not chosen:
        return ''
    lines = ['# Proposed from what was seen: look at orders, axes, units and stamps.', 'topics:']
    for entry in chosen:
        lines += ['', *_yaml(entry)]
    for entry in others:
        lines += ['', '# Instead of the above:', *(f'# {line}' for line in _yaml(entry))]
    return '\n'.join(lines).replace(': null', ':') + '\n'


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
        yield 'base_pose', {'position': found['position'], 'attitude': attitude}
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

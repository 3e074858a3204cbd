"""Files are read by the types of fields; what is wrong is one sentence that names the key."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import pytest

from spacerobot_id.exceptions import DescriptionError
from spacerobot_id.settings.kinds import (
    Array,
    Finite,
    Flag,
    KeyedError,
    keys,
    Maybe,
    Number,
    Positive,
    ReadFrom,
    Share,
)
from spacerobot_id.settings.schema import schema_of
from spacerobot_id.settings.yaml_file import faults_named, read_yaml


def _twice(values):
    if len(set(values)) < len(values):
        raise KeyedError((1,), 'duplicate')
    return values


@dataclass(frozen=True)
class Inner:
    """An inner one.

    Parameters
    ----------
    size : float
        Its size, m.
    place : ndarray, shape (3,)
        Where it is, m; None if nowhere.
    """

    size: Positive
    place: Maybe[Array] = None


@dataclass(frozen=True)
class Outer:
    """An outer one."""

    name: str = ''
    flag: Flag = False
    low: Number = 0.0
    share: Share = 0.0
    kind: Literal['one', 'two'] = 'one'
    inner: dict[str, Inner] = field(default_factory=dict)
    listed: tuple[Inner, ...] = ()
    either: Finite | tuple[Finite, ...] | keys('', {'a': (Finite, 'A.')}, 'a') = 0.0
    unlike: Annotated[tuple, ReadFrom(tuple[str, ...], _twice)] = ()


def test_values_are_those_of_the_file():
    text = (
        'inner: {3: {size: 2, place: [1, 2, 3]}}\nlow: -.inf\neither: {a: 1}\nlisted: [{size: 1}]'
    )
    read = read_yaml(Outer, text, 'a.yaml')
    assert read.inner['3'].size == 2.0
    assert read.inner['3'].place.tolist() == [1.0, 2.0, 3.0]
    assert read.low == -float('inf')
    assert read.either == {'a': 1.0}
    assert read.listed == (Inner(1.0),)
    assert read_yaml(Outer, '', 'a.yaml') == Outer()


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        (
            'nam: a',
            'a.yaml: nam: unknown key; known are name, flag, low, share',
        ),
        ('inner: {b: {width: 1}}', 'inner.b.width: unknown key; known are size, place'),
        ('inner: {b: {}}', 'inner.b.size: it is missing'),
        ('inner: {b: {size: 1, place: }}', 'inner.b.place: must be a list, got None'),
        ('inner: {b: {size: 1, place: [0, 0]}}', r'place: must have 3 entries, got \[0, 0\]'),
        ('inner: {b: {size: 1, place: [0, 0, .nan]}}', r'place\[2\]: must be finite, got nan'),
        ('listed: [{size: 1}, {size: 0}]', r'listed\[1\].size: must be above zero, got 0'),
        ('listed: {size: 1}', 'listed: must be a list'),
        ('listed: !!set {a, b}', 'line 1: invalid YAML: could not determine a constructor'),
        ('name: !!binary aGk=', 'line 1: invalid YAML: could not determine a constructor'),
        ('[1]', r'a.yaml: the file: must be a mapping, got \[1\]'),
        ('name: 1', 'name: must be a string, got 1'),
        ('flag: 1', 'flag: must be true or false, got 1'),
        ('low: true', 'low: must be a number, got True'),
        ("low: '1'", "low: must be a number, got '1'"),
        ('low: .nan', 'low: must be a number, got nan'),
        (f'share: 1{"0" * 400}', 'share: must be a number'),
        ('share: 1.5', 'share: must be at most 1, got 1.5'),
        ('share: -1', 'share: must not be negative, got -1'),
        ('kind: three', "kind: must be one of one, two, got 'three'"),
        ('either: [1, x]', r"either\[1\]: must be a number, got 'x'"),
        ('either: {b: 1}', 'either.b: unknown key; known are a$'),
        ('either: {}', 'either.a: it is missing'),
        ('either: x', "either: must be a number or a list or a mapping, got 'x'"),
        ('either: .inf', 'either: must be finite, got inf'),
        ('unlike: [a, a]', r'unlike\[1\]: duplicate$'),
        ('name: a\nname: b', "line 2: invalid YAML: duplicate key 'name'"),
    ],
)
def test_what_is_wrong_is_said_with_its_key(text, message):
    with pytest.raises(DescriptionError, match=message) as raised:
        read_yaml(Outer, text, 'a.yaml')
    assert raised.value.source == 'a.yaml'
    assert '\n' not in str(raised.value)


def test_what_is_found_later_is_named_alike():
    with (
        pytest.raises(DescriptionError, match=r'^a.yaml: b\[2\].c: is odd$'),
        faults_named('a.yaml'),
    ):
        raise KeyedError(('b', 2, 'c'), 'is odd')


def test_a_schema_has_the_bounds_and_the_docstrings():
    inner = schema_of(Outer)['properties']['listed']['items']
    assert inner['required'] == ['size']
    assert inner['additionalProperties'] is False
    size, place = inner['properties'].values()
    assert size == {'type': 'number', 'exclusiveMinimum': 0.0, 'description': 'Its size, m.'}
    assert place['description'] == 'Where it is, m; left out if nowhere.'
    assert (place['minItems'], place['maxItems']) == (3, 3)

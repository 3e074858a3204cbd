"""What a paper prints, from ``config/published``: every number with its place in the paper.

How near ours has to come stands beside it, and what else is asked of ours at the end.
"""

from collections.abc import Iterator, Mapping, Sequence
import csv
from dataclasses import dataclass, field
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
import yaml

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.papers.comparison import Pair, Rule, rule
from spacerobot_id.model import shipped_file

_FOLDER = 'config/published'


@dataclass(frozen=True)
class Entry:
    """A number, or an array of them, as a paper prints it.

    Parameters
    ----------
    text : str
        What it is.
    where : str
        Table, figure, equation or section.
    values : mapping of str to float or str
        Numbers by their indices, joined by dots; as text where its digits matter.
    unit : str
        Unit; empty if it has none.
    labels : sequence of sequences of str
        Names of the indices of each axis, from the first on; the indices themselves, counted
        from 1, where there are none.
    names : sequence of str
        What the numbers are called here, where that is not how they are printed.
    not_compared : str
        Why nothing is computed to stand beside it, in a sentence; empty if something is.
    tolerance : callable, optional
        Gives the tolerance of ours for a printed number.
    tolerances : mapping of str to callable
        The same for single numbers, by their indices.
    """

    text: str
    where: str
    values: Mapping[str, float | str]
    unit: str = ''
    labels: Sequence[Sequence[str]] = ()
    names: Sequence[str] = ()
    not_compared: str = ''
    tolerance: Rule | None = None
    tolerances: Mapping[str, Rule] = field(default_factory=dict)

    def described(self, place: str) -> str:
        """Return what one of the numbers is."""
        names = []
        for axis, index in enumerate(place.split('.') if place else ()):
            if axis < len(self.labels):
                index = self.labels[axis][int(index)]
            elif index.isdecimal() and self.is_list:
                index = str(int(index) + 1)
            names.append(index)
        return ', '.join([self.text, *names])

    @property
    def is_list(self) -> bool:
        """Whether indices are counted from 0, and are no numbers that the paper gives."""
        return '0' in self.values or '0.0' in self.values or '0.0.0' in self.values


@dataclass(frozen=True)
class Paper:
    """Everything that is known of what a paper prints.

    Parameters
    ----------
    name : str
        Name of the study.
    title : str
        What is published, and where.
    entries : mapping of str to Entry
        By key.
    ours : mapping of str to Entry
        What is asked of ours, though the paper prints no number to compare with, by key.
    reasons : mapping of str to str
        Sentences that several tolerances share, by name.
    """

    name: str
    title: str
    entries: Mapping[str, Entry]
    ours: Mapping[str, Entry] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def keys(self) -> list[str]:
        """Return the keys of all numbers that have a pair."""
        return [
            _joined(name, place)
            for name, entry in self.entries.items()
            if not entry.not_compared
            for place in entry.values
        ]

    def printed(self, key: str) -> str:
        """Return a number as it is printed."""
        name, place = self._parts(key)
        return str(self.entries[name].values[place])

    def number(self, key: str) -> float:
        """Return a number."""
        return float(self.printed(key))

    def count(self, key: str) -> int:
        """Return a whole number."""
        return int(self.printed(key))

    def array(self, name: str) -> NDArray[np.float64]:
        """Return the numbers of an entry."""
        values = self.entries[name].values
        places = [_indices(place) for place in values]
        found = np.full([max(axis) + 1 for axis in zip(*places, strict=True)], np.nan)
        for place, value in zip(places, values.values(), strict=True):
            found[place] = float(value)
        return found

    def last_digit(self, key: str) -> float:
        """Return what one step of the last printed digit is."""
        return 10.0 ** -len(self.printed(key).partition('.')[2])

    def pair(self, key: str, ours: float, tolerance: Rule | None = None) -> Pair:
        """Return a printed number beside ours.

        Parameters
        ----------
        key : str
            Key of the number.
        ours : float
            The number that was computed.
        tolerance : callable, optional
            Gives the tolerance for the printed number; that of the entry by default.
        """
        name, place = self._parts(key)
        entry, value = self.entries[name], self.number(key)
        limits = tolerance or entry.tolerances.get(place, entry.tolerance)
        text = entry.described(place)
        return Pair(text, entry.where, float(ours), limits(value), entry.unit, key, value)

    def pairs(self, ours: Mapping[str, ArrayLike | Mapping[str, float]]) -> list[Pair]:
        """Return all numbers of some entries beside ours.

        Parameters
        ----------
        ours : mapping of str to array_like or mapping
            By the keys of the entries: numbers of the same shape, or by their place in the entry.
        """
        found = []
        for name, given in ours.items():
            places = self.entries[name].values
            if not isinstance(given, Mapping):
                array = np.asarray(given, dtype=float)
                if array.shape != self.array(name).shape:
                    raise ConfigurationError(
                        f'{self.name}: {name} has the shape {self.array(name).shape}, '
                        f'not {array.shape}'
                    )
                given = {place: array[_indices(place)] for place in places}
            found += [self.pair(_joined(name, place), given[place]) for place in places]
        return found

    def demand(
        self, key: str, ours: float, beside: float = np.nan, unit: str = '', **names: object
    ) -> Pair:
        """Return a number of ours that has limits, though the paper prints none to compare with.

        Parameters
        ----------
        key : str
            Key of what is asked of it.
        ours : float
            The number that was computed.
        beside : float
            Number that the limits follow from, where they do from one.
        unit : str
            Unit, where the entry has none.
        **names : object
            What stands for the names in its text and its place.
        """
        entry = self.ours[key]
        text, where = entry.text.format(**names), entry.where.format(**names)
        return Pair(text, where, float(ours), entry.tolerance(beside), unit or entry.unit)

    def _parts(self, key: str) -> tuple[str, str]:
        """Return the entry that a key belongs to, and the place in it."""
        name, _, place = key.partition('.')
        if name not in self.entries or place not in self.entries[name].values:
            raise ConfigurationError(f'{self.name}: nothing is printed under {key}')
        return name, place


def published(name: str) -> Paper:
    """Return what a paper prints.

    Parameters
    ----------
    name : str
        Name of the study, as in ``spacerobot-id reproduce``.

    Raises
    ------
    ConfigurationError
        If an entry has other fields than it should.
    """
    text = shipped_file(f'{_FOLDER}/{name}.yaml').read_text(encoding='utf-8')
    content = yaml.safe_load(text)
    title, reasons, ours = (content.pop(key, {}) for key in ('title', 'reasons', 'ours'))
    entries, demands = (
        {key: _entry(f'{name}.yaml: {key}', **fields) for key, fields in part.items()}
        for part in (content, ours)
    )
    return Paper(name, title, entries, demands, reasons)


def _entry(source: str, **fields: Any) -> Entry:  # noqa: ANN401  those of an entry
    """Return an entry, its numbers in the YAML or in a column of a table beside it."""
    try:
        if 'file' in fields:
            file, column = shipped_file(f'{_FOLDER}/{fields.pop("file")}'), fields.pop('column')
            with file.open(encoding='utf-8', newline='') as lines:
                rows = list(csv.DictReader(lines))
            fields['value'] = [float(row[column]) for row in rows]
            fields['labels'] = [[f'{row["link"]}.{row["parameter"]}' for row in rows]]
        if 'tolerance' in fields:
            fields['tolerance'] = _rule(**fields['tolerance'])
        rules = {place: _rule(**each) for place, each in fields.pop('tolerances', {}).items()}
        values = dict(_leaves(fields.pop('value', {})))
        return Entry(values=values, tolerances=rules, **fields)
    except TypeError as error:
        raise ConfigurationError(f'{source}: {error}') from error


def _rule(reason: str, refuses: str = '', **limits: float | Sequence[float]) -> Rule:
    ((kind, number),) = limits.items()
    return rule(kind, number, reason, refuses)


def _leaves(value: object, place: str = '') -> Iterator[tuple[str, float | str]]:
    """Yield the numbers of a tree with their places."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, _joined(place, str(key)))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _leaves(inner, _joined(place, str(index)))
    elif isinstance(value, (int, float, str)) and math.isfinite(float(value)):
        yield place, value
    else:
        raise ConfigurationError(f'{value!r} is no printed number')


def _indices(place: str) -> tuple[int, ...]:
    return tuple(map(int, place.split('.'))) if place else ()


def _joined(*parts: str) -> str:
    return '.'.join(part for part in parts if part)

"""What a paper prints, from ``config/published``: every number with its place in the paper."""

from collections.abc import Iterator, Mapping, Sequence
import csv
from dataclasses import dataclass
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
import yaml

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.papers.comparison import Pair, Rule, Tolerance
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
    not_compared : str
        Why nothing is computed to stand beside it, in a sentence; empty if something is.
    """

    text: str
    where: str
    values: Mapping[str, float | str]
    unit: str = ''
    labels: Sequence[Sequence[str]] = ()
    not_compared: str = ''

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
    entries : mapping of str to Entry
        By key.
    """

    name: str
    entries: Mapping[str, Entry]

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
        places = [tuple(map(int, place.split('.'))) for place in values]
        found = np.full(np.max(places, axis=0) + 1, np.nan)
        for place, value in zip(places, values.values(), strict=True):
            found[place] = float(value)
        return found

    def last_digit(self, key: str) -> float:
        """Return what one step of the last printed digit is."""
        return 10.0 ** -len(self.printed(key).partition('.')[2])

    def pair(self, key: str, ours: float, rule: Rule) -> Pair:
        """Return a printed number beside ours.

        Parameters
        ----------
        key : str
            Key of the number.
        ours : float
            The number that was computed.
        rule : callable
            Gives the tolerance for the printed number.
        """
        name, place = self._parts(key)
        entry, value = self.entries[name], self.number(key)
        text = entry.described(place)
        return Pair(text, entry.where, float(ours), rule(value), entry.unit, key, value)

    def pairs(
        self,
        name: str,
        ours: ArrayLike | Mapping[str, float],
        rule: Rule,
        others: Mapping[str, Rule] | None = None,
    ) -> list[Pair]:
        """Return all numbers of an entry beside ours.

        Parameters
        ----------
        name : str
            Key of the entry.
        ours : array_like or mapping
            Numbers of the same shape, or by their place in the entry.
        rule : callable
            Gives the tolerance for a printed number.
        others : mapping of str to callable, optional
            Rules for single places of the entry.
        """
        places = list(self.entries[name].values)
        if not isinstance(ours, Mapping):
            given = np.asarray(ours, dtype=float)
            if given.shape != self.array(name).shape:
                raise ConfigurationError(
                    f'{self.name}: {name} has the shape {self.array(name).shape}, '
                    f'not {given.shape}'
                )
            ours = {place: given[tuple(map(int, place.split('.')))] for place in places}
        rules = {} if others is None else others
        return [
            self.pair(_joined(name, place), ours[place], rules.get(place, rule))
            for place in places
        ]

    def _parts(self, key: str) -> tuple[str, str]:
        """Return the entry that a key belongs to, and the place in it."""
        name, _, place = key.partition('.')
        if name not in self.entries or place not in self.entries[name].values:
            raise ConfigurationError(f'{self.name}: nothing is printed under {key}')
        return name, place


def demand(text: str, ours: float, tolerance: Tolerance, where: str, unit: str = '') -> Pair:
    """Return a number of ours that has limits, though the paper prints none to compare with."""
    return Pair(text, where, float(ours), tolerance, unit)


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
    entries = {}
    for key, fields in yaml.safe_load(text).items():
        try:
            entries[key] = _entry(**fields)
        except TypeError as error:
            raise ConfigurationError(f'{name}.yaml: {key}: {error}') from error
    return Paper(name, entries)


def _entry(
    text: str,
    where: str,
    value: object = None,
    column: str = '',
    file: str = '',
    **others: Any,  # noqa: ANN401  the rest of the fields of an entry
) -> Entry:
    """Return an entry, its numbers in the YAML or in a column of a table beside it."""
    if column:
        with shipped_file(f'{_FOLDER}/{file}').open(encoding='utf-8', newline='') as lines:
            rows = list(csv.DictReader(lines))
        value = [float(row[column]) for row in rows]
        others = {'labels': [[f'{row["link"]}.{row["parameter"]}' for row in rows]], **others}
    return Entry(text, where, dict(_leaves(value)), **others)


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


def _joined(*parts: str) -> str:
    return '.'.join(part for part in parts if part)

"""Values of a YAML file that know the key to name when something in them is wrong."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model.description.description import Place
from spacerobot_id.settings.yaml_file import yaml_content

_OUTERMOST = 'the file'


@dataclass(frozen=True)
class YamlNode:
    """A value of a YAML file and its key, dotted from the outermost one.

    Parameters
    ----------
    value : object
        What YAML makes of it.
    place : Place
        File and key that its errors name.
    """

    value: object
    place: Place

    def mapping(self, allowed: Collection[str] | None = None) -> 'dict[str, YamlNode]':
        """Return the values by key; keys that are not allowed are errors."""
        if not isinstance(self.value, Mapping):
            raise self.place.error(f'must be a mapping, got {self.value!r}')
        nodes = {str(key): self._child(f'.{key}', item) for key, item in self.value.items()}
        for key, node in nodes.items():
            if allowed is not None and key not in allowed:
                raise node.place.error(f'unknown key; known are {", ".join(allowed)}')
        return nodes

    def require(self, key: str) -> 'YamlNode':
        """Return the value of a key that must be there."""
        entries = self.mapping()
        if key not in entries:
            raise self._child(f'.{key}', None).place.error('it is missing')
        return entries[key]

    def sequence(self) -> 'list[YamlNode]':
        """Return the entries of a list."""
        if not isinstance(self.value, list | tuple):
            raise self.place.error(f'must be a list, got {self.value!r}')
        return [self._child(f'[{index}]', item) for index, item in enumerate(self.value)]

    def string(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            raise self.place.error(f'must be a text, got {self.value!r}')
        return self.value

    def boolean(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.place.error(f'must be true or false, got {self.value!r}')
        return self.value

    def number(self) -> float:
        """Return a number, infinite perhaps."""
        is_number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        try:
            value = float(self.value) if is_number else np.nan
        except OverflowError as error:
            raise self.place.error('must be a number below 1e308') from error
        if np.isnan(value):
            raise self.place.error(f'must be a number, got {self.value!r}')
        return value

    def positive(self) -> float:
        """Return a number above zero, infinite perhaps."""
        value = self.number()
        if value <= 0.0:
            raise self.place.error(f'must be above zero, got {value:g}')
        return value

    def whole(self, least: int, most: int) -> int:
        """Return a whole number within bounds."""
        value = self.number()
        if not (value.is_integer() and least <= value <= most):
            raise self.place.error(f'must be a whole number of {least} to {most}, got {value:g}')
        return int(value)

    def finite(self) -> float:
        """Return a finite number."""
        value = self.number()
        if not np.isfinite(value):
            raise self.place.error(f'must be finite, got {value:g}')
        return value

    def vector(self) -> NDArray[np.float64]:
        """Return three finite numbers, shape (3,)."""
        entries = self.sequence()
        if len(entries) != 3:
            raise self.place.error(f'must be three numbers, got {self.value!r}')
        return np.array([entry.finite() for entry in entries])

    def _child(self, key: str, value: object) -> 'YamlNode':
        path = '' if self.place.element == _OUTERMOST else self.place.element
        return YamlNode(value, Place(self.place.source, f'{path}{key}'.lstrip('.')))


def outermost_node(value: object, source: str) -> YamlNode:
    """Return the outermost value of a file, or of what stands for one."""
    return YamlNode(value, Place(source, _OUTERMOST))


def parse_yaml(text: str, source: str) -> YamlNode:
    """Return the outermost value of a YAML text; an empty mapping for an empty text.

    Parameters
    ----------
    text : str
        Text of the file.
    source : str
        File, or another name for it, to be named in errors.
    """
    return outermost_node(yaml_content(text, source), source)

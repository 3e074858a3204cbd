"""What is written where: fields of a message, or parameters, from the values of an estimate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
import enum
import re
from typing import Any

import numpy as np

from spacerobot_id.measurement.adapters.axes import Axes
from spacerobot_id.measurement.adapters.fields import path_getter
from spacerobot_id.model import RobotModel
from spacerobot_id.model.description.description import Place

Value = float | str | bool | list[float]
"""What a field is filled with."""

_LAST = re.compile(r'(?:(.*)\.)?(\w+)(?:\[(\d+)\])?')
_NANOSECONDS = 1_000_000_000


class Kind(enum.Enum):
    """What an output writes to; the key of the YAML file that says so."""

    TOPIC = 'topic'
    SERVICE = 'service'
    PARAMETERS = 'parameters'
    FILE = 'file'


@dataclass(frozen=True)
class Subject:
    """Whose mass properties are written.

    Parameters
    ----------
    link : str
        Link, in its frame; the whole robot as it stands, in that of the base link, if empty.
    less_prior : bool
        Whether what the description has of the link is taken away: what remains is its load.
    place : Place, optional
        What errors name.
    """

    link: str = ''
    less_prior: bool = False
    place: Place | None = None


@dataclass(frozen=True)
class Filling:
    """A field and what it is filled with.

    Parameters
    ----------
    path : str
        Field of the message, or name of the parameter.
    values : str or tuple
        Name of a value; or names and constants, one for each number of an array.
    constant : float, str or bool, optional
        What the field always is, instead.
    scale : float
        SI units in one of the unit that the field has.
    place : Place, optional
        What errors name.
    """

    path: str
    values: str | tuple[str | float, ...] = ()
    constant: float | str | bool | None = None
    scale: float = 1.0
    place: Place | None = None

    def of(self, known: Mapping[str, Value]) -> Value:
        """Return what the field is filled with.

        Raises
        ------
        DescriptionError
            If a value of the estimate is not known.
        """
        if self.constant is not None:
            return self.constant
        if not isinstance(self.values, str):
            return [self._scaled(self._looked_up(each, known)) for each in self.values]
        value = self._looked_up(self.values, known)
        if isinstance(value, list):
            return [self._scaled(each) for each in value]
        return self._scaled(value)

    def _looked_up(self, name: str | float, known: Mapping[str, Value]) -> Value:
        if not isinstance(name, str):
            return name
        if name not in known:
            raise self.place.error(f'{name} does not show with this method and these data')
        return known[name]

    def _scaled(self, value: Value) -> Value:
        return value if isinstance(value, str) or self.scale == 1.0 else value / self.scale


@dataclass(frozen=True)
class Output:
    """How an estimate is written to a topic, a service, parameters of a node or a file.

    Parameters
    ----------
    source : str
        File that says so.
    kind : Kind
        What is written to.
    name : str
        Topic, service, node that has the parameters, or file.
    fillings : tuple of Filling
        Fields or parameters.
    place : Place
        What errors name.
    type : str
        Type of the messages or the service, such as ``geometry_msgs/msg/InertiaStamped``.
    subject : Subject
        Whose mass properties.
    axes : Axes
        Axes that they are written in.
    description : str
        A sentence for people.
    """

    source: str
    kind: Kind
    name: str
    fillings: tuple[Filling, ...]
    place: Place
    type: str = ''
    subject: Subject = Subject()
    axes: Axes = field(default_factory=Axes)
    description: str = ''

    def check(self, model: RobotModel) -> None:
        """Raise DescriptionError if the robot has no such link."""
        link = self.subject.link
        if link and link not in model.link_names:
            known = ', '.join(model.link_names)
            raise self.subject.place.error(f'{model.name} has no link {link!r}; it has {known}')

    def filled(self, known: Mapping[str, Value]) -> dict[str, Value]:
        """Return what each field or parameter is, by its path."""
        return {each.path: each.of(known) for each in self.fillings}

    def fill(self, message: object, known: Mapping[str, Value]) -> None:
        """Fill the fields of a message.

        Raises
        ------
        DescriptionError
            If the message has no such field, or that takes no such value.
        """
        for each in self.fillings:
            _assign(message, each, each.of(known))


def _assign(message: object, filling: Filling, value: Value) -> None:
    """Set a field of a message, or an element of one that is an array."""
    owner_path, name, element = _LAST.fullmatch(filling.path).groups()
    owner: Any = message
    if owner_path:
        owner = path_getter(owner_path, message, filling.place)(message)
    before = path_getter(name, owner, filling.place)(owner)
    if element is not None:
        if len(before) <= int(element):
            raise filling.place.error(f'has {len(before)} elements')
        before[int(element)] = _number(value, filling)
    elif hasattr(before, 'nanosec'):
        whole, share = divmod(_number(value, filling), 1.0)
        more, before.nanosec = divmod(round(share * _NANOSECONDS), _NANOSECONDS)
        before.sec = int(whole) + more
    elif isinstance(before, str | bool):
        if not isinstance(value, type(before)):
            raise filling.place.error(f'is {type(before).__name__}, not {value!r}')
        setattr(owner, name, value)
    elif isinstance(before, int | float | np.number):
        number = _number(value, filling)
        setattr(owner, name, round(number) if isinstance(before, int) else number)
    elif hasattr(before, 'x'):
        _assign_parts(before, filling, value)
    elif hasattr(before, '__len__'):
        setattr(owner, name, _array(before, filling, value))
    else:
        raise filling.place.error(f'is {type(before).__name__}: say which of its fields')


def _assign_parts(vector: object, filling: Filling, value: Value) -> None:
    """Set the components of a vector."""
    parts = [part for part in 'xyzw' if hasattr(vector, part)]
    for part, number in zip(parts, _numbers(value, len(parts), filling), strict=True):
        setattr(vector, part, number)


def _array(before: Any, filling: Filling, value: Value) -> object:  # noqa: ANN401
    """Return numbers as the array that was there: of as many elements where that is fixed."""
    length = len(before) or (len(value) if isinstance(value, list) else 0)
    numbers = _numbers(value, length, filling)
    return np.array(numbers, dtype=before.dtype) if isinstance(before, np.ndarray) else numbers


def _numbers(value: Value, count: int, filling: Filling) -> Sequence[float]:
    if not isinstance(value, list) or len(value) != count:
        got = len(value) if isinstance(value, list) else repr(value)
        raise filling.place.error(f'takes {count} numbers, got {got}')
    return [float(each) for each in value]


def _number(value: Value, filling: Filling) -> float:
    if isinstance(value, bool | str | list):
        raise filling.place.error(f'takes a number, got {value!r}')
    return float(value)

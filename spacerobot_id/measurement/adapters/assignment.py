"""Values written into the fields of messages: the other direction of ``fields``."""

from collections.abc import Sequence
import re
from typing import Any

import numpy as np

from spacerobot_id.measurement.adapters.fields import path_getter
from spacerobot_id.model.description.description import Place

Value = float | str | bool | Sequence[float] | Sequence[str]
"""What a field is filled with."""

_LAST = re.compile(r'(?:(.*)\.)?(\w+)(?:\[(\d+)(?::(\d+))?\])?')
_NANOSECONDS = 1_000_000_000
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
        more, before.nanosec = divmod(round(share * _NANOSECONDS), _NANOSECONDS)
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

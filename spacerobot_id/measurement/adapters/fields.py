"""Numbers from the fields of messages: paths are looked up once, and then gathered directly."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.model.description.description import Place

Getter = Callable[[Any], Any]
"""Returns something of a message."""

_PATH = re.compile(r'[A-Za-z]\w*(\[\d+(:\d+)?\])?(\.[A-Za-z]\w*(\[\d+(:\d+)?\])?)*')
_PART = re.compile(r'(\w+)(?:\[(\d+)(?::(\d+))?\])?')


def is_path(text: str) -> bool:
    """Return whether a text is a path of fields such as ``pose.position`` or ``data[1:9]``."""
    return _PATH.fullmatch(text) is not None and ':' not in text.rpartition('.')[0]


def path_getter(path: str, sample: object, place: Place) -> Getter:
    """Return what reads a field of messages.

    Parameters
    ----------
    path : str
        Fields, elements and, at the end, a range of elements.
    sample : object
        Some message of the type; the path is looked up in it.
    place : Place
        What errors name.

    Raises
    ------
    DescriptionError
        If the message has no such field.
    """
    steps: list[Getter] = []
    names: list[str] = []
    value = sample
    for name, first, last in _PART.findall(path):
        names.append(name)
        value = _looked_up(value, name, path, place)
        if not first:
            continue
        steps.append(attrgetter('.'.join(names)))
        names = []
        wanted = slice(int(first), int(last)) if last else int(first)
        steps.append(partial(_elements, wanted, path))
        value = _element(value, wanted)
    if names:
        steps.append(attrgetter('.'.join(names)))
    if len(steps) == 1:
        return steps[0]
    return partial(_through, tuple(steps))


def numbers_getter(
    fields: str | Sequence[str | float], sample: object, place: Place
) -> Callable[[Any], NDArray[np.float64]]:
    """Return what reads numbers of messages as an array.

    Parameters
    ----------
    fields : str or sequence
        Path of an array, a vector or a quaternion; or of each number alone, or the number itself.
    sample : object
        Some message of the type.
    place : Place
        What errors name.

    Raises
    ------
    DescriptionError
        If the message has no such field, or it is no number.
    """
    if isinstance(fields, str):
        get = path_getter(fields, sample, place)
        value = probed(get, sample)
        parts = [part for part in 'xyzw' if hasattr(value, part)]
        if parts and '[' in fields:
            return partial(_gathered, partial(_through, (get, attrgetter(*parts))))
        if parts:
            return partial(_gathered, attrgetter(*(f'{fields}.{part}' for part in parts)))
        if _is_number(value):
            return partial(_single, get)
        if hasattr(value, '__len__') and not isinstance(value, str):
            return partial(_array, get)
        if value is not None:
            raise place.error(f'{fields} is {type(value).__name__}, neither numbers nor a vector')
        return partial(_array, get)
    getters = [
        path_getter(each, sample, place) if isinstance(each, str) else each for each in fields
    ]
    for path, get in zip(fields, getters, strict=True):
        value = probed(get, sample) if callable(get) else get
        if value is not None and not _is_number(value):
            raise place.error(f'{path} is {type(value).__name__}, not a number')
    if all(isinstance(each, attrgetter) for each in getters) and len(getters) > 1:
        return partial(_gathered, attrgetter(*fields))
    return partial(_each, tuple(getters))


def _looked_up(value: object, name: str, path: str, place: Place) -> object:
    """Return the field of a message; None where its message is not known yet."""
    if value is None or hasattr(value, name):
        return getattr(value, name, None)
    has = ', '.join(field_names(value)) or 'none'
    kind = getattr(value, '__msgtype__', type(value).__name__)
    raise place.error(f'{path}: {kind} has no field {name!r}; it has {has}')


def field_names(message: object) -> tuple[str, ...]:
    """Return the names of the fields of a message, whatever made it."""
    if hasattr(message, 'get_fields_and_field_types'):
        return tuple(message.get_fields_and_field_types())
    names = getattr(message, '__dataclass_fields__', None) or getattr(message, '__dict__', {})
    return tuple(name for name in names if not name.startswith('_'))


def _element(value: object, wanted: slice | int) -> object:
    """Return an element of a sample; None where the sample has none."""
    if isinstance(wanted, slice):
        return value
    try:
        return value[wanted]  # type: ignore[index]
    except (IndexError, TypeError):
        return None


def probed(get: Getter, sample: object) -> object:
    """Return the value of a sample; None where its arrays are too short."""
    try:
        return get(sample)
    except MeasurementError:
        return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number | np.bool_)


def _elements(wanted: slice | int, path: str, values: Any) -> Any:  # noqa: ANN401
    """Return elements of an array."""
    last = wanted.stop if isinstance(wanted, slice) else wanted + 1
    if len(values) < last:
        raise MeasurementError(f'{path}: there are only {len(values)} values')
    return values[wanted]


def _through(steps: tuple[Getter, ...], message: Any) -> Any:  # noqa: ANN401
    """Return what several steps lead to."""
    for step in steps:
        message = step(message)
    return message


def _gathered(get: Getter, message: object) -> NDArray[np.float64]:
    return np.array(get(message), dtype=float)


def _single(get: Getter, message: object) -> NDArray[np.float64]:
    return np.array([get(message)], dtype=float)


def _each(getters: tuple[Any, ...], message: object) -> NDArray[np.float64]:
    return np.array([get(message) if callable(get) else get for get in getters], dtype=float)


def _array(get: Getter, message: object) -> NDArray[np.float64]:
    values = get(message)
    if isinstance(values, list | tuple) and values and isinstance(values[0], bytes):
        values = [each[0] for each in values]  # octets, as rclpy has them
    return np.asarray(values, dtype=float)

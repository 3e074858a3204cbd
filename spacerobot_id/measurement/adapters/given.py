"""What is given to read one quantity of a topic, and its numbers, names and texts read."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.adapters.adapter import Adapter, Numbers, Quantity, Source, Text
from spacerobot_id.measurement.adapters.fields import numbers_getter, path_getter
from spacerobot_id.measurement.readings import Reading

Vector = Callable[[Any], NDArray[np.float64]]
"""Returns numbers of a message."""

Read = Callable[[Any, float], Reading]
"""Returns the reading of a message; takes the time of its receipt, s, too."""

Stamp = Callable[[Any, float], float]
"""Returns the time of a message, s, which may be that of its receipt."""


@dataclass(frozen=True, eq=False)
class Given:
    """A quantity of a topic, and some message of it.

    Parameters
    ----------
    adapter : Adapter
        Adapter, of its robot.
    source : Source
        The topic.
    quantity : Quantity
        What is to be read.
    sample : object
        Some message, in which fields are looked up.
    kind : str
        Its type, such as ``sensor_msgs/msg/Imu``.
    """

    adapter: Adapter
    source: Source
    quantity: Quantity
    sample: object
    kind: str

    @property
    def is_standard(self) -> bool:
        """Whether the quantity is read as a message of ROS has it, by no fields of its own."""
        return not self.quantity.numbers and self.quantity.attitude is None

    def numbers(self, key: str) -> Numbers | None:
        """Return where some numbers of the quantity are; None where they are not."""
        return self.quantity.numbers.get(key)

    def vector(self, key: str, turn: NDArray[np.float64] | None = None) -> Vector | None:
        """Return what reads three numbers, or fewer of motion in the plane, and turns them."""
        numbers = self.numbers(key)
        if numbers is None:
            return None
        widened = partial(
            _planar, read_numbers(numbers, self.sample), key in _ABOUT_Z, numbers.place.element
        )
        if turn is None or np.array_equal(turn, np.eye(3)):
            return widened
        return lambda message: turn @ widened(message)


_ABOUT_Z = ('angular', 'angular_velocity', 'torque')
"""Vectors of which a single number is about z."""


def read_numbers(numbers: Numbers, sample: object) -> Vector:
    """Return what reads numbers in SI units."""
    get = numbers_getter(numbers.fields, sample, numbers.place)
    if numbers.scale == 1.0:
        return get
    scale = np.array(numbers.scale)
    if scale.ndim == 0:
        return lambda message: get(message) * scale
    return partial(_scaled, get, scale, numbers.place.element)


def _scaled(
    get: Vector, scale: NDArray[np.float64], what: str, message: object
) -> NDArray[np.float64]:
    values = get(message)
    if values.shape != scale.shape:
        raise MeasurementError(f'{what}: {len(values)} values, not {len(scale)}')
    return values * scale


def _planar(get: Vector, about_z: bool, what: str, message: object) -> NDArray[np.float64]:
    """Return three numbers; of motion in the plane two are along x and y, one is about z."""
    values = get(message)
    if len(values) == 3:
        return values
    if about_z and len(values) == 1:
        return np.array([0.0, 0.0, values[0]])
    if not about_z and len(values) == 2:
        return np.append(values, 0.0)
    raise MeasurementError(f'{what}: {len(values)} values, not three')


def read_text(text: Text | None, sample: object, default: str) -> Callable[[Any], str]:
    """Return what reads a text."""
    if text is None or text.constant is not None:
        constant = default if text is None else text.constant
        return lambda _message: constant
    return path_getter(text.path, sample, text.place)


def read_names(given: Given) -> Callable[[Any], tuple[str, ...]]:
    """Return what reads the names of joints or thrusters, those of the description."""
    names, renamed = given.quantity.names, given.quantity.renamed
    if names is None:
        raise given.quantity.place.error('names are missing')
    if isinstance(names, tuple):
        constant = tuple(renamed.get(name, name) for name in names)
        return lambda _message: constant
    get = read_text(names, given.sample, '')
    if not renamed:
        return lambda message: tuple(get(message))
    return lambda message: tuple(renamed.get(name, name) for name in get(message))

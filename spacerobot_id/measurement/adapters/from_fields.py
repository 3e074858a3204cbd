"""Quantities gathered from the fields of messages of any type."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
import math
from operator import attrgetter
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.adapters.adapter import (
    Adapter,
    Attitude,
    Frame,
    Numbers,
    Quantity,
    quaternion_matrix,
    Source,
    Text,
)
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import Reading
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.stream_kind import MessageStream
from spacerobot_id.measurement.streams.thrust_stream import ThrustStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.measurement.streams.wrench_stream import WrenchStream
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
        if parts:
            return lambda message: _array([getattr(get(message), part) for part in parts])
        is_array = hasattr(value, '__len__') and not isinstance(value, str)
        if not (value is None or is_array or _is_number(value)):
            raise place.error(f'{fields} is {type(value).__name__}, neither numbers nor a vector')
        return lambda message: _array(get(message))
    getters = [
        path_getter(each, sample, place) if isinstance(each, str) else each for each in fields
    ]
    for path, get in zip(fields, getters, strict=True):
        value = probed(get, sample) if callable(get) else get
        if value is not None and not _is_number(value):
            raise place.error(f'{path} is {type(value).__name__}, not a number')
    return lambda message: _array([get(message) if callable(get) else get for get in getters])


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


def _array(values: Any) -> NDArray[np.float64]:  # noqa: ANN401
    """Return one number or several as an array."""
    if isinstance(values, list | tuple) and values and isinstance(values[0], bytes):
        values = [each[0] for each in values]  # octets, as rclpy has them
    return np.atleast_1d(np.asarray(values, dtype=float))


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

    def numbers(self, key: str, missing: NDArray[np.float64]) -> Vector:
        """Return what reads some numbers of the quantity; others stand for what is missing."""
        numbers = self.quantity.numbers.get(key)
        if numbers is None:
            return lambda _message: missing
        return read_numbers(numbers, self.sample, self.quantity.place.at(key))

    def vector(self, key: str, turn: NDArray[np.float64]) -> Vector:
        """Return what reads three numbers, or fewer of motion in the plane, and turns them."""
        get, what = self.numbers(key, np.zeros(3)), self.quantity.place.at(key).element
        return lambda message: turn @ _planar(get(message), key in _ABOUT_Z, what)


_ABOUT_Z = ('angular', 'angular_velocity', 'torque')
"""Vectors of which a single number is about z."""


def read_numbers(numbers: Numbers, sample: object, place: Place) -> Vector:
    """Return what reads numbers in SI units."""
    get = numbers_getter(numbers.fields, sample, place)
    if numbers.scale == 1.0:
        return get
    scale = np.array(numbers.scale)
    if scale.ndim == 0:
        return lambda message: get(message) * scale
    return partial(_scaled, get, scale, place.element)


def _scaled(
    get: Vector, scale: NDArray[np.float64], what: str, message: object
) -> NDArray[np.float64]:
    values = get(message)
    if values.shape != scale.shape:
        raise MeasurementError(f'{what}: {len(values)} values, not {len(scale)}')
    return values * scale


def _planar(values: NDArray[np.float64], about_z: bool, what: str) -> NDArray[np.float64]:
    """Return three numbers; of motion in the plane two are along x and y, one is about z."""
    if len(values) == 3:
        return values
    if about_z and len(values) == 1:
        return np.array([0.0, 0.0, values[0]])
    if not about_z and len(values) == 2:
        return np.append(values, 0.0)
    raise MeasurementError(f'{what}: {len(values)} values, not three')


def _text(given: Given, key: str, default: str = '') -> Callable[[Any], str]:
    """Return what reads a text of the quantity."""
    text: Text | None = getattr(given.quantity, key)
    if text is None or text.constant is not None:
        constant = default if text is None else text.constant
        return lambda _message: constant
    return path_getter(text.path, given.sample, given.quantity.place.at(key))


def _names(given: Given) -> Callable[[Any], tuple[str, ...]]:
    """Return what reads the names of joints or thrusters, those of the description."""
    names, renamed = given.quantity.names, given.quantity.renamed
    if names is None:
        raise given.quantity.place.error('names are missing')
    if isinstance(names, tuple):
        constant = tuple(renamed.get(name, name) for name in names)
        return lambda _message: constant
    get = _text(given, 'names')
    if not renamed:
        return lambda message: tuple(get(message))
    return lambda message: tuple(renamed.get(name, name) for name in get(message))


def _attitude(given: Given, attitude: Attitude) -> Vector:
    """Return what reads our quaternion."""
    place, axes = given.quantity.place.at(f'attitude.{attitude.form}'), given.source.axes
    get = read_numbers(attitude.numbers, given.sample, place)
    matrix = quaternion_matrix(
        axes.world, axes.body, attitude.order, is_inverse=attitude.is_inverse
    )
    count, word, quaternion = _FORMS[attitude.form]

    def read(message: object) -> NDArray[np.float64]:
        values = get(message)
        if len(values) != count:
            raise MeasurementError(f'{place.element}: {len(values)} values, not {word}')
        return matrix @ quaternion(values)

    return read


def _of_mrp(sigma: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quaternion of modified Rodrigues parameters (Schaub and Junkins, 3.6)."""
    square = sigma @ sigma
    return np.append(2.0 * sigma, 1.0 - square) / (1.0 + square)


def _of_yaw(angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quaternion of a turn about z."""
    half = 0.5 * float(angle[0])
    return np.array([0.0, 0.0, math.sin(half), math.cos(half)])


_FORMS = {
    'quaternion': (4, 'four', np.asarray),
    'mrp': (3, 'three', _of_mrp),
    'yaw': (1, 'one', _of_yaw),
}
"""Numbers that an attitude is given by, and their quaternion."""


def _assembled(stream: type[MessageStream], stamp: Stamp, *parts: Getter) -> Read:
    """Return what reads a message by its parts."""
    return lambda message, receipt: stream(
        stamp(message, receipt), receipt, *(part(message) for part in parts)
    )


def _joints(given: Given, stamp: Stamp) -> Read:
    keys = ('positions', 'velocities', 'efforts')
    parts = (given.numbers(key, np.zeros(0)) for key in keys)
    return _assembled(JointStream, stamp, _names(given), *parts)


def _gyro(given: Given, stamp: Stamp) -> Read:
    rates = given.vector('angular_velocity', given.source.axes.body)
    frame, std = _on_base(given), given.numbers('std', np.zeros(1))

    def noise(message: object) -> float:
        variances = std(message) ** 2
        is_stated = np.isfinite(variances).all() and (variances > 0.0).all()
        return float(np.sqrt(variances.mean())) if is_stated else 0.0

    others = (lambda _, count=count: np.full(count, np.nan) for count in (3, 4))
    return _assembled(ImuStream, stamp, lambda _: frame, rates, noise, *others)


def _on_base(given: Given) -> str:
    """Return the name of the frame on the base that a gyro is given in."""
    frame = given.quantity.frame or Frame()
    if frame.path or frame.name == 'world':
        place = given.quantity.place.at('in')
        raise place.error('must be body, or the name of a frame on the base')
    return given.adapter.base if frame.name == 'body' else frame.name


def _pose(given: Given, stamp: Stamp) -> Read:
    position, attitude = given.vector('position', given.source.axes.world), given.quantity.attitude
    if attitude is None:
        raise given.quantity.place.error('attitude is missing')
    frame, child = _text(given, 'frame_id', given.adapter.world), _text(given, 'child_frame')
    return _assembled(PoseStream, stamp, frame, position, _attitude(given, attitude), child)


def _vectors(
    stream: type[TwistStream | WrenchStream], keys: Sequence[str], given: Given, stamp: Stamp
) -> Read:
    """Return what reads two vectors in the axes of a frame."""

    def reads(turn: NDArray[np.float64]) -> Vector:
        first, second = (given.vector(key, turn) for key in keys)
        return lambda message: np.concatenate([first(message), second(message)])

    framed = _framed(given, reads)
    is_applied = [True] if given.quantity.kind == 'applied_wrench' else []
    return lambda message, receipt: stream(
        stamp(message, receipt), receipt, *framed(message), *is_applied
    )


def _framed(
    given: Given, reads: Callable[[NDArray[np.float64]], Vector]
) -> Callable[[Any], tuple[str, NDArray[np.float64]]]:
    """Return what reads a vector and the name of the frame whose axes it is in."""
    frame, axes = given.quantity.frame or Frame(), given.source.axes

    def of(name: str) -> tuple[str, Vector]:
        named = {'body': given.adapter.base, 'world': given.adapter.world}.get(name, name)
        return named, reads(axes.world if name == 'world' else axes.body)

    if not frame.path:
        name, read = of(frame.name)
        return lambda message: (name, read(message))
    get = path_getter(frame.path, given.sample, given.quantity.place.at('in'))
    known = {value: of(name) for value, name in frame.names.items()}

    def chosen(message: object) -> tuple[str, NDArray[np.float64]]:
        value = int(get(message))
        if value not in known:
            raise MeasurementError(f'{frame.path} is {value}, which the adapter does not know')
        name, read = known[value]
        return name, read(message)

    return chosen


def _thrust(given: Given, stamp: Stamp) -> Read:
    given_shares, is_closed = given.numbers('shares', np.zeros(0)), given.quantity.nan_is_closed

    def shares(message: object) -> NDArray[np.float64]:
        values = given_shares(message)
        return np.nan_to_num(values, nan=0.0) if is_closed else values

    return _assembled(ThrustStream, stamp, _names(given), shares)


_OF_WRENCHES = partial(_vectors, WrenchStream, ('force', 'torque'))

FIELDS: Mapping[str, Callable[[Given, Stamp], Read]] = {
    'joint_states': _joints,
    'imu': _gyro,
    'base_pose': _pose,
    'base_twist': partial(_vectors, TwistStream, ('linear', 'angular')),
    'base_wrench': _OF_WRENCHES,
    'applied_wrench': _OF_WRENCHES,
    'thruster_commands': _thrust,
}
"""What reads each quantity from fields."""

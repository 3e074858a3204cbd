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

    def numbers(self, key: str) -> Numbers | None:
        """Return where some numbers of the quantity are; None where they are not."""
        return self.quantity.numbers.get(key)

    def vector(self, key: str, turn: NDArray[np.float64]) -> Vector | None:
        """Return what reads three numbers, or fewer of motion in the plane, and turns them."""
        numbers = self.numbers(key)
        if numbers is None:
            return None
        get, what = read_numbers(numbers, self.sample), numbers.place.element
        return lambda message: turn @ _planar(get(message), key in _ABOUT_Z, what)


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


def _planar(values: NDArray[np.float64], about_z: bool, what: str) -> NDArray[np.float64]:
    """Return three numbers; of motion in the plane two are along x and y, one is about z."""
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


_NONE = np.zeros(0)


def _attitude(given: Given, attitude: Attitude) -> Vector:
    """Return what reads our quaternion."""
    get, axes = read_numbers(attitude.numbers, given.sample), given.source.axes
    matrix = quaternion_matrix(
        axes.world, axes.body, attitude.order, is_inverse=attitude.is_inverse
    )
    what, (count, word, quaternion) = attitude.numbers.place.element, _FORMS[attitude.form]

    def read(message: object) -> NDArray[np.float64]:
        values = get(message)
        if len(values) != count:
            raise MeasurementError(f'{what}: {len(values)} values, not {word}')
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


def _joints(given: Given, stamp: Stamp) -> Read:
    names = read_names(given)
    parts = [
        (lambda _message: _NONE) if numbers is None else read_numbers(numbers, given.sample)
        for numbers in map(given.numbers, ('positions', 'velocities', 'efforts'))
    ]
    return lambda message, receipt: JointStream(
        stamp(message, receipt), receipt, names(message), *(part(message) for part in parts)
    )


def _gyro(given: Given, stamp: Stamp) -> Read:
    rates = given.vector('angular_velocity', given.source.axes.body)
    frame, std = _on_base(given), given.numbers('std')
    of_std = read_numbers(std, given.sample) if std is not None else lambda _message: np.zeros(1)

    def read(message: object, receipt: float) -> Reading:
        variances = of_std(message) ** 2
        is_stated = np.isfinite(variances).all() and (variances > 0.0).all()
        noise = float(np.sqrt(variances.mean())) if is_stated else 0.0
        others = rates(message), noise, _UNKNOWN, _NO_ATTITUDE
        return ImuStream(stamp(message, receipt), receipt, frame, *others)

    return read


_UNKNOWN, _NO_ATTITUDE = np.full(3, np.nan), np.full(4, np.nan)


def _on_base(given: Given) -> str:
    """Return the name of the frame on the base that a gyro is given in."""
    frame = given.quantity.frame or Frame()
    if frame.path or frame.name == 'world':
        raise frame.place.error('must be body, or the name of a frame on the base')
    return given.adapter.base if frame.name == 'body' else frame.name


def _pose(given: Given, stamp: Stamp) -> Read:
    quantity, sample = given.quantity, given.sample
    position = given.vector('position', given.source.axes.world)
    if quantity.attitude is None:
        raise quantity.place.error('attitude is missing')
    attitude = _attitude(given, quantity.attitude)
    frame = read_text(quantity.frame_id, sample, given.adapter.world)
    child = read_text(quantity.child_frame, sample, '')
    return lambda message, receipt: PoseStream(
        stamp(message, receipt),
        receipt,
        frame(message),
        position(message),
        attitude(message),
        child(message),
    )


def _twist(given: Given, stamp: Stamp) -> Read:
    def reads(turn: NDArray[np.float64]) -> Vector:
        linear, angular = given.vector('linear', turn), given.vector('angular', turn)
        if angular is None:
            return lambda message: np.append(linear(message), (0.0, 0.0, 0.0))
        return lambda message: np.concatenate([linear(message), angular(message)])

    framed = _framed(given, reads)

    def read(message: object, receipt: float) -> Reading:
        frame, values = framed(message)
        return TwistStream(stamp(message, receipt), receipt, frame, values)

    return read


def _wrench(given: Given, stamp: Stamp) -> Read:
    is_applied = given.quantity.kind == 'applied_wrench'

    def reads(turn: NDArray[np.float64]) -> Vector:
        force, torque = (given.vector(key, turn) for key in ('force', 'torque'))
        return lambda message: np.concatenate([force(message), torque(message)])

    framed = _framed(given, reads)

    def read(message: object, receipt: float) -> Reading:
        frame, values = framed(message)
        return WrenchStream(stamp(message, receipt), receipt, frame, values, is_applied)

    return read


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
    get = path_getter(frame.path, given.sample, frame.place)
    known = {value: of(name) for value, name in frame.names.items()}

    def chosen(message: object) -> tuple[str, NDArray[np.float64]]:
        value = int(get(message))
        if value not in known:
            raise MeasurementError(f'{frame.path} is {value}, which the adapter does not know')
        name, read = known[value]
        return name, read(message)

    return chosen


def _thrust(given: Given, stamp: Stamp) -> Read:
    names, shares = read_names(given), read_numbers(given.numbers('shares'), given.sample)
    if given.quantity.nan_is_closed:
        with_nan, shares = shares, lambda message: np.nan_to_num(with_nan(message), nan=0.0)
    return lambda message, receipt: ThrustStream(
        stamp(message, receipt), receipt, names(message), shares(message)
    )


FIELDS: Mapping[str, Callable[[Given, Stamp], Read]] = {
    'joint_states': _joints,
    'imu': _gyro,
    'base_pose': _pose,
    'base_twist': _twist,
    'base_wrench': _wrench,
    'applied_wrench': _wrench,
    'thruster_commands': _thrust,
}
"""What reads each quantity from fields."""

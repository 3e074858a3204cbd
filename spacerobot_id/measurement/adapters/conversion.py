"""Messages to readings: what an adapter says is compiled once, and then only called."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import codecs
from spacerobot_id.measurement.adapters.adapter import (
    Adapter,
    Attitude,
    Frame,
    Numbers,
    Quantity,
    Source,
    Text,
)
from spacerobot_id.measurement.adapters.axes import quaternion_matrix
from spacerobot_id.measurement.adapters.fields import numbers_getter, path_getter
from spacerobot_id.measurement.readings import (
    GyroReading,
    JointReading,
    PoseReading,
    Reading,
    ThrustReading,
    TwistReading,
    WrenchReading,
)

Vector = Callable[[Any], NDArray[np.float64]]
"""Returns numbers of a message."""

Read = Callable[[Any, float], Reading]
"""Returns what a message says; takes the time of its receipt, s, too."""

Stamp = Callable[[Any, float], float]
"""Returns the time of a message, s, which may be that of its receipt."""

STANDARD: dict[str, Mapping[str, Callable[[Any], Reading]]] = {
    'joint_states': {'sensor_msgs/msg/JointState': codecs.joints_from_message},
    'imu': {'sensor_msgs/msg/Imu': codecs.gyro_from_message},
    'base_pose': {
        'geometry_msgs/msg/PoseStamped': codecs.pose_from_message,
        'nav_msgs/msg/Odometry': codecs.pose_from_message,
    },
    'base_twist': {
        'geometry_msgs/msg/TwistStamped': codecs.twist_from_message,
        'nav_msgs/msg/Odometry': codecs.twist_from_message,
    },
    'base_wrench': {'geometry_msgs/msg/WrenchStamped': codecs.wrench_from_message},
    'applied_wrench': {
        'geometry_msgs/msg/WrenchStamped': partial(codecs.wrench_from_message, is_applied=True)
    },
    'thruster_commands': {'sensor_msgs/msg/JointState': codecs.thrust_from_message},
}
STANDARD |= {
    f'true_{kind}': STANDARD[kind] for kind in ('joint_states', 'base_pose', 'base_twist')
}
"""Messages of ROS that say each quantity, and what reads them."""

UNREADABLE = (MeasurementError, AttributeError, TypeError, ValueError)
"""What may be raised where a message has not what its adapter says."""

_NONE = np.zeros(0)

_NEEDED = {
    'imu': ('angular_velocity',),
    'base_pose': ('position',),
    'base_twist': ('linear',),
    'thruster_commands': ('shares',),
}
"""Numbers that a quantity has to have where it is read from fields."""


@dataclass(frozen=True, eq=False)
class _Given:
    """A quantity of a topic, and some message of it."""

    adapter: Adapter
    source: Source
    quantity: Quantity
    sample: object
    kind: str

    def numbers(self, key: str) -> Numbers | None:
        return self.quantity.numbers.get(key)

    def vector(self, key: str, turn: NDArray[np.float64] | None = None) -> Vector | None:
        """Return what reads three numbers, or fewer of motion in the plane, and turns them."""
        numbers = self.numbers(key)
        if numbers is None:
            return None
        widened = partial(
            _planar, _read(numbers, self.sample), key in _ABOUT_Z, numbers.place.element
        )
        if turn is None or np.array_equal(turn, np.eye(3)):
            return widened
        return lambda message: turn @ widened(message)


_ABOUT_Z = ('angular', 'angular_velocity', 'torque')
"""Vectors of which a single number is about z."""


def conversion(
    adapter: Adapter, source: Source, sample: object, kind: str
) -> Callable[[Any, float], tuple[Reading, ...]]:
    """Return what makes readings of the messages of a topic.

    Parameters
    ----------
    adapter : Adapter
        Adapter, of its robot.
    source : Source
        One of its topics.
    sample : object
        Some message: the fields are looked up in it, and never again.
    kind : str
        Type of the messages, such as ``sensor_msgs/msg/Imu``.

    Returns
    -------
    callable
        Takes a message and the time of its receipt, s; raises MeasurementError where a message
        has not what the others have.

    Raises
    ------
    DescriptionError
        If the messages have no such fields; names file and key.
    """
    reads = [_reader(_Given(adapter, source, each, sample, kind)) for each in source.quantities]
    if len(reads) == 1:
        (read,) = reads
        return lambda message, receipt: (read(message, receipt),)
    return lambda message, receipt: tuple(read(message, receipt) for read in reads)


def _reader(given: _Given) -> Read:
    """Return what reads one quantity."""
    quantity, source = given.quantity, given.source
    is_standard = not quantity.numbers and quantity.attitude is None
    if is_standard:
        known = STANDARD[quantity.kind]
        if given.kind not in known:
            raise quantity.place.error(
                f'says no fields, as {" or ".join(known)} needs none; {given.kind} does'
            )
        read = _turned(given, known[given.kind])
        if (source.stamp.path, source.stamp.offset) == ('header.stamp', 0.0):
            return lambda message, _receipt: read(message)
        stamp = _stamp(given)
        return lambda message, receipt: replace(read(message), stamp=stamp(message, receipt))
    for key in _NEEDED.get(quantity.kind, ()):
        if key not in quantity.numbers:
            raise quantity.place.error(f'{key} is missing')
    return _FIELDS[quantity.kind](given, _stamp(given))


def _stamp(given: _Given) -> Stamp:
    """Return what reads the time of messages."""
    source, sample = given.source.stamp, given.sample
    place, offset = source.place or given.source.place, source.offset
    if not source.path:
        return lambda _message, receipt: receipt + offset
    get = path_getter(source.path, sample, place)
    value = get(sample)
    if hasattr(value, 'nanosec') != (source.scale == 0.0):
        said = 'is a time and has no unit' if source.scale else 'needs a unit: it is a number'
        raise place.error(f'{source.path} {said}')
    if source.scale == 0.0:
        return lambda message, _receipt: codecs.seconds_from_stamp(get(message)) + offset
    per_second = round(1.0 / source.scale)
    if math.isclose(per_second * source.scale, 1.0):  # divided by, it is rounded once
        return lambda message, _receipt: get(message) / per_second + offset
    return lambda message, _receipt: get(message) * source.scale + offset


def _read(numbers: Numbers, sample: object) -> Vector:
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


def _text(text: Text | None, sample: object, default: str) -> Callable[[Any], str]:
    """Return what reads a text."""
    if text is None or text.constant is not None:
        constant = default if text is None else text.constant
        return lambda _message: constant
    return path_getter(text.path, sample, text.place)


def _names(given: _Given) -> Callable[[Any], tuple[str, ...]]:
    """Return what reads the names of joints or thrusters, those of the description."""
    names, renamed = given.quantity.names, given.quantity.renamed
    if names is None:
        raise given.quantity.place.error('names are missing')
    if isinstance(names, tuple):
        constant = tuple(renamed.get(name, name) for name in names)
        return lambda _message: constant
    get = _text(names, given.sample, '')
    if not renamed:
        return lambda message: tuple(get(message))
    return lambda message: tuple(renamed.get(name, name) for name in get(message))


def _attitude(given: _Given, attitude: Attitude) -> Vector:
    """Return what reads our quaternion."""
    get, axes = _read(attitude.numbers, given.sample), given.source.axes
    matrix = quaternion_matrix(
        axes.world, axes.body, attitude.order, is_inverse=attitude.is_inverse
    )
    if attitude.form == 'quaternion':
        form = partial(_four, get, attitude.numbers.place.element)
    else:
        form = partial(_FORMS[attitude.form], get, attitude.numbers.place.element)
    if np.array_equal(matrix, np.eye(4)):
        return form
    return lambda message: matrix @ form(message)


def _four(get: Vector, what: str, message: object) -> NDArray[np.float64]:
    values = get(message)
    if len(values) != 4:
        raise MeasurementError(f'{what}: {len(values)} values, not four')
    return values


def _of_mrp(get: Vector, what: str, message: object) -> NDArray[np.float64]:
    """Return the quaternion of modified Rodrigues parameters (Schaub and Junkins, 3.6)."""
    sigma = get(message)
    if len(sigma) != 3:
        raise MeasurementError(f'{what}: {len(sigma)} values, not three')
    square = sigma @ sigma
    return np.append(2.0 * sigma, 1.0 - square) / (1.0 + square)


def _of_yaw(get: Vector, what: str, message: object) -> NDArray[np.float64]:
    """Return the quaternion of a turn about z."""
    values = get(message)
    if len(values) != 1:
        raise MeasurementError(f'{what}: {len(values)} values, not one')
    half = 0.5 * float(values[0])
    return np.array([0.0, 0.0, math.sin(half), math.cos(half)])


_FORMS = {'mrp': _of_mrp, 'yaw': _of_yaw}


def _joints(given: _Given, stamp: Stamp) -> Read:
    names = _names(given)
    parts = [
        (lambda _message: _NONE) if numbers is None else _read(numbers, given.sample)
        for numbers in map(given.numbers, ('positions', 'velocities', 'efforts'))
    ]
    positions, velocities, efforts = parts
    return lambda message, receipt: JointReading(
        stamp(message, receipt),
        names(message),
        positions(message),
        velocities(message),
        efforts(message),
    )


def _gyro(given: _Given, stamp: Stamp) -> Read:
    rates = given.vector('angular_velocity', given.source.axes.body)
    frame, std = _on_base(given), given.numbers('std')
    if std is None:
        return lambda message, receipt: GyroReading(
            stamp(message, receipt), frame, rates(message), None, False, _UNKNOWN, _NO_ATTITUDE
        )
    of_std = _read(std, given.sample)
    return lambda message, receipt: GyroReading(
        stamp(message, receipt),
        frame,
        rates(message),
        np.eye(3) * of_std(message) ** 2,
        False,
        _UNKNOWN,
        _NO_ATTITUDE,
    )


_UNKNOWN, _NO_ATTITUDE = np.full(3, np.nan), np.full(4, np.nan)


def _on_base(given: _Given) -> str:
    """Return the name of the frame on the base that a gyro is given in."""
    frame = given.quantity.frame or Frame()
    if frame.path or frame.name == 'world':
        raise frame.place.error('must be body, or the name of a frame on the base')
    return given.adapter.base if frame.name == 'body' else frame.name


def _pose(given: _Given, stamp: Stamp) -> Read:
    quantity, sample = given.quantity, given.sample
    position = given.vector('position', given.source.axes.world)
    if quantity.attitude is None:
        raise quantity.place.error('attitude is missing')
    attitude = _attitude(given, quantity.attitude)
    frame = _text(quantity.frame_id, sample, given.adapter.world)
    child = _text(quantity.child_frame, sample, '')
    return lambda message, receipt: PoseReading(
        stamp(message, receipt),
        frame(message),
        position(message),
        attitude(message),
        child(message),
    )


def _twist(given: _Given, stamp: Stamp) -> Read:
    def reads(turn: NDArray[np.float64]) -> Vector:
        linear, angular = given.vector('linear', turn), given.vector('angular', turn)
        if angular is None:
            return lambda message: np.append(linear(message), (0.0, 0.0, 0.0))
        return lambda message: np.concatenate([linear(message), angular(message)])

    framed = _framed(given, reads)

    def read(message: object, receipt: float) -> Reading:
        frame, values = framed(message)
        return TwistReading(stamp(message, receipt), frame, values)

    return read


def _wrench(given: _Given, stamp: Stamp) -> Read:
    is_applied = given.quantity.kind == 'applied_wrench'

    def reads(turn: NDArray[np.float64]) -> Vector:
        parts = [given.vector(key, turn) for key in ('force', 'torque')]
        force, torque = (each or (lambda _message: _UNKNOWN) for each in parts)
        return lambda message: np.concatenate([force(message), torque(message)])

    framed = _framed(given, reads)

    def read(message: object, receipt: float) -> Reading:
        frame, values = framed(message)
        return WrenchReading(stamp(message, receipt), frame, values, is_applied)

    return read


def _framed(
    given: _Given, reads: Callable[[NDArray[np.float64]], Vector]
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


def _thrust(given: _Given, stamp: Stamp) -> Read:
    names, shares = _names(given), _read(given.numbers('shares'), given.sample)
    if given.quantity.nan_is_closed:
        told, shares = shares, lambda message: np.nan_to_num(told(message), nan=0.0)
    return lambda message, receipt: ThrustReading(
        stamp(message, receipt), names(message), shares(message)
    )


_FIELDS: Mapping[str, Callable[[_Given, Stamp], Read]] = {
    'joint_states': _joints,
    'imu': _gyro,
    'base_pose': _pose,
    'base_twist': _twist,
    'base_wrench': _wrench,
    'applied_wrench': _wrench,
    'thruster_commands': _thrust,
}
"""What reads each quantity from fields."""


def _turned(given: _Given, read: Callable[[Any], Reading]) -> Callable[[Any], Reading]:
    """Return what reads a message of ROS, its names, frames and axes as the adapter has them."""
    quantity, axes, adapter = given.quantity, given.source.axes, given.adapter
    changes: list[Callable[[Any], dict[str, object]]] = []
    if quantity.renamed:
        renamed = quantity.renamed
        changes.append(lambda r: {'names': tuple(renamed.get(name, name) for name in r.names)})
    if quantity.kind == 'base_pose':
        matrix = quaternion_matrix(axes.world, axes.body)
        if not np.array_equal(matrix, np.eye(4)):
            changes.append(
                lambda r: {'position': axes.world @ r.position, 'attitude': matrix @ r.attitude}
            )
        for key, text in (('frame_id', quantity.frame_id), ('child_frame', quantity.child_frame)):
            if text is not None and text.constant is not None:
                changes.append(lambda _, key=key, text=text: {key: text.constant})
    if quantity.kind in _VECTORS:
        changes += _vector_changes(given, _VECTORS[quantity.kind])
    if quantity.frame is not None:
        names = {'body': adapter.base, 'world': adapter.world}
        name = names.get(quantity.frame.name, quantity.frame.name)
        changes.append(lambda _: {'frame_id': name})
    if not changes:
        return read

    def changed(message: object) -> Reading:
        reading = read(message)
        for change in changes:
            reading = replace(reading, **change(reading))
        return reading

    return changed


_VECTORS = {
    'imu': 'angular_velocity',
    'base_twist': 'twist',
    'base_wrench': 'wrench',
    'applied_wrench': 'wrench',
}
"""Vectors of readings that turn with their axes."""


def _vector_changes(given: _Given, name: str) -> list[Callable[[Any], dict[str, object]]]:
    """Return what turns the vectors of a message of ROS, if its axes are not ours."""
    axes, frame = given.source.axes, given.quantity.frame
    turned = {way: not np.array_equal(getattr(axes, way), np.eye(3)) for way in ('world', 'body')}
    if frame is None and given.quantity.kind != 'imu':
        if any(turned.values()):
            raise given.quantity.place.error('in: body or world is needed where axes are given')
        return []
    way = 'world' if frame is not None and frame.name == 'world' else 'body'
    if not turned[way]:
        return []
    matrix = getattr(axes, way)
    return [lambda r: {name: (getattr(r, name).reshape(-1, 3) @ matrix.T).ravel()}]

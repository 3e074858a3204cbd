"""Quantities gathered from the fields of messages of any type."""

from collections.abc import Callable, Mapping
from functools import partial
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.adapters.adapter import Attitude, Frame
from spacerobot_id.measurement.adapters.axes import quaternion_matrix
from spacerobot_id.measurement.adapters.fields import path_getter
from spacerobot_id.measurement.adapters.given import (
    Given,
    Read,
    read_names,
    read_numbers,
    read_text,
    Stamp,
    Vector,
)
from spacerobot_id.measurement.readings import (
    GyroReading,
    JointReading,
    PoseReading,
    Reading,
    ThrustReading,
    TwistReading,
    WrenchReading,
)

_NONE = np.zeros(0)


def _attitude(given: Given, attitude: Attitude) -> Vector:
    """Return what reads our quaternion."""
    get, axes = read_numbers(attitude.numbers, given.sample), given.source.axes
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


def _joints(given: Given, stamp: Stamp) -> Read:
    names = read_names(given)
    parts = [
        (lambda _message: _NONE) if numbers is None else read_numbers(numbers, given.sample)
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


def _gyro(given: Given, stamp: Stamp) -> Read:
    rates = given.vector('angular_velocity', given.source.axes.body)
    frame, std = _on_base(given), given.numbers('std')
    if std is None:
        return lambda message, receipt: GyroReading(
            stamp(message, receipt), frame, rates(message), None, False, _UNKNOWN, _NO_ATTITUDE
        )
    of_std = read_numbers(std, given.sample)
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
    return lambda message, receipt: PoseReading(
        stamp(message, receipt),
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
        return TwistReading(stamp(message, receipt), frame, values)

    return read


def _wrench(given: Given, stamp: Stamp) -> Read:
    is_applied = given.quantity.kind == 'applied_wrench'

    def reads(turn: NDArray[np.float64]) -> Vector:
        force, torque = (given.vector(key, turn) for key in ('force', 'torque'))
        return lambda message: np.concatenate([force(message), torque(message)])

    framed = _framed(given, reads)

    def read(message: object, receipt: float) -> Reading:
        frame, values = framed(message)
        return WrenchReading(stamp(message, receipt), frame, values, is_applied)

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
    return lambda message, receipt: ThrustReading(
        stamp(message, receipt), names(message), shares(message)
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

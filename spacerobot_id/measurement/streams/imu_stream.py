"""An IMU: read, written, and as columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.measurement.bag.cdr_columns import Columns
from spacerobot_id.measurement.codecs import components, header, Make, seconds_from_stamp, vector
from spacerobot_id.measurement.streams.stream_kind import (
    Arrivals,
    column,
    frame_of,
    OfRow,
    Read,
    stamps_of,
    StreamKind,
    times_of,
)
from spacerobot_id.model import RobotModel

_ABSENT = -1.0
"""First element of a covariance that marks a quantity as not provided."""


@dataclass(frozen=True, eq=False)
class GyroReading:
    """An IMU.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame of the sensor.
    angular_velocity : ndarray, shape (3,)
        Angular velocity of the sensor against the inertial frame, in its own axes, rad/s.
    covariance : ndarray, shape (3, 3), optional
        Covariance, rad^2/s^2; None where the message marks it as unknown (all zero).
    is_absent : bool
        Whether the message marks its angular velocity as not provided (first element -1).
    specific_force : ndarray, shape (3,)
        In the axes of the sensor, m/s^2; NaN where the message marks it as not provided.
    attitude : ndarray, shape (4,)
        Quaternion x y z w; NaN where the message marks it as not provided.
    """

    stamp: float
    frame_id: str
    angular_velocity: NDArray[np.float64]
    covariance: NDArray[np.float64] | None = None
    is_absent: bool = False
    specific_force: NDArray[np.float64] | None = None
    attitude: NDArray[np.float64] | None = None

    @property
    def noise(self) -> float:
        """Standard deviation of an axis that the message states (F9), rad/s; 0 if none."""
        if self.covariance is None:
            return 0.0
        variances = np.diag(self.covariance)
        stated = np.isfinite(variances).all() and (variances > 0.0).all()
        return float(np.sqrt(variances.mean())) if stated else 0.0


@dataclass(frozen=True, eq=False)
class ImuStream:
    """An IMU: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    frame_id : str
        Frame of the sensor.
    angular_velocity : ndarray, shape (N, 3)
        In the axes of the sensor, rad/s; NaN where a message marks it as not provided.
    noise : float
        Standard deviation of each component as stated in the messages, rad/s; zero is unknown.
    specific_force : ndarray, shape (N, 3)
        In the axes of the sensor, m/s^2; NaN where a message marks it as not provided.
    attitudes : ndarray, shape (N, 4)
        Quaternions x y z w; NaN where a message marks it as not provided.
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    frame_id: str
    angular_velocity: NDArray[np.float64]
    noise: float
    specific_force: NDArray[np.float64]
    attitudes: NDArray[np.float64]


def gyro_from_message(message: Any) -> GyroReading:  # noqa: ANN401
    """Return the reading of a ``sensor_msgs/msg/Imu``, with its noise where stated (F9)."""
    covariance = np.array(message.angular_velocity_covariance, dtype=float).reshape(3, 3)
    is_absent = bool(covariance[0, 0] == _ABSENT)
    force = components(message.linear_acceleration)
    attitude = components(message.orientation, 'xyzw')
    has_force = message.linear_acceleration_covariance[0] != _ABSENT
    has_attitude = message.orientation_covariance[0] != _ABSENT
    return GyroReading(
        seconds_from_stamp(message.header.stamp),
        message.header.frame_id,
        components(message.angular_velocity),
        covariance if covariance.any() and not is_absent else None,
        is_absent,
        force if has_force else np.full(3, np.nan),
        attitude if has_attitude else np.full(4, np.nan),
    )


def imu_message(
    make: Make,
    stamp: float,
    frame_id: str,
    angular_velocity: ArrayLike | None,
    standard_deviation: float,
    attitude: ArrayLike | None = None,
    specific_force: ArrayLike | None = None,
) -> object:
    """Return a message of an IMU; what is None is marked as absent.

    Parameters
    ----------
    make : callable
        Makes messages.
    stamp : float
        Time, s.
    frame_id : str
        Frame of the sensor.
    angular_velocity : array_like, shape (3,), optional
        In the axes of the sensor, rad/s.
    standard_deviation : float
        Noise of each component, rad/s; zero means unknown, as the message has it.
    attitude : array_like, shape (4,), optional
        Quaternion x y z w.
    specific_force : array_like, shape (3,), optional
        In the axes of the sensor, m/s^2.
    """
    variance = np.diag(np.full(3, standard_deviation**2)).ravel()
    zero, unknown = np.zeros(3), np.zeros(9)
    missing = np.array([_ABSENT, *np.zeros(8)])
    return make(
        'sensor_msgs/msg/Imu',
        header=header(make, stamp, frame_id),
        orientation=vector(make, (0, 0, 0, 1) if attitude is None else attitude, 'Quaternion'),
        orientation_covariance=missing if attitude is None else unknown,
        angular_velocity=vector(make, zero if angular_velocity is None else angular_velocity),
        angular_velocity_covariance=missing if angular_velocity is None else variance,
        linear_acceleration=vector(make, zero if specific_force is None else specific_force),
        linear_acceleration_covariance=missing if specific_force is None else unknown,
    )


def _of_columns(columns: Columns, arrivals: Arrivals) -> ImuStream:
    covariance = columns.numbers('angular_velocity_covariance')
    is_absent = covariance[:, 0] == _ABSENT
    variances = covariance[~is_absent][:, [0, 4, 8]]
    stated = np.isfinite(variances).all(axis=1) & (variances > 0.0).all(axis=1)
    noise = np.sqrt(variances[stated].mean(axis=1))
    return ImuStream(
        stamps_of(columns),
        arrivals,
        columns.common('header.frame_id'),
        np.where(is_absent[:, None], np.nan, columns.components('angular_velocity')),
        float(np.sqrt(np.median(noise**2))) if len(noise) else 0.0,
        _there(columns, 'linear_acceleration'),
        _there(columns, 'orientation', 'xyzw'),
    )


def _there(columns: Columns, field: str, names: str = 'xyz') -> NDArray[np.float64]:
    """Return a quantity of an IMU; NaN where a message marks it as not provided."""
    is_absent = columns.numbers(f'{field}_covariance')[:, :1] == _ABSENT
    return np.where(is_absent, np.nan, columns.components(field, names))


def _of_read(path: str, read: Sequence[Read]) -> ImuStream:
    """Return an IMU's messages; the noise is the middle one of those stated (F9)."""
    readings = [each.reading for each in read]
    rates = column(read, 'angular_velocity')
    rates[[each.is_absent for each in readings]] = np.nan
    variances = [each.noise**2 for each in readings if each.noise]
    return ImuStream(
        *times_of(read),
        frame_of(path, read),
        rates,
        float(np.sqrt(np.median(variances))) if variances else 0.0,
        column(read, 'specific_force'),
        column(read, 'attitude'),
    )


def _of_row(_model: RobotModel, stream: ImuStream) -> OfRow:
    stamps, rates, frame = stream.stamps.tolist(), stream.angular_velocity, stream.frame_id
    absent = np.isnan(rates).all(axis=1).tolist()
    covariance = stream.noise**2 * np.eye(3) if stream.noise else None
    others = stream.specific_force, stream.attitudes
    return lambda row: GyroReading(
        stamps[row], frame, rates[row], covariance, absent[row], *(each[row] for each in others)
    )


def _messages(make: Make, stream: ImuStream) -> Iterator[object]:
    parts = (stream.angular_velocity, stream.attitudes, stream.specific_force)
    for stamp, *values in zip(stream.stamps.tolist(), *parts, strict=True):
        rates, attitude, force = (None if np.isnan(each[0]) else each for each in values)
        yield imu_message(make, stamp, stream.frame_id, rates, stream.noise, attitude, force)


IMU = StreamKind(
    GyroReading,
    ImuStream,
    {'sensor_msgs/msg/Imu': gyro_from_message},
    _of_columns,
    _of_read,
    _of_row,
    _messages,
)
"""Angular velocities, and what else an IMU says."""

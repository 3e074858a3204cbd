"""An IMU: read, written, and as columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.measurement.codecs import header, Make, vector
from spacerobot_id.measurement.streams.stream_kind import (
    Fields,
    MessageStream,
    stamps_of,
    StreamKind,
)

if TYPE_CHECKING:
    from typing import Self

_ABSENT = -1.0
"""First element of a covariance that marks a quantity as not provided."""


@dataclass(frozen=True, eq=False)
class ImuStream(MessageStream):
    """An IMU: every row is one message, or it is one alone.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    frame_id : str
        Frame of the sensor.
    angular_velocity : ndarray, shape (N, 3)
        Of the sensor against the inertial frame, in its own axes, rad/s; NaN where a message
        marks it as not provided.
    noise : float
        Standard deviation of each component as stated in the messages, the middle one, rad/s; zero
        is unknown (F9).
    specific_force : ndarray, shape (N, 3)
        In the axes of the sensor, m/s^2; NaN where a message marks it as not provided.
    attitudes : ndarray, shape (N, 4)
        Quaternions x y z w; NaN where a message marks it as not provided.
    """

    frame_id: str
    angular_velocity: NDArray[np.float64]
    noise: float
    specific_force: NDArray[np.float64]
    attitudes: NDArray[np.float64]

    @classmethod
    def joined(cls, messages: Sequence['Self'], source: str) -> 'Self':
        """Return single messages as a stream; parameters and errors as of any."""
        stated = [each.noise for each in messages if each.noise]
        stream = super().joined(messages, source)
        noise = float(np.sqrt(np.median(np.square(stated)))) if stated else 0.0
        return replace(stream, noise=noise)


def _decoded(columns: Fields, arrivals: NDArray[np.float64]) -> ImuStream:
    """Return the messages of a ``sensor_msgs/msg/Imu``, with their noise where stated (F9)."""
    variances = columns.numbers('angular_velocity_covariance')[..., [0, 4, 8]].reshape(-1, 3)
    stated = (np.isfinite(variances) & (variances > 0.0)).all(axis=1)
    means = variances[stated].mean(axis=1)
    return ImuStream(
        stamps_of(columns),
        arrivals,
        columns.common('header.frame_id'),
        _there(columns, 'angular_velocity'),
        float(np.sqrt(np.median(means))) if len(means) else 0.0,
        _there(columns, 'linear_acceleration'),
        _there(columns, 'orientation', 'xyzw'),
    )


def _there(columns: Fields, field: str, names: str = 'xyz') -> NDArray[np.float64]:
    """Return a quantity of an IMU; NaN where a message marks it as not provided."""
    is_absent = columns.numbers(f'{field}_covariance')[..., :1] == _ABSENT
    return np.where(is_absent, np.nan, columns.components(field, names))


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


def _encoded(make: Make, one: ImuStream) -> object:
    parts = (one.angular_velocity, one.attitudes, one.specific_force)
    rates, attitude, force = (None if np.isnan(each[0]) else each for each in parts)
    return imu_message(make, one.stamp, one.frame_id, rates, one.noise, attitude, force)


IMU = StreamKind(ImuStream, ('sensor_msgs/msg/Imu',), _decoded, _encoded)
"""Angular velocities, and what else an IMU says."""

gyro_from_message = IMU.of_message

"""Streams of a log from columns of messages of ROS: as by codecs and builders, all at once."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.bag.cdr_columns import Columns
from spacerobot_id.measurement.bag.streams import (
    ImuStream,
    JointStream,
    PoseStream,
    ThrustStream,
    TwistStream,
    WrenchStream,
)
from spacerobot_id.measurement.codecs import NANOSECONDS

_ABSENT = -1.0
"""First element of a covariance that marks a quantity as not provided."""

Arrivals = NDArray[np.float64]
"""When messages came, shape (N,), s."""

Made = JointStream | ImuStream | PoseStream | TwistStream | WrenchStream | ThrustStream
"""What columns become."""


def stream_of_columns(kind: type, columns: Columns, arrivals: Arrivals) -> Made | None:
    """Return the stream that messages make; None where they have to be looked at one by one.

    Parameters
    ----------
    kind : type
        Kind of stream, such as ``ImuStream``.
    columns : Columns
        N messages of a type that has it.
    arrivals : ndarray, shape (N,)
        When they came, s.
    """
    return _MAKERS[kind](columns, arrivals)


def _stamps(columns: Columns) -> NDArray[np.float64]:
    seconds, fraction = (columns.numbers(f'header.stamp.{part}') for part in ('sec', 'nanosec'))
    return (seconds + fraction / NANOSECONDS)[:, 0]


def _joints(columns: Columns, arrivals: Arrivals) -> JointStream | None:
    names = tuple(columns.common('name'))
    if not names or len(set(names)) < len(names):
        return None
    given = (columns.numbers(field) for field in ('position', 'velocity', 'effort'))
    unknown = np.full((len(columns), len(names)), np.nan)
    tables = [each if each.shape[1] == len(names) else unknown for each in given]
    efforts = None if np.isnan(tables[2]).all() else tables[2]
    return JointStream(_stamps(columns), arrivals, names, *tables[:2], efforts)


def _imu(columns: Columns, arrivals: Arrivals) -> ImuStream:
    covariance = columns.numbers('angular_velocity_covariance')
    is_absent = covariance[:, 0] == _ABSENT
    variances = covariance[~is_absent][:, [0, 4, 8]]
    stated = np.isfinite(variances).all(axis=1) & (variances > 0.0).all(axis=1)
    noise = np.sqrt(variances[stated].mean(axis=1))
    return ImuStream(
        _stamps(columns),
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


def _pose(columns: Columns, arrivals: Arrivals) -> PoseStream:
    is_odometry = 'pose.pose.position.x' in columns.places
    pose = 'pose.pose' if is_odometry else 'pose'
    return PoseStream(
        _stamps(columns),
        arrivals,
        columns.common('header.frame_id'),
        columns.components(f'{pose}.position'),
        columns.components(f'{pose}.orientation', 'xyzw'),
        columns.common('child_frame_id') if is_odometry else '',
    )


def _twist(columns: Columns, arrivals: Arrivals) -> TwistStream:
    is_odometry = 'twist.twist.linear.x' in columns.places
    twist = 'twist.twist' if is_odometry else 'twist'
    frame = columns.common('child_frame_id' if is_odometry else 'header.frame_id')
    parts = [columns.components(f'{twist}.{part}') for part in ('linear', 'angular')]
    return TwistStream(_stamps(columns), arrivals, frame, np.hstack(parts))


def _wrench(columns: Columns, arrivals: Arrivals) -> WrenchStream:
    parts = [columns.components(f'wrench.{part}') for part in ('force', 'torque')]
    frame = columns.common('header.frame_id')
    return WrenchStream(_stamps(columns), arrivals, frame, np.hstack(parts))


def _thrust(columns: Columns, arrivals: Arrivals) -> ThrustStream | None:
    names, shares = tuple(columns.common('name')), columns.numbers('effort')
    if len(set(names)) < len(names) or shares.shape[1] != len(names):
        return None
    return ThrustStream(_stamps(columns), arrivals, names, shares)


_MAKERS: dict[type, Callable[[Columns, Arrivals], Made | None]] = {
    JointStream: _joints,
    ImuStream: _imu,
    PoseStream: _pose,
    TwistStream: _twist,
    WrenchStream: _wrench,
    ThrustStream: _thrust,
}

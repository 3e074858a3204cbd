"""Arrays as the streams of a log: what a simulation, a notebook or a CSV file has."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.thrust_stream import ThrustStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.measurement.streams.wrench_stream import WrenchStream
from spacerobot_id.model import RobotModel

ARRAYS: Mapping[str, str] = {
    'q': 'joint positions, shape (N, n), rad or m',
    'qd': 'joint rates, shape (N, n)',
    'effort': 'joint torques or forces, shape (N, n)',
    'wheel_rates': 'rates of the wheels, shape (N, w), rad/s',
    'gyro': 'angular velocity of the base in base axes, shape (N, 3), rad/s',
    'position': 'position of the base in the inertial frame, shape (N, 3), m',
    'attitude': 'quaternions x y z w from base to inertial axes, shape (N, 4)',
    'twist': 'linear, then angular velocity of the base in base axes, shape (N, 6)',
    'wrench': 'force, then torque on the base in base axes from each time on, shape (N, 6)',
    'thrust': 'shares of thrusters from each time on, shape (N, T)',
}
"""What arrays ``identify`` takes, and their shapes and units."""

_JOINT_ARRAYS, _POSE_ARRAYS = ('q', 'qd', 'effort', 'wheel_rates'), ('position', 'attitude')


def streams_from_arrays(robot: RobotModel, arrays: Mapping[str, ArrayLike]) -> BagStreams:
    """Return arrays as the streams of a log.

    Parameters
    ----------
    robot : RobotModel
        Names joints, wheels and thrusters, in the order of the columns.
    arrays : mapping of str to array_like, or to a pair of array_like
        Values by the names of ``ARRAYS``, and ``times``; or pairs of times and values.

    Raises
    ------
    MeasurementError
        If a name is unknown, or an array has another size than it should; names the array.
    """
    widths = {'gyro': 3, 'position': 3, 'attitude': 4, 'twist': 6, 'wrench': 6}
    widths |= dict.fromkeys(('q', 'qd', 'effort'), len(robot.joints))
    widths |= {'wheel_rates': len(robot.wheels), 'thrust': len(robot.thrusters)}
    unknown = arrays.keys() - {'times'} - ARRAYS.keys()
    if unknown:
        raise MeasurementError(
            f'{min(unknown)}: unknown array; known are times, {", ".join(ARRAYS)}'
        )
    times, values = {}, {}
    for name in arrays.keys() - {'times'}:
        times[name], values[name] = _column(name, arrays, widths[name])
    for group in (_JOINT_ARRAYS, _POSE_ARRAYS):
        there = [name for name in group if name in times]
        for name in there[1:]:
            if not np.array_equal(times[name], times[there[0]]):
                raise MeasurementError(f'{name}: must have the times of {there[0]}')
    base = robot.links[0].name
    streams: dict[str, object] = {}
    if joints := [name for name in _JOINT_ARRAYS if name in times]:
        streams['joints'] = _joint_stream(robot, times[joints[0]], values)
    if 'gyro' in times:
        missing = np.full((len(times['gyro']), 7), np.nan)
        streams['imu'] = ImuStream(
            *_twice(times['gyro']), base, values['gyro'], 0.0, missing[:, :3], missing[:, 3:]
        )
    if 'attitude' in times:
        place = values.get('position', np.full((len(times['attitude']), 3), np.nan))
        if 'position' not in times:
            raise MeasurementError('position: it is missing, and attitude is there')
        streams['pose'] = PoseStream(*_twice(times['attitude']), '', place, values['attitude'])
    elif 'position' in times:
        raise MeasurementError('attitude: it is missing, and position is there')
    if 'twist' in times:
        streams['twist'] = TwistStream(*_twice(times['twist']), base, values['twist'])
    if 'wrench' in times:
        streams['wrench'] = WrenchStream(*_twice(times['wrench']), base, values['wrench'])
    if 'thrust' in times:
        names = tuple(each.name for each in robot.thrusters)
        streams['thrust'] = ThrustStream(*_twice(times['thrust']), names, values['thrust'])
    return BagStreams(**streams)


def _twice(times: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return stamps and arrivals, which are not known to differ."""
    return times, times


def _column(
    name: str, arrays: Mapping[str, ArrayLike], width: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the times and the values of one array."""
    given = arrays[name]
    is_pair = isinstance(given, tuple) and len(given) == 2
    if not is_pair and 'times' not in arrays:
        raise MeasurementError(f'{name}: its times are missing: give times, or a pair')
    try:
        times, values = (
            np.asarray(each, dtype=float)
            for each in (given if is_pair else (arrays['times'], given))
        )
    except (TypeError, ValueError):
        raise MeasurementError(f'{name}: must be numbers') from None
    if values.ndim == 1 and width == 1:
        values = values[:, None]
    if times.ndim != 1 or values.shape != (len(times), width):
        raise MeasurementError(
            f'{name}: must have the shape ({times.size}, {width}), got {values.shape}: '
            f'{ARRAYS[name]}'
        )
    if not (np.isfinite(times).all() and (np.diff(times) > 0.0).all()):
        raise MeasurementError(f'{name}: its times must be finite and increase')
    return times, values


def _joint_stream(
    robot: RobotModel, times: NDArray[np.float64], values: Mapping[str, NDArray[np.float64]]
) -> JointStream:
    """Return joints and wheels as one stream."""
    joints, wheels = ((len(times), len(each)) for each in (robot.joints, robot.wheels))
    positions = [values.get('q', np.full(joints, np.nan)), np.full(wheels, np.nan)]
    rates = [
        values.get('qd', np.full(joints, np.nan)),
        values.get('wheel_rates', np.full(wheels, np.nan)),
    ]
    efforts = None
    if 'effort' in values:
        efforts = np.hstack([values['effort'], np.full(wheels, np.nan)])
    names = (*robot.joint_names, *robot.wheel_names)
    return JointStream(*_twice(times), names, np.hstack(positions), np.hstack(rates), efforts)

"""A log of messages as one measurement: judged and aligned as the live estimator does it."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
import heapq

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.data import (
    Alignment,
    AlignmentSettings,
    BagStreams,
    Measurement,
    VelocitySource,
    Verdict,
)
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.model import RobotModel
from spacerobot_id.spatial import normalise_quaternion

_TAKEN_EVERY = 500
"""Messages between two looks at what has become complete."""


@dataclass(frozen=True, eq=False)
class LogMeasurement:
    """What a log gives.

    Parameters
    ----------
    measurement : Measurement
        Aligned samples.
    rejected : Counter of str
        Messages and samples that were not used, by topic and reason.
    source : VelocitySource
        Where the linear velocity, or the position in its place, came from.
    """

    measurement: Measurement
    rejected: Counter
    source: VelocitySource


def measurement_from_log(
    model: RobotModel,
    log: BagStreams,
    settings: AlignmentSettings = AlignmentSettings(),
) -> LogMeasurement:
    """Return the aligned samples of a log, its messages taken in the order they came.

    Parameters
    ----------
    model : RobotModel
        Robot; names joints, wheels and frames.
    log : BagStreams
        Streams of the log.
    settings : AlignmentSettings
        Bounds of the alignment.

    Raises
    ------
    MeasurementError
        If a joint, a wheel or a frame is missing, or no sample is complete; says which.
    """
    source = VelocitySource.TWIST if log.twist is not None else VelocitySource.POSE
    if log.pose is None and source is VelocitySource.POSE:
        raise MeasurementError('neither base_twist nor base_pose is in the log')
    alignment = Alignment(len(model.joints), len(model.wheels), source, settings)
    rejected: Counter[str] = Counter()
    parts = []
    for count, (_, topic, push) in enumerate(_messages(model, log, alignment)):
        verdict = push()
        if not verdict.is_taken:
            rejected[f'{topic}: {verdict.value}'] += 1
        if count % _TAKEN_EVERY == 0:
            parts.append(alignment.take())
    parts.append(alignment.take())
    whole = [part for part in parts if part is not None and len(part)]
    if alignment.unaligned:
        rejected['joint_states: no other samples around it'] += alignment.unaligned
    if not whole:
        waiting = ', '.join(alignment.waiting_for()) or 'samples that fit together'
        reasons = '; '.join(f'{reason} ({times})' for reason, times in rejected.items())
        raise MeasurementError(f'no complete sample; missing: {waiting}. {reasons}')
    measurement = _with_torques(model, log, Measurement.concatenate(whole))
    return LogMeasurement(measurement, rejected, source)


def _with_torques(model: RobotModel, log: BagStreams, measurement: Measurement) -> Measurement:
    """Return a measurement with the torques of the joint states that its times are those of."""
    stream = log.joints
    if stream.efforts is None:
        return measurement
    rows = {stamp: row for row, stamp in enumerate(stream.stamps.tolist())}
    columns = [stream.names.index(name) for name in model.joint_names]
    taken = [rows[stamp] for stamp in measurement.times.tolist()]
    return replace(measurement, joint_torque=stream.efforts[taken][:, columns])


_Message = tuple[float, str, Callable[[], Verdict]]


def _messages(model: RobotModel, log: BagStreams, alignment: Alignment) -> Iterator[_Message]:
    """Yield arrival, topic and what takes a message in, in the order of arrival."""
    streams = [_joints(model, log, alignment), _gyro(model, log, alignment)]
    if log.pose is not None:
        streams.append(_poses(log, alignment))
    if log.twist is not None:
        streams.append(_twists(model, log, alignment))
    return heapq.merge(*streams, key=lambda message: message[0])


def _joints(model: RobotModel, log: BagStreams, alignment: Alignment) -> Iterator[_Message]:
    """Return the joint states' messages."""
    stream, names = log.joints, model.joint_names + model.wheel_names
    missing = [name for name in names if name not in stream.names]
    if missing:
        raise MeasurementError(f'joint_states: joint {", ".join(missing)} is missing')
    columns = [stream.names.index(name) for name in names]
    n = len(model.joints)
    q, rates = stream.positions[:, columns[:n]], stream.velocities[:, columns]
    for row, arrival in enumerate(stream.arrivals):
        yield (
            arrival,
            'joint_states',
            lambda row=row: alignment.push_joints(
                stream.stamps[row], q[row], rates[row, :n], rates[row, n:]
            ),
        )


def _gyro(model: RobotModel, log: BagStreams, alignment: Alignment) -> Iterator[_Message]:
    """Return the IMU's messages, turned to base axes."""
    frame = model.frames.get(log.imu.frame_id)
    if frame is None or frame.link != 0:
        raise MeasurementError(
            f'imu/data: frame {log.imu.frame_id!r} is not a frame of the base in the description'
        )
    turned = log.imu.angular_velocity @ frame.R_LF.T
    for row, arrival in enumerate(log.imu.arrivals):
        stamp = log.imu.stamps[row]
        yield (
            arrival,
            'imu/data',
            lambda row=row, stamp=stamp: alignment.push_gyro(stamp, turned[row]),
        )


def _poses(log: BagStreams, alignment: Alignment) -> Iterator[_Message]:
    """Return the poses' messages; a quaternion that is none counts as not finite."""

    def push(row: int) -> Verdict:
        attitude = normalise_quaternion(log.pose.attitudes[row])
        attitude = np.full(4, np.nan) if attitude is None else attitude
        return alignment.push_pose(log.pose.stamps[row], log.pose.positions[row], attitude)

    for row, arrival in enumerate(log.pose.arrivals):
        yield arrival, 'base_pose', lambda row=row: push(row)


def _twists(model: RobotModel, log: BagStreams, alignment: Alignment) -> Iterator[_Message]:
    """Return the twists' messages, turned to base axes."""
    linear = _linear_in_base(model, log)
    for row, arrival in enumerate(log.twist.arrivals):
        stamp = log.twist.stamps[row]
        yield (
            arrival,
            'base_twist',
            lambda row=row, stamp=stamp: alignment.push_linear_velocity(stamp, linear[row]),
        )


def _linear_in_base(model: RobotModel, log: BagStreams) -> NDArray[np.float64]:
    """Return linear velocities in base axes, whatever of the two frames they came in."""
    linear = log.twist.twists[:, :3]
    if log.twist.frame_id == model.links[0].name:
        return linear
    if log.pose is None or log.twist.frame_id != log.pose.frame_id:
        raise MeasurementError(
            f'base_twist: frame {log.twist.frame_id!r} is neither the base '
            f'{model.links[0].name!r} nor the frame of base_pose'
        )
    latest = np.searchsorted(log.pose.stamps, log.twist.stamps, side='right') - 1
    attitudes = log.pose.attitudes[np.maximum(latest, 0)]
    return Rotation.from_quat(attitudes).apply(linear, inverse=True)

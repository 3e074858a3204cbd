"""A log of messages as one measurement: judged and aligned as the live estimator does it.

A log can be sorted by stamp, which a live stream cannot: messages that overtook each other on
their way are put back in order, as long as they are late by less than the longest gap.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
import heapq

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from spacerobot_id.data import (
    Alignment,
    AlignmentSettings,
    BagStreams,
    Measurement,
    VelocitySource,
    Verdict,
)
from spacerobot_id.data.bag_streams import TwistStream
from spacerobot_id.data.stamp_order import sorted_by_stamp
from spacerobot_id.estimation.frame_check import check_frames, check_turning
from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.model import RobotModel
from spacerobot_id.spatial import normalise_quaternion

_TAKEN_EVERY = 500
"""Messages between two looks at what has become complete."""

_MANY = 0.2
"""Share of a topic's messages that are not used which is worth a word."""


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
    reordered : Counter of str
        Messages that came after later ones and were put in order, by topic.
    messages : Counter of str
        All messages, by topic.
    """

    measurement: Measurement
    rejected: Counter
    source: VelocitySource
    reordered: Counter = field(default_factory=Counter)
    messages: Counter = field(default_factory=Counter)

    def warnings(self) -> tuple[str, ...]:
        """Return which topics lost a large part of their messages, a sentence each."""
        said = []
        for reason, times in self.rejected.items():
            count = self.messages[reason.partition(':')[0]]
            if times > _MANY * count:
                said.append(f'{reason}: {times} of {count} messages were not used')
        return tuple(said)


def measurement_from_log(
    model: RobotModel,
    log: BagStreams,
    settings: AlignmentSettings = AlignmentSettings(),
    source: VelocitySource | None = None,
) -> LogMeasurement:
    """Return the aligned samples of a log, its messages taken in the order of their stamps.

    Parameters
    ----------
    model : RobotModel
        Robot; names joints, wheels and frames.
    log : BagStreams
        Streams of the log.
    settings : AlignmentSettings
        Bounds of the alignment.
    source : VelocitySource, optional
        Where the linear velocity is to come from; from twists if there are any by default.

    Raises
    ------
    MeasurementError
        If a joint, a wheel or a frame is missing, no sample is complete, or gyro or twist
        contradict the pose; says which.
    """
    source = _source(log, source)
    log, reordered = sorted_by_stamp(log, settings.longest_gap)
    alignment = Alignment(len(model.joints), len(model.wheels), source, settings)
    rejected: Counter[str] = Counter()
    parts = []
    messages: Counter[str] = Counter()
    for count, (_, topic, push) in enumerate(_messages(model, log, alignment)):
        messages[topic] += 1
        reason = push()
        if reason is not None:
            rejected[f'{topic}: {reason}'] += 1
        if count % _TAKEN_EVERY == 0:
            parts.append(alignment.take())
    parts.append(alignment.take())
    whole = [part for part in parts if part is not None and len(part)]
    if alignment.unaligned:
        rejected['joint_states: no other samples around it'] += alignment.unaligned
    if not whole:
        waiting = ', '.join(alignment.waiting_for()) or 'samples that fit together'
        reasons = '; '.join(f'{reason} ({times})' for reason, times in rejected.items())
        raise MeasurementError(
            f'no complete sample; missing: {waiting}; samples farther apart than '
            f'longest_bracket ({settings.longest_bracket:g} s) are not joined. {reasons}'
        )
    measurement = _with_torques(model, log, Measurement.concatenate(whole))
    check_frames(measurement, model.noise, has_twist=source is VelocitySource.TWIST)
    if log.twist is not None and log.twist.frame_id == model.links[0].name:
        check_turning(measurement, _angular_of_twists(log.twist, measurement.times))
    return LogMeasurement(measurement, rejected, source, reordered, messages)


def _angular_of_twists(stream: TwistStream, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the angular velocities of twists at times, shape (N, 3); NaN where there are none."""
    stamps, rows = np.unique(stream.stamps, return_index=True)
    columns = stream.twists[rows, 3:].T
    return np.stack([np.interp(times, stamps, each) for each in columns], axis=-1)


def _source(log: BagStreams, wanted: VelocitySource | None) -> VelocitySource:
    """Return where the linear velocity comes from."""
    there = {VelocitySource.TWIST: log.twist, VelocitySource.POSE: log.pose}
    if wanted is not None and there[wanted] is None:
        raise MeasurementError(f'{wanted.value} is not in the log')
    for source, stream in there.items():
        if stream is not None and wanted in (None, source):
            return source
    raise MeasurementError('neither base_twist nor base_pose is in the log')


def _with_torques(model: RobotModel, log: BagStreams, measurement: Measurement) -> Measurement:
    """Return a measurement with the torques of the joint states that its times are those of."""
    stream = log.joints
    if stream.efforts is None:
        return measurement
    rows = {stamp: row for row, stamp in enumerate(stream.stamps.tolist())}
    columns = [stream.names.index(name) for name in model.joint_names]
    taken = [rows[stamp] for stamp in measurement.times.tolist()]
    return replace(measurement, joint_torque=stream.efforts[taken][:, columns])


_Message = tuple[float, str, Callable[[], str | None]]
"""Arrival, topic, and what takes the message in and returns why it was not taken, if so."""


def _reason(verdict: Verdict) -> str | None:
    """Return why a sample was refused, None if it was not."""
    return None if verdict.is_taken else verdict.value


def _messages(model: RobotModel, log: BagStreams, alignment: Alignment) -> Iterator[_Message]:
    """Yield the messages of all streams in the order of arrival."""
    streams = [_joints(model, log, alignment), _gyro(model, log, alignment)]
    if log.pose is not None:
        streams.append(_poses(log, alignment))
    if log.twist is not None:
        streams.append(_twists(model, log, alignment, alignment.settings.longest_bracket))
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
            lambda row=row: _reason(
                alignment.push_joints(stream.stamps[row], q[row], rates[row, :n], rates[row, n:])
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
            lambda row=row, stamp=stamp: _reason(alignment.push_gyro(stamp, turned[row])),
        )


def _poses(log: BagStreams, alignment: Alignment) -> Iterator[_Message]:
    """Return the poses' messages; a quaternion that is none counts as not finite."""

    def push(row: int) -> str | None:
        attitude = normalise_quaternion(log.pose.attitudes[row])
        attitude = np.full(4, np.nan) if attitude is None else attitude
        stamp, position = log.pose.stamps[row], log.pose.positions[row]
        return _reason(alignment.push_pose(stamp, position, attitude))

    for row, arrival in enumerate(log.pose.arrivals):
        yield arrival, 'base_pose', lambda row=row: push(row)


def _twists(
    model: RobotModel, log: BagStreams, alignment: Alignment, longest_bracket: float
) -> Iterator[_Message]:
    """Return the twists' messages, turned to base axes."""
    linear = _linear_in_base(model, log, longest_bracket)

    def push(row: int) -> str | None:
        if np.isnan(linear[row]).all() and np.isfinite(log.twist.twists[row]).all():
            return f'no poses within {longest_bracket:g} s to turn it to base axes with'
        return _reason(alignment.push_linear_velocity(log.twist.stamps[row], linear[row]))

    for row, arrival in enumerate(log.twist.arrivals):
        yield arrival, 'base_twist', lambda row=row: push(row)


def _linear_in_base(
    model: RobotModel, log: BagStreams, longest_bracket: float
) -> NDArray[np.float64]:
    """Return linear velocities in base axes, NaN where no poses are near to turn them with."""
    linear = log.twist.twists[:, :3]
    if log.twist.frame_id == model.links[0].name:
        return linear
    if log.pose is None or log.twist.frame_id != log.pose.frame_id:
        raise MeasurementError(
            f'base_twist: frame {log.twist.frame_id!r} is neither the base '
            f'{model.links[0].name!r} nor the frame of base_pose'
        )
    attitudes = [normalise_quaternion(each) for each in log.pose.attitudes]
    good = np.array([each is not None and np.isfinite(each).all() for each in attitudes])
    good &= np.isfinite(log.pose.stamps)
    stamps, rows = np.unique(log.pose.stamps[good], return_index=True)
    if len(stamps) < 2:
        return np.full_like(linear, np.nan)
    turned = Rotation.from_quat([attitudes[row] for row in np.flatnonzero(good)[rows]])
    after = np.clip(np.searchsorted(stamps, log.twist.stamps), 1, len(stamps) - 1)
    inside = (log.twist.stamps >= stamps[0]) & (log.twist.stamps <= stamps[-1])
    near = inside & (stamps[after] - stamps[after - 1] <= longest_bracket)
    near |= stamps[after] == log.twist.stamps
    times = np.clip(log.twist.stamps, stamps[0], stamps[-1])
    in_base = Slerp(stamps, turned)(times).apply(linear, inverse=True)
    return np.where(near[:, None], in_base, np.nan)

"""A log of messages as one record: judged and aligned as the live estimator does it.

A log can be sorted by stamp, which a live stream cannot: messages that overtook each other on
their way are put back in order, as long as they are late by less than the longest gap.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.alignment import is_steady, VelocitySource
from spacerobot_id.measurement.bag.stamp_order import ClockRuns, sorted_by_stamp
from spacerobot_id.measurement.batches import FEW, PLAIN, take_plain
from spacerobot_id.measurement.intake import Intake
from spacerobot_id.measurement.monitors.base_ways import LONGEST_STEP
from spacerobot_id.measurement.monitors.frames import check_frames, check_turning
from spacerobot_id.measurement.monitors.frozen import repeats
from spacerobot_id.measurement.record import Record
from spacerobot_id.measurement.signal.resampling import interpolate
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import (
    Arrived,
    BagStreams,
    Reading,
    SENSED,
    TOPICS,
)
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.model import RobotModel

_TAKEN_EVERY = 500
"""Messages between two looks at what has become complete."""

_MANY = 0.2
"""Share of a topic's messages that are not used which is worth a warning."""


@dataclass(frozen=True, eq=False)
class LogRecord:
    """What a log gives.

    Parameters
    ----------
    measurement : Record
        Aligned samples.
    rejected : Counter of str
        Messages and samples that were not used, by topic and reason.
    source : VelocitySource
        Where the linear velocity, or the position in its place, came from.
    reordered : Counter of str
        Messages that came after later ones and were put in order, by topic.
    messages : Counter of str
        All messages, by topic.
    notes : tuple of str
        What is to be known of the streams, a sentence each.
    """

    measurement: Record
    rejected: Counter
    source: VelocitySource
    reordered: Counter = field(default_factory=Counter)
    messages: Counter = field(default_factory=Counter)
    notes: tuple[str, ...] = ()

    def warnings(self) -> tuple[str, ...]:
        """Return the notes, and which topics lost a large part of their messages, in sentences."""
        messages = list(self.notes)
        for reason, times in self.rejected.items():
            count = self.messages[reason.partition(':')[0]]
            if times > _MANY * count:
                messages.append(f'{reason}: {times} of {count} messages were not used')
        return tuple(messages)


def streams_used(log: BagStreams, needs: StreamNeeds) -> BagStreams:
    """Return the streams of a log that a method needs or may use.

    Of wrenches those that the actuators gave go before those asked for.

    Raises
    ------
    MeasurementError
        If one that is needed is not in the log.
    """
    found = {name: getattr(log, name) for name, each in SENSED.items() if each.is_used(needs)}
    if log.applied_wrench is not None:
        found.pop('wrench', None)
    used = BagStreams(**found)
    wrenches = used.applied_wrench or used.wrench
    efforts = used.joints and used.joints.efforts
    there = {
        'joint_states': (needs.joints, used.joints),
        'imu/data': (needs.gyro, used.imu),
        'base_twist': (needs.velocity, used.twist),
        'base_pose': (needs.pose, used.pose),
        'base_wrench or applied_wrench': (needs.wrench, wrenches),
        'effort in joint_states': (needs.torque, efforts),
    }
    for topic, (need, stream) in there.items():
        if need is Need.NEEDED and stream is None:
            raise MeasurementError(f'{topic} is not in the log')
    return used


def velocity_source(
    log: BagStreams, needs: StreamNeeds, wanted: VelocitySource | None = None
) -> VelocitySource:
    """Return where the linear velocity comes from: twists that come steadily, by default."""
    if not needs.velocity:
        return VelocitySource.POSE
    there = {VelocitySource.TWIST: log.twist, VelocitySource.POSE: log.pose}
    if wanted is not None and there[wanted] is None:
        raise MeasurementError(f'{wanted.value} is not in the log')
    may_be_poses = needs.velocity is Need.USED and log.pose is not None
    if wanted is None and may_be_poses and not _twist_comes(log):
        return VelocitySource.POSE
    for source, stream in there.items():
        if stream is not None and wanted in (None, source):
            return source
    raise MeasurementError('neither base_twist nor base_pose is in the log')


def _twist_comes(log: BagStreams) -> bool:
    """Return whether twists come steadily, and not now and then."""
    if log.twist is None:
        return False
    twists, poses = (_interval(each) for each in (log.twist, log.pose))
    return is_steady(len(log.twist.stamps), twists, poses)


def _interval(stream: TwistStream | PoseStream | None) -> float:
    """Return how far apart the messages of a stream are, s; infinite if there are none."""
    few = stream is None or len(stream.stamps) < 2
    return np.inf if few else float(np.median(np.diff(stream.stamps)))


def read_log(
    model: RobotModel, log: BagStreams, intake: Intake, *, is_one_clock: bool = True
) -> LogRecord:
    """Return the aligned samples of a log, its messages taken in the order of their arrival.

    Parameters
    ----------
    model : RobotModel
        Robot; names joints, wheels and frames.
    log : BagStreams
        Streams that are used.
    intake : Intake
        Judges and aligns them.
    is_one_clock : bool
        Whether stamps of gyro and pose are of one clock: else they cannot be compared.

    Raises
    ------
    MeasurementError
        If no sample is complete, or gyro or twist contradict the pose; the message has the reason.
    """
    alignment = intake.alignment
    log, reordered = sorted_by_stamp(log, alignment.settings.longest_gap)
    _expect(log, intake)
    parts = [(part, alignment.ahead) for part in _parts(model, log, intake)]
    rejected = _rejected(intake)
    if not parts:
        raise MeasurementError(_why_empty(intake, rejected))
    measurement = Record.concatenate([part for part, _ in parts])
    begins = np.array([part.times[0] for part, _ in parts])
    ahead = np.array([shift for _, shift in parts])
    if alignment.needs.wrench is Need.NEEDED:
        measurement = _since_first_wrench(measurement, log, intake, rejected)
    shifts = ahead[np.searchsorted(begins, measurement.times, side='right') - 1]
    if is_one_clock:
        _check(measurement, shifts, model, log, intake)
    messages = Counter({each.topic: each.messages for each in intake.statistics.values()})
    notes = tuple(intake.notes)
    is_used = alignment.source is not VelocitySource.POSE or log.twist is None
    if not (is_used or _twist_comes(log)):
        count, interval = len(log.twist.stamps), _interval(log.twist)
        rarely = f', {interval:.2g} s apart,' if np.isfinite(interval) else ''
        notes += (
            f'base_twist: {count} messages{rarely} are too few; base_pose gives the velocity',
        )
    return LogRecord(measurement, rejected, alignment.source, reordered, messages, notes)


def _parts(model: RobotModel, log: BagStreams, intake: Intake) -> Iterator[Record]:
    """Yield the samples of a log as they become complete, and at its end those that wait."""
    messages = _Messages(model, log)
    begin, count = 0, len(messages.arrivals)
    for end in range(1, count + _TAKEN_EVERY, _TAKEN_EVERY):
        messages.hand_on(begin, min(end, count), intake)
        begin = end
        samples = intake.samples() if end <= count else None
        if samples is not None and len(samples):
            yield samples
    last = intake.samples(is_last=True)
    if last is not None and len(last):
        yield last


def _expect(log: BagStreams, intake: Intake) -> None:
    """Give an intake what the log as a whole shows beforehand."""
    if log.pose is not None:
        intake.pose_frame = log.pose.frame_id
        intake.alignment.expected.add('base_pose')
    if log.joints is not None:
        intake.joints.rates_given = _rates_given(log.joints, intake.joints.names)
    if log.joints is not None and log.joints.efforts is not None:
        intake.alignment.expected.add('torque')
    monitor, tables = intake.frozen.monitor, _tables(log)
    if not any(repeats(np.hstack(table), monitor.most) for table in tables):
        monitor.most = 0


def _rates_given(stream: JointStream, joints: Sequence[str]) -> NDArray[np.bool_]:
    """Return which joints give their rates at all."""
    given = np.isfinite(stream.velocities).any(axis=0).tolist()
    by_name = dict(zip(stream.names, given, strict=True))
    return np.array([by_name.get(name, False) for name in joints], dtype=bool)


def _tables(log: BagStreams) -> Iterator[tuple[NDArray[np.float64], ...]]:
    """Yield all numbers of each stream."""
    if log.joints is not None:
        yield log.joints.positions, log.joints.velocities
    if log.imu is not None:
        yield (log.imu.angular_velocity,)
    if log.pose is not None:
        yield log.pose.positions, log.pose.attitudes
    if log.twist is not None:
        yield (log.twist.twists[:, :3],)


def _rejected(intake: Intake) -> Counter[str]:
    """Return how many messages and samples were not used, by topic and reason."""
    rejected = Counter(
        {
            f'{each.topic}: {reason}': times
            for each in intake.statistics.values()
            for reason, times in each.rejected.items()
        }
    )
    alignment = intake.alignment
    if alignment.unaligned:
        rejected[f'{alignment.times_from}: no other samples around it'] += alignment.unaligned
    return rejected


def _why_empty(intake: Intake, rejected: Counter[str]) -> str:
    """Return a message on why no sample is complete."""
    waiting = ', '.join(intake.alignment.waiting_for()) or 'samples that fit together'
    return (
        f'no complete sample; missing: {waiting}; samples farther apart than longest_bracket '
        f'({intake.alignment.settings.longest_bracket:g} s) are not joined. {_listed(rejected)}'
    )


def _listed(rejected: Counter[str]) -> str:
    return '; '.join(f'{reason} ({times})' for reason, times in rejected.items())


def _since_first_wrench(
    measurement: Record, log: BagStreams, intake: Intake, rejected: Counter[str]
) -> Record:
    """Return the samples from the first wrench on; what acted before is not known."""
    stream = log.applied_wrench or log.wrench
    topic = 'base_wrench' if log.applied_wrench is None else 'applied_wrench'
    good = np.isfinite(stream.wrenches).all(axis=1)
    known = bool(intake.statistics[topic].accepted) and good.any()
    first = stream.stamps[good].min() if known else np.inf
    measurement = measurement[measurement.times >= first]
    if not len(measurement):
        raise MeasurementError(
            f'{topic}: no sample comes after the first wrench. {_listed(rejected)}'
        )
    return replace(measurement, wrench=measurement.wrench.since(measurement.times[0]))


def _check(
    measurement: Record,
    shifts: NDArray[np.float64],
    model: RobotModel,
    log: BagStreams,
    intake: Intake,
) -> None:
    """Raise if the sensors of the base contradict each other.

    Samples are later than stamped by shifts, shape (N,), once a clock was put back.
    """
    if not intake.alignment.needs.gyro:
        return
    has_twist = log.twist is not None and intake.alignment.source is VelocitySource.TWIST
    check_frames(measurement, model.noise, has_twist=has_twist)
    if _twist_comes(log) and log.twist.frame_id == model.links[0].name:
        gap = intake.alignment.settings.longest_gap
        omega = _angular_of_twists(log.twist, measurement.times, shifts, gap)
        check_turning(measurement, omega)


def _angular_of_twists(
    stream: TwistStream,
    times: NDArray[np.float64],
    shifts: NDArray[np.float64],
    longest_gap: float,
) -> NDArray[np.float64]:
    """Return the angular velocities of twists at times, shape (N, 3); NaN where none are near.

    Where a clock was put back the same stamps may come twice: each is of its own run.
    """
    found = np.full((len(times), 3), np.nan)
    run = np.cumsum(np.diff(shifts, prepend=shifts[:1]) != 0.0)
    twist_runs = ClockRuns.of(stream.stamps, longest_gap)
    if run[-1] != twist_runs.number[-1]:
        return found  # it is not known which of them are of the same
    good = np.isfinite(stream.twists[:, 3:]).all(axis=1) & twist_runs.is_near
    for each in range(run[-1] + 1):
        known = np.flatnonzero(good & (twist_runs.number == each))
        stamps, rows = np.unique(stream.stamps[known], return_index=True)
        wanted, values = np.flatnonzero(run == each), stream.twists[known[rows], 3:]
        near = interpolate(times[wanted] - shifts[wanted], stamps, values, LONGEST_STEP)
        found[wanted[near.good]] = near.values[near.good]
    return found


def readings_in_order(model: RobotModel, log: BagStreams) -> Iterator[Arrived]:
    """Yield the readings of all messages of a log, in the order of arrival."""
    messages = _Messages(model, log)
    for number, arrival in enumerate(messages.arrivals.tolist()):
        yield Arrived(arrival, messages.reading(number))


class _Messages:
    """The messages of a log in the order of arrival.

    Parameters
    ----------
    model : RobotModel
        Robot; names joints and wheels.
    log : BagStreams
        Streams of the log.

    Attributes
    ----------
    arrivals : ndarray, shape (N,)
        When they came, s.
    """

    def __init__(self, model: RobotModel, log: BagStreams) -> None:
        if log.joints is not None:
            log = replace(log, joints=_by_name(log.joints, model))
        if log.applied_wrench is not None:
            log = replace(log, applied_wrench=replace(log.applied_wrench, is_applied=True))
        there = (getattr(log, name) for name in SENSED)
        self._streams = tuple(stream for stream in there if stream is not None)
        counts = [len(stream.arrivals) for stream in self._streams]
        arrivals = np.concatenate([stream.arrivals for stream in self._streams])
        order = np.argsort(arrivals, kind='stable')
        self.arrivals = arrivals[order]
        self._places = np.repeat(np.arange(len(counts)), counts)[order]
        self._rows = np.zeros(len(order), dtype=int)  # each topic in the order of its messages
        for place, count in enumerate(counts):
            self._rows[self._places == place] = np.arange(count)

    def reading(self, number: int) -> Reading:
        """Return the reading of a message."""
        return self._streams[self._places[number]][self._rows[number]]

    def hand_on(self, begin: int, end: int, intake: Intake) -> None:
        """Hand messages to an intake: many at once where all are good, the others one by one."""
        left, batches = np.ones(end - begin, dtype=bool), []
        plain = {each.stream for each in PLAIN.values()}
        for place, stream in enumerate(self._streams):
            mine = np.flatnonzero(self._places[begin:end] == place)
            if len(mine) > FEW and type(stream) in plain:
                batches.append(stream[self._rows[begin + mine]])
                left[mine[:-1]] = False
        if not (batches and take_plain(batches, intake)):
            left[:] = True
        for number in begin + np.flatnonzero(left):
            intake.take(self.reading(number))


def _by_name(joints: JointStream, model: RobotModel) -> JointStream:
    """Return joint states in the robot's order, if all are there, and efforts where none are."""
    wanted = model.joint_names + model.wheel_names
    return joints.partly(wanted if set(wanted) <= set(joints.names) else joints.names)


_GAP = 1.5
"""Times the usual step of the stamps beyond which messages are missing between two."""


@dataclass(frozen=True, eq=False)
class StreamSummary:
    """The messages of a topic.

    Parameters
    ----------
    topic : str
        Name.
    messages : int
        How many came.
    rejected : mapping of str to int
        How many were not used, by reason.
    stamps, delays : ndarray, shape (N,)
        When they were made, s, and how much later they came; empty where that is not kept.
    missing : int
        How many should have come between those that did.
    """

    topic: str
    messages: int
    rejected: Mapping[str, int] = field(default_factory=dict)
    stamps: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    delays: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    missing: int = 0

    @property
    def steps(self) -> NDArray[np.float64]:
        """Times between two stamps, s, shape (N - 1,)."""
        return np.diff(np.sort(self.stamps))

    @property
    def rate(self) -> float:
        """Messages per second, by the middle step; NaN where it is not known."""
        steps = self.steps
        middle = float(np.median(steps)) if len(steps) else 0.0
        return 1.0 / middle if middle > 0.0 else np.nan

    @property
    def longest_gap(self) -> float:
        """Longest time without a message, s; NaN where it is not known."""
        return float(self.steps.max()) if len(self.stamps) > 1 else np.nan


def stream_summaries(log: BagStreams, record: LogRecord) -> tuple[StreamSummary, ...]:
    """Return how the messages of a log came, topic by topic.

    Parameters
    ----------
    log : BagStreams
        All streams.
    record : LogRecord
        What was made of them.
    """
    summaries = []
    for name, topic in TOPICS.items():
        stream, topic = getattr(log, name, None), topic.removeprefix('/')
        if stream is None or 'true' in name:
            continue
        rejected = {
            reason.partition(': ')[2]: count
            for reason, count in record.rejected.items()
            if reason.partition(':')[0] == topic
        }
        steps = np.diff(np.sort(stream.stamps))
        middle = np.median(steps) if len(steps) else 0.0
        holes = steps[steps > _GAP * middle] if middle > 0.0 else np.zeros(0)
        missing = int(np.sum(np.round(holes / middle) - 1)) if len(holes) else 0
        summaries.append(
            StreamSummary(
                topic,
                len(stream.stamps),
                rejected,
                stream.stamps,
                stream.arrivals - stream.stamps,
                missing,
            )
        )
    return tuple(summaries)

"""Messages of fast sensors, many at once, as long as all of them are good beyond doubt.

What the intake finds out message by message is asked here of whole columns, live as from a log:
names, numbers, stamps, glitches, origins, frozen values, each going on from the messages before.
Where the answer is not a plain yes, nothing is taken, and the messages go through the intake one
by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.intake import Intake
from spacerobot_id.measurement.stream import LARGEST, Need
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import SENSED
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.spatial import without_flips

PLAIN = {each.quantity: each.kind for each in SENSED.values() if not each.is_held}
"""Kinds of streams that batches are made of, by their quantity."""

FEW = 5
"""Messages of a topic that are not worth being looked at together."""

_UNIT = 0.04
"""Largest distance of a quaternion's length from one; less than the intake takes."""

Batch = JointStream | ImuStream | PoseStream | TwistStream
"""Messages of one topic."""


@dataclass(frozen=True, eq=False)
class _Plain:
    """Messages that may be taken as they are.

    Parameters
    ----------
    topic : str
        What statistics call them.
    stamps : ndarray, shape (N,)
        Their times, s.
    judged : ndarray, shape (N, w)
        What would be frozen if it stayed the same.
    values : ndarray, shape (N, v)
        What is kept of each.
    keep : callable
        Keeps stamps and values of some of them.
    stream : str, optional
        Stream of the alignment that they go on from; None of those that wait for others.
    """

    topic: str
    stamps: NDArray[np.float64]
    judged: NDArray[np.float64]
    values: NDArray[np.float64]
    keep: Callable[[NDArray[np.float64], NDArray[np.float64]], None]
    stream: str | None


def take_plain(batches: Sequence[Batch], intake: Intake) -> bool:
    """Take messages that go on from those before, all but the last of each topic, or none.

    The last ones go through the intake one by one, in the order in which they came, so that each
    stream knows the values of the others at that moment.

    Parameters
    ----------
    batches : sequence of JointStream, ImuStream, PoseStream or TwistStream
        What came since, two messages of each at least.
    intake : Intake
        What judges messages; it knows of each stream one at least.

    Returns
    -------
    bool
        Whether they were taken: all, and the last ones, are good beyond doubt.
    """
    made = []
    for batch in batches:
        try:
            plain = _MAKERS[type(batch)](batch, intake)
        except MeasurementError:
            return False
        if plain is None or not _goes_on(plain, intake):
            return False
        made.append(plain)
    for plain in made:
        stamps = plain.stamps[:-1]
        plain.keep(stamps, plain.values[:-1])
        for stamp in stamps.tolist():
            intake.statistics[plain.topic].accept(stamp)
        intake.frozen.monitor.take_changed(plain.topic, float(stamps[-1]), plain.judged[-2])
    return True


def _goes_on(plain: _Plain, intake: Intake) -> bool:
    """Return whether stamps and values go on from those before."""
    if plain.stream is not None:
        stream, gap = intake.alignment.streams[plain.stream], intake.alignment.settings.longest_gap
        steps = np.diff(plain.stamps, prepend=stream.latest)
        required = plain.values[:, : stream.required]
        measured = np.abs(required).max(initial=0.0) <= LARGEST  # not so of NaN
        if not (measured and ((steps > 0.0) & (steps <= gap)).all() and plain.stamps[0] > 0.0):
            return False
    return intake.frozen.would_pass(plain.topic, plain.judged)


def _extends(intake: Intake, name: str) -> Callable[[NDArray, NDArray], None]:
    """Return what hands samples on to a stream of the alignment."""
    stream = intake.alignment.streams[name]
    return lambda stamps, values: stream.extend(stamps.tolist(), values)


def _joints(batch: JointStream, intake: Intake) -> _Plain | None:
    """Return joint states, if motion explains them and they give the rates that others did."""
    joints, needs = intake.joints, intake.alignment.needs
    whole, n = batch.partly(joints.names), intake.alignment.joints
    positions, rates = whole.positions, whole.velocities
    if joints.merges or joints.rates_given is None:
        return None
    if np.isnan(positions).any() or (np.abs(rates) > LARGEST).any():
        return None
    if needs.rates is Need.USED and (np.isfinite(rates) != joints.rates_given).any():
        return None
    q = positions[:, :n] + joints.turns.added
    off = joints.glitches.would_pass(batch.stamps, q)
    if off is None:
        return None
    torques = whole.efforts[:, :n]
    values = np.hstack([q, rates[:, n:], rates[:, :n], torques])
    extend = _extends(intake, 'joint_states')

    def keep(stamps: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        extend(stamps, values)
        joints.turns.pass_all(values[:, :n])
        joints.glitches.pass_all(stamps, values[:, :n], off[: len(stamps)])

    values = values[:, : intake.alignment.streams['joint_states'].width]
    judged = np.hstack([q, rates])
    return _Plain('joint_states', batch.stamps, judged, values, keep, 'joint_states')


def _gyro(batch: ImuStream, intake: Intake) -> _Plain:
    """Return angular velocities in base axes; judged as frozen are those that came."""
    frame = intake.on_base(batch.frame_id or intake.imu_frame)
    if intake.gyro_noise is None:
        intake.take_gyro_noise(batch.noise)
    rates = batch.angular_velocity
    keep = _extends(intake, 'imu')
    return _Plain('imu/data', batch.stamps, rates, rates @ frame.R_LF.T, keep, 'imu')


def _poses(batch: PoseStream, intake: Intake) -> _Plain | None:
    """Return poses of the base, quaternions next to each other; None where the origin may move."""
    lengths = np.linalg.norm(batch.attitudes, axis=1)
    if not (np.abs(lengths - 1.0) <= _UNIT).all():
        return None
    attitudes = batch.attitudes / lengths[:, None]
    positions, attitudes = intake.pose_of_base(batch.positions, attitudes, batch.child_frame)
    off = intake.origin.would_pass(batch.stamps, positions)
    if off is None:
        return None
    attitudes, before = without_flips(attitudes), intake.alignment.streams['base_pose'].last
    if before is not None and before[3:] @ attitudes[0] < 0.0:
        attitudes = -attitudes
    extend = _extends(intake, 'base_pose')

    def keep(stamps: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        extend(stamps, values)
        intake.origin.pass_all(stamps, values[:, :3], off[: len(stamps)])
        intake.pose_frame = batch.frame_id

    values = np.hstack([positions + intake.origin.offset, attitudes])
    judged = np.hstack([batch.positions, batch.attitudes])
    return _Plain('base_pose', batch.stamps, judged, values, keep, 'base_pose')


def _twists(batch: TwistStream, intake: Intake) -> _Plain | None:
    """Return linear velocities in base axes; those in inertial axes wait for their poses."""
    judged, values = batch.twists[:, :3], intake.velocity_of_base(batch)
    if values is not None:
        keep = _extends(intake, 'base_twist')
        return _Plain('base_twist', batch.stamps, judged, values, keep, 'base_twist')
    if not (np.isfinite(batch.stamps).all() and np.isfinite(judged).all()):
        return None

    def wait(stamps: NDArray[np.float64], _values: NDArray[np.float64]) -> None:
        for row in range(len(stamps)):
            intake.waiting.push(batch[row])

    return _Plain('base_twist', batch.stamps, judged, judged, wait, None)


_MAKERS = {JointStream: _joints, ImuStream: _gyro, PoseStream: _poses, TwistStream: _twists}

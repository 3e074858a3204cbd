"""Streams of a log whose every message is good beyond doubt: judged at once, taken in blocks.

What the intake finds out message by message is asked here of whole columns. Where the answer is
not a plain yes for all of them, of all streams, the messages go through the intake one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.bag.streams import (
    BagStreams,
    ImuStream,
    JointStream,
    PoseStream,
    TwistStream,
)
from spacerobot_id.measurement.intake import Intake
from spacerobot_id.measurement.joints.glitches import has_no_glitch
from spacerobot_id.measurement.pose_origin import stays_where_it_was
from spacerobot_id.measurement.record import Record
from spacerobot_id.measurement.stream import LARGEST
from spacerobot_id.model import RobotModel
from spacerobot_id.spatial import without_flips

_UNIT = 0.04
"""Largest distance of a quaternion's length from one; less than the intake takes."""


@dataclass(frozen=True, eq=False)
class GoodStream:
    """A stream without a bad message.

    Parameters
    ----------
    topic, name : str
        What statistics and the alignment call it.
    arrivals, stamps : ndarray, shape (N,)
        When messages came, and their times, s.
    values : ndarray, shape (N, w)
        What the alignment buffers of each.
    """

    topic: str
    name: str
    arrivals: NDArray[np.float64]
    stamps: NDArray[np.float64]
    values: NDArray[np.float64]


def good_streams(model: RobotModel, log: BagStreams, intake: Intake) -> list[GoodStream] | None:
    """Return the streams as the alignment buffers them; None if any message may be refused.

    Parameters
    ----------
    model : RobotModel
        Robot; names joints, wheels and frames.
    log : BagStreams
        Streams that are used, in the order of their stamps.
    intake : Intake
        What would judge them.
    """
    needs = intake.alignment.needs
    held = (log.wrench, log.applied_wrench, log.thrust)
    if needs.own_stamps or log.joints is None or intake.frozen.monitor is not None:
        return None
    if any(each is not None for each in held):
        return None
    made = [good_joints(model, log.joints, intake)]
    for stream, make in ((log.imu, good_gyro), (log.pose, _poses), (log.twist, _twists)):
        if stream is not None:
            try:
                made.append(make(model, stream, intake))
            except MeasurementError:
                return None
    gap = intake.alignment.settings.longest_gap
    if all(each is not None and is_good(each, intake, gap) for each in made):
        return made
    return None


def taken_in_blocks(streams: list[GoodStream], intake: Intake, block: int) -> Iterator[Record]:
    """Yield the samples that good streams make, looked for after every so many messages.

    Parameters
    ----------
    streams : list of GoodStream
        As ``good_streams`` returns them.
    intake : Intake
        Whose alignment takes them, and whose statistics count them.
    block : int
        Messages between two looks.
    """
    places = [np.full(len(each.stamps), place) for place, each in enumerate(streams)]
    arrivals = np.concatenate([each.arrivals for each in streams])
    order = np.concatenate(places)[np.argsort(arrivals, kind='stable')]
    come = np.cumsum(order[:, None] == np.arange(len(streams)), axis=0)
    begins = np.zeros(len(streams), dtype=int)
    for end in [*range(0, len(order), block), len(order) - 1]:
        for each, begin, stop in zip(streams, begins, come[end], strict=True):
            stamps = each.stamps[begin:stop].tolist()
            intake.alignment.streams[each.name].extend(stamps, each.values[begin:stop])
            intake.statistics[each.topic].accept_all(stamps)
        begins = come[end]
        if end % block == 0:
            samples = intake.samples()
            if samples is not None:
                yield samples


def is_good(each: GoodStream, intake: Intake, longest_gap: float) -> bool:
    """Return whether a stream would take every sample."""
    steps = np.diff(each.stamps)
    goes_on = ((steps > 0.0) & (steps <= longest_gap)).all()
    required = each.values[:, : intake.alignment.streams[each.name].required]
    measured = np.abs(required).max(initial=0.0) <= LARGEST  # not so of NaN
    return bool(goes_on and measured and each.stamps.min(initial=1.0) > 0.0)


def good_joints(model: RobotModel, stream: JointStream, intake: Intake) -> GoodStream | None:
    """Return joint states; None where some joint has no position, or one that jumps."""
    wanted, names, n = model.joint_names + model.wheel_names, stream.names, len(model.joints)
    if not set(wanted) <= set(names):
        return None
    columns = [names.index(name) for name in wanted]
    positions, rates = stream.positions[:, columns], stream.velocities[:, columns]
    if np.isnan(positions).any() or (np.abs(rates) > LARGEST).any():
        return None
    if not has_no_glitch(stream.stamps, positions[:, :n], model.noise.joint_position):
        return None
    missing = np.isnan(rates[:, :n])
    if not np.array_equal(missing.any(axis=0), missing.all(axis=0)):
        return None
    torques = np.full_like(positions, np.nan) if stream.efforts is None else stream.efforts
    torques = torques[:, columns[:n]] if stream.efforts is not None else torques[:, :n]
    parts = [positions[:, :n], rates[:, n:], rates[:, :n], torques]
    width = intake.alignment.streams['joint_states'].width
    values = np.hstack(parts)[:, :width]
    return GoodStream('joint_states', 'joint_states', stream.arrivals, stream.stamps, values)


def good_gyro(model: RobotModel, stream: ImuStream, intake: Intake) -> GoodStream:
    """Return angular velocities in base axes."""
    frame = intake.on_base(stream.frame_id or intake.imu_frame)
    if not intake.gyro_noise:
        intake.take_gyro_noise(stream.noise)
    turned = stream.angular_velocity @ frame.R_LF.T
    return GoodStream('imu/data', 'imu', stream.arrivals, stream.stamps, turned)


def _poses(model: RobotModel, stream: PoseStream, intake: Intake) -> GoodStream | None:
    """Return poses of the base, quaternions next to each other; None where the origin may move."""
    lengths = np.linalg.norm(stream.attitudes, axis=1)
    if not (np.abs(lengths - 1.0) <= _UNIT).all():
        return None
    positions, attitudes = stream.positions, stream.attitudes / lengths[:, None]
    if stream.child_frame not in ('', model.links[0].name):
        frame = intake.on_base(stream.child_frame)
        turned = Rotation.from_quat(attitudes) * Rotation.from_matrix(frame.R_LF).inv()
        positions, attitudes = positions - turned.apply(frame.p_LF_L), turned.as_quat()
    if not stays_where_it_was(stream.stamps, positions):
        return None
    values = np.hstack([positions, without_flips(attitudes)])
    return GoodStream('base_pose', 'base_pose', stream.arrivals, stream.stamps, values)


def _twists(model: RobotModel, stream: TwistStream, intake: Intake) -> GoodStream | None:
    """Return linear velocities in base axes; None of twists in inertial axes, which wait."""
    linear, name = stream.twists[:, :3], stream.frame_id
    if name != model.links[0].name:
        frame = model.frames.get(name)
        if frame is None or frame.link != 0 or name == intake.pose_frame:
            return None
        turning = stream.twists[:, 3:] @ frame.R_LF.T
        linear = linear @ frame.R_LF.T - np.cross(turning, frame.p_LF_L)
    return GoodStream('base_twist', 'base_twist', stream.arrivals, stream.stamps, linear)

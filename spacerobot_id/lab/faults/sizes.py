"""How large a fault is, read from messages without and with it: SI units."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.lab.faults.fault import ReadSize
from spacerobot_id.lab.faults.value_faults import stated_std
from spacerobot_id.measurement.readings import Arrived, PoseReading, TwistReading
from spacerobot_id.model import RobotModel


def stamps_moved(sign: float) -> ReadSize:
    """Return what reads by how much stamps are late, or early."""

    def read(before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel) -> float:
        moves = [new.reading.stamp - old.reading.stamp for old, new in _pairs(before, after)]
        return sign * float(np.median(moves)) if moves else np.nan

    return read


def joints_added(before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel) -> float:
    """Return by how many joints messages have more."""
    more = [len(new.reading.names) - len(old.reading.names) for old, new in _pairs(before, after)]
    return float(np.median(more)) if more else np.nan


def length_added(before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel) -> float:
    """Return by how much quaternions are longer, as a share."""
    pairs = _pairs(before, after)
    more = [
        np.linalg.norm(new.reading.attitude) / np.linalg.norm(old.reading.attitude) - 1.0
        for old, new in pairs
    ]
    return float(np.median(more)) if more else np.nan


def noise_stated(_before: Sequence[Arrived], after: Sequence[Arrived], model: RobotModel) -> float:
    """Return the noise that messages of a gyro state over that described."""
    stated = [each.reading.noise for each in after]
    return float(np.median(stated)) / stated_std(model) if stated else np.nan


def angle_turned(before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel) -> float:
    """Return the angle by which angular velocities are turned, rad."""
    pairs = _pairs(before, after)
    if not pairs:
        return np.nan
    old, new = (np.array([pair[k].reading.angular_velocity for pair in pairs]) for k in (0, 1))
    turn, _ = Rotation.align_vectors(new, old)
    return float(turn.magnitude())


def burst_interval(
    _before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel
) -> float:
    """Return the time between bursts, s."""
    arrivals = np.unique([each.arrival for each in after])
    return float(np.median(np.diff(arrivals))) if len(arrivals) > 1 else np.nan


def velocity_gained(
    before: Sequence[Arrived], after: Sequence[Arrived], _model: RobotModel
) -> float:
    """Return the velocity that twists have more, or poses by the way that they gain, m/s."""
    pairs = _pairs(before, after)
    gained = [
        _norm(new.reading.twist[:3] - old.reading.twist[:3])
        for old, new in pairs
        if isinstance(new.reading, TwistReading)
    ]
    if gained:
        return float(np.median(gained))
    ways = [
        (new.reading.stamp, new.reading.position - old.reading.position)
        for old, new in pairs
        if isinstance(new.reading, PoseReading)
    ]
    if len(ways) < 2:
        return np.nan
    (begin, first), *_, (end, last) = ways
    return _norm(last - first) / (end - begin)


def _norm(vector: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(vector))


def _pairs(before: Sequence[Arrived], after: Sequence[Arrived]) -> list[tuple[Arrived, Arrived]]:
    """Return messages as they were and as they are; none where some came or went."""
    return list(zip(before, after, strict=True)) if len(before) == len(after) else []

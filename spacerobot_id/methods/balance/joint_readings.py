"""Which readings of joints count in a flight: those read at their time, and true.

A whole flight shows more than each reading as it came: glitches among its first readings, before
it was known how far joints go between two; readings of a driver that has stopped for a moment.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.measurement.joints.glitches import glitches
from spacerobot_id.measurement.monitors.frozen import have_gone_on

if TYPE_CHECKING:
    from spacerobot_id.model import RobotModel


def counting_joints(record: Record, model: 'RobotModel') -> NDArray[np.bool_]:
    """Return which samples have readings of joints that count, shape (N,).

    Parameters
    ----------
    record : Record
        Samples of a flight.
    model : RobotModel
        Robot, for the noise of its encoders.
    """
    counts = _read(record)
    for is_wrong in (_stale, _glitches):
        rows = np.flatnonzero(counts)
        counts[rows[is_wrong(record[rows], model)]] = False
    return counts


def _read(record: Record) -> NDArray[np.bool_]:
    """Return in which samples joints were read, and not only interpolated at a pose's stamp."""
    there = record.has_joints()
    of_pose = np.isinf(record.noise_of('gyro')) & np.isinf(record.noise_of('velocity'))
    alone = there & ~(of_pose & np.isfinite(record.noise_of('pose')))
    return alone if alone.any() else there


def _glitches(record: Record, model: 'RobotModel') -> NDArray[np.bool_]:
    """Return which readings jump and come back, shape (N,)."""
    return glitches(record.times, record.q, model.noise.joint_position)


def _stale(record: Record, model: 'RobotModel') -> NDArray[np.bool_]:
    """Return which readings repeat one before though its rates have carried a joint on, (N,)."""
    states = np.hstack([record.q, record.qd])
    repeats = np.append([False], (states[1:] == states[:-1]).all(axis=1))
    if not repeats.any():
        return repeats
    first = np.maximum.accumulate(np.where(repeats, 0, np.arange(len(repeats))))
    seconds = record.times - record.times[first]
    moved = np.zeros(len(repeats), dtype=bool)
    np.logical_or.at(moved, first, have_gone_on(model, np.nan_to_num(record.qd), seconds))
    return repeats & moved[first]

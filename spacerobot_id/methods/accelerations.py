"""Accelerations of joints, wheels and base, derived from measured rates."""

from dataclasses import replace

import numpy as np

from spacerobot_id.measurement import Record
from spacerobot_id.measurement.signal.local_polynomial import local_slopes

_HOLE = 2.5
"""Times the usual step of the stamps beyond which there is a hole: no accelerations across it."""


def with_accelerations(record: Record, window: int, longest_step: float | None = None) -> Record:
    """Return the samples with accelerations by local polynomials of measured rates.

    Parameters
    ----------
    record : Record
        N samples in the order of time.
    window : int
        Samples of the local polynomial, odd; half of it is lost at each end.
    longest_step : float, optional
        Largest time between two samples; across a hole there are no accelerations, s; some times
        the usual step by default.
    """
    if longest_step is None:
        steps = np.diff(record.times)
        longest_step = _HOLE * float(np.median(steps)) if len(steps) else np.inf
    turning, joints = record.base_twist[:, 3:], record.qd.shape[1]
    signals = np.hstack([record.qd, turning, record.wheel_rates])
    slopes = local_slopes(record.times, signals, window, longest_step)
    middle = window // 2
    qdd, bending, spinning = np.split(slopes, [joints, joints + 3], axis=1)
    inner = replace(
        record[middle : middle + len(slopes)],
        qdd=qdd,
        angular_acceleration=bending,
        wheel_acceleration=spinning,
    )
    return inner[np.isfinite(slopes).all(axis=1)]

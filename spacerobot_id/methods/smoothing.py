"""Smoothed motion beside the measured one: slopes at noisy values would be biased by their noise.

A misfit has the noise of the values that it is made of. Where its slope is taken at the same
values, noise meets itself: errors in variables; and the noise of rates that are zero in truth, of
a joint at rest, would count as information. Slopes are taken at smooth curves through positions
and rates of joints instead, and at local parabolas of poses.
"""

from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.measurement.signal.local_polynomial import local_means, local_slopes
from spacerobot_id.measurement.signal.smooth_path import smooth_motion

_HOLE = 2.5
"""Times the usual step of the stamps beyond which there is a hole: no accelerations across it."""

_WINDOW = 0.3
"""Time that a parabola spans, s: motions hardly change their curvature within it."""

_LEAST, _MOST = 5, 61
"""Samples of a parabola."""

_BEYOND = 20.0
"""Times the middle distance from the median of neighbours from which on a pose is an outlier."""

_BEYOND_MOTION = 6.0
"""The same, times the distance of the values next to the median: motion turns back, too."""

_NEIGHBOURS = 9
"""Samples of that median."""

_LONGEST = 0.15
"""Largest time between two samples of a parabola, s."""


def smoothing_window(rate: float) -> int:
    """Return the samples of a parabola at a rate of samples per second, odd."""
    return int(np.clip(2 * int(0.5 * _WINDOW * rate) + 1, _LEAST, _MOST))


def with_smoothed(
    record: Record, stds: tuple[float, float], window: int, *, with_pose: bool
) -> Record:
    """Return the samples with their smoothed motion.

    Parameters
    ----------
    record : Record
        N samples in the order of time.
    stds : tuple of float
        Standard deviations of joint positions and rates.
    window : int
        Most samples of the parabolas of poses, odd; half of it is lost at each end, where there
        are any. Samples that come more slowly than described are smoothed over fewer.
    with_pose : bool
        Whether poses are smoothed, too, if there are any.
    """
    record = with_smooth_joints(replace(record, smoothed=None), stds)
    if not with_pose or record.attitude is None or record.position is None:
        return record
    attitude = _continuous(record.attitude)
    measured = np.hstack([_without_jumps(record.position), _without_jumps(attitude)])
    middle, count = window // 2, max(len(record) - window + 1, 0)
    steps = np.diff(record.times)
    points = smoothing_window(1.0 / float(np.median(steps))) if len(steps) else window
    points = min(points, window)
    means = local_means(record.times, measured, points, _LONGEST)[middle - points // 2 :][:count]
    inner = record[middle : middle + count]
    means = np.where(np.isfinite(means), means, measured[middle : middle + count])
    means[:, -4:] /= np.linalg.norm(means[:, -4:], axis=1, keepdims=True)
    return replace(inner, smoothed=np.hstack([inner.smoothed, means]))


def with_smooth_joints(record: Record, stds: tuple[float, float]) -> Record:
    """Return the samples with the smoothed motion of joints; rates that are derived count as none.

    Parameters are those of ``with_smoothed``; smoothed poses stay as they are.
    """
    q, qd = record.q.copy(), record.qd.copy()
    derived = np.zeros(q.shape[1], dtype=bool)
    if record.derived is not None:
        derived = (record.derived > 0.0).any(axis=0)
    for columns, rates in ((~derived, record.qd[:, ~derived]), (derived, None)):
        found = smooth_motion(record.times, record.q[:, columns], rates, stds)
        q[:, columns], qd[:, columns] = found
    poses = [] if record.smoothed is None else [record.smoothed[:, 2 * q.shape[1] :]]
    return replace(record, smoothed=np.hstack([q, qd, *poses]))


def _without_jumps(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions or attitudes, (N, d), with the median of neighbours in place of outliers.

    One that is far out would turn the slopes of all samples whose parabolas it is part of.
    """
    there = np.isfinite(poses).all(axis=1)
    if not there.any():
        return poses
    reach = _NEIGHBOURS // 2
    around = np.pad(poses[there], ((reach, reach), (0, 0)), mode='edge')
    ordered = np.sort(sliding_window_view(around, _NEIGHBOURS, axis=0), axis=-1)
    middle = ordered[..., reach]
    off, apart = (
        np.linalg.norm(each, axis=1)
        for each in (poses[there] - middle, ordered[..., reach + 1] - ordered[..., reach - 1])
    )
    is_out = off > _BEYOND * np.median(off) + _BEYOND_MOTION * apart
    found = poses.copy()
    found[np.flatnonzero(there)[is_out]] = middle[is_out]
    return found


def _continuous(attitude: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quaternions of which none is nearer to its predecessor's negative."""
    turns = np.sum(attitude[1:] * attitude[:-1], axis=1) < 0.0
    sign = np.cumprod(np.where(np.append(False, turns), -1.0, 1.0))
    return attitude * sign[:, None]


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
    angular_velocity, joints = record.base_twist[:, 3:], record.qd.shape[1]
    signals = np.hstack([record.qd, angular_velocity, record.wheel_rates])
    slopes = local_slopes(record.times, signals, window, longest_step)
    middle = window // 2
    qdd, angular_acceleration, wheel_acceleration = np.split(slopes, [joints, joints + 3], axis=1)
    inner = replace(
        record[middle : middle + len(slopes)],
        qdd=qdd,
        angular_acceleration=angular_acceleration,
        wheel_acceleration=wheel_acceleration,
    )
    return inner[np.isfinite(slopes).all(axis=1)]

"""Records with common mistakes undone: units, signs, exchanged wires, wrong axes, late stamps."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import Record
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import base_twist_from_momentum

RPM, DEGREE, MILLI = 2.0 * np.pi / 60.0, np.pi / 180.0, 1e-3

UNITS_OF_WHEELS = {
    'wheel rates in revolutions per minute': 1.0 / RPM,
    'wheel rates in degrees per second': 1.0 / DEGREE,
}
"""Units of all wheel rates, and the factor by which they make every parameter larger."""

_WRONG_BY = 4.0
"""Factor by which the description may be wrong where the size of readings tells their unit."""

_TURNS = 10.0
"""Joint position beyond which it is no angle in radians, or the joint goes round and round."""

_MOST_PAIRS = 30
"""Most pairs of joints of which each may be exchanged; of more only neighbours."""

_LATEST = 2.0
"""Longest delay that is looked for, s."""

_DELAYS = 3
"""Most delays that are tried."""

_LATE = 0.03
"""Delay beyond which a calibration, linear in it, does not find it, s."""


def undone(model: RobotModel, record: Record) -> Iterator[tuple[str, Record]]:
    """Yield every common mistake that the record may have, and the record without it.

    Parameters
    ----------
    model : RobotModel
        Robot as described.
    record : Record
        N samples in the order of time.
    """
    if record.wheel_rates is not None and record.wheel_rates.any():
        yield from _wheels_undone(model, record)
    if record.q is not None:
        yield from _joints_undone(model, record)
    if record.base_twist is not None:
        yield from _base_undone(model, record)


def _wheels_undone(model: RobotModel, record: Record) -> Iterator[tuple[str, Record]]:
    """Yield the record with mistakes of wheels undone."""
    rates = record.wheel_rates
    for k, name in enumerate(model.wheel_names):
        if rates[:, k].any():
            yield f'wheel {name} with its sign negated', _with_wheels(record, {k: (k, -1.0)})
    for (i, one), (j, other) in combinations(enumerate(model.wheel_names), 2):
        swapped = _with_wheels(record, {i: (j, 1.0), j: (i, 1.0)})
        yield f'wheels {one} and {other} exchanged', swapped


def _joints_undone(model: RobotModel, record: Record) -> Iterator[tuple[str, Record]]:
    """Yield the record with mistakes of joints undone."""
    names, count = model.joint_names, record.q.shape[1]
    for k, name in enumerate(names):
        side = np.ones(count)
        side[k] = -1.0
        turned = replace(record, q=record.q * side, qd=record.qd * side)
        yield f'joint {name} with its sign negated', turned
    pairs = list(combinations(range(count), 2))
    if len(pairs) > _MOST_PAIRS:
        pairs = [(k, k + 1) for k in range(count - 1)]
    for i, j in pairs:
        order = np.arange(count)
        order[[i, j]] = j, i
        swapped = replace(record, q=record.q[:, order], qd=record.qd[:, order])
        yield f'joints {names[i]} and {names[j]} exchanged', swapped
    in_radians = replace(record, qd=record.qd * DEGREE)
    if np.abs(record.q).max(initial=0.0) > _TURNS:
        both = replace(in_radians, q=record.q * DEGREE)
        yield 'joint positions and rates in degrees', both
    rates = np.gradient(record.q, record.times, axis=0)
    if _is_about(1.0 / DEGREE, record.qd, rates):
        yield 'joint rates in degrees per second', in_radians
    if _is_about(DEGREE, record.qd, rates):
        yield 'joint positions in degrees', replace(record, q=record.q * DEGREE)


def _base_undone(model: RobotModel, record: Record) -> Iterator[tuple[str, Record]]:
    """Yield the record with mistakes of the base's sensors undone."""
    velocity, gyro = np.split(record.base_twist, 2, axis=1)

    def with_gyro(rates: NDArray[np.float64]) -> Record:
        return replace(record, base_twist=np.hstack([velocity, rates]))

    expected = np.zeros_like(record.base_twist)
    if record.qd is not None:
        motion = record.q, record.qd, record.wheel_rates
        expected = base_twist_from_momentum(model, *motion)
        for lag in _delays(record.times, gyro, expected[:, 3:]):
            if abs(lag) > _LATE:
                undelayed = with_gyro(_earlier(record.times, gyro, lag))
                yield f'delay.imu of about {lag:.2g} s', undelayed
    if _is_about(1.0 / DEGREE, gyro, expected[:, 3:]):
        yield 'gyro in degrees per second', with_gyro(gyro * DEGREE)
    for k, axis in enumerate('xyz'):
        alone = np.ones(3)
        alone[k] = -1.0
        yield f'gyro {axis} with its sign negated', with_gyro(gyro * alone)
        yield f'gyro turned by 180 degrees about {axis}', with_gyro(gyro * -alone)
    if not np.isfinite(velocity).all():
        return
    if _is_about(1.0 / MILLI, velocity, expected[:, :3]):
        in_metres = np.hstack([velocity * MILLI, gyro])
        yield 'velocity in millimetres per second', replace(record, base_twist=in_metres)
    if record.attitude is not None and record.has('attitude').all():
        R_WB = Rotation.from_quat(record.attitude)
        linear = R_WB.apply(velocity, inverse=True)
        yield 'velocity in inertial axes', replace(record, base_twist=np.hstack([linear, gyro]))
        yield 'gyro in inertial axes', with_gyro(R_WB.apply(gyro, inverse=True))


def _is_about(factor: float, measured: NDArray[np.float64], expected: NDArray[np.float64]) -> bool:
    """Return whether readings are about that much larger than expected."""
    size = float(np.mean(np.abs(measured)))
    wanted = factor * float(np.mean(np.abs(expected)))
    return wanted / _WRONG_BY < size < wanted * _WRONG_BY


def _delays(
    times: NDArray[np.float64], measured: NDArray[np.float64], expected: NDArray[np.float64]
) -> list[float]:
    """Return by how much readings are late where they resemble the expected ones most, s.

    The description may be far off, and motions repeat themselves: of several such times the
    largest likeness need not be at the true one.
    """
    steps = np.diff(times)
    step = float(np.median(steps)) if len(steps) else 0.0
    most = int(min(_LATEST / step, 0.25 * len(times))) if step > 0.0 else 0
    if not most:
        return []
    size = 2 * len(times)
    spectrum = np.conj(np.fft.rfft(expected, size, axis=0)) * np.fft.rfft(measured, size, axis=0)
    likeness = np.fft.irfft(spectrum.sum(axis=1), size)
    lags = np.arange(-most, most + 1)
    likeness = likeness[lags]
    is_top = (likeness[1:-1] > likeness[:-2]) & (likeness[1:-1] >= likeness[2:])
    tops = 1 + np.flatnonzero(is_top)
    best = tops[np.argsort(-likeness[tops])][:_DELAYS]
    return [float(lags[k] * step) for k in best]


def _earlier(
    times: NDArray[np.float64], values: NDArray[np.float64], lag: float
) -> NDArray[np.float64]:
    """Return readings at the times that they are of."""
    columns = [np.interp(times + lag, times, column) for column in values.T]
    return np.stack(columns, axis=-1)


def _with_wheels(record: Record, changes: dict[int, tuple[int, float]]) -> Record:
    """Return a record with columns of wheel rates taken from others, times a factor."""
    rates = record.wheel_rates.copy()
    for column, (source, factor) in changes.items():
        rates[:, column] = factor * record.wheel_rates[:, source]
    return replace(record, wheel_rates=rates)

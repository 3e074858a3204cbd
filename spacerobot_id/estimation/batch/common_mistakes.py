"""Records with common mistakes undone: units, signs, exchanged wires, wrong axes, late stamps."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import Record
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import base_twist_from_momentum

RPM, DEGREE = 2.0 * np.pi / 60.0, np.pi / 180.0
CENTI, MILLI = 1e-2, 1e-3

UNITS_OF_WHEELS = {
    'wheel rates in revolutions per minute': 1.0 / RPM,
    'wheel rates in degrees per second': 1.0 / DEGREE,
}
"""Units of all wheel rates, and the factor by which they make every parameter larger."""

_WRONG_BY = 4.0
"""Factor by which the description may be wrong where the size of readings shows their unit."""

_RESEMBLING, _MOST_AXES = 0.5, 6
"""Correlation with what is expected, over that of readings as they are, from which on wrong axes
are tried; and how many of them at most."""

_TURNS = 10.0
"""Joint position beyond which it is no angle in radians, or the joint goes round and round."""

_ALIKE, _LEAST_FACTOR = 0.05, 0.01
"""Relative difference up to which the factor between rates and slopes of positions is one that a
mistake makes; and the least factor by which rates can be mended."""

_NEGATED = 'with their sign negated'

_SCATTER = 0.5
"""Share of measured rates, by their root mean square, that is no multiple of the slopes of
positions, beyond which these show nothing."""

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
    yield from _rates_undone(names, record, rates)
    if _is_about(1.0 / DEGREE, record.qd, rates):
        yield 'joint rates in degrees per second', in_radians
    if _is_about(DEGREE, record.qd, rates):
        yield 'joint positions in degrees', replace(record, q=record.q * DEGREE)


def _rates_undone(
    names: tuple[str, ...], record: Record, slopes: NDArray[np.float64]
) -> Iterator[tuple[str, Record]]:
    """Yield the record without rates of single joints that contradict the positions.

    Parameters
    ----------
    names : tuple of str
        Joints.
    record : Record
        N samples.
    slopes : ndarray, shape (N, n)
        Slopes of their positions, rad/s.
    """
    for k, name in enumerate(names):
        there = np.isfinite(slopes[:, k]) & np.isfinite(record.qd[:, k])
        slope, rate = slopes[there, k], record.qd[there, k]
        size = float(slope @ slope)
        if not size:
            continue
        factor = float(rate @ slope) / size
        left = np.linalg.norm(rate - factor * slope)
        if abs(factor) < _LEAST_FACTOR:
            rates = record.qd.copy()
            rates[:, k] = slopes[:, k]
            yield (
                f'joint rates of {name} that do not follow its positions',
                replace(record, qd=rates),
            )
        elif left < _SCATTER * np.linalg.norm(rate) and abs(factor - 1.0) > _ALIKE:
            yield from _factor_undone(name, k, factor, record)


def _factor_undone(
    name: str, joint: int, factor: float, record: Record
) -> Iterator[tuple[str, Record]]:
    """Yield the record without a factor between rates of a joint and slopes of its positions.

    Parameters
    ----------
    name : str
        Joint.
    joint : int
        Its column.
    factor : float
        Rates over slopes.
    record : Record
        N samples.
    """
    rates = f'that are {factor:.3g} times the slopes of its positions'
    positions = f'that change {1.0 / factor:.3g} times as fast as its rates say'
    if abs(factor + 1.0) < _ALIKE:
        factor, rates, positions = -1.0, _NEGATED, _NEGATED
    for unit, size in {'degrees': DEGREE, 'revolutions': 2.0 * np.pi}.items():
        if abs(factor * size - 1.0) < _ALIKE:
            factor, rates = 1.0 / size, f'in {unit} per second'
        if abs(factor / size - 1.0) < _ALIKE:
            factor, positions = size, f'in {unit}'
    scale = np.ones(record.q.shape[1])
    scale[joint] = 1.0 / factor
    yield f'joint rates of {name} {rates}', replace(record, qd=record.qd * scale)
    scale[joint] = factor
    yield f'joint positions of {name} {positions}', replace(record, q=record.q * scale)


def _base_undone(model: RobotModel, record: Record) -> Iterator[tuple[str, Record]]:
    """Yield the record with mistakes of the base's sensors undone."""
    velocity, gyro = np.split(record.base_twist, 2, axis=1)

    def with_gyro(rates: NDArray[np.float64]) -> Record:
        return replace(record, base_twist=np.hstack([velocity, rates]))

    expected = np.zeros_like(record.base_twist)
    if record.qd is not None:
        motion = record.q, record.qd, record.wheel_rates
        expected = base_twist_from_momentum(model, *motion)
        yield from _delays_undone(record, expected)
    if _is_about(1.0 / DEGREE, gyro, expected[:, 3:]):
        yield 'gyro in degrees per second', with_gyro(gyro * DEGREE)
    for mistake, axes in _likeliest_axes(gyro, expected[:, 3:]):
        yield f'gyro {mistake}', with_gyro(gyro @ axes)
    if not np.isfinite(velocity).all():
        return
    for mistake, axes in _likeliest_axes(velocity, expected[:, :3]):
        yield (
            f'velocity {mistake}',
            replace(record, base_twist=np.hstack([velocity @ axes, gyro])),
        )
    for unit, size in {'millimetres': MILLI, 'centimetres': CENTI}.items():
        if _is_about(1.0 / size, velocity, expected[:, :3]):
            in_metres = np.hstack([velocity * size, gyro])
            yield f'velocity in {unit} per second', replace(record, base_twist=in_metres)
    if record.attitude is not None and record.has('attitude').all():
        R_WB = Rotation.from_quat(record.attitude)
        linear = R_WB.apply(velocity, inverse=True)
        yield 'velocity in inertial axes', replace(record, base_twist=np.hstack([linear, gyro]))
        yield 'gyro in inertial axes', with_gyro(R_WB.apply(gyro, inverse=True))


def _delays_undone(record: Record, expected: NDArray[np.float64]) -> Iterator[tuple[str, Record]]:
    """Yield the record with readings of the base, or those of the joints, late no more.

    Parameters
    ----------
    record : Record
        N samples.
    expected : ndarray, shape (N, 6)
        Twist of the base that the robot described has.
    """
    times, twist = record.times, record.base_twist
    for name, columns in (('imu', slice(3, 6)), ('base_twist', slice(0, 3)), ('', slice(0, 6))):
        if not np.isfinite(twist[:, columns]).all():
            continue
        for lag in _delays(times, twist[:, columns], expected[:, columns]):
            undelayed = twist.copy()
            undelayed[:, columns] = _earlier(times, twist[:, columns], lag)
            if name and abs(lag) > _LATE:
                yield f'delay.{name} of about {lag:.2g} s', replace(record, base_twist=undelayed)
            elif not name and lag < -_LATE:
                description = f'delay of joint_states of about {-lag:.2g} s'
                yield description, replace(record, base_twist=undelayed)


def _likeliest_axes(
    measured: NDArray[np.float64], expected: NDArray[np.float64]
) -> list[tuple[str, NDArray[np.float64]]]:
    """Return the wrong axes that readings may be in: a description, and their matrix.

    Of all ways to exchange axes and to turn them round those by which readings resemble the
    expected ones most; the description may be far off, so that they need not do so more than as
    they are.

    Parameters
    ----------
    measured, expected : ndarray, shape (N, 3)
        Readings, and what the robot described makes them.
    """
    there = np.isfinite(measured).all(axis=1)
    correlation = measured[there].T @ expected[there]
    ranked = sorted(_axes(), key=lambda axes: -float(np.sum(correlation * axes)))
    least = _RESEMBLING * max(float(np.trace(correlation)), 0.0)
    found = [axes for axes in ranked if np.sum(correlation * axes) > least]
    return [(_axes_text(axes), axes) for axes in found[: _MOST_AXES + 1] if np.trace(axes) < 3]


def _axes() -> Iterator[NDArray[np.float64]]:
    """Yield all matrices that exchange axes or turn them round, shape (3, 3)."""
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            yield np.eye(3)[list(order)] * np.array(signs)[:, None]


def _axes_text(axes: NDArray[np.float64]) -> str:
    """Return how the axes of a sensor are placed.

    Parameters
    ----------
    axes : ndarray, shape (3, 3)
        What makes its readings of those in the axes of the base.
    """
    if np.array_equal(axes, -np.eye(3)):
        return 'with its sign negated'
    diagonal, is_turned = np.diag(axes), np.linalg.det(axes) > 0.0
    if diagonal.all() and not is_turned:
        return f'{"xyz"[int(np.argmin(diagonal))]} with its sign negated'
    if is_turned:
        turn = Rotation.from_matrix(axes.T).as_rotvec(degrees=True)
        about = int(np.argmax(np.abs(turn)))
        if np.count_nonzero(np.abs(turn) > 1e-6) == 1:
            angle = 180.0 if abs(turn[about]) > 179.0 else turn[about]
            return f'turned by {angle:.0f} degrees about {"xyz"[about]}'
    names = []
    for row in axes:
        column = int(np.argmax(np.abs(row)))
        names.append(f'{"-" if row[column] < 0.0 else ""}{"xyz"[column]}')
    return f'with {", ".join(names)} in place of x, y, z'


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
    largest correlation need not be at the true one.
    """
    steps = np.diff(times)
    step = float(np.median(steps)) if len(steps) else 0.0
    most = int(min(_LATEST / step, 0.25 * len(times))) if step > 0.0 else 0
    if not most:
        return []
    size = 2 * len(times)
    spectrum = np.conj(np.fft.rfft(expected, size, axis=0)) * np.fft.rfft(measured, size, axis=0)
    correlation = np.fft.irfft(spectrum.sum(axis=1), size)
    lags = np.arange(-most, most + 1)
    correlation = correlation[lags]
    is_top = (correlation[1:-1] > correlation[:-2]) & (correlation[1:-1] >= correlation[2:])
    tops = 1 + np.flatnonzero(is_top)
    best = tops[np.argsort(-correlation[tops])][:_DELAYS]
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

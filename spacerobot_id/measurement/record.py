"""What is known of the robot's motion at a set of times, whatever the sensors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError

_WIDTHS = {
    'base_twist': 6,
    'position': 3,
    'attitude': 4,
    'angular_acceleration': 3,
    'variance': 4,
    'slope_times': 5,
}
"""Numbers per sample of the columns that do not depend on the robot."""


_PARTIAL = {
    'position': np.nan,
    'attitude': np.nan,
    'variance': 1.0,
    'smoothed': np.nan,
    'changed': np.nan,
    'derived': 0.0,
    'slope_times': np.nan,
    'slope_weights': 0.0,
}
"""Columns that samples can have or lack one by one, and what stands for them."""

_STILL = 1e-4
"""Travel of a joint that counts as none, beside 20 standard deviations of its encoder; rad, m."""

JUST_BEFORE = 1e-6
"""How long before a sample what holds already is taken to begin, s."""

_HELD = ('wrench', 'thrust')
"""What is no column, but held from one time to the next."""

STREAMS = ('joints', 'gyro', 'velocity', 'pose')
"""What the columns of ``Record.variance`` are of."""


@dataclass(frozen=True, eq=False)
class HeldSignal:
    """What is held from one time until the next (zero-order hold), such as wrenches on the base.

    Parameters
    ----------
    times : ndarray, shape (K,)
        Times from which each row holds, s, strictly increasing.
    values : ndarray, shape (K, w)
        Rows: forces (N) and moments about the base's origin (N m), or commands of thrusters.
    in_world : bool
        Whether forces and moments are in inertial axes rather than those of the base.

    Raises
    ------
    MeasurementError
        If times do not increase, sizes differ, or a number is not finite.
    """

    times: NDArray[np.float64]
    values: NDArray[np.float64]
    in_world: bool = False

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or len(self.values) != len(self.times):
            raise MeasurementError(f'held: {self.values.shape} for {len(self.times)} times')
        if not (np.isfinite(self.times).all() and np.isfinite(self.values).all()):
            raise MeasurementError('held: not finite')
        if (np.diff(self.times) <= 0.0).any():
            raise MeasurementError('held: times do not increase')

    def __len__(self) -> int:
        """Return the number of changes."""
        return len(self.times)

    def at(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what holds just after some times, shape (N, w)."""
        index = np.searchsorted(self.times, times, side='right') - 1
        return self.values[np.maximum(index, 0)]

    def means(self, edges: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the means between neighbouring times, shape (M, w), of M + 1 increasing ones."""
        steps = np.diff(self.times)[:, None]
        until = np.vstack([np.zeros_like(self.values[:1]), np.cumsum(self.values[:-1] * steps, 0)])
        row = np.maximum(np.searchsorted(self.times, edges, side='right') - 1, 0)
        integral = until[row] + self.values[row] * (edges - self.times[row])[:, None]
        return np.diff(integral, axis=0) / np.diff(edges)[:, None]

    def since(self, time: float) -> 'HeldSignal':
        """Return what holds from a time on."""
        first = max(int(np.searchsorted(self.times, time, side='right')) - 1, 0)
        return HeldSignal(self.times[first:], self.values[first:], self.in_world)

    @classmethod
    def concatenate(cls, parts: Sequence['HeldSignal']) -> 'HeldSignal':
        """Return several histories as one; of wrenches with one time the last part's counts."""
        times = np.concatenate([part.times for part in parts])
        values = np.concatenate([part.values for part in parts])
        order = np.argsort(times, kind='stable')
        last = np.append(np.diff(times[order]) > 0.0, [True] * bool(len(times)))
        in_world = any(part.in_world for part in parts)
        return cls(times[order][last], values[order][last], in_world)


@dataclass(frozen=True, eq=False)
class Record:
    """Aligned samples: every row is one time, and a column that is not known is None.

    Joint states give the times, or poses where there are no joint states; then poses are complete.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, s.
    q, qd : ndarray, shape (N, n), optional
        Joint positions (rad or m) and rates.
    wheel_rates : ndarray, shape (N, w), optional
        Rates of the wheels against the links that carry them, rad/s.
    base_twist : ndarray, shape (N, 6), optional
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    position : ndarray, shape (N, 3), optional
        Position of the base in the inertial frame, m; NaN in samples without a pose.
    attitude : ndarray, shape (N, 4), optional
        Attitude quaternion x y z w of the base; NaN in samples without a pose.
    joint_torque : ndarray, shape (N, n), optional
        Torque (N m) or force (N) of every joint's motor.
    wrench : HeldSignal, optional
        Wrenches (N, N m) on the base in base axes, limits kept, while these samples were taken,
        from the first sample on.
    thrust : HeldSignal, optional
        Commands of the base's thrusters, as shares of their strength, likewise.
    qdd : ndarray, shape (N, n), optional
        Joint accelerations, derived.
    wheel_acceleration : ndarray, shape (N, w), optional
        Accelerations of the wheels, derived, rad/s^2.
    angular_acceleration : ndarray, shape (N, 3), optional
        Angular acceleration of the base in base axes, derived, rad/s^2.
    variance : ndarray, shape (N, 4), optional
        Variance of the noise of joints, gyro, velocity and pose over that of one message: less
        where several were averaged, more where samples share them, infinite where what stands
        here only lies between messages that count at their own stamps. One if None.
    smoothed : ndarray, shape (N, 2 n) or (N, 2 n + 7), optional
        Joint positions and rates, position and attitude of the base where they are known, with
        the noise of neighbours averaged out; NaN where that is not known.
    changed : ndarray, shape (N, n), optional
        Share of the readings of joint positions averaged here that differ from the one before:
        encoders that step repeat themselves. NaN where readings are not averaged.
    derived : ndarray, shape (N, n), optional
        Zero for joint rates that are readings. For those that are slopes of positions the noise
        of these over that of one message: one, or more where encoders repeat themselves.
    slope_times : ndarray, shape (N, 5), optional
        Times of the positions that these are made of, s: rates of neighbours share their noise.
    slope_weights : ndarray, shape (N, 5 n), optional
        What each of these positions adds to the noise of every joint's rate, 1/s, in standard
        deviations of one message; those of all joints one position after the other.

    Raises
    ------
    MeasurementError
        If columns have other sizes, no wrench is known at the first sample, or the times of poses
        do not increase.
    """

    times: NDArray[np.float64]
    q: NDArray[np.float64] | None = None
    qd: NDArray[np.float64] | None = None
    wheel_rates: NDArray[np.float64] | None = None
    base_twist: NDArray[np.float64] | None = None
    position: NDArray[np.float64] | None = None
    attitude: NDArray[np.float64] | None = None
    joint_torque: NDArray[np.float64] | None = None
    wrench: HeldSignal | None = None
    thrust: HeldSignal | None = None
    qdd: NDArray[np.float64] | None = None
    wheel_acceleration: NDArray[np.float64] | None = None
    angular_acceleration: NDArray[np.float64] | None = None
    variance: NDArray[np.float64] | None = None
    smoothed: NDArray[np.float64] | None = None
    changed: NDArray[np.float64] | None = None
    derived: NDArray[np.float64] | None = None
    slope_times: NDArray[np.float64] | None = None
    slope_weights: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        for name, column in self._columns().items():
            if column.shape[:1] != (len(self),) or column.ndim != 2 - (name == 'times'):
                raise MeasurementError(f'{name}: {column.shape} for {len(self)} times')
            if column.shape[-1] != _WIDTHS.get(name, column.shape[-1]):
                raise MeasurementError(f'{name}: {column.shape[-1]} columns, not {_WIDTHS[name]}')
        if self.wrench is not None:
            self._check_wrench()
        if self.q is None and self.position is not None:
            self._check_poses()

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.times)

    def __getitem__(self, rows: slice | NDArray[np.bool_] | NDArray[np.intp]) -> 'Record':
        """Return some of the samples, and all wrenches."""
        return self._mapped(lambda column: column[rows])

    def has(self, *columns: str) -> NDArray[np.bool_]:
        """Return which samples have finite numbers in all of some columns, shape (N,)."""
        there = np.ones(len(self), dtype=bool)
        for name in columns:
            column = getattr(self, name)
            there &= False if column is None else np.isfinite(column).all(axis=1)
        return there

    def has_joints(self) -> NDArray[np.bool_]:
        """Return in which samples joints and wheels are known, shape (N,)."""
        return self.has('q', *['wheel_rates'] * (self.wheel_rates is not None))

    def at_smoothed(self) -> 'Record':
        """Return the record with its smoothed motion in place of the measured one."""
        n = self.q.shape[1]
        names = {'q': n, 'qd': n, 'position': 3, 'attitude': 4}
        parts = np.split(self.smoothed, np.cumsum([*names.values()])[:-1], axis=1)
        smooth = {
            name: np.where(np.isfinite(part), part, getattr(self, name))
            for name, part in zip(names, parts, strict=True)
            if part.shape[1]
        }
        return replace(self, **smooth, smoothed=None)

    def noise_of(self, stream: str) -> NDArray[np.float64]:
        """Return the variance of a stream's noise over that of one message, shape (N,).

        Parameters
        ----------
        stream : str
            One of ``STREAMS``: joints, gyro, velocity, pose.
        """
        if self.variance is None:
            return np.ones(len(self))
        return self.variance[:, STREAMS.index(stream)]

    def weighed(self, factors: NDArray[np.float64]) -> 'Record':
        """Return the record with the variance of each stream's noise multiplied.

        Parameters
        ----------
        factors : ndarray, shape (4,)
            Factors of ``STREAMS``.
        """
        before = np.ones((len(self), len(STREAMS))) if self.variance is None else self.variance
        return replace(self, variance=before * factors)

    def measured_rates(self) -> NDArray[np.float64]:
        """Return one for joint rates that are readings, zero for derived ones, shape (N, n)."""
        return np.ones_like(self.q) if self.derived is None else 1.0 * (self.derived == 0.0)

    def travel(self) -> NDArray[np.float64]:
        """Return how far each joint goes, rad or m, shape (n,)."""
        return np.ptp(self.q, axis=0) if len(self) else np.zeros(self.q.shape[1])

    def shifted(self, by: float) -> 'Record':
        """Return the record at later times, s."""
        moved = {
            name: replace(signal, times=signal.times + by)
            for name in _HELD
            if (signal := getattr(self, name)) is not None
        }
        if self.slope_times is not None:
            moved['slope_times'] = self.slope_times + by
        return replace(self, times=self.times + by, **moved)

    def between(self, start: float, end: float) -> 'Record':
        """Return the samples from one time until before another."""
        return self[(self.times >= start) & (self.times < end)]

    @classmethod
    def concatenate(cls, parts: Sequence['Record']) -> 'Record':
        """Return several records one after the other.

        Poses that only some of them have are NaN in the others; any other column that one of them
        lacks is None. Before the first command of thrusters there is none.
        """
        whole = {}
        for name in (each.name for each in fields(cls) if each.name not in _HELD):
            column = [getattr(part, name) for part in parts]
            known = [each for each in column if each is not None]
            if known and name in _PARTIAL:
                width = max(each.shape[1] for each in known)
                column = known = [
                    _widened(each, len(part), width, _PARTIAL[name])
                    for part, each in zip(parts, column, strict=True)
                ]
            if len(known) == len(parts):
                whole[name] = np.concatenate(column)
        for name in _HELD:
            held = [getattr(part, name) for part in parts]
            if name == 'thrust':
                held = _since_first(parts)
            if not any(each is None for each in held):
                whole[name] = HeldSignal.concatenate(held)
        return cls(**whole)

    def _columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the columns that are known, by name."""
        columns = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: column
            for name, column in columns.items()
            if column is not None and name not in _HELD
        }

    def _mapped(self, change: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> 'Record':
        """Return a record with every column changed alike."""
        changed = {name: change(column) for name, column in self._columns().items()}
        return Record(**changed, **{name: getattr(self, name) for name in _HELD})

    def _check_wrench(self) -> None:
        if self.wrench.values.shape[1] != 6:
            raise MeasurementError(f'wrench: {self.wrench.values.shape[1]} columns, not 6')
        if len(self) and not (len(self.wrench) and self.wrench.times[0] <= self.times.min()):
            raise MeasurementError('no wrench is known at the first sample')

    def _check_poses(self) -> None:
        if not (np.isfinite(self.times).all() and self.has('position', 'attitude').all()):
            raise MeasurementError('poses are not finite')
        if (np.diff(self.times) <= 0.0).any():
            raise MeasurementError('times of poses do not increase')


def _since_first(parts: Sequence[Record]) -> list[HeldSignal | None]:
    """Return commands of thrusters of several records, zeros before the first one that has any."""
    held = [part.thrust for part in parts]
    first = next((k for k, each in enumerate(held) if each is not None), 0)
    before = [part.times[0] for part in parts[:first] if len(part)]
    if not before:
        return held[first:]
    none = np.zeros((1, held[first].values.shape[1]))
    return [HeldSignal(np.array(before[:1]) - JUST_BEFORE, none), *held[first:]]


def stands_still(travel: NDArray[np.float64], position_std: float) -> NDArray[np.bool_]:
    """Return which joints stand still but for the noise of their encoders, shape (n,).

    Parameters
    ----------
    travel : ndarray, shape (n,)
        How far each goes, rad or m.
    position_std : float
        Standard deviation of their positions, rad or m.
    """
    return travel <= _STILL + 20.0 * position_std


def _widened(
    column: NDArray[np.float64] | None, count: int, width: int, missing: float
) -> NDArray[np.float64]:
    """Return a column as wide as others, with what stands for a number that is missing."""
    whole = np.full((count, width), missing)
    if column is not None:
        whole[:, : column.shape[1]] = column
    return whole

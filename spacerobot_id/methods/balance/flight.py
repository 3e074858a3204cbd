"""A flight as momentum balance sees it: joints and commands at any time, readings at theirs.

A whole flight shows more than each reading as it came: glitches among its first readings, before
it was known how far joints go between two; readings of a driver that has stopped for a moment.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.joint_glitches import glitches
from spacerobot_id.measurement.monitors.frozen import have_gone_on
from spacerobot_id.measurement.record import stands_still
from spacerobot_id.measurement.signal.restamping import restamped
from spacerobot_id.measurement.signal.smooth_path import SmoothPath
from spacerobot_id.methods.balance.actuators.commands import allocated, Commands, of_thrusters
from spacerobot_id.methods.blocks import Blocks, Stretch
from spacerobot_id.model import RobotModel, Thruster
from spacerobot_id.spatial import body_rates, without_flips


def counting_joints(record: Record, model: RobotModel) -> NDArray[np.bool_]:
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


def _glitches(record: Record, model: RobotModel) -> NDArray[np.bool_]:
    """Return which readings jump and come back, shape (N,)."""
    return glitches(record.times, record.q, model.noise.joint_position)


def _stale(record: Record, model: RobotModel) -> NDArray[np.bool_]:
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


_FEWEST = 20
"""Poses below which nothing is fitted."""

_SHARE, _SEGMENT = 0.5, 0.05
"""Length of a segment over the distance of poses, and its least length, s.

Disturbances are constant within one: longer ones would explain wrenches that act at other times.
"""

_SPARE = 0.1
"""Time at each end of joints that is left out where the clock of poses is another, s."""

_NOMINAL = 0.25
"""Distance of knots of the curve through poses that the fit starts from, s, at least."""

_SILENCE, _OFTEN = 0.25, 10.0
"""Time without any reading within which anything may have happened, s, and over their usual
distance: all messages were lost, or the clock was put forward."""

_LOOKS = 25
"""Times along a flight at which its mean inertia is looked at."""

READINGS = ('pose', 'gyro', 'velocity')
"""Kinds of readings of the base, in this order."""


@dataclass(frozen=True, eq=False)
class Readings:
    """The readings of one sensor.

    Parameters
    ----------
    times : ndarray, shape (K,)
        Stamps, s.
    values : ndarray, shape (K, w)
        Readings.
    variance : ndarray, shape (K,)
        Variance of their noise over that of one message.
    stamps : ndarray, shape (K,)
        Stamps as they came, s.
    known : int
        How many of the first ones are known already.
    """

    times: NDArray[np.float64]
    values: NDArray[np.float64]
    variance: NDArray[np.float64]
    stamps: NDArray[np.float64]
    known: int = 0

    @property
    def interval(self) -> float:
        """Usual time between two of them, s; infinite for a single one."""
        return float(np.median(np.diff(self.times))) if len(self.times) > 1 else np.inf

    def after(self, stamp: float) -> 'Readings':
        """Return them with those up to a stamp known."""
        return replace(self, known=int(np.searchsorted(self.stamps, stamp, side='right')))


@dataclass(frozen=True, eq=False)
class Onward:
    """Where a flight goes on from when what came before is marginalised.

    Parameters
    ----------
    time : float
        Where the next segment begins, s.
    spacing : float
        Length of the segments, s.
    clock : float
        By how much poses are late against joints, s.
    read : dict of str to float
        Stamps of the last readings that are known, by kind, s.
    looks : ndarray, shape (L, n)
        Joint positions whose mean inertia disturbances are measured by.
    """

    time: float
    spacing: float
    clock: float
    read: dict[str, float]
    looks: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Flight(Stretch):
    """Inputs and readings of one flight.

    Parameters
    ----------
    joints : SmoothPath
        Joint positions (rad or m) by time.
    spins : SmoothPath
        Rates of the wheels, rad/s, by time.
    commands : Commands
        Commands of the actuators of the base.
    readings : dict of str to Readings
        By kind; pose as position and quaternion x y z w.
    edges : ndarray, shape (G + 1,)
        Times at which segments begin and end by the clock of the poses, s.
    looks : ndarray, shape (L, n)
        Some joint positions along it, whose mean inertia disturbances are measured by.
    silences : ndarray, shape (S, 2)
        Where times begin and end within which nothing was read at all, s.
    """

    joints: SmoothPath
    spins: SmoothPath
    commands: Commands
    readings: dict[str, Readings]
    edges: NDArray[np.float64]
    looks: NDArray[np.float64]
    silences: NDArray[np.float64]

    @classmethod
    def of(cls, record: Record, model: RobotModel, commands: Commands) -> 'Flight':
        """Return the flight that a record is of.

        Parameters
        ----------
        record : Record
            Samples: joints, poses, and angular and linear velocities where there are some.
        model : RobotModel
            Robot, for the noise of its sensors.
        commands : Commands
            Commands of its actuators.

        Raises
        ------
        EstimationError
            If there are too few poses or joint states.
        """
        readings, own = _readings(record), counting_joints(record, model)
        pose, count = readings['pose'], int(np.sum(own))
        if len(pose.times) < _FEWEST:
            raise EstimationError(f'{len(pose.times)} poses are too few to fit a motion to')
        if count < _FEWEST:
            raise EstimationError(f'{count} joint states are too few to fit a motion to')
        stds = model.noise.joint_position, model.noise.joint_rate
        q, qd = record.q[own], record.qd[own]
        still = stands_still(record[own].travel(), stds[0])
        q, qd = np.where(still, q.mean(axis=0), q), np.where(still, 0.0, qd)
        joints = SmoothPath.through(record.times[own], q, qd, stds)
        even = restamped(pose.times, _path(pose.values))
        if even is not None:
            pose = readings['pose'] = replace(pose, times=even)
        begin = max(joints.begin, float(pose.times[0]))
        end = min(joints.end, float(pose.times[-1]))
        length = max(_SHARE * pose.interval, _SEGMENT)
        count = max(int((end - begin) / length), 1)
        edges = np.linspace(begin, end, count + 1)
        looks = joints.at(edges[:: max(len(edges) // _LOOKS, 1)])[0]
        wheels = SmoothPath.through(
            record.times[own], record.wheel_rates[own], stds=(model.noise.joint_rate, 0.0)
        )
        silences = _silences(record.times)
        return cls(joints, wheels, commands, readings, edges, looks, silences)

    @property
    def is_silent(self) -> NDArray[np.bool_]:
        """In which segments nothing was read for long, shape (G,)."""
        begins, ends = self.silences.T[:, :, None]
        return ((self.edges[1:] > begins) & (self.edges[:-1] < ends)).any(axis=0)

    @cached_property
    def joint_noise(self) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Deviations of positions and rates of the joints to readings of each kind."""
        return {
            kind: self.joints.white_stds(each.interval) for kind, each in self.readings.items()
        }

    @cached_property
    def wheel_noise(self) -> dict[str, NDArray[np.float64]]:
        """Deviations of the rates of the wheels to readings of each kind."""
        return {
            kind: self.spins.white_stds(each.interval)[0] for kind, each in self.readings.items()
        }

    @staticmethod
    def is_enough(record: Record) -> bool:
        """Return whether there are enough joint positions and poses for a flight."""
        poses = _readings(record)['pose'].times
        return len(poses) >= _FEWEST and np.count_nonzero(record.has_joints()) >= _FEWEST

    def going_on(self, onward: Onward | None) -> 'Flight':
        """Return the flight from where all before is marginalised; itself if None."""
        if onward is None:
            return self
        count = int((self._span(onward.clock)[1] - onward.time) / onward.spacing + 1e-6)
        readings = {
            kind: each.after(onward.read.get(kind, -np.inf))
            for kind, each in self.readings.items()
        }
        edges = onward.time + onward.spacing * np.arange(count + 1)
        return replace(self, readings=readings, edges=edges, looks=onward.looks)

    def onward(self, segment: int, clock: float, blocks: Blocks, before: Onward | None) -> Onward:
        """Return where it goes on from when all before a segment is marginalised.

        Parameters
        ----------
        segment : int
            The segment.
        clock : float
            By how much poses are late against joints, s.
        blocks : Blocks
            Its rows.
        before : Onward, optional
            Where it goes on from itself.
        """
        read = {} if before is None else dict(before.read)
        known = slice(blocks.row_edges[segment])
        for kind, name in enumerate(READINGS):
            stamps = blocks.stamps[known][blocks.kind[known] == kind]
            if len(stamps):
                read[name] = float(stamps.max())
        spacing = float(np.diff(self.edges[:2])[0])
        return Onward(float(self.edges[segment]), spacing, clock, read, self.looks)

    def _span(self, clock: float) -> tuple[float, float]:
        """Return where poses, late by so much, and joints begin and end to be there both, s.

        A little less where they are late: joints are still there as a fit changes the clock.
        """
        poses, spare = self.readings['pose'].times, _SPARE if clock else 0.0
        begin = max(self.joints.begin + clock + spare, float(poses[0]))
        return begin, min(self.joints.end + clock - spare, float(poses[-1]))

    def by_clock(self, clock: float) -> 'Flight':
        """Return the flight with segments where there are joints of poses that are late, s."""
        if clock == 0.0:
            return self
        begin, end = self._span(clock)
        count = int((end - begin) / float(self.edges[1] - self.edges[0]) + 1e-6)
        return self if count < 1 else replace(self, edges=np.linspace(begin, end, count + 1))

    def wheels(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return wheel rates at times, shape (N, w)."""
        return self.spins.at(times)[0]

    @cached_property
    def _nominal(self) -> SmoothPath:
        """A curve through the poses as they are."""
        pose = self.readings['pose']
        values = _path(pose.values)
        spacing = max(_NOMINAL, float(self.edges[1] - self.edges[0]))
        return SmoothPath.through(pose.times, values, spacing=spacing)

    def roughness(self, pose_std: tuple[float, float]) -> float:
        """Return how far poses are off the smooth curve through them, over their noise, at most.

        Parameters
        ----------
        pose_std : tuple of float
            Noise of their positions (m) and attitudes (rad) as stated.
        """
        pose = self.readings['pose']
        off = np.std(_path(pose.values) - self._nominal.at(pose.times)[0], axis=0)
        std = np.repeat([pose_std[0], 0.5 * pose_std[1]], [3, 4])  # half the angle
        return float(np.max(off / std))

    def nominal_motion(
        self, times: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return poses and twists along a smooth curve through the measured poses.

        Parameters
        ----------
        times : ndarray, shape (N,)
            By the clock of the poses, s.

        Returns
        -------
        ndarray, shape (N, 7)
            Positions (m) and unit quaternions x y z w.
        ndarray, shape (N, 6)
            Linear (m/s) and angular (rad/s) velocities in base axes.
        """
        place, rate = self._nominal.at(times)
        place[:, 3:] /= np.linalg.norm(place[:, 3:], axis=1, keepdims=True)
        linear = Rotation.from_quat(place[:, 3:]).apply(rate[:, :3], inverse=True)
        return place, np.hstack([linear, body_rates(place[:, 3:], rate[:, 3:])])

    def allocated(self, thrusters: Sequence[Thruster], free: list[int], delay: float) -> 'Flight':
        """Return the flight with its wrenches as commands of the thrusters that give them.

        Parameters
        ----------
        thrusters : sequence of Thruster
            Thrusters of the base.
        free : list of int
            Components of the wrench that count.
        delay : float
            Time by which poses are stamped late, s: a wrench in inertial axes is turned into those
            of the base by the attitude at its time.

        Raises
        ------
        EstimationError
            If their geometry cannot give such wrenches.
        """
        commands, pose = self.commands, self.readings['pose']
        wrenches = commands.values @ commands.columns.T
        if commands.in_world:
            seen = np.clip(commands.times + delay, pose.times[0], pose.times[-1])
            turned = Rotation.from_quat(self.nominal_motion(seen)[0][:, 3:])
            parts = np.split(wrenches, 2, axis=1)
            wrenches = np.hstack([turned.apply(each, inverse=True) for each in parts])
        shares = allocated(wrenches, thrusters, free)
        return replace(self, commands=of_thrusters(commands.times, shares, thrusters, free))


def _silences(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where times without any reading begin and end, s, shape (S, 2)."""
    steps = np.diff(times)
    long = np.flatnonzero(steps > max(_SILENCE, _OFTEN * float(np.mean(steps))))
    return np.stack([times[long], times[long + 1]], axis=1)


def _path(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return poses, (N, 7), whose quaternions do not change their sign from one to the next."""
    return np.hstack([poses[:, :3], without_flips(poses[:, 3:])])


def _readings(record: Record) -> dict[str, Readings]:
    """Return the readings of the base that count."""
    count = len(record)
    missing = np.full((count, 7), np.nan)
    twist = missing[:, :6] if record.base_twist is None else record.base_twist
    pose = missing
    if record.position is not None and record.attitude is not None:
        pose = np.hstack([record.position, record.attitude])
    found = {}
    for kind, values in zip(READINGS, (pose, twist[:, 3:], twist[:, :3]), strict=True):
        variance = record.noise_of(kind)
        counts = np.isfinite(values).all(axis=1) & np.isfinite(variance)
        times = record.times[counts]
        found[kind] = Readings(times, values[counts], variance[counts], times)
    return found

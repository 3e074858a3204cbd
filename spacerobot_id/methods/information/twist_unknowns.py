"""Unknowns beside the parameters, by what they change of what gyro and velocity read.

Readings are predicted forward, by the calibrations themselves. What moves the base is a
difference of predicted twists, of a geometry or of states that are a little off; what only reads
it wrongly is linear in the twist. All slopes are therefore linear in twists at some states, and
their derivatives by a motion are those of these twists.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient
from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibrated_method import CalibratedMethod
from spacerobot_id.methods.calibrations.calibration import Calibration
from spacerobot_id.methods.calibrations.delay import Delay
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import wheel_momentum_matrix
from spacerobot_id.multibody.free_floating.planned_base import free_axes, twist_from_matrix
from spacerobot_id.multibody.momentum import (
    momentum_matrices,
    momentum_matrices_pull_back,
    wheel_momentum_derivatives,
)

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, eq=False)
class ConservedTwist:
    """Twists of the bases of R robots at N states of joints and wheels.

    Parameters
    ----------
    models : sequence of RobotModel
        Robots of one geometry.
    q : ndarray, shape (N, n)
        Joint positions, rad or m.
    rates : ndarray, shape (N, m)
        Rates of joints, then wheels.
    planar : bool
        Whether a table holds the base in its plane.
    matrix : ndarray, shape (R, N, 6, 6 + n)
        Momentum matrices.
    twist : ndarray, shape (R, N, 6)
        Linear (m/s) and angular (rad/s) velocity in base axes.
    """

    models: Sequence[RobotModel]
    q: NDArray[np.float64]
    rates: NDArray[np.float64]
    planar: bool
    matrix: NDArray[np.float64]
    twist: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        models: Sequence[RobotModel],
        q: NDArray[np.float64],
        rates: NDArray[np.float64],
        *,
        planar: bool,
    ) -> 'Self':
        """Return the twists at some states."""
        matrix = momentum_matrices(models, q)
        twist = twist_from_matrix(models[0], matrix, q, rates, planar)
        return cls(models, q, rates, planar, matrix, twist)

    @property
    def of_base(self) -> NDArray[np.float64]:
        """Momentum per unit of twist where the base is free, shape (R, N, f, f)."""
        free = free_axes(self.planar)
        return self.matrix[:, :, free][..., free]

    def pull_back(
        self, by_twist: NDArray[np.float64], by_matrix: NDArray[np.float64] | float = 0.0
    ) -> SampleGradient:
        """Return derivatives by positions and rates from those by the twists.

        Parameters
        ----------
        by_twist : ndarray, shape (R, N, 6)
            Derivatives of a number by the twists.
        by_matrix : ndarray, shape (R, N, 6, 6 + n), optional
            Those by the momentum matrices, where these count by themselves.
        """
        model, free, joints = self.models[0], free_axes(self.planar), self.q.shape[1]
        qd, wheel_rates = self.rates[:, :joints], self.rates[:, joints:]
        by_momentum = np.zeros_like(by_twist)  # of joints and wheels, which the base's undoes
        by_momentum[..., free] = -np.linalg.solve(self.of_base, by_twist[..., free, None])[..., 0]
        moving = np.broadcast_to(qd, (len(self.models), *qd.shape))
        velocities = np.concatenate([self.twist, moving], axis=2)
        by_matrix = by_matrix + by_momentum[..., None] * velocities[:, :, None]
        of_wheels = by_momentum.sum(axis=0)
        position, velocity = np.zeros_like(self.rates), np.zeros_like(self.rates)
        velocity[:, :joints] = np.einsum('rnc,rncm->nm', by_momentum, self.matrix[..., 6:])
        velocity[:, joints:] = np.einsum(
            'nc,ncw->nw', of_wheels, wheel_momentum_matrix(model, self.q)
        )
        position[:, :joints] = momentum_matrices_pull_back(self.models, self.q, by_matrix)
        slopes = wheel_momentum_derivatives(model, self.q, wheel_rates)
        position[:, :joints] += np.einsum('nc,nkc->nk', of_wheels, slopes)
        return SampleGradient(position, velocity, np.zeros_like(position))


_STEP = 1e-3
"""Difference that slopes are taken over, in prior standard deviations."""

_SOON = 1e-3
"""Time over which rates of twists are taken, s."""

_OF_STREAM = {'velocity': slice(0, 3), 'gyro': slice(3, 6)}
"""Components of the twist that a stream reads."""


@dataclass(frozen=True, eq=False)
class Displacement:
    """S sets of states a little away from those of a motion, of a robot of another geometry.

    Parameters
    ----------
    robot : callable
        From a robot to that with the other geometry, or the other wheels.
    shifts : ndarray, shape (S, n)
        What is added to the joint positions, rad or m.
    later : ndarray, shape (S,)
        How much later the states are, s.
    """

    robot: Callable[[RobotModel], RobotModel]
    shifts: NDArray[np.float64]
    later: NDArray[np.float64]

    def twist(
        self, robots: Sequence[RobotModel], motion: PlannedMotion, *, planar: bool
    ) -> ConservedTwist:
        """Return the twists there of R robots that have the geometry already, S N samples."""
        joints, step = self.shifts.shape[1], self.later[:, None, None]
        q = motion.position[:, :joints] + step * motion.velocity[:, :joints]
        q = q + self.shifts[:, None]
        rates = motion.velocity + step * motion.acceleration
        return ConservedTwist.of(
            robots, q.reshape(-1, joints), rates.reshape(-1, rates.shape[-1]), planar=planar
        )

    def by_set(self, twist: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return twists of S N samples, shape (R, S N, 6), set by set, shape (S, R, N, 6)."""
        return twist.reshape(len(twist), len(self.later), -1, 6).swapaxes(0, 1)

    def pull_back(self, there: ConservedTwist, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples of the motion from those by the twists there.

        Parameters
        ----------
        there : ConservedTwist
            The twists.
        by : ndarray, shape (S, R, N, 6)
            Derivatives by them, set by set.
        """
        found = there.pull_back(by.swapaxes(0, 1).reshape(there.twist.shape))
        sets, step = len(self.later), self.later[:, None, None]
        position, velocity = (
            each.reshape(sets, -1, each.shape[-1]) for each in (found.position, found.velocity)
        )
        return SampleGradient(
            position.sum(axis=0),
            (velocity + step * position).sum(axis=0),
            (step * velocity).sum(axis=0),
        )


@dataclass(frozen=True, eq=False)
class TwistUnknowns:
    """What is unknown beside the parameters, c numbers.

    Parameters
    ----------
    groups : tuple of str
        Names of their groups, which are those of the settings that switch them on.
    std : ndarray, shape (c,)
        Prior standard deviations.
    displaced : tuple of Displacement
        Geometries and states that their slopes are differences to, D sets of states together.
    of_twists : ndarray, shape (1 + D, 6, 6, c)
        Slopes of the readings by the twist of the motion, and by those of the displaced.
    constant : ndarray, shape (6, c)
        What slopes have beside: those of biases.
    """

    groups: tuple[str, ...]
    std: NDArray[np.float64]
    displaced: tuple[Displacement, ...]
    of_twists: NDArray[np.float64]
    constant: NDArray[np.float64]

    @classmethod
    def of_method(cls, method: CalibratedMethod) -> 'Self':
        """Return those of a method: calibrations, bias of the gyro, scales of wheels.

        Errors of sensors that the robot's YAML file states are left out: they change slopes by as
        much as readings.
        """
        unknowns = method.unknowns
        count = unknowns.parameters
        found = _Slopes(len(method.model.joints), len(unknowns) - count)
        for key, place in unknowns.places.items():
            columns = range(place.start - count, place.stop - count)
            if key in method.calibrations.by_key:
                found.add_calibration(method.calibrations.by_key[key], method.model, columns)
            elif key == 'gyro_bias':
                found.constant[3:, columns] = np.eye(3)
            elif key == 'wheel_scale':
                for wheel, column in enumerate(columns):
                    found.add_difference(partial(_with_scaled_wheel, wheel), _STEP, column)
        groups = tuple(unknowns.places)
        return cls(groups, unknowns.std, *found.merged(), found.constant)

    def slopes(self, twists: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the slopes of the readings, shape (R, N, 6, c).

        Parameters
        ----------
        twists : ndarray, shape (1 + D, R, N, 6)
            Twists along the motion, and of the displaced.
        """
        found = np.einsum('drnj,dijc->rnic', twists, self.of_twists, optimize=True)
        return found + self.constant

    def pull_back(self, by: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return derivatives by the twists, shape (1 + D, R, N, 6), from those by the slopes."""
        return np.einsum('rnic,dijc->drnj', by, self.of_twists, optimize=True)


class _Slopes:
    """What slopes are made of, as it is put together: a displacement for each set of states."""

    def __init__(self, joints: int, count: int) -> None:
        self.still = np.zeros(joints)
        self.displaced: list[Displacement] = []
        self.of_twists = np.zeros((1, 6, 6, count))
        self.constant = np.zeros((6, count))
        self._around: list[int] = []

    def add_calibration(
        self, calibration: Calibration, model: RobotModel, columns: Sequence[int]
    ) -> None:
        """Add the numbers of a calibration, each in its column."""
        step = _STEP * calibration.std
        for place, column in enumerate(columns):
            values = np.zeros(len(columns))
            values[place] = step
            if isinstance(calibration, Delay):
                self._add_delay(_OF_STREAM[calibration.stream], column)
            elif calibration.moves_base:
                shift = calibration.inputs(model, _at_zero(self.still), values).q[0]
                is_geometry = calibration.robot(model, values) is not model
                robot = partial(calibration.robot, values=values) if is_geometry else _as_it_is
                self.add_difference(robot, step, column, shift)
            else:
                self.of_twists[0, :, :, column] = (calibration.sensed(values) - np.eye(6)) / step

    def add_difference(
        self,
        robot: Callable[[RobotModel], RobotModel],
        step: float,
        column: int,
        shift: NDArray[np.float64] | None = None,
    ) -> None:
        """Add an unknown that moves the base: a geometry or positions that are off by a step."""
        place = self._add(robot, self.still if shift is None else shift, 0.0)
        self.of_twists[place, :, :, column] = np.eye(6) / step
        self.of_twists[0, :, :, column] = -np.eye(6) / step

    def _add_delay(self, components: slice, column: int) -> None:
        """Add the delay of some components."""
        if not self._around:
            self._around = [self._add(_as_it_is, self.still, time) for time in (-_SOON, _SOON)]
        read = np.zeros((6, 6))
        read[components, components] = np.eye(3) / (2.0 * _SOON)
        before, after = self._around
        self.of_twists[before, :, :, column] = read
        self.of_twists[after, :, :, column] = -read

    def _add(
        self,
        robot: Callable[[RobotModel], RobotModel],
        shift: NDArray[np.float64],
        later: float,
    ) -> int:
        """Add a set of states; return the place of its twists."""
        self.displaced.append(Displacement(robot, shift[None], np.array([later])))
        self.of_twists = np.concatenate([self.of_twists, np.zeros_like(self.of_twists[:1])])
        return len(self.displaced)

    def merged(self) -> tuple[tuple[Displacement, ...], NDArray[np.float64]]:
        """Return displacements, those of the geometry as it is in one, and slopes by twists."""
        as_is = [each for each in self.displaced if each.robot is _as_it_is]
        others = [each for each in self.displaced if each.robot is not _as_it_is]
        order = [0, *(1 + self.displaced.index(each) for each in (*as_is, *others))]
        if as_is:
            shifts = np.concatenate([each.shifts for each in as_is])
            later = np.concatenate([each.later for each in as_is])
            others.insert(0, Displacement(_as_it_is, shifts, later))
        return tuple(others), self.of_twists[order]


def _at_zero(q: NDArray[np.float64]) -> Record:
    """Return one sample at rest."""
    return Record(np.zeros(1), q[None], np.zeros((1, len(q))), base_twist=np.zeros((1, 6)))


def _as_it_is(model: RobotModel) -> RobotModel:
    return model


def _with_scaled_wheel(wheel: int, model: RobotModel) -> RobotModel:
    """Return a robot one wheel of which has a spin inertia that is larger by the step."""
    wheels = list(model.wheels)
    wheels[wheel] = replace(wheels[wheel], spin_inertia=(1.0 + _STEP) * wheels[wheel].spin_inertia)
    return replace(model, wheels=wheels)

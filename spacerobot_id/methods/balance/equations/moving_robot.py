"""The robot of momentum balance along its flight: its momentum, and slopes in the unknowns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.balance.balance_robot import POSE_DELAY
from spacerobot_id.methods.balance.equations.case import Case
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import momentum_matrix, wheel_momentum_matrix
from spacerobot_id.multibody.free_floating.planned_base import constrained
from spacerobot_id.regressor import first_moment_regressor, momentum_regressor

_SOON = 1e-3
"""Time over which rates of what joints make of the robot are taken, s."""

STEP = 1e-3
"""Difference that slopes in calibrations are taken over, in prior standard deviations."""


@dataclass(frozen=True, eq=False)
class _Geometry:
    """A robot and its joint positions."""

    model: RobotModel
    q: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the joints make of the robot at N times; ``read`` are positions of encoders."""

    times: NDArray[np.float64]
    read: NDArray[np.float64]
    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    of_base: NDArray[np.float64]
    inverse: NDArray[np.float64]
    of_joints: NDArray[np.float64]
    of_wheels: NDArray[np.float64]
    of_spins: NDArray[np.float64]
    carried: NDArray[np.float64]
    com: NDArray[np.float64]
    freedom: NDArray[np.float64]

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> 'Inputs':
        """Return them at some of the times."""
        return Inputs(*(each[rows] for each in vars(self).values()))


class MovingRobot(Case):
    """The robot that values of the unknowns describe, moved as a flight's joints and wheels."""

    def _geometry(self, values: NDArray[np.float64], q: NDArray[np.float64]) -> _Geometry:
        """Return robot and joint positions with the calibrations of the values."""
        model, record = self.method.model, Record(np.arange(float(len(q))), q=q)
        for each, part in self.method.calibrations.parts(self.method.unknowns, values):
            if not each.stream:
                model = each.robot(model, part)
                record = each.inputs(self.method.model, record, part)
        return _Geometry(model, record.q)

    def _moving(self, geometry: _Geometry, values: NDArray[np.float64]) -> RobotModel:
        """Return a robot of some geometry with the inertial parameters of the values."""
        minimal = self.method.minimal
        return geometry.model.with_parameters(minimal.expand(values[: len(minimal)]))

    def at(self, times: NDArray[np.float64]) -> Inputs:
        """Return what the joints make of the robot at times by the clock of the poses."""
        method = self.method
        read, qd = self.flight.joints.at(times - self.clock)
        geometry = self._geometry(self.values, read)
        matrix = momentum_matrix(self._moving(geometry, self.values), geometry.q)
        of_spins = wheel_momentum_matrix(geometry.model, geometry.q)
        of_wheels = of_spins * self.flight.wheels(times - self.clock)[:, None, :]
        scale = 1.0 + self.part('wheel_scale', of_wheels.shape[-1])
        com, freedom = _mass_and_com(matrix)[1], self.freedom
        of_base, of_joints = np.split(constrained(matrix, method.free), [6], axis=-1)
        carried = np.einsum('nij,nj->ni', of_joints, qd) + (of_wheels @ scale) * freedom
        return Inputs(
            times,
            read,
            geometry.q,
            qd,
            of_base,
            np.linalg.inv(of_base),
            of_joints,
            of_wheels,
            of_spins * freedom[:, None],
            carried,
            com,
            np.broadcast_to(freedom, (len(times), 6)),
        )

    def around(self, inputs: Inputs) -> tuple[Inputs, Inputs] | None:
        """Return the inputs a little before and after; None if the clock of states is known."""
        if POSE_DELAY not in self.method.unknowns.places:
            return None
        return self.at(inputs.times - _SOON), self.at(inputs.times + _SOON)

    def momentum_columns(
        self,
        inputs: Inputs,
        twist: NDArray[np.float64],
        around: tuple[Inputs, Inputs] | None = None,
    ) -> NDArray[np.float64]:
        """Return the slope of the robot's own momentum in the unknowns, shape (N, 6, u).

        Parameters
        ----------
        inputs : Inputs
            What the joints make of the robot.
        twist : ndarray, shape (N, 6)
            Twist of the base, which is kept.
        around : tuple of Inputs, optional
            The same a little before and after, where joints move with the clock of the states.
        """
        method, unknowns = self.method, self.method.unknowns
        p = len(method.minimal)
        model = self._geometry(self.values, inputs.read[:1]).model
        columns = np.zeros((len(twist), 6, len(unknowns)))
        columns[:, :, :p] = momentum_regressor(
            model, inputs.q, inputs.qd, twist, method.minimal.columns
        )
        if 'wheel_scale' in unknowns.places:
            columns[:, :, unknowns.places['wheel_scale']] = inputs.of_wheels
        before = None
        for each in method.calibrations.by_key.values():
            if each.stream:
                continue
            before = self._momentum(self.values, inputs, twist) if before is None else before
            for place in range(unknowns.places[each.key].start, unknowns.places[each.key].stop):
                moved = self.values.copy()
                moved[place] += STEP * each.std
                after = self._momentum(moved, inputs, twist)
                columns[:, :, place] = (after - before) / (STEP * each.std)
        if around is not None:
            before, after = (
                np.einsum('nij,nj->ni', each.of_base, twist) + each.carried for each in around
            )
            place = unknowns.places[POSE_DELAY].start
            columns[:, :, place] = (before - after) / (2.0 * _SOON)
        return columns * self.freedom[:, None]

    def _momentum(
        self, values: NDArray[np.float64], inputs: Inputs, twist: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the robot's own momentum with the geometry of the values, shape (N, 6)."""
        geometry = self._geometry(values, inputs.read)
        moving = self._moving(geometry, self.values)
        rates = np.hstack([twist, inputs.qd])
        of_wheels = wheel_momentum_matrix(geometry.model, geometry.q)
        wheel_rates = self.flight.wheels(inputs.times - self.clock)
        return np.einsum('nij,nj->ni', momentum_matrix(moving, geometry.q), rates) + np.einsum(
            'nij,nj->ni', of_wheels, wheel_rates
        )

    def com_columns(
        self, inputs: Inputs, around: tuple[Inputs, Inputs] | None = None
    ) -> NDArray[np.float64]:
        """Return the slope of the centre of mass in base axes in the unknowns, shape (N, 3, u).

        Parameters are those of ``momentum_columns``.
        """
        unknowns = self.method.unknowns
        model = self._geometry(self.values, inputs.read[:1]).model
        of_mass, of_moment = self._moments(_Geometry(model, inputs.q))
        mass = of_mass @ self.values[: of_mass.shape[1]]
        columns = np.zeros((len(mass), 3, len(unknowns)))
        of_com = of_moment - inputs.com[:, :, None] * of_mass[:, None]
        columns[:, :, : of_mass.shape[1]] = of_com / mass[:, None, None]
        for each in self.method.calibrations.by_key.values():
            if each.stream:
                continue
            for place in range(unknowns.places[each.key].start, unknowns.places[each.key].stop):
                moved = self.values.copy()
                moved[place] += STEP * each.std
                geometry = self._geometry(moved, inputs.read)
                matrix = momentum_matrix(self._moving(geometry, self.values), geometry.q)
                change = _mass_and_com(matrix)[1] - inputs.com
                columns[:, :, place] = change / (STEP * each.std)
        if around is not None:
            before, after = around
            place = unknowns.places[POSE_DELAY].start
            columns[:, :, place] = (before.com - after.com) / (2.0 * _SOON)
        return columns

    def _moments(self, geometry: _Geometry) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mass (N, p) and first moments in base axes (N, 3, p) by the parameters."""
        minimal = self.method.minimal
        of_mass = np.zeros((len(geometry.q), len(minimal)))
        of_mass[:, minimal.masses] = 1.0
        return of_mass, first_moment_regressor(geometry.model, geometry.q, minimal.columns)

    def _unit_twist(self, geometry: _Geometry, axis: int) -> NDArray[np.float64]:
        """Return the momentum by the parameters at a unit velocity, joints at rest, (N, 6, p)."""
        twist = np.tile(np.eye(6)[axis], (len(geometry.q), 1))
        at_rest, columns = np.zeros_like(geometry.q), self.method.minimal.columns
        return momentum_regressor(geometry.model, geometry.q, at_rest, twist, columns)

    def mass_and_inertia(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mass (kg) and mean inertia about its centre (kg m^2), (2,), and slopes (2, p).

        Disturbances are accelerations times these. Forces and torques of a given size would move a
        lighter robot more, explain more, and make every robot too light. The slopes are those in
        the parameters; the geometry is that of the description.
        """
        geometry = _Geometry(self.method.model, self.flight.looks)
        of_mass, of_moment = self._moments(geometry)
        turns = [self._unit_twist(geometry, axis)[:, axis] for axis in (3, 4, 5)]
        of_inertia = np.stack(turns, axis=1)
        parameters = self.values[: of_mass.shape[1]]
        mass, moment = of_mass @ parameters, of_moment @ parameters
        across = np.ones((3, 3)) - np.eye(3)
        com = moment / mass[:, None]
        about = of_inertia @ parameters - (com * moment) @ across
        of_about = of_inertia - across @ (2.0 * com[:, :, None] * of_moment)
        of_about += (com**2 @ across)[:, :, None] * of_mass[:, None]
        axes = [2] if self.method.planar else [0, 1, 2]
        scales = np.array([mass.mean(), about[:, axes].mean()])
        return scales, np.stack([of_mass.mean(axis=0), of_about[:, axes].mean(axis=(0, 1))])


def _mass_and_com(
    matrix: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mass (N,) and centre of mass in base axes (N, 3) that momentum matrices hold."""
    mass = matrix[:, 0, 0]
    moment = np.stack([matrix[:, 1, 5], matrix[:, 2, 3], matrix[:, 0, 4]], axis=-1)
    return mass, moment / mass[:, None]

"""Readings of momentum balance as rows, linear in states and unknowns at their own times."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.methods.balance.balance_robot import POSE_DELAY
from spacerobot_id.methods.balance.equations.case import Case
from spacerobot_id.methods.balance.equations.moving_robot import (
    Inputs,
    MovingRobot,
    STEP,
)
from spacerobot_id.methods.balance.equations.states import difference, SeenState
from spacerobot_id.methods.balance.flight import READINGS
from spacerobot_id.spatial import skew

_SAME = 1e-9
"""Times nearer to each other than this are one, s."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Nodes of integration (M + 1), those at ends of segments, and those of readings by kind."""

    nodes: NDArray[np.float64]
    edges: NDArray[np.int64]
    counted: dict[str, NDArray[np.int64]]
    places: dict[str, NDArray[np.int64]]

    @cached_property
    def twice(self) -> NDArray[np.float64]:
        """The nodes, and the middles of the steps between them."""
        twice = np.empty(2 * len(self.nodes) - 1)
        twice[::2] = self.nodes
        twice[1::2] = 0.5 * (self.nodes[1:] + self.nodes[:-1])
        return twice


class ReadingRows(NamedTuple):
    """Rows of readings: node, slope in the state there, row, misfit, kind, place."""

    node: NDArray[np.int64]
    of_state: NDArray[np.float64]
    rows: NDArray[np.float64]
    misfit: NDArray[np.float64]
    kind: NDArray[np.int64]
    places: NDArray[np.int64]


class Readout(Case):
    """Times of integration and rows of readings, for a flight and values of the unknowns."""

    def grid(self) -> Grid:
        """Return the times of integration: ends of segments, readings, and between them.

        On the clock of the poses.
        """
        edges = self.flight.edges
        stamps = {
            kind: readings.times + self.clock - self.delay(kind)
            for kind, readings in self.flight.readings.items()
        }
        counted = {}
        for kind, times in stamps.items():
            inside = (times >= edges[0] - _SAME) & (times <= edges[-1] + _SAME)
            inside[: self.flight.readings[kind].known] = False
            counted[kind] = np.flatnonzero(inside)
        own = self.method.nodes(self.flight)
        own = own[(own > edges[0]) & (own < edges[-1])]
        seen = (stamps[kind][rows] for kind, rows in counted.items())
        times = np.concatenate([edges, own, *seen])
        times = np.unique(times)
        close = np.flatnonzero(np.diff(times) < _SAME) + 1
        times = np.delete(times, close)
        parts = np.maximum(
            np.ceil(np.diff(times) / self.method.longest_step - 1e-9).astype(int), 1
        )
        starts, lengths = np.repeat(times[:-1], parts), np.repeat(np.diff(times) / parts, parts)
        within = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
        nodes = np.append(starts + within * lengths, times[-1])
        places = {
            kind: np.searchsorted(nodes, stamps[kind][rows] - _SAME)
            for kind, rows in counted.items()
        }
        return Grid(nodes, np.searchsorted(nodes, edges - _SAME), counted, places)

    def rows(
        self,
        grid: Grid,
        inputs: Inputs,
        nodes: NDArray[np.float64],
        middles: NDArray[np.float64],
    ) -> ReadingRows:
        """Return the rows of readings by the states at their own times.

        Parameters
        ----------
        grid : Grid
            Times of integration.
        inputs : Inputs
            What the joints make of the robot at the M + 1 nodes.
        nodes, middles : ndarray, shapes (M + 1, 13) and (M, 13)
            States at the nodes and in the middles of the steps between them.
        """
        parts = [
            part
            for part in (
                self._read_pose(grid, inputs, nodes),
                self._read_twist('gyro', grid, inputs, nodes, middles),
                self._read_twist('velocity', grid, inputs, nodes, middles),
            )
            if part is not None
        ]
        whole = ReadingRows(*(np.concatenate(each) for each in zip(*parts, strict=True)))
        order = np.argsort(whole.node, kind='stable')
        return ReadingRows(*(np.ascontiguousarray(each[order]) for each in whole))

    def _rows(
        self,
        kind: str,
        grid: Grid,
        error: NDArray[np.float64],
        of_state: NDArray[np.float64],
        of_unknowns: NDArray[np.float64],
        covariance: NDArray[np.float64],
        components: list[int],
    ) -> ReadingRows:
        """Return some components of one kind of readings as rows of unit noise."""
        place, number = READINGS.index(kind), grid.counted[kind]
        count, own = len(number), len(components)
        v, n, free = self.own_size, self.state_size, len(self.method.free_state)
        rows = np.zeros((count, own, v + n + of_unknowns.shape[-1] + 1))
        states = np.zeros((count, own, n))
        states[:, :, :free] = of_state[:, components][:, :, self.method.free_state]
        rows[:, :, v + n : -1] = of_unknowns[:, components]
        rows[:, :, -1] = error[:, components]
        factor = np.linalg.cholesky(covariance[:, components][:, :, components])
        factor *= np.sqrt(self.flight.readings[kind].variance[number])[:, None, None]
        white = np.linalg.inv(factor)
        return ReadingRows(
            np.repeat(grid.places[kind], own),
            (white @ states).reshape(-1, n),
            (white @ rows).reshape(-1, rows.shape[-1]),
            error[:, components].reshape(-1),
            np.full(count * own, place),
            np.column_stack([np.repeat(number, own), np.tile(components, count)]),
        )

    def _read_pose(
        self, grid: Grid, inputs: Inputs, nodes: NDArray[np.float64]
    ) -> ReadingRows | None:
        """Return the rows of poses: position, then rotation vector in the marker's axes."""
        rows = grid.counted['pose']
        if not len(rows):
            return None
        method, unknowns, at = self.method, self.method.unknowns, grid.places['pose']
        state, inputs = nodes[at], inputs[at]
        seen = SeenState.of(state, inputs)
        measured = self.flight.readings['pose'].values[rows]
        point, mounting = self._known('pose_point'), self._known('pose_mounting')
        M = Rotation.from_rotvec(mounting)
        attitude = Rotation.from_quat(state[:, 3:7])
        left = ((attitude * M).inv() * Rotation.from_quat(measured[:, 3:])).as_rotvec()
        error = np.hstack([measured[:, :3] - state[:, :3] - attitude.apply(point), left])
        of_state = np.zeros((len(rows), 6, 12))
        of_state[:, :3, :3] = np.eye(3)
        of_state[:, :3, 3:6] = -seen.R @ skew(point)
        of_state[:, 3:, 3:6] = M.as_matrix().T
        of_unknowns = np.zeros((len(rows), 6, len(unknowns)))
        if 'pose_point' in unknowns.places:
            of_unknowns[:, :3, unknowns.places['pose_point']] = seen.R
        if 'pose_mounting' in unknowns.places:
            of_unknowns[:, 3:, unknowns.places['pose_mounting']] = np.eye(3)
        moved = (inputs.inverse @ inputs.of_joints) * self.flight.joint_noise['pose'][0]
        moved[:, :3] = seen.R @ moved[:, :3]
        covariance = moved @ np.swapaxes(moved, -1, -2)
        covariance += np.diag(np.repeat(np.square(method.pose_std), 3))
        return self._rows('pose', grid, error, of_state, of_unknowns, covariance, method.free)

    def _read_twist(
        self,
        kind: str,
        grid: Grid,
        inputs: Inputs,
        nodes: NDArray[np.float64],
        middles: NDArray[np.float64],
    ) -> ReadingRows | None:
        """Return the rows of angular or linear velocities."""
        rows = grid.counted[kind]
        if not len(rows):
            return None
        method, unknowns, at = self.method, self.method.unknowns, grid.places[kind]
        state, inputs = nodes[at], inputs[at]
        seen, half = SeenState.of(state, inputs), slice(3, 6) if kind == 'gyro' else slice(0, 3)
        sensed, bias = self._sensed(self.values), np.zeros(6)
        bias[3:] = self.part('gyro_bias', 3)
        measured = self.flight.readings[kind].values[rows]
        error = measured - (seen.twist @ sensed.T + bias)[:, half]
        of_state = (sensed @ seen.of_twist(inputs))[:, half]
        robot = MovingRobot(method, self.flight, self.values)
        columns = robot.momentum_columns(inputs, seen.twist)
        of_unknowns = (-sensed @ inputs.inverse @ columns)[:, half]
        if kind == 'gyro' and 'gyro_bias' in unknowns.places:
            of_unknowns[:, :, unknowns.places['gyro_bias']] = np.eye(3)
        for each in method.calibrations.by_key.values():
            if each.stream != kind:
                continue
            for place in range(unknowns.places[each.key].start, unknowns.places[each.key].stop):
                moved = self.values.copy()
                moved[place] += STEP * each.std
                change = (self._sensed(moved) - sensed) / (STEP * each.std)
                of_unknowns[:, :, place] += (seen.twist @ change.T)[:, half]
        name = 'delay.imu' if kind == 'gyro' else 'delay.base_twist'
        if name in unknowns.places and len(rows) > 1:
            times = self.flight.readings[kind].times[rows]
            of_unknowns[:, :, unknowns.places[name].start] = -np.gradient(
                measured - error, times, axis=0
            )
        if POSE_DELAY in unknowns.places:
            rates = _rates(grid, nodes, middles, at)
            moved = np.einsum('nij,nj->ni', of_state, rates)
            of_unknowns[:, :, unknowns.places[POSE_DELAY].start] = moved
        stated = method.gyro_std if kind == 'gyro' else method.velocity_std
        ratio = (inputs.inverse @ inputs.of_joints)[:, half]
        ratio = ratio * self.flight.joint_noise[kind][1]
        spun = (inputs.inverse @ inputs.of_spins)[:, half] * self.flight.wheel_noise[kind]
        ratio = np.concatenate([ratio, spun], axis=-1)
        covariance = ratio @ np.swapaxes(ratio, -1, -2) + max(stated, 1e-9) ** 2 * np.eye(3)
        offset = 3 if kind == 'gyro' else 0
        components = [k - offset for k in method.free if half.start <= k < half.stop]
        return self._rows(kind, grid, error, of_state, of_unknowns, covariance, components)

    def _known(self, key: str) -> NDArray[np.float64]:
        """Return the numbers of a calibration of the pose, zero if it is off."""
        parts = self.method.calibrations.parts(self.method.unknowns, self.values)
        found = [part for each, part in parts if each.key == key]
        return found[0] if found else np.zeros(3)

    def _sensed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the matrix from the base's twist to what velocity and gyro read, (6, 6)."""
        matrix = np.eye(6)
        for each, part in self.method.calibrations.parts(self.method.unknowns, values):
            if each.stream in ('gyro', 'velocity'):
                matrix = each.sensed(part) @ matrix
        return matrix


def _rates(
    grid: Grid,
    nodes: NDArray[np.float64],
    middles: NDArray[np.float64],
    at: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the rates of states at some nodes, (K, 12), along the step next to each."""
    step = np.minimum(at, len(middles) - 1)
    half = np.where(at > step, -0.5, 0.5) * np.diff(grid.nodes)[step]
    return difference(nodes[at], middles[step]) / half[:, None]

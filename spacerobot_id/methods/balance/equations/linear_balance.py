"""The equations of momentum balance, linear about a trajectory: rows of readings, by segment.

``dX/dt = V(X, q, qd, P)`` with ``V = H_b^-1 (P seen from the base - H_bm qd - h_w)``: joints and
wheels are measured, wrenches known, so that position, attitude and momentum are all the states
there are. What acts besides is a force at, and a torque about, the system's centre of mass,
constant within a segment. States at the ends of segments are unknowns (multiple shooting: Bock and
Plitt, 1984).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.methods.balance.actuators.actuation import Actuation
from spacerobot_id.methods.balance.actuators.actuator_settings import UNEVENNESS
from spacerobot_id.methods.balance.equations.case import Case
from spacerobot_id.methods.balance.equations.moving_robot import Inputs, MovingRobot
from spacerobot_id.methods.balance.equations.readout import Grid, Readout
from spacerobot_id.methods.balance.equations.states import difference, SeenState, Trajectory
from spacerobot_id.spatial import skew


@dataclass(frozen=True, eq=False)
class LinearFlight:
    """Rows of all readings of a flight, and how its segments follow from each other.

    Parameters
    ----------
    rows : ndarray, shape (K, v + n + u + 1)
        Slopes of the readings in push and state of their segment and in the unknowns, then what
        is measured less what is predicted; of unit noise where that is as stated.
    misfit : ndarray, shape (K,)
        What is measured less what is predicted, in the reading's own unit.
    kind : ndarray of int, shape (K,)
        Place of their kind in ``READINGS``.
    row_edges : ndarray of int, shape (G + 1,)
        Rows of each segment.
    back : ndarray, shape (G - 1, n, v + n + u)
        What push, next state and unknowns change of a state.
    gaps : ndarray, shape (G - 1, n)
        What a state changes because the next begins elsewhere than it ends.
    pushes : ndarray, shape (G, v)
        Pushes that the rows are linear about.
    seconds : ndarray, shape (G,)
        Lengths of the segments.
    places : ndarray of int, shape (K, 2)
        Number of the reading within its kind, and its component.
    slow : ndarray, shape (G, f)
        Lasting pushes that the rows are linear about.
    scatter : ndarray, shape (G, T)
        Scatter that the rows are linear about.
    begins : ndarray of bool, shape (G, T)
        Where it begins anew.
    """

    rows: NDArray[np.float64]
    misfit: NDArray[np.float64]
    kind: NDArray[np.int64]
    row_edges: NDArray[np.int64]
    back: NDArray[np.float64]
    gaps: NDArray[np.float64]
    pushes: NDArray[np.float64]
    seconds: NDArray[np.float64]
    places: NDArray[np.int64]
    slow: NDArray[np.float64]
    scatter: NDArray[np.float64]
    begins: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Balance(Case):
    """The equations of a flight for values of the unknowns."""

    @cached_property
    def robot(self) -> MovingRobot:
        """The robot along the flight."""
        return MovingRobot(self.method, self.flight, self.values)

    @cached_property
    def actuation(self) -> Actuation:
        """What acts on it."""
        return Actuation(self.method, self.flight, self.values)

    def start(self) -> Trajectory:
        """Return a trajectory through the measured poses."""
        times = self.flight.edges[:-1]
        place, twist = self.flight.nominal_motion(times + self.delay('pose'))
        turned = Rotation.from_quat(place[:, 3:])
        inputs = self.robot.at(times)
        moving = np.einsum('nij,nj->ni', inputs.of_base, twist * self.freedom) + inputs.carried
        linear, angular = turned.apply(moving[:, :3]), turned.apply(moving[:, 3:])
        angular += np.cross(place[:, :3], linear)
        states = np.hstack([place, linear, angular])
        scatter = np.zeros((len(times), len(self.flight.commands.names)))
        none = np.zeros((len(times), 6))
        return Trajectory(states, none, none, scatter)

    def linear(self, trajectory: Trajectory) -> LinearFlight:
        """Return the rows of all readings, linear about a trajectory."""
        from spacerobot_id.methods.balance.equations.balance_kernels import (  # compiles
            accumulate,
            shoot,
        )

        readout = Readout(self.method, self.flight, self.values)
        grid = readout.grid()
        inputs = self.robot.at(grid.twice)
        segment = np.repeat(np.arange(len(grid.edges) - 1), np.diff(grid.edges))
        scatter = trajectory.scatter[segment]
        wrench = self.actuation.mean_wrench(grid.nodes, scatter)
        of_body, of_world = (wrench, 0.0 * wrench)[:: -1 if self.flight.commands.in_world else 1]
        steps, edges = np.diff(grid.nodes), grid.edges
        nodes, middles = np.empty((len(steps) + 1, 13)), np.empty((len(steps), 13))
        ends = np.empty_like(trajectory.states)
        scales, of_scales = self.robot.mass_and_inertia()
        if not (scales > 0.0).all():
            raise np.linalg.LinAlgError('neither mass nor inertia can be negative')
        pushed = trajectory.pushes + trajectory.slow
        pushes = pushed * np.repeat(scales, 3) + self.actuation.disturbance()
        shoot(
            edges,
            steps,
            inputs.inverse,
            inputs.carried,
            inputs.com,
            np.ascontiguousarray(of_body),
            np.ascontiguousarray(of_world),
            pushes,
            self.actuation.drag,
            self.freedom,
            trajectory.states,
            nodes,
            middles,
            ends,
        )
        wrenches = np.stack([of_body, of_world])
        slopes = self._slopes(grid, inputs[1::2], middles, wrenches, pushes, segment, scatter)
        self._scale_pushes(slopes, scales, of_scales, pushed[segment])
        read = readout.rows(grid, inputs[::2], nodes)
        v, n, actuators = self.own_size, self.state_size, scatter.shape[1]
        ends_of = np.empty((len(edges) - 1, n, read.rows.shape[1] - 1))
        accumulate(
            edges,
            steps,
            slopes.of_state,
            np.concatenate([slopes.of_push, slopes.of_scatter], axis=2),
            slopes.of_push,
            slopes.of_unknowns,
            read.node,
            read.of_state,
            read.rows,
            ends_of,
        )
        onward = np.linalg.inv(ends_of[:-1, :, v : v + n])
        back = -onward @ ends_of[:-1]
        back[:, :, v : v + n] = onward
        count = len(self.method.free)
        slow = v + 2 * count
        back[:, :, count : 2 * count] = -back[:, :, slow : slow + count]
        begins = self.actuation.begins()
        for k in range(actuators):
            anew, last = np.flatnonzero(begins[1:, k]), v + n - actuators + k
            back[anew, :, v - actuators + k] = back[anew, :, last]
            back[anew, :, last] = 0.0
        apart = np.zeros((len(back), n))
        moved = difference(trajectory.states[1:], ends[:-1])
        apart[:, : 2 * count] = moved[:, self.method.free_state]
        apart[:, n - actuators :] = np.where(begins[1:], 0.0, -np.diff(trajectory.scatter, axis=0))
        return LinearFlight(
            read.rows,
            read.misfit,
            read.kind,
            np.searchsorted(read.node, np.append(edges[:-1], len(grid.nodes))),
            back,
            -np.einsum('gij,gj->gi', onward, apart),
            trajectory.pushes[:, self.method.free],
            np.diff(self.flight.edges),
            read.places,
            trajectory.slow[:, self.method.free],
            trajectory.scatter,
            begins,
        )

    def _scale_pushes(
        self,
        slopes: '_Slopes',
        scales: NDArray[np.float64],
        of_scales: NDArray[np.float64],
        pushes: NDArray[np.float64],
    ) -> None:
        """Make slopes in forces and torques those in accelerations, in place."""
        free = self.method.free
        half = np.array(free) // 3
        pushed = slopes.of_push[:, :, :, None] * (pushes[:, free, None] * of_scales[half])[:, None]
        slopes.of_unknowns[:, :, : of_scales.shape[1]] += pushed.sum(axis=2)
        slopes.of_push[:] *= scales[half]

    def _slopes(
        self,
        grid: Grid,
        inputs: Inputs,
        middles: NDArray[np.float64],
        wrenches: NDArray[np.float64],
        pushes: NDArray[np.float64],
        segment: NDArray[np.intp],
        scatter: NDArray[np.float64],
    ) -> '_Slopes':
        """Return slopes of the states' derivatives at the middles of steps."""
        method, unknowns, (of_body, of_world) = self.method, self.method.unknowns, wrenches
        at = SeenState.of(middles, inputs)
        count, u = len(middles), len(unknowns)
        columns = self.robot.momentum_columns(inputs, at.twist)
        of_twist = at.of_twist(inputs)
        unknown_twist = -inputs.inverse @ columns
        A, B = np.zeros((count, 12, 12)), np.zeros((count, 12, u))
        A[:, :3] = at.R @ of_twist[:, :3]
        A[:, :3, 3:6] -= at.R @ skew(at.twist[:, :3])
        A[:, 3:6] = of_twist[:, 3:]
        A[:, 3:6, 3:6] -= skew(at.twist[:, 3:])
        B[:, :3], B[:, 3:6] = at.R @ unknown_twist[:, :3], unknown_twist[:, 3:]
        r, lever = middles[:, :3], np.einsum('nij,nj->ni', at.R, inputs.com)
        force = np.einsum('nij,nj->ni', at.R, of_body[:, :3])
        turned = -at.R @ skew(of_body[:, :3])
        pushed = pushes[segment, :3] - self.actuation.drag * middles[:, 7:10]
        A[:, 6:9, 3:6] = turned
        A[:, 6:9, 6:9] = -self.actuation.drag * np.eye(3)
        A[:, 9:, :3] = -skew(force + of_world[:, :3] + pushed)
        A[:, 9:, 3:6] = skew(r) @ turned - at.R @ skew(of_body[:, 3:])
        A[:, 9:, 3:6] += skew(pushed) @ at.R @ skew(inputs.com)
        A[:, 9:, 6:9] = -self.actuation.drag * skew(r + lever)
        of_push = np.zeros((count, 12, 6))
        of_push[:, 6:9, :3] = of_push[:, 9:, 3:] = np.eye(3)
        of_push[:, 9:, :3] = skew(r + lever)
        B[:, 9:] = -skew(pushed) @ at.R @ self.robot.com_columns(inputs)
        if 'disturbance' in unknowns.places:
            B[:, 6:, unknowns.places['disturbance']] = of_push[:, 6:][:, :, method.free]
        if UNEVENNESS in unknowns.places:
            table = self.actuation.table[segment]
            B[:, 6:, unknowns.places[UNEVENNESS]] = of_push[:, 6:] @ table
        if 'drag' in unknowns.places:
            B[:, 6:, unknowns.places['drag'].start] = -np.einsum(
                'nij,nj->ni', of_push[:, 6:, :3], middles[:, 7:10]
            )
        scattering, acting = self.actuation.wrench_slopes(grid.nodes, scatter)
        for place, wrench in acting.items():
            self._act(wrench, at, r, B[:, :, place])
        of_scatter = np.zeros((count, 12, scattering.shape[-1]))
        for actuator in range(scattering.shape[-1]):
            self._act(scattering[:, :, actuator], at, r, of_scatter[:, :, actuator])
        keep = self.method.free_state
        return _Slopes(
            np.ascontiguousarray(A[:, keep][:, :, keep]),
            np.ascontiguousarray(of_scatter[:, keep]),
            np.ascontiguousarray(of_push[:, keep][:, :, method.free]),
            np.ascontiguousarray(B[:, keep]),
        )

    def _act(
        self,
        wrench: NDArray[np.float64],
        at: SeenState,
        r: NDArray[np.float64],
        slope: NDArray[np.float64],
    ) -> None:
        """Fill in what a wrench changes of the momentum, in the derivative of a state (M, 12)."""
        force, torque = wrench[:, :3], wrench[:, 3:]
        if not self.flight.commands.in_world:
            force, torque = (np.einsum('nij,nj->ni', at.R, part) for part in (force, torque))
        slope[:, 6:9] = force
        slope[:, 9:] = torque + np.cross(r, force)


class _Slopes(NamedTuple):
    """Slopes of the derivative of a state in state, scatter, push and unknowns, at M times."""

    of_state: NDArray[np.float64]
    of_scatter: NDArray[np.float64]
    of_push: NDArray[np.float64]
    of_unknowns: NDArray[np.float64]

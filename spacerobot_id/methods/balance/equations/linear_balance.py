"""The equations of momentum balance, linear about a trajectory: rows of readings, by segment.

``dX/dt = V(X, q, qd, P)`` with ``V = H_b^-1 (P seen from the base - H_bm qd - h_w)``: joints and
wheels are measured, wrenches known, so that position, attitude and momentum are all the states
there are. What acts besides is a force at, and a torque about, the system's centre of mass,
constant within a segment. States at the ends of segments are unknowns (multiple shooting: Bock and
Plitt, 1984).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.methods.balance.actuators.actuation import Actuation
from spacerobot_id.methods.balance.equations.case import Case
from spacerobot_id.methods.balance.equations.moving_robot import MovingRobot
from spacerobot_id.methods.balance.equations.readout import Readout
from spacerobot_id.methods.balance.equations.state_slopes import Acting, StateSlopes
from spacerobot_id.methods.balance.equations.states import difference, Trajectory


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
        Where it restarts.
    is_silent : ndarray of bool, shape (G,)
        Segments within which nothing was read for long: pushes may be anything.
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
    is_silent: NDArray[np.bool_]

    def with_parts(
        self, own: Sequence[int], new: Sequence[int], begins: Sequence[int]
    ) -> 'LinearFlight':
        """Return the rows with some unknowns apart in each part of the flight.

        Parameters
        ----------
        own, new : sequence of int
            Places of the unknowns that are the same all along, and of those that are not.
        begins : sequence of int
            First segment of each part, in their order.
        """
        part = np.searchsorted(begins, np.arange(len(self.seconds)), side='right') - 1
        before = self.rows.shape[1] - 1 - len(own) - len(new)
        of_row = np.repeat(part, np.diff(self.row_edges))

        def split(matrix: NDArray[np.float64], parts: NDArray[np.intp]) -> NDArray[np.float64]:
            columns = [matrix[..., :before], matrix[..., before + np.array(own)]]
            for each in range(len(begins)):
                is_there = (parts == each).reshape(-1, *[1] * (matrix.ndim - 1))
                columns.append(matrix[..., before + np.array(new)] * is_there)
            return np.concatenate(columns, axis=-1)

        rows = np.hstack([split(self.rows[:, :-1], of_row), self.rows[:, -1:]])
        return replace(self, rows=rows, back=split(self.back, part[:-1]))


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

    @cached_property
    def scales(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mass (kg) and mean inertia (kg m^2) that pushes are scaled by, (2,), slopes (2, p)."""
        return self.robot.mass_and_inertia()

    def start(self) -> Trajectory:
        """Return a trajectory through the measured poses."""
        times = self.flight.edges[:-1]
        place, twist = self.flight.nominal_motion(times)
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
        ends = np.empty(trajectory.states.shape)
        scales = self.scales[0]
        if not (scales > 0.0).all():
            raise np.linalg.LinAlgError('neither mass nor inertia can be negative')
        pushed = trajectory.pushes + trajectory.slow
        pushes = pushed * np.repeat(scales, 3) + self.actuation.disturbance()
        parts = inputs.inverse, inputs.carried, inputs.com
        shoot(
            edges,
            steps,
            *(np.ascontiguousarray(each) for each in (*parts, of_body, of_world, pushes)),
            self.actuation.drag,
            self.freedom,
            np.ascontiguousarray(trajectory.states),
            nodes,
            middles,
            ends,
        )
        acting = Acting(of_body, of_world, pushes[segment], pushed[segment], scatter)
        slopes = StateSlopes(self, segment).at(grid.nodes, inputs[1::2], middles, acting)
        read = readout.rows(grid, inputs[::2], nodes, middles)
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
        count = len(self.method.free)
        main, held = 2 * count, np.arange(2 * count, n)
        onward = np.linalg.inv(ends_of[:-1, :main, v : v + main])
        back = np.zeros_like(ends_of[:-1])
        back[:, :main] = -onward @ ends_of[:-1, :main]
        back[:, :main, v : v + main] = onward
        back[:, held, v + held] = 1.0
        onward = back[:, :, v : v + n].copy()
        slow = v + 2 * count
        back[:, :, count : 2 * count] = -back[:, :, slow : slow + count]
        begins = self.actuation.begins()
        for k in range(actuators):
            starts, last = np.flatnonzero(begins[1:, k]), v + n - actuators + k
            back[starts, :, v - actuators + k] = back[starts, :, last]
            back[starts, :, last] = 0.0
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
            -(onward @ apart[..., None])[..., 0],
            trajectory.pushes[:, self.method.free],
            np.diff(self.flight.edges),
            read.places,
            trajectory.slow[:, self.method.free],
            trajectory.scatter,
            begins,
            self.flight.is_silent,
        )

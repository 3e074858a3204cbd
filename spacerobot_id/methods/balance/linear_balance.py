"""The equations of momentum balance, linear about a trajectory: rows of readings, by segment.

``dX/dt = V(X, q, qd, P)`` with ``V = H_b^-1 (P seen from the base - H_bm qd - h_w)``: joints and
wheels are measured, wrenches known, so that position, attitude and momentum are all the states
there are. What acts besides is a force at, and a torque about, the system's centre of mass,
constant within a segment.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import Record
from spacerobot_id.methods.balance.actuator_settings import STRENGTH, WRENCH_SCALE
from spacerobot_id.methods.balance.commands import ActuatorErrors
from spacerobot_id.methods.balance.flight import Flight, READINGS
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import momentum_matrix, wheel_momentum_matrix
from spacerobot_id.multibody.free_floating.planned_base import constrained, freedom_of
from spacerobot_id.regressor import momentum_regressor
from spacerobot_id.spatial import skew

if TYPE_CHECKING:
    from spacerobot_id.methods.momentum_balance import MomentumBalance

_LONGEST_STEP = 0.0125
"""Longest step of integration, s."""

_LOOKS = 25
"""Times along a flight at which its mean inertia is looked at."""

_SAME = 1e-9
"""Times nearer to each other than this are one, s."""

_STEP = 1e-3
"""Difference that slopes in calibrations are taken over, in prior standard deviations."""

_SOON = 1e-3
"""Difference that slopes in delays and dead times are taken over, s."""

_WIDTHS = {'pose': 6, 'gyro': 3, 'velocity': 3}


@dataclass(frozen=True, eq=False)
class Trajectory:
    """States at the beginnings of G segments, and what pushes the robot within them.

    Parameters
    ----------
    states : ndarray, shape (G, 13)
        Position (m), quaternion x y z w, linear (kg m/s) and angular momentum about the inertial
        origin (kg m^2/s) in inertial axes.
    pushes : ndarray, shape (G, 6)
        Force at, and torque about, the centre of mass in inertial axes, over the mass (m/s^2) and
        the mean inertia about it (rad/s^2).
    scatter : ndarray, shape (G, T)
        What actuators give more than their strength in the present pulse, as a share of it.
    """

    states: NDArray[np.float64]
    pushes: NDArray[np.float64]
    scatter: NDArray[np.float64]

    def moved(
        self,
        states: NDArray[np.float64],
        pushes: NDArray[np.float64],
        scatter: NDArray[np.float64],
    ) -> 'Trajectory':
        """Return the trajectory moved by (G, 12), the attitude about base axes, (G, 6), (G, T)."""
        turned = Rotation.from_quat(self.states[:, 3:7]) * Rotation.from_rotvec(states[:, 3:6])
        there = self.states.copy()
        there[:, :3] += states[:, :3]
        there[:, 3:7] = turned.as_quat()
        there[:, 7:] += states[:, 6:]
        return Trajectory(there, self.pushes + pushes, self.scatter + scatter)


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
    scatter: NDArray[np.float64]
    begins: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Balance:
    """A method, a flight, and values of the unknowns.

    Parameters
    ----------
    method : MomentumBalance
        Robot and unknowns.
    flight : Flight
        Inputs and readings.
    values : ndarray, shape (u,)
        Unknowns.
    """

    method: 'MomentumBalance'
    flight: Flight
    values: NDArray[np.float64]

    def start(self) -> Trajectory:
        """Return a trajectory through the measured poses."""
        times = self.flight.edges[:-1]
        place, twist = self.flight.nominal_motion(times + self._delay('pose'))
        turned = Rotation.from_quat(place[:, 3:])
        inputs = self.inputs(times)
        moving = np.einsum('nij,nj->ni', inputs.of_base, twist * self._freedom) + inputs.carried
        linear, angular = turned.apply(moving[:, :3]), turned.apply(moving[:, 3:])
        angular += np.cross(place[:, :3], linear)
        states = np.hstack([place, linear, angular])
        scatter = np.zeros((len(times), len(self.flight.commands.names)))
        return Trajectory(states, np.zeros((len(times), 6)), scatter)

    def linear(self, trajectory: Trajectory) -> LinearFlight:
        """Return the rows of all readings, linear about a trajectory."""
        from spacerobot_id.methods.balance.balance_kernels import accumulate, shoot  # compiles

        grid = self._grid()
        inputs = self.inputs(grid.twice)
        segment = np.repeat(np.arange(len(grid.edges) - 1), np.diff(grid.edges))
        scatter = trajectory.scatter[segment]
        wrench = self._mean_wrench(grid.nodes, scatter)
        of_body, of_world = (wrench, 0.0 * wrench)[:: -1 if self.flight.commands.in_world else 1]
        steps, edges = np.diff(grid.nodes), grid.edges
        nodes, middles = np.empty((len(steps) + 1, 13)), np.empty((len(steps), 13))
        ends = np.empty_like(trajectory.states)
        scales = self._scales(self.values)
        if not (scales > 0.0).all():
            raise np.linalg.LinAlgError('neither mass nor inertia can be negative')
        pushes = trajectory.pushes * np.repeat(scales, 3) + self._disturbance
        shoot(
            edges,
            steps,
            inputs.inverse,
            inputs.carried,
            inputs.com,
            np.ascontiguousarray(of_body),
            np.ascontiguousarray(of_world),
            pushes,
            self._drag,
            self._freedom,
            trajectory.states,
            nodes,
            middles,
            ends,
        )
        wrenches = np.stack([of_body, of_world])
        slopes = self._slopes(grid, inputs[1::2], middles, wrenches, pushes[segment])
        self._scale_pushes(slopes, scales, trajectory.pushes[segment])
        chain = _chain(slopes, steps)
        read = self._read(grid, inputs[::2], nodes)
        ends_of = np.empty((len(edges) - 1, chain.of_state.shape[1], read.rows.shape[1] - 1))
        accumulate(edges, *chain, read.node, read.of_state, read.rows, ends_of)
        v, n, actuators = self._own, self._size, scatter.shape[1]
        onward = np.linalg.inv(ends_of[:-1, :, v : v + n])
        back = -onward @ ends_of[:-1]
        back[:, :, v : v + n] = onward
        begins = self.flight.commands.begins(self.flight.edges, self._errors)
        for k in range(actuators):
            anew, last = np.flatnonzero(begins[1:, k]), v + n - actuators + k
            back[anew, :, v - actuators + k] = back[anew, :, last]
            back[anew, :, last] = 0.0
        apart = np.zeros((len(back), n))
        apart[:, : n - actuators] = _difference(trajectory.states[1:], ends[:-1])[:, self._state]
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
            trajectory.scatter,
            begins,
        )

    # The robot.

    @property
    def _freedom(self) -> NDArray[np.float64]:
        return freedom_of(self.method.free)

    @property
    def _state(self) -> list[int]:
        """Components of a state's change that are free."""
        free = self.method.free
        return free + [6 + k for k in free]

    @property
    def _size(self) -> int:
        """Number of free components of a state, the scatter of actuators among them."""
        return 2 * len(self.method.free) + len(self.flight.commands.names)

    @property
    def _own(self) -> int:
        """Number of what a segment has to itself: its push, and scatter that ends with it."""
        return len(self.method.free) + len(self.flight.commands.names)

    def _part(self, name: str, size: int) -> NDArray[np.float64]:
        return self.method.unknowns.part(self.values, name, size)

    @property
    def _drag(self) -> float:
        return float(self._part('drag', 1)[0])

    @property
    def _disturbance(self) -> NDArray[np.float64]:
        """Constant force and torque in inertial axes."""
        push = np.zeros(6)
        push[self.method.free] = self._part('disturbance', len(self.method.free))
        return push

    def _delay(self, kind: str) -> float:
        return self.method.calibrations.delays_of(self.method.unknowns, self.values).get(kind, 0.0)

    @property
    def _errors(self) -> ActuatorErrors:
        strength = np.zeros(len(self.flight.commands.names))
        if self._strengths in self.method.unknowns.places:
            strength[self._unknown_strengths] = self._part(self._strengths, len(strength))
        return ActuatorErrors(
            strength,
            float(self._part('strength_loss', 1)[0]),
            float(self._part('dead_time', 1)[0]),
            float(self._part('delay.wrench', 1)[0]),
        )

    def commands_given(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean commands between neighbouring times as they act, shape (N - 1, T)."""
        return self.flight.commands.given(times, self._errors)

    @property
    def _strengths(self) -> str:
        """Name of the unknowns that are the strengths of these commands."""
        return STRENGTH if self.flight.commands.are_valves else WRENCH_SCALE

    @property
    def _unknown_strengths(self) -> list[int]:
        """Places of the actuators whose strengths are unknown."""
        known = self.method.actuators.known_strengths
        return [k for k, name in enumerate(self.flight.commands.names) if name not in known]

    def _mean_wrench(
        self, nodes: NDArray[np.float64], scatter: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the mean wrench of each step, the scatter of each given, shape (M, 6)."""
        commands, errors = self.flight.commands, self._errors
        given = commands.given(nodes, errors)
        return (given * (1.0 + errors.strength) * (1.0 + scatter)) @ commands.columns.T

    def _geometry(self, values: NDArray[np.float64], q: NDArray[np.float64]) -> '_Geometry':
        """Return robot and joint positions with the calibrations that values say."""
        model, record = self.method.model, Record(np.arange(float(len(q))), q=q)
        for each, part in self.method.calibrations.parts(self.method.unknowns, values):
            if not each.stream:
                model = each.robot(model, part)
                record = each.inputs(self.method.model, record, part)
        return _Geometry(model, record.q)

    def _moving(self, geometry: '_Geometry', values: NDArray[np.float64]) -> RobotModel:
        """Return a robot of some geometry with the inertial parameters that values say."""
        minimal = self.method.minimal
        return geometry.model.with_parameters(minimal.expand(values[: len(minimal)]))

    def inputs(self, times: NDArray[np.float64]) -> 'Inputs':
        """Return what the joints make of the robot at times."""
        method = self.method
        read, qd = self.flight.joints.at(times)
        geometry = self._geometry(self.values, read)
        matrix = momentum_matrix(self._moving(geometry, self.values), geometry.q)
        of_wheels = wheel_momentum_matrix(geometry.model, geometry.q)
        of_wheels = of_wheels * self.flight.wheels(times)[:, None, :]
        scale = 1.0 + self._part('wheel_scale', of_wheels.shape[-1])
        com, freedom = _mass_and_com(matrix)[1], self._freedom
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
            carried,
            com,
            np.broadcast_to(freedom, (len(times), 6)),
        )

    def _momentum_columns(
        self, inputs: 'Inputs', twist: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the slope of the robot's own momentum in the unknowns, shape (N, 6, u)."""
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
                moved[place] += _STEP * each.std
                after = self._momentum(moved, inputs, twist)
                columns[:, :, place] = (after - before) / (_STEP * each.std)
        return columns * self._freedom[:, None]

    def _momentum(
        self, values: NDArray[np.float64], inputs: 'Inputs', twist: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the robot's own momentum with the geometry that values say, shape (N, 6)."""
        geometry = self._geometry(values, inputs.read)
        moving = self._moving(geometry, self.values)
        rates = np.hstack([twist, inputs.qd])
        of_wheels = wheel_momentum_matrix(geometry.model, geometry.q)
        turning = self.flight.wheels(inputs.times)
        return np.einsum('nij,nj->ni', momentum_matrix(moving, geometry.q), rates) + np.einsum(
            'nij,nj->ni', of_wheels, turning
        )

    def _scales(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mass and the mean inertia about its centre, kg and kg m^2, shape (2,).

        Pushes are accelerations times these. Forces and torques of a given size would move a
        lighter robot more, explain more, and make every robot too light.
        """
        edges = self.flight.edges
        times = edges[:: max(len(edges) // _LOOKS, 1)]
        geometry = self._geometry(self.values, self.flight.joints.at(times)[0])
        matrix = momentum_matrix(self._moving(geometry, values), geometry.q)
        mass, com = _mass_and_com(matrix)
        inertia = matrix[:, 3:6, 3:6] + mass[:, None, None] * skew(com) @ skew(com)
        about = np.mean(np.diagonal(inertia, axis1=-2, axis2=-1), axis=0)
        return np.array([mass.mean(), about[2] if self.method.planar else about.mean()])

    def _scale_pushes(
        self, slopes: '_Slopes', scales: NDArray[np.float64], pushes: NDArray[np.float64]
    ) -> None:
        """Make slopes in forces and torques those in accelerations, in place."""
        free, p = self.method.free, len(self.method.minimal)
        count = len(free)
        of_push = slopes.of_push[:, :, :count]
        linear = np.array(free) < 3
        sizes = np.maximum(np.abs(self.values[:p]), 1e-3 * scales[0])
        for place in range(p):
            moved = self.values.copy()
            moved[place] += _STEP * sizes[place]
            change = (self._scales(moved) - scales) / (_STEP * sizes[place])
            own = np.where(linear, change[0], change[1])
            slopes.of_unknowns[:, :, place] += np.einsum(
                'mij,mj->mi', of_push, pushes[:, free] * own
            )
        of_push *= np.where(linear, scales[0], scales[1])

    # The grid of times.

    def _grid(self) -> '_Grid':
        """Return the times of integration: ends of segments, readings, and between them."""
        edges = self.flight.edges
        stamps = {
            kind: readings.times - self._delay(kind)
            for kind, readings in self.flight.readings.items()
        }
        counted = {
            kind: np.flatnonzero((times >= edges[0]) & (times <= edges[-1]))
            for kind, times in stamps.items()
        }
        times = np.concatenate([edges, *(stamps[kind][rows] for kind, rows in counted.items())])
        times = np.unique(times)
        close = np.flatnonzero(np.diff(times) < _SAME) + 1
        times = np.delete(times, close)
        parts = np.maximum(np.ceil(np.diff(times) / _LONGEST_STEP - 1e-9).astype(int), 1)
        starts, lengths = np.repeat(times[:-1], parts), np.repeat(np.diff(times) / parts, parts)
        within = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
        nodes = np.append(starts + within * lengths, times[-1])
        places = {
            kind: np.searchsorted(nodes, stamps[kind][rows] - _SAME)
            for kind, rows in counted.items()
        }
        return _Grid(nodes, np.searchsorted(nodes, edges - _SAME), counted, places)

    # Slopes.

    def _slopes(
        self,
        grid: '_Grid',
        inputs: 'Inputs',
        middles: NDArray[np.float64],
        wrenches: NDArray[np.float64],
        pushes: NDArray[np.float64],
    ) -> '_Slopes':
        """Return slopes of the states' derivatives at the middles of steps."""
        method, unknowns, (of_body, of_world) = self.method, self.method.unknowns, wrenches
        at = _Seen.of(middles, inputs)
        count, u = len(middles), len(unknowns)
        columns = self._momentum_columns(inputs, at.twist)
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
        pushed = pushes[:, :3] - self._drag * middles[:, 7:10]
        A[:, 6:9, 3:6] = turned
        A[:, 6:9, 6:9] = -self._drag * np.eye(3)
        A[:, 9:, :3] = -skew(force + of_world[:, :3] + pushed)
        A[:, 9:, 3:6] = skew(r) @ turned - at.R @ skew(of_body[:, 3:])
        A[:, 9:, 3:6] += skew(pushed) @ at.R @ skew(inputs.com)
        A[:, 9:, 6:9] = -self._drag * skew(r + lever)
        of_push = np.zeros((count, 12, 6))
        of_push[:, 6:9, :3] = of_push[:, 9:, 3:] = np.eye(3)
        of_push[:, 9:, :3] = skew(r + lever)
        if 'disturbance' in unknowns.places:
            B[:, 6:, unknowns.places['disturbance']] = of_push[:, 6:][:, :, method.free]
        if 'drag' in unknowns.places:
            B[:, 6:, unknowns.places['drag'].start] = -np.einsum(
                'nij,nj->ni', of_push[:, 6:, :3], middles[:, 7:10]
            )
        of_scatter = self._add_wrench_columns(grid, at, r, B)
        keep, actuators = self._state, of_scatter.shape[-1]
        n, size, own = len(keep), self._size, self._own
        of_state, pushed, of_unknowns = (
            np.zeros((count, size, width)) for width in (size, own, u)
        )
        of_state[:, :n, :n] = A[:, keep][:, :, keep]
        of_state[:, :n, n:] = of_scatter[:, keep]
        pushed[:, :n, : own - actuators] = of_push[:, keep][:, :, method.free]
        of_unknowns[:, :n] = B[:, keep]
        return _Slopes(of_state, pushed, of_unknowns)

    def _add_wrench_columns(
        self,
        grid: '_Grid',
        at: '_Seen',
        r: NDArray[np.float64],
        B: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Fill in the slopes in what is unknown of the actuators; return those in the scatter.

        They are those of pulses without scatter: at the scatter that was found they would go
        with its errors, and what is unknown would be biased.
        """
        unknowns, commands, errors = self.method.unknowns, self.flight.commands, self._errors
        wrenches: dict[int, NDArray[np.float64]] = {}
        given = commands.given(grid.nodes, errors)
        of_strength = np.zeros((len(r), 12, given.shape[1]))
        for k in range(given.shape[1]):
            wrench = given[:, k : k + 1] * commands.columns[:, k]
            self._acting(wrench, at, r, of_strength[:, :, k])
        of_scatter = of_strength * (1.0 + errors.strength)
        if self._strengths in unknowns.places:
            columns = of_strength[:, :, self._unknown_strengths]
            B[:, :, unknowns.places[self._strengths]] = columns
        if 'strength_loss' in unknowns.places:
            lost = commands.lost(grid.nodes, errors)
            wrenches[unknowns.places['strength_loss'].start] = (
                lost * (1.0 + errors.strength)
            ) @ commands.columns.T
        for name in ('dead_time', 'delay.wrench'):
            if name in unknowns.places:
                place = unknowns.places[name].start
                sides = []
                for sign in (1.0, -1.0):
                    moved = self.values.copy()
                    moved[place] += sign * _SOON
                    there = Balance(self.method, self.flight, moved)
                    none = np.zeros(commands.values.shape[1])
                    sides.append(there._mean_wrench(grid.nodes, none))
                wrenches[place] = (sides[0] - sides[1]) / (2.0 * _SOON)
        for place, wrench in wrenches.items():
            self._acting(wrench, at, r, B[:, :, place])
        return of_scatter

    def _acting(
        self,
        wrench: NDArray[np.float64],
        at: '_Seen',
        r: NDArray[np.float64],
        slope: NDArray[np.float64],
    ) -> None:
        """Fill in what a wrench changes of the momentum, in the derivative of a state (M, 12)."""
        force, torque = wrench[:, :3], wrench[:, 3:]
        if not self.flight.commands.in_world:
            force, torque = (np.einsum('nij,nj->ni', at.R, part) for part in (force, torque))
        slope[:, 6:9] = force
        slope[:, 9:] = torque + np.cross(r, force)

    # Readings.

    def _read(self, grid: '_Grid', inputs: 'Inputs', nodes: NDArray[np.float64]) -> '_Read':
        """Return the rows of readings by the states at their own times."""
        parts = [
            part
            for part in (
                self._read_pose(grid, inputs, nodes),
                self._read_twist('gyro', grid, inputs, nodes),
                self._read_twist('velocity', grid, inputs, nodes),
            )
            if part is not None
        ]
        whole = _Read(*(np.concatenate(each) for each in zip(*parts, strict=True)))
        order = np.argsort(whole.node, kind='stable')
        return _Read(*(np.ascontiguousarray(each[order]) for each in whole))

    def _rows(
        self,
        kind: str,
        grid: '_Grid',
        error: NDArray[np.float64],
        of_state: NDArray[np.float64],
        of_unknowns: NDArray[np.float64],
        covariance: NDArray[np.float64],
        components: list[int],
    ) -> '_Read':
        """Return some components of one kind of readings as rows of unit noise."""
        place, number = READINGS.index(kind), grid.counted[kind]
        count, own = len(number), len(components)
        v, n, free = self._own, self._size, len(self._state)
        rows = np.zeros((count, own, v + n + of_unknowns.shape[-1] + 1))
        states = np.zeros((count, own, n))
        states[:, :, :free] = of_state[:, components][:, :, self._state]
        rows[:, :, v + n : -1] = of_unknowns[:, components]
        rows[:, :, -1] = error[:, components]
        factor = np.linalg.cholesky(covariance[:, components][:, :, components])
        factor *= np.sqrt(self.flight.readings[kind].variance[number])[:, None, None]
        white = np.linalg.inv(factor)
        return _Read(
            np.repeat(grid.places[kind], own),
            (white @ states).reshape(-1, n),
            (white @ rows).reshape(-1, rows.shape[-1]),
            error[:, components].reshape(-1),
            np.full(count * own, place),
            np.column_stack([np.repeat(number, own), np.tile(components, count)]),
        )

    def _read_pose(
        self, grid: '_Grid', inputs: 'Inputs', nodes: NDArray[np.float64]
    ) -> '_Read | None':
        """Return the rows of poses: position, then rotation vector in the marker's axes."""
        rows = grid.counted['pose']
        if not len(rows):
            return None
        method, unknowns, at = self.method, self.method.unknowns, grid.places['pose']
        state, inputs = nodes[at], inputs[at]
        seen = _Seen.of(state, inputs)
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
        if 'delay.base_pose' in unknowns.places:
            place = unknowns.places['delay.base_pose'].start
            moving = seen.twist[:, :3] + np.cross(seen.twist[:, 3:], point)
            of_unknowns[:, :3, place] = -np.einsum('nij,nj->ni', seen.R, moving)
            of_unknowns[:, 3:, place] = -M.apply(seen.twist[:, 3:], inverse=True)
        moved = (inputs.inverse @ inputs.of_joints) * self.flight.joints.own_std
        moved[:, :3] = seen.R @ moved[:, :3]
        covariance = moved @ np.swapaxes(moved, -1, -2)
        covariance += np.diag(np.repeat(np.square(method.pose_std), 3))
        return self._rows('pose', grid, error, of_state, of_unknowns, covariance, method.free)

    def _read_twist(
        self, kind: str, grid: '_Grid', inputs: 'Inputs', nodes: NDArray[np.float64]
    ) -> '_Read | None':
        """Return the rows of angular or linear velocities."""
        rows = grid.counted[kind]
        if not len(rows):
            return None
        method, unknowns, at = self.method, self.method.unknowns, grid.places[kind]
        state, inputs = nodes[at], inputs[at]
        seen, half = _Seen.of(state, inputs), slice(3, 6) if kind == 'gyro' else slice(0, 3)
        sensed, bias = self._sensed(self.values), np.zeros(6)
        bias[3:] = self._part('gyro_bias', 3)
        measured = self.flight.readings[kind].values[rows]
        error = measured - (seen.twist @ sensed.T + bias)[:, half]
        of_state = (sensed @ seen.of_twist(inputs))[:, half]
        columns = self._momentum_columns(inputs, seen.twist)
        of_unknowns = (-sensed @ inputs.inverse @ columns)[:, half]
        if kind == 'gyro' and 'gyro_bias' in unknowns.places:
            of_unknowns[:, :, unknowns.places['gyro_bias']] = np.eye(3)
        for each in method.calibrations.by_key.values():
            if each.stream != kind:
                continue
            for place in range(unknowns.places[each.key].start, unknowns.places[each.key].stop):
                moved = self.values.copy()
                moved[place] += _STEP * each.std
                change = (self._sensed(moved) - sensed) / (_STEP * each.std)
                of_unknowns[:, :, place] += (seen.twist @ change.T)[:, half]
        name = 'delay.imu' if kind == 'gyro' else 'delay.base_twist'
        if name in unknowns.places and len(rows) > 1:
            times = self.flight.readings[kind].times[rows]
            of_unknowns[:, :, unknowns.places[name].start] = -np.gradient(
                measured - error, times, axis=0
            )
        stated = method.gyro_std if kind == 'gyro' else method.velocity_std
        ratio = (inputs.inverse @ inputs.of_joints)[:, half]
        ratio = ratio * self.flight.joints.rate_std
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


def _mass_and_com(
    matrix: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mass (N,) and centre of mass in base axes (N, 3) that momentum matrices hold."""
    mass = matrix[:, 0, 0]
    moment = np.stack([matrix[:, 1, 5], matrix[:, 2, 3], matrix[:, 0, 4]], axis=-1)
    return mass, moment / mass[:, None]


@dataclass(frozen=True, eq=False)
class _Geometry:
    """A robot and its joint positions."""

    model: RobotModel
    q: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the joints make of the robot at N times; ``read`` are positions as encoders say."""

    times: NDArray[np.float64]
    read: NDArray[np.float64]
    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    of_base: NDArray[np.float64]
    inverse: NDArray[np.float64]
    of_joints: NDArray[np.float64]
    of_wheels: NDArray[np.float64]
    carried: NDArray[np.float64]
    com: NDArray[np.float64]
    freedom: NDArray[np.float64]

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> 'Inputs':
        """Return them at some of the times."""
        return Inputs(*(each[rows] for each in vars(self).values()))


@dataclass(frozen=True, eq=False)
class _Grid:
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


@dataclass(frozen=True, eq=False)
class _Seen:
    """States seen from the base: attitude, momentum, twist."""

    R: NDArray[np.float64]
    r: NDArray[np.float64]
    P: NDArray[np.float64]
    momentum: NDArray[np.float64]
    twist: NDArray[np.float64]

    @classmethod
    def of(cls, states: NDArray[np.float64], inputs: Inputs) -> '_Seen':
        """Return what states are, seen from the base."""
        R = Rotation.from_quat(states[:, 3:7]).as_matrix()
        r, P = states[:, :3], states[:, 7:10]
        about = states[:, 10:] - np.cross(r, P)
        momentum = np.hstack([np.einsum('nji,nj->ni', R, each) for each in (P, about)])
        moving = (momentum - inputs.carried) * inputs.freedom
        twist = np.einsum('nij,nj->ni', inputs.inverse, moving)
        return cls(R, r, P, momentum, twist)

    def of_twist(self, inputs: Inputs) -> NDArray[np.float64]:
        """Return the slope of the twist in the change of a state, shape (N, 6, 12)."""
        RT = np.swapaxes(self.R, -1, -2)
        of_state = np.zeros((len(self.r), 6, 12))
        of_state[:, :3, 3:6] = skew(self.momentum[:, :3])
        of_state[:, :3, 6:9] = of_state[:, 3:, 9:] = RT
        of_state[:, 3:, :3] = RT @ skew(self.P)
        of_state[:, 3:, 3:6] = skew(self.momentum[:, 3:])
        of_state[:, 3:, 6:9] = -RT @ skew(self.r)
        return inputs.inverse @ (of_state * inputs.freedom[..., None])


@dataclass(frozen=True, eq=False)
class _Slopes:
    """Slopes of the derivative of a state, in state, push and unknowns."""

    of_state: NDArray[np.float64]
    of_push: NDArray[np.float64]
    of_unknowns: NDArray[np.float64]


class _Chain(NamedTuple):
    """What a state before each step (M, n, n), push and unknowns change after it."""

    of_state: NDArray[np.float64]
    of_push: NDArray[np.float64]
    of_unknowns: NDArray[np.float64]


def _chain(slopes: _Slopes, steps: NDArray[np.float64]) -> _Chain:
    """Return slopes over steps by the implicit rule of the middle."""
    h = steps[:, None, None]
    half = 0.5 * h * slopes.of_state
    n, v = slopes.of_state.shape[1], slopes.of_push.shape[2]
    sides = np.concatenate([np.eye(n) + half, h * slopes.of_push, h * slopes.of_unknowns], axis=-1)
    after = np.linalg.solve(np.eye(n) - half, sides)
    parts = np.split(after, [n, n + v], axis=-1)
    return _Chain(*(np.ascontiguousarray(each) for each in parts))


class _Read(NamedTuple):
    """Rows of readings: node, slope in the state there, row, misfit, kind, place."""

    node: NDArray[np.int64]
    of_state: NDArray[np.float64]
    rows: NDArray[np.float64]
    misfit: NDArray[np.float64]
    kind: NDArray[np.int64]
    places: NDArray[np.int64]


def _difference(from_: NDArray[np.float64], to: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what moves one state to the other, the attitude about the first's axes, (G, 12)."""
    turn = Rotation.from_quat(from_[:, 3:7]).inv() * Rotation.from_quat(to[:, 3:7])
    return np.hstack([to[:, :3] - from_[:, :3], turn.as_rotvec(), to[:, 7:] - from_[:, 7:]])

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
from spacerobot_id.methods.balance.equations.readout import Readout
from spacerobot_id.methods.balance.equations.states import difference, SeenState, Trajectory
from spacerobot_id.methods.balance.flight import READINGS
from spacerobot_id.methods.blocks import Blocks, FIXED, Noise, NoiseSizes, Terms
from spacerobot_id.spatial import skew


class Acting(NamedTuple):
    """What acts within M steps.

    Wrenches about the base's origin in base and in inertial axes, (M, 6); the disturbance wrench,
    and the same over mass and mean inertia, (M, 6); the scatter of each actuator, (M, T).
    """

    of_body: NDArray[np.float64]
    of_world: NDArray[np.float64]
    disturbance: NDArray[np.float64]
    accelerations: NDArray[np.float64]
    scatter: NDArray[np.float64]


class Slopes(NamedTuple):
    """Slopes of a state's derivative in state, scatter, disturbance and unknowns, at M times."""

    of_state: NDArray[np.float64]
    of_scatter: NDArray[np.float64]
    of_disturbance: NDArray[np.float64]
    of_unknowns: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StateSlopes:
    """The derivative of a state along a flight.

    Parameters
    ----------
    balance : Balance
        Equations of the flight.
    segment : ndarray of int, shape (M,)
        Segment of each step.
    """

    balance: 'Balance'
    segment: NDArray[np.intp]

    @property
    def _free(self) -> list[int]:
        """Components of the twist that are free."""
        return self.balance.method.free

    @property
    def _linear(self) -> list[int]:
        """Axes along which the base can move."""
        return [k for k in self._free if k < 3]

    @property
    def _angular(self) -> list[int]:
        """Axes about which it can turn."""
        return [k - 3 for k in self._free if k >= 3]

    def at(
        self,
        nodes: NDArray[np.float64],
        inputs: Inputs,
        middles: NDArray[np.float64],
        acting: Acting,
    ) -> Slopes:
        """Return the slopes at the middles of steps.

        Parameters
        ----------
        nodes : ndarray, shape (M + 1,)
            Times between which the steps are, s.
        inputs : Inputs
            What the joints make of the robot at the middles.
        middles : ndarray, shape (M, 13)
            States there.
        acting : Acting
            What acts within the steps.
        """
        balance, free = self.balance, len(self._free)
        around = balance.robot.around(inputs)
        at = SeenState.of(middles, inputs)
        of_disturbance = self._of_disturbance(at, inputs)
        of_unknowns = np.zeros((len(middles), 2 * free, len(balance.method.unknowns)))
        of_unknowns[:, :free] = self._of_motion(at, inputs, around)
        torque = -(skew(acting.disturbance[:, :3] - balance.actuation.drag * at.P) @ at.R)
        angular = slice(free + len(self._linear), None)
        of_com = balance.robot.com_columns(inputs, around)
        of_unknowns[:, angular] = torque[:, self._angular] @ of_com
        self._disturb(of_unknowns[:, free:], of_disturbance[:, free:], at)
        self._scale(of_unknowns[:, free:], of_disturbance[:, free:], acting.accelerations)
        scattering, by_unknown = balance.actuation.wrench_slopes(nodes, acting.scatter)
        wrenches = np.concatenate(
            [scattering, *(each[..., None] for each in by_unknown.values())], axis=2
        )
        of_wrenches, actuators = self._of_wrenches(wrenches, at), scattering.shape[2]
        of_unknowns[:, free:, list(by_unknown)] += of_wrenches[:, :, actuators:]
        of_scatter = np.zeros((len(middles), 2 * free, actuators))
        of_scatter[:, free:] = of_wrenches[:, :, :actuators]
        return Slopes(self._of_state(at, inputs, acting), of_scatter, of_disturbance, of_unknowns)

    def _of_motion(
        self, at: SeenState, inputs: Inputs, around: tuple[Inputs, Inputs] | None
    ) -> NDArray[np.float64]:
        """Return what the unknowns change of linear and angular velocity, shape (M, f, u)."""
        columns = self.balance.robot.momentum_columns(inputs, at.twist, around)
        inverse = inputs.inverse
        own = np.concatenate([at.R @ inverse[:, :3], inverse[:, 3:]], axis=1)
        if len(self._free) < 6:
            own, columns = own[:, self._free][:, :, self._free], columns[:, self._free]
        return -own @ columns

    def _of_disturbance(self, at: SeenState, inputs: Inputs) -> NDArray[np.float64]:
        """Return what force at and torque about the centre of mass change, shape (M, 2 f, f)."""
        free, linear = len(self._free), len(self._linear)
        found = np.zeros((len(at.r), 2 * free, free))
        found[:, free:] = np.eye(free)
        lever = skew(at.r + np.einsum('nij,nj->ni', at.R, inputs.com))
        found[:, free + linear :, :linear] = lever[:, self._angular][:, :, self._linear]
        return found

    def _disturb(
        self, of_unknowns: NDArray[np.float64], of_disturbance: NDArray[np.float64], at: SeenState
    ) -> None:
        """Fill in what disturbances, tables and drag change of the momentum, (M, f, u)."""
        balance, places = self.balance, self.balance.method.unknowns.places
        if 'disturbance' in places:
            of_unknowns[:, :, places['disturbance']] = of_disturbance
        if UNEVENNESS in places:
            table = balance.actuation.table[self.segment][:, self._free]
            of_unknowns[:, :, places[UNEVENNESS]] = of_disturbance @ table
        if 'drag' in places:
            dragged = of_disturbance[:, :, : len(self._linear)] @ at.P[:, self._linear, None]
            of_unknowns[:, :, places['drag'].start] = -dragged[..., 0]

    def _scale(
        self,
        of_unknowns: NDArray[np.float64],
        of_disturbance: NDArray[np.float64],
        accelerations: NDArray[np.float64],
    ) -> None:
        """Make slopes in forces and torques those in accelerations, in place."""
        scales, of_scales = self.balance.scales
        half = np.array(self._free) // 3
        by_scale = (of_disturbance * accelerations[:, None, self._free]).reshape(-1, len(half))
        added = by_scale @ of_scales[half]
        of_unknowns[:, :, : of_scales.shape[1]] += added.reshape(*of_disturbance.shape[:2], -1)
        of_disturbance *= scales[half]

    def _of_wrenches(self, wrenches: NDArray[np.float64], at: SeenState) -> NDArray[np.float64]:
        """Return what wrenches (M, 6, K) change of the momentum, shape (M, f, K)."""
        force, torque = wrenches[:, :3], wrenches[:, 3:]
        if not self.balance.flight.commands.in_world:
            force, torque = at.R @ force, at.R @ torque
        torque = torque[:, self._angular] + skew(at.r)[:, self._angular] @ force
        return np.concatenate([force[:, self._linear], torque], axis=1)

    def _of_state(self, at: SeenState, inputs: Inputs, acting: Acting) -> NDArray[np.float64]:
        """Return what the state changes, shape (M, 2 f, 2 f)."""
        of_twist, drag, R = at.of_twist(inputs), self.balance.actuation.drag, at.R
        A = np.zeros((len(at.r), 12, 12))
        A[:, :3] = R @ of_twist[:, :3]
        A[:, :3, 3:6] -= R @ skew(at.twist[:, :3])
        A[:, 3:6] = of_twist[:, 3:]
        A[:, 3:6, 3:6] -= skew(at.twist[:, 3:])
        lever = np.einsum('nij,nj->ni', R, inputs.com)
        force = np.einsum('nij,nj->ni', R, acting.of_body[:, :3])
        turned = -R @ skew(acting.of_body[:, :3])
        external = acting.disturbance[:, :3] - drag * at.P
        A[:, 6:9, 3:6] = turned
        A[:, 6:9, 6:9] = -drag * np.eye(3)
        A[:, 9:, :3] = -skew(force + acting.of_world[:, :3] + external)
        A[:, 9:, 3:6] = skew(at.r) @ turned - R @ skew(acting.of_body[:, 3:])
        A[:, 9:, 3:6] += skew(external) @ R @ skew(inputs.com)
        A[:, 9:, 6:9] = -drag * skew(at.r + lever)
        keep = self.balance.method.free_state
        return np.ascontiguousarray(A[:, keep][:, :, keep])


_ANYTHING = 1e3
"""By how much larger disturbances may be while nothing is read."""

_WIDE = np.array([1.0, 1.0, 1.0, 0.3, 0.3, 0.3])
"""Deviations of the first place (m) and attitude (rad) from the measured ones."""


@dataclass(frozen=True, eq=False)
class LinearFlight(Blocks):
    """Rows of all readings of a flight; see `Blocks`.

    A state is pose and momentum, 2 f free components, then f of the lasting disturbance wrench,
    then the scatter of T actuators. Disturbances of a segment are f of the white disturbance
    wrench, the step of the lasting one, and the scatter that ends with it.

    Parameters
    ----------
    white, lasting : ndarray, shape (G, f)
        Disturbance wrenches that the rows are linear about, over mass and mean inertia.
    are_torques : ndarray of bool, shape (f,)
        Which of their components are.
    scatter : ndarray, shape (G, T)
        Scatter that the rows are linear about.
    begins : ndarray of bool, shape (G, T)
        Where it restarts.
    is_silent : ndarray of bool, shape (G,)
        Segments within which nothing was read for long: disturbances may be anything.
    first_std : ndarray, shape (2 f,)
        Standard deviations of the first pose and momentum from those measured.
    """

    white: NDArray[np.float64]
    lasting: NDArray[np.float64]
    are_torques: NDArray[np.bool_]
    scatter: NDArray[np.float64]
    begins: NDArray[np.bool_]
    is_silent: NDArray[np.bool_]
    first_std: NDArray[np.float64]

    def noise(self, sizes: NoiseSizes) -> Noise:
        """Return what is random for some sizes of noise."""
        (segments, actuators), count = self.scatter.shape, self.bumps
        white, lasting, kept = slice(count), slice(count, 2 * count), self._kept(sizes)
        of_white, of_lasting = (
            np.where(self.are_torques, *(sizes.place(name) for name in names))
            for names in (('torque', 'force'), ('slow_torque', 'slow_force'))
        )
        own = Terms.of(segments, 2 * count + actuators, 1.0)
        loose = np.where(self.is_silent, _ANYTHING, 1.0) / np.sqrt(self.seconds)
        every, ends = slice(None), slice(segments - 1)
        own.put((every, white), self.white, loose[:, None] * sizes.values[of_white], of_white)
        steps = self.lasting[1:] - kept * self.lasting[:-1]
        step_std = np.sqrt(self.seconds[:-1, None]) * sizes.values[of_lasting]
        own.put((ends, lasting), steps, step_std, of_lasting)
        own.std[:-1, 2 * count :][self.begins[1:]] = np.inf
        first = Terms.of(segments, 3 * count + actuators, np.inf)
        first.std[0, : 2 * count] = self.first_std
        lasting_std = np.sqrt(0.5 * sizes.memory) * sizes.values[of_lasting]
        at = slice(1), slice(2 * count, 3 * count)
        first.put(at, self.lasting[0], lasting_std, of_lasting)
        begins = self.begins.copy()
        begins[0] = True
        usual = -0.5 * sizes['scatter'] ** 2
        first.put(
            (every, slice(3 * count, None)),
            np.where(begins, self.scatter - usual, 0.0),
            np.where(begins, sizes['scatter'], np.inf),
            np.where(begins, sizes.place('scatter'), FIXED),
        )
        faded = -count * float(self.seconds[:-1].sum()) / sizes.memory
        return Noise(own, first, faded)

    def transitions(self, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return what changes of a state as lasting disturbances fade."""
        back, count = self.back.copy(), self.bumps
        kept = self._kept(sizes)[..., None]
        for start in (count, 4 * count + self.scatter.shape[1]):
            back[:, :, start : start + count] /= kept
        return back

    def _kept(self, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return the share of lasting disturbances that each segment leaves, shape (G - 1, 1)."""
        return np.exp(-self.seconds[:-1, None] / sizes.memory)


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
        """Mass (kg) and mean inertia (kg m^2) that scale disturbances, (2,), slopes (2, p)."""
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
        accelerations = trajectory.disturbance + trajectory.slow
        disturbance = accelerations * np.repeat(scales, 3) + self.actuation.disturbance()
        parts = inputs.inverse, inputs.carried, inputs.com
        shoot(
            edges,
            steps,
            *(np.ascontiguousarray(each) for each in (*parts, of_body, of_world, disturbance)),
            self.actuation.drag,
            self.freedom,
            np.ascontiguousarray(trajectory.states),
            nodes,
            middles,
            ends,
        )
        acting = Acting(of_body, of_world, disturbance[segment], accelerations[segment], scatter)
        slopes = StateSlopes(self, segment).at(grid.nodes, inputs[1::2], middles, acting)
        read = readout.rows(grid, inputs[::2], nodes, middles)
        v, n, actuators = self.own_size, self.state_size, scatter.shape[1]
        ends_of = np.empty((len(edges) - 1, n, read.rows.shape[1] - 1))
        accumulate(
            edges,
            steps,
            slopes.of_state,
            np.concatenate([slopes.of_disturbance, slopes.of_scatter], axis=2),
            slopes.of_disturbance,
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
        stamps = np.empty(len(read.kind))
        for kind, name in enumerate(READINGS):
            rows = read.kind == kind
            stamps[rows] = self.flight.readings[name].stamps[read.places[rows, 0]]
        mass = self.method.usual_mass
        first_std = np.concatenate([_WIDE, mass * _WIDE[:3], mass * _WIDE[:3]])
        return LinearFlight(
            read.rows,
            read.misfit,
            read.kind,
            stamps,
            read.places[:, 1],
            np.searchsorted(read.node, np.append(edges[:-1], len(grid.nodes))),
            back,
            -(onward @ apart[..., None])[..., 0],
            np.diff(self.flight.edges),
            count,
            2 * count,
            trajectory.disturbance[:, self.method.free],
            trajectory.slow[:, self.method.free],
            np.array(self.method.free) >= 3,
            trajectory.scatter,
            begins,
            self.flight.is_silent,
            first_std[self.method.free_state],
        )

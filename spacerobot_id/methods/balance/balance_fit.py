"""Gauss-Newton over unknowns, states and pushes of flights; sizes of noise from the data.

Process noise acts on the wrench: a push for every segment, as large as the flights show. Its size
and that of the noise of each kind of readings are those of largest marginal likelihood, found by
MacKay's fixed point (Bayesian interpolation, 1992): a sum of squares is shared out among as many
degrees of freedom as its rows have left.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.methods.balance.clock_search import likely_delay
from spacerobot_id.methods.balance.flight import Flight, READINGS
from spacerobot_id.methods.balance.linear_balance import Balance, LinearFlight
from spacerobot_id.methods.balance.states import Trajectory
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.methods.momentum_balance import MomentumBalance

_ITERATIONS = 40
_TOLERANCE = 0.02
"""Root mean square of a step of the unknowns, in standard deviations, that ends the iteration."""

_NEAR = 1.0
"""Step of the unknowns, in standard deviations, from which on sizes of noise are looked for."""

_LONGEST_SERIES = 10.0
"""Most by which a change of a size of noise is extrapolated."""

_SETTLED = 0.02
"""Relative change of the sizes of noise that ends their search."""

_ROUGH_CLOCK = 0.05
"""Deviation of the delay of poses from which on it is looked for before the fit, s."""

_OF_READINGS, _SIZES = 5, 8
"""Place of the first size that is of readings, and the number of all."""

_HELD_BACK, _SLOW = 0.01, 1.0
"""Change of lasting pushes in a second over what others make of the velocity, at first and then.

Far from the robot they would explain what the robot has to.
"""

_LEAST_MEMORY, _MOST_MEMORY = 0.2, 100.0
"""Bounds of the time in which lasting pushes fade, s."""

_NOTCH, _MOST_NOTCH = 0.3, 0.7
"""Step of the logarithm of that time that its likelihood is compared over, and the longest."""

_INSENSITIVE = 0.2
"""Slope of the likelihood in that logarithm below which the time does not matter."""

_SCATTER = 0.1
"""Scatter of pulses to begin with."""

_NO_PUSH = 1e-4
"""Degrees of freedom of pushes, as a share of their number, below which there are none."""

_ATTEMPTS = 8
"""Most times that a step is halved."""

_NUDGE = 1e-3
"""Step of the logarithm of a size of noise."""

_SHARE = 0.2
"""Share of the usual wrench, or of a slow motion's, that pushes begin with."""

_LEAST_SCALE, _MOST_SCALE = 0.3, 3000.0
"""Bounds of the noise of readings over what is stated."""

_FAR = 4.0
"""Deviations from which on a push or a reading counts less."""

_WIDE = np.array([1.0, 1.0, 1.0, 0.3, 0.3, 0.3])
"""Deviations of the first place (m) and attitude (rad) from the measured ones."""


@dataclass(frozen=True)
class NoiseSizes:
    """Sizes of noise.

    Parameters
    ----------
    force, torque : float
        Root of the spectral density of the pushes over mass and mean inertia, m/s^1.5 and
        rad/s^1.5.
    scatter : float
        Deviation of the strength of a pulse, as a share of it.
    slow_force, slow_torque : float
        By how much lasting pushes change in a second, m/s^2.5 and rad/s^2.5.
    memory : float
        Time in which lasting pushes fade, s.
    scales : tuple of float
        Noise of each kind of readings over what is stated.
    """

    force: float
    torque: float
    scatter: float
    slow_force: float
    slow_torque: float
    memory: float = 5.0
    scales: tuple[float, ...] = (1.0, 1.0, 1.0)

    @property
    def pushes(self) -> tuple[float, ...]:
        """All sizes but those of readings: of pushes, scatter, lasting pushes and their memory."""
        slow = self.slow_force, self.slow_torque
        return self.force, self.torque, self.scatter, *slow, self.memory

    @property
    def logarithms(self) -> NDArray[np.float64]:
        """Logarithms of all, shape (8,)."""
        slow = self.slow_force, self.slow_torque
        return np.log([self.force, self.torque, self.scatter, *slow, *self.scales])

    def of(self, logarithms: NDArray[np.float64]) -> 'NoiseSizes':
        """Return the sizes of given logarithms, the memory as it is."""
        pushes, scales = np.split(np.exp(logarithms), [_OF_READINGS])
        return NoiseSizes(*pushes.tolist(), self.memory, tuple(scales.tolist()))

    @property
    def fading(self) -> 'tuple[NoiseSizes, NoiseSizes]':
        """The same with a shorter and a longer memory."""
        return tuple(replace(self, memory=self.memory * np.exp(s * _NOTCH)) for s in (-1.0, 1.0))


@dataclass(frozen=True, eq=False)
class FlightFit:
    """Where the iteration ended for one flight.

    Parameters
    ----------
    flight : Flight
        Its inputs and readings.
    trajectory : Trajectory
        Its states and pushes.
    linear : LinearFlight
        Its rows about these.
    weights : tuple of ndarray
        Factors of the deviations of pushes (G,) and rows (K,), one or more.
    values : ndarray, shape (u,)
        Unknowns: those common to all flights, and its own.
    """

    flight: Flight
    trajectory: Trajectory
    linear: LinearFlight
    weights: tuple[NDArray[np.float64], NDArray[np.float64]]
    values: NDArray[np.float64]

    def whitened(self, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return what is left of the readings in deviations of their noise, shape (K,)."""
        scales = np.array(sizes.scales)[self.linear.kind]
        return self.linear.rows[:, -1] / (scales * self.weights[1])


@dataclass(frozen=True, eq=False)
class BalanceFit:
    """Where the iteration ended.

    Parameters
    ----------
    values : ndarray, shape (u,)
        Unknowns.
    information : SquareRootInformation
        What prior and flights say of them.
    sizes : NoiseSizes
        Noise that the data were found to have.
    flights : sequence of FlightFit
        Each flight.
    iterations : int
        Steps taken.
    converged : bool
        Whether the last one was small.
    fitted : float
        Degrees of freedom of the readings that states, pushes and unknowns have taken.
    """

    values: NDArray[np.float64]
    information: SquareRootInformation
    sizes: NoiseSizes
    flights: Sequence[FlightFit]
    iterations: int
    converged: bool
    fitted: float


def fit_balance(
    method: 'MomentumBalance',
    flights: Sequence[Flight],
    start: NDArray[np.float64],
    known: SquareRootInformation | None = None,
    *,
    given: NoiseSizes | None = None,
    first: NoiseSizes | None = None,
    held: bool = False,
) -> BalanceFit:
    """Return the most likely unknowns of flights.

    Parameters
    ----------
    method : MomentumBalance
        Robot and unknowns.
    flights : sequence of Flight
        One or more. All unknowns are common to them but for clocks, disturbances and biases,
        which each has its own of: those of the first are among the unknowns returned.
    start : ndarray, shape (u,)
        Unknowns to start from.
    known : SquareRootInformation, optional
        What is known without the flights; the description by default.
    given : NoiseSizes, optional
        Sizes of noise; found if None.
    first : NoiseSizes, optional
        Sizes of noise to start from.
    held : bool
        Whether the unknowns stay where they are, so that states and pushes alone are fitted.

    Raises
    ------
    EstimationError
        If no motion follows from the unknowns that the fit leads to.
    """
    flights, point = _begun(method, flights, start, held=held)
    sizes = given or first or _first_sizes(method, flights)
    weights = [(np.ones(len(each.states)), np.ones(0)) for each in point.trajectories]
    linear, prior = point.linear(method, flights), method.prior()
    done, converged, near, changes = 0, False, False, np.zeros(_SIZES)
    while True:
        weights = [
            (own[0], own[1] if len(own[1]) == len(rows.kind) else np.ones(len(rows.kind)))
            for own, rows in zip(weights, linear, strict=True)
        ]
        values = point.values[0]
        about = prior.linearised(values) if known is None else known
        problem = _Problem(method, linear, weights, _centred(about, values), point.values)
        solved = problem.solved(sizes)
        if converged or done == _ITERATIONS:
            parts = zip(flights, point.trajectories, linear, weights, point.values, strict=True)
            fits = [FlightFit(*each) for each in parts]
            information = _uncentred(solved, values)
            kinds = _OF_READINGS + np.unique(np.concatenate([each.kind for each in linear]))
            fitted = -float(np.sum(problem.spent(sizes, kinds, solved.determinant)))
            return BalanceFit(values, information, sizes, fits, done, converged, fitted)
        done += 1
        step = np.zeros_like(values) if held else solved.information.values()
        steps = [problem.own_step(solved, index, step) for index in range(len(flights))]
        moves = [problem.moves(solved, index, each) for index, each in enumerate(steps)]
        point, linear = _stepped(problem, flights, point, steps, moves)
        size = 0.0 if held else solved.information.deviations(point.values[0] - values)
        settled = given is not None
        was_near, near = near, near or size < _NEAR
        if given is None and first is None and near and not was_near:
            slow = _SLOW * sizes.force, _SLOW * sizes.torque
            sizes = replace(sizes, slow_force=slow[0], slow_torque=slow[1])
        elif given is None and near:
            sizes, changes, settled = problem.likelier(sizes, solved, moves, steps, changes)
        changed = problem.reweighed(sizes, moves, steps) if done > 1 else weights
        moved = max(
            float(np.abs(np.log(a / b)).max(initial=0.0))
            for old, new_weights in zip(weights, changed, strict=True)
            for a, b in zip(old, new_weights, strict=True)
        )
        weights = changed
        still = max(float(np.abs(each[1]).max(initial=0.0)) for each in moves)
        quiet = size < _TOLERANCE and (not held or still < 1e-3 * max(sizes.force, sizes.torque))
        converged = bool(quiet and settled and moved < 0.1 and done > 2)


@dataclass(frozen=True, eq=False)
class _Point:
    """Unknowns and trajectory of each flight."""

    values: list[NDArray[np.float64]]
    trajectories: list[Trajectory]

    def linear(self, method: 'MomentumBalance', flights: Sequence[Flight]) -> list[LinearFlight]:
        """Return the rows of all flights, linear about it."""
        return [
            Balance(method, flight, own).linear(trajectory)
            for flight, own, trajectory in zip(
                flights, self.values, self.trajectories, strict=True
            )
        ]


def _begun(
    method: 'MomentumBalance', flights: Sequence[Flight], start: NDArray[np.float64], *, held: bool
) -> tuple[list[Flight], _Point]:
    """Return where the iteration starts: along the measured poses, their clock roughly right.

    Wrenches asked of thrusters are allocated to these, with the attitude by that clock.
    """
    values, begun = [start.copy() for _ in flights], []
    unknowns, thrusters = method.unknowns, method.model.thrusters
    for index, (flight, own) in enumerate(zip(flights, values, strict=True)):
        if 'delay.base_pose' in unknowns.places and not (held and index == 0):
            place = unknowns.places['delay.base_pose'].start
            std = float(unknowns.std[place - unknowns.parameters])
            if std > _ROUGH_CLOCK and (own[place] == 0.0 or index):
                own[place] = likely_delay(Balance(method, flight, own), std)
        asked = method.actuators.allocate_wrench and not flight.commands.are_valves
        if asked and thrusters and flight.commands.values.any():
            clock = method.calibrations.delays_of(unknowns, own).get('pose', 0.0)
            flight = flight.allocated(thrusters, method.free, clock)
        begun.append(flight)
    pairs = zip(begun, values, strict=True)
    return begun, _Point(values, [Balance(method, flight, own).start() for flight, own in pairs])


def _stepped(
    problem: '_Problem',
    flights: Sequence[Flight],
    before: _Point,
    steps: list[NDArray[np.float64]],
    moves: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
) -> tuple[_Point, list[LinearFlight]]:
    """Return the point after a step, and the rows there; a shorter one where it leads nowhere.

    Raises
    ------
    EstimationError
        If no motion follows from any part of the step.
    """
    method, share = problem.method, 1.0
    for _ in range(_ATTEMPTS):
        common = before.values[0] + share * steps[0]
        common = method.stepped(before.values[0], common)
        point = _Point(
            [
                np.where(method.is_of_flight, own + share * change, common)
                for own, change in zip(before.values, steps, strict=True)
            ],
            [
                trajectory.moved(*(share * each for each in problem.widened(*move)))
                for trajectory, move in zip(before.trajectories, moves, strict=True)
            ],
        )
        if method.is_possible(common):
            with np.errstate(all='ignore'), suppress(ValueError, np.linalg.LinAlgError):
                linear = point.linear(method, flights)
                parts = [part for each in linear for part in (each.rows, each.back, each.gaps)]
                if all(np.isfinite(part).all() for part in parts):
                    return point, linear
        share *= 0.5
    raise EstimationError('the fit leads to a robot that no motion follows from')


def _first_sizes(method: 'MomentumBalance', flights: Sequence[Flight]) -> NoiseSizes:
    """Return sizes of pushes to start from: a share of the usual wrench."""
    square = np.zeros(2)
    for flight in flights:
        commands = flight.commands
        wrench = commands.values @ commands.columns.T
        square += [np.mean(wrench[:, :3] ** 2), np.mean(wrench[:, 3:] ** 2)]
    usual = np.sqrt(square / len(flights))
    length = float(np.mean(np.diff(flights[0].edges)))
    scales = np.array([method.usual_mass, method.usual_inertia])
    size = np.maximum(_SHARE * usual / scales, 1e-4) * np.sqrt(length)
    force, torque = size.tolist()
    return NoiseSizes(force, torque, _SCATTER, _HELD_BACK * force, _HELD_BACK * torque)


def _centred(
    information: SquareRootInformation, values: NDArray[np.float64]
) -> SquareRootInformation:
    """Return information on the step from some values."""
    return replace(information, target=information.target - information.factor @ values)


def _uncentred(solved: '_Solved', values: NDArray[np.float64]) -> SquareRootInformation:
    """Return information on the unknowns themselves, with the flights' degrees of freedom."""
    found = solved.information
    return replace(
        found,
        target=found.target + found.factor @ values,
        residual=solved.squares,
        rows=solved.freedom + len(values),
    )


@dataclass(frozen=True, eq=False)
class _Solved:
    """What is known of the step, and how states and pushes follow from it, by flight."""

    information: SquareRootInformation
    tops: list[NDArray[np.float64]]
    own: list[NDArray[np.float64]]
    determinant: float
    squares: float
    freedom: int
    sizes: NoiseSizes


@dataclass(frozen=True, eq=False)
class _Problem:
    """Rows of all flights, linear about the same unknowns."""

    method: 'MomentumBalance'
    linear: list[LinearFlight]
    weights: list[tuple[NDArray[np.float64], NDArray[np.float64]]]
    prior: SquareRootInformation
    values: list[NDArray[np.float64]]

    @property
    def _main(self) -> int:
        """Number of the components of a state but for those that are held."""
        return 2 * len(self.method.free)

    @property
    def _pushed(self) -> int:
        """Number of the components of a push."""
        return len(self.method.free)

    def _by_component(self, force: float, torque: float) -> NDArray[np.float64]:
        """Return what forces and torques have by the free components, shape (f,)."""
        return np.repeat([force, torque], 3)[self.method.free]

    def push_std(self, index: int, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return standard deviations of the pushes of a flight, shape (G, v)."""
        own = self._by_component(sizes.force, sizes.torque)
        factor = self.weights[index][0] / np.sqrt(self.linear[index].seconds)
        return factor[:, None] * own

    def step_std(self, index: int, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return standard deviations of the steps of lasting pushes, shape (G - 1, f)."""
        own = self._by_component(sizes.slow_force, sizes.slow_torque)
        return np.sqrt(self.linear[index].seconds[:-1, None]) * own

    def kept(self, index: int, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return the share of lasting pushes that each segment leaves, shape (G - 1, 1)."""
        return np.exp(-self.linear[index].seconds[:-1, None] / sizes.memory)

    def back(self, index: int, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return what push, next state and unknowns change of a state as lasting pushes fade."""
        back, pushed = self.linear[index].back.copy(), self._pushed
        slow = 2 * pushed + self.linear[index].scatter.shape[1] + self._main
        kept = self.kept(index, sizes)[..., None]
        for start in (pushed, slow):
            back[:, :, start : start + pushed] /= kept
        return back

    def row_std(self, index: int, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return standard deviations of the rows of a flight, shape (K,)."""
        rows = self.linear[index]
        return np.array(sizes.scales)[rows.kind] * self.weights[index][1]

    def solved(self, sizes: NoiseSizes) -> _Solved:
        """Return what all rows say of the step, states and pushes eliminated."""
        information, tops, owns, determinant = self.prior, [], [], 0.0
        for index in range(len(self.linear)):
            top, left, pivots = self._eliminated(index, sizes)
            own, left = self._without_own(index, left)
            tops.append(top)
            owns.append(own)
            determinant += pivots + 2.0 * float(np.sum(np.log(np.abs(np.diag(own)))))
            information = information.absorb(left[:, :-1], left[:, -1])
        determinant += 2.0 * float(np.sum(np.log(np.abs(np.diag(information.factor)))))
        freedom = sum(len(rows.rows) - self._main for rows in self.linear)
        squares = information.residual
        return _Solved(information, tops, owns, determinant, squares, max(freedom, 1), sizes)

    @property
    def _of_flight(self) -> NDArray[np.intp]:
        """Places of what each flight has of its own."""
        return np.flatnonzero(self.method.is_of_flight)

    def _without_own(
        self, index: int, left: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the rows that what a flight has of its own follows from, and those without it.

        That of the first flight stays among the unknowns.
        """
        own = self._of_flight
        if not index or not len(own):
            return np.zeros((0, left.shape[1])), left
        count = len(self.method.minimal)
        std = self.method.unknowns.std[own - count]
        prior = np.zeros((len(own), left.shape[1]))
        prior[np.arange(len(own)), own] = 1.0 / std
        prior[:, -1] = -self.values[index][own] / std
        others = np.delete(np.arange(left.shape[1]), own)
        rows = np.vstack([left, prior])
        triangle = np.linalg.qr(rows[:, np.append(own, others)], mode='r')
        rest = np.zeros((len(triangle) - len(own), left.shape[1]))
        rest[:, others] = triangle[len(own) :, len(own) :]
        return triangle[: len(own)], rest

    def own_step(
        self, solved: _Solved, index: int, step: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return a step of the unknowns with that of what a flight has of its own."""
        own, rows = self._of_flight, solved.own[index]
        if not len(rows):
            return step
        whole, count = step.copy(), len(own)
        others = np.delete(np.arange(len(step)), own)
        right = rows[:, -1] - rows[:, count:-1] @ step[others]
        whole[own] = solve_triangular(rows[:, :count], right)
        return whole

    def _eliminated(
        self, index: int, sizes: NoiseSizes
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        from spacerobot_id.methods.balance.balance_kernels import eliminate  # compiles

        rows, pushed, main = self.linear[index], self._pushed, self._main
        segments, actuators = rows.scatter.shape
        held = pushed + actuators
        v, n = pushed + held, main + held
        white = rows.rows / self.row_std(index, sizes)[:, None]
        std = self.push_std(index, sizes)
        push_rows, state_rows = np.zeros((segments, v, 2)), np.zeros((segments, n, 2))
        push_rows[:, :pushed, 0], push_rows[:, :pushed, 1] = 1.0 / std, -rows.pushes / std
        push_rows[:, pushed:, 0] = 1.0
        step_std = self.step_std(index, sizes)
        push_rows[:-1, pushed : 2 * pushed, 0] = 1.0 / step_std
        steps = rows.slow[1:] - self.kept(index, sizes) * rows.slow[:-1]
        push_rows[:-1, pushed : 2 * pushed, 1] = -steps / step_std
        push_rows[:-1, 2 * pushed :, 0] -= rows.begins[1:]
        begins = rows.begins.copy()
        begins[0] = True
        scatter = main + pushed
        state_rows[:, scatter:, 0] = begins / sizes.scatter
        state_rows[:, scatter:, 1] = np.where(begins, -rows.scatter, 0.0) / sizes.scatter
        first = self._by_component(sizes.slow_force, sizes.slow_torque)
        first = first * np.sqrt(0.5 * sizes.memory)
        state_rows[0, main:scatter, 0] = 1.0 / first
        state_rows[0, main:scatter, 1] = -rows.slow[0] / first
        mass = self.method.usual_mass
        begin = 1.0 / np.concatenate([_WIDE, mass * _WIDE[:3], mass * _WIDE[:3]])
        state_rows[0, :main, 0] = begin[self.method.free_state]
        tops = np.zeros((segments, v + n, white.shape[1]))
        left = np.zeros((len(white) + segments * (n + v), white.shape[1] - v - n))
        pivots = eliminate(
            rows.row_edges,
            white,
            self.back(index, sizes),
            rows.gaps,
            push_rows,
            state_rows,
            tops,
            left,
        )
        return tops, left[np.any(left != 0.0, axis=1)], pivots

    def moves(
        self, solved: _Solved, index: int, step: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the moves of states (G, n) and what is a segment's own (G, v) with a step."""
        from spacerobot_id.methods.balance.balance_kernels import substitute  # compiles

        rows, tops = self.linear[index], solved.tops[index]
        segments, actuators = rows.scatter.shape
        held = self._pushed + actuators
        v, n = self._pushed + held, self._main + held
        states, pushes = np.empty((segments, n)), np.empty((segments, v))
        substitute(tops, self.back(index, solved.sizes), rows.gaps, step, states, pushes)
        return states, pushes

    def widened(
        self, states: NDArray[np.float64], pushes: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], ...]:
        """Return moves in all twelve components of a state, six of pushes, and of the scatter."""
        whole, pushed, slow = (np.zeros((len(states), size)) for size in (12, 6, 6))
        main, scatter = self._main, self._main + self._pushed
        whole[:, self.method.free_state] = states[:, :main]
        pushed[:, self.method.free] = pushes[:, : self._pushed]
        slow[:, self.method.free] = states[:, main:scatter]
        return whole, pushed, slow, states[:, scatter:]

    def _left(
        self,
        moves: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
        steps: list[NDArray[np.float64]],
        index: int,
    ) -> NDArray[np.float64]:
        """Return what is left of the rows after a step, shape (K,)."""
        rows, (states, pushes) = self.linear[index], moves[index]
        segment = np.repeat(np.arange(len(states)), np.diff(rows.row_edges))
        v, n = pushes.shape[1], states.shape[1]
        return (
            rows.rows[:, -1]
            - np.einsum('kc,kc->k', rows.rows[:, :v], pushes[segment])
            - np.einsum('kc,kc->k', rows.rows[:, v : v + n], states[segment])
            - rows.rows[:, v + n : -1] @ steps[index]
        )

    def slow_steps(
        self,
        sizes: NoiseSizes,
        moves: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
        index: int,
    ) -> NDArray[np.float64]:
        """Return the steps of lasting pushes after the states have moved, shape (G - 1, f)."""
        slow = slice(self._main, self._main + self._pushed)
        there = self.linear[index].slow + moves[index][0][:, slow]
        return there[1:] - self.kept(index, sizes) * there[:-1]

    def likelier(
        self,
        sizes: NoiseSizes,
        solved: _Solved,
        moves: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
        steps: list[NDArray[np.float64]],
        before: NDArray[np.float64],
    ) -> tuple[NoiseSizes, NDArray[np.float64], bool]:
        """Return sizes of noise nearer to those of largest likelihood, and whether it is near.

        Between them the changes of their logarithms by the fixed point alone; where these shrink
        as a geometric series does, its sum is taken (Aitken's acceleration).
        """
        squares, counts = np.zeros(_SIZES), np.zeros(_SIZES)
        torques = np.array(self.method.free) >= 3
        for index, rows in enumerate(self.linear):
            pushes = rows.pushes + moves[index][1][:, : self._pushed]
            pushes /= self.push_std(index, sizes)
            steps_of = self.slow_steps(sizes, moves, index) / self.step_std(index, sizes)
            for place, own in ((0, ~torques), (1, torques)):
                for offset, white in ((0, pushes), (3, steps_of)):
                    squares[offset + place] += np.sum(white[:, own] ** 2)
                    counts[offset + place] += white[:, own].size
            scatter = rows.scatter + moves[index][0][:, self._main + self._pushed :]
            begins = rows.begins.copy()
            begins[0] = True
            squares[2] += np.sum(scatter[begins] ** 2) / sizes.scatter**2
            counts[2] += begins.sum()
            white = self._left(moves, steps, index) / self.row_std(index, sizes)
            squares[_OF_READINGS:] += np.bincount(rows.kind, white**2, len(READINGS))
            counts[_OF_READINGS:] += np.bincount(rows.kind, minlength=len(READINGS))
        new, settled, changes = sizes.logarithms, True, np.zeros(_SIZES)
        freedoms = counts + self.spent(sizes, np.flatnonzero(counts), solved.determinant)
        for place in np.flatnonzero(counts):
            freedom = freedoms[place]
            if freedom > _NO_PUSH * counts[place]:
                change = 0.5 * np.log(max(squares[place], 1e-12) / freedom)
                ratio = change / before[place] if before[place] else 0.0
                series = 1.0 / (1.0 - ratio) if 0.0 < ratio < 1.0 else 1.0
                changes[place] = change
                change *= min(series, _LONGEST_SERIES)
                new[place] += np.clip(change, -1.5, 1.5)
                settled &= bool(abs(change) < _SETTLED)
        of_readings = slice(_OF_READINGS, None)
        new[of_readings] = np.clip(new[of_readings], np.log(_LEAST_SCALE), np.log(_MOST_SCALE))
        memory, steady = self.likelier_memory(sizes, solved)
        return replace(sizes.of(new), memory=memory), changes, settled and steady

    def likelier_memory(self, sizes: NoiseSizes, solved: _Solved) -> tuple[float, bool]:
        """Return a memory nearer to that of largest likelihood, and whether it is near.

        By a parabola through three of them. States follow from the last one back, so that the
        determinant is that of lasting pushes at the end, which have faded since the beginning.
        """
        lasted = sum(float(np.sum(each.seconds[:-1])) for each in self.linear)

        def cost(found: _Solved) -> float:
            memory = found.sizes.memory
            starts = len(self.linear) * np.log(memory) - 2.0 * lasted / memory
            return found.squares + found.determinant + self._pushed * starts

        shorter, longer = (cost(self.solved(each)) for each in sizes.fading)
        slope, bend = 0.5 * (longer - shorter), longer + shorter - 2.0 * cost(solved)
        step = -_NOTCH * slope / bend if bend > 0.0 else -np.sign(slope) * _MOST_NOTCH
        step = np.clip(step, -_MOST_NOTCH, _MOST_NOTCH)
        memory = float(np.clip(sizes.memory * np.exp(step), _LEAST_MEMORY, _MOST_MEMORY))
        steady = abs(np.log(memory / sizes.memory)) < 0.1 or abs(slope) < _INSENSITIVE
        return memory, bool(steady)

    def spent(
        self, sizes: NoiseSizes, places: NDArray[np.intp], determinant: float
    ) -> NDArray[np.float64]:
        """Return minus the degrees of freedom that rows of some sizes have lost, shape (8,)."""
        spent = np.zeros(_SIZES)
        for place in places:
            nudged = sizes.logarithms
            nudged[place] += _NUDGE
            slope = (self.solved(sizes.of(nudged)).determinant - determinant) / _NUDGE
            spent[place] = 0.5 * slope
        return spent

    def reweighed(
        self,
        sizes: NoiseSizes,
        moves: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
        steps: list[NDArray[np.float64]],
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return weights by which bumps and glitches count as little as they fit."""
        found = []
        for index, rows in enumerate(self.linear):
            own = self.weights[index]
            pushes = rows.pushes + moves[index][1][:, : self._pushed]
            pushes /= self.push_std(index, sizes)
            size = own[0] * np.sqrt(np.max(pushes**2, axis=1))
            white = self._left(moves, steps, index) / self.row_std(index, sizes)
            left = own[1] * np.abs(white)
            found.append((np.maximum(size / _FAR, 1.0), np.maximum(left / _FAR, 1.0) ** 2))
        return found

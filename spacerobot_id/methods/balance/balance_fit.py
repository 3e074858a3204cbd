"""Gauss-Newton over unknowns, states and pushes of flights; sizes of noise from the data.

Process noise acts on the wrench: a push for every segment, as large as the flights show.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.methods.balance.balance_problem import Problem, Solved
from spacerobot_id.methods.balance.clock_search import likely_delay
from spacerobot_id.methods.balance.flight import Flight, READINGS
from spacerobot_id.methods.balance.flight_rows import full_weights, Moves, Weights
from spacerobot_id.methods.balance.linear_balance import Balance, LinearFlight
from spacerobot_id.methods.balance.noise_search import likelier_sizes, reweighed, spent
from spacerobot_id.methods.balance.noise_sizes import first_sizes, NoiseSizes, OF_READINGS, SIZES
from spacerobot_id.methods.balance.states import Trajectory
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.methods.balance.border import Border
    from spacerobot_id.methods.momentum_balance import MomentumBalance

_ITERATIONS = 40
_TOLERANCE = 0.02
"""Root mean square of a step of the unknowns, in standard deviations, that ends the iteration."""

_NEAR = 1.0
"""Step of the unknowns, in standard deviations, from which on sizes of noise are looked for."""

_ROUGH_CLOCK = 0.05
"""Deviation of the delay of poses from which on it is looked for before the fit, s."""

_STILL = 0.02
"""Move of poses, in deviations of those read, from which on states of a held robot stand."""

_ATTEMPTS = 8
"""Most times that a step is halved."""

_LOST = 'the fit leads to a robot that no motion follows from'
"""What is said of a fit that goes nowhere."""


@dataclass(frozen=True, eq=False)
class Begun:
    """What an earlier fit says of the first segments of a flight.

    Parameters
    ----------
    trajectory : Trajectory
        States and pushes.
    pushes : ndarray, shape (G,)
        Factors of the deviations of pushes.
    rows : dict
        Those of rows, where they are not one, by kind, stamp and component.
    """

    trajectory: Trajectory
    pushes: NDArray[np.float64]
    rows: dict[tuple[int, float, int], float]

    def weights(self, flight: Flight, rows: LinearFlight) -> Weights:
        """Return factors for all pushes and rows of a flight, one where nothing is known."""
        pushes, known = np.ones(len(rows.seconds)), self.pushes[: len(rows.seconds)]
        pushes[: len(known)] = known
        keys = reading_keys(flight, rows) if self.rows else ()
        found = [self.rows.get(key, 1.0) for key in keys]
        return pushes, np.array(found) if found else np.ones(len(rows.kind))


def reading_keys(flight: Flight, rows: LinearFlight) -> list[tuple[int, float, int]]:
    """Return kind, stamp and component of each row of a flight."""
    stamps = [flight.readings[name].stamps for name in READINGS]
    return [
        (kind, float(stamps[kind][number]), component)
        for kind, (number, component) in zip(rows.kind.tolist(), rows.places.tolist(), strict=True)
    ]


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
    weights: Weights
    values: NDArray[np.float64]

    def begun(self, segment: int) -> Begun:
        """Return what is to be known of it from a segment on."""
        keys, weights = reading_keys(self.flight, self.linear), self.weights[1].tolist()
        heavy = {key: each for key, each in zip(keys, weights, strict=True) if each != 1.0}
        return Begun(self.trajectory[segment:], self.weights[0][segment:], heavy)

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
    fitted : float
        Degrees of freedom of the readings that states, pushes and unknowns have taken.
    problem : Problem
        Rows, linear about where the iteration ended.
    solved : Solved
        What follows from them.
    iterations : int
        Steps taken.
    converged : bool
        Whether the last one was small.
    found_sizes : bool
        Whether the sizes of noise were looked for rather than given.
    begun_squares : float
        Sum of squares linear about where it began, noise as it was to begin with.
    """

    values: NDArray[np.float64]
    information: SquareRootInformation
    sizes: NoiseSizes
    flights: Sequence[FlightFit]
    fitted: float
    problem: Problem
    solved: Solved
    iterations: int = 0
    converged: bool = False
    found_sizes: bool = True
    begun_squares: float = 0.0


def fit_balance(
    method: 'MomentumBalance',
    flights: Sequence[Flight],
    start: NDArray[np.float64],
    known: SquareRootInformation | None = None,
    *,
    given: Sequence[NoiseSizes] = (),
    first: NoiseSizes | None = None,
    held: bool = False,
    border: 'Border | None' = None,
    begun: Begun | None = None,
    iterations: int = _ITERATIONS,
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
    given : sequence of NoiseSizes
        Sizes of noise that the fit goes through, each from near the end of the one before; found
        if there are none.
    first : NoiseSizes, optional
        Sizes of noise to start from.
    held : bool
        Whether the unknowns stay where they are, so that states and pushes alone are fitted.
    border : Border, optional
        What is known where the first flight begins, and before; then ``known`` does not count.
    begun : Begun, optional
        What an earlier fit says of the first segments of the first flight.
    iterations : int
        Most steps.

    Raises
    ------
    EstimationError
        If no motion follows from the unknowns that the fit leads to.
    """
    flights, point = _begun(method, flights, start, begun, held=held or border is not None)
    known = known if border is None else border.information
    sizes = given[0] if given else first or first_sizes(method, flights)
    linear, prior = point.linear(method, flights), None if known else method.prior()
    if linear is None:
        raise EstimationError(_LOST)
    weights = [full_weights(each) for each in linear]
    if begun is not None:
        weights[0] = begun.weights(flights[0], linear[0])
    begun_squares = 0.0
    done, converged, near, changes, following = 0, False, False, np.zeros(SIZES), list(given[1:])
    while True:
        weights = [
            (own[0], own[1] if len(own[1]) == len(rows.kind) else np.ones(len(rows.kind)))
            for own, rows in zip(weights, linear, strict=True)
        ]
        values = point.values[0]
        about = _centred(known or prior.linearised(values), values)
        before = border and border.about(method, point.trajectories[0], values)
        problem = Problem(method, linear, weights, about, point.values, before, border)
        solved = problem.solved(sizes)
        begun_squares = begun_squares if done else solved.squares
        if converged or done == iterations:
            ended = _ended(flights, point, problem, solved)
            return replace(
                ended,
                iterations=done,
                converged=converged,
                found_sizes=not given,
                begun_squares=begun_squares,
            )
        done += 1
        step = np.zeros_like(values) if held else _common_step(solved)
        steps = [problem.own_step(solved, index, step) for index in range(len(flights))]
        moves = [problem.moves(solved, index, each) for index, each in enumerate(steps)]
        point, linear = _stepped(problem, flights, point, steps, moves)
        size = 0.0 if held else solved.information.deviations(point.values[0] - values)
        settled = bool(given) and not following
        was_near, near = near, near or size < _NEAR
        if following and size < _NEAR:
            sizes = following.pop(0)
        elif not given and first is None and near and not was_near:
            sizes = sizes.with_lasting_pushes()
        elif not given and near:
            sizes, changes, settled = likelier_sizes(problem, sizes, solved, moves, steps, changes)
        is_rough = done == 1 and begun is None
        changed = weights if is_rough else reweighed(problem, sizes, moves, steps)
        if given:  # pushes of given sizes are no bumps
            changed = [(np.ones_like(own), of_rows) for own, of_rows in changed]
        moved = max(
            float(np.abs(np.log(a / b)).max(initial=0.0))
            for old, new_weights in zip(weights, changed, strict=True)
            for a, b in zip(old, new_weights, strict=True)
        )
        weights = changed
        still = max(float(np.abs(each[1]).max(initial=0.0)) for each in moves)
        stands = still < 1e-3 * max(sizes.force, sizes.torque)
        quiet = size < _TOLERANCE and (not held or (_stand(method, moves) if given else stands))
        converged = bool(quiet and settled and moved < 0.1 and done > 2)


def _ended(
    flights: Sequence[Flight], point: '_Point', problem: Problem, solved: Solved
) -> BalanceFit:
    """Return where an iteration has ended."""
    parts = zip(
        flights, point.trajectories, problem.linear, problem.weights, point.values, strict=True
    )
    return BalanceFit(
        point.values[0],
        _uncentred(solved, point.values[0]),
        solved.sizes,
        [FlightFit(*each) for each in parts],
        float(np.sum(spent(problem, solved)[OF_READINGS:])),
        problem,
        solved,
    )


@dataclass(frozen=True, eq=False)
class _Point:
    """Unknowns and trajectory of each flight."""

    values: list[NDArray[np.float64]]
    trajectories: list[Trajectory]

    def linear(
        self, method: 'MomentumBalance', flights: Sequence[Flight]
    ) -> list[LinearFlight] | None:
        """Return the rows of all flights, linear about it; None if no motion follows from it."""
        with np.errstate(all='ignore'), suppress(ValueError, np.linalg.LinAlgError):
            found = [
                Balance(method, flight, own).linear(trajectory)
                for flight, own, trajectory in zip(
                    flights, self.values, self.trajectories, strict=True
                )
            ]
            parts = [part for each in found for part in (each.rows, each.back, each.gaps)]
            return found if all(np.isfinite(part).all() for part in parts) else None
        return None


def _begun(
    method: 'MomentumBalance',
    flights: Sequence[Flight],
    start: NDArray[np.float64],
    begun: Begun | None,
    *,
    held: bool,
) -> tuple[list[Flight], _Point]:
    """Return where the iteration starts: along the measured poses, their clock roughly right.

    Wrenches asked of thrusters are allocated to these, with the attitude by that clock.
    """
    values, ready = [start.copy() for _ in flights], []
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
        ready.append(flight)
    pairs = zip(ready, values, strict=True)
    trajectories = [Balance(method, flight, own).start() for flight, own in pairs]
    if begun is not None:
        trajectories[0] = trajectories[0].begun(begun.trajectory)
    return ready, _Point(values, trajectories)


def _stand(method: 'MomentumBalance', moves: list[Moves]) -> bool:
    """Return whether the poses along all flights hardly moved, in deviations of those read."""
    std = np.repeat(method.pose_std, 3)[method.free]
    return all(bool((np.abs(each[0][:, : len(std)]) < _STILL * std).all()) for each in moves)


def _common_step(solved: Solved) -> NDArray[np.float64]:
    """Return the step of the unknowns.

    Raises
    ------
    EstimationError
        If states went so far that there is none.
    """
    with suppress(np.linalg.LinAlgError):
        return solved.information.values()
    raise EstimationError(_LOST)


def _stepped(
    problem: Problem,
    flights: Sequence[Flight],
    before: _Point,
    steps: list[NDArray[np.float64]],
    moves: list[Moves],
) -> tuple[_Point, list[LinearFlight]]:
    """Return the point after a step, and the rows there; a shorter one where it leads nowhere.

    Raises
    ------
    EstimationError
        If no motion follows from any part of the step.
    """
    method, share = problem.method, 1.0
    for _ in range(_ATTEMPTS):
        with np.errstate(all='ignore'), suppress(ValueError, np.linalg.LinAlgError):
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
            linear = point.linear(method, flights) if method.is_possible(common) else None
            if linear is not None:
                return point, linear
        share *= 0.5
    raise EstimationError(_LOST)


def _centred(
    information: SquareRootInformation, values: NDArray[np.float64]
) -> SquareRootInformation:
    """Return information on unknowns as information on the step from some values."""
    return replace(information, target=information.target - information.factor @ values)


def _uncentred(solved: Solved, values: NDArray[np.float64]) -> SquareRootInformation:
    """Return information on the unknowns themselves, with the flights' degrees of freedom."""
    found = solved.information
    return replace(
        found,
        target=found.target + found.factor @ values,
        residual=solved.squares,
        rows=solved.freedom + len(values),
    )

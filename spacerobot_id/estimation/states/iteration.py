"""Gauss-Newton over unknowns, states and disturbances of flights, step by step.

Sizes of noise and weights of what does not fit are found on the way.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.states.fit import (
    FlightFit,
    reduced_weights,
    row_weights,
    StatesFit,
)
from spacerobot_id.estimation.states.marginal_prior import MarginalPrior
from spacerobot_id.estimation.states.noise import likelier_sizes, reweighed, taken
from spacerobot_id.estimation.states.problem import Earlier, Moves, Problem, Solved
from spacerobot_id.exceptions import DivergenceError
from spacerobot_id.methods.blocks import Blocks, NoiseSizes, SegmentStates, Stretch, Weights
from spacerobot_id.methods.states_method import StatesMethod
from spacerobot_id.statistics.square_root_information import SquareRootInformation

MOST_ITERATIONS = 40
"""Most steps of a fit; where readings are as stated a dozen do, on rough tables twenty."""

_TOLERANCE = 0.02
"""Root mean square of a step of the unknowns, in standard deviations, that ends the iteration."""

_NEAR = 1.0
"""Step of the unknowns, in standard deviations, from which on sizes of noise are looked for."""

_PATIENCE, _SMALLER = 5, 0.8
"""Steps after which these are looked for, too, where the last one was not this share smaller than
that before: readings far worse than stated have the iteration step from side to side."""

_MOVED, _LEAST = 0.1, 2
"""Change of logarithms of weights that is none, and steps that are always taken."""

_STILL, _STILL_BUMP = 0.02, 1e-3
"""Move of states, in deviations of those read, and of bumps, as a share of their size, from which
on states of a held robot stand."""

_ALIKE, _SAME, _STALLED = 3, 2.0, 10
"""Evidence by which sizes of noise have settled: over so many steps twice its logarithm changes by
what is not worth mentioning (Kass and Raftery, 1995), as those that do not matter slide on for
ever; and steps without a gain after which no further ones are taken."""

_ATTEMPTS = 8
"""Most times that a step is halved where no motion follows from its end."""

_HALVINGS, _SMALL, _SMALLEST = 3, 0.1, 0.02
"""Most times that it is halved as readings are less likely there, and steps of the unknowns, in
standard deviations, up to which none is: while weights move, and where they stand."""

LOST = 'the fit diverged: no motion follows from its robot'
"""Message of a fit that diverges."""


@dataclass(frozen=True, eq=False)
class Task:
    """What an iteration is about, the same in all its steps.

    Parameters
    ----------
    method : StatesMethod
        Robot and unknowns.
    flights : list of Stretch
        Flights.
    known : SquareRootInformation, optional
        What is known without the flights; the description if None.
    marginal : MarginalPrior, optional
        What is known where the first flight goes on, and before.
    held : bool
        Whether the unknowns stay where they are.
    is_given : bool
        Whether the sizes of noise are given.
    has_first : bool
        Whether sizes of noise to start from are.
    goes_on : bool
        Whether an earlier fit goes on: then sizes of noise take one step, as all samples but the
        newest have had their share in many.
    """

    method: StatesMethod
    flights: list[Stretch]
    known: SquareRootInformation | None
    marginal: MarginalPrior | None
    held: bool
    is_given: bool
    has_first: bool
    goes_on: bool


@dataclass(frozen=True, eq=False)
class Iteration:
    """The fit of flights after some steps.

    Parameters
    ----------
    task : Task
        What it is about.
    point : Point
        Unknowns and trajectories.
    blocks : list of Blocks
        Rows about these.
    weights : list of tuple of ndarray
        Factors of the deviations of bumps and rows of each flight.
    sizes : NoiseSizes
        Noise.
    changes : ndarray, shape (k,)
        How far the sizes moved last.
    is_near : bool
        Whether steps were small enough for sizes to be looked for, or got no smaller.
    size : float
        The last step of the unknowns, in standard deviations.
    done : int
        Steps taken.
    converged : bool
        Whether the last one was small.
    begun_squares : float, optional
        Sum of squares linear about where it began.
    surprises : tuple of float
        Minus twice the logarithms of the evidence, but for a constant, before the steps since
        sizes of noise are looked for and weights stand.
    problem, solved
        Rows, linear about the point, and what follows from them.
    """

    task: Task
    point: 'Point'
    blocks: list[Blocks]
    weights: list[Weights]
    sizes: NoiseSizes
    changes: NDArray[np.float64]
    is_near: bool = False
    size: float = np.inf
    done: int = 0
    converged: bool = False
    begun_squares: float | None = None
    surprises: tuple[float, ...] = ()
    problem: Problem = field(init=False)
    solved: Solved = field(init=False)

    def __post_init__(self) -> None:
        problem = self._problem(self.point, self.blocks, self.weights)
        object.__setattr__(self, 'problem', problem)
        object.__setattr__(self, 'solved', problem.solved(self.sizes))
        if self.begun_squares is None:
            object.__setattr__(self, 'begun_squares', self.solved.squares)

    @property
    def is_over(self) -> bool:
        """Whether it has converged, leads nowhere, or has taken the most steps."""
        return self.converged or self._is_stalled or self.done >= MOST_ITERATIONS

    @property
    def _is_stalled(self) -> bool:
        """Whether the last steps have not made the readings likelier."""
        before, latest = self.surprises[:-_STALLED], self.surprises[-_STALLED:]
        return bool(before) and min(latest) >= min(before)

    def further(self, steps: int) -> 'Iteration':
        """Return the iteration some steps further on, or where it is over.

        Raises
        ------
        DivergenceError
            If no motion follows from the unknowns that it leads to.
        """
        at = self
        for _ in range(steps):
            if at.is_over:
                break
            at = at._stepped()
        return at

    def with_sizes(self, sizes: NoiseSizes) -> 'Iteration':
        """Return the iteration to go on with other sizes of noise."""
        return replace(self, sizes=sizes, size=np.inf, converged=False)

    def near(self) -> 'Iteration':
        """Return the iteration where its steps are small, or most have been taken.

        Raises
        ------
        DivergenceError
            If no motion follows from the unknowns that it leads to.
        """
        at = self
        while at.size >= _NEAR and not at.is_over:
            at = at.further(1)
        return at

    def furthest(self) -> 'Iteration':
        """Return the iteration where it is over, or has nowhere to go."""
        at = self
        with suppress(DivergenceError):
            while not at.is_over:
                at = at.further(1)
        return at

    def ended(self, steps: int = MOST_ITERATIONS) -> StatesFit:
        """Return the most likely unknowns, found by so many more steps at most.

        Raises
        ------
        DivergenceError
            If no motion follows from the unknowns that it leads to.
        """
        return self.further(steps).fit()

    def fit(self) -> StatesFit:
        """Return what was found so far."""
        point, task = self.point, self.task
        parts = (task.flights, point.trajectories, self.blocks, self.weights, point.values)
        return StatesFit(
            task.method,
            point.values[0],
            _uncentred(self.solved, point.values[0]),
            [FlightFit(*each) for each in zip(*parts, strict=True)],
            float(np.sum(taken(self.problem, self.solved)[self.sizes.are_readings])),
            self.problem,
            self.solved,
            iterations=self.done,
            converged=self.converged,
            has_found_sizes=not task.is_given,
            begun_squares=self.begun_squares,
        )

    def _stepped(self) -> 'Iteration':
        """Return the iteration after a step of unknowns and states, sizes and weights."""
        task, problem, solved, sizes = self.task, self.problem, self.solved, self.sizes
        values, changes = self.point.values[0], self.changes
        step = np.zeros_like(values) if task.held else _common_step(solved)
        steps = [problem.own_step(solved, index, step) for index in range(len(task.flights))]
        moves = [problem.moves(solved, index, each) for index, each in enumerate(steps)]
        point, blocks = self._point_after(steps, moves)
        size = 0.0 if task.held else solved.information.deviations(point.values[0] - values)
        surprises, settled = self.surprises, task.is_given
        is_stuck = self.done >= _PATIENCE and size > _SMALLER * self.size
        is_near = self.is_near or size < _NEAR or is_stuck
        if not task.is_given and not task.has_first and is_near and not self.is_near:
            sizes = task.method.released(sizes)
        elif not task.is_given and is_near and not (task.goes_on and self.is_near):
            sizes, changes, settled = likelier_sizes(problem, sizes, solved, moves, steps, changes)
            surprises = *surprises, problem.surprise(solved)
            settled |= len(surprises) >= _ALIKE and np.ptp(surprises[-_ALIKE:]) < _SAME
        weights, moved = self._reweighed(sizes, moves, steps)
        weights = self._weights_at(blocks, weights)
        if moved > _MOVED:  # evidence with other weights is not to be compared
            surprises = ()
        quiet = size < _TOLERANCE and (not task.held or self._states_stand(moves, sizes))
        done = self.done + 1
        rests = settled and moved < _MOVED and done > _LEAST
        return replace(
            self,
            point=point,
            blocks=blocks,
            weights=weights,
            sizes=sizes,
            changes=changes,
            is_near=is_near,
            size=size,
            done=done,
            surprises=surprises,
            converged=bool(quiet and rests),
        )

    def _problem(self, point: 'Point', blocks: list[Blocks], weights: list[Weights]) -> Problem:
        """Return the rows about a point."""
        method, values, marginal = self.task.method, point.values[0], self.task.marginal
        known = _centred(self.task.known or method.prior().linearised(values), values)
        before = marginal and marginal.about(method, point.trajectories[0], values)
        own = np.flatnonzero(method.is_of_flight)
        own_std = method.unknowns.std[own - method.unknowns.parameters]
        earlier = marginal and Earlier(marginal.squares, marginal.freedoms)
        return Problem(blocks, weights, known, point.values, own, own_std, before, earlier)

    def _point_after(
        self, steps: list[NDArray[np.float64]], moves: list[Moves]
    ) -> tuple['Point', list[Blocks]]:
        """Return the point after a step, and the rows there.

        After a part of it where readings are less likely at the end than before; while the noise
        is to be found but not looked for yet, no step is judged.

        Raises
        ------
        DivergenceError
            If no motion follows from any part of the step.
        """
        share, task = 1.0, self.task
        point, blocks = self.point.after(task, steps, moves, share)
        if task.held or not (self.is_near or task.is_given):
            return point, blocks
        before, least = _merit(self.problem, self.solved), _SMALLEST if self.surprises else _SMALL
        for _ in range(_HALVINGS):
            step = point.values[0] - self.point.values[0]
            if self.solved.information.deviations(step) < least:
                break
            there = self._problem(point, blocks, self._weights_at(blocks, self.weights))
            if _merit(there, there.solved(self.sizes)) <= before:
                break
            share *= 0.5
            point, blocks = self.point.after(task, steps, moves, share)
        return point, blocks

    def _weights_at(self, blocks: list[Blocks], weights: list[Weights]) -> list[Weights]:
        """Return weights for the rows of another point."""
        trios = zip(weights, self.blocks, blocks, strict=True)
        return [(own[0], _of_same_readings(own[1], *each)) for own, *each in trios]

    def _reweighed(
        self, sizes: NoiseSizes, moves: list[Moves], steps: list[NDArray[np.float64]]
    ) -> tuple[list[Weights], float]:
        """Return weights after a step, and the largest change of their logarithms."""
        is_rough = not self.done and not self.task.goes_on
        changed = self.weights if is_rough else reweighed(self.problem, sizes, moves, steps)
        if self.task.is_given:  # disturbances of given sizes are no bumps
            changed = [(np.ones_like(own), of_rows) for own, of_rows in changed]
        moved = max(
            float(np.abs(np.log(a / b)).max(initial=0.0))
            for old, new in zip(self.weights, changed, strict=True)
            for a, b in zip(old, new, strict=True)
        )
        return changed, moved

    def _states_stand(self, moves: list[Moves], sizes: NoiseSizes) -> bool:
        """Return whether states and disturbances hardly moved."""
        if self.task.is_given:
            std = self.task.method.read_std
            return all(np.all(np.abs(each[0][:, : len(std)]) < _STILL * std) for each in moves)
        still = max(float(np.abs(each[1]).max(initial=0.0)) for each in moves)
        white = [sizes[kind.name] for kind in sizes.kinds if kind.is_white]
        return still < _STILL_BUMP * max(white, default=np.inf)


@dataclass(frozen=True, eq=False)
class Point:
    """Unknowns and trajectory of each flight."""

    values: list[NDArray[np.float64]]
    trajectories: list[SegmentStates]

    def blocks(self, method: StatesMethod, flights: Sequence[Stretch]) -> list[Blocks] | None:
        """Return the rows of all flights, linear about it; None if no motion follows from it."""
        with np.errstate(all='ignore'), suppress(ValueError, np.linalg.LinAlgError):
            parts = zip(flights, self.values, self.trajectories, strict=True)
            found = [method.linear(*each) for each in parts]
            return found if all(each.is_finite for each in found) else None
        return None

    def after(
        self, task: Task, steps: list[NDArray[np.float64]], moves: list[Moves], share: float
    ) -> tuple['Point', list[Blocks]]:
        """Return the point after a part of a step, and the rows there; less if it leads nowhere.

        Raises
        ------
        DivergenceError
            If no motion follows from any part of the step.
        """
        method = task.method
        for _ in range(_ATTEMPTS):
            with np.errstate(all='ignore'), suppress(ValueError, np.linalg.LinAlgError):
                common = self.values[0] + share * steps[0]
                common = method.stepped(self.values[0], common)
                values = [
                    np.where(method.is_of_flight, own + share * change, common)
                    for own, change in zip(self.values, steps, strict=True)
                ]
                trajectories = [
                    method.moved(trajectory, share * states, share * disturbances)
                    for trajectory, (states, disturbances) in zip(
                        self.trajectories, moves, strict=True
                    )
                ]
                point = Point(values, trajectories)
                is_possible = method.is_possible(common)
                blocks = point.blocks(method, task.flights) if is_possible else None
                if blocks is not None:
                    return point, blocks
            share *= 0.5
        raise DivergenceError(LOST)


def _of_same_readings(
    weights: NDArray[np.float64], before: Blocks, after: Blocks
) -> NDArray[np.float64]:
    """Return weights of rows for those of another point: clocks move readings in and out."""
    if before.has_readings_of(after):
        return weights
    return row_weights(after, reduced_weights(before, weights))


def _common_step(solved: Solved) -> NDArray[np.float64]:
    """Return the step of the unknowns.

    Raises
    ------
    DivergenceError
        If states went so far that there is none.
    """
    with suppress(np.linalg.LinAlgError):
        return solved.information.values()
    raise DivergenceError(LOST)


def _merit(problem: Problem, solved: Solved) -> float:
    """Return the sum of squares, unknowns as they are and states moved, beyond that expected."""
    information = solved.information
    rows = sum(len(each.kind) for each in problem.blocks)
    return information.residual + float(np.sum(information.target**2)) - rows


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

"""Information of readings before a time on the unknowns and the state then: none need be kept."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.states.fit import StatesFit
from spacerobot_id.estimation.states.noise import sums, taken_of
from spacerobot_id.methods.blocks import NoiseSizes, Onward, SegmentStates
from spacerobot_id.methods.states_method import Brought, StatesMethod
from spacerobot_id.statistics.square_root_information import (
    log_determinant,
    SquareRootInformation,
)

_TELLING = 10.0
"""Degrees of freedom that show how large noise is."""


@dataclass(frozen=True, eq=False)
class MarginalPrior:
    """What is known where a segment begins of all before it.

    Parameters
    ----------
    onward : Onward
        Where the flight goes on from there.
    information : SquareRootInformation
        On the unknowns, the description included.
    rows : ndarray, shape (n, n + u + 1)
        Rows of the moves of state and unknowns from where they are linear about, and right-hand
        sides.
    state : SegmentStates
        State that they are linear about, of one segment.
    values : ndarray, shape (u,)
        Unknowns that they are linear about.
    squares, freedoms : ndarray, shape (k,)
        Sums of squares by kind of noise, in its own unit, and their degrees of freedom.
    residual : float
        Sum of squares that readings between the one before and this one leave.
    """

    onward: Onward
    information: SquareRootInformation
    rows: NDArray[np.float64]
    state: SegmentStates
    values: NDArray[np.float64]
    squares: NDArray[np.float64]
    freedoms: NDArray[np.float64]
    residual: float

    @property
    def time(self) -> float:
        """Time where the segment begins, s."""
        return self.onward.time

    @classmethod
    def within(
        cls,
        fit: StatesFit,
        segment: int,
        before: 'MarginalPrior | None',
        *,
        held: bool = False,
    ) -> 'MarginalPrior':
        """Return what is known where a segment of a fitted flight begins.

        Parameters
        ----------
        fit : StatesFit
            Fit of a flight.
        segment : int
            Segment; at least 1.
        before : MarginalPrior, optional
            That which the flight goes on from.
        held : bool
            Whether the unknowns were held: then what is left is not what another robot leaves.
        """
        problem, sizes, own = fit.problem, fit.sizes, fit.flights[0]
        rows, left = problem.until(segment, 0, sizes)
        centred = problem.prior.absorb(left[:, :-1], left[:, -1])
        information = SquareRootInformation(
            centred.factor, centred.target + centred.factor @ own.values
        )
        step = fit.solved.information.values()
        step = np.zeros_like(step) if held else step
        moves = problem.moves(fit.solved, 0, step)
        squares, counts = sums(problem, sizes, 0, moves, step, segment)
        freedoms = counts - taken_of(problem, fit.solved, 0, segment)
        squares *= np.exp(2.0 * sizes.logarithms)
        if before is not None:
            squares, freedoms = squares + before.squares, freedoms + before.freedoms
        onward = before and before.onward
        return cls(
            fit.method.onward(own.flight, own.values, own.blocks, segment, onward),
            information,
            rows,
            own.trajectory[segment : segment + 1],
            own.values,
            squares,
            freedoms,
            centred.residual - problem.prior.residual,
        )

    def sizes(self, others: NoiseSizes) -> NoiseSizes:
        """Return the sizes of noise before it; others where they are little known."""
        known = (self.freedoms > _TELLING) & (self.squares > 0.0)
        found = others.values.copy()
        found[known] = np.sqrt(self.squares[known] / self.freedoms[known])
        return others.with_values(found)

    def after(self, brought: Brought) -> 'MarginalPrior':
        """Return what is known after a body has come or gone."""
        known, values = self.information, self.values
        centred = replace(known, target=known.target - known.factor @ values)
        rows, centred, _ = inflated(self.rows, centred, brought.of_state, brought.of_unknowns)
        information = replace(centred, target=centred.target + centred.factor @ values)
        return replace(self, rows=rows, information=information)

    def about(
        self, method: StatesMethod, trajectory: SegmentStates, values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return its rows, right-hand sides about another state and unknowns.

        Parameters
        ----------
        method : StatesMethod
            Robot.
        trajectory : SegmentStates
            States from there on.
        values : ndarray, shape (u,)
            Unknowns.
        """
        moved = np.append(method.difference(self.state, trajectory), values - self.values)
        rows = self.rows.copy()
        rows[:, -1] -= rows[:, :-1] @ moved
        return rows


class Inflated(NamedTuple):
    """What is known of state and unknowns after both have moved, and the sum of pivots."""

    rows: NDArray[np.float64]
    information: SquareRootInformation
    pivots: float


def inflated(
    rows: NDArray[np.float64],
    information: SquareRootInformation,
    of_state: NDArray[np.float64],
    of_unknowns: NDArray[np.float64],
) -> Inflated:
    """Return what is known of state and unknowns after both have moved at random.

    What they were before is integrated out.

    Parameters
    ----------
    rows : ndarray, shape (n, n + u + 1)
        Rows of state and unknowns, and right-hand sides.
    information : SquareRootInformation
        On the unknowns.
    of_state, of_unknowns : ndarray, shapes (n, c) and (u, c)
        How both move by c numbers of unit deviation.
    """
    n, (u, count) = len(rows), of_unknowns.shape
    stacked = np.zeros((n + u + count, count + n + u + 1))
    stacked[:n, :count] = -rows[:, :n] @ of_state - rows[:, n:-1] @ of_unknowns
    stacked[:n, count:] = rows
    stacked[n : n + u, :count] = -information.factor @ of_unknowns
    stacked[n : n + u, count + n : -1] = information.factor
    stacked[n : n + u, -1] = information.target
    stacked[n + u :, :count] = np.eye(count)
    triangle = np.linalg.qr(stacked, mode='r')
    left = triangle[count + n :, count + n :]
    return Inflated(
        triangle[count : count + n, count:],
        replace(information, factor=left[:, :-1], target=left[:, -1]),
        log_determinant(triangle[:count, :count]),
    )

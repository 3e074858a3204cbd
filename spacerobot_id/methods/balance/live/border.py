"""Information of readings before a time on the unknowns and the state then: none need be kept."""

from dataclasses import dataclass, replace
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.balance.equations.case import Case
from spacerobot_id.methods.balance.equations.states import difference, Trajectory
from spacerobot_id.methods.balance.flight import READINGS
from spacerobot_id.methods.balance.noise.noise_search import lost, sums
from spacerobot_id.methods.balance.noise.noise_sizes import NoiseSizes
from spacerobot_id.statistics.square_root_information import (
    log_determinant,
    SquareRootInformation,
)

if TYPE_CHECKING:
    from spacerobot_id.methods.balance.flight_fit import BalanceFit
    from spacerobot_id.methods.momentum_balance import MomentumBalance

_TELLING = 10.0
"""Degrees of freedom that show how large noise is."""


@dataclass(frozen=True, eq=False)
class Border:
    """What is known at the border between two segments of all before it.

    Parameters
    ----------
    time : float
        Time of the border, s.
    spacing : float
        Length of the segments, s.
    clock : float
        By how much poses are late against joints, s.
    information : SquareRootInformation
        On the unknowns, the description included.
    rows : ndarray, shape (n, n + u + 1)
        Rows of the moves of state and unknowns from where they are linear about, and right-hand
        sides.
    state : Trajectory
        State that they are linear about, of one segment.
    values : ndarray, shape (u,)
        Unknowns that they are linear about.
    read : dict of str to float
        Stamps of the last readings that are known, by kind, s.
    looks : ndarray, shape (L, n)
        Joint positions whose mean inertia pushes are measured by.
    squares, freedoms : ndarray, shape (8,)
        Sums of squares by size of noise, in its own unit, and their degrees of freedom.
    residual : float
        Sum of squares that readings between the border before and this one leave.
    """

    time: float
    spacing: float
    clock: float
    information: SquareRootInformation
    rows: NDArray[np.float64]
    state: Trajectory
    values: NDArray[np.float64]
    read: dict[str, float]
    looks: NDArray[np.float64]
    squares: NDArray[np.float64]
    freedoms: NDArray[np.float64]
    residual: float

    @classmethod
    def within(
        cls, fit: 'BalanceFit', segment: int, before: 'Border | None', *, held: bool = False
    ) -> 'Border':
        """Return what is known where a segment of a fitted flight begins.

        Parameters
        ----------
        fit : BalanceFit
            Fit of a flight.
        segment : int
            Segment; at least 1.
        before : Border, optional
            Border that the flight began with.
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
        freedoms = counts - lost(problem, fit.solved, 0, segment)
        squares *= np.exp(2.0 * sizes.logarithms)
        read = {} if before is None else dict(before.read)
        edge = own.linear.row_edges[segment]
        for kind, name in enumerate(READINGS):
            numbers = own.linear.places[:edge][own.linear.kind[:edge] == kind, 0]
            if len(numbers):
                read[name] = float(own.flight.readings[name].stamps[numbers.max()])
        if before is not None:
            squares, freedoms = squares + before.squares, freedoms + before.freedoms
        return cls(
            float(own.flight.edges[segment]),
            float(np.diff(own.flight.edges[:2])[0]),
            Case(problem.method, own.flight, own.values).clock,
            information,
            rows,
            own.trajectory[segment : segment + 1],
            own.values,
            read,
            own.flight.looks,
            squares,
            freedoms,
            centred.residual - problem.prior.residual,
        )

    def sizes(self, others: NoiseSizes) -> NoiseSizes:
        """Return the sizes of noise before it; others where they are little known."""
        known = (self.freedoms > _TELLING) & (self.squares > 0.0)
        found = others.logarithms
        found[known] = 0.5 * np.log(self.squares[known] / self.freedoms[known])
        return others.of(found)

    def moved(self, of_state: NDArray[np.float64], of_unknowns: NDArray[np.float64]) -> 'Border':
        """Return what is known after both have moved by some numbers of unit deviation.

        Parameters
        ----------
        of_state : ndarray, shape (n, c)
            How the numbers move the state.
        of_unknowns : ndarray, shape (u, c)
            How they move the unknowns.
        """
        known, values = self.information, self.values
        centred = replace(known, target=known.target - known.factor @ values)
        rows, centred, _ = widened(self.rows, centred, of_state, of_unknowns)
        information = replace(centred, target=centred.target + centred.factor @ values)
        return replace(self, rows=rows, information=information)

    def about(
        self, method: 'MomentumBalance', trajectory: Trajectory, values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return its rows, right-hand sides about another state and unknowns.

        Parameters
        ----------
        method : MomentumBalance
            Robot.
        trajectory : Trajectory
            States from the border on.
        values : ndarray, shape (u,)
            Unknowns.
        """
        moved = np.concatenate([
            difference(self.state.states, trajectory.states[:1])[0, method.free_state],
            (trajectory.slow[0] - self.state.slow[0])[method.free],
            trajectory.scatter[0] - self.state.scatter[0],
            values - self.values,
        ])  # fmt: skip
        rows = self.rows.copy()
        rows[:, -1] -= rows[:, :-1] @ moved
        return rows


class Widened(NamedTuple):
    """What is known of state and unknowns after both have moved, and the sum of pivots."""

    rows: NDArray[np.float64]
    information: SquareRootInformation
    pivots: float


def widened(
    rows: NDArray[np.float64],
    information: SquareRootInformation,
    of_state: NDArray[np.float64],
    of_unknowns: NDArray[np.float64],
) -> Widened:
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
    return Widened(
        triangle[count : count + n, count:],
        replace(information, factor=left[:, :-1], target=left[:, -1]),
        log_determinant(triangle[:count, :count]),
    )

"""Linear rows of flights, with states and pushes eliminated from the last segment to the first."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from spacerobot_id.methods.balance.equations.backward_pass import leverages, substitute
from spacerobot_id.methods.balance.equations.flight_rows import FlightRows, White
from spacerobot_id.methods.balance.noise.noise_sizes import NoiseSizes
from spacerobot_id.statistics.square_root_information import log_determinant, SquareRootInformation


class Eliminated(NamedTuple):
    """Rows of a flight in deviations of their noise, and those that states follow from."""

    rows: NDArray[np.float64]
    back: NDArray[np.float64]
    push_rows: NDArray[np.float64]
    state_rows: NDArray[np.float64]
    tops: NDArray[np.float64]


class Passed(NamedTuple):
    """What is known after some segments: rows of next state and unknowns, and sum of pivots."""

    rows: NDArray[np.float64]
    left: NDArray[np.float64]
    pivots: float


class Leverages(NamedTuple):
    """How far rows are fitted to themselves: readings (K,), pushes (G, 2 f), states (G, n)."""

    rows: NDArray[np.float64]
    pushes: NDArray[np.float64]
    states: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solved:
    """What is known of the step, and how states and pushes follow from it, by flight."""

    information: SquareRootInformation
    eliminated: list[Eliminated]
    own: list[NDArray[np.float64]]
    determinant: float
    squares: float
    freedom: int
    sizes: NoiseSizes


@dataclass(frozen=True, eq=False)
class Problem(FlightRows):
    """Rows of all flights, and the step that follows from them."""

    def solved(self, sizes: NoiseSizes) -> Solved:
        """Return the equations of the step from all rows, states and pushes eliminated."""
        information, eliminated, owns, determinant = self.prior, [], [], 0.0
        for index in range(len(self.linear)):
            found, left, pivots = self._eliminated(index, sizes)
            own, left = self._without_own(index, left)
            eliminated.append(found)
            owns.append(own)
            determinant += pivots + log_determinant(own)
            information = information.absorb(left[:, :-1], left[:, -1])
        determinant += log_determinant(information.factor)
        freedom = sum(len(rows.rows) - self.main for rows in self.linear)
        freedom += self.main * self.goes_on(0)
        squares = information.residual
        freedom = max(freedom, 1)
        return Solved(information, eliminated, owns, determinant, squares, freedom, sizes)

    def surprise(self, solved: Solved) -> float:
        """Return minus twice the logarithm of the marginal likelihood, but for a constant.

        The same for all sizes of noise, and for other unknowns of the same readings. States follow
        from the last one back, so that lasting pushes are those at the end, which have faded.
        """
        sizes, logarithms = solved.sizes, 0.0
        for index, rows in enumerate(self.linear):
            stds = [self.push_std(index, sizes), self.step_std(index, sizes)]
            stds += [self.row_std(index, sizes)]
            stds += [] if self.goes_on(index) else [self.first_std(sizes)]
            logarithms += sum(float(np.log(each).sum()) for each in stds)
            logarithms += self.begins(index).sum() * np.log(sizes.scatter)
            logarithms -= self.pushed * float(rows.seconds[:-1].sum()) / sizes.memory
        known = log_determinant(self.prior.factor)
        return solved.squares + solved.determinant + 2.0 * logarithms - known

    def equations_of(self, index: int, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return a flight's equations of the unknowns alone, right-hand sides last, (K, u + 1)."""
        return self._without_own(index, self._eliminated(index, sizes)[1])[1]

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
        self, solved: Solved, index: int, step: NDArray[np.float64]
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
    ) -> tuple[Eliminated, NDArray[np.float64], float]:
        """Return what states of a flight follow from, rows of unknowns, and sum of pivots."""
        from spacerobot_id.methods.balance.equations.balance_kernels import eliminate  # compiles

        rows, gaps = self.linear[index], self.linear[index].gaps
        white = self.white(index, sizes)
        tops, left = self._room(white)
        pivots = eliminate(
            rows.row_edges,
            white.rows,
            white.back,
            gaps,
            white.push_rows,
            white.state_rows,
            white.carried,
            tops,
            left,
        )
        return Eliminated(*white[:-1], tops), left, pivots

    def until(
        self, segment: int, index: int, sizes: NoiseSizes
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the information of all before a segment of a flight on its state and unknowns.

        Returns
        -------
        ndarray, shape (n, n + u + 1)
            Rows of the moves of the segment's first state and of the unknowns, right-hand sides.
        ndarray, shape (K, u + 1)
            Rows of the unknowns alone.
        """
        white = self.white(index, sizes)
        v = white.push_rows.shape[1]
        passed = self.passed(white, index, 0, segment, white.carried[:, v:])
        return passed.rows, passed.left

    def passed(
        self,
        white: White,
        index: int,
        first: int,
        last: int,
        rows: NDArray[np.float64],
    ) -> Passed:
        """Return what is known after some segments of a flight from what was before them.

        Parameters
        ----------
        white : White
            Rows of the flight in deviations of their noise.
        index : int
            Flight.
        first, last : int
            First segment, and the one after the last.
        rows : ndarray, shape (n, n + u + 1)
            Rows of the moves of the first segment's state and of the unknowns, right-hand sides.
        """
        from spacerobot_id.methods.balance.equations.balance_kernels import eliminate  # compiles

        linear = self.linear[index]
        edges = linear.row_edges[first : last + 1]
        some, v = slice(first, last), white.push_rows.shape[1]
        carried = np.hstack([np.zeros((len(rows), v)), rows])
        part = White(
            white.rows[edges[0] : edges[-1]],
            white.back[some],
            white.push_rows[some],
            white.state_rows[first : last + 1],
            carried,
        )
        tops, left = self._room(part)
        pivots = eliminate(
            edges - edges[0], part.rows, part.back, linear.gaps[some], *part[2:], tops, left
        )
        return Passed(carried[:, v:], left, pivots)

    def _room(self, white: White) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return room for what states follow from, and for rows of unknowns."""
        segments, v, _ = white.push_rows.shape
        n, width = white.carried.shape
        starts = np.count_nonzero(white.state_rows[1:, :, 0])
        return np.zeros((segments, v + n, width)), np.zeros(
            (len(white.rows) + starts, width - v - n)
        )

    def leverages(self, solved: Solved, index: int) -> Leverages:
        """Return what of the rows of a flight is fitted to themselves."""
        found, rows = solved.eliminated[index], self.linear[index]
        parts = found.rows, found.back, found.push_rows, found.state_rows, found.tops
        of_rows, pushes, states = leverages(rows.row_edges, *parts, self._root(solved, index))
        return Leverages(of_rows, pushes[:, : 2 * self.pushed], states)

    def _root(self, solved: Solved, index: int) -> NDArray[np.float64]:
        """Return a root of the covariance of the unknowns of a flight, shape (u, r)."""
        root = solved.information.covariance_root()
        own, rows = self._of_flight, solved.own[index]
        if not len(rows):
            return np.ascontiguousarray(root)  # read row by row
        others, count = np.delete(np.arange(len(root)), own), len(own)
        whole = np.zeros((len(root), len(root) + count))
        whole[others, : len(root)] = root[others]
        sides = np.hstack([-rows[:, count:-1] @ root[others], np.eye(count)])
        whole[own] = solve_triangular(rows[:, :count], sides)
        return whole

    def moves(
        self, solved: Solved, index: int, step: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the moves of states (G, n) and what is a segment's own (G, v) with a step."""
        found = solved.eliminated[index]
        return substitute(found.tops, found.back, self.linear[index].gaps, step)

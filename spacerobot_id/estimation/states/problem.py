"""Linear rows of flights, with states and disturbances eliminated segment by segment.

What is left speaks of the unknowns alone. States and disturbances follow from them from the last
segment back (Rauch, Tung and Striebel, Maximum likelihood estimates of linear dynamic systems,
1965).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from spacerobot_id.methods.blocks import Blocks, FIXED, Noise, NoiseSizes, Weights
from spacerobot_id.statistics.square_root_information import log_determinant, SquareRootInformation

Moves = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Moves of the states of a flight (G, n), and of its disturbances (G, v)."""


class White(NamedTuple):
    """Rows of a flight in deviations of their noise; those of the first state, filled in last."""

    rows: NDArray[np.float64]
    back: NDArray[np.float64]
    disturbances: NDArray[np.float64]
    beginnings: NDArray[np.float64]
    carried: NDArray[np.float64]


class Eliminated(NamedTuple):
    """Rows of a flight in deviations of their noise, and those that states follow from."""

    white: White
    tops: NDArray[np.float64]


class Passed(NamedTuple):
    """What is known after some segments: rows of next state and unknowns, and sum of pivots."""

    rows: NDArray[np.float64]
    left: NDArray[np.float64]
    pivots: float


class Leverages(NamedTuple):
    """How far rows are fitted to themselves: (K,), disturbances (G, v), beginnings (G, n)."""

    rows: NDArray[np.float64]
    disturbances: NDArray[np.float64]
    beginnings: NDArray[np.float64]


class Earlier(NamedTuple):
    """Sums of squares by kind of noise before a flight goes on, and degrees of freedom, (k,)."""

    squares: NDArray[np.float64]
    freedoms: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solved:
    """What is known of the step, and how states and disturbances follow from it, by flight."""

    information: SquareRootInformation
    eliminated: list[Eliminated]
    own: list[NDArray[np.float64]]
    determinant: float
    squares: float
    freedom: int
    sizes: NoiseSizes


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows of all flights, linear about the same unknowns, and the step that follows from them.

    Parameters
    ----------
    blocks : list of Blocks
        Rows of each flight.
    weights : list of tuple of ndarray
        Factors of the deviations of bumps and rows of each.
    prior : SquareRootInformation
        What is known of the step without the flights.
    values : list of ndarray, shape (u,)
        Unknowns of each flight.
    own : ndarray of int
        Places of what each flight has of its own.
    own_std : ndarray
        Standard deviations of these, which are zero in the mean.
    marginal : ndarray, shape (n, n + u + 1), optional
        Rows of the first state of the first flight and of the unknowns, where it goes on.
    earlier : Earlier, optional
        What was before, for the sizes of noise.
    """

    blocks: list[Blocks]
    weights: list[Weights]
    prior: SquareRootInformation
    values: list[NDArray[np.float64]]
    own: NDArray[np.intp]
    own_std: NDArray[np.float64]
    marginal: NDArray[np.float64] | None = None
    earlier: Earlier | None = None

    # Rows in deviations of their noise.

    def goes_on(self, index: int) -> bool:
        """Return whether a flight goes on from what was marginalised."""
        return self.marginal is not None and not index

    def row_std(self, index: int, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return standard deviations of the rows of a flight, shape (K,)."""
        return sizes.scales[self.blocks[index].kind] * self.weights[index][1]

    def noise(self, index: int, sizes: NoiseSizes) -> Noise:
        """Return what is random in a flight, bumps by their weights."""
        blocks = self.blocks[index]
        noise = blocks.noise(sizes)
        noise.disturbances.std[:, : blocks.bumps] *= self.weights[index][0][:, None]
        if self.goes_on(index):
            noise.beginnings.put((slice(1), slice(None)), 0.0, np.inf, FIXED)
        return noise

    def white(self, index: int, sizes: NoiseSizes) -> White:
        """Return the rows of a flight in deviations of their noise."""
        blocks, noise = self.blocks[index], self.noise(index, sizes)
        rows = blocks.rows / self.row_std(index, sizes)[:, None]
        disturbances, beginnings = noise.disturbances.rows, noise.beginnings.rows
        v, n = disturbances.shape[1], beginnings.shape[1]
        carried = np.zeros((n, rows.shape[1]))
        if self.goes_on(index):
            carried[:, v:] = self.marginal
        else:
            carried[:, v : v + n] = np.diag(beginnings[0, :, 0])
            carried[:, -1] = beginnings[0, :, 1]
        return White(rows, blocks.transitions(sizes), disturbances, beginnings, carried)

    # The step.

    def solved(self, sizes: NoiseSizes) -> Solved:
        """Return the equations of the step from all rows, states and disturbances eliminated."""
        information, eliminated, owns, determinant = self.prior, [], [], 0.0
        for index in range(len(self.blocks)):
            found, left, pivots = self._eliminated(index, sizes)
            own, left = self._without_own(index, left)
            eliminated.append(found)
            owns.append(own)
            determinant += pivots + log_determinant(own)
            information = information.absorb(left[:, :-1], left[:, -1])
        determinant += log_determinant(information.factor)
        freedom = sum(len(each.rows) - each.free for each in self.blocks)
        freedom += self.blocks[0].free * self.goes_on(0)
        squares = information.residual
        freedom = max(freedom, 1)
        return Solved(information, eliminated, owns, determinant, squares, freedom, sizes)

    def surprise(self, solved: Solved) -> float:
        """Return minus twice the logarithm of the marginal likelihood, but for a constant.

        The same for all sizes of noise, and for other unknowns of the same readings. States follow
        from the last one back, so that lasting disturbances are those at the end, which have
        faded.
        """
        logarithms = 0.0
        for index in range(len(self.blocks)):
            noise = self.noise(index, solved.sizes)
            logarithms += noise.logarithm
            logarithms += float(np.log(self.row_std(index, solved.sizes)).sum())
            for terms in (noise.disturbances, noise.beginnings):
                logarithms += float(np.log(terms.std[terms.kind != FIXED]).sum())
        known = log_determinant(self.prior.factor)
        return solved.squares + solved.determinant + 2.0 * logarithms - known

    def equations_of(self, index: int, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return a flight's equations of the unknowns alone, right-hand sides last, (K, u + 1)."""
        return self._without_own(index, self._eliminated(index, sizes)[1])[1]

    def _without_own(
        self, index: int, left: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the rows that what a flight has of its own follows from, and those without it.

        That of the first flight stays among the unknowns.
        """
        own = self.own
        if not index or not len(own):
            return np.zeros((0, left.shape[1])), left
        prior = np.zeros((len(own), left.shape[1]))
        prior[np.arange(len(own)), own] = 1.0 / self.own_std
        prior[:, -1] = -self.values[index][own] / self.own_std
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
        own, rows = self.own, solved.own[index]
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
        from spacerobot_id.estimation.states.elimination_kernels import eliminate  # compiles

        blocks, white = self.blocks[index], self.white(index, sizes)
        tops, left = _room(white)
        parts = white.rows, white.back, blocks.gaps, *white[2:], tops, left
        pivots = eliminate(blocks.row_edges, *parts)
        return Eliminated(white, tops), left, pivots

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
        v = white.disturbances.shape[1]
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
        from spacerobot_id.estimation.states.elimination_kernels import eliminate  # compiles

        blocks = self.blocks[index]
        edges = blocks.row_edges[first : last + 1]
        some, v = slice(first, last), white.disturbances.shape[1]
        carried = np.hstack([np.zeros((len(rows), v)), rows])
        part = White(
            white.rows[edges[0] : edges[-1]],
            white.back[some],
            white.disturbances[some],
            white.beginnings[first : last + 1],
            carried,
        )
        tops, left = _room(part)
        parts = part.rows, part.back, blocks.gaps[some], *part[2:], tops, left
        pivots = eliminate(edges - edges[0], *parts)
        return Passed(carried[:, v:], left, pivots)

    # What follows from a step.

    def moves(self, solved: Solved, index: int, step: NDArray[np.float64]) -> Moves:
        """Return the moves of states and disturbances of a flight with a step of its unknowns."""
        found = solved.eliminated[index]
        return _substituted(found.tops, found.white.back, self.blocks[index].gaps, step)

    def left(self, moves: Moves, step: NDArray[np.float64], index: int) -> NDArray[np.float64]:
        """Return what is left of the rows after a step, shape (K,)."""
        blocks, (states, disturbances) = self.blocks[index], moves
        segment = np.repeat(np.arange(len(states)), np.diff(blocks.row_edges))
        v, n = disturbances.shape[1], states.shape[1]
        return (
            blocks.rows[:, -1]
            - np.einsum('kc,kc->k', blocks.rows[:, :v], disturbances[segment])
            - np.einsum('kc,kc->k', blocks.rows[:, v : v + n], states[segment])
            - blocks.rows[:, v + n : -1] @ step
        )

    def leverages(self, solved: Solved, index: int) -> Leverages:
        """Return what of the rows of a flight is fitted to themselves."""
        found, edges = solved.eliminated[index], self.blocks[index].row_edges
        return _leverages(found, edges, self._root(solved, index))

    def _root(self, solved: Solved, index: int) -> NDArray[np.float64]:
        """Return a root of the covariance of the unknowns of a flight, shape (u, r)."""
        root = solved.information.covariance_root()
        own, rows = self.own, solved.own[index]
        if not len(rows):
            return np.ascontiguousarray(root)  # read row by row
        others, count = np.delete(np.arange(len(root)), own), len(own)
        whole = np.zeros((len(root), len(root) + count))
        whole[others, : len(root)] = root[others]
        sides = np.hstack([-rows[:, count:-1] @ root[others], np.eye(count)])
        whole[own] = solve_triangular(rows[:, :count], sides)
        return whole


def _room(white: White) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return room for what states follow from, and for rows of unknowns."""
    segments, v, _ = white.disturbances.shape
    n, width = white.carried.shape
    starts = np.count_nonzero(white.beginnings[1:, :, 0])
    return np.zeros((segments, v + n, width)), np.zeros((len(white.rows) + starts, width - v - n))


def _substituted(
    tops: NDArray[np.float64],
    back: NDArray[np.float64],
    gaps: NDArray[np.float64],
    step: NDArray[np.float64],
) -> Moves:
    """Return the moves of states and disturbances, from the last segment back."""
    segments, both, _ = tops.shape
    n = back.shape[1]
    v, back, gaps = both - n, back[: segments - 1], gaps[: segments - 1]
    known = tops[:, :, -1] - tops[:, :, both:-1] @ step
    sides = np.concatenate([-tops[:-1, :v, v:both], known[:-1, :v, None]], axis=2)
    of_own = np.linalg.solve(tops[:-1, :v, :v], sides)  # by next state, and what is constant
    of_state = back[:, :, :v] @ of_own
    of_state[:, :, :n] += back[:, :, v:both]
    of_state[:, :, n] += gaps + back[:, :, both:] @ step
    states, disturbances = np.empty((segments, n)), np.empty((segments, v))
    last = solve_triangular(tops[-1, :, :both], known[-1])
    disturbances[-1], states[-1] = last[:v], last[v:]
    for segment in range(segments - 2, -1, -1):
        states[segment] = of_state[segment, :, :n] @ states[segment + 1] + of_state[segment, :, n]
    disturbances[:-1] = np.einsum('gij,gj->gi', of_own[:, :, :n], states[1:]) + of_own[:, :, n]
    return states, disturbances


def _leverages(
    found: Eliminated, row_edges: NDArray[np.int64], root: NDArray[np.float64]
) -> Leverages:
    """Return the variance of what each row of unit noise predicts, all data known.

    Parameters
    ----------
    found : Eliminated
        Rows of a flight, and what states follow from.
    row_edges : ndarray of int, shape (G + 1,)
        Rows of each segment.
    root : ndarray, shape (u, r)
        Root of the covariance of the unknowns.
    """
    from spacerobot_id.estimation.states.elimination_kernels import spread_back  # compiles

    (white, tops), both = found, found.tops.shape[1]
    sides = np.hstack([np.eye(both), -tops[-1, :, both:-1]])
    noise, slopes = np.split(solve_triangular(tops[-1, :, :both], sides), [both], axis=1)
    of_rows, variances = np.empty(len(white.rows)), np.empty((len(tops), both))
    parts = (np.ascontiguousarray(each) for each in (root, noise @ noise.T, slopes))
    spread_back(row_edges, white.rows, white.back, tops, *parts, of_rows, variances)
    roots = np.hstack([white.disturbances[:, :, 0], white.beginnings[: len(tops), :, 0]])
    v = white.disturbances.shape[1]
    return Leverages(of_rows, *np.split(roots**2 * variances, [v], axis=1))

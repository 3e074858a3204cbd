"""Linear rows of flights, with states and pushes eliminated from the last segment to the first."""

from dataclasses import dataclass
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from spacerobot_id.methods.balance.linear_balance import LinearFlight
from spacerobot_id.methods.balance.noise_sizes import NoiseSizes
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.methods.momentum_balance import MomentumBalance

Moves = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Moves of the states of a flight (G, n), and of what is a segment's own (G, v)."""

Weights = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Factors of the deviations of the pushes (G,) and rows (K,) of a flight, one or more."""

_WIDE = np.array([1.0, 1.0, 1.0, 0.3, 0.3, 0.3])
"""Deviations of the first place (m) and attitude (rad) from the measured ones."""


class Eliminated(NamedTuple):
    """Rows of a flight in deviations of their noise, and those that states follow from."""

    rows: NDArray[np.float64]
    back: NDArray[np.float64]
    push_rows: NDArray[np.float64]
    state_rows: NDArray[np.float64]
    tops: NDArray[np.float64]


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
class Problem:
    """Rows of all flights, linear about the same unknowns."""

    method: 'MomentumBalance'
    linear: list[LinearFlight]
    weights: list[Weights]
    prior: SquareRootInformation
    values: list[NDArray[np.float64]]

    @property
    def main(self) -> int:
        """Number of the components of a state but for those that are held."""
        return 2 * len(self.method.free)

    @property
    def pushed(self) -> int:
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

    def first_std(self, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return standard deviations of lasting pushes that nothing is known of, shape (f,)."""
        own = self._by_component(sizes.slow_force, sizes.slow_torque)
        return np.sqrt(0.5 * sizes.memory) * own

    def kept(self, index: int, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return the share of lasting pushes that each segment leaves, shape (G - 1, 1)."""
        return np.exp(-self.linear[index].seconds[:-1, None] / sizes.memory)

    def back(self, index: int, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return what push, next state and unknowns change of a state as lasting pushes fade."""
        back, pushed = self.linear[index].back.copy(), self.pushed
        slow = 2 * pushed + self.linear[index].scatter.shape[1] + self.main
        kept = self.kept(index, sizes)[..., None]
        for start in (pushed, slow):
            back[:, :, start : start + pushed] /= kept
        return back

    def row_std(self, index: int, sizes: NoiseSizes) -> NDArray[np.float64]:
        """Return standard deviations of the rows of a flight, shape (K,)."""
        rows = self.linear[index]
        return np.array(sizes.scales)[rows.kind] * self.weights[index][1]

    def solved(self, sizes: NoiseSizes) -> Solved:
        """Return what all rows say of the step, states and pushes eliminated."""
        information, eliminated, owns, determinant = self.prior, [], [], 0.0
        for index in range(len(self.linear)):
            found, left, pivots = self._eliminated(index, sizes)
            own, left = self._without_own(index, left)
            eliminated.append(found)
            owns.append(own)
            determinant += pivots + 2.0 * float(np.sum(np.log(np.abs(np.diag(own)))))
            information = information.absorb(left[:, :-1], left[:, -1])
        determinant += 2.0 * float(np.sum(np.log(np.abs(np.diag(information.factor)))))
        freedom = sum(len(rows.rows) - self.main for rows in self.linear)
        squares = information.residual
        freedom = max(freedom, 1)
        return Solved(information, eliminated, owns, determinant, squares, freedom, sizes)

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
        from spacerobot_id.methods.balance.balance_kernels import eliminate  # compiles

        rows, pushed, main = self.linear[index], self.pushed, self.main
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
        first = self.first_std(sizes)
        state_rows[0, main:scatter, 0] = 1.0 / first
        state_rows[0, main:scatter, 1] = -rows.slow[0] / first
        mass = self.method.usual_mass
        begin = 1.0 / np.concatenate([_WIDE, mass * _WIDE[:3], mass * _WIDE[:3]])
        state_rows[0, :main, 0] = begin[self.method.free_state]
        tops = np.zeros((segments, v + n, white.shape[1]))
        anew = np.count_nonzero(state_rows[1:, :, 0])
        left = np.zeros((len(white) + anew, white.shape[1] - v - n))
        back = self.back(index, sizes)
        pivots = eliminate(
            rows.row_edges, white, back, rows.gaps, push_rows, state_rows, tops, left
        )
        return Eliminated(white, back, push_rows, state_rows, tops), left, pivots

    def leverages(self, solved: Solved, index: int) -> Leverages:
        """Return what of the rows of a flight is fitted to themselves."""
        from spacerobot_id.methods.balance.leverage_kernel import leverages  # compiles

        found, rows = solved.eliminated[index], self.linear[index]
        whole = Leverages(
            np.zeros(len(found.rows)),
            np.zeros((len(found.push_rows), 2 * self.pushed)),
            np.zeros(found.state_rows.shape[:2]),
        )
        root = self._root(solved, index)
        parts = found.rows, found.back, found.push_rows, found.state_rows, found.tops
        leverages(rows.row_edges, *parts, root, *whole)
        return whole

    def _root(self, solved: Solved, index: int) -> NDArray[np.float64]:
        """Return a root of the covariance of the unknowns of a flight, shape (u, r)."""
        factor = solved.information.factor
        root = solve_triangular(factor, np.eye(len(factor)))
        own, rows = self._of_flight, solved.own[index]
        if not len(rows):
            return root
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
        from spacerobot_id.methods.balance.balance_kernels import substitute  # compiles

        found, gaps = solved.eliminated[index], self.linear[index].gaps
        segments, n, _ = found.state_rows.shape
        states, pushes = np.empty((segments, n)), np.empty((segments, found.push_rows.shape[1]))
        substitute(found.tops, found.back, gaps, step, states, pushes)
        return states, pushes

    def widened(
        self, states: NDArray[np.float64], pushes: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], ...]:
        """Return moves in all twelve components of a state, six of pushes, and of the scatter."""
        whole, pushed, slow = (np.zeros((len(states), size)) for size in (12, 6, 6))
        main, scatter = self.main, self.main + self.pushed
        whole[:, self.method.free_state] = states[:, :main]
        pushed[:, self.method.free] = pushes[:, : self.pushed]
        slow[:, self.method.free] = states[:, main:scatter]
        return whole, pushed, slow, states[:, scatter:]

    def left(
        self,
        moves: list[Moves],
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

    def slow_steps(self, sizes: NoiseSizes, moves: list[Moves], index: int) -> NDArray[np.float64]:
        """Return the first lasting pushes and their steps in deviations, moved, shape (G, f)."""
        slow = slice(self.main, self.main + self.pushed)
        there = self.linear[index].slow + moves[index][0][:, slow]
        steps = there[1:] - self.kept(index, sizes) * there[:-1]
        return np.vstack([there[0] / self.first_std(sizes), steps / self.step_std(index, sizes)])

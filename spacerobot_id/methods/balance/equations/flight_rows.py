"""Rows of flights in deviations of their noise, whatever that is."""

from dataclasses import dataclass
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.balance.equations.linear_balance import LinearFlight
from spacerobot_id.methods.balance.noise.noise_sizes import NoiseSizes
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.methods.balance.live.border import Border
    from spacerobot_id.methods.momentum_balance import MomentumBalance

Moves = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Moves of the states of a flight (G, n), and of what is a segment's own (G, v)."""

Weights = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Factors of the deviations of the pushes (G,) and rows (K,) of a flight, one or more."""

_ANYTHING = 1e3
"""By how much larger pushes may be while nothing is read."""

_WIDE = np.array([1.0, 1.0, 1.0, 0.3, 0.3, 0.3])
"""Deviations of the first place (m) and attitude (rad) from the measured ones."""


def full_weights(rows: LinearFlight) -> Weights:
    """Return the factors of a flight whose pushes and rows all count in full."""
    return np.ones(len(rows.seconds)), np.ones(len(rows.kind))


class White(NamedTuple):
    """Rows of a flight in deviations of their noise; those of the first state, filled in last."""

    rows: NDArray[np.float64]
    back: NDArray[np.float64]
    push_rows: NDArray[np.float64]
    state_rows: NDArray[np.float64]
    carried: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FlightRows:
    """Rows of all flights, linear about the same unknowns.

    The first may go on from a border: of its rows, n of the state, the unknowns and right-hand
    sides, and of what was earlier, for the sizes of noise.
    """

    method: 'MomentumBalance'
    linear: list[LinearFlight]
    weights: list[Weights]
    prior: SquareRootInformation
    values: list[NDArray[np.float64]]
    border: NDArray[np.float64] | None = None
    earlier: 'Border | None' = None

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
        rows = self.linear[index]
        factor = np.where(rows.is_silent, _ANYTHING, 1.0) * self.weights[index][0]
        return (factor / np.sqrt(rows.seconds))[:, None] * own

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

    def goes_on(self, index: int) -> bool:
        """Return whether a flight goes on from a border."""
        return self.border is not None and not index

    def begins(self, index: int) -> NDArray[np.bool_]:
        """Return where the scatter of which actuators restarts, shape (G, T)."""
        begins = self.linear[index].begins.copy()
        begins[0] = not self.goes_on(index)
        return begins

    def white(self, index: int, sizes: NoiseSizes) -> White:
        """Return the rows of a flight in deviations of their noise."""
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
        begins, scatter = self.begins(index), main + pushed
        state_rows[:, scatter:, 0] = begins / sizes.scatter
        off = sizes.usual_scatter - rows.scatter
        state_rows[:, scatter:, 1] = np.where(begins, off, 0.0) / sizes.scatter
        carried = np.zeros((n, white.shape[1]))
        if self.goes_on(index):
            carried[:, v:] = self.border
        else:
            first = self.first_std(sizes)
            state_rows[0, main:scatter, 0] = 1.0 / first
            state_rows[0, main:scatter, 1] = -rows.slow[0] / first
            mass = self.method.usual_mass
            begin = 1.0 / np.concatenate([_WIDE, mass * _WIDE[:3], mass * _WIDE[:3]])
            state_rows[0, :main, 0] = begin[self.method.free_state]
            carried[:, v : v + n] = np.diag(state_rows[0, :, 0])
            carried[:, -1] = state_rows[0, :, 1]
        return White(white, self.back(index, sizes), push_rows, state_rows, carried)

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

    def left(self, moves: Moves, step: NDArray[np.float64], index: int) -> NDArray[np.float64]:
        """Return what is left of the rows after a step, shape (K,)."""
        rows, (states, pushes) = self.linear[index], moves
        segment = np.repeat(np.arange(len(states)), np.diff(rows.row_edges))
        v, n = pushes.shape[1], states.shape[1]
        return (
            rows.rows[:, -1]
            - np.einsum('kc,kc->k', rows.rows[:, :v], pushes[segment])
            - np.einsum('kc,kc->k', rows.rows[:, v : v + n], states[segment])
            - rows.rows[:, v + n : -1] @ step
        )

    def slow_steps(self, sizes: NoiseSizes, moves: Moves, index: int) -> NDArray[np.float64]:
        """Return lasting pushes that begin and their steps in deviations, moved, shape (S, f)."""
        slow = slice(self.main, self.main + self.pushed)
        there = self.linear[index].slow + moves[0][:, slow]
        steps = there[1:] - self.kept(index, sizes) * there[:-1]
        first = there[: 0 if self.goes_on(index) else 1] / self.first_std(sizes)
        return np.vstack([first, steps / self.step_std(index, sizes)])

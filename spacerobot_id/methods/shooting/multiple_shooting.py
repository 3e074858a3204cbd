"""Gauss-Newton over a body and the states along its flight: multiple shooting, smoothing.

The flight is cut into segments, each with a state of its own where it begins, so that no error
grows through more than one of them. Where a segment ends, the next one begins, to within what
disturbances do (Bock and Plitt, A multiple shooting algorithm for direct solution of optimal
control problems, 1984). The states are eliminated one after the other by orthogonal
transformations, as a square-root information smoother does: what is left speaks of the body alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from spacerobot_id.methods.shooting.rigid_body_states import moved_states, state_difference
from spacerobot_id.methods.shooting.shooting_residuals import FlightArrays, shoot
from spacerobot_id.model import bodies_from_log_cholesky
from spacerobot_id.statistics.square_root_information import SquareRootInformation

_STATE = 12
"""Degrees of freedom of a state: position, attitude, and the twist."""

_NUDGE = 1e-6
"""Step of the differences: m, rad, m/s, rad/s, and of the log-Cholesky numbers."""

_ATTEMPTS = 12
"""Most times that a step is damped more."""


@dataclass(frozen=True, eq=False)
class ShootingFit:
    """Where the iteration ended.

    Parameters
    ----------
    numbers : ndarray, shape (10,)
        Log-Cholesky numbers of the body.
    states : ndarray, shape (G, 13)
        States at the first poses of the segments.
    information : SquareRootInformation
        What prior and data say of the step of the numbers from there.
    cost : float
        Sum of squares, those of the prior and of the gaps among them.
    freedom : int
        Rows less unknowns.
    iterations : int
        Steps of the iteration.
    """

    numbers: NDArray[np.float64]
    states: NDArray[np.float64]
    information: SquareRootInformation
    cost: float
    freedom: int
    iterations: int

    @property
    def chi_square(self) -> float:
        """Sum of squares per degree of freedom."""
        return self.cost / max(self.freedom, 1)


@dataclass(frozen=True, eq=False)
class Shooting:
    """A flight and what its body is sought from.

    Parameters
    ----------
    flight : FlightArrays
        Poses and wrenches.
    edges : ndarray of int, shape (G + 1,)
        Poses at which segments begin, and the number of poses.
    reference : ndarray, shape (10,)
        Parameters of the body that the numbers are relative to.
    prior : SquareRootInformation
        What is known of the numbers before.
    gap_std : ndarray, shape (12,)
        How far the beginning of a segment may be from the end of the one before: m, rad, m/s,
        rad/s; infinite if they have nothing to do with each other.
    """

    flight: FlightArrays
    edges: NDArray[np.int64]
    reference: NDArray[np.float64]
    prior: SquareRootInformation
    gap_std: NDArray[np.float64]

    def fit(
        self,
        numbers: NDArray[np.float64],
        states: NDArray[np.float64],
        iterations: int,
        tolerance: float,
    ) -> ShootingFit:
        """Return the end of Gauss-Newton, damped as Levenberg does where it has to be.

        Parameters
        ----------
        numbers : ndarray, shape (10,)
            Numbers to start from.
        states : ndarray, shape (G, 13)
            States to start from.
        iterations : int
            Most steps.
        tolerance : float
            Root mean square of a step, in standard deviations, that ends the iteration.
        """
        damping, cost = 1e-4, self.cost(numbers, states)
        done, is_over = 0, False
        while True:
            system = self._linearised(numbers, states)
            if is_over or done == iterations:
                information = self._eliminated(system, numbers).information
                freedom = 6 * int(self.edges[-1]) - 10 - _STATE * len(states)
                if np.isfinite(self.gap_std).all():
                    freedom += _STATE * (len(states) - 1)
                return ShootingFit(numbers, states, information, cost, freedom, done)
            is_over, done = True, done + 1
            for _ in range(_ATTEMPTS):
                solved = self._eliminated(system, numbers, damping)
                step, moves = solved.step()
                there = moved_states(states, moves)
                tried = self.cost(numbers + step, there)
                if tried <= cost:
                    is_over = solved.information.deviations(step) < tolerance
                    numbers, states, cost = numbers + step, there, tried
                    damping *= 0.1
                    break
                damping *= 10.0

    def cost(self, numbers: NDArray[np.float64], states: NDArray[np.float64]) -> float:
        """Return the sum of squares; infinite where the motion gets lost."""
        with np.errstate(all='ignore'):
            body = bodies_from_log_cholesky(self.reference, numbers[None])
            if not np.isfinite(body).all():
                return np.inf
            shots = shoot(self.flight, self.edges, body, states[:, None])
            gaps = state_difference(shots.ends[:-1, 0], states[1:]) / self.gap_std
            squares = np.sum(shots.residuals**2) + np.sum(gaps**2)
            total = self.prior.cost(numbers) + float(squares)
        return total if np.isfinite(total) else np.inf

    def _linearised(
        self, numbers: NDArray[np.float64], states: NDArray[np.float64]
    ) -> '_LinearSystem':
        """Return the rows of all segments and gaps, by differences."""
        unknowns = _STATE + 10
        nudges = _NUDGE * np.vstack([np.zeros(unknowns), np.eye(unknowns)])
        nudged = moved_states(np.repeat(states[:, None], len(nudges), axis=1), nudges[:, :_STATE])
        bodies = bodies_from_log_cholesky(self.reference, numbers + nudges[:, _STATE:])
        shots = shoot(self.flight, self.edges, bodies, nudged)
        gaps = state_difference(shots.ends[:-1], states[1:, None]) / self.gap_std
        rows = np.moveaxis(_slopes(shots.residuals), 0, -1)
        return _LinearSystem(
            [
                np.linalg.qr(part.reshape(-1, unknowns + 1), mode='r')
                for part in np.split(rows, self.edges[1:-1])
            ],
            np.moveaxis(_slopes(np.moveaxis(gaps, 1, 0)), 0, -1),
        )

    def _eliminated(
        self, system: '_LinearSystem', numbers: NDArray[np.float64], damping: float = 0.0
    ) -> '_Eliminated':
        """Return what prior, segments and gaps say of the step, states eliminated in turn."""
        carried, tops = np.zeros((0, _STATE + 11)), []
        closing = np.diag(1.0 / self.gap_std)
        for index, segment in enumerate(system.segments):
            held = _held(segment, damping)
            own = len(segment) + len(held)
            gap = system.gaps[index : index + 1].reshape(-1, _STATE + 11)  # none after the last
            rows = np.zeros((len(carried) + own + len(gap), 2 * _STATE + 11))
            for place, part in (
                (0, carried),
                (len(carried), segment),
                (len(carried) + len(segment), held),
                (len(carried) + own, gap),
            ):
                rows[place : place + len(part), :_STATE] = part[:, :_STATE]
                rows[place : place + len(part), 2 * _STATE :] = part[:, _STATE:]
            if len(gap):
                rows[-_STATE:, _STATE : 2 * _STATE] = -closing
            triangle = np.linalg.qr(rows, mode='r')
            tops.append(triangle[:_STATE])
            carried = triangle[_STATE:, _STATE:]
        nothing = SquareRootInformation.nothing(10)
        information = nothing.absorb(self.prior.factor, -self.prior.factor @ numbers)
        information = information.absorb(carried[:, _STATE:-1], carried[:, -1])
        if damping:
            size = np.sqrt(damping) * np.linalg.norm(information.factor, axis=0)
            information = information.absorb(np.diag(size), np.zeros(10))
        return _Eliminated(information, tops)


@dataclass(frozen=True, eq=False)
class _LinearSystem:
    """Rows of every segment, triangular, and of the gaps after all but the last.

    Columns: the segment's state, the numbers, and what they should give.
    """

    segments: list[NDArray[np.float64]]
    gaps: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Eliminated:
    """What is known of the numbers, and how each state follows from the next and from them."""

    information: SquareRootInformation
    tops: list[NDArray[np.float64]]

    def step(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the step of the numbers, shape (10,), and of all states, shape (G, 12)."""
        step, following, moves = self.information.values(), np.zeros(_STATE), []
        for top in reversed(self.tops):
            known = np.concatenate([following, step])
            right = top[:, -1] - top[:, _STATE:-1] @ known
            following = solve_triangular(top[:, :_STATE], right)
            moves.append(following)
        return step, np.array(moves[::-1])


def _slopes(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return minus the slopes by the unknowns, then the values; the first axis is replaced."""
    return np.concatenate([(values[:1] - values[1:]) / _NUDGE, values[:1]])


def _held(segment: NDArray[np.float64], damping: float) -> NDArray[np.float64]:
    """Return rows that hold a segment's state back, in proportion to its columns."""
    if not damping:
        return segment[:0]
    held = np.zeros((_STATE, segment.shape[1]))
    size = np.linalg.norm(segment[:, :_STATE], axis=0)
    held[:, :_STATE] = np.diag(np.sqrt(damping) * size)
    return held

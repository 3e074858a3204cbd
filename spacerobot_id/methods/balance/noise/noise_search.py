"""Sizes of noise that flights show: those of largest marginal likelihood, and robust weights.

Found by MacKay's fixed point (Bayesian interpolation, 1992): a sum of squares is shared out among
as many degrees of freedom as its rows have left.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.balance.balance_problem import Problem, Solved
from spacerobot_id.methods.balance.equations.flight_rows import Moves, Weights
from spacerobot_id.methods.balance.flight import READINGS
from spacerobot_id.methods.balance.noise.noise_sizes import NoiseSizes, NOTCH, OF_READINGS, SIZES

_LONGEST_SERIES = 10.0
"""Most by which a change of a size of noise is extrapolated."""

_SETTLED, _OF_CHANCE = 0.02, 0.1
"""Relative change of a size of noise that ends its search, and that over its own deviation."""

_LEAST_MEMORY, _MOST_MEMORY = 0.2, 100.0
"""Bounds of the time in which lasting pushes fade, s."""

_MOST_NOTCH = 0.7
"""Longest step of the logarithm of that time."""

_INSENSITIVE = 0.2
"""Slope of the likelihood in that logarithm below which the time does not matter."""

_NO_PUSH = 1e-4
"""Degrees of freedom of pushes, as a share of their number, below which there are none."""

_LEAST_SHARE = 0.03
"""Share of these below which none is made smaller, as it could not show that it grows again."""

_LEAST_SCALE, _MOST_SCALE, _MOST_SCATTER = 0.1, 3000.0, 1.0
"""Bounds of the noise of readings over what is stated, and largest scatter: no pulse has more."""

_LEAST, _MOST = np.full(SIZES, -np.inf), np.full(SIZES, np.inf)
_MOST[2] = np.log(_MOST_SCATTER)
_LEAST[OF_READINGS:], _MOST[OF_READINGS:] = np.log([_LEAST_SCALE, _MOST_SCALE])
"""Bounds of the logarithms of all sizes."""

_FAR = 4.0
"""Deviations from which on a push or a reading counts less."""


def likelier_sizes(
    problem: Problem,
    sizes: NoiseSizes,
    solved: Solved,
    moves: list[Moves],
    steps: list[NDArray[np.float64]],
    before: NDArray[np.float64],
) -> tuple[NoiseSizes, NDArray[np.float64], bool]:
    """Return sizes of noise nearer to those of largest likelihood, and whether it is near.

    Between them the changes of their logarithms by the fixed point alone; where these shrink
    as a geometric series does, its sum is taken (Aitken's acceleration).
    """
    squares, counts = np.zeros(SIZES), np.zeros(SIZES)
    for index in range(len(problem.linear)):
        own = sums(problem, sizes, index, moves[index], steps[index])
        squares, counts = squares + own[0], counts + own[1]
    new, settled, changes = sizes.logarithms, True, np.zeros(SIZES)
    freedoms = counts - spent(problem, solved)
    if problem.earlier is not None:
        squares += problem.earlier.squares / np.exp(2.0 * sizes.logarithms)
        freedoms += problem.earlier.freedoms
    for place in np.flatnonzero(counts):
        freedom = freedoms[place]
        least = _NO_PUSH * counts[place]
        if freedom > least or squares[place] > freedom > 0.0:
            change = 0.5 * np.log(max(squares[place], 1e-12) / freedom)
            ratio = change / before[place] if before[place] else 0.0
            series = 1.0 / (1.0 - ratio) if 0.0 < ratio < 1.0 else 1.0
            changes[place] = change
            change *= min(series, _LONGEST_SERIES)
            lowest = 0.5 * np.log(_LEAST_SHARE * least / freedom)  # freedom goes with the square
            moved = new[place] + np.clip(change, max(min(lowest, 0.0), -1.5), 1.5)
            new[place] = np.clip(moved, _LEAST[place], _MOST[place])
            if new[place] != moved:  # at its bound it has settled
                change = new[place] - sizes.logarithms[place]
            settled &= bool(abs(change) < max(_SETTLED, _OF_CHANCE / np.sqrt(2.0 * freedom)))
    memory, steady = _likelier_memory(problem, sizes, solved)
    return replace(sizes.of(new), memory=memory), changes, settled and steady


def _likelier_memory(problem: Problem, sizes: NoiseSizes, solved: Solved) -> tuple[float, bool]:
    """Return a memory nearer to that of largest likelihood, and whether it is near.

    By a parabola through three of them.
    """
    shorter, longer = (problem.surprise(problem.solved(each)) for each in sizes.fading)
    slope, bend = 0.5 * (longer - shorter), longer + shorter - 2.0 * problem.surprise(solved)
    step = -NOTCH * slope / bend if bend > 0.0 else -np.sign(slope) * _MOST_NOTCH
    step = np.clip(step, -_MOST_NOTCH, _MOST_NOTCH)
    memory = float(np.clip(sizes.memory * np.exp(step), _LEAST_MEMORY, _MOST_MEMORY))
    steady = abs(np.log(memory / sizes.memory)) < 0.1 or abs(slope) < _INSENSITIVE
    return memory, bool(steady)


def spent(problem: Problem, solved: Solved) -> NDArray[np.float64]:
    """Return the degrees of freedom that rows of each size have lost to what is fitted, (8,)."""
    return sum(lost(problem, solved, index) for index in range(len(problem.linear)))


def sums(
    problem: Problem,
    sizes: NoiseSizes,
    index: int,
    moves: Moves,
    step: NDArray[np.float64],
    until: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sums of squares of a flight by size of noise, in deviations, and their numbers.

    Parameters
    ----------
    problem : Problem
        Rows.
    sizes : NoiseSizes
        Sizes of noise.
    index : int
        Flight.
    moves : tuple of ndarray
        Moves of its states and pushes.
    step : ndarray, shape (u,)
        Step of its unknowns.
    until : int, optional
        Segment before which they count; all by default.
    """
    squares, counts = np.zeros(SIZES), np.zeros(SIZES)
    rows, torques = problem.linear[index], np.array(problem.method.free) >= 3
    pushes = rows.pushes + moves[1][:, : problem.pushed]
    pushes = (pushes / problem.push_std(index, sizes))[:until]
    slow = problem.slow_steps(sizes, moves, index)
    slow = slow[: None if until is None else until + len(slow) - len(rows.seconds) + 1]
    for offset, white in ((0, pushes), (3, slow)):
        for place, own in ((offset, ~torques), (offset + 1, torques)):
            squares[place] += np.sum(white[:, own] ** 2)
            counts[place] += white[:, own].size
    scatter = rows.scatter + moves[0][:, problem.main + problem.pushed :] - sizes.usual_scatter
    begins = problem.begins(index)[: None if until is None else until + 1]
    squares[2] += np.sum(scatter[: len(begins)][begins] ** 2) / sizes.scatter**2
    counts[2] += begins.sum()
    edge = None if until is None else rows.row_edges[until]
    white = (problem.left(moves, step, index) / problem.row_std(index, sizes))[:edge]
    squares[OF_READINGS:] += np.bincount(rows.kind[:edge], white**2, len(READINGS))
    counts[OF_READINGS:] += np.bincount(rows.kind[:edge], minlength=len(READINGS))
    return squares, counts


def lost(
    problem: Problem, solved: Solved, index: int, until: int | None = None
) -> NDArray[np.float64]:
    """Return the degrees of freedom that rows of a flight have lost to what is fitted, (8,).

    Parameters
    ----------
    problem, index, until
        As for ``sums``.
    solved : Solved
        What is fitted.
    """
    found, torques = np.zeros(SIZES), np.array(problem.method.free) >= 3
    rows, (of_rows, of_pushes, of_states) = problem.linear[index], problem.leverages(solved, index)
    now, slow = np.split(of_pushes, 2, axis=1)
    first = of_states[:1, problem.main : problem.main + problem.pushed]
    for offset, part in ((0, now[:until]), (3, slow[:-1][:until]), (3, first)):
        found[offset] += np.sum(part[:, ~torques])
        found[offset + 1] += np.sum(part[:, torques])
    ahead, edge = (None, None) if until is None else (until + 1, rows.row_edges[until])
    found[2] = np.sum(of_states[:ahead, problem.main + problem.pushed :])
    found[OF_READINGS:] = np.bincount(rows.kind[:edge], of_rows[:edge], len(READINGS))
    return found


def reweighed(
    problem: Problem,
    sizes: NoiseSizes,
    moves: list[Moves],
    steps: list[NDArray[np.float64]],
) -> list[Weights]:
    """Return weights by which bumps and glitches count as little as they fit."""
    found = []
    for index, rows in enumerate(problem.linear):
        own = problem.weights[index]
        pushes = rows.pushes + moves[index][1][:, : problem.pushed]
        pushes /= problem.push_std(index, sizes)
        size = own[0] * np.sqrt(np.max(pushes**2, axis=1))
        white = problem.left(moves[index], steps[index], index)
        white /= problem.row_std(index, sizes)
        left = own[1] * np.abs(white)
        found.append((np.maximum(size / _FAR, 1.0), np.maximum(left / _FAR, 1.0) ** 2))
    return found

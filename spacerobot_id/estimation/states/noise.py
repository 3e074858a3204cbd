"""Sizes of noise that flights show: those of largest marginal likelihood, and robust weights.

Found by MacKay's fixed point (Bayesian interpolation, 1992): a sum of squares is shared out among
as many degrees of freedom as its rows have left.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.states.problem import Moves, Problem, Solved
from spacerobot_id.methods.blocks import FIXED, NoiseSizes, Weights

_LONGEST_SERIES = 10.0
"""Most by which a change of a size of noise is extrapolated."""

_SETTLED, _OF_CHANCE = 0.02, 0.1
"""Relative change of a size of noise that ends its search, and that over its own deviation."""

_LEAST_MEMORY, _MOST_MEMORY = 0.2, 100.0
"""Bounds of the time in which lasting disturbances fade, s."""

_NOTCH, _MOST_NOTCH = 0.3, 0.7
"""Step of the logarithm of that time that its likelihood is compared over, and the longest."""

_INSENSITIVE = 0.2
"""Slope of the likelihood in that logarithm below which the time does not matter."""

_NONE = 1e-4
"""Degrees of freedom of disturbances, as a share of their number, below which there are none."""

_LEAST_SHARE = 0.03
"""Share of these below which none is made smaller, as it could not show that it grows again."""

_FAR = 4.0
"""Deviations from which on a disturbance or a reading counts less."""


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
    count = len(sizes.kinds)
    squares, counts = np.zeros(count), np.zeros(count)
    for index in range(len(problem.blocks)):
        own = sums(problem, sizes, index, moves[index], steps[index])
        squares, counts = squares + own[0], counts + own[1]
    new, settled, changes = sizes.logarithms, True, np.zeros(count)
    freedoms = counts - taken(problem, solved)
    if problem.earlier is not None:
        squares += problem.earlier.squares / np.exp(2.0 * sizes.logarithms)
        freedoms += problem.earlier.freedoms
    for place in np.flatnonzero(counts):
        kind, freedom = sizes.kinds[place], freedoms[place]
        least = _NONE * counts[place]
        if freedom > least or squares[place] > freedom > 0.0:
            change = 0.5 * np.log(max(squares[place], 1e-12) / freedom)
            ratio = change / before[place] if before[place] else 0.0
            series = 1.0 / (1.0 - ratio) if 0.0 < ratio < 1.0 else 1.0
            changes[place] = change
            change *= min(series, _LONGEST_SERIES)
            lowest = 0.5 * np.log(_LEAST_SHARE * least / freedom)  # freedom goes with the square
            moved = new[place] + np.clip(change, max(min(lowest, 0.0), -1.5), 1.5)
            with np.errstate(divide='ignore'):  # a size without a bound
                new[place] = np.clip(moved, np.log(kind.least), np.log(kind.most))
            if new[place] != moved:  # at its bound it has settled
                change = new[place] - sizes.logarithms[place]
            settled &= bool(abs(change) < max(_SETTLED, _OF_CHANCE / np.sqrt(2.0 * freedom)))
    memory, steady = _likelier_memory(problem, sizes, solved)
    return replace(sizes, values=np.exp(new), memory=memory), changes, settled and steady


def _likelier_memory(
    problem: Problem, sizes: NoiseSizes, solved: Solved
) -> tuple[float | None, bool]:
    """Return a memory nearer to that of largest likelihood, and whether it is near.

    By a parabola through three of them.
    """
    if sizes.memory is None:
        return None, True
    memories = (sizes.memory * np.exp(step) for step in (-_NOTCH, _NOTCH))
    tried = (replace(sizes, memory=each) for each in memories)
    shorter, longer = (problem.surprise(problem.solved(each)) for each in tried)
    slope, bend = 0.5 * (longer - shorter), longer + shorter - 2.0 * problem.surprise(solved)
    step = -_NOTCH * slope / bend if bend > 0.0 else -np.sign(slope) * _MOST_NOTCH
    step = np.clip(step, -_MOST_NOTCH, _MOST_NOTCH)
    memory = float(np.clip(sizes.memory * np.exp(step), _LEAST_MEMORY, _MOST_MEMORY))
    steady = abs(np.log(memory / sizes.memory)) < 0.1 or abs(slope) < _INSENSITIVE
    return memory, bool(steady)


def sums(
    problem: Problem,
    sizes: NoiseSizes,
    index: int,
    moves: Moves,
    step: NDArray[np.float64],
    until: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sums of squares of a flight by kind of noise, in deviations, and their numbers.

    Parameters
    ----------
    problem : Problem
        Rows.
    sizes : NoiseSizes
        Sizes of noise.
    index : int
        Flight.
    moves : tuple of ndarray
        Moves of its states and disturbances.
    step : ndarray, shape (u,)
        Step of its unknowns.
    until : int, optional
        Segment before which they count; all by default.
    """
    blocks, noise = problem.blocks[index], problem.noise(index, sizes)
    states, own = moves
    squares, counts = np.zeros(len(sizes.kinds)), np.zeros(len(sizes.kinds))
    ahead, edge = (None, None) if until is None else (until + 1, blocks.row_edges[until])
    for terms, moved, last in (
        (noise.disturbances, own, until),
        (noise.beginnings, states, ahead),
    ):
        there = terms.kind != FIXED
        there[len(there) if last is None else last :] = False
        white = (terms.value[there] + moved[there]) / terms.std[there]
        squares += np.bincount(terms.kind[there], white**2, len(squares))
        counts += np.bincount(terms.kind[there], minlength=len(counts))
    white = (problem.left(moves, step, index) / problem.row_std(index, sizes))[:edge]
    kinds, read = blocks.kind[:edge], sizes.are_readings
    squares[read] += np.bincount(kinds, white**2, read.sum())
    counts[read] += np.bincount(kinds, minlength=read.sum())
    return squares, counts


def taken(problem: Problem, solved: Solved) -> NDArray[np.float64]:
    """Return the degrees of freedom of each kind that all that is fitted has taken, (k,)."""
    return sum(taken_of(problem, solved, index) for index in range(len(problem.blocks)))


def taken_of(
    problem: Problem, solved: Solved, index: int, until: int | None = None
) -> NDArray[np.float64]:
    """Return the degrees of freedom of each kind that a flight has lost to what is fitted, (k,).

    Parameters
    ----------
    problem, index, until
        As for ``sums``.
    solved : Solved
        What is fitted.
    """
    blocks, noise = problem.blocks[index], problem.noise(index, solved.sizes)
    found, of = np.zeros(len(solved.sizes.kinds)), problem.leverages(solved, index)
    ahead, edge = (None, None) if until is None else (until + 1, blocks.row_edges[until])
    for terms, leverages, last in (
        (noise.disturbances, of.disturbances, until),
        (noise.beginnings, of.beginnings, ahead),
    ):
        there = terms.kind != FIXED
        there[len(there) if last is None else last :] = False
        found += np.bincount(terms.kind[there], leverages[there], len(found))
    read = solved.sizes.are_readings
    found[read] += np.bincount(blocks.kind[:edge], of.rows[:edge], read.sum())
    return found


def reweighed(
    problem: Problem,
    sizes: NoiseSizes,
    moves: list[Moves],
    steps: list[NDArray[np.float64]],
) -> list[Weights]:
    """Return weights by which bumps and glitches count as little as they fit."""
    found = []
    for index, blocks in enumerate(problem.blocks):
        own, first = problem.weights[index], slice(blocks.bumps)
        terms = problem.noise(index, sizes).disturbances
        white = (terms.value + moves[index][1])[:, first] / terms.std[:, first]
        size = own[0] * np.sqrt(np.max(white**2, axis=1, initial=0.0))
        white = problem.left(moves[index], steps[index], index)
        white /= problem.row_std(index, sizes)
        left = own[1] * np.abs(white)
        found.append((np.maximum(size / _FAR, 1.0), np.maximum(left / _FAR, 1.0) ** 2))
    return found

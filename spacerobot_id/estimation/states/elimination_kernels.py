"""Elimination compiled: states and disturbances of segments, one by one, forwards and back."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled, compiled_part


@compiled
def eliminate(
    row_edges: NDArray[np.int64],
    rows: NDArray[np.float64],
    back: NDArray[np.float64],
    gaps: NDArray[np.float64],
    own_rows: NDArray[np.float64],
    state_rows: NDArray[np.float64],
    carried: NDArray[np.float64],
    tops: NDArray[np.float64],
    left: NDArray[np.float64],
) -> float:
    """Eliminate disturbances and states segment by segment by orthogonal transformations.

    What is known of a state goes on to the next one (Bierman, Factorization Methods for Discrete
    Sequential Estimation, 1977); what is left over speaks of the unknowns alone.

    Parameters
    ----------
    row_edges : ndarray of int, shape (G + 1,)
        Segment ``g`` has the rows ``row_edges[g]`` to ``row_edges[g + 1] - 1``.
    rows : ndarray, shape (K, v + n + u + 1)
        Readings in deviations of their noise: disturbances, state, unknowns, right-hand side.
    back : ndarray, shape (G - 1, n, v + n + u)
        What disturbances, next state and unknowns change of a state; shape (G, ...) where
        another segment follows the last.
    gaps : ndarray, shape (G - 1, n)
        What the state changes because the next one begins elsewhere; likewise.
    own_rows : ndarray, shape (G, v, 2)
        Reciprocal deviation of each disturbance, and the right-hand side of its row.
    state_rows : ndarray, shape (G, n, 2)
        Reciprocal deviation of what each state restarts with, and the right-hand side of its
        row; zero where nothing does, and for the first; with one row more for what follows.
    carried : ndarray, shape (n, v + n + u + 1)
        What is known of the first state; then what is known of the last, or of the one after it.
    tops : ndarray, shape (G, v + n, v + n + u + 1)
        Filled with the rows that disturbances and state follow from: of the last segment both, of
        the others the disturbances alone.
    left : ndarray, shape (K + A, u + 1)
        Filled with rows of the unknowns; A states restart after the first segment.

    Returns
    -------
    float
        Sum of twice the logarithms of the pivots.
    """
    segments, n = len(row_edges) - 1, state_rows.shape[1]
    v = own_rows.shape[1]
    width = rows.shape[1]
    pivots, filled, most = 0.0, 0, 0
    for segment in range(segments):
        most = max(most, row_edges[segment + 1] - row_edges[segment])
    room, products = np.empty((v + 2 * n + most, width)), np.empty(width)
    nonzero, is_kept = np.empty(len(room), dtype=np.int64), np.empty(n, dtype=np.bool_)
    of_state, u = np.empty(n), width - 1 - v - n
    for segment in range(segments):
        own = row_edges[segment + 1] - row_edges[segment]
        is_last = segment == len(back)
        count = v + n + own
        for k in range(v):
            for c in range(width - 1):
                room[k, c] = own_rows[segment, k, 0] if c == k else 0.0
            room[k, width - 1] = own_rows[segment, k, 1]
        for k in range(n):
            for c in range(width):
                room[v + k, c] = carried[k, c]
        for k in range(own):
            for c in range(width):
                room[v + n + k, c] = rows[row_edges[segment] + k, c]
        if not is_last:
            for k in range(n):
                is_kept[k] = back[segment, k, v + k] == 1.0
                for c in range(width - 1):
                    is_kept[k] &= back[segment, k, c] == 0.0 or c == v + k
            for i in range(v, count):
                for k in range(n):
                    of_state[k], room[i, v + k] = room[i, v + k], 0.0
                for k in range(n):
                    factor = of_state[k]
                    if factor == 0.0:
                        continue
                    if is_kept[k]:
                        room[i, v + k] += factor
                    else:
                        for c in range(width - 1):
                            room[i, c] += factor * back[segment, k, c]
                    room[i, width - 1] -= factor * gaps[segment, k]
            for k in range(n):
                if state_rows[segment + 1, k, 0] != 0.0:
                    for c in range(width):
                        room[count, c] = 0.0
                    room[count, v + k] = state_rows[segment + 1, k, 0]
                    room[count, width - 1] = state_rows[segment + 1, k, 1]
                    count += 1
        _triangularise(room, count, v + n, products, nonzero)
        pivoted = v + n if is_last else v
        for k in range(pivoted):
            for c in range(width):
                tops[segment, k, c] = room[k, c]
            pivots += 2.0 * np.log(abs(room[k, k]))
        for k in range(n):
            for c in range(width):
                carried[k, c] = room[v + k, c]
        for k in range(v + n, count):
            for c in range(u + 1):
                left[filled, c] = room[k, v + n + c]
            filled += 1
    return pivots


@compiled_part
def _triangularise(
    work: NDArray[np.float64],
    count: int,
    columns: int,
    products: NDArray[np.float64],
    nonzero: NDArray[np.int64],
) -> None:
    """Make the first columns of some rows upper triangular by Householder's reflections, in place.

    Rows that have nothing in a column are left out; there is room for the number of the others,
    and for a row.
    """
    width = work.shape[1]
    for pivot in range(columns):
        below, found = 0.0, 0
        for i in range(pivot + 1, count):
            if work[i, pivot] != 0.0:
                below += work[i, pivot] ** 2
                nonzero[found] = i
                found += 1
        if below == 0.0:
            continue
        norm = np.sqrt(work[pivot, pivot] ** 2 + below)
        head = -norm if work[pivot, pivot] > 0.0 else norm
        first = work[pivot, pivot] - head
        scale = -1.0 / (head * first)
        for c in range(pivot + 1, width):
            products[c] = first * work[pivot, c]
        whole = found - found % 4
        for k in range(0, whole, 4):  # four rows at once: the sums are read and written less
            a, b, d, e = nonzero[k], nonzero[k + 1], nonzero[k + 2], nonzero[k + 3]
            of_a, of_b, of_d, of_e = work[a, pivot], work[b, pivot], work[d, pivot], work[e, pivot]
            for c in range(pivot + 1, width):
                pair = of_a * work[a, c] + of_b * work[b, c]
                products[c] += pair + (of_d * work[d, c] + of_e * work[e, c])
        for k in range(whole, found):
            i = nonzero[k]
            element = work[i, pivot]
            for c in range(pivot + 1, width):
                products[c] += element * work[i, c]
        for c in range(pivot + 1, width):
            products[c] *= scale
            work[pivot, c] -= first * products[c]
        for k in range(0, whole, 4):
            a, b, d, e = nonzero[k], nonzero[k + 1], nonzero[k + 2], nonzero[k + 3]
            of_a, of_b, of_d, of_e = work[a, pivot], work[b, pivot], work[d, pivot], work[e, pivot]
            for c in range(pivot + 1, width):
                product = products[c]
                work[a, c] -= of_a * product
                work[b, c] -= of_b * product
                work[d, c] -= of_d * product
                work[e, c] -= of_e * product
        for k in range(whole, found):
            i = nonzero[k]
            element = work[i, pivot]
            for c in range(pivot + 1, width):
                work[i, c] -= element * products[c]
        for k in range(found):
            work[nonzero[k], pivot] = 0.0
        work[pivot, pivot] = head


@compiled
def spread_back(
    row_edges: NDArray[np.int64],
    rows: NDArray[np.float64],
    back: NDArray[np.float64],
    tops: NDArray[np.float64],
    root: NDArray[np.float64],
    known: NDArray[np.float64],
    slopes: NDArray[np.float64],
    of_rows: NDArray[np.float64],
    variances: NDArray[np.float64],
) -> None:
    """Fill in what is not known of readings, disturbances and states, from the last segment back.

    Disturbances and state are linear in the next state, the unknowns, and in noise of their own.

    Parameters
    ----------
    row_edges, rows, back, tops
        As ``eliminate`` has them, another segment after the last left out.
    root : ndarray, shape (u, r)
        Root of the covariance of the unknowns.
    known, slopes : ndarray, shapes (v + n, v + n), (v + n, u)
        Covariance of disturbances and state of the last segment, the unknowns known, and slopes
        in these; then those of the first.
    of_rows, variances : ndarray, shapes (K,), (G, v + n)
        Filled with the variances of what rows predict, and of disturbances and states.
    """
    segments, both = variances.shape
    n, u = back.shape[1], slopes.shape[1]
    v = both - n
    linear, sums = np.empty((both, n + u + v)), np.empty(both)
    passed, onward, seen = np.empty((both, n)), np.empty((n, n)), np.empty((n, u))
    across, moved, room = np.empty((n + v, both)), np.empty(u), np.empty(root.shape[1])
    for segment in range(segments - 1, -1, -1):
        if segment < segments - 1:
            _one_back(back[segment], tops[segment], linear)
            for k in range(n):
                for c in range(n):
                    onward[k, c] = known[v + k, v + c]
                for c in range(u):
                    seen[k, c] = slopes[v + k, c]
            for i in range(both):
                for c in range(n):
                    passed[i, c] = 0.0
                for c in range(u):
                    slopes[i, c] = linear[i, n + c]
                for c in range(both):
                    known[i, c] = 0.0
                for k in range(n):
                    factor = linear[i, k]
                    if factor != 0.0:
                        for c in range(n):
                            passed[i, c] += factor * onward[k, c]
                        for c in range(u):
                            slopes[i, c] += factor * seen[k, c]
                for k in range(n):
                    across[k, i] = linear[i, k]
                for k in range(v):
                    across[n + k, i] = linear[i, n + u + k]
            for i in range(both):  # element by element of a row: the sums are of several at once
                for k in range(n):
                    for c in range(both):
                        known[i, c] += passed[i, k] * across[k, c]
                for k in range(n, n + v):
                    factor = across[k, i]
                    if factor != 0.0:
                        for c in range(both):
                            known[i, c] += factor * across[k, c]
        for i in range(both):
            variances[segment, i] = known[i, i] + _square(slopes[i], root, room)
        for i in range(row_edges[segment], row_edges[segment + 1]):
            for c in range(both):
                sums[c] = 0.0
            for c in range(u):
                moved[c] = rows[i, both + c]
            for k in range(both):
                factor = rows[i, k]
                if factor != 0.0:
                    for c in range(both):
                        sums[c] += factor * known[k, c]
                    for c in range(u):
                        moved[c] += factor * slopes[k, c]
            of_rows[i] = _square(moved, root, room)
            for k in range(both):
                of_rows[i] += sums[k] * rows[i, k]


@compiled_part
def _one_back(
    back: NDArray[np.float64], top: NDArray[np.float64], linear: NDArray[np.float64]
) -> None:
    """Fill in disturbances and state of a segment by next state, unknowns and own noise."""
    n, width = back.shape[0], linear.shape[1]
    v = len(linear) - n
    rest = width - v
    for i in range(v - 1, -1, -1):
        for c in range(rest):
            linear[i, c] = -top[i, v + c]
        for c in range(v):
            linear[i, rest + c] = 1.0 if c == i else 0.0
        for k in range(i + 1, v):
            factor = top[i, k]
            if factor != 0.0:
                for c in range(width):
                    linear[i, c] -= factor * linear[k, c]
        for c in range(width):
            linear[i, c] /= top[i, i]
    for i in range(n):
        for c in range(rest):
            linear[v + i, c] = back[i, v + c]
        for c in range(rest, width):
            linear[v + i, c] = 0.0
        for k in range(v):
            factor = back[i, k]
            if factor != 0.0:
                for c in range(width):
                    linear[v + i, c] += factor * linear[k, c]


@compiled_part
def _square(
    slope: NDArray[np.float64], root: NDArray[np.float64], room: NDArray[np.float64]
) -> float:
    """Return the variance that a slope in the unknowns makes of their root of covariance."""
    for c in range(len(room)):
        room[c] = 0.0
    for k in range(len(slope)):
        factor = slope[k]
        if factor != 0.0:
            for c in range(len(room)):
                room[c] += factor * root[k, c]
    total = 0.0
    for c in range(len(room)):
        total += room[c] * room[c]
    return total

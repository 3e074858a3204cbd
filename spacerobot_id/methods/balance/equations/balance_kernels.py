"""Momentum balance compiled: states shot through segments, and eliminated one by one.

A state is the position of the base (m) and its attitude quaternion x y z w, then the system's
linear momentum (kg m/s) and its angular momentum about the inertial origin (kg m^2/s), both in
inertial axes.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled, compiled_part
from spacerobot_id.multibody.kernels.rigid_body_step import mean_slope, stage_share, STAGES
from spacerobot_id.multibody.kernels.small_vectors import (
    add,
    conjugate,
    cross,
    quaternion_rate,
    scale,
    subtract,
    turned,
)

STATE_SIZE = 13


@compiled
def shoot(
    edges: NDArray[np.int64],
    steps: NDArray[np.float64],
    inverse: NDArray[np.float64],
    carried: NDArray[np.float64],
    com: NDArray[np.float64],
    body_wrench: NDArray[np.float64],
    world_wrench: NDArray[np.float64],
    pushes: NDArray[np.float64],
    drag: float,
    freedom: NDArray[np.float64],
    states: NDArray[np.float64],
    nodes: NDArray[np.float64],
    middles: NDArray[np.float64],
    ends: NDArray[np.float64],
) -> None:
    """Integrate every segment from its state by Runge and Kutta's fourth-order rule.

    Parameters
    ----------
    edges : ndarray of int, shape (G + 1,)
        Segment ``g`` has the steps ``edges[g]`` to ``edges[g + 1] - 1``.
    steps : ndarray, shape (M,)
        Lengths of the steps, s.
    inverse, carried, com : ndarray, shapes (2 M + 1, 6, 6), (2 M + 1, 6), (2 M + 1, 3)
        Inverse of the base's momentum matrix, momentum of joints and wheels with the base at
        rest, and centre of mass, in base axes, at the ends and middles of the steps.
    body_wrench, world_wrench : ndarray, shape (M, 6)
        Mean wrench about the base's origin within each step, in base and in inertial axes.
    pushes : ndarray, shape (G, 6)
        Force at, and torque about, the system's centre of mass in inertial axes, by segment.
    drag : float
        Force against the linear momentum, 1/s.
    freedom : ndarray, shape (6,)
        One for each component of the twist that is free, zero for the others.
    states : ndarray, shape (G, 13)
        States where the segments begin.
    nodes, middles, ends : ndarray, shapes (M + 1, 13), (M, 13), (G, 13)
        Filled with the states at the beginnings and middles of steps and the ends of segments.
    """
    # Element by element: numba takes seconds to compile an assignment of one array to another.
    slopes, stage = np.empty((STAGES, STATE_SIZE)), np.empty(STATE_SIZE)
    for segment in range(len(states)):
        state = ends[segment]
        for k in range(STATE_SIZE):
            state[k] = states[segment, k]
        for step in range(edges[segment], edges[segment + 1]):
            for k in range(STATE_SIZE):
                nodes[step, k] = state[k]
            h = steps[step]
            for order in range(STAGES):
                at = 2 * step + (order + 1) // 2
                ahead = h * stage_share(order)
                for k in range(STATE_SIZE):
                    slope = ahead * slopes[order - 1, k] if order else 0.0
                    stage[k] = state[k] + slope
                _slope(
                    stage,
                    inverse[at],
                    carried[at],
                    com[at],
                    body_wrench[step],
                    world_wrench[step],
                    pushes[segment],
                    drag,
                    freedom,
                    slopes[order],
                )
            for k in range(STATE_SIZE):
                after = state[k] + h * mean_slope(slopes, k)
                middles[step, k] = 0.5 * (state[k] + after) + h / 8.0 * (
                    slopes[0, k] - slopes[3, k]
                )
                state[k] = after
            _normalise(state)
            _normalise(middles[step])
    for k in range(STATE_SIZE):
        nodes[len(steps), k] = ends[len(states) - 1, k]


@compiled_part
def _normalise(state: NDArray[np.float64]) -> None:
    """Give the quaternion unit length."""
    norm = np.sqrt(state[3] ** 2 + state[4] ** 2 + state[5] ** 2 + state[6] ** 2)
    for k in range(3, 7):
        state[k] /= norm


@compiled_part
def _slope(
    state: NDArray[np.float64],
    inverse: NDArray[np.float64],
    carried: NDArray[np.float64],
    com: NDArray[np.float64],
    body_wrench: NDArray[np.float64],
    world_wrench: NDArray[np.float64],
    push: NDArray[np.float64],
    drag: float,
    freedom: NDArray[np.float64],
    slope: NDArray[np.float64],
) -> None:
    """Fill in the time derivative of a state."""
    quaternion = state[3], state[4], state[5], state[6]
    back = conjugate(quaternion)
    r, P = (state[0], state[1], state[2]), (state[7], state[8], state[9])
    about = subtract((state[10], state[11], state[12]), cross(r, P))
    linear, angular = turned(back, P), turned(back, about)
    twist = slope[:6]
    for i in range(6):
        twist[i] = 0.0
        for j in range(3):
            twist[i] += inverse[i, j] * freedom[j] * (linear[j] - carried[j])
            twist[i] += inverse[i, 3 + j] * freedom[3 + j] * (angular[j] - carried[3 + j])
    speed, turning = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    slope[0], slope[1], slope[2] = turned(quaternion, speed)
    slope[3], slope[4], slope[5], slope[6] = quaternion_rate(quaternion, turning)
    force = add(turned(quaternion, _first(body_wrench)), _first(world_wrench))
    torque = add(turned(quaternion, _last(body_wrench)), _last(world_wrench))
    lever = add(r, turned(quaternion, (com[0], com[1], com[2])))
    pushed = subtract(_first(push), scale(drag, P))
    slope[7], slope[8], slope[9] = add(force, pushed)
    of_wrench = add(torque, cross(r, force))
    slope[10], slope[11], slope[12] = add(of_wrench, add(_last(push), cross(lever, pushed)))


@compiled_part
def _first(a):  # noqa: ANN001, ANN202  numba infers the types of tuples
    """Return the first three of six numbers."""
    return a[0], a[1], a[2]


@compiled_part
def _last(a):  # noqa: ANN001, ANN202  numba infers the types of tuples
    """Return the last three of six numbers."""
    return a[3], a[4], a[5]


@compiled
def accumulate(
    edges: NDArray[np.int64],
    steps: NDArray[np.float64],
    of_state: NDArray[np.float64],
    of_held: NDArray[np.float64],
    of_push: NDArray[np.float64],
    of_unknowns: NDArray[np.float64],
    read_at: NDArray[np.int64],
    of_reading: NDArray[np.float64],
    rows: NDArray[np.float64],
    ends: NDArray[np.float64],
) -> None:
    """Chain the steps of each segment, and take the rows of readings back to where it begins.

    Slopes go over a step by the implicit rule of the middle; T components of a state are held.

    Parameters
    ----------
    edges : ndarray of int, shape (G + 1,)
        Segments.
    steps : ndarray, shape (M,)
        Lengths of the steps, s.
    of_state, of_held, of_push, of_unknowns : ndarray, shapes (M, m, m | T | p | u)
        Slopes of the derivative of the m other components of a state in these, in those held, in
        push and unknowns.
    read_at : ndarray of int, shape (K,)
        Node of each row, ascending; at the first node of a segment, of that segment.
    of_reading : ndarray, shape (K, n)
        What the state at that node, n = m + T, changes of the reading.
    rows : ndarray, shape (K, v + n + u + 1)
        Columns of push and of changes of what is held, v = p + T, of the state, the unknowns and
        the misfit; those of the unknowns hold what these change of the reading
        themselves, the last column the misfit.
    ends : ndarray, shape (G, n, v + n + u)
        Filled with what the unknowns of each segment change at its end.
    """
    m, held = of_held.shape[1:]
    pushed, u = of_push.shape[2], of_unknowns.shape[2]
    n, v = m + held, pushed + held
    width = v + n + u
    place = 0
    after, side = np.empty((m, width)), np.empty((m, m))
    for segment in range(len(edges) - 1):
        chain = ends[segment]
        for k in range(n):
            for c in range(width):
                chain[k, c] = 1.0 if c == v + k else 0.0
        is_last = segment == len(edges) - 2
        for step in range(edges[segment], edges[segment + 1] + 1):
            if step == edges[segment + 1] and not is_last:
                break
            while place < len(read_at) and read_at[place] == step:
                for k in range(n):
                    factor = of_reading[place, k]
                    if factor != 0.0:
                        for c in range(width):
                            rows[place, c] += factor * chain[k, c]
                place += 1
            if step == edges[segment + 1]:
                break
            h = steps[step]
            for i in range(m):
                for c in range(width):
                    after[i, c] = chain[i, c]
                for k in range(m):
                    half = 0.5 * h * of_state[step, i, k]
                    side[i, k] = -half
                    if half != 0.0:
                        for c in range(width):
                            after[i, c] += half * chain[k, c]
                side[i, i] += 1.0
                for c in range(pushed):
                    after[i, c] += h * of_push[step, i, c]
                for c in range(held):
                    after[i, v + m + c] += h * of_held[step, i, c]
                for c in range(u):
                    after[i, v + n + c] += h * of_unknowns[step, i, c]
            _solve(side, after)
            for i in range(m):
                for c in range(width):
                    chain[i, c] = after[i, c]


@compiled_part
def _solve(matrix: NDArray[np.float64], sides: NDArray[np.float64]) -> None:
    """Solve linear equations in place; the matrix is near to unity, and no pivot is looked for."""
    size, width = sides.shape
    for pivot in range(size):
        for i in range(pivot + 1, size):
            factor = matrix[i, pivot] / matrix[pivot, pivot]
            if factor != 0.0:
                for k in range(pivot + 1, size):
                    matrix[i, k] -= factor * matrix[pivot, k]
                for c in range(width):
                    sides[i, c] -= factor * sides[pivot, c]
    for pivot in range(size - 1, -1, -1):
        for k in range(pivot + 1, size):
            factor = matrix[pivot, k]
            if factor != 0.0:
                for c in range(width):
                    sides[pivot, c] -= factor * sides[k, c]
        inverse = 1.0 / matrix[pivot, pivot]
        for c in range(width):
            sides[pivot, c] *= inverse


@compiled
def eliminate(
    row_edges: NDArray[np.int64],
    rows: NDArray[np.float64],
    back: NDArray[np.float64],
    gaps: NDArray[np.float64],
    push_rows: NDArray[np.float64],
    state_rows: NDArray[np.float64],
    carried: NDArray[np.float64],
    tops: NDArray[np.float64],
    left: NDArray[np.float64],
) -> float:
    """Eliminate pushes and states segment by segment by orthogonal transformations.

    What is known of a state goes on to the next one (Bierman, Factorization Methods for Discrete
    Sequential Estimation, 1977); what is left over speaks of the unknowns alone.

    Parameters
    ----------
    row_edges : ndarray of int, shape (G + 1,)
        Segment ``g`` has the rows ``row_edges[g]`` to ``row_edges[g + 1] - 1``.
    rows : ndarray, shape (K, v + n + u + 1)
        Readings in deviations of their noise: push, state, unknowns, right-hand side.
    back : ndarray, shape (G - 1, n, v + n + u)
        What push, next state and unknowns change of a state; shape (G, ...) where another segment
        follows the last.
    gaps : ndarray, shape (G - 1, n)
        What the state changes because the next one begins elsewhere; likewise.
    push_rows : ndarray, shape (G, v, 2)
        Reciprocal deviation of each push, and the right-hand side of its row.
    state_rows : ndarray, shape (G, n, 2)
        Reciprocal deviation of what each state restarts with, and the right-hand side of its
        row; zero where nothing does, and for the first; with one row more for what follows.
    carried : ndarray, shape (n, v + n + u + 1)
        What is known of the first state; then what is known of the last, or of the one after it.
    tops : ndarray, shape (G, v + n, v + n + u + 1)
        Filled with the rows that push and state follow from: of the last segment both, of the
        others the push alone.
    left : ndarray, shape (K + A, u + 1)
        Filled with rows of the unknowns; A states restart after the first segment.

    Returns
    -------
    float
        Sum of twice the logarithms of the pivots.
    """
    segments, n = len(row_edges) - 1, state_rows.shape[1]
    v = push_rows.shape[1]
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
                room[k, c] = push_rows[segment, k, 0] if c == k else 0.0
            room[k, width - 1] = push_rows[segment, k, 1]
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
    """Fill in what is not known of readings, pushes and states, from the last segment back.

    Push and state are linear in the next state, the unknowns, and in noise of their own.

    Parameters
    ----------
    row_edges, rows, back, tops
        As ``eliminate`` has them, another segment after the last left out.
    root : ndarray, shape (u, r)
        Root of the covariance of the unknowns.
    known, slopes : ndarray, shapes (v + n, v + n), (v + n, u)
        Covariance of push and state of the last segment, the unknowns known, and slopes in these;
        then those of the first.
    of_rows, variances : ndarray, shapes (K,), (G, v + n)
        Filled with the variances of what rows predict, and of pushes and states.
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
    """Fill in push and state of a segment by next state (n), unknowns (u) and own noise (v)."""
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

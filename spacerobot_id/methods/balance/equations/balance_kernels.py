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
    disturbance: NDArray[np.float64],
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
    disturbance : ndarray, shape (G, 6)
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
                    disturbance[segment],
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
    disturbance: NDArray[np.float64],
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
    velocity, angular_velocity = _first(twist), _last(twist)
    slope[0], slope[1], slope[2] = turned(quaternion, velocity)
    slope[3], slope[4], slope[5], slope[6] = quaternion_rate(quaternion, angular_velocity)
    force = add(turned(quaternion, _first(body_wrench)), _first(world_wrench))
    torque = add(turned(quaternion, _last(body_wrench)), _last(world_wrench))
    lever = add(r, turned(quaternion, (com[0], com[1], com[2])))
    outside = subtract(_first(disturbance), scale(drag, P))
    slope[7], slope[8], slope[9] = add(force, outside)
    of_wrench = add(torque, cross(r, force))
    slope[10], slope[11], slope[12] = add(
        of_wrench, add(_last(disturbance), cross(lever, outside))
    )


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
    of_disturbance: NDArray[np.float64],
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
    of_state, of_held, of_disturbance, of_unknowns : ndarray, shapes (M, m, m | T | p | u)
        Slopes of the derivative of the m other components of a state in these, in those held, in
        disturbance and unknowns.
    read_at : ndarray of int, shape (K,)
        Node of each row, ascending; at the first node of a segment, of that segment.
    of_reading : ndarray, shape (K, n)
        What the state at that node, n = m + T, changes of the reading.
    rows : ndarray, shape (K, v + n + u + 1)
        Columns of disturbance and of changes of what is held, v = p + T, of the state, the
        unknowns and the misfit; those of the unknowns hold what these change of the reading
        themselves, the last column the misfit.
    ends : ndarray, shape (G, n, v + n + u)
        Filled with what the unknowns of each segment change at its end.
    """
    m, held = of_held.shape[1:]
    p, u = of_disturbance.shape[2], of_unknowns.shape[2]
    n, v = m + held, p + held
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
                for c in range(p):
                    after[i, c] += h * of_disturbance[step, i, c]
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

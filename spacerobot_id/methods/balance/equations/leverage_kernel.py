"""Leverages of the rows of a flight, compiled.

States and pushes are known from the last segment back (Rauch, Tung and Striebel, Maximum
likelihood estimates of linear dynamic systems, 1965), given the unknowns; these add their part.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled, compiled_part


@compiled
def leverages(
    row_edges: NDArray[np.int64],
    rows: NDArray[np.float64],
    back: NDArray[np.float64],
    push_rows: NDArray[np.float64],
    state_rows: NDArray[np.float64],
    tops: NDArray[np.float64],
    root: NDArray[np.float64],
    of_rows: NDArray[np.float64],
    of_pushes: NDArray[np.float64],
    of_states: NDArray[np.float64],
) -> None:
    """Find the variance of what each row of unit noise predicts, all data known.

    Parameters
    ----------
    row_edges, rows, back, push_rows, state_rows, tops
        As ``eliminate`` has them.
    root : ndarray, shape (u, r)
        Root of the covariance of the unknowns.
    of_rows, of_pushes, of_states : ndarray, shapes (K,), (G, c), (G, n)
        Filled with the leverages of readings, of the first c pushes and of beginning states.
    """
    segments, v, _ = push_rows.shape
    n, u, c = state_rows.shape[1], len(root), of_pushes.shape[1]
    both = v + n
    known, slopes = np.empty((both, both)), np.empty((both, u))
    state, of_state = np.empty((n, n)), np.empty((n, u))
    triangle, inverse = np.empty((v, v)), np.empty((v, v))
    ahead, behind = np.empty((v, n + u)), np.empty((n, n + u))
    among, across, noise = np.empty((v, n)), np.empty((n, n)), np.empty((n, v))
    seen = np.empty(both)
    for segment in range(segments - 1, -1, -1):
        top = tops[segment]
        if segment == segments - 1:
            whole = np.eye(both)
            _solve_upper(top[:, :both].copy(), whole)
            known[:] = 0.0
            _add_product(known, whole, whole.T.copy())
            slopes[:] = -top[:, both : both + u]
            _solve_upper(top[:, :both].copy(), slopes)
        else:
            triangle[:] = top[:v, :v]
            inverse[:] = 0.0
            for k in range(v):
                inverse[k, k] = 1.0
            _solve_upper(triangle, inverse)
            ahead[:] = -top[:v, v : v + n + u]
            _solve_upper(triangle, ahead)
            of_push = back[segment, :, :v].copy()
            behind[:] = back[segment, :, v:]  # the state by next one and unknowns, pushes put in
            _add_product(behind, of_push, ahead)
            noise[:] = 0.0
            _add_product(noise, of_push, inverse)
            onward, backward = ahead[:, :n].copy(), behind[:, :n].copy()
            among[:] = 0.0
            _add_product(among, onward, state)
            across[:] = 0.0
            _add_product(across, backward, state)
            known[:] = 0.0
            _add_product(known[:v, :v], inverse, inverse.T.copy())
            _add_product(known[:v, :v], among, onward.T.copy())
            _add_product(known[v:, :v], noise, inverse.T.copy())
            _add_product(known[v:, :v], across, onward.T.copy())
            _add_product(known[v:, v:], noise, noise.T.copy())
            _add_product(known[v:, v:], across, backward.T.copy())
            known[:v, v:] = known[v:, :v].T
            slopes[:v], slopes[v:] = ahead[:, n:], behind[:, n:]
            _add_product(slopes[:v], onward, of_state)
            _add_product(slopes[v:], backward, of_state)
        state[:], of_state[:] = known[v:, v:], slopes[v:]
        for k in range(c):
            scale = push_rows[segment, k, 0]
            if scale != 0.0:
                variance = known[k, k] + _spread(slopes[k], root)
                of_pushes[segment, k] = scale**2 * variance
        for k in range(n):
            scale = state_rows[segment, k, 0]
            if scale != 0.0:
                variance = known[v + k, v + k] + _spread(slopes[v + k], root)
                of_states[segment, k] = scale**2 * variance
        for row in range(row_edges[segment], row_edges[segment + 1]):
            slope = rows[row, both : both + u].copy()
            seen[:] = 0.0
            for i in range(both):
                factor = rows[row, i]
                if factor != 0.0:
                    for j in range(both):
                        seen[j] += factor * known[i, j]
                    for j in range(u):
                        slope[j] += factor * slopes[i, j]
            total = 0.0
            for j in range(both):
                total += rows[row, j] * seen[j]
            of_rows[row] = total + _spread(slope, root)


@compiled_part
def _spread(slope: NDArray[np.float64], root: NDArray[np.float64]) -> float:
    """Return the variance that the unknowns make of something with a slope in them."""
    parts = np.zeros(root.shape[1])
    for i in range(len(slope)):
        factor = slope[i]
        if factor != 0.0:
            for j in range(len(parts)):
                parts[j] += factor * root[i, j]
    total = 0.0
    for j in range(len(parts)):
        total += parts[j] ** 2
    return total


@compiled_part
def _add_product(to: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]) -> None:
    """Add a product of matrices to another."""
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            factor = a[i, k]
            if factor != 0.0:
                for j in range(b.shape[1]):
                    to[i, j] += factor * b[k, j]


@compiled_part
def _solve_upper(triangle: NDArray[np.float64], sides: NDArray[np.float64]) -> None:
    """Solve linear equations with an upper triangular matrix in place."""
    for i in range(len(triangle) - 1, -1, -1):
        for k in range(i + 1, len(triangle)):
            factor = triangle[i, k]
            if factor != 0.0:
                for c in range(sides.shape[1]):
                    sides[i, c] -= factor * sides[k, c]
        over = 1.0 / triangle[i, i]
        for c in range(sides.shape[1]):
            sides[i, c] *= over

"""States, pushes and leverages of a flight, once the unknowns are known.

States and pushes are known from the last segment back (Rauch, Tung and Striebel, Maximum
likelihood estimates of linear dynamic systems, 1965), given the unknowns. Arguments are those of
``eliminate``: where another segment follows the last, what goes on to it is not looked at.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular


def substitute(
    tops: NDArray[np.float64],
    back: NDArray[np.float64],
    gaps: NDArray[np.float64],
    step: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the moves of states (G, n) and pushes (G, v) with a step of the unknowns (u,)."""
    segments, both, _ = tops.shape
    n = back.shape[1]
    v, back, gaps = both - n, back[: segments - 1], gaps[: segments - 1]
    known = tops[:, :, -1] - tops[:, :, both:-1] @ step
    sides = np.concatenate([-tops[:-1, :v, v:both], known[:-1, :v, None]], axis=2)
    of_push = np.linalg.solve(tops[:-1, :v, :v], sides)  # by next state, and what is constant
    of_state = back[:, :, :v] @ of_push
    of_state[:, :, :n] += back[:, :, v:both]
    of_state[:, :, n] += gaps + back[:, :, both:] @ step
    states, pushes = np.empty((segments, n)), np.empty((segments, v))
    last = solve_triangular(tops[-1, :, :both], known[-1])
    pushes[-1], states[-1] = last[:v], last[v:]
    for segment in range(segments - 2, -1, -1):
        states[segment] = of_state[segment, :, :n] @ states[segment + 1] + of_state[segment, :, n]
    pushes[:-1] = np.einsum('gij,gj->gi', of_push[:, :, :n], states[1:]) + of_push[:, :, n]
    return states, pushes


def leverages(
    row_edges: NDArray[np.int64],
    rows: NDArray[np.float64],
    back: NDArray[np.float64],
    push_rows: NDArray[np.float64],
    state_rows: NDArray[np.float64],
    tops: NDArray[np.float64],
    root: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the variance of what each row of unit noise predicts, all data known.

    Parameters
    ----------
    row_edges, rows, back, push_rows, state_rows, tops
        As ``eliminate`` has them.
    root : ndarray, shape (u, r)
        Root of the covariance of the unknowns.

    Returns
    -------
    tuple of ndarray
        Leverages of readings (K,), of pushes (G, v) and of beginning states (G, n).
    """
    from spacerobot_id.methods.balance.equations.balance_kernels import spread_back  # compiles

    both = tops.shape[1]
    sides = np.hstack([np.eye(both), -tops[-1, :, both:-1]])
    push, slopes = np.split(solve_triangular(tops[-1, :, :both], sides), [both], axis=1)
    of_rows, variances = np.empty(len(rows)), np.empty((len(tops), both))
    parts = (np.ascontiguousarray(each) for each in (root, push @ push.T, slopes))
    spread_back(row_edges, rows, back, tops, *parts, of_rows, variances)
    weights = np.hstack([push_rows[:, :, 0], state_rows[: len(tops), :, 0]]) ** 2
    return of_rows, *np.split(weights * variances, [push_rows.shape[1]], axis=1)

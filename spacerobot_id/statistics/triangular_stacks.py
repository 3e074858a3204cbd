"""Stacks of small lower triangles, such as roots of covariances of many samples, solved at once.

A loop over the few rows works on all samples; LAPACK would be called for each, and not know that
half of each matrix is zero.
"""

import numpy as np
from numpy.typing import NDArray


def solved_lower(lower: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the solutions of ``L x = b`` by forward substitution.

    Parameters
    ----------
    lower : ndarray, shape (N, k, k)
        Lower triangles; nothing above their diagonals is looked at.
    right : ndarray, shape (N, k) or (N, k, c)
        Right-hand sides.

    Returns
    -------
    ndarray
        Solutions, of the shape of the right-hand sides.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a triangle is singular.
    """
    rows = np.ascontiguousarray(np.moveaxis(lower, 0, -1))
    solved = np.array(np.moveaxis(right, 0, -1), dtype=float, order='C')
    for row in range(len(rows)):
        if not rows[row, row].all():
            raise np.linalg.LinAlgError('the root of a covariance is singular')
        for other in range(row):
            solved[row] -= rows[row, other] * solved[other]
        solved[row] /= rows[row, row]
    return np.ascontiguousarray(np.moveaxis(solved, -1, 0))


def inverse_lower(lower: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverses of lower triangles, shape (N, k, k); see ``solved_lower``."""
    unit = np.broadcast_to(np.eye(lower.shape[-1]), lower.shape)
    return solved_lower(lower, unit)

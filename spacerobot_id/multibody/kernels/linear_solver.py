"""Small linear systems without allocations, compiled."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled_part


@compiled_part
def solve_general(matrix: NDArray[np.float64], vector: NDArray[np.float64]) -> None:
    """Solve a system in place by elimination with row pivots; the matrix is overwritten.

    Parameters
    ----------
    matrix : ndarray, shape (m, m)
        Matrix.
    vector : ndarray, shape (m,)
        Right-hand side in, solution out; not finite where the matrix is singular.
    """
    size = len(vector)
    for column in range(size):
        best = column
        for row in range(column + 1, size):
            if abs(matrix[row, column]) > abs(matrix[best, column]):
                best = row
        if best != column:
            vector[column], vector[best] = vector[best], vector[column]
            for other in range(size):
                held = matrix[column, other]
                matrix[column, other] = matrix[best, other]
                matrix[best, other] = held
        for row in range(column + 1, size):
            factor = matrix[row, column] / matrix[column, column]
            for other in range(column, size):
                matrix[row, other] -= factor * matrix[column, other]
            vector[row] -= factor * vector[column]
    for row in range(size - 1, -1, -1):
        for other in range(row + 1, size):
            vector[row] -= matrix[row, other] * vector[other]
        vector[row] /= matrix[row, row]


@compiled_part
def solve_definite(matrix: NDArray[np.float64], vector: NDArray[np.float64]) -> int:
    """Solve a symmetric positive definite system in place; the lower triangle is overwritten.

    Rows are eliminated from the last to the first (Featherstone, Rigid Body Dynamics Algorithms,
    2008, section 6.5): pivots are articulated inertias, and branches that do not meet stay apart.

    Parameters
    ----------
    matrix : ndarray, shape (m, m)
        Matrix.
    vector : ndarray, shape (m,)
        Right-hand side in, solution out.

    Returns
    -------
    int
        -1, or the row whose pivot is not positive.
    """
    size = len(vector)
    for k in range(size - 1, -1, -1):
        if matrix[k, k] <= 0.0:
            return k
        for row in range(k - 1, -1, -1):
            share = matrix[k, row] / matrix[k, k]
            if share != 0.0:
                for column in range(row + 1):
                    matrix[row, column] -= share * matrix[k, column]
                vector[row] -= share * vector[k]
                matrix[k, row] = share
    for row in range(size):
        vector[row] /= matrix[row, row]
        for column in range(row):
            vector[row] -= matrix[row, column] * vector[column]
    return -1

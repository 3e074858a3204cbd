"""Vectors and matrices of three as tuples, for compiled kernels: they live in registers.

A vector is ``(x, y, z)``; axes are the three columns of a rotation matrix; a symmetric matrix is
``(xx, yy, zz, xy, yz, zx)``, in the order of the link parameters; any other matrix is three rows.
"""

from math import atan2, sqrt

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


# ruff: noqa: ANN001, ANN201  numba infers the types of tuples


@compiled_part
def take(array, k, first):
    """Return three elements of a row of an array, from some column on, as a vector."""
    return array[k, first], array[k, first + 1], array[k, first + 2]


@compiled_part
def put(array, k, first, vector):
    """Write a vector into a row of an array, from some column on."""
    array[k, first] = vector[0]
    array[k, first + 1] = vector[1]
    array[k, first + 2] = vector[2]


@compiled_part
def increase(array, k, first, vector):
    """Add a vector to a row of an array, from some column on."""
    array[k, first] += vector[0]
    array[k, first + 1] += vector[1]
    array[k, first + 2] += vector[2]


@compiled_part
def take_symmetric(array, k, first):
    """Return six elements of a row of an array, from some column on, as a symmetric matrix."""
    return (
        array[k, first],
        array[k, first + 1],
        array[k, first + 2],
        array[k, first + 3],
        array[k, first + 4],
        array[k, first + 5],
    )


@compiled_part
def put_symmetric(array, k, first, s):
    """Write a symmetric matrix into a row of an array, from some column on."""
    put(array, k, first, (s[0], s[1], s[2]))
    put(array, k, first + 3, (s[3], s[4], s[5]))


@compiled_part
def add(a, b):
    """Return the sum of two vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compiled_part
def subtract(a, b):
    """Return the difference of two vectors."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@compiled_part
def scale(factor, a):
    """Return a vector times a number."""
    return factor * a[0], factor * a[1], factor * a[2]


@compiled_part
def dot(a, b):
    """Return the scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled_part
def cross(a, b):
    """Return the vector product of two vectors."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@compiled_part
def combine(axes, a):
    """Return the sum of three axes, each times a component: a matrix of columns times a."""
    x, y, z = axes
    return (
        x[0] * a[0] + y[0] * a[1] + z[0] * a[2],
        x[1] * a[0] + y[1] * a[1] + z[1] * a[2],
        x[2] * a[0] + y[2] * a[1] + z[2] * a[2],
    )


@compiled_part
def project(rows, a):
    """Return the scalar product of each of three rows with a vector: a matrix of rows times a."""
    return dot(rows[0], a), dot(rows[1], a), dot(rows[2], a)


@compiled_part
def symmetric_times(s, a):
    """Return a symmetric matrix times a vector."""
    xx, yy, zz, xy, yz, zx = s
    return (
        xx * a[0] + xy * a[1] + zx * a[2],
        xy * a[0] + yy * a[1] + yz * a[2],
        zx * a[0] + yz * a[1] + zz * a[2],
    )


@compiled_part
def turn_symmetric(axes, s):
    """Return a symmetric matrix ``R S R^T`` in the axes that three columns of R are written in."""
    xx, yy, zz, xy, yz, zx = s
    a = combine(axes, (xx, xy, zx))
    b = combine(axes, (xy, yy, yz))
    c = combine(axes, (zx, yz, zz))
    x, y, z = axes
    return (
        a[0] * x[0] + b[0] * y[0] + c[0] * z[0],
        a[1] * x[1] + b[1] * y[1] + c[1] * z[1],
        a[2] * x[2] + b[2] * y[2] + c[2] * z[2],
        a[0] * x[1] + b[0] * y[1] + c[0] * z[1],
        a[1] * x[2] + b[1] * y[2] + c[1] * z[2],
        a[2] * x[0] + b[2] * y[0] + c[2] * z[0],
    )


@compiled_part
def symmetric_factors(s):
    """Return the factors of ``S = L D L^T``: the three pivots, then the elements of L below 1."""
    xx, yy, zz, xy, yz, zx = s
    yx_factor, zx_factor = xy / xx, zx / xx
    second = yy - yx_factor * xy
    mixed = yz - yx_factor * zx
    zy_factor = mixed / second
    third = zz - zx_factor * zx - zy_factor * mixed
    return xx, second, third, yx_factor, zx_factor, zy_factor


@compiled_part
def solve_factored(factors, a):
    """Return the vector that a symmetric matrix, given by its factors, turns into a."""
    first, second, third, yx_factor, zx_factor, zy_factor = factors
    y = a[1] - yx_factor * a[0]
    z = (a[2] - zx_factor * a[0] - zy_factor * y) / third
    y = y / second - zy_factor * z
    return a[0] / first - yx_factor * y - zx_factor * z, y, z


_SMALL = 1e-9
"""Sine of half the angle below which the rotation vector is twice the vector part."""


@compiled_part
def turned(quaternion, a):
    """Return a vector turned by a quaternion."""
    vector = quaternion[0], quaternion[1], quaternion[2]
    twice = scale(2.0, cross(vector, a))
    return add(add(a, scale(quaternion[3], twice)), cross(vector, twice))


@compiled_part
def conjugate(quaternion):
    """Return the quaternion of the inverse rotation."""
    return -quaternion[0], -quaternion[1], -quaternion[2], quaternion[3]


@compiled_part
def quaternion_rate(quaternion, omega):
    """Return the derivative of a quaternion, the angular velocity given in turning axes."""
    x, y, z, w = quaternion
    a, b, c = omega
    return (
        0.5 * (w * a + y * c - z * b),
        0.5 * (w * b + z * a - x * c),
        0.5 * (w * c + x * b - y * a),
        -0.5 * (x * a + y * b + z * c),
    )


@compiled_part
def quaternion_from_rotation(rotation):
    """Return the quaternion of a rotation matrix, by its largest component."""
    xx, yy, zz = rotation[0, 0], rotation[1, 1], rotation[2, 2]
    squares = (1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz, 1.0 + xx + yy + zz)
    a, b = rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0]
    c = rotation[1, 0] - rotation[0, 1]
    d, e = rotation[1, 0] + rotation[0, 1], rotation[0, 2] + rotation[2, 0]
    f = rotation[2, 1] + rotation[1, 2]
    best = 0
    for each in range(4):
        if squares[each] > squares[best]:
            best = each
    if best == 0:
        values = (squares[0], d, e, a)
    elif best == 1:
        values = (d, squares[1], f, b)
    elif best == 2:
        values = (e, f, squares[2], c)
    else:
        values = (a, b, c, squares[3])
    share = 0.5 / sqrt(squares[best])
    return values[0] * share, values[1] * share, values[2] * share, values[3] * share


@compiled_part
def rotation_vector(quaternion):
    """Return axis times angle of a quaternion, rad; the short way round."""
    x, y, z, w = quaternion
    if w < 0.0:
        x, y, z, w = -x, -y, -z, -w
    sine = sqrt(x * x + y * y + z * z)
    return scale(2.0 if sine < _SMALL else 2.0 * atan2(sine, w) / sine, (x, y, z))

"""Unit quaternions x y z w as tuples, for compiled kernels."""

# ruff: noqa: ANN001, ANN201  numba infers the types of tuples

from math import atan2, sqrt

from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.small_vectors import add, cross, scale

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
def quaternion_rate(quaternion, turning):
    """Return the derivative of a quaternion, the angular velocity given in turning axes."""
    x, y, z, w = quaternion
    a, b, c = turning
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

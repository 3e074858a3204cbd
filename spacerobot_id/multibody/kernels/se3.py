"""The exponential of rigid motions, compiled for one value."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled_part

_SMALL = 1e-6
"""Squared angle below which series replace quotients, rad^2."""


@compiled_part
def exp_se3_into(
    twist: NDArray[np.float64], rotation: NDArray[np.float64], translation: NDArray[np.float64]
) -> None:
    """Fill in the rigid motion of a constant twist over one unit of time.

    Parameters
    ----------
    twist : ndarray, shape (6,)
        Linear and angular part, in moving axes.
    rotation : ndarray, shape (3, 3)
        Filled with the rotation.
    translation : ndarray, shape (3,)
        Filled with the displacement, in the axes at the start.
    """
    x, y, z = twist[3], twist[4], twist[5]
    square = x * x + y * y + z * z
    if square < _SMALL:
        sine = 1.0 - square / 6.0 + square * square / 120.0
        versine = 0.5 - square / 24.0 + square * square / 720.0
        rest = 1.0 / 6.0 - square / 120.0 + square * square / 5040.0
    else:
        angle = np.sqrt(square)
        sine = np.sin(angle) / angle
        versine = (1.0 - np.cos(angle)) / square
        rest = (1.0 - sine) / square
    for row in range(3):
        for column in range(3):
            outer = twist[3 + row] * twist[3 + column]
            rotation[row, column] = versine * outer
        rotation[row, row] += 1.0 - versine * square
    rotation[0, 1] -= sine * z
    rotation[1, 0] += sine * z
    rotation[0, 2] += sine * y
    rotation[2, 0] -= sine * y
    rotation[1, 2] -= sine * x
    rotation[2, 1] += sine * x
    u, v, w = twist[0], twist[1], twist[2]
    along = rest * (x * u + y * v + z * w)
    plain = 1.0 - rest * square
    translation[0] = plain * u + versine * (y * w - z * v) + along * x
    translation[1] = plain * v + versine * (z * u - x * w) + along * y
    translation[2] = plain * w + versine * (x * v - y * u) + along * z


@compiled_part
def orthogonalise(rotation: NDArray[np.float64]) -> None:
    """Take rounding out of a rotation matrix in place: one Newton step of its polar factor."""
    product = rotation.T @ rotation
    for row in range(3):
        for column in range(3):
            product[row, column] *= -0.5
        product[row, row] += 1.5
    rotation[:] = rotation @ product

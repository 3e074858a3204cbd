"""Where links are and how they move, compiled: the first half of [Jain 1995] Algorithm 1.

Everything is in base axes and about the origins of the links; link 0 is the base, and parents
come before their children. Accelerations are those of the origins against the inertial frame
(Eq. 2.1), so that Coriolis and gyroscopic terms are those of Eq. 2.2. What the recursions find
stands in an array with a row for each link; constants name the first columns.
"""

# ruff: noqa: ANN001, ANN201, ANN202  numba infers the types

from math import cos, sin

import numpy as np

from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.small_vectors import (
    add,
    combine,
    cross,
    increase,
    put,
    put_symmetric,
    scale,
    symmetric_times,
    take,
    take_symmetric,
    turn_symmetric,
)

AXES, OFFSET, OMEGA, CORIOLIS = np.int64([0, 9, 12, 15])
"""Axes of a link, the three columns of R_BL; l, its origin from the parent's; omega, its angular
velocity; a, acceleration across the joint at joint acceleration zero, 6 numbers."""

BODY, RESIDUAL, ACCELERATION = np.int64([21, 31, 37])
"""The ten inertial parameters in base axes; b, then z, residual force; alpha, acceleration of the
link: 6 numbers both."""

INERTIA, MASS, MOMENT = np.int64([0, 6, 7])
"""Where among the ten inertial parameters the inertia, mass and first moment stand."""

COLUMNS = 43
"""Columns that the sweep and the equations of motion need."""

BASE = np.int64(0)
"""Number of the base among the links."""

# numba compiles a function anew for each literal that it is called with: none is one here.


@compiled_part
def move(tree, positions, rates, angular, wheel_rates, work):
    """Fill in all but accelerations from the base to the tips (Algorithm 1, Eq. 2.2).

    Positions and rates are those of all joints of the tree, the angular velocity is the base's.
    """
    for column in range(9):
        work[0, column] = 1.0 if column % 4 == 0 else 0.0
    put(work, BASE, OMEGA, angular)
    _weigh(tree, work, BASE)
    for k in range(1, len(tree.parents)):
        _place(tree, positions[k - 1], rates[k - 1], work, k)
        _weigh(tree, work, k)
    for wheel in range(len(tree.carriers)):
        k, axis = tree.carriers[wheel], wheel_axis(tree, work, wheel)
        spin = scale(tree.wheels[wheel, 3] * wheel_rates[wheel], axis)
        increase(work, k, RESIDUAL + 3, cross(take(work, k, OMEGA), spin))


@compiled_part
def axes_of(work, k):
    """Return the three axes of a link in base axes: the columns of R_BL."""
    return take(work, k, AXES), take(work, k, AXES + 3), take(work, k, AXES + 6)


@compiled_part
def wheel_axis(tree, work, wheel):
    """Return the axis of a wheel in base axes."""
    return combine(axes_of(work, tree.carriers[wheel]), take(tree.wheels, wheel, AXES))


@compiled_part
def _place(tree, position, rate, work, k):
    """Fill in where a link is, how it turns and its a (Eqs. 2.1, 2.2)."""
    parent = tree.parents[k]
    axes = axes_of(work, parent)
    x, y = combine(axes, take(tree.frames, k, AXES)), combine(axes, take(tree.frames, k, AXES + 3))
    z, offset = (
        combine(axes, take(tree.frames, k, AXES + 6)),
        combine(axes, take(tree.frames, k, OFFSET)),
    )
    omega = take(work, parent, OMEGA)
    coriolis = scale(rate, cross(omega, z))
    if tree.is_prismatic[k]:
        # Twice, where Eq. 2.2 has it once: the offset moves as well as the axis.
        offset = add(offset, scale(position, z))
        linear, angular = scale(2.0, coriolis), (0.0, 0.0, 0.0)
        put(work, k, OMEGA, omega)
    else:
        cosine, sine = cos(position), sin(position)
        x, y = (
            add(scale(cosine, x), scale(sine, y)),
            add(scale(cosine, y), scale(-sine, x)),
        )
        linear, angular = (0.0, 0.0, 0.0), coriolis
        put(work, k, OMEGA, add(omega, scale(rate, z)))
    put(work, k, CORIOLIS, add(linear, cross(omega, cross(omega, offset))))
    put(work, k, CORIOLIS + 3, angular)
    put(work, k, OFFSET, offset)
    put(work, k, AXES, x)
    put(work, k, AXES + 3, y)
    put(work, k, AXES + 6, z)


@compiled_part
def _weigh(tree, work, k):
    """Fill in the inertial parameters of a link in base axes, and b (Eq. 2.2)."""
    axes, omega = axes_of(work, k), take(work, k, OMEGA)
    inertia = turn_symmetric(axes, take_symmetric(tree.parameters, k, INERTIA))
    moment = combine(axes, take(tree.parameters, k, MOMENT))
    put_symmetric(work, k, BODY, inertia)
    work[k, BODY + MASS] = tree.parameters[k, MASS]
    put(work, k, BODY + MOMENT, moment)
    put(work, k, RESIDUAL, cross(omega, cross(omega, moment)))
    put(work, k, RESIDUAL + 3, cross(omega, symmetric_times(inertia, omega)))

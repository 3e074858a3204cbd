"""What acts on the whole robot from outside: disturbances, and the table that holds its base.

Compiled, for one state.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model import Disturbances
from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.outward_sweep import BASE, BODY, MASS, MOMENT
from spacerobot_id.multibody.kernels.small_vectors import add, combine, cross, dot, scale, take

GRAVITY = 9.80665
"""Standard acceleration of free fall, m/s^2."""


class OutsideForces(NamedTuple):
    """Disturbances as plain numbers and arrays.

    Parameters
    ----------
    act : bool
        Whether there are any.
    force, torque : ndarray, shape (3,)
        At and about the centre of mass, in inertial axes: N, N m.
    drag : float
        Force over linear momentum, 1/s.
    powers : ndarray of int, shape (H, 2)
        Powers of x and y of the terms of the table's height.
    heights : ndarray, shape (H,)
        Their coefficients, m per m to the order.
    """

    act: bool
    force: NDArray[np.float64]
    torque: NDArray[np.float64]
    drag: float
    powers: NDArray[np.int64]
    heights: NDArray[np.float64]


def outside_forces(disturbances: Disturbances) -> OutsideForces:
    """Return disturbances as the kernel takes them."""
    terms = disturbances.table
    powers = [(name.count('x'), name.count('y')) for name in terms]
    return OutsideForces(
        disturbances.act,
        np.array(disturbances.force, dtype=float),
        np.array(disturbances.torque, dtype=float),
        float(disturbances.drag),
        np.array(powers, dtype=np.int64).reshape(-1, 2),
        np.array(list(terms.values()), dtype=float),
    )


@compiled_part
def add_outside_forces(outside, stage, centred, work, matrix, force, power):  # noqa: ANN001,ANN201
    """Add what acts on the whole robot to the generalized forces, and its power.

    Forces act on every link in proportion to its mass, as weight does: they ask of base and
    joints what it takes to accelerate the base alone, and all with it.

    Parameters
    ----------
    outside : OutsideForces
        Disturbances.
    stage : ndarray
        State.
    centred : tuple of 3 floats
        Force on the base that is to act through the centre of mass: its moment is added, N.
    work, matrix : ndarray
        What ``equations_of_motion`` has filled.
    force : ndarray, shape (6 + n + w,)
        Added to.
    power : ndarray, shape (4,)
        Power of the base's drives and of disturbances is added to, W.
    """
    mass, omega = work[BASE, BODY + MASS], (stage[3], stage[4], stage[5])
    centre = scale(1.0 / mass, take(work, BASE, BODY + MOMENT))
    moment = cross(centre, centred)
    power[0] += dot(moment, omega)
    if outside.act:
        rows, at = 2 * len(force) + 1, 2 * len(force) - 2
        axes = (
            (stage[rows], stage[rows + 1], stage[rows + 2]),
            (stage[rows + 3], stage[rows + 4], stage[rows + 5]),
            (stage[rows + 6], stage[rows + 7], stage[rows + 8]),
        )
        x, y = stage[at] + dot(axes[0], centre), stage[at + 1] + dot(axes[1], centre)
        along, across = _slope(outside, x, y)
        pushed, turned, weight = outside.force, outside.torque, mass * GRAVITY
        push = pushed[0] - weight * along, pushed[1] - weight * across, pushed[2]
        torque = combine(axes, (turned[0], turned[1], turned[2]))
        speed = _centre_velocity(matrix, stage, mass)
        field = add(scale(1.0 / mass, combine(axes, push)), scale(-outside.drag, speed))
        power[3] += mass * dot(field, speed) + dot(torque, omega)
        moment = add(moment, torque)
        for row in range(len(force)):
            column = matrix[row, 0], matrix[row, 1], matrix[row, 2]
            force[row] += dot(column, field)
    for axis in range(3):
        force[3 + axis] += moment[axis]


@compiled_part
def _centre_velocity(matrix, stage, mass):  # noqa: ANN001, ANN202
    """Return the velocity of the centre of mass."""
    x, y, z = 0.0, 0.0, 0.0
    for column in range(len(matrix)):
        x += matrix[0, column] * stage[column]
        y += matrix[1, column] * stage[column]
        z += matrix[2, column] * stage[column]
    return x / mass, y / mass, z / mass


@compiled_part
def _slope(outside: OutsideForces, x: float, y: float) -> tuple[float, float]:
    """Return the gradient of the table's height at a place."""
    along, across = 0.0, 0.0
    for term in range(len(outside.heights)):
        a, b = outside.powers[term]
        if a:
            along += outside.heights[term] * a * x ** (a - 1) * y**b
        if b:
            across += outside.heights[term] * b * x**a * y ** (b - 1)
    return along, across

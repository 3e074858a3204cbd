"""What acts on the whole robot from outside: disturbances, and the table that holds its base.

Compiled, for one state.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model import Disturbances
from spacerobot_id.multibody.kernels.compiled import compiled_apart, compiled_part
from spacerobot_id.multibody.kernels.outward_sweep import axes_of, Work
from spacerobot_id.multibody.kernels.small_vectors import (
    add,
    combine,
    cross,
    dot,
    put,
    scale,
    take,
)
from spacerobot_id.multibody.kernels.tree_arrays import Tree

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


class WholeRobot(NamedTuple):
    """All links together, in base axes."""

    mass: float
    """Mass, kg."""
    centre: tuple[float, float, float]
    """Centre of mass, m."""
    momentum: tuple[float, float, float]
    """Linear momentum, kg m/s."""


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


@compiled_apart
def outside_forces_on(
    outside: OutsideForces,
    tree: Tree,
    position: NDArray[np.float64],
    rotation: NDArray[np.float64],
    twist: NDArray[np.float64],
    rates: NDArray[np.float64],
    centred: tuple[float, float, float],
    work: Work,
    rooms: NDArray[np.float64],
    power: NDArray[np.float64],
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return what acts on the whole robot: a moment on the base, and a field on all masses.

    Parameters
    ----------
    outside : OutsideForces
        Disturbances.
    tree : Tree
        Robot.
    position, rotation : ndarray, shapes (3,) and (3, 3)
        Where the base is.
    twist : ndarray, shape (6,)
        Its twist.
    rates : ndarray, shape (t,)
        Rates of all joints of the tree.
    centred : tuple of 3 floats
        Force on the base that is to act through the centre of mass: its moment is returned, N.
    work : Work
        Axes, offsets and turning rates are filled.
    rooms : ndarray, shape (t + 1, 6)
        Room for places and velocities of the links' origins.
    power : ndarray, shape (4,)
        Power of the base's drives and of disturbances is added to, W.
    """
    whole = _whole_robot(tree, twist, rates, work, rooms)
    moment, field = cross(whole.centre, centred), (0.0, 0.0, 0.0)
    power[0] += dot(moment, (twist[3], twist[4], twist[5]))
    if outside.act:
        torque, field, disturbing = _disturb(outside, whole, position, rotation, twist)
        moment = add(moment, torque)
        power[3] += disturbing
    return moment, field


@compiled_part
def _whole_robot(
    tree: Tree,
    velocity: NDArray[np.float64],
    rates: NDArray[np.float64],
    work: Work,
    rooms: NDArray[np.float64],
) -> WholeRobot:
    """Return mass, centre of mass and momentum of all links, once they are where they are."""
    total, moment, momentum = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for link in range(len(tree.parents)):
        origin, speed = (0.0, 0.0, 0.0), (velocity[0], velocity[1], velocity[2])
        if link:
            parent, offset = tree.parents[link], take(work.offset, link, 0)
            origin = add(take(rooms, parent, 0), offset)
            speed = add(take(rooms, parent, 3), cross(take(work.turning, parent, 0), offset))
            if tree.is_prismatic[link]:
                speed = add(speed, scale(rates[link - 1], take(work.axes, link, 6)))
        put(rooms, link, 0, origin)
        put(rooms, link, 3, speed)
        mass, turning = tree.parameters[link, 6], take(work.turning, link, 0)
        own = combine(axes_of(work, link), take(tree.parameters, link, 7))
        moment = add(moment, add(own, scale(mass, origin)))
        momentum = add(momentum, add(cross(turning, own), scale(mass, speed)))
        total += mass
    return WholeRobot(total, scale(1.0 / total, moment), momentum)


@compiled_part
def _disturb(
    outside: OutsideForces,
    whole: WholeRobot,
    position: NDArray[np.float64],
    rotation: NDArray[np.float64],
    twist: NDArray[np.float64],
) -> tuple[tuple[float, float, float], tuple[float, float, float], float]:
    """Return torque on the base, field on all masses, in base axes, and the power of both, W.

    Forces act on every link in proportion to its mass, as weight does.
    """
    rows = (
        (rotation[0, 0], rotation[0, 1], rotation[0, 2]),
        (rotation[1, 0], rotation[1, 1], rotation[1, 2]),
        (rotation[2, 0], rotation[2, 1], rotation[2, 2]),
    )
    x = position[0] + dot(rows[0], whole.centre)
    y = position[1] + dot(rows[1], whole.centre)
    down = _slope(outside, x, y)
    weight = whole.mass * GRAVITY
    push = (
        outside.force[0] - weight * down[0],
        outside.force[1] - weight * down[1],
        outside.force[2],
    )
    turn = (outside.torque[0], outside.torque[1], outside.torque[2])
    force = add(combine(rows, push), scale(-outside.drag, whole.momentum))
    torque = combine(rows, turn)
    speed = scale(1.0 / whole.mass, whole.momentum)
    power = dot(force, speed) + dot(torque, (twist[3], twist[4], twist[5]))
    return torque, scale(1.0 / whole.mass, force), power


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

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
    increase,
    put,
    scale,
    take,
)
from spacerobot_id.multibody.kernels.spatial_inertia import take_inertia
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
def add_outside_forces(
    outside: OutsideForces,
    tree: Tree,
    position: NDArray[np.float64],
    rotation: NDArray[np.float64],
    velocity: NDArray[np.float64],
    centred: tuple[float, float, float],
    work: Work,
    rooms: NDArray[np.float64],
    power: NDArray[np.float64],
) -> None:
    """Add what acts on the whole robot at its centre of mass to residual forces and power.

    Parameters
    ----------
    outside : OutsideForces
        Disturbances.
    tree : Tree
        Robot.
    position, rotation : ndarray, shapes (3,) and (3, 3)
        Where the base is.
    velocity : ndarray, shape (6 + n + w,)
        Base twist, joint rates, wheel rates.
    centred : tuple of 3 floats
        Force on the base that is to act through the centre of mass: its moment is added here, N.
    work : Work
        Axes, offsets and turning rates are filled; residual forces are changed.
    rooms : ndarray, shape (n + 1, 6)
        Room for places and velocities of the links' origins.
    power : ndarray, shape (4,)
        Power of the base's drives and of disturbances is added to, W.
    """
    whole = _whole_robot(tree, velocity, work, rooms)
    moment = cross(whole.centre, centred)
    increase(work.residual, 0, 3, scale(-1.0, moment))
    power[0] += dot(moment, (velocity[3], velocity[4], velocity[5]))
    if outside.act:
        power[3] += _disturb(outside, tree, whole, position, rotation, velocity, work)


@compiled_part
def _whole_robot(
    tree: Tree,
    velocity: NDArray[np.float64],
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
                speed = add(speed, scale(velocity[5 + link], take(work.axes, link, 6)))
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
    tree: Tree,
    whole: WholeRobot,
    position: NDArray[np.float64],
    rotation: NDArray[np.float64],
    twist: NDArray[np.float64],
    work: Work,
) -> float:
    """Add what disturbs the robot to its residual forces; return the power of it, W.

    Forces act on every link in proportion to its mass, as weight does; the torque on the base.
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
    increase(work.residual, 0, 3, scale(-1.0, torque))
    field = scale(-1.0 / whole.mass, force)
    for link in range(len(tree.parents)):
        own = combine(axes_of(work, link), take(tree.parameters, link, 7))
        increase(work.residual, link, 0, scale(tree.parameters[link, 6], field))
        increase(work.residual, link, 3, cross(own, field))
    speed = scale(1.0 / whole.mass, whole.momentum)
    return dot(force, speed) + dot(torque, (twist[3], twist[4], twist[5]))


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


@compiled_part
def hold_in_plane(work: Work) -> None:
    """Add the wrench by which a table keeps the base from rising and tilting.

    Articulated inertia and residual force of the base are known: its acceleration along x and y
    and about z is solved for with the others zero, and what that leaves over is the table's.
    """
    linear, mixed, angular = take_inertia(work.inertia, 0)
    a, b, c = linear[0], linear[3], linear[1]
    d, e, f = mixed[0][2], mixed[1][2], angular[2]
    u, v, w = -work.residual[0, 0], -work.residual[0, 1], -work.residual[0, 5]
    # Symmetric: rows (a, b, d), (b, c, e), (d, e, f), by cofactors.
    aa, bb, dd = c * f - e * e, d * e - b * f, b * e - c * d
    cc, ee, ff = a * f - d * d, b * d - a * e, a * c - b * b
    whole = a * aa + b * bb + d * dd
    x = (aa * u + bb * v + dd * w) / whole
    y = (bb * u + cc * v + ee * w) / whole
    turn = (dd * u + ee * v + ff * w) / whole
    rising = linear[5] * x + linear[4] * y + mixed[2][2] * turn
    rolling = mixed[0][0] * x + mixed[1][0] * y + angular[5] * turn
    pitching = mixed[0][1] * x + mixed[1][1] * y + angular[4] * turn
    work.residual[0, 2] = -rising
    work.residual[0, 3] = -rolling
    work.residual[0, 4] = -pitching

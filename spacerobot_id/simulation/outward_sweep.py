"""From the base to the tips: where the links are, how they move, what that takes; compiled.

Everything is in base axes about the base's origin, generalized accelerations zero.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.dynamics.articulated_body import Tree
from spacerobot_id.dynamics.compiled import compiled_part
from spacerobot_id.dynamics.small_vectors import add, cross, increase, put, scale, take
from spacerobot_id.simulation.control_workspace import Workspace


@compiled_part
def go_outward(
    tree: Tree, q: NDArray[np.float64], velocity: NDArray[np.float64], work: Workspace
) -> None:
    """Go from the base to the tips: poses, twists, and the links in the base's frame."""
    for row in range(6):
        work.twists[0, row] = velocity[row]
        work.accelerations[0, row] = 0.0
    _move_body(tree, work, 0)
    _weigh(work, 0)
    for joint in range(len(tree.parents) - 1):
        _place(tree, q, velocity, work, joint)
        _move_body(tree, work, joint + 1)
        _weigh(work, joint + 1)


@compiled_part
def body_momentum(
    mass: float,
    moment: NDArray[np.float64],
    inertia: NDArray[np.float64],
    twist: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Fill in the momentum of a body at a twist, both about the base's origin, shape (6,)."""
    vx, vy, vz, wx, wy, wz = twist[0], twist[1], twist[2], twist[3], twist[4], twist[5]
    mx, my, mz = moment[0], moment[1], moment[2]
    out[0] = mass * vx + wy * mz - wz * my
    out[1] = mass * vy + wz * mx - wx * mz
    out[2] = mass * vz + wx * my - wy * mx
    out[3] = inertia[0, 0] * wx + inertia[0, 1] * wy + inertia[0, 2] * wz + my * vz - mz * vy
    out[4] = inertia[1, 0] * wx + inertia[1, 1] * wy + inertia[1, 2] * wz + mz * vx - mx * vz
    out[5] = inertia[2, 0] * wx + inertia[2, 1] * wy + inertia[2, 2] * wz + mx * vy - my * vx


@compiled_part
def _place(
    tree: Tree, q: NDArray[np.float64], velocity: NDArray[np.float64], work: Workspace, joint: int
) -> None:
    """Fill in pose, screw, twist and bias acceleration of the child of a joint."""
    child, parent = joint + 1, tree.parents[joint + 1]
    above, here = work.axes[parent], work.axes[child]
    rotation, offset = tree.R_PC[child], tree.p_PC_P[child]
    slides = tree.is_prismatic[child]
    cosine, sine = (1.0, 0.0) if slides else (np.cos(q[joint]), np.sin(q[joint]))
    for row in range(3):
        a, b, c = above[row, 0], above[row, 1], above[row, 2]
        x = a * rotation[0, 0] + b * rotation[1, 0] + c * rotation[2, 0]
        y = a * rotation[0, 1] + b * rotation[1, 1] + c * rotation[2, 1]
        z = a * rotation[0, 2] + b * rotation[1, 2] + c * rotation[2, 2]
        here[row, 0] = cosine * x + sine * y
        here[row, 1] = cosine * y - sine * x
        here[row, 2] = z
        origin = work.origins[parent, row] + a * offset[0] + b * offset[1] + c * offset[2]
        work.origins[child, row] = origin + (z * q[joint] if slides else 0.0)
    screw, axis = work.screws[joint], (here[0, 2], here[1, 2], here[2, 2])
    if slides:
        put(work.screws, joint, 0, axis)
        put(work.screws, joint, 3, (0.0, 0.0, 0.0))
    else:
        put(work.screws, joint, 0, cross(take(work.origins, child, 0), axis))
        put(work.screws, joint, 3, axis)
    rate, twist = velocity[6 + joint], work.twists[child]
    for row in range(6):
        twist[row] = work.twists[parent, row] + screw[row] * rate
    linear, turning = take(work.twists, child, 0), take(work.twists, child, 3)
    slide, axis = take(work.screws, joint, 0), take(work.screws, joint, 3)
    change = add(cross(turning, slide), cross(linear, axis))
    before = take(work.accelerations, parent, 0)
    put(work.accelerations, child, 0, add(before, scale(rate, change)))
    before = take(work.accelerations, parent, 3)
    put(work.accelerations, child, 3, add(before, scale(rate, cross(turning, axis))))


@compiled_part
def _move_body(tree: Tree, work: Workspace, link: int) -> None:
    """Fill in a link's mass, first moment and inertia about the base's origin, in base axes."""
    axes, p = work.axes[link], work.origins[link]
    given = tree.parameters[link]
    xx, yy, zz, xy, yz, zx = given[0], given[1], given[2], given[3], given[4], given[5]
    mass, mx, my, mz = given[6], given[7], given[8], given[9]
    moment, inertia = work.moments[link], work.inertias[link]
    work.masses[link] = mass
    sx = axes[0, 0] * mx + axes[0, 1] * my + axes[0, 2] * mz
    sy = axes[1, 0] * mx + axes[1, 1] * my + axes[1, 2] * mz
    sz = axes[2, 0] * mx + axes[2, 1] * my + axes[2, 2] * mz
    moment[0], moment[1], moment[2] = sx + mass * p[0], sy + mass * p[1], sz + mass * p[2]
    for row in range(3):
        a, b, c = axes[row, 0], axes[row, 1], axes[row, 2]
        x = a * xx + b * xy + c * zx
        y = a * xy + b * yy + c * yz
        z = a * zx + b * yz + c * zz
        for column in range(row, 3):
            value = x * axes[column, 0] + y * axes[column, 1] + z * axes[column, 2]
            inertia[row, column] = value
    # Parallel axes: minus skew(p) skew(s) - skew(s) skew(p) - m skew(p) skew(p), symmetric.
    scale = p[0] * (2.0 * sx + mass * p[0]) + p[1] * (2.0 * sy + mass * p[1])
    scale += p[2] * (2.0 * sz + mass * p[2])
    inertia[0, 0] += scale - p[0] * (2.0 * sx + mass * p[0])
    inertia[1, 1] += scale - p[1] * (2.0 * sy + mass * p[1])
    inertia[2, 2] += scale - p[2] * (2.0 * sz + mass * p[2])
    inertia[0, 1] -= p[0] * sy + sx * p[1] + mass * p[0] * p[1]
    inertia[0, 2] -= p[0] * sz + sx * p[2] + mass * p[0] * p[2]
    inertia[1, 2] -= p[1] * sz + sy * p[2] + mass * p[1] * p[2]
    inertia[1, 0], inertia[2, 0], inertia[2, 1] = inertia[0, 1], inertia[0, 2], inertia[1, 2]


@compiled_part
def _weigh(work: Workspace, link: int) -> None:
    """Fill in the wrench that a link's bias acceleration takes: I A + V x* I V."""
    mass, moment, inertia = work.masses[link], work.moments[link], work.inertias[link]
    body_momentum(mass, moment, inertia, work.twists[link], work.wrenches[link])
    momentum, spin = take(work.wrenches, link, 0), take(work.wrenches, link, 3)
    body_momentum(mass, moment, inertia, work.accelerations[link], work.wrenches[link])
    linear, turning = take(work.twists, link, 0), take(work.twists, link, 3)
    increase(work.wrenches, link, 0, cross(turning, momentum))
    increase(work.wrenches, link, 3, add(cross(turning, spin), cross(linear, momentum)))

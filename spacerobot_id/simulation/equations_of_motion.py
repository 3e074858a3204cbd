"""Mass matrix and bias forces of base, joints and wheels together, compiled for one state.

Computed torque needs them, not accelerations: composite rigid bodies and recursive Newton-Euler
in one sweep outward and one inward, all in base axes about the base's origin. The generalized
velocity is base twist (linear, angular), joint rates, wheel rates; a wheel adds its spin to the
link that carries it and nothing else. The first six accelerations are the derivatives of the base
twist's components in base axes.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.dynamics.articulated_body import Tree
from spacerobot_id.dynamics.compiled import compiled_part
from spacerobot_id.dynamics.small_vectors import cross, increase, scale, take
from spacerobot_id.simulation.control_workspace import Workspace
from spacerobot_id.simulation.outward_sweep import body_momentum, go_outward


@compiled_part
def equations_of_motion(
    tree: Tree, q: NDArray[np.float64], velocity: NDArray[np.float64], work: Workspace
) -> None:
    """Fill in mass matrix and bias forces (papers/001 Eqs. 26-37, with base and wheels in them).

    Parameters
    ----------
    tree : Tree
        Robot.
    q : ndarray, shape (n,)
        Joint positions, rad or m.
    velocity : ndarray, shape (6 + n + w,)
        Base twist in base axes, joint rates, wheel rates.
    work : Workspace
        Arrays to fill.
    """
    go_outward(tree, q, velocity, work)
    _add_wheels(tree, velocity, work)
    _inward(tree, work)


@compiled_part
def _add_wheels(tree: Tree, velocity: NDArray[np.float64], work: Workspace) -> None:
    """Fill in the wheels' rows and columns, and add their gyroscopic torques to the links."""
    joints, wheels = len(tree.parents) - 1, len(tree.carriers)
    first = 6 + joints
    matrix = work.matrix
    for wheel in range(wheels):
        row, link = first + wheel, tree.carriers[wheel]
        axis, spin, axes = tree.wheel_axes[wheel], tree.spin_inertias[wheel], work.axes[link]
        ax = spin * (axes[0, 0] * axis[0] + axes[0, 1] * axis[1] + axes[0, 2] * axis[2])
        ay = spin * (axes[1, 0] * axis[0] + axes[1, 1] * axis[1] + axes[1, 2] * axis[2])
        az = spin * (axes[2, 0] * axis[0] + axes[2, 1] * axis[1] + axes[2, 2] * axis[2])
        for column in range(first + wheels):
            matrix[row, column] = 0.0
        matrix[row, 3], matrix[row, 4], matrix[row, 5] = ax, ay, az
        gyroscopic = cross(take(work.twists, link, 3), (ax, ay, az))
        increase(work.wrenches, link, 3, scale(velocity[row], gyroscopic))
        # The bias of the wheel itself: its axis component of the carrier's bias acceleration.
        acceleration = work.accelerations[link]
        work.bias[row] = ax * acceleration[3] + ay * acceleration[4] + az * acceleration[5]
        carrier = link
        while carrier > 0:
            screw = work.screws[carrier - 1]
            matrix[row, 5 + carrier] = ax * screw[3] + ay * screw[4] + az * screw[5]
            carrier = tree.parents[carrier]
        matrix[row, row] = spin
        for column in range(row):
            matrix[column, row] = matrix[row, column]


@compiled_part
def _inward(tree: Tree, work: Workspace) -> None:
    """Go from the tips to the base: composite bodies, mass matrix and bias forces."""
    matrix, bias = work.matrix, work.bias
    carried = np.empty(6)
    for joint in range(len(tree.parents) - 2, -1, -1):
        child, parent, row = joint + 1, tree.parents[joint + 1], 6 + joint
        screw, wrench = work.screws[joint], work.wrenches[child]
        body_momentum(
            work.masses[child], work.moments[child], work.inertias[child], screw, carried
        )
        bias[row] = 0.0
        for axis in range(6):
            matrix[row, axis] = matrix[axis, row] = carried[axis]
            bias[row] += screw[axis] * wrench[axis]
            work.wrenches[parent, axis] += wrench[axis]
        for other in range(joint + 1):
            matrix[row, 6 + other] = matrix[6 + other, row] = 0.0
        link = child
        while link > 0:
            above, value = work.screws[link - 1], 0.0
            for axis in range(6):
                value += above[axis] * carried[axis]
            matrix[row, 5 + link] = matrix[5 + link, row] = value
            link = tree.parents[link]
        work.masses[parent] += work.masses[child]
        for axis in range(3):
            work.moments[parent, axis] += work.moments[child, axis]
            for column in range(3):
                work.inertias[parent, axis, column] += work.inertias[child, axis, column]
    _write_base(work)


@compiled_part
def _write_base(work: Workspace) -> None:
    """Fill in the rows of the base: the whole robot as one body."""
    matrix, moment, inertia = work.matrix, work.moments[0], work.inertias[0]
    for row in range(3):
        for column in range(3):
            matrix[row, column] = work.masses[0] if row == column else 0.0
            matrix[3 + row, 3 + column] = inertia[row, column]
        matrix[row, 3 + row] = matrix[3 + row, row] = 0.0
    matrix[0, 4] = matrix[4, 0] = moment[2]
    matrix[0, 5] = matrix[5, 0] = -moment[1]
    matrix[1, 3] = matrix[3, 1] = -moment[2]
    matrix[1, 5] = matrix[5, 1] = moment[0]
    matrix[2, 3] = matrix[3, 2] = moment[1]
    matrix[2, 4] = matrix[4, 2] = -moment[0]
    for row in range(6):
        work.bias[row] = work.wrenches[0, row]

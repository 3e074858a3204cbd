"""Mass matrix and bias forces of base, joints and wheels together, compiled for one state.

Computed torque needs them, not accelerations: composite rigid bodies and recursive Newton-Euler
on one outward sweep and one inward, everything about the origins of the links and in base axes.
The generalized velocity is base twist (linear, angular), joint rates, wheel rates; a wheel adds
its spin to the link that carries it and nothing else. The first six accelerations are the
derivatives of the base twist's components in base axes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.articulated_body import expand_joints
from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.outward_sweep import (
    axes_of,
    move,
    new_work,
    State,
    Work,
)
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
from spacerobot_id.multibody.kernels.spatial_inertia import (
    increase_inertia,
    shifted,
    take_inertia,
    wrench_of,
)
from spacerobot_id.multibody.kernels.tree_arrays import Tree


class EquationsOfMotion(NamedTuple):
    """``M dv/dt + bias = force``, and what was needed to write them.

    Parameters
    ----------
    work : Work
        Axes, offsets, velocities; in row 0 of ``inertia`` the whole robot as one body.
    matrix : ndarray, shape (6 + n + w, 6 + n + w)
        Mass matrix.
    bias : ndarray, shape (6 + n + w,)
        Forces that keep the generalized velocity constant.
    tree_matrix, tree_bias : ndarray, shapes (6 + t + w, 6 + t + w) and (6 + t + w,)
        The same with all t joints of the tree as if each moved on its own; the same arrays where
        each does.
    position, velocity : ndarray, shapes (t,) and (6 + t + w,)
        Positions of all joints; base twist, rates of all joints, wheel rates.
    no_wrench : ndarray, shape (0, 6)
        No wrench from outside.
    """

    work: Work
    matrix: NDArray[np.float64]
    bias: NDArray[np.float64]
    tree_matrix: NDArray[np.float64]
    tree_bias: NDArray[np.float64]
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    no_wrench: NDArray[np.float64]


@compiled_part
def new_equations(tree: Tree) -> EquationsOfMotion:
    """Return room for the equations of a robot."""
    links, wheels = len(tree.parents), len(tree.carriers)
    size = 5 + links + wheels
    matrix, bias = np.zeros((size, size)), np.zeros(size)
    reduced_matrix, reduced_bias = matrix, bias
    if len(tree.following):
        reduced = size - len(tree.following)
        reduced_matrix, reduced_bias = np.zeros((reduced, reduced)), np.zeros(reduced)
    return EquationsOfMotion(
        new_work(links),
        reduced_matrix,
        reduced_bias,
        matrix,
        bias,
        np.zeros(links - 1),
        np.zeros(size),
        np.zeros((0, 6)),
    )


@compiled_part
def equations_of_motion(
    tree: Tree,
    q: NDArray[np.float64],
    velocity: NDArray[np.float64],
    equations: EquationsOfMotion,
) -> None:
    """Fill in mass matrix and bias forces ([Wilde 2018] Eqs. 26-37, with base and wheels in them).

    Parameters
    ----------
    tree : Tree
        Robot.
    q : ndarray, shape (>= n,)
        Joint positions, rad or m.
    velocity : ndarray, shape (6 + n + w,)
        Base twist in base axes, joint rates, wheel rates.
    equations : EquationsOfMotion
        Arrays to fill.
    """
    first_wheel, work, joints = 5 + len(tree.parents), equations.work, len(tree.leading)
    moving = equations.velocity
    expand_joints(tree, q, 1.0, equations.position)
    expand_joints(tree, velocity[6 : 6 + joints], 0.0, moving[6:first_wheel])
    moving[:6] = velocity[:6]
    moving[first_wheel:] = velocity[6 + joints :]
    nothing = moving[:0]
    state = State(
        equations.position,
        moving[6:first_wheel],
        moving[:6],
        nothing,
        moving[first_wheel:],
        nothing,
        equations.no_wrench,
    )
    move(tree, state, work)
    _accelerate_links(tree, state, work)
    for wheel in range(len(tree.carriers)):
        _put_wheel(tree, wheel, equations)
    for k in range(len(tree.parents) - 1, 0, -1):
        _put_joint(tree, k, equations)
    _put_base(equations)
    if len(tree.following):
        _add_followers(tree, equations)


@compiled_part
def _accelerate_links(tree: Tree, state: State, work: Work) -> None:
    """Fill in the links' accelerations at constant generalized velocity, and what they take."""
    twist = state.base_twist
    linear, turning = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    put(work.acceleration, 0, 0, cross(turning, linear))
    put(work.acceleration, 0, 3, (0.0, 0.0, 0.0))
    for k in range(len(tree.parents)):
        if k:
            parent = tree.parents[k]
            above, angular = take(work.acceleration, parent, 0), take(work.acceleration, parent, 3)
            carried = add(above, cross(angular, take(work.offset, k, 0)))
            put(work.acceleration, k, 0, add(carried, take(work.coriolis, k, 0)))
            put(work.acceleration, k, 3, add(angular, take(work.coriolis, k, 3)))
        linear, angular = take(work.acceleration, k, 0), take(work.acceleration, k, 3)
        wrench = wrench_of(take_inertia(work.inertia, k), linear, angular)
        increase(work.residual, k, 0, wrench[0])
        increase(work.residual, k, 3, wrench[1])


@compiled_part
def _put_wheel(tree: Tree, wheel: int, equations: EquationsOfMotion) -> None:
    """Fill in row and column of a wheel, and the torque that its carrier's motion takes."""
    work, matrix = equations.work, equations.tree_matrix
    row, link = 5 + len(tree.parents) + wheel, tree.carriers[wheel]
    axis = combine(axes_of(work, link), take(tree.wheel_axes, wheel, 0))
    spin = scale(tree.spin_inertias[wheel], axis)
    for column in range(len(matrix)):
        matrix[row, column] = 0.0
    put(matrix, row, 3, spin)
    equations.tree_bias[row] = dot(spin, take(work.acceleration, link, 3))
    while link > 0:
        if not tree.is_prismatic[link]:
            matrix[row, 5 + link] = dot(spin, take(work.axes, link, 6))
        link = tree.parents[link]
    matrix[row, row] = tree.spin_inertias[wheel]
    for column in range(row):
        matrix[column, row] = matrix[row, column]


@compiled_part
def _put_joint(tree: Tree, k: int, equations: EquationsOfMotion) -> None:
    """Fill in row and column of a joint, and hand what it carries on to the parent."""
    work, matrix = equations.work, equations.tree_matrix
    inertia, axis, resting = take_inertia(work.inertia, k), take(work.axes, k, 6), (0.0, 0.0, 0.0)
    row, offset, parent = 5 + k, take(work.offset, k, 0), tree.parents[k]
    lost, twisting = take(work.residual, k, 0), take(work.residual, k, 3)
    slides = tree.is_prismatic[k]
    equations.tree_bias[row] = dot(axis, lost if slides else twisting)
    increase(work.residual, parent, 0, lost)
    increase(work.residual, parent, 3, add(twisting, cross(offset, lost)))
    increase_inertia(work.inertia, parent, shifted(inertia, offset))
    force, moment = wrench_of(inertia, axis if slides else resting, resting if slides else axis)
    for other in range(6, row):
        matrix[row, other] = matrix[other, row] = 0.0
    link = k
    while link > 0:
        along = force if tree.is_prismatic[link] else moment
        shared = dot(take(work.axes, link, 6), along)
        matrix[row, 5 + link] = matrix[5 + link, row] = shared
        moment = add(moment, cross(take(work.offset, link, 0), force))
        link = tree.parents[link]
    put(matrix, row, 0, force)
    put(matrix, row, 3, moment)
    for column in range(6):
        matrix[column, row] = matrix[row, column]


@compiled_part
def _put_base(equations: EquationsOfMotion) -> None:
    """Fill in the rows of the base: the whole robot as one body."""
    matrix = equations.tree_matrix
    linear, mixed, angular = take_inertia(equations.work.inertia, 0)
    put(matrix, 0, 0, (linear[0], linear[3], linear[5]))
    put(matrix, 1, 0, (linear[3], linear[1], linear[4]))
    put(matrix, 2, 0, (linear[5], linear[4], linear[2]))
    for row in range(3):
        put(matrix, row, 3, mixed[row])
        for column in range(3):
            matrix[3 + column, row] = matrix[row, 3 + column]
    put(matrix, 3, 3, (angular[0], angular[3], angular[5]))
    put(matrix, 4, 3, (angular[3], angular[1], angular[4]))
    put(matrix, 5, 3, (angular[5], angular[4], angular[2]))
    for row in range(6):
        equations.tree_bias[row] = equations.work.residual[0, row]


@compiled_part
def _add_followers(tree: Tree, equations: EquationsOfMotion) -> None:
    """Add rows and columns of following joints to those that they follow; fill in the rest."""
    whole, bias, joints = equations.tree_matrix, equations.tree_bias, len(tree.leading)
    for follower in tree.following:
        for joint in range(joints):
            share, leader = tree.coupling[follower, joint], 6 + tree.leading[joint]
            if share != 0.0:
                whole[:, leader] += share * whole[:, 6 + follower]
                whole[leader, :] += share * whole[6 + follower, :]
                bias[leader] += share * bias[6 + follower]
    for row in range(len(equations.bias)):
        place = _place_in_tree(tree, row)
        equations.bias[row] = bias[place]
        for column in range(len(equations.bias)):
            equations.matrix[row, column] = whole[place, _place_in_tree(tree, column)]


@compiled_part
def _place_in_tree(tree: Tree, row: int) -> int:
    """Return the row, with all joints of the tree, of a row of base, leading joints, wheels."""
    if row < 6:
        return row
    if row < 6 + len(tree.leading):
        return 6 + tree.leading[row - 6]
    return row + len(tree.following)

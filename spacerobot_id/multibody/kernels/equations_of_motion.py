"""Mass matrix and bias forces of base, joints and wheels together, compiled for one state.

Composite rigid bodies and recursive Newton-Euler on one outward sweep, everything about the
origins of the links and in base axes ([Wilde 2018] Eqs. 26-37, with base and wheels in them).
The generalized velocity is base twist (linear, angular), joint rates, wheel rates; a wheel adds
its spin to the link that carries it and nothing else. The first six accelerations are the
derivatives of the base twist's components in base axes.
"""

# ruff: noqa: ANN001, ANN201, ANN202  numba infers the types

import numpy as np

from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.outward_sweep import (
    ACCELERATION,
    AXES,
    BASE,
    BODY,
    CORIOLIS,
    MASS,
    MOMENT,
    move,
    OFFSET,
    OMEGA,
    RESIDUAL,
    wheel_axis,
)
from spacerobot_id.multibody.kernels.small_vectors import (
    add,
    cross,
    dot,
    increase,
    put,
    scale,
    symmetric_times,
    take,
    take_symmetric,
)


@compiled_part
def equations_of_motion(tree, place, velocity, work, matrix, bias):
    """Fill in mass matrix and bias forces of ``M dv/dt + bias = force``.

    Parameters
    ----------
    tree : Tree
        Robot.
    place : ndarray, shape (>= n,)
        Joint positions, rad or m.
    velocity : ndarray, shape (6 + n + w,)
        Base twist in base axes, joint rates, wheel rates.
    work : ndarray, shape (links, COLUMNS)
        Room; the first row of its ``BODY`` is filled with the whole robot as one body.
    matrix, bias : ndarray, shapes (6 + n + w, 6 + n + w) and (6 + n + w,)
        Filled; the forces keep the generalized velocity constant.
    """
    joints, followers = len(tree.leading), len(tree.following)
    positions, rates = place, velocity[6:]
    of_tree, bias_of_tree = matrix, bias
    if followers:
        size = len(velocity) + followers
        positions, rates = np.empty(joints + followers), np.empty(joints + followers)
        expand_joints(tree, place, 1.0, positions)
        expand_joints(tree, velocity[6:], 0.0, rates)
        of_tree, bias_of_tree = np.empty((size, size)), np.empty(size)
    move(
        tree,
        positions,
        rates,
        (velocity[3], velocity[4], velocity[5]),
        velocity[6 + joints :],
        work,
    )
    _fill_bias(tree, velocity, work, bias_of_tree)
    _fill_matrix(tree, work, of_tree)
    if followers:
        _lead_followers(tree, of_tree, bias_of_tree, matrix, bias)


@compiled_part
def expand_joints(tree, values, at_zero, expanded):
    """Fill in values of all joints of the tree from those of the leading ones.

    The share of the joints' offsets is one for positions, zero for rates.
    """
    joints = len(tree.leading)
    for joint in range(joints):
        expanded[tree.leading[joint]] = values[joint]
    for each in range(len(tree.following)):
        row = tree.following[each]
        expanded[row] = at_zero * tree.coupling[row, joints]
        for joint in range(joints):
            expanded[row] += tree.coupling[row, joint] * values[joint]


@compiled_part
def _fill_bias(tree, velocity, work, bias):
    """Fill in bias forces: accelerations at constant generalized velocity, and what they take."""
    linear, omega = (velocity[0], velocity[1], velocity[2]), take(work, BASE, OMEGA)
    put(work, BASE, ACCELERATION, cross(omega, linear))
    put(work, BASE, ACCELERATION + 3, (0.0, 0.0, 0.0))
    links = len(tree.parents)
    for k in range(links):
        if k:
            parent = tree.parents[k]
            angular = take(work, parent, ACCELERATION + 3)
            carried = cross(angular, take(work, k, OFFSET))
            linear = add(take(work, parent, ACCELERATION), carried)
            put(work, k, ACCELERATION, add(linear, take(work, k, CORIOLIS)))
            put(work, k, ACCELERATION + 3, add(angular, take(work, k, CORIOLIS + 3)))
        linear, angular = take(work, k, ACCELERATION), take(work, k, ACCELERATION + 3)
        force, moment = _wrench(work, k, linear, angular)
        increase(work, k, RESIDUAL, force)
        increase(work, k, RESIDUAL + 3, moment)
    for k in range(links - 1, 0, -1):
        force, moment = take(work, k, RESIDUAL), take(work, k, RESIDUAL + 3)
        bias[5 + k] = dot(take(work, k, AXES + 6), force if tree.is_prismatic[k] else moment)
        increase(work, tree.parents[k], RESIDUAL, force)
        moment = add(moment, cross(take(work, k, OFFSET), force))
        increase(work, tree.parents[k], RESIDUAL + 3, moment)
    for row in range(6):
        bias[row] = work[0, RESIDUAL + row]
    for wheel in range(len(tree.carriers)):
        angular = take(work, tree.carriers[wheel], ACCELERATION + 3)
        axis = wheel_axis(tree, work, wheel)
        bias[5 + links + wheel] = tree.wheels[wheel, 3] * dot(axis, angular)


@compiled_part
def _wrench(work, k, linear, angular):
    """Return force and moment about its origin that a body's acceleration from rest takes."""
    moment = take(work, k, BODY + MOMENT)
    force = add(scale(work[k, BODY + MASS], linear), cross(angular, moment))
    torque = symmetric_times(take_symmetric(work, k, BODY), angular)
    return force, add(torque, cross(moment, linear))


@compiled_part
def _fill_matrix(tree, work, matrix):
    """Fill in the mass matrix; what hangs on a link is added to its body."""
    links, resting = len(tree.parents), (0.0, 0.0, 0.0)
    for row in range(len(matrix)):
        for column in range(row + 1):
            matrix[row, column] = 0.0
    for wheel in range(len(tree.carriers)):
        row, link = 5 + links + wheel, tree.carriers[wheel]
        spin = scale(tree.wheels[wheel, 3], wheel_axis(tree, work, wheel))
        matrix[row, row] = tree.wheels[wheel, 3]
        _fill_row(tree, work, link, resting, spin, matrix[row])
    for k in range(links - 1, 0, -1):
        axis = take(work, k, AXES + 6)
        if tree.is_prismatic[k]:
            force, moment = _wrench(work, k, axis, resting)
        else:
            force, moment = _wrench(work, k, resting, axis)
        _fill_row(tree, work, k, force, moment, matrix[5 + k])
        _add_body(work, k, tree.parents[k])
    for row in range(6):
        axis = row % 3
        unit = 1.0 * (axis == 0), 1.0 * (axis == 1), 1.0 * (axis == 2)
        if row < 3:
            force, moment = _wrench(work, BASE, unit, resting)
        else:
            force, moment = _wrench(work, BASE, resting, unit)
        put_row(matrix[row], force, moment)
    for row in range(len(matrix)):
        for column in range(row):
            matrix[column, row] = matrix[row, column]


@compiled_part
def _fill_row(tree, work, link, force, moment, row):
    """Fill in what a wrench on a link asks of the joints that carry it, and of the base."""
    while link > 0:
        axis = take(work, link, AXES + 6)
        row[5 + link] = dot(axis, force if tree.is_prismatic[link] else moment)
        moment = add(moment, cross(take(work, link, OFFSET), force))
        link = tree.parents[link]
    put_row(row, force, moment)


@compiled_part
def put_row(row, force, moment):
    """Write a wrench into the first six numbers of a row."""
    row[0], row[1], row[2] = force
    row[3], row[4], row[5] = moment


@compiled_part
def _add_body(work, k, parent):
    """Add the body of a link to its parent's."""
    offset, mass = take(work, k, OFFSET), work[k, BODY + MASS]
    moment = take(work, k, BODY + MOMENT)
    arm = add(scale(2.0, moment), scale(mass, offset))
    x, y, z = offset[0] * arm[0], offset[1] * arm[1], offset[2] * arm[2]
    increase(work, parent, BODY, add(take(work, k, BODY), (y + z, z + x, x + y)))
    work[parent, BODY + 3] += work[k, BODY + 3] - 0.5 * (offset[0] * arm[1] + offset[1] * arm[0])
    work[parent, BODY + 4] += work[k, BODY + 4] - 0.5 * (offset[1] * arm[2] + offset[2] * arm[1])
    work[parent, BODY + 5] += work[k, BODY + 5] - 0.5 * (offset[2] * arm[0] + offset[0] * arm[2])
    work[parent, BODY + MASS] += mass
    increase(work, parent, BODY + MOMENT, add(moment, scale(mass, offset)))


@compiled_part
def _lead_followers(tree, of_tree, bias_of_tree, matrix, bias):
    """Add rows and columns of following joints to those that they follow; fill in the rest."""
    size, joints, followers = len(bias), len(tree.leading), len(tree.following)
    for follower in tree.following:
        for joint in range(joints):
            share, leader = tree.coupling[follower, joint], 6 + tree.leading[joint]
            for other in range(len(of_tree)):
                of_tree[other, leader] += share * of_tree[other, 6 + follower]
            for other in range(len(of_tree)):
                of_tree[leader, other] += share * of_tree[6 + follower, other]
            bias_of_tree[leader] += share * bias_of_tree[6 + follower]
    places = np.empty(size, dtype=np.int64)
    for row in range(size):
        is_joint = 6 <= row < 6 + joints
        places[row] = (
            6 + tree.leading[row - 6] if is_joint else row if row < 6 else row + followers
        )
    for row in range(size):
        bias[row] = bias_of_tree[places[row]]
        for column in range(size):
            matrix[row, column] = of_tree[places[row], places[column]]

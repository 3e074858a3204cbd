"""Base motion and torques that conserve momentum, compiled over all samples of a motion.

Everything is in base axes. Links move with velocities of their origins; wrenches and momenta are
about the base's origin, where those of all links add up.
"""

# ruff: noqa: ANN001, ANN202  numba infers the types

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.articulated_body import expand_joints
from spacerobot_id.multibody.kernels.compiled import compiled, compiled_part
from spacerobot_id.multibody.kernels.linear_solver import solve_general
from spacerobot_id.multibody.kernels.outward_sweep import axes_of, joint_frame
from spacerobot_id.multibody.kernels.small_vectors import (
    add,
    combine,
    cross,
    dot,
    increase,
    put,
    scale,
    subtract,
    symmetric_times,
    take,
    turn_symmetric,
)
from spacerobot_id.multibody.kernels.spatial_inertia import take_symmetric
from spacerobot_id.multibody.kernels.tree_arrays import Tree


class _Links(NamedTuple):
    """The links at one sample, in base axes: a row each."""

    axes: NDArray
    """Three axes of each: 9 numbers."""
    place: NDArray
    """Origin from the base's."""
    moment: NDArray
    """First moment about its own origin."""
    inertia: NDArray
    """Inertia about its own origin: 6 numbers."""
    velocity: NDArray
    """Velocity of the origin, then angular velocity."""
    acceleration: NDArray
    """Those accelerations."""
    wrench: NDArray
    """What its motion takes about the base's origin, or its momentum."""


@compiled
def conserving_dynamics(
    tree: Tree,
    q: NDArray[np.float64],
    rates: NDArray[np.float64],
    accelerations: NDArray[np.float64],
    momentum: NDArray[np.float64],
    twist: NDArray[np.float64],
    base_acceleration: NDArray[np.float64],
    torques: NDArray[np.float64],
) -> None:
    """Fill in what a robot without wrench from outside does ([Wilde 2018] Eq. 44).

    Parameters
    ----------
    tree : Tree
        Robot with n joints and w wheels.
    q : ndarray, shape (N, n)
        Joint positions, rad or m.
    rates, accelerations : ndarray, shape (N, n + w)
        Those of joints, then wheels.
    momentum : ndarray, shape (N, 6)
        Momentum of the whole system in base axes about the base's origin.
    twist : ndarray, shape (N, 6)
        To fill: twist of the base in base axes.
    base_acceleration : ndarray, shape (N, 6)
        To fill: acceleration of the base's origin against the inertial frame, and angular
        acceleration, in base axes.
    torques : ndarray, shape (N, n + w)
        To fill: torques of joints, then wheels.
    """
    count, joints = len(tree.parents), len(tree.leading)
    links = _Links(
        np.empty((count, 9)),
        np.empty((count, 3)),
        np.empty((count, 3)),
        np.empty((count, 6)),
        np.empty((count, 6)),
        np.empty((count, 6)),
        np.empty((count, 6)),
    )
    position, rate, speeding = np.empty(count - 1), np.empty(count - 1), np.empty(count - 1)
    force, of_base, factors = np.empty(count - 1), np.empty((6, 6)), np.empty((6, 6))
    for sample in range(len(q)):
        expand_joints(tree, q[sample], 1.0, position)
        expand_joints(tree, rates[sample, :joints], 0.0, rate)
        expand_joints(tree, accelerations[sample, :joints], 0.0, speeding)
        _place(tree, position, links)
        _fill_inertia(tree, links, of_base)
        wheel_rates, wheel_accelerations = rates[sample, joints:], accelerations[sample, joints:]
        twist[sample], base_acceleration[sample] = 0.0, 0.0
        for turn in range(4):  # at rest, on the way, held, free: what is inlined is compiled once
            if turn < 2:
                _move(tree, rate, twist[sample], links)
            if turn == 0:
                _fill_momenta(tree, wheel_rates, links)
                twist[sample] = momentum[sample] - links.wrench[0]
                factors[:] = of_base
                solve_general(factors, twist[sample])
            if turn > 1:
                _fill_wrenches(
                    tree, rate, speeding, wheel_rates, wheel_accelerations,
                    base_acceleration[sample], links, force,
                )  # fmt: skip
            if turn == 2:
                base_acceleration[sample] = -links.wrench[0]
                factors[:] = of_base
                solve_general(factors, base_acceleration[sample])
        for joint in range(joints):
            torques[sample, joint] = force[tree.leading[joint]]
            for follower in tree.following:
                torques[sample, joint] += tree.coupling[follower, joint] * force[follower]
        for wheel in range(len(tree.carriers)):
            link = tree.carriers[wheel]
            axis = combine(axes_of(links, link), take(tree.wheel_axes, wheel, 0))
            carried = dot(axis, take(links.acceleration, link, 3))
            torques[sample, joints + wheel] = tree.spin_inertias[wheel] * (
                wheel_accelerations[wheel] + carried
            )


@compiled_part
def _place(tree, position, links):
    """Fill in axes, origins, first moments and inertias of all links."""
    for k in range(len(tree.parents)):
        x, y, z, place = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
        if k:
            parent = axes_of(links, tree.parents[k])
            (x, y, z), offset = joint_frame(tree, k, parent, position[k - 1])
            place = add(take(links.place, tree.parents[k], 0), offset)
        put(links.axes, k, 0, x)
        put(links.axes, k, 3, y)
        put(links.axes, k, 6, z)
        put(links.place, k, 0, place)
        axes = x, y, z
        put(links.moment, k, 0, combine(axes, take(tree.parameters, k, 7)))
        inertia = turn_symmetric(axes, take_symmetric(tree.parameters, k, 0))
        put(links.inertia, k, 0, (inertia[0], inertia[1], inertia[2]))
        put(links.inertia, k, 3, (inertia[3], inertia[4], inertia[5]))


@compiled_part
def _fill_inertia(tree, links, of_base):
    """Fill in the matrix from the base's twist to momentum: column by column, link by link."""
    of_base[:] = 0.0
    for column in range(6):
        one = 1.0 * (column % 3 == 0), 1.0 * (column % 3 == 1), 1.0 * (column % 3 == 2)
        for k in range(len(tree.parents)):
            place, turning, linear = take(links.place, k, 0), (0.0, 0.0, 0.0), one
            if column > 2:
                turning, linear = one, cross(one, place)
            first, last = _momentum(tree, links, k, linear, turning)
            for row in range(3):
                of_base[row, column] += first[row]
                of_base[3 + row, column] += last[row]


@compiled_part
def _momentum(tree, links, k, linear, turning):
    """Return the momentum of a link about the base's origin."""
    moment = take(links.moment, k, 0)
    first = add(scale(tree.parameters[k, 6], linear), cross(turning, moment))
    last = add(
        symmetric_times(take_symmetric(links.inertia, k, 0), turning), cross(moment, linear)
    )
    return first, add(last, cross(take(links.place, k, 0), first))


@compiled_part
def _move(tree, rate, twist, links):
    """Fill in the velocities of all links."""
    put(links.velocity, 0, 0, (twist[0], twist[1], twist[2]))
    put(links.velocity, 0, 3, (twist[3], twist[4], twist[5]))
    for k in range(1, len(tree.parents)):
        parent, axis = tree.parents[k], take(links.axes, k, 6)
        offset = subtract(take(links.place, k, 0), take(links.place, parent, 0))
        turning = take(links.velocity, parent, 3)
        linear = add(take(links.velocity, parent, 0), cross(turning, offset))
        if tree.is_prismatic[k]:
            linear = add(linear, scale(rate[k - 1], axis))
        else:
            turning = add(turning, scale(rate[k - 1], axis))
        put(links.velocity, k, 0, linear)
        put(links.velocity, k, 3, turning)


@compiled_part
def _fill_momenta(tree, wheel_rates, links):
    """Fill in the momentum of all links, wheels among them, as the wrench of the base."""
    links.wrench[0] = 0.0
    for k in range(len(tree.parents)):
        linear, turning = take(links.velocity, k, 0), take(links.velocity, k, 3)
        first, last = _momentum(tree, links, k, linear, turning)
        increase(links.wrench, 0, 0, first)
        increase(links.wrench, 0, 3, last)
    for wheel in range(len(tree.carriers)):
        axis = combine(axes_of(links, tree.carriers[wheel]), take(tree.wheel_axes, wheel, 0))
        increase(links.wrench, 0, 3, scale(tree.spin_inertias[wheel] * wheel_rates[wheel], axis))


@compiled_part
def _fill_wrenches(
    tree, rate, speeding, wheel_rates, wheel_accelerations, base_acceleration, links, force
):
    """Fill in accelerations, the wrenches that they take, and what of these the joints give."""
    links.acceleration[0] = base_acceleration
    for k in range(len(tree.parents)):
        if k:
            _accelerate(tree, k, rate[k - 1], speeding[k - 1], links)
        _weigh(tree, k, links)
    for wheel in range(len(tree.carriers)):
        link = tree.carriers[wheel]
        axis = combine(axes_of(links, link), take(tree.wheel_axes, wheel, 0))
        spin = scale(tree.spin_inertias[wheel] * wheel_rates[wheel], axis)
        increase(links.wrench, link, 3, cross(take(links.velocity, link, 3), spin))
        faster = scale(tree.spin_inertias[wheel] * wheel_accelerations[wheel], axis)
        increase(links.wrench, link, 3, faster)
    for k in range(len(tree.parents) - 1, 0, -1):
        axis, along, moment = (
            take(links.axes, k, 6),
            take(links.wrench, k, 0),
            take(links.wrench, k, 3),
        )
        if tree.is_prismatic[k]:
            force[k - 1] = dot(axis, along)
        else:
            force[k - 1] = dot(axis, subtract(moment, cross(take(links.place, k, 0), along)))
        increase(links.wrench, tree.parents[k], 0, along)
        increase(links.wrench, tree.parents[k], 3, moment)


@compiled_part
def _accelerate(tree, k, rate, speeding, links):
    """Fill in the acceleration of a link from its parent's."""
    parent, axis = tree.parents[k], take(links.axes, k, 6)
    offset = subtract(take(links.place, k, 0), take(links.place, parent, 0))
    turning, angular = take(links.velocity, parent, 3), take(links.acceleration, parent, 3)
    linear = add(take(links.acceleration, parent, 0), cross(angular, offset))
    linear = add(linear, cross(turning, cross(turning, offset)))
    coriolis = scale(rate, cross(turning, axis))
    if tree.is_prismatic[k]:
        linear = add(linear, add(scale(speeding, axis), scale(2.0, coriolis)))
    else:
        angular = add(angular, add(scale(speeding, axis), coriolis))
    put(links.acceleration, k, 0, linear)
    put(links.acceleration, k, 3, angular)


@compiled_part
def _weigh(tree, k, links):
    """Fill in the wrench that a link's motion takes ([Jain 1995] Eq. 2.1)."""
    turning, moment = take(links.velocity, k, 3), take(links.moment, k, 0)
    linear, angular = take(links.acceleration, k, 0), take(links.acceleration, k, 3)
    inertia = take_symmetric(links.inertia, k, 0)
    first, last = _momentum(tree, links, k, linear, angular)
    centripetal = cross(turning, cross(turning, moment))
    gyroscopic = cross(turning, symmetric_times(inertia, turning))
    put(links.wrench, k, 0, add(first, centripetal))
    turned = add(gyroscopic, cross(take(links.place, k, 0), centripetal))
    put(links.wrench, k, 3, add(last, turned))

"""The articulated-body algorithm, compiled ([Jain 1995] Algorithms 2 and 3, section 3.4).

Recursions towards the base run backwards through the links and gather what their children give;
those away from it run forwards and scatter.
"""

# ruff: noqa: ANN001, ANN201, ANN202  numba infers the types

from typing import NamedTuple

import numpy as np

from spacerobot_id.multibody.kernels.compiled import compiled, compiled_part
from spacerobot_id.multibody.kernels.linear_solver import solve_general
from spacerobot_id.multibody.kernels.outward_sweep import axes_of, move, new_work, State, Work
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
    acceleration_of,
    increase_inertia,
    shifted,
    take_inertia,
    without_joint,
    wrench_of,
)

GOOD, NOT_FINITE = -1, -2
"""Outcomes of a state beside the number of the link whose articulated inertia is not positive."""


class Load(NamedTuple):
    """What acts besides the forces of a state, in base axes."""

    moment: tuple[float, float, float]
    """On the base, N m."""
    field: tuple[float, float, float]
    """On every mass in proportion to it, as weight, m/s^2."""
    is_planar: bool
    """Whether a table keeps the base from rising and tilting."""


@compiled_part
def accelerate(tree, state, load, work):
    """Fill in all rows of the work; return GOOD or the link whose inertia is not positive.

    The state has all joints of the tree.
    Accelerations of links are then in ``work.acceleration``, of joints in the last column of
    ``work.effort``; ``wheel_acceleration`` gives that of a wheel.

    Joints that follow others are held to it by torques that do no work: they are found from how
    the accelerations answer to each of them, and added to those of the state.
    """
    count = len(tree.following)
    outcome = _accelerate_tree(tree, state, load, work)
    if count == 0 or outcome != GOOD:
        return outcome
    at_rest, answer = np.empty(count), np.empty((count, count))
    _lag_behind(tree, work, at_rest)
    for each in range(count):
        _hold(tree, each, 1.0, state.joint_torque)
        outcome = _accelerate_tree(tree, state, load, work)
        if outcome != GOOD:
            return outcome
        _lag_behind(tree, work, answer[each])
        _hold(tree, each, -1.0, state.joint_torque)
        for row in range(count):
            answer[each, row] -= at_rest[row]
    holding, transposed = -at_rest, answer.T.copy()
    solve_general(transposed, holding)
    for each in range(count):
        _hold(tree, each, holding[each], state.joint_torque)
    return _accelerate_tree(tree, state, load, work)


@compiled_part
def _accelerate_tree(tree, state, load, work):
    """Fill in all rows of the work, each joint on its own."""
    move(tree, state, work)
    increase(work.residual, 0, 3, scale(-1.0, load.moment))
    if load.field != (0.0, 0.0, 0.0):
        for link in range(len(tree.parents)):
            own = combine(axes_of(work, link), take(tree.parameters, link, 7))
            increase(work.residual, link, 0, scale(-tree.parameters[link, 6], load.field))
            increase(work.residual, link, 3, scale(-1.0, cross(own, load.field)))
    outcome = gather(tree, state, work)
    if outcome != GOOD:
        return outcome
    if load.is_planar:
        _hold_in_plane(work)
    return scatter(tree, work)


@compiled_part
def _hold_in_plane(work):
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


@compiled_part
def _lag_behind(tree, work, lag):
    """Fill in by how much following joints accelerate more than they should."""
    for each in range(len(tree.following)):
        follower = tree.following[each]
        lag[each] = work.effort[follower + 1, 2]
        for joint in range(len(tree.leading)):
            wanted = tree.coupling[follower, joint]
            lag[each] -= wanted * work.effort[tree.leading[joint] + 1, 2]


@compiled_part
def _hold(tree, each, torque, joint_torque):
    """Add a torque on a following joint, and what it takes from the joint that it follows."""
    follower = tree.following[each]
    joint_torque[follower] += torque
    for joint in range(len(tree.leading)):
        joint_torque[tree.leading[joint]] -= torque * tree.coupling[follower, joint]


@compiled_part
def expand_joints(tree, values, at_zero, expanded):
    """Fill in values of all joints of the tree from those of the leading ones.

    The share of the joints' offsets is one for positions, zero for rates.
    """
    if len(tree.following) == 0:
        for joint in range(len(expanded)):
            expanded[joint] = values[joint]
        return
    for row in range(len(expanded)):
        expanded[row] = at_zero * tree.offset[row]
        for joint in range(len(tree.leading)):
            expanded[row] += tree.coupling[row, joint] * values[joint]


@compiled_part
def put_torques(tree, torques, expanded):
    """Fill in torques of all joints of the tree: leading ones have motors."""
    for joint in range(len(expanded)):
        expanded[joint] = 0.0
    for joint in range(len(tree.leading)):
        expanded[tree.leading[joint]] = torques[joint]


@compiled_part
def gather(tree, state, work):
    """Turn M into P and b into z from the tips to the base (Algorithm 2, Eq. 2.13a).

    Returns GOOD, or the link whose joint has no positive inertia D.
    """
    for k in range(len(tree.parents) - 1, 0, -1):
        inertia, axis = take_inertia(work.inertia, k), take(work.axes, k, 6)
        coriolis = wrench_of(inertia, take(work.coriolis, k, 0), take(work.coriolis, k, 3))
        increase(work.residual, k, 0, coriolis[0])
        increase(work.residual, k, 3, coriolis[1])
        force, moment = take(work.residual, k, 0), take(work.residual, k, 3)
        resting = 0.0, 0.0, 0.0
        if tree.is_prismatic[k]:
            reach = wrench_of(inertia, axis, resting)
            effort = dot(axis, reach[0])
            spare = state.joint_torque[k - 1] - dot(axis, force)
        else:
            reach = wrench_of(inertia, resting, axis)
            effort = dot(axis, reach[1])
            spare = state.joint_torque[k - 1] - dot(axis, moment)
        if effort <= 0.0:
            return k
        put(work.reach, k, 0, reach[0])
        put(work.reach, k, 3, reach[1])
        work.effort[k, 0], work.effort[k, 1] = effort, spare
        parent, offset = tree.parents[k], take(work.offset, k, 0)
        passed = without_joint(inertia, reach[0], reach[1], effort)
        increase_inertia(work.inertia, parent, shifted(passed, offset))
        force = add(force, scale(spare / effort, reach[0]))
        moment = add(moment, scale(spare / effort, reach[1]))
        increase(work.residual, parent, 0, force)
        increase(work.residual, parent, 3, add(moment, cross(offset, force)))
    return GOOD


@compiled_part
def scatter(tree, work):
    """Fill in the accelerations from the base to the tips (Eqs. 3.2, 2.13b)."""
    force = scale(-1.0, take(work.residual, 0, 0))
    moment = scale(-1.0, take(work.residual, 0, 3))
    linear, angular, pivot = acceleration_of(take_inertia(work.inertia, 0), force, moment)
    if pivot <= 0.0:
        return 0
    put(work.acceleration, 0, 0, linear)
    put(work.acceleration, 0, 3, angular)
    for k in range(1, len(tree.parents)):
        parent = tree.parents[k]
        angular, axis = take(work.acceleration, parent, 3), take(work.axes, k, 6)
        linear = take(work.acceleration, parent, 0)
        linear = add(linear, cross(angular, take(work.offset, k, 0)))
        pulled = dot(take(work.reach, k, 0), linear) + dot(take(work.reach, k, 3), angular)
        joint = (work.effort[k, 1] - pulled) / work.effort[k, 0]
        work.effort[k, 2] = joint
        linear = add(linear, take(work.coriolis, k, 0))
        angular = add(angular, take(work.coriolis, k, 3))
        if tree.is_prismatic[k]:
            linear = add(linear, scale(joint, axis))
        else:
            angular = add(angular, scale(joint, axis))
        put(work.acceleration, k, 0, linear)
        put(work.acceleration, k, 3, angular)
    return GOOD


@compiled_part
def wheel_acceleration(tree, state, work, wheel):
    """Return the acceleration of a wheel against its carrier: zero where wheels are held."""
    if not len(state.wheel_torque):
        return 0.0
    k = tree.carriers[wheel]
    axis = combine(axes_of(work, k), take(tree.wheel_axes, wheel, 0))
    carried = dot(axis, take(work.acceleration, k, 3))
    return state.wheel_torque[wheel] / tree.spin_inertias[wheel] - carried


@compiled
def accelerate_samples(
    tree,
    q,
    qd,
    base_twist,
    joint_torque,
    wheel_rates,
    wheel_torque,
    wrenches,
    base_acceleration,
    qdd,
    wheel_accelerations,
):
    """Fill in base, joint and wheel accelerations of all samples.

    Returns the sample that failed, or N, and its outcome.
    """
    work, rest = new_work(len(tree.parents)), (0.0, 0.0, 0.0)
    position, rate, torque = np.empty((3, len(tree.parents) - 1))
    for i in range(len(q)):
        expand_joints(tree, q[i], 1.0, position)
        expand_joints(tree, qd[i], 0.0, rate)
        put_torques(tree, joint_torque[i], torque)
        state = State(
            position, rate, base_twist[i], torque, wheel_rates[i], wheel_torque[i], wrenches[i]
        )
        outcome = accelerate(tree, state, Load(rest, rest, False), work)
        if outcome != GOOD:
            return i, outcome
        total = 0.0
        for element in range(6):
            base_acceleration[i, element] = work.acceleration[0, element]
            total += 0.0 * base_acceleration[i, element]
        for joint in range(len(tree.leading)):
            qdd[i, joint] = work.effort[tree.leading[joint] + 1, 2]
            total += 0.0 * qdd[i, joint]
        for wheel in range(len(tree.carriers)):
            wheel_accelerations[i, wheel] = wheel_acceleration(tree, state, work, wheel)
            total += 0.0 * wheel_accelerations[i, wheel]
        if total != 0.0:
            return i, NOT_FINITE
    return len(q), GOOD


@compiled
def gather_samples(
    tree,
    q,
    qd,
    base_twist,
    joint_torque,
    wheel_rates,
    wheel_torque,
    wrenches,
    link_inertia,
    gyroscopic,
    work_arrays,
):
    """Fill in M, b and all rows of the work but accelerations, for all samples.

    Returns the sample that failed, or N, and its outcome.
    """
    axes, offset, turning, coriolis, inertia, residual, reach, effort = work_arrays
    acceleration = new_work(len(tree.parents)).acceleration
    for i in range(len(q)):
        state = State(
            q[i],
            qd[i],
            base_twist[i],
            joint_torque[i],
            wheel_rates[i],
            wheel_torque[i],
            wrenches[i],
        )
        work = Work(
            axes[i],
            offset[i],
            turning[i],
            coriolis[i],
            inertia[i],
            residual[i],
            reach[i],
            effort[i],
            acceleration,
        )
        move(tree, state, work)
        link_inertia[i] = work.inertia
        gyroscopic[i] = work.residual
        outcome = gather(tree, state, work)
        if outcome != GOOD:
            return i, outcome
    return len(q), GOOD

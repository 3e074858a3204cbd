"""The articulated-body algorithm, compiled ([Jain 1995] Algorithms 2 and 3, section 3.4).

Recursions towards the base run backwards through the links and gather what their children give;
those away from it run forwards and scatter.

A body is a matrix from linear and angular acceleration to force and moment, about its link's
origin; what else the recursions find stands in further columns of the sweep's array.
"""

# ruff: noqa: ANN001, ANN201, ANN202  numba infers the types

import numpy as np

from spacerobot_id.multibody.kernels.compiled import compiled, compiled_part
from spacerobot_id.multibody.kernels.equations_of_motion import expand_joints
from spacerobot_id.multibody.kernels.outward_sweep import (
    ACCELERATION,
    AXES,
    axes_of,
    BASE,
    BODY,
    CORIOLIS,
    MASS,
    MOMENT,
    move,
    OFFSET,
    RESIDUAL,
    wheel_axis,
)
from spacerobot_id.multibody.kernels.small_vectors import (
    add,
    combine,
    cross,
    dot,
    increase,
    put,
    scale,
    solve_definite,
    solve_general,
    take,
    take_symmetric,
)

GOOD, NOT_FINITE = -1, -2
"""Outcomes of a state beside the number of the link whose articulated inertia is not positive."""

REACH, EFFORT = np.int64([43, 49])
"""P H*, force that goes with a unit of joint acceleration, 6 numbers; D, inertia about the joint,
epsilon, torque to spare, and joint acceleration."""

ALL_COLUMNS = 52
"""Columns that the recursions need."""


@compiled_part
def begin(tree, motion, work, bodies):
    """Fill in all that the motion of the links, wheels and wrenches from outside give: M and b.

    A wheel's motor gives it ``J (a . dw/dt + rate')``, so that with I the inertia of carrier and
    wheel, J that of the spin, ``(I - J a a^T) dw/dt + w x (I w + J (rate) a) = moment - tau a``.
    Wheels that have no torque are held at their rates.
    """
    positions, rates, twist, wheel_rates, wheel_torque, wrenches = motion
    move(tree, positions, rates, (twist[3], twist[4], twist[5]), wheel_rates, work)
    for k in range(len(bodies)):
        _begin_body(work, k, bodies[k])
    for wheel in range(len(wheel_torque)):
        k, axis, spin = tree.carriers[wheel], wheel_axis(tree, work, wheel), tree.wheels[wheel, 3]
        increase(work, k, RESIDUAL + 3, scale(wheel_torque[wheel], axis))
        for row in range(3):
            for column in range(3):
                bodies[k, 3 + row, 3 + column] -= spin * axis[row] * axis[column]
    for k in range(len(wrenches)):
        axes = axes_of(work, k)
        for half in range(2):
            wrench = wrenches[k, 3 * half], wrenches[k, 3 * half + 1], wrenches[k, 3 * half + 2]
            increase(work, k, RESIDUAL + 3 * half, scale(-1.0, combine(axes, wrench)))


@compiled_part
def _begin_body(work, k, body):
    """Fill in the inertia of a link alone, that of a rigid body ([Jain 1995] above Eq. 2.1)."""
    mass, (x, y, z) = work[k, BODY + MASS], take(work, k, BODY + MOMENT)
    xx, yy, zz, xy, yz, zx = take_symmetric(work, k, BODY)
    body[:] = 0.0
    body[0, 0] = body[1, 1] = body[2, 2] = mass
    body[0, 4] = body[4, 0] = z
    body[0, 5] = body[5, 0] = -y
    body[1, 3] = body[3, 1] = -z
    body[1, 5] = body[5, 1] = x
    body[2, 3] = body[3, 2] = y
    body[2, 4] = body[4, 2] = -x
    body[3, 3], body[4, 4], body[5, 5] = xx, yy, zz
    body[3, 4] = body[4, 3] = xy
    body[4, 5] = body[5, 4] = yz
    body[3, 5] = body[5, 3] = zx


@compiled_part
def _accelerate(tree, motion, torque, work, bodies):
    """Fill in the rest of the work; return GOOD or the link whose inertia is not positive.

    Accelerations of links are then in ``ACCELERATION``, of joints in the last column of
    ``EFFORT``. Joints that follow others are held to it by torques that do no work: they are
    found from how the accelerations answer to each of them, and added to those given.
    """
    count = len(tree.following)
    outcome = _accelerate_tree(tree, motion, torque, work, bodies)
    if count == 0 or outcome != GOOD:
        return outcome
    at_rest, answer = np.empty(count), np.empty((count, count))
    _lag_behind(tree, work, at_rest)
    for each in range(count):
        _hold(tree, each, 1.0, torque)
        outcome = _accelerate_tree(tree, motion, torque, work, bodies)
        if outcome != GOOD:
            return outcome
        _lag_behind(tree, work, answer[each])
        _hold(tree, each, -1.0, torque)
        for row in range(count):
            answer[each, row] -= at_rest[row]
    holding, transposed = -at_rest, answer.T.copy()
    solve_general(transposed, holding)
    for each in range(count):
        _hold(tree, each, holding[each], torque)
    return _accelerate_tree(tree, motion, torque, work, bodies)


@compiled_part
def _accelerate_tree(tree, motion, torque, work, bodies):
    """Fill in the rest of the work, each joint on its own."""
    begin(tree, motion, work, bodies)
    outcome = gather(tree, torque, work, bodies)
    return outcome if outcome != GOOD else scatter(tree, work, bodies[0])


@compiled_part
def _lag_behind(tree, work, lag):
    """Fill in by how much following joints accelerate more than they should."""
    for each in range(len(tree.following)):
        follower = tree.following[each]
        lag[each] = work[follower + 1, EFFORT + 2]
        for joint in range(len(tree.leading)):
            wanted = tree.coupling[follower, joint]
            lag[each] -= wanted * work[tree.leading[joint] + 1, EFFORT + 2]


@compiled_part
def _hold(tree, each, torque, joint_torque):
    """Add a torque on a following joint, and what it takes from the joint that it follows."""
    follower = tree.following[each]
    joint_torque[follower] += torque
    for joint in range(len(tree.leading)):
        joint_torque[tree.leading[joint]] -= torque * tree.coupling[follower, joint]


@compiled_part
def gather(tree, torque, work, bodies):
    """Turn M into P and b into z from the tips to the base (Algorithm 2, Eq. 2.13a).

    Returns GOOD, or the link whose joint has no positive inertia D.
    """
    passed, force = np.empty((6, 6)), np.empty(6)
    for k in range(len(bodies) - 1, 0, -1):
        body, first = bodies[k], 0 if tree.is_prismatic[k] else 3
        axis, coriolis = work[k, AXES + 6 : OFFSET], work[k, CORIOLIS : CORIOLIS + 6]
        residual, reach = work[k, RESIDUAL:ACCELERATION], work[k, REACH:EFFORT]
        along = body[first : first + 3]
        for row in range(6):
            reach[row] = (
                axis[0] * along[0, row] + axis[1] * along[1, row] + axis[2] * along[2, row]
            )
            for column in range(6):
                residual[row] += body[column, row] * coriolis[column]
        effort, spare = 0.0, torque[k - 1]
        for each in range(3):
            effort += axis[each] * reach[first + each]
            spare -= axis[each] * residual[first + each]
        if effort <= 0.0:
            return k
        work[k, EFFORT], work[k, EFFORT + 1] = effort, spare
        for row in range(6):
            gain = reach[row] / effort
            force[row] = residual[row] + gain * spare
            for column in range(6):
                passed[row, column] = body[row, column] - gain * reach[column]
        parent = tree.parents[k]
        of_parent = bodies[parent], work[parent, RESIDUAL:ACCELERATION]
        _pass_on(take(work, k, OFFSET), passed, force, *of_parent)
    return GOOD


@compiled_part
def _pass_on(offset, passed, force, body, residual):
    """Add what passes through a joint to the parent: ``phi P+ phi*``, ``phi z+`` (Eq. 2.6).

    ``P+ = P - P H* D^-1 H P`` is overwritten.
    """
    x, y, z = offset
    for column in range(6):
        passed[3, column] += y * passed[2, column] - z * passed[1, column]
        passed[4, column] += z * passed[0, column] - x * passed[2, column]
        passed[5, column] += x * passed[1, column] - y * passed[0, column]
    moment = cross(offset, (force[0], force[1], force[2]))
    for row in range(6):
        a, b, c = passed[row, 0], passed[row, 1], passed[row, 2]
        passed[row, 3] += y * c - z * b
        passed[row, 4] += z * a - x * c
        passed[row, 5] += x * b - y * a
        for column in range(6):
            body[row, column] += passed[row, column]
        residual[row] += force[row]
    for axis in range(3):
        residual[3 + axis] += moment[axis]


@compiled_part
def scatter(tree, work, base):
    """Fill in the accelerations from the base to the tips (Eqs. 3.2, 2.13b).

    The base's P is overwritten.
    """
    acceleration = -work[BASE, RESIDUAL : RESIDUAL + 6]
    if solve_definite(base, acceleration) >= 0:
        return 0
    work[BASE, ACCELERATION : ACCELERATION + 6] = acceleration
    for k in range(1, len(tree.parents)):
        parent = tree.parents[k]
        angular, axis = take(work, parent, ACCELERATION + 3), take(work, k, AXES + 6)
        linear = take(work, parent, ACCELERATION)
        linear = add(linear, cross(angular, take(work, k, OFFSET)))
        pulled = dot(take(work, k, REACH), linear) + dot(take(work, k, REACH + 3), angular)
        joint = (work[k, EFFORT + 1] - pulled) / work[k, EFFORT]
        work[k, EFFORT + 2] = joint
        put(work, k, ACCELERATION, add(linear, take(work, k, CORIOLIS)))
        put(work, k, ACCELERATION + 3, add(angular, take(work, k, CORIOLIS + 3)))
        moved = ACCELERATION if tree.is_prismatic[k] else ACCELERATION + 3
        increase(work, k, moved, scale(joint, axis))
    return GOOD


@compiled
def accelerate_samples(tree, inputs, base_acceleration, qdd, wheel_accelerations):
    """Fill in base, joint and wheel accelerations of all samples.

    Returns the sample that failed, or N, and its outcome.
    """
    q, qd, twist, joint_torque, wheel_rates, wheel_torque, wrenches = inputs
    links, driven = len(tree.parents), wheel_torque.shape[1]
    work, bodies = np.empty((links, ALL_COLUMNS)), np.empty((links, 6, 6))
    position, rate, torque = np.empty(links - 1), np.empty(links - 1), np.empty(links - 1)
    for i in range(len(q)):
        expand_joints(tree, q[i], 1.0, position)
        expand_joints(tree, qd[i], 0.0, rate)
        torque[:] = 0.0
        torque[tree.leading] = joint_torque[i]
        motion = position, rate, twist[i], wheel_rates[i], wheel_torque[i], wrenches[i]
        outcome = _accelerate(tree, motion, torque, work, bodies)
        if outcome != GOOD:
            return i, outcome
        base_acceleration[i] = work[0, ACCELERATION : ACCELERATION + 6]
        for joint in range(len(tree.leading)):
            qdd[i, joint] = work[tree.leading[joint] + 1, EFFORT + 2]
        for wheel in range(len(tree.carriers)):
            wheel_accelerations[i, wheel] = 0.0
            if driven:
                carried = take(work, tree.carriers[wheel], ACCELERATION + 3)
                own = wheel_torque[i, wheel] / tree.wheels[wheel, 3]
                wheel_accelerations[i, wheel] = own - dot(wheel_axis(tree, work, wheel), carried)
        for found in (base_acceleration[i], qdd[i], wheel_accelerations[i]):
            if not np.isfinite(found).all():
                return i, NOT_FINITE
    return len(q), GOOD


@compiled
def gather_samples(tree, inputs, own_residuals, own_bodies, works, bodies):
    """Fill in works and bodies, all but accelerations, and residuals and bodies of links alone.

    Returns the sample that failed, or N, and its outcome.
    """
    q, qd, twist, joint_torque, wheel_rates, wheel_torque, wrenches = inputs
    for i in range(len(q)):
        motion = q[i], qd[i], twist[i], wheel_rates[i], wheel_torque[i], wrenches[i]
        work = works[i]
        begin(tree, motion, work, bodies[i])
        own_residuals[i], own_bodies[i] = work[:, RESIDUAL : RESIDUAL + 6], bodies[i]
        outcome = gather(tree, joint_torque[i], work, bodies[i])
        if outcome != GOOD:
            return i, outcome
    return len(q), GOOD

"""The articulated-body algorithm, compiled ([Jain 1995] Algorithms 2 and 3, section 3.4).

Recursions towards the base run backwards through the links and gather what their children give;
those away from it run forwards and scatter.

An inertia is three blocks, ``(linear, mixed, angular)``: with linear and angular acceleration v, w
force is ``linear v + mixed w`` and moment is ``mixed^T v + angular w``. The first and the last
are symmetric, the mixed one is three rows. In the recursions' array they are 21 columns.
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
    project,
    put,
    put_symmetric,
    scale,
    solve_factored,
    solve_general,
    subtract,
    symmetric_factors,
    symmetric_times,
    take,
    take_symmetric,
)

ARTICULATED = np.int64(43)
"""The first column of an inertia."""


@compiled_part
def take_inertia(work, k):
    """Return the inertia of a link."""
    mixed = take(work, k, ARTICULATED + 6), take(work, k, ARTICULATED + 9)
    last = take(work, k, ARTICULATED + 12)
    first = take_symmetric(work, k, ARTICULATED)
    return first, (*mixed, last), take_symmetric(work, k, ARTICULATED + 15)


@compiled_part
def increase_inertia(work, k, inertia):
    """Add an inertia to that of a link."""
    linear, mixed, angular = inertia
    for element in range(6):
        work[k, ARTICULATED + element] += linear[element]
        work[k, ARTICULATED + 15 + element] += angular[element]
    for row in range(3):
        increase(work, k, ARTICULATED + 6 + 3 * row, mixed[row])


@compiled_part
def begin_inertia(work, k):
    """Fill in the inertia of a link alone, that of a rigid body ([Jain 1995] above Eq. 2.1)."""
    mass, (x, y, z) = work[k, BODY + MASS], take(work, k, BODY + MOMENT)
    put(work, k, ARTICULATED, (mass, mass, mass))
    put(work, k, ARTICULATED + 3, (0.0, 0.0, 0.0))
    put(work, k, ARTICULATED + 6, (0.0, z, -y))
    put(work, k, ARTICULATED + 9, (-z, 0.0, x))
    put(work, k, ARTICULATED + 12, (y, -x, 0.0))
    put_symmetric(work, k, ARTICULATED + 15, take_symmetric(work, k, BODY))


@compiled_part
def wrench_of(inertia, acceleration, omega):
    """Return force and moment that go with a linear and an angular acceleration."""
    linear, mixed, angular = inertia
    force = add(symmetric_times(linear, acceleration), project(mixed, omega))
    moment = add(combine(mixed, acceleration), symmetric_times(angular, omega))
    return force, moment


@compiled_part
def without_joint(inertia, force, moment, effort):
    """Return the articulated inertia that passes through a joint: ``P - P H* D^-1 H P`` (Eq. 2.6).

    ``force, moment`` is ``P H*`` and ``effort`` is D.
    """
    linear, mixed, angular = inertia
    f, n = scale(1.0 / effort, force), scale(1.0 / effort, moment)
    return (
        _less_outer(linear, f, force),
        (
            subtract(mixed[0], scale(f[0], moment)),
            subtract(mixed[1], scale(f[1], moment)),
            subtract(mixed[2], scale(f[2], moment)),
        ),
        _less_outer(angular, n, moment),
    )


@compiled_part
def _less_outer(s, a, b):
    """Return a symmetric matrix less the symmetric one ``a b^T``."""
    return (
        s[0] - a[0] * b[0],
        s[1] - a[1] * b[1],
        s[2] - a[2] * b[2],
        s[3] - a[0] * b[1],
        s[4] - a[1] * b[2],
        s[5] - a[2] * b[0],
    )


@compiled_part
def shifted(inertia, offset):
    """Return an inertia about a point at minus an offset: ``phi P phi*`` ([Jain 1995] Eq. 2.6)."""
    linear, mixed, angular = inertia
    xx, yy, zz, xy, yz, zx = linear
    # A row of B - A l~ is that of B less the row of A times l~, which is row x l.
    first = subtract(mixed[0], cross((xx, xy, zx), offset))
    second = subtract(mixed[1], cross((xy, yy, yz), offset))
    third = subtract(mixed[2], cross((zx, yz, zz), offset))
    x, y, z = offset
    # C + l~ (B - A l~) + (l~ B)^T, of which only the symmetric part is formed.
    b = mixed
    return (
        linear,
        (first, second, third),
        (
            angular[0] + y * (third[0] + b[2][0]) - z * (second[0] + b[1][0]),
            angular[1] + z * (first[1] + b[0][1]) - x * (third[1] + b[2][1]),
            angular[2] + x * (second[2] + b[1][2]) - y * (first[2] + b[0][2]),
            angular[3] + y * third[1] - z * second[1] + z * b[0][0] - x * b[2][0],
            angular[4] + z * first[2] - x * third[2] + x * b[1][1] - y * b[0][1],
            angular[5] + x * second[0] - y * first[0] + y * b[2][2] - z * b[1][2],
        ),
    )


@compiled_part
def acceleration_of(inertia, force, moment):
    """Return the accelerations that a wrench gives, and the smallest pivot of the inertia."""
    linear, mixed, angular = inertia
    of_linear = symmetric_factors(linear)
    first = solve_factored(of_linear, (mixed[0][0], mixed[1][0], mixed[2][0]))
    second = solve_factored(of_linear, (mixed[0][1], mixed[1][1], mixed[2][1]))
    third = solve_factored(of_linear, (mixed[0][2], mixed[1][2], mixed[2][2]))
    passed = (
        angular[0] - dot(first, (mixed[0][0], mixed[1][0], mixed[2][0])),
        angular[1] - dot(second, (mixed[0][1], mixed[1][1], mixed[2][1])),
        angular[2] - dot(third, (mixed[0][2], mixed[1][2], mixed[2][2])),
        angular[3] - dot(first, (mixed[0][1], mixed[1][1], mixed[2][1])),
        angular[4] - dot(second, (mixed[0][2], mixed[1][2], mixed[2][2])),
        angular[5] - dot(third, (mixed[0][0], mixed[1][0], mixed[2][0])),
    )
    of_angular = symmetric_factors(passed)
    direct = solve_factored(of_linear, force)
    omega = solve_factored(of_angular, subtract(moment, combine(mixed, direct)))
    carried = combine((first, second, third), omega)
    pivots = min(of_linear[0], of_linear[1], of_linear[2])
    pivots = min(pivots, of_angular[0], of_angular[1], of_angular[2])
    return subtract(direct, carried), omega, pivots


GOOD, NOT_FINITE = -1, -2
"""Outcomes of a state beside the number of the link whose articulated inertia is not positive."""

REACH, EFFORT = np.int64([64, 70])
"""P H*, force that goes with a unit of joint acceleration, 6 numbers; D, inertia about the joint,
epsilon, torque to spare, and joint acceleration."""

ALL_COLUMNS = 73
"""Columns that the recursions need."""


@compiled_part
def begin(tree, positions, rates, twist, wheel_rates, wheel_torque, wrenches, work):
    """Fill in all that the motion of the links, wheels and wrenches from outside give: M and b.

    A wheel's motor gives it ``J (a . dw/dt + rate')``, so that with I the inertia of carrier and
    wheel, J that of the spin, ``(I - J a a^T) dw/dt + w x (I w + J (rate) a) = moment - tau a``.
    Wheels that have no torque are held at their rates.
    """
    move(tree, positions, rates, (twist[3], twist[4], twist[5]), wheel_rates, work)
    for k in range(len(tree.parents)):
        begin_inertia(work, k)
    for wheel in range(len(wheel_torque)):
        k, axis, spin = tree.carriers[wheel], wheel_axis(tree, work, wheel), tree.wheels[wheel, 3]
        increase(work, k, RESIDUAL + 3, scale(wheel_torque[wheel], axis))
        x, y, z = axis
        increase(work, k, ARTICULATED + 15, (-spin * x * x, -spin * y * y, -spin * z * z))
        increase(work, k, ARTICULATED + 18, (-spin * x * y, -spin * y * z, -spin * z * x))
    for k in range(len(wrenches)):
        axes = axes_of(work, k)
        for half in range(2):
            wrench = wrenches[k, 3 * half], wrenches[k, 3 * half + 1], wrenches[k, 3 * half + 2]
            increase(work, k, RESIDUAL + 3 * half, scale(-1.0, combine(axes, wrench)))


@compiled_part
def _accelerate(tree, torque, work):
    """Fill in the rest of the work; return GOOD or the link whose inertia is not positive.

    Accelerations of links are then in ``ACCELERATION``, of joints in the last column of
    ``EFFORT``. Joints that follow others are held to it by torques that do no work: they are
    found from how the accelerations answer to each of them, and added to those given.
    """
    count = len(tree.following)
    begun = work.copy() if count else work
    outcome = _accelerate_tree(tree, torque, work, begun)
    if count == 0 or outcome != GOOD:
        return outcome
    at_rest, answer = np.empty(count), np.empty((count, count))
    _lag_behind(tree, work, at_rest)
    for each in range(count):
        _hold(tree, each, 1.0, torque)
        outcome = _accelerate_tree(tree, torque, work, begun)
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
    return _accelerate_tree(tree, torque, work, begun)


@compiled_part
def _accelerate_tree(tree, torque, work, begun):
    """Fill in the rest of the work, each joint on its own."""
    for k in range(len(work) if len(tree.following) else 0):
        for column in range(ALL_COLUMNS):
            work[k, column] = begun[k, column]
    outcome = gather(tree, torque, work)
    return outcome if outcome != GOOD else scatter(tree, work)


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
def put_torques(tree, torques, expanded):
    """Fill in torques of all joints of the tree: leading ones have motors."""
    for joint in range(len(expanded)):
        expanded[joint] = 0.0
    for joint in range(len(tree.leading)):
        expanded[tree.leading[joint]] = torques[joint]


@compiled_part
def gather(tree, torque, work):
    """Turn M into P and b into z from the tips to the base (Algorithm 2, Eq. 2.13a).

    Returns GOOD, or the link whose joint has no positive inertia D.
    """
    for k in range(len(tree.parents) - 1, 0, -1):
        inertia, axis = take_inertia(work, k), take(work, k, AXES + 6)
        coriolis = wrench_of(inertia, take(work, k, CORIOLIS), take(work, k, CORIOLIS + 3))
        increase(work, k, RESIDUAL, coriolis[0])
        increase(work, k, RESIDUAL + 3, coriolis[1])
        force, moment = take(work, k, RESIDUAL), take(work, k, RESIDUAL + 3)
        resting = 0.0, 0.0, 0.0
        if tree.is_prismatic[k]:
            reach = wrench_of(inertia, axis, resting)
            effort = dot(axis, reach[0])
            spare = torque[k - 1] - dot(axis, force)
        else:
            reach = wrench_of(inertia, resting, axis)
            effort = dot(axis, reach[1])
            spare = torque[k - 1] - dot(axis, moment)
        if effort <= 0.0:
            return k
        put(work, k, REACH, reach[0])
        put(work, k, REACH + 3, reach[1])
        work[k, EFFORT], work[k, EFFORT + 1] = effort, spare
        parent, offset = tree.parents[k], take(work, k, OFFSET)
        passed = without_joint(inertia, reach[0], reach[1], effort)
        increase_inertia(work, parent, shifted(passed, offset))
        force = add(force, scale(spare / effort, reach[0]))
        moment = add(moment, scale(spare / effort, reach[1]))
        increase(work, parent, RESIDUAL, force)
        increase(work, parent, RESIDUAL + 3, add(moment, cross(offset, force)))
    return GOOD


@compiled_part
def scatter(tree, work):
    """Fill in the accelerations from the base to the tips (Eqs. 3.2, 2.13b)."""
    force = scale(-1.0, take(work, BASE, RESIDUAL))
    moment = scale(-1.0, take(work, BASE, RESIDUAL + 3))
    linear, angular, pivot = acceleration_of(take_inertia(work, BASE), force, moment)
    if pivot <= 0.0:
        return 0
    put(work, BASE, ACCELERATION, linear)
    put(work, BASE, ACCELERATION + 3, angular)
    for k in range(1, len(tree.parents)):
        parent = tree.parents[k]
        angular, axis = take(work, parent, ACCELERATION + 3), take(work, k, AXES + 6)
        linear = take(work, parent, ACCELERATION)
        linear = add(linear, cross(angular, take(work, k, OFFSET)))
        pulled = dot(take(work, k, REACH), linear) + dot(take(work, k, REACH + 3), angular)
        joint = (work[k, EFFORT + 1] - pulled) / work[k, EFFORT]
        work[k, EFFORT + 2] = joint
        linear = add(linear, take(work, k, CORIOLIS))
        angular = add(angular, take(work, k, CORIOLIS + 3))
        if tree.is_prismatic[k]:
            linear = add(linear, scale(joint, axis))
        else:
            angular = add(angular, scale(joint, axis))
        put(work, k, ACCELERATION, linear)
        put(work, k, ACCELERATION + 3, angular)
    return GOOD


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
    links, driven = len(tree.parents), wheel_torque.shape[1]
    work = np.empty((links, ALL_COLUMNS))
    position, rate, torque = np.empty(links - 1), np.empty(links - 1), np.empty(links - 1)
    for i in range(len(q)):
        expand_joints(tree, q[i], 1.0, position)
        expand_joints(tree, qd[i], 0.0, rate)
        put_torques(tree, joint_torque[i], torque)
        begin(
            tree, position, rate, base_twist[i], wheel_rates[i], wheel_torque[i], wrenches[i], work
        )
        outcome = _accelerate(tree, torque, work)
        if outcome != GOOD:
            return i, outcome
        total = 0.0
        for element in range(6):
            base_acceleration[i, element] = work[0, ACCELERATION + element]
            total += 0.0 * base_acceleration[i, element]
        for joint in range(len(tree.leading)):
            qdd[i, joint] = work[tree.leading[joint] + 1, EFFORT + 2]
            total += 0.0 * qdd[i, joint]
        for wheel in range(len(tree.carriers)):
            wheel_accelerations[i, wheel] = 0.0
            if driven:
                carried = take(work, tree.carriers[wheel], ACCELERATION + 3)
                own = wheel_torque[i, wheel] / tree.wheels[wheel, 3]
                wheel_accelerations[i, wheel] = own - dot(wheel_axis(tree, work, wheel), carried)
            total += 0.0 * wheel_accelerations[i, wheel]
        if total != 0.0:
            return i, NOT_FINITE
    return len(q), GOOD


@compiled
def gather_samples(
    tree, q, qd, base_twist, joint_torque, wheel_rates, wheel_torque, wrenches, begun, works
):
    """Fill in all of the work but accelerations, and as it is before links are put together.

    Returns the sample that failed, or N, and its outcome.
    """
    for i in range(len(q)):
        work = works[i]
        begin(tree, q[i], qd[i], base_twist[i], wheel_rates[i], wheel_torque[i], wrenches[i], work)
        for k in range(len(work)):
            for column in range(ALL_COLUMNS):
                begun[i, k, column] = work[k, column]
        outcome = gather(tree, joint_torque[i], work)
        if outcome != GOOD:
            return i, outcome
    return len(q), GOOD

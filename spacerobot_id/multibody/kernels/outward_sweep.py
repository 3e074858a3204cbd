"""Where links are and how they move, compiled: the first half of [Jain 1995] Algorithm 1.

Everything is in base axes and about the origins of the links; link 0 is the base, and parents
come before their children. Accelerations are those of the origins against the inertial frame
(Eq. 2.1), so that Coriolis and gyroscopic terms are those of Eq. 2.2.
"""

# ruff: noqa: ANN001, ANN201, ANN202  numba infers the types

from math import cos, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.small_vectors import (
    add,
    combine,
    cross,
    increase,
    put,
    scale,
    subtract,
    symmetric_times,
    take,
    turn_symmetric,
)
from spacerobot_id.multibody.kernels.spatial_inertia import (
    increase_symmetric,
    put_rigid_inertia,
    take_symmetric,
)


class State(NamedTuple):
    """How one state moves and what acts on it: see ``forward_dynamics``."""

    q: NDArray
    qd: NDArray
    base_twist: NDArray
    joint_torque: NDArray
    wheel_rates: NDArray
    wheel_torque: NDArray
    """Empty where the wheels are held at their rates."""
    wrenches: NDArray
    """Those of the first links, shape (0 to n + 1, 6)."""


class Work(NamedTuple):
    """What the recursions leave behind for every link, in base axes; one row per link."""

    axes: NDArray
    """Axes of the links: 9 numbers, the three columns of R_BL."""
    offset: NDArray
    """l, from the parent's origin to the link's: 3 numbers."""
    turning: NDArray
    """omega, angular velocity: 3 numbers."""
    coriolis: NDArray
    """a, acceleration across the joint at joint acceleration zero: 6 numbers."""
    inertia: NDArray
    """M, then P, articulated inertia towards the tips: 21 numbers."""
    residual: NDArray
    """b, then z, residual force: 6 numbers."""
    reach: NDArray
    """P H*, force that goes with a unit of joint acceleration: 6 numbers."""
    effort: NDArray
    """D, inertia about the joint, epsilon, torque to spare, and joint acceleration."""
    acceleration: NDArray
    """alpha, acceleration of the link: 6 numbers."""


@compiled_part
def new_work(count):
    """Return room for the recursions over a number of links."""
    return Work(
        np.empty((count, 9)),
        np.empty((count, 3)),
        np.empty((count, 3)),
        np.empty((count, 6)),
        np.empty((count, 21)),
        np.empty((count, 6)),
        np.empty((count, 6)),
        np.empty((count, 3)),
        np.empty((count, 6)),
    )


@compiled_part
def move(tree, state, work):
    """Fill in axes, offset, turning, a, M and b from the base to the tips (Algorithm 1)."""
    put(work.axes, 0, 0, (1.0, 0.0, 0.0))
    put(work.axes, 0, 3, (0.0, 1.0, 0.0))
    put(work.axes, 0, 6, (0.0, 0.0, 1.0))
    twist = state.base_twist
    put(work.turning, 0, 0, (twist[3], twist[4], twist[5]))
    _weigh(tree, work, 0)
    for k in range(1, len(tree.parents)):
        _place(tree, state.q[k - 1], state.qd[k - 1], work, k)
        _weigh(tree, work, k)
    for wheel in range(len(tree.carriers)):
        _spin(tree, state, work, wheel)
    for k in range(len(state.wrenches)):
        axes = axes_of(work, k)
        increase(work.residual, k, 0, scale(-1.0, combine(axes, take(state.wrenches, k, 0))))
        increase(work.residual, k, 3, scale(-1.0, combine(axes, take(state.wrenches, k, 3))))


@compiled_part
def axes_of(work, k):
    """Return the three axes of a link in base axes: the columns of R_BL."""
    return take(work.axes, k, 0), take(work.axes, k, 3), take(work.axes, k, 6)


@compiled_part
def joint_frame(tree, k, parent, position):
    """Return the axes of a link, and its origin from its parent's (Eq. 2.1)."""
    R = tree.R_PC[k]
    x = combine(parent, (R[0, 0], R[1, 0], R[2, 0]))
    y = combine(parent, (R[0, 1], R[1, 1], R[2, 1]))
    z = combine(parent, (R[0, 2], R[1, 2], R[2, 2]))
    offset = combine(parent, take(tree.p_PC_P, k, 0))
    if tree.is_prismatic[k]:
        offset = add(offset, scale(position, z))
    else:
        cosine, sine = cos(position), sin(position)
        x, y = (
            add(scale(cosine, x), scale(sine, y)),
            subtract(scale(cosine, y), scale(sine, x)),
        )
    return (x, y, z), offset


@compiled_part
def _place(tree, position, rate, work, k):
    """Fill in where a link is, how it turns and its a (Eq. 2.2)."""
    turning = take(work.turning, tree.parents[k], 0)
    (x, y, z), offset = joint_frame(tree, k, axes_of(work, tree.parents[k]), position)
    coriolis = scale(rate, cross(turning, z))
    if tree.is_prismatic[k]:
        # Twice, where Eq. 2.2 has it once: the offset moves as well as the axis.
        put(work.turning, k, 0, turning)
        linear = add(cross(turning, cross(turning, offset)), scale(2.0, coriolis))
        put(work.coriolis, k, 0, linear)
        put(work.coriolis, k, 3, (0.0, 0.0, 0.0))
    else:
        put(work.turning, k, 0, add(turning, scale(rate, z)))
        put(work.coriolis, k, 0, cross(turning, cross(turning, offset)))
        put(work.coriolis, k, 3, coriolis)
    put(work.offset, k, 0, offset)
    put(work.axes, k, 0, x)
    put(work.axes, k, 3, y)
    put(work.axes, k, 6, z)


@compiled_part
def _weigh(tree, work, k):
    """Fill in M and b of a link (Eq. 2.2)."""
    axes, turning = axes_of(work, k), take(work.turning, k, 0)
    inertia = turn_symmetric(axes, take_symmetric(tree.parameters, k, 0))
    moment = combine(axes, take(tree.parameters, k, 7))
    put_rigid_inertia(work.inertia, k, tree.parameters[k, 6], moment, inertia)
    put(work.residual, k, 0, cross(turning, cross(turning, moment)))
    put(work.residual, k, 3, cross(turning, symmetric_times(inertia, turning)))


@compiled_part
def _spin(tree, state, work, wheel):
    """Add what a wheel does to its carrier: gyroscopic torque, and that of a motor back on it.

    Momentum is ``I w + J (rate) a`` for carrier and wheel, with I the inertia of both and J the
    spin inertia. A motor's torque tau gives the wheel ``J (a . dw/dt + rate')``, so that
    ``(I - J a a^T) dw/dt + w x (I w + J (rate) a) = moment - tau a``.
    """
    k, spin_inertia = tree.carriers[wheel], tree.spin_inertias[wheel]
    axis = combine(axes_of(work, k), take(tree.wheel_axes, wheel, 0))
    spin = scale(spin_inertia * state.wheel_rates[wheel], axis)
    increase(work.residual, k, 3, cross(take(work.turning, k, 0), spin))
    if len(state.wheel_torque):
        increase(work.residual, k, 3, scale(state.wheel_torque[wheel], axis))
        x, y, z = axis
        lost = -spin_inertia * x, -spin_inertia * y, -spin_inertia * z
        outer = lost[0] * x, lost[1] * y, lost[2] * z, lost[0] * y, lost[1] * z, lost[2] * x
        increase_symmetric(work.inertia, k, 15, outer)

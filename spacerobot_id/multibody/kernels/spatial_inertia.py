"""Articulated inertias as tuples, for compiled kernels ([Jain 1995] Algorithm 2).

An inertia is three blocks, ``(linear, mixed, angular)``: with linear and angular acceleration v, w
force is ``linear v + mixed w`` and moment is ``mixed^T v + angular w``. The first and the last
are symmetric, the mixed one is three rows. In the recursions' array they are 21 columns.
"""

# ruff: noqa: ANN001, ANN201, ANN202  numba infers the types

import numpy as np

from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.outward_sweep import BODY, MASS, MOMENT
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

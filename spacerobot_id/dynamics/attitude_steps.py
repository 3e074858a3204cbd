"""Runge-Kutta steps of an attitude along a joint motion, angular momentum constant; compiled."""

import numpy as np

from spacerobot_id.dynamics.compiled import compiled

# ruff: noqa: ANN001, ANN201, ANN202  numba infers the types of the kernels


@compiled
def integrate_attitude(inverse, drift, step, momentum, start):
    """Return quaternions at the ends of the steps."""
    count = (len(drift) - 1) // 2
    path = np.empty((count + 1, 4))
    path[0] = start
    slopes = np.empty((4, 4))
    for k in range(count):
        now = path[k]
        for stage in range(4):
            row = 2 * k + (stage + 1) // 2
            share = 0.0 if stage == 0 else (1.0 if stage == 3 else 0.5)
            at = now + share * step * slopes[stage - 1] if stage else now.copy()
            slopes[stage] = _quaternion_rate(inverse[row], drift[row], momentum, at)
        moved = now + step / 6.0 * (slopes[0] + 2.0 * (slopes[1] + slopes[2]) + slopes[3])
        path[k + 1] = moved / np.sqrt(np.sum(moved**2))
    return path


@compiled
def _quaternion_rate(inverse, drift, momentum, quaternion):
    """Return the rate of a quaternion; its length plays no part to first order."""
    x, y, z, w = quaternion / np.sqrt(np.sum(quaternion**2))
    a, b, c = momentum
    seen = np.array(
        [
            (1 - 2 * (y * y + z * z)) * a + 2 * (x * y + w * z) * b + 2 * (x * z - w * y) * c,
            2 * (x * y - w * z) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z + w * x) * c,
            2 * (x * z + w * y) * a + 2 * (y * z - w * x) * b + (1 - 2 * (x * x + y * y)) * c,
        ]
    )
    p, q, r = inverse @ seen - drift
    return 0.5 * np.array(
        [
            w * p + y * r - z * q,
            w * q + z * p - x * r,
            w * r + x * q - y * p,
            -x * p - y * q - z * r,
        ]
    )

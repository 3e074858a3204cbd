"""Runge-Kutta steps of an attitude along a joint motion, angular momentum constant; compiled."""

import numpy as np

from spacerobot_id.multibody.kernels.compiled import compiled, compiled_part
from spacerobot_id.multibody.kernels.rigid_body_step import mean_slope, stage_share, STAGES
from spacerobot_id.multibody.kernels.small_vectors import conjugate, quaternion_rate, turned

# ruff: noqa: ANN001, ANN201, ANN202  numba infers the types of the kernels


@compiled
def integrate_attitude(inverse, drift, step, momentum, start):
    """Return quaternions at the ends of the steps."""
    count = (len(drift) - 1) // 2
    path = np.empty((count + 1, 4))
    path[0] = start
    slopes, at = np.empty((STAGES, 4)), np.empty(4)
    for k in range(count):
        for stage in range(STAGES):
            row, ahead = 2 * k + (stage + 1) // 2, step * stage_share(stage)
            for each in range(4):
                slope = ahead * slopes[stage - 1, each] if stage else 0.0
                at[each] = path[k, each] + slope
            _put_slope(inverse[row], drift[row], momentum, at, slopes[stage])
        for each in range(4):
            path[k + 1, each] = path[k, each] + step * mean_slope(slopes, each)
        length = _length(path[k + 1])
        for each in range(4):
            path[k + 1, each] /= length
    return path


@compiled_part
def _length(a):
    """Return the length of a quaternion that need not be a unit one."""
    return np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3])


@compiled_part
def _put_slope(inverse, drift, momentum, at, slope):
    """Fill in the rate of a quaternion; its length plays no part to first order."""
    length = _length(at)
    quaternion = at[0] / length, at[1] / length, at[2] / length, at[3] / length
    seen = turned(conjugate(quaternion), (momentum[0], momentum[1], momentum[2]))
    p, q, r = (
        inverse[0, 0] * seen[0] + inverse[0, 1] * seen[1] + inverse[0, 2] * seen[2] - drift[0],
        inverse[1, 0] * seen[0] + inverse[1, 1] * seen[1] + inverse[1, 2] * seen[2] - drift[1],
        inverse[2, 0] * seen[0] + inverse[2, 1] * seen[1] + inverse[2, 2] * seen[2] - drift[2],
    )
    slope[0], slope[1], slope[2], slope[3] = quaternion_rate(quaternion, (p, q, r))

"""Runge-Kutta steps of rigid bodies, and of attitudes at constant momentum; compiled.

Every kernel that integrates has its own right-hand side; stages and weights are these.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled, compiled_part
from spacerobot_id.multibody.kernels.small_vectors import (
    add,
    conjugate,
    cross,
    dot,
    quaternion_rate,
    scale,
    subtract,
    symmetric_times,
    turned,
)

STAGES = 4
"""Stages of the method."""


@compiled_part
def stage_share(stage: int) -> float:
    """Return the share of a step at which a stage is evaluated, along the slope before it."""
    return 0.0 if stage == 0 else 1.0 if stage == 3 else 0.5


@compiled_part
def mean_slope(slopes: NDArray, column: int) -> float:
    """Return the slope of the whole step from those of its stages, for one column.

    Parameters
    ----------
    slopes : ndarray, shape (>= 4, m)
        Slopes of the stages.
    column : int
        Which of the m.
    """
    middle = slopes[1, column] + slopes[2, column]
    return (slopes[0, column] + 2.0 * middle + slopes[3, column]) / 6.0


STATE_SIZE = 13
"""Numbers of a state."""


@compiled
def advance_bodies(
    parameters: NDArray[np.float64],
    inverse: NDArray[np.float64],
    states: NDArray[np.float64],
    wrenches: NDArray[np.float64],
    steps: NDArray[np.float64],
    record: NDArray[np.float64],
) -> None:
    """Advance every body through all steps, in place, and record it."""
    slopes, stage = np.empty((STAGES, STATE_SIZE)), np.empty(STATE_SIZE)
    for body in range(len(states)):
        series = body if len(wrenches) > 1 else 0
        for index in range(len(steps)):
            rigid_body_step(
                parameters[body],
                inverse[body],
                wrenches[series, index],
                steps[index],
                states[body],
                slopes,
                stage,
            )
            record[body, index] = states[body]


@compiled_part
def rigid_body_step(
    parameters: NDArray[np.float64],
    inverse: NDArray[np.float64],
    wrench: NDArray[np.float64],
    step: float,
    state: NDArray[np.float64],
    slopes: NDArray[np.float64],
    stage: NDArray[np.float64],
) -> None:
    """Advance a state by one step, in place.

    Parameters
    ----------
    parameters : ndarray, shape (10,)
        The body.
    inverse : ndarray, shape (6, 6)
        Inverse of its spatial inertia.
    wrench : ndarray, shape (6,)
        Force and moment, constant.
    step : float
        Step, s.
    state : ndarray, shape (13,)
        State, replaced.
    slopes : ndarray, shape (4, 13)
        Room for the slopes of the stages.
    stage : ndarray, shape (13,)
        Room for the state of a stage.
    """
    for number in range(STAGES):
        ahead = step * stage_share(number)
        for each in range(STATE_SIZE):
            slope = ahead * slopes[number - 1, each] if number else 0.0
            stage[each] = state[each] + slope
        _slope(parameters, inverse, wrench, stage, slopes[number])
    length = 0.0
    for each in range(STATE_SIZE):
        state[each] += step * mean_slope(slopes, each)
    for each in range(3, 7):
        length += state[each] ** 2
    for each in range(3, 7):
        state[each] /= np.sqrt(length)


@compiled_part
def _slope(
    parameters: NDArray[np.float64],
    inverse: NDArray[np.float64],
    wrench: NDArray[np.float64],
    state: NDArray[np.float64],
    slope: NDArray[np.float64],
) -> None:
    """Fill in the derivative of a state: kinematics, then ``M a = W - bias``."""
    xx, yy, zz, xy, yz, zx, mass, mx, my, mz = parameters
    quaternion = state[3], state[4], state[5], state[6]
    linear, omega = (state[7], state[8], state[9]), (state[10], state[11], state[12])
    slope[0], slope[1], slope[2] = turned(quaternion, linear)
    slope[3], slope[4], slope[5], slope[6] = quaternion_rate(quaternion, omega)
    moment, inertia = (mx, my, mz), (xx, yy, zz, xy, yz, zx)
    momentum = add(scale(mass, linear), cross(omega, moment))
    spin = add(cross(moment, linear), symmetric_times(inertia, omega))
    force = subtract((wrench[0], wrench[1], wrench[2]), cross(omega, momentum))
    swept = add(cross(omega, spin), cross(linear, momentum))
    torque = subtract((wrench[3], wrench[4], wrench[5]), swept)
    for row in range(6):
        moved = dot((inverse[row, 0], inverse[row, 1], inverse[row, 2]), force)
        spun = dot((inverse[row, 3], inverse[row, 4], inverse[row, 5]), torque)
        slope[7 + row] = moved + spun


# ruff: noqa: ANN001, ANN201, ANN202  numba infers the types of what follows


@compiled
def integrate_attitude(inverse, drift, step, momentum, start):
    """Return quaternions at the ends of the steps along a joint motion."""
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

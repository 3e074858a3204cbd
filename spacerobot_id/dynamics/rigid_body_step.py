"""Runge-Kutta steps of rigid bodies under wrenches, compiled; states as in ``rigid_body.py``."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.dynamics.compiled import compiled, compiled_part

STATE_SIZE = 13
"""Numbers of a state."""


@compiled
def advance_bodies(
    parameters: NDArray[np.float64],
    inverse: NDArray[np.float64],
    states: NDArray[np.float64],
    wrenches: NDArray[np.float64],
    steps: NDArray[np.float64],
    sampled: NDArray[np.bool_],
    record: NDArray[np.float64],
) -> None:
    """Advance every body through all steps, in place, and record it."""
    slopes, stage = np.empty((4, STATE_SIZE)), np.empty(STATE_SIZE)
    for body in range(len(states)):
        row, series = 0, body if len(wrenches) > 1 else 0
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
            if sampled[index]:
                record[body, row] = states[body]
                row += 1


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
    for number in range(4):
        ahead = 0.0 if number == 0 else step if number == 3 else 0.5 * step
        for each in range(STATE_SIZE):
            slope = ahead * slopes[number - 1, each] if number else 0.0
            stage[each] = state[each] + slope
        _slope(parameters, inverse, wrench, stage, slopes[number])
    length = 0.0
    for each in range(STATE_SIZE):
        middle = slopes[1, each] + slopes[2, each]
        state[each] += step / 6.0 * (slopes[0, each] + 2.0 * middle + slopes[3, each])
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
    qx, qy, qz, qw = state[3], state[4], state[5], state[6]
    vx, vy, vz, wx, wy, wz = state[7], state[8], state[9], state[10], state[11], state[12]
    # Twice the cross product of the quaternion's vector part and v turns v into inertial axes.
    tx, ty, tz = 2 * (qy * vz - qz * vy), 2 * (qz * vx - qx * vz), 2 * (qx * vy - qy * vx)
    slope[0] = vx + qw * tx + qy * tz - qz * ty
    slope[1] = vy + qw * ty + qz * tx - qx * tz
    slope[2] = vz + qw * tz + qx * ty - qy * tx
    slope[3] = 0.5 * (qw * wx + qy * wz - qz * wy)
    slope[4] = 0.5 * (qw * wy + qz * wx - qx * wz)
    slope[5] = 0.5 * (qw * wz + qx * wy - qy * wx)
    slope[6] = -0.5 * (qx * wx + qy * wy + qz * wz)
    px = mass * vx + wy * mz - wz * my
    py = mass * vy + wz * mx - wx * mz
    pz = mass * vz + wx * my - wy * mx
    lx = my * vz - mz * vy + xx * wx + xy * wy + zx * wz
    ly = mz * vx - mx * vz + xy * wx + yy * wy + yz * wz
    lz = mx * vy - my * vx + zx * wx + yz * wy + zz * wz
    fx = wrench[0] - (wy * pz - wz * py)
    fy = wrench[1] - (wz * px - wx * pz)
    fz = wrench[2] - (wx * py - wy * px)
    nx = wrench[3] - (wy * lz - wz * ly) - (vy * pz - vz * py)
    ny = wrench[4] - (wz * lx - wx * lz) - (vz * px - vx * pz)
    nz = wrench[5] - (wx * ly - wy * lx) - (vx * py - vy * px)
    for row in range(6):
        force = inverse[row, 0] * fx + inverse[row, 1] * fy + inverse[row, 2] * fz
        moment = inverse[row, 3] * nx + inverse[row, 4] * ny + inverse[row, 5] * nz
        slope[7 + row] = force + moment

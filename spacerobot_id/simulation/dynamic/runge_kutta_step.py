"""The classical Runge-Kutta method with the base on SE(3), compiled.

Velocities, joint positions and work are integrated by the classical method of fourth order, the
pose of the base by the exponential of the fourth-order Magnus expansion on SE(3) of the same
stages' twists. Where forces depend on the pose, that of a stage is the exponential of the twist of
the stage before.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.runge_kutta import mean_slope, stage_share, STAGES
from spacerobot_id.multibody.kernels.small_vectors import add, cross, dot, scale
from spacerobot_id.simulation.dynamic.state_arrays import POSE

_SMALL = 1e-6
"""Squared angle below which series replace quotients, rad^2."""


@compiled_part
def begin_stage(
    state: NDArray[np.float64],
    step: float,
    stage: int,
    turns: bool,
    stages: NDArray[np.float64],
    slopes: NDArray[np.float64],
) -> None:
    """Fill in the state of a stage; the fifth is the end of the step, which is gone to.

    Parameters
    ----------
    state : ndarray
        State at the start; at the end where the stage is the fifth.
    step : float
        Step, s.
    stage : int
        Number of the stage, from zero.
    turns : bool
        Whether the pose of the stage is to be filled in, too.
    stages, slopes : ndarray, five rows
        States of the stages and their derivatives; those of the stages before are filled.
    """
    pose = slopes.shape[1]
    if stage == STAGES:
        finish_step(state, step, stages, slopes)
    ahead = 0.0 if stage == STAGES else step * stage_share(stage)
    before, at = min(max(stage - 1, 0), 2), stages[stage]
    for each in range(pose):
        at[each] = state[each] + (ahead * slopes[before, each] if ahead else 0.0)
    if turns:
        for each in range(pose, pose + POSE):
            at[each] = state[each]
        if ahead:
            linear, angular = _scaled_twist(ahead, stages[before])
            _move_pose(at, pose, linear, angular)


@compiled_part
def finish_step(
    state: NDArray[np.float64],
    step: float,
    stages: NDArray[np.float64],
    slopes: NDArray[np.float64],
) -> None:
    """Go from the start of a step to its end, all four stages known."""
    pose, share = slopes.shape[1], step * step / 12.0
    # The pose goes along the exponential of the step's Magnus expansion (right-trivialised).
    linear, turning = _scaled_twist(1.0, stages[0])
    last_linear, last_turning = _scaled_twist(1.0, stages[3])
    swept = add(cross(turning, last_linear), cross(linear, last_turning))
    linear, angular = scale(share, swept), scale(share, cross(turning, last_turning))
    a, b, c = mean_slope(stages, 0), mean_slope(stages, 1), mean_slope(stages, 2)
    d, e, f = mean_slope(stages, 3), mean_slope(stages, 4), mean_slope(stages, 5)
    linear, angular = add(scale(step, (a, b, c)), linear), add(scale(step, (d, e, f)), angular)
    _move_pose(state, pose, linear, angular)
    for each in range(pose):
        state[each] += step * mean_slope(slopes, each)


@compiled_part
def _scaled_twist(factor, state):  # noqa: ANN001, ANN202  numba infers the types of tuples
    """Return linear and angular velocity of a state, both times a factor."""
    linear, angular = (state[0], state[1], state[2]), (state[3], state[4], state[5])
    return scale(factor, linear), scale(factor, angular)


@compiled_part
def _move_pose(state, pose, linear, angular):  # noqa: ANN001, ANN202  likewise
    """Move the base by the exponential of a twist: both sums of nested vector products."""
    square = dot(angular, angular)
    if square < _SMALL:
        sine = 1.0 - square / 6.0 + square * square / 120.0
        versine = 0.5 - square / 24.0 + square * square / 720.0
        rest = 1.0 / 6.0 - square / 120.0 + square * square / 5040.0
    else:
        angle = np.sqrt(square)
        sine = np.sin(angle) / angle
        versine = (1.0 - np.cos(angle)) / square
        rest = (1.0 - sine) / square
    swept = cross(angular, linear)
    way = add(linear, add(scale(versine, swept), scale(rest, cross(angular, swept))))
    for axis in range(3):
        k = pose + 3 + 3 * axis
        row = state[k], state[k + 1], state[k + 2]
        state[pose + axis] += dot(row, way)
        swept = cross(row, angular)
        row = add(row, add(scale(sine, swept), scale(versine, cross(swept, angular))))
        state[k], state[k + 1], state[k + 2] = row


@compiled_part
def orthogonalise(state: NDArray[np.float64], first: int) -> None:
    """Take rounding out of a rotation in place: one Newton step of its polar factor.

    Parameters
    ----------
    state : ndarray
        Array.
    first : int
        Where in it the rows of the rotation begin.
    """
    before = state[first : first + 9].copy()
    for row in range(0, 9, 3):
        for column in range(3):
            state[first + row + column] *= 1.5
        for other in range(0, 9, 3):
            product = 0.0
            for column in range(3):
                product += before[row + column] * before[other + column]
            for column in range(3):
                state[first + row + column] -= 0.5 * product * before[other + column]

"""The classical Runge-Kutta method with the base on SE(3), compiled.

Velocities, joint positions and work are integrated by the classical method of fourth order, the
pose of the base by the exponential of the fourth-order Magnus expansion on SE(3) of the same
stages' twists. Where forces depend on the pose, that of a stage is the exponential of the twist of
the stage before.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.articulated_body import GOOD
from spacerobot_id.multibody.kernels.compiled import compiled_apart, compiled_part
from spacerobot_id.multibody.kernels.runge_kutta import mean_slope, stage_share, STAGES
from spacerobot_id.multibody.kernels.se3 import exp_se3_into
from spacerobot_id.multibody.kernels.small_vectors import cross
from spacerobot_id.simulation.dynamic.plant import accelerate, Plant
from spacerobot_id.simulation.dynamic.stages import Stages
from spacerobot_id.simulation.dynamic.state_arrays import StateArrays, WORKS


@compiled_part
def runge_kutta_step(
    plant: Plant,
    state: StateArrays,
    force: NDArray[np.float64],
    thrust: NDArray[np.float64],
    step: float,
    arrays: Stages,
    is_sampled: bool,
) -> int:
    """Advance a state by one step under constant forces, in place.

    Parameters
    ----------
    plant : Plant
        Robot.
    state : StateArrays
        State at the start in, at the end out.
    force : ndarray, shape (6 + n + w,)
        Forces of the drives.
    thrust : ndarray, shape (6,)
        Wrench of thrusters on the base.
    step : float
        Step, s.
    arrays : Stages
        Arrays to use.
    is_sampled : bool
        Whether the fifth row of the stages is to be filled: the end of the step.

    Returns
    -------
    int
        ``GOOD``, or the link without positive inertia.
    """
    size = len(state.velocity)
    for stage in range(STAGES + 1 if is_sampled else STAGES):
        if stage == STAGES:
            _finish_step(state, step, arrays)
        # The last stage looks at the end itself: one call in the loop, for the compiler's sake.
        ahead = 0.0 if stage == STAGES else step * stage_share(stage)
        before = min(max(stage - 1, 0), 2)
        for row in range(size):
            slope = ahead * arrays.acceleration[before, row] if ahead else 0.0
            arrays.velocity[stage, row] = state.velocity[row] + slope
        for each in range(size - 6):
            slope = ahead * arrays.velocity[before, 6 + each] if ahead else 0.0
            arrays.place[each] = state.place[each] + slope
        if plant.outside.act:
            _pose_of_stage(state, ahead, arrays.velocity[before], arrays)
        outcome = accelerate(
            plant,
            arrays.place,
            arrays.velocity[stage],
            force,
            thrust,
            arrays,
            arrays.acceleration[stage],
            arrays.power[stage],
        )
        if outcome != GOOD:
            return outcome
    if not is_sampled:
        _finish_step(state, step, arrays)
    return GOOD


@compiled_apart
def _pose_of_stage(
    state: StateArrays, ahead: float, velocity: NDArray[np.float64], arrays: Stages
) -> None:
    """Fill in where the base is some time ahead, s, at a constant twist."""
    for row in range(3):
        arrays.base_position[row] = state.position[row]
        for column in range(3):
            arrays.turned[row, column] = state.rotation[row, column]
    if ahead:
        for row in range(6):
            arrays.twist[row] = ahead * velocity[row]
        exp_se3_into(arrays.twist, arrays.rotation, arrays.translation)
        _move_pose(arrays.base_position, arrays.turned, arrays)


@compiled_part
def _move_pose(
    position: NDArray[np.float64], rotation: NDArray[np.float64], arrays: Stages
) -> None:
    """Move a pose by the rotation and the displacement of a step, in place."""
    # Element by element: numba takes long to compile products and assignments of whole arrays.
    turn, way = arrays.rotation, arrays.translation
    for row in range(3):
        x, y, z = rotation[row, 0], rotation[row, 1], rotation[row, 2]
        position[row] += x * way[0] + y * way[1] + z * way[2]
        for column in range(3):
            rotation[row, column] = x * turn[0, column] + y * turn[1, column] + z * turn[2, column]


@compiled_part
def _finish_step(state: StateArrays, step: float, arrays: Stages) -> None:
    """Go from the start of a step to its end, all four stages known; keep the pose a pose."""
    _move_base(state, step, arrays)
    for row in range(len(state.velocity)):
        state.velocity[row] += step * mean_slope(arrays.acceleration, row)
    for each in range(len(state.place)):
        state.place[each] += step * mean_slope(arrays.velocity, 6 + each)
    for kind in range(WORKS):
        state.work[kind] += step * mean_slope(arrays.power, kind)


@compiled_part
def _move_base(state: StateArrays, step: float, arrays: Stages) -> None:
    """Advance the pose by the exponential of the step's Magnus expansion (right-trivialised)."""
    first, last, twist = arrays.velocity[0], arrays.velocity[3], arrays.twist
    share = step * step / 12.0
    linear, turning = (first[0], first[1], first[2]), (first[3], first[4], first[5])
    a = cross(turning, (last[0], last[1], last[2]))
    b = cross(linear, (last[3], last[4], last[5]))
    c = cross(turning, (last[3], last[4], last[5]))
    for axis in range(3):
        twist[axis] = step * mean_slope(arrays.velocity, axis) + share * (a[axis] + b[axis])
        twist[3 + axis] = step * mean_slope(arrays.velocity, 3 + axis) + share * c[axis]
    exp_se3_into(twist, arrays.rotation, arrays.translation)
    _move_pose(state.position, state.rotation, arrays)

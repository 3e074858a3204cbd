"""One time step after the other: control, drives, integration; compiled.

Control and thrusters are sampled at the start of a step and held through it, as a computer on
board does. Within the step everything is smooth.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled
from spacerobot_id.multibody.kernels.equations_of_motion import equations_of_motion
from spacerobot_id.multibody.kernels.outward_sweep import COLUMNS
from spacerobot_id.multibody.kernels.runge_kutta import STAGES
from spacerobot_id.simulation.control.computed_torque import control
from spacerobot_id.simulation.control.control_arrays import ControlArrays
from spacerobot_id.simulation.dynamic.drives import (
    fire_thrusters,
    limit_motors,
    saturate_propellers,
)
from spacerobot_id.simulation.dynamic.plant import fill_slope, Plant
from spacerobot_id.simulation.dynamic.runge_kutta_step import (
    begin_stage,
    finish_step,
    orthogonalise,
)
from spacerobot_id.simulation.dynamic.state_arrays import POSE


@compiled
def advance(
    plant: Plant,
    settings: ControlArrays,
    state: NDArray[np.float64],
    steps: NDArray[np.float64],
    references: NDArray[np.float64],
    thrusts: NDArray[np.float64],
    sampled: NDArray[np.bool_],
    record: NDArray[np.float64],
) -> tuple[int, int]:
    """Advance a state by many steps, in place, and record some of the states on the way.

    Parameters
    ----------
    plant : Plant
        True robot.
    settings : ControlArrays
        Control, with the robot as it knows it.
    state : ndarray
        State (see ``state_arrays``) at the start in, at the end out.
    steps : ndarray, shape (K,)
        Steps, s.
    references : ndarray, shape (K, 3, n + w)
        Positions, rates and accelerations wanted in each step.
    thrusts : ndarray, shape (K, 6)
        Mean wrench of thrusters on the base in each step.
    sampled : ndarray of bool, shape (K,)
        Whether the state after a step is recorded.
    record : ndarray
        Filled, one row per state recorded: just before it derivatives of the velocities, then
        wrench on the base, joint torques, wheel torques; the state.

    Returns
    -------
    tuple of int
        Number of steps done, and -1 or the velocity whose articulated inertia is not positive.
    """
    size, row = 6 + references.shape[2], 0
    pose = 2 * size - 2
    stages, slopes = np.empty((STAGES + 1, pose + POSE)), np.empty((STAGES + 1, pose))
    work, matrix = np.empty((len(plant.tree.parents), COLUMNS)), np.empty((size, size))
    force, bias, wanted = np.empty(size), np.empty(size), np.empty(size)
    for index in range(len(steps)):
        step, thrust = steps[index], thrusts[index]
        equations_of_motion(settings.tree, state[size:], state[:size], work, matrix, bias)
        control(settings, state, references[index], work, matrix, bias, wanted, force)
        limit_motors(plant.drives, state, force)
        fire_thrusters(plant.drives, step, state[pose + POSE :], force)
        saturate_propellers(plant.drives, force)
        for stage in range(STAGES + 1 if sampled[index] else STAGES):
            begin_stage(state, step, stage, plant.outside.act, stages, slopes)
            at, slope = stages[stage], slopes[stage]
            equations_of_motion(plant.tree, at[size:], at[:size], work, matrix, slope[:size])
            failing = fill_slope(plant, at, force, thrust, work, matrix, slope)
            if failing >= 0:
                return index, failing
        if not sampled[index]:
            finish_step(state, step, stages, slopes)
        if sampled[index]:
            orthogonalise(state, pose + 3)
            for each in range(size):
                record[row, each] = slopes[4, each]
                record[row, size + each] = force[each] + (thrust[each] if each < 6 else 0.0)
            for each in range(len(state)):
                record[row, 2 * size + each] = state[each]
            row += 1
    return len(steps), -1

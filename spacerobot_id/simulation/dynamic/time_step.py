"""One time step after the other: control, drives, integration; compiled.

Control and thrusters are sampled at the start of a step and held through it, as a computer on
board does. Within the step everything is smooth.
"""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.articulated_body import GOOD
from spacerobot_id.multibody.kernels.compiled import compiled, compiled_part
from spacerobot_id.multibody.kernels.equations_of_motion import new_equations
from spacerobot_id.multibody.kernels.se3 import orthogonalise
from spacerobot_id.simulation.control.computed_torque import control
from spacerobot_id.simulation.control.control_arrays import BasePose, ControlArrays
from spacerobot_id.simulation.dynamic.drives import (
    fire_thrusters,
    limit_motors,
    saturate_propellers,
)
from spacerobot_id.simulation.dynamic.plant import Plant
from spacerobot_id.simulation.dynamic.runge_kutta_step import runge_kutta_step
from spacerobot_id.simulation.dynamic.stages import stages
from spacerobot_id.simulation.dynamic.state_arrays import RecordArrays, StateArrays


@compiled
def advance(
    plant: Plant,
    settings: ControlArrays,
    state: StateArrays,
    steps: NDArray[np.float64],
    references: NDArray[np.float64],
    thrusts: NDArray[np.float64],
    sampled: NDArray[np.bool_],
    record: RecordArrays,
) -> tuple[int, int]:
    """Advance a state by many steps, in place, and record some of the states on the way.

    Parameters
    ----------
    plant : Plant
        True robot.
    settings : ControlArrays
        Control, with the robot as it knows it.
    state : StateArrays
        State at the start in, at the end out.
    steps : ndarray, shape (K,)
        Steps, s.
    references : ndarray, shape (K, 3, n + w)
        Positions, rates and accelerations wanted in each step.
    thrusts : ndarray, shape (K, 6)
        Mean wrench of thrusters on the base in each step.
    sampled : ndarray of bool, shape (K,)
        Whether the state after a step is recorded.
    record : RecordArrays
        Filled, one row per state recorded.

    Returns
    -------
    tuple of int
        Number of steps done, and ``GOOD`` or the link without positive inertia.
    """
    size, row = len(state.velocity), 0
    arrays = stages(len(plant.tree.parents) - 1, size)
    equations = new_equations(settings.tree)
    force, wanted = np.zeros(size), np.zeros(size)
    pose = BasePose(state.position, state.rotation)
    for index in range(len(steps)):
        step, reference = steps[index], references[index]
        place, velocity = state.place, state.velocity
        control(settings, pose, place, velocity, reference, equations, wanted, force)
        limit_motors(plant.drives, velocity, force)
        fire_thrusters(plant.drives, step, state.owed, state.pulse, force)
        saturate_propellers(plant.drives, force)
        thrust = thrusts[index]
        outcome = runge_kutta_step(plant, state, force, thrust, step, arrays, sampled[index])
        if outcome != GOOD:
            return index, outcome
        if sampled[index]:
            orthogonalise(state.rotation)
            for axis in range(6):
                force[axis] += thrust[axis]
            _write_record(record, row, state, arrays.acceleration[4], force)
            row += 1
    return len(steps), GOOD


@compiled_part
def _write_record(
    record: RecordArrays,
    row: int,
    state: StateArrays,
    acceleration: NDArray[np.float64],
    force: NDArray[np.float64],
) -> None:
    """Fill in one row of the record."""
    record.acceleration[row] = acceleration
    record.position[row] = state.position
    record.rotation[row] = state.rotation
    record.place[row] = state.place
    record.velocity[row] = state.velocity
    record.work[row] = state.work
    record.force[row] = force

"""The true robot under all forces: forward dynamics of one state, compiled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.linear_solver import solve_definite
from spacerobot_id.multibody.kernels.tree_arrays import Tree
from spacerobot_id.simulation.dynamic.drives import ActuatorArrays, joint_friction
from spacerobot_id.simulation.dynamic.outside_forces import add_outside_forces, OutsideForces


class Plant(NamedTuple):
    """The true robot and its drives.

    Parameters
    ----------
    tree : Tree
        Robot.
    drives : ActuatorArrays
        Limits, friction, thrusters.
    thrust_through_centre : bool
        Whether the force asked of the base's drives acts through the system's centre of mass.
    outside : OutsideForces
        What acts from outside.
    is_planar : bool
        Whether a table holds the base in its plane.
    """

    tree: Tree
    drives: ActuatorArrays
    thrust_through_centre: bool
    outside: OutsideForces
    is_planar: bool


@compiled_part
def fill_slope(
    plant: Plant,
    stage: NDArray[np.float64],
    force: NDArray[np.float64],
    thrust: NDArray[np.float64],
    work: NDArray[np.float64],
    matrix: NDArray[np.float64],
    slope: NDArray[np.float64],
) -> int:
    """Fill in the derivative of a state but its pose, given the equations of motion.

    Parameters
    ----------
    plant : Plant
        Robot.
    stage : ndarray
        State.
    force : ndarray, shape (6 + n + w,)
        Forces of the drives on the velocities.
    thrust : ndarray, shape (6,)
        Wrench of thrusters on the base.
    work, matrix : ndarray, shapes (links, COLUMNS) and (6 + n + w, 6 + n + w)
        What ``equations_of_motion`` has filled; overwritten.
    slope : ndarray
        Bias forces in; filled with accelerations, that of the base as derivatives of the
        components of its twist; rates of joints and wheels; powers, W.

    Returns
    -------
    int
        -1, or the velocity whose articulated inertia is not positive.
    """
    size, joints = len(force), len(plant.tree.leading)
    velocity, acceleration, power = stage[:size], slope[:size], slope[2 * size - 6 :]
    power[:] = 0.0
    for row in range(size):
        given, kind = force[row], 0 if row < 6 else 1 if row < 6 + joints else 2
        if row < 6:
            given += thrust[row]
        else:
            slope[size + row - 6] = velocity[row]
        power[kind] += given * velocity[row]
        acceleration[row] = given - acceleration[row]
    for joint in range(joints):
        friction = joint_friction(plant.drives, joint, velocity[6 + joint])
        acceleration[6 + joint] += friction
        power[3] += friction * velocity[6 + joint]
    if plant.thrust_through_centre or plant.outside.act:
        share = 1.0 if plant.thrust_through_centre else 0.0
        centred = share * force[0], share * force[1], share * force[2]
        add_outside_forces(plant.outside, stage, centred, work, matrix, acceleration, power)
    if plant.is_planar:
        _hold_in_plane(matrix, velocity, acceleration)
    return solve_definite(matrix, acceleration)


@compiled_part
def _hold_in_plane(
    matrix: NDArray[np.float64], velocity: NDArray[np.float64], force: NDArray[np.float64]
) -> None:
    """Let a table keep the base from rising and tilting: its rows become accelerations."""
    for held in range(2, 5):
        wanted = velocity[4] * velocity[0] - velocity[3] * velocity[1] if held == 2 else 0.0
        for row in range(len(force)):
            force[row] -= matrix[row, held] * wanted
            matrix[row, held] = matrix[held, row] = 0.0
        matrix[held, held], force[held] = 1.0, wanted

"""The true robot under all forces: forward dynamics of one state, compiled."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.multibody import wheel_momentum_matrix
from spacerobot_id.multibody.kernels.compiled import compiled_part
from spacerobot_id.multibody.kernels.small_vectors import solve_definite
from spacerobot_id.multibody.kernels.tree_arrays import Tree
from spacerobot_id.simulation.controller import Drive, ManoeuvringMode
from spacerobot_id.simulation.dynamic.drives import ActuatorArrays, joint_friction
from spacerobot_id.simulation.dynamic.outside_forces import add_outside_forces, OutsideForces


@dataclass(frozen=True, eq=False)
class Payload:
    """A rigid body that the robot can take hold of.

    Parameters
    ----------
    link : str
        Link of the description that it is joined to.
    body : InertialParameters
        Its parameters in that link's frame, about the frame's origin.
    """

    link: str
    body: InertialParameters


def with_body(model: RobotModel, payload: Payload) -> RobotModel:
    """Return the robot with a body rigidly joined to one of its links.

    Parameters
    ----------
    model : RobotModel
        Robot.
    payload : Payload
        Body, and where it goes.

    Raises
    ------
    SimulationError
        If the link is unknown, or no rigid body has these parameters.
    """
    if payload.link not in model.frames:
        raise SimulationError(f'payload: link {payload.link!r} is unknown')
    for reason in payload.body.defects():
        raise SimulationError(f'payload: {reason}')
    frame = model.frames[payload.link]
    carried = payload.body.expressed_in(frame.R_LF, frame.p_LF_L)
    links = list(model.links)
    grown = links[frame.link].inertial + carried
    links[frame.link] = replace(links[frame.link], inertial=grown)
    return replace(model, links=links)


def mode_of(name: ManoeuvringMode | str) -> ManoeuvringMode:
    """Return a mode by its name; raise SimulationError if it is unknown."""
    try:
        return ManoeuvringMode(name)
    except ValueError:
        known = ', '.join(each.value for each in ManoeuvringMode)
        raise SimulationError(f'mode: must be one of {known}, got {name!r}') from None


def check_hold(robot: RobotModel, q: NDArray[np.float64], mode: ManoeuvringMode) -> None:
    """Raise SimulationError if wheels are to hold the base that are not there."""
    if mode is not ManoeuvringMode.ROTATION_FLOATING:
        return
    spins = wheel_momentum_matrix(robot, q[None])[0, 3:]
    if np.linalg.matrix_rank(spins) < 3:
        raise SimulationError(
            f'mode {mode.value}: {robot.name} has no three independent reaction wheels to hold '
            f'the base with'
        )


def check_wrench(mode: ManoeuvringMode, wrench: NDArray[np.float64]) -> None:
    """Raise SimulationError if a wrench, shape (6,), has a part that nothing gives in a mode."""
    row = mode.properties
    turns = row.rotation in (Drive.TORQUE, Drive.THRUSTERS)
    for part, name, allowed in (
        (wrench[:3], 'force', row.translation is Drive.THRUSTERS),
        (wrench[3:], 'torque', turns),
    ):
        if part.any() and not allowed:
            raise SimulationError(f'base wrench: mode {mode.value} allows no {name}')


def check_thrusters(robot: RobotModel, mode: ManoeuvringMode) -> None:
    """Raise SimulationError if there are no thrusters, or they do not move the base in a mode."""
    if not robot.thrusters:
        raise SimulationError(f'{robot.name} has no thrusters')
    if mode.properties.translation is not Drive.THRUSTERS:
        raise SimulationError(f'mode {mode.value} fires no thrusters')


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

"""What a manoeuvring mode allows: checked before anything of a simulation changes."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import wheel_momentum_matrix
from spacerobot_id.simulation.control.manoeuvring_mode import Drive, ManoeuvringMode


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

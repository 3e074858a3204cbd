"""Links that can grasp or release a body, how large that may be, and how it may move."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.model import RobotModel
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.regressor import MinimalParameters

_OWN_SPEED, _OWN_TURNING = 0.1, 0.2
"""Velocity (m/s) and rate (rad/s) that a body may have which the robot does not give it."""


def payload_std(
    model: RobotModel, minimal: MinimalParameters, settings: ChangeSettings
) -> NDArray[np.float64]:
    """Return how large the ten parameters of a body that comes or goes may be, shape (10,)."""
    mass = settings.mass or 0.2 * minimal.values(model)[MASS]
    return mass * np.array([settings.length**2] * 6 + [1.0] + [settings.length] * 3)


def brought_momentum_std(
    model: RobotModel, turning: float, payload: NDArray[np.float64], speed: float = 0.0
) -> NDArray[np.float64]:
    """Return how much momentum about the centre of mass a body may bring or take, shape (2,).

    It moves as fast as a gripper does, and on its own besides.

    Parameters
    ----------
    model : RobotModel
        Robot.
    turning : float
        Sum of the rates of base and joints around the change at most, rad/s.
    payload : ndarray, shape (10,)
        Standard deviations of the parameters of the body.
    speed : float
        Velocity of the base around the change at most, where it is not the arm's doing, m/s.
    """
    reach = sum(float(np.linalg.norm(joint.p_PC_P)) for joint in model.tree_joints)
    speed += _OWN_SPEED + reach * turning
    mass, inertia = payload[MASS], payload[0]
    return np.array([mass * speed, mass * speed * reach + inertia * (_OWN_TURNING + turning)])


def changeable_links(model: RobotModel, settings: ChangeSettings) -> list[int]:
    """Return the indices of the links that can change.

    Raises
    ------
    ConfigurationError
        If the settings name a link that does not exist; lists those that do.
    """
    unknown = [name for name in settings.links if name not in model.link_names]
    if unknown:
        raise ConfigurationError(
            f'change_links: {", ".join(unknown)}: no such link; there are '
            f'{", ".join(model.link_names)}'
        )
    if settings.links:
        return [model.link_names.index(name) for name in settings.links]
    parents = {joint.parent for joint in model.tree_joints}
    return [index for index in range(len(model.links)) if index not in parents]

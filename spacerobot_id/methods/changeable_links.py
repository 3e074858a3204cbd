"""Links that can grasp or release a body, and how large that may be."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.methods.settings import ChangeSettings
from spacerobot_id.model import RobotModel
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.regressor import MinimalParameters


def payload_std(
    model: RobotModel, minimal: MinimalParameters, settings: ChangeSettings
) -> NDArray[np.float64]:
    """Return how large the ten parameters of a body that comes or goes may be, shape (10,)."""
    mass = settings.mass or 0.2 * minimal.values(model)[MASS]
    return mass * np.array([settings.length**2] * 6 + [1.0] + [settings.length] * 3)


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
    parents = {joint.parent for joint in model.joints}
    return [index for index in range(len(model.links)) if index not in parents]

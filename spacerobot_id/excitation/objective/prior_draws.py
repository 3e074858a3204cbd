"""Robots that a prior may stand for: drawn around it, and counted by how hard they are."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model import InertialParameters, RobotModel

_POWER = 4.0
"""Exponent of the mean over robots: those for which a motion does least count most."""


def draw_robot(model: RobotModel, spread: float, rng: np.random.Generator) -> RobotModel:
    """Return a robot like another, each link of which differs on its own.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    spread : float
        Standard deviation of the logarithms of masses and inertias, and of the centres of mass
        as a share of the link's radius of gyration.
    rng : numpy.random.Generator
        Source of the draw.
    """
    links = []
    for link in model.links:
        body = link.inertial
        heavier, wider, *shift = spread * rng.normal(size=5)
        if not body.mass > 0.0:
            links.append(link)
            continue
        about_com = body.inertia_about_com
        gyration = np.sqrt(np.abs(np.trace(about_com)) / body.mass)
        drawn = InertialParameters.from_com(
            body.mass * np.exp(heavier),
            body.com + gyration * np.array(shift),
            about_com * np.exp(heavier + 2.0 * wider),
        )
        links.append(replace(link, inertial=drawn))
    return replace(model, links=links)


def soft_maximum(scores: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return a mean of scores that counts high ones more, and the share of each."""
    powers = np.exp(_POWER * (scores - scores.max()))
    return float(scores.max() + np.log(powers.mean()) / _POWER), powers / powers.sum()

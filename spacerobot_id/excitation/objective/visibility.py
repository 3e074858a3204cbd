"""Which parameters any motion can show, and whether one shows more than a description states."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.objective.deviation_criterion import standard_deviations
from spacerobot_id.kinematics.planned_motion import PlannedMotion
from spacerobot_id.methods.information.motion_information import InformationSource

_SAMPLES = 300
_SHOWN = 0.5
"""Share of its prior deviation that a parameter has left, at most, if motion shows it."""

_NEW = 0.95
"""Share of its prior deviation that the best seen parameter has left if a motion shows nothing."""

_MUCH = 1e12
"""Length of the motion that is taken, s: all that can show does."""


def visible_parameters(source: InformationSource) -> NDArray[np.bool_]:
    """Return which parameters states drawn at random show beside the description, shape (p,)."""
    rng, robot = np.random.default_rng(0), source.models[0]
    actuators = len(robot.joints) + len(robot.wheels)
    motion = PlannedMotion(
        np.arange(float(_SAMPLES)),
        rng.uniform(-np.pi, np.pi, (_SAMPLES, actuators)),
        rng.normal(size=(_SAMPLES, actuators)),
        np.zeros((_SAMPLES, actuators)),
    )
    weights = np.full(_SAMPLES, _MUCH / _SAMPLES)
    shown = source.information(motion, weights).matrix
    scale = 1.0 / np.sqrt(np.diag(source.prior))
    eigenvalues, vectors = np.linalg.eigh(shown * np.outer(scale, scale))
    # In the units of the prior: what is left of each deviation, direction by direction.
    rounding = len(scale) * np.finfo(float).eps * eigenvalues[-1]
    left = np.where(eigenvalues > rounding, 0.0, 1.0)
    return np.sqrt(np.sum(vectors**2 * left, axis=1)) < _SHOWN


def shows_something(source: InformationSource, shown: NDArray[np.float64]) -> bool:
    """Return whether a motion shows any parameter better than the description states it.

    Parameters
    ----------
    source : InformationSource
        Parameters of the robot as it is described.
    shown : ndarray, shape (p, p)
        Information of the motion.
    """
    std = standard_deviations(shown, source.prior)
    return bool(np.any(std * np.sqrt(np.diag(source.prior)) < _NEW))

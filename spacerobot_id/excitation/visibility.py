"""Which minimal parameters any motion can show where a table holds the base in its plane."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.criteria import Known
from spacerobot_id.excitation.deviation_criterion import DeviationCriterion, parameter_scale
from spacerobot_id.excitation.motion import PlannedMotion
from spacerobot_id.excitation.motion_information import InformationModel, MotionInformation
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import MinimalParameters

_SAMPLES = 300
_SHOWN = 0.5
"""Share of its prior deviation that a parameter has left, at most, if motion shows it."""

_NEW = 0.95
"""Share of its prior deviation that the best seen parameter has left if a motion shows nothing."""

_MUCH = 1e12
"""Length of the motion that is taken, s: all that can show does."""


def described(model: RobotModel, minimal: MinimalParameters) -> Known:
    """Return the description as knowledge: each parameter may be wrong by its own size."""
    values = minimal.values(model)
    return Known(values, np.diag(parameter_scale(minimal, values) ** -2.0))


def visible_parameters(model: InformationModel) -> NDArray[np.bool_]:
    """Return which parameters states drawn at random show beside the description, shape (p,)."""
    rng, robot = np.random.default_rng(0), model.models[0]
    actuators = len(robot.joints) + len(robot.wheels)
    motion = PlannedMotion(
        np.arange(float(_SAMPLES)),
        rng.uniform(-np.pi, np.pi, (_SAMPLES, actuators)),
        rng.normal(size=(_SAMPLES, actuators)),
        np.zeros((_SAMPLES, actuators)),
    )
    weights = np.full(_SAMPLES, _MUCH / _SAMPLES)
    shown = model.information(motion, weights).matrix
    prior = described(robot, model.minimal).information
    scale = 1.0 / np.sqrt(np.diag(prior))
    eigenvalues, vectors = np.linalg.eigh(shown * np.outer(scale, scale))
    # In the units of the prior: what is left of each deviation, direction by direction.
    rounding = len(scale) * np.finfo(float).eps * eigenvalues[-1]
    left = np.where(eigenvalues > rounding, 0.0, 1.0)
    return np.sqrt(np.sum(vectors**2 * left, axis=1)) < _SHOWN


def shows_something(
    model: RobotModel, minimal: MinimalParameters, information: MotionInformation
) -> bool:
    """Return whether a motion shows any parameter better than the description says it.

    Parameters
    ----------
    model : RobotModel
        Robot as it is described.
    minimal : MinimalParameters
        Its p minimal parameters.
    information : MotionInformation
        What the motion shows of them.
    """
    prior = described(model, minimal).information
    ones = np.ones(len(minimal))
    std = DeviationCriterion(ones, ones, known=prior).standard_deviations(information)
    return bool(np.any(std * np.sqrt(np.diag(prior)) < _NEW))

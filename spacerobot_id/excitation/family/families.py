"""The family of motions that settings name, for the actuators of a robot."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.family.motion_family import MotionFamily
from spacerobot_id.excitation.family.registry import family_module, FamilyName
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.model import JointLimits


def make_family(
    settings: PlannerSettings,
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    interval: float,
    start: NDArray[np.float64],
    cycles: int = 1,
) -> MotionFamily:
    """Return a family of motions.

    Parameters
    ----------
    settings : PlannerSettings
        Which family, and how long its motions last.
    names : tuple of str
        Names of the m actuators.
    limits : sequence of JointLimits
        Their limits.
    interval : float
        Duration of one interval, s.
    start : ndarray, shape (m,)
        Where motions start, rad or m; NaN where a search may choose.
    cycles : int
        How often a periodic motion is repeated.
    """
    is_open = settings.family is FamilyName.AUTOMATIC
    family = family_module(FamilyName.CYCLOIDS if is_open else settings.family)
    return family.make(settings, names, limits, interval, start, cycles)

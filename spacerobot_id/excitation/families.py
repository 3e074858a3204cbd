"""The family of motions that settings name, for the actuators of a robot."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.cycloid_family import CycloidFamily
from spacerobot_id.excitation.direction_combinations import (
    direction_combinations,
    draw_direction_combinations,
)
from spacerobot_id.excitation.fourier_families import PeriodicSearchFamily, QuinticSearchFamily
from spacerobot_id.excitation.motion_family import MotionFamily
from spacerobot_id.excitation.periodic_fourier import FourierFamily
from spacerobot_id.excitation.planner_settings import FamilyName, PlannerSettings
from spacerobot_id.excitation.seed_family import SeedFamily
from spacerobot_id.model import JointLimits

_MOST_COMBINED = 12
"""Actuators beyond which direction combinations are drawn: 2^11 intervals are half an hour."""


def make_family(
    settings: PlannerSettings,
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    interval: float,
    start: NDArray[np.float64],
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
    """
    duration = settings.duration or settings.intervals * interval
    if settings.family is FamilyName.CYCLOIDS:
        return CycloidFamily(names, limits, settings.intervals, interval, start)
    lower = np.array([limit.lower for limit in limits])
    upper = np.array([limit.upper for limit in limits])
    middle = [_middle(limit) for limit in limits]
    start = np.where(np.isnan(start), middle, start)
    if settings.family is FamilyName.FOURIER_QUINTIC:
        return QuinticSearchFamily(names, limits, duration, settings.harmonics, start)
    return PeriodicSearchFamily(
        FourierFamily(
            names,
            duration,
            start,
            lower,
            upper,
            np.array([limit.velocity for limit in limits]),
            np.array([limit.acceleration for limit in limits]),
            settings.harmonics,
        )
    )


def _middle(limit: JointLimits) -> float:
    """Return the middle between two limits, half a turn from one, zero without any."""
    ends = limit.lower, limit.upper
    if np.isfinite(ends).all():
        return 0.5 * sum(ends)
    return float(np.clip(0.0, limit.lower + np.pi, limit.upper - np.pi))


def seed_family(
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    interval: float,
    start: NDArray[np.float64],
    directions: NDArray[np.int8] | None = None,
) -> SeedFamily:
    """Return the paper's family, of all direction combinations unless some are given.

    The first actuator always goes forward, the order is Gray's: that is the order whose counts of
    significant singular values are those of the paper. Beyond a dozen actuators as many
    combinations are drawn as a dozen have.

    Parameters
    ----------
    names, limits, interval, start
        As for ``make_family``.
    directions : ndarray, shape (K, m), optional
        Direction combinations.
    """
    count = len(names)
    if directions is None and count <= _MOST_COMBINED:
        directions = direction_combinations(count, first_fixed=True)
    elif directions is None:
        rng = np.random.default_rng(0)
        directions = draw_direction_combinations(count, 2 ** (_MOST_COMBINED - 1), rng)
    return SeedFamily(CycloidFamily(names, limits, len(directions), interval, start), directions)

"""The family of motions that settings name, for the actuators of a robot."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.constraint.keep_in_box import FreeFlyerLimits
from spacerobot_id.excitation.family.cycloid_family import (
    CycloidFamily,
    direction_combinations,
    draw_direction_combinations,
)
from spacerobot_id.excitation.family.motion_family import MotionFamily
from spacerobot_id.excitation.family.periodic_family import FourierFamily, PeriodicSearchFamily
from spacerobot_id.excitation.family.quintic_family import QuinticSearchFamily
from spacerobot_id.excitation.family.seed_family import SeedFamily
from spacerobot_id.excitation.planner_settings import FamilyName, PlannerSettings
from spacerobot_id.kinematics.pose_coordinates import POSE_COORDINATES
from spacerobot_id.model import JointLimits

_MOST_COMBINED = 12
"""Actuators beyond which direction combinations are drawn: 2^11 intervals are half an hour."""


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
    duration = settings.duration or settings.intervals * interval
    if settings.family in (FamilyName.AUTOMATIC, FamilyName.CYCLOIDS):
        plateau = settings.plateau
        return CycloidFamily(names, limits, settings.intervals, interval, start, plateau)
    middle = [_middle(limit) for limit in limits]
    start = np.where(np.isnan(start), middle, start)
    if settings.family is FamilyName.FOURIER_QUINTIC:
        return QuinticSearchFamily(names, limits, duration, settings.harmonics, start)
    return PeriodicSearchFamily(
        periodic_family(names, limits, duration, start, settings.harmonics, cycles)
    )


def periodic_family(
    names: tuple[str, ...],
    limits: Sequence[JointLimits],
    period: float,
    start: NDArray[np.float64],
    harmonics: int,
    cycles: int = 1,
) -> FourierFamily:
    """Return the periodic Fourier motions that keep some limits.

    Parameters
    ----------
    names, limits, start
        As for ``make_family``.
    period : float
        Period, s.
    harmonics, cycles : int
        Number of harmonics, and of periods.
    """
    return FourierFamily(
        names,
        period,
        start,
        np.array([limit.lower for limit in limits]),
        np.array([limit.upper for limit in limits]),
        np.array([limit.velocity for limit in limits]),
        np.array([limit.acceleration for limit in limits]),
        harmonics,
        cycles,
    )


def pose_family(
    limits: FreeFlyerLimits, period: float, harmonics: int = 3, cycles: int = 1
) -> FourierFamily:
    """Return the periodic Fourier motions of a base about the origin that keep some limits.

    Parameters
    ----------
    limits : FreeFlyerLimits
        Limits.
    period : float
        Period, s.
    harmonics, cycles : int
        Number of harmonics, and of periods.
    """
    coordinates, here = limits.of_coordinates(), np.zeros(6)
    return periodic_family(POSE_COORDINATES, coordinates, period, here, harmonics, cycles)


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

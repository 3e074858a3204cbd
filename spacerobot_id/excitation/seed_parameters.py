"""Seed parameters: start and range of every joint span the whole motion (papers/000 5.4)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import LinearConstraint

from spacerobot_id.excitation.cycloid import PEAK_ACCELERATION, PEAK_RATE
from spacerobot_id.model import JointLimits


def knots_from_seeds(
    start: ArrayLike, reach: ArrayLike, directions: ArrayLike
) -> NDArray[np.float64]:
    """Return positions at the ends of the intervals (Eqs. 30, 31).

    Parameters
    ----------
    start : array_like, shape (m,)
        Start parameters, rad or m.
    reach : array_like, shape (m,)
        Range parameters: distance moved in each interval, rad or m.
    directions : array_like, shape (K, m)
        Direction combinations, +1 or -1.

    Returns
    -------
    ndarray, shape (K + 1, m)
        Positions, rad or m.
    """
    steps = np.cumsum(directions, axis=0) * np.asarray(reach, dtype=float)
    return np.asarray(start, dtype=float) + np.vstack([np.zeros_like(steps[:1]), steps])


def largest_range(limits: JointLimits, interval: float) -> float:
    """Return the largest range parameter that keeps rate and acceleration limits (Eq. 36)."""
    by_rate = limits.velocity * interval / PEAK_RATE
    by_acceleration = limits.acceleration * interval**2 / PEAK_ACCELERATION
    return min(by_rate, by_acceleration)


def position_constraint(
    limits: list[JointLimits], directions: NDArray[np.int8]
) -> LinearConstraint:
    """Return the position limits as linear constraints on the seeds (Eq. 33).

    Parameters
    ----------
    limits : list of JointLimits
        Limits of n joints.
    directions : ndarray, shape (K, n)
        Direction combinations.

    Returns
    -------
    scipy.optimize.LinearConstraint
        A row for the highest position of every joint with an upper limit, and one for the lowest
        of every joint with a lower limit.
    """
    travelled = np.vstack([np.zeros(len(limits)), np.cumsum(directions, axis=0)])
    eye = np.eye(len(limits))
    highest = np.hstack([eye, np.diag(travelled.max(axis=0))])
    lowest = np.hstack([eye, np.diag(travelled.min(axis=0))])
    lower = np.array([limit.lower for limit in limits])
    upper = np.array([limit.upper for limit in limits])
    above, below = np.isfinite(upper), np.isfinite(lower)
    return LinearConstraint(
        np.vstack([highest[above], lowest[below]]),
        np.concatenate([np.full(above.sum(), -np.inf), lower[below]]),
        np.concatenate([upper[above], np.full(below.sum(), np.inf)]),
    )

"""Joint trajectories, as controllers take them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_POINTS = 100_000
"""Largest number of points of a trajectory."""


@dataclass(frozen=True, eq=False)
class JointTrajectory:
    """Points that joints or wheels pass through; times count from when it is received.

    Parameters
    ----------
    names : tuple of str
        Names of the m joints.
    times : ndarray, shape (K,)
        Times of the points since the start, s.
    positions : ndarray, shape (K, m)
        Positions, rad or m.
    velocities : ndarray, shape (K, m), optional
        Rates, rad/s or m/s.
    accelerations : ndarray, shape (K, m), optional
        Accelerations, rad/s^2 or m/s^2; only with velocities.
    """

    names: tuple[str, ...]
    times: NDArray[np.float64]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64] | None = None
    accelerations: NDArray[np.float64] | None = None

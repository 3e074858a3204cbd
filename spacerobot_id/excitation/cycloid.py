"""The cycloid: rest to rest along a monotonic curve (papers/000 Eqs. 28, 29)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

PEAK_RATE = 2.0
"""Largest rate of the unit cycloid (1 in 1 s)."""

PEAK_ACCELERATION = 2.0 * np.pi
"""Largest acceleration of the unit cycloid."""


@dataclass(frozen=True, eq=False)
class UnitCycloid:
    """Fraction of the way, its rate and its acceleration over one unit of time.

    Parameters
    ----------
    position, rate, acceleration : ndarray
        In units of the way, of the way per duration, and per duration squared.
    """

    position: NDArray[np.float64]
    rate: NDArray[np.float64]
    acceleration: NDArray[np.float64]


def unit_cycloid(phase: ArrayLike) -> UnitCycloid:
    """Return the cycloid from 0 to 1 at phases from 0 to 1.

    Parameters
    ----------
    phase : array_like
        Time since the start of the interval over its duration; clipped to 0 and 1.

    Returns
    -------
    UnitCycloid
        Arrays of the phase's shape.
    """
    phase = np.clip(np.asarray(phase, dtype=float), 0.0, 1.0)
    angle = 2.0 * np.pi * phase
    return UnitCycloid(
        position=phase - np.sin(angle) / (2.0 * np.pi),
        rate=1.0 - np.cos(angle),
        acceleration=2.0 * np.pi * np.sin(angle),
    )

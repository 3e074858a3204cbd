"""What every family of exciting motions gives: values at any times, and how far it goes."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class PlannedMotion:
    """Joints and wheels at some times; rows are samples, columns as in the plan's names.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times since the start, s.
    position, velocity, acceleration : ndarray, shape (N, m)
        Of every actuator: rad, rad/s, rad/s^2 (m for prismatic joints).
    """

    times: NDArray[np.float64]
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MotionExtent:
    """How far a motion goes at any time, between samples too; arrays have shape (m,).

    Parameters
    ----------
    lowest, highest : ndarray
        Bounds of the positions, rad or m.
    velocity, acceleration : ndarray
        Bounds of the magnitudes of rates and accelerations.
    """

    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]


class ExcitingMotion(Protocol):
    """A motion of joints and wheels, at rest at its start and at its end."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the m actuators: joints, then wheels."""

    @property
    def duration(self) -> float:
        """Duration, s."""

    def sample(self, times: ArrayLike) -> PlannedMotion:
        """Return the motion at given times since the start; at rest before and after it."""

    def extent(self) -> MotionExtent:
        """Return how far the motion goes."""

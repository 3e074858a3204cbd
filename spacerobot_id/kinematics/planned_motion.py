"""Samples of a motion of joints and wheels, and derivatives of a number by them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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

    def __getitem__(self, samples: NDArray[np.intp] | slice) -> 'PlannedMotion':
        """Return some samples of the motion."""
        return PlannedMotion(
            self.times[samples],
            self.position[samples],
            self.velocity[samples],
            self.acceleration[samples],
        )


@dataclass(frozen=True, eq=False)
class SampleGradient:
    """Derivatives of a number by the samples of a motion; arrays have shape (N, m).

    Parameters
    ----------
    position, velocity, acceleration : ndarray
        Per rad (m), rad/s and rad/s^2 of each actuator at each sample.
    """

    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]

    def __add__(self, other: 'SampleGradient') -> 'SampleGradient':
        """Return the derivatives of the sum of two numbers."""
        return SampleGradient(
            self.position + other.position,
            self.velocity + other.velocity,
            self.acceleration + other.acceleration,
        )

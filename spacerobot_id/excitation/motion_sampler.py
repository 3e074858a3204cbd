"""Motions of a family at fixed times: samples from parameters, and gradients back to them.

The position of every actuator is an affine function of a family's parameters, so that samples
are one linear map and gradients its transpose: no differences over whole motions are needed.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.motion import ExcitingMotion, PlannedMotion


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


class MotionSampler(Protocol):
    """Samples of every motion of a family at the same times."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """Time that each sample stands for, s, shape (N,)."""

    def sample(self, parameters: NDArray[np.float64]) -> PlannedMotion:
        """Return the samples of the motion that parameters of shape (P,) make."""

    def pull_back(self, gradient: SampleGradient) -> NDArray[np.float64]:
        """Return derivatives by the parameters, shape (P,), from those by the samples."""


class AffineSampler:
    """Samples of a family of few parameters: the map is found by trying one at a time.

    Parameters
    ----------
    motion : callable
        From parameters of shape (P,) to a motion, affine.
    size : int
        Number P of parameters.
    times : ndarray, shape (N,)
        Times of the samples, s, equally spaced.
    duration : float
        Duration of the motion, s.
    """

    def __init__(
        self,
        motion: 'MotionOfParameters',
        size: int,
        times: NDArray[np.float64],
        duration: float,
    ) -> None:
        self.times = times
        self.weights = np.full(len(times), duration / len(times))
        self._offset = _stacked(motion(np.zeros(size)), times)
        each = [_stacked(motion(unit), times) - self._offset for unit in np.eye(size)]
        self._matrix = np.stack(each).reshape(size, -1)

    def sample(self, parameters: NDArray[np.float64]) -> PlannedMotion:
        """Return the samples of the motion that parameters make."""
        values = self._offset + (parameters @ self._matrix).reshape(self._offset.shape)
        return PlannedMotion(self.times, *values)

    def pull_back(self, gradient: SampleGradient) -> NDArray[np.float64]:
        """Return derivatives by the parameters from those by the samples."""
        parts = [gradient.position, gradient.velocity, gradient.acceleration]
        return self._matrix @ np.stack(parts).ravel()


class MotionOfParameters(Protocol):
    """A function that makes a motion of parameters."""

    def __call__(self, parameters: NDArray[np.float64]) -> ExcitingMotion:
        """Return the motion of parameters of shape (P,)."""


def _stacked(motion: ExcitingMotion, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return position, velocity and acceleration, shape (3, N, m)."""
    samples = motion.sample(times)
    return np.stack([samples.position, samples.velocity, samples.acceleration])

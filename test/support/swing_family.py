"""A family of motions as a user writes one: every actuator swings to one side and back.

One number per actuator, its amplitude; in files its motions are periodic Fourier motions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds

from spacerobot_id.excitation.family.motion_family import FourierSamplers, known_start
from spacerobot_id.excitation.trajectory.periodic_fourier import PeriodicFourierMotion

LAYOUT = None


@dataclass(frozen=True, eq=False)
class SwingFamily(FourierSamplers):
    """Rates ``a (sin w t - sin 2 w t / 2)``: at rest, and without acceleration, at their ends."""

    names: tuple[str, ...]
    duration: float
    start: NDArray[np.float64]
    largest: NDArray[np.float64]
    harmonics: int = 2

    @property
    def bounds(self):
        return Bounds(-self.largest, self.largest)

    def motion(self, parameters):
        sines = np.outer([1.0, -0.5], parameters)
        frequency = 2.0 * np.pi / self.duration
        offset = self.start + 0.75 * parameters / frequency
        return PeriodicFourierMotion(self.names, self.duration, offset, 0.0 * sines, sines)

    def draw(self, rng):
        return rng.uniform(-1.0, 1.0, len(self.names)) * self.largest

    def keep(self, parameters, share=1.0):
        return np.clip(share * parameters, -self.largest, self.largest)


def make(settings, names, limits, interval, start, _cycles):
    """Return the family of the largest swings within all limits."""
    duration, start = settings.duration or 5.0 * interval, known_start(start, limits)
    room = np.array(
        [min(each.upper - p, p - each.lower) for each, p in zip(limits, start, strict=True)]
    )
    frequency = 2.0 * np.pi / duration
    rates = np.array([each.velocity for each in limits]) / 1.3
    accelerations = np.array([each.acceleration for each in limits]) / (2.0 * frequency)
    largest = np.minimum.reduce([room * frequency / 2.0, rates, accelerations])
    return SwingFamily(names, duration, start, np.where(np.isfinite(largest), largest, 1.0))

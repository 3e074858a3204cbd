"""The Fourier motions of papers/003 and papers/004 as families that a search can take.

Both are affine in their coefficients. What goes beyond a joint's own limits is shrunk at the end,
about the start: the search pays for it before.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds

from spacerobot_id.excitation.fourier_quintic import FourierQuintic, FourierQuinticFamily
from spacerobot_id.excitation.motion_sampler import AffineSampler
from spacerobot_id.excitation.periodic_fourier import FourierFamily, PeriodicFourierMotion
from spacerobot_id.model import JointLimits

_SAMPLES_PER_HARMONIC = 32
"""Samples of the period of the highest harmonic: regressors hold products of four of it."""


class _FourierSamplers:
    """Samplers that both families share."""

    @property
    def constraints(self) -> tuple[()]:
        """None: limits cost a penalty."""
        return ()

    def information_sampler(self) -> AffineSampler:
        """Return samples of a motion, evenly spread, that stand for all of it."""
        return self._sampler(1)

    def limit_sampler(self, density: int) -> AffineSampler:
        """Return samples where limits are looked at."""
        return self._sampler(density)

    def _sampler(self, density: int) -> AffineSampler:
        count = _SAMPLES_PER_HARMONIC * self.harmonics * density
        times = (np.arange(count) + 0.5) * self.duration / count
        return AffineSampler(self.motion, len(self.bounds.lb), times, self.duration)


@dataclass(frozen=True, eq=False)
class QuinticSearchFamily(_FourierSamplers):
    """Fourier series and quintic from rest to rest (papers/004 Eq. 23), back where they began.

    Parameters are shares of the largest coefficients that limits allow a harmonic alone.

    Parameters
    ----------
    names : tuple of str
        Names of the m actuators.
    limits : sequence of JointLimits
        Their limits.
    duration : float
        Duration, s.
    harmonics : int
        Number of harmonics.
    start : ndarray, shape (m,)
        Positions before and after, rad or m.
    """

    names: tuple[str, ...]
    limits: Sequence[JointLimits]
    duration: float
    harmonics: int
    start: NDArray[np.float64]

    @property
    def bounds(self) -> Bounds:
        """Box of the shares."""
        ones = np.ones(self._family.size)
        return Bounds(-ones, ones)

    @property
    def _family(self) -> FourierQuinticFamily:
        return FourierQuinticFamily(
            self.names, self.duration, self.harmonics, self.start, self.start
        )

    def motion(self, parameters: NDArray[np.float64]) -> FourierQuintic:
        """Return the motion that shares make."""
        return self._family.motion(parameters * self._family.bounds(self.limits).ub)

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return shares, drawn at random, of a motion that keeps its actuators' limits."""
        return self.keep(rng.uniform(-1.0, 1.0, self._family.size))

    def keep(self, parameters: NDArray[np.float64], share: float = 1.0) -> NDArray[np.float64]:
        """Return shares shrunk until every actuator keeps its limits."""
        largest = self._family.bounds(self.limits).ub
        return self._family.within(share * parameters * largest, self.limits) / largest


@dataclass(frozen=True, eq=False)
class PeriodicSearchFamily(_FourierSamplers):
    """Periodic Fourier motions (papers/003 Eq. 20) that begin and end each cycle at rest.

    Parameters
    ----------
    family : FourierFamily
        Family, its numbers the parameters.
    """

    family: FourierFamily

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the actuators."""
        return self.family.names

    @property
    def harmonics(self) -> int:
        """Number of harmonics."""
        return self.family.harmonics

    @property
    def duration(self) -> float:
        """Duration of one cycle, s: all show the same."""
        return self.family.period

    @property
    def bounds(self) -> Bounds:
        """Box of the numbers."""
        lower, upper = self.family.bounds
        return Bounds(lower.ravel(), upper.ravel())

    def motion(self, parameters: NDArray[np.float64]) -> PeriodicFourierMotion:
        """Return the motion that numbers make."""
        return self.family.series(parameters)

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return numbers, drawn at random, of a motion that keeps its actuators' limits."""
        return self.keep(rng.uniform(-1.0, 1.0, len(self.bounds.lb)))

    def keep(self, parameters: NDArray[np.float64], share: float = 1.0) -> NDArray[np.float64]:
        """Return numbers shrunk until every actuator keeps its limits."""
        return self.family.numbers(self.family.motion(share * parameters)).ravel()

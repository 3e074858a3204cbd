"""Limits of how fast and how far the base turns: for antennas, sensors and whoever is docked.

They hold for a robot that starts at rest and for one that turns with a known momentum. In the
latter case each sample depends on all before it: there is no gradient by the samples, and a
search takes differences of whole motions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.constraint.motion_limit import usage_gradient
from spacerobot_id.kinematics.planned_motion import PlannedMotion, SampleGradient
from spacerobot_id.multibody.free_floating.planned_base import base_attitude, PlannedBase


@dataclass(frozen=True, eq=False)
class BaseRateLimit:
    """Magnitude of the base's angular velocity.

    Parameters
    ----------
    base : PlannedBase
        Base to predict.
    largest : float
        Limit, rad/s.
    """

    base: PlannedBase
    largest: float

    @property
    def names(self) -> list[str]:
        """What is limited."""
        return ['base: rate']

    @property
    def has_gradient(self) -> bool:
        """Whether derivatives by the samples are known."""
        return self.base.is_pointwise

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the share of the limit, shape (N, 1)."""
        turning = self.base.twist(motion)[:, 3:]
        return np.linalg.norm(turning, axis=1, keepdims=True) / self.largest

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares."""
        parts = ('position', 'velocity')
        return usage_gradient(self.usage, motion, by, parts, motion.position.shape[1])


@dataclass(frozen=True, eq=False)
class BaseExcursionLimit:
    """Angle by which the base is turned from its attitude at the start.

    Parameters
    ----------
    base : PlannedBase
        Base to predict.
    largest : float
        Limit, rad.
    spacing : ndarray, shape (N,)
        Time that each sample stands for, s.
    """

    base: PlannedBase
    largest: float
    spacing: NDArray[np.float64]

    @property
    def names(self) -> list[str]:
        """What is limited."""
        return ['base: excursion']

    @property
    def has_gradient(self) -> bool:
        """Whether derivatives by the samples are known."""
        return self.base.is_pointwise

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the share of the limit, shape (N, 1)."""
        return self.base.turned(motion, self.spacing).magnitude()[:, None] / self.largest

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares.

        Turning a little more at one sample turns all later attitudes about the same axis of the
        inertial frame, and an angle grows by what lies along its own axis.
        """
        turning = self.base.twist(motion)[:, 3:]
        turned = base_attitude(turning, self.spacing)
        vectors = turned.as_rotvec()
        angles = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(float).tiny)
        along = vectors / angles * by / self.largest
        later = np.cumsum(along[::-1], axis=0)[::-1]
        by_turning = turned.inv().apply(later) * self.spacing[:, None]
        # The turn of one sample is along an axis that the turn itself carries half way.
        by_turning += 0.5 * self.spacing[:, None] * np.cross(turning, by_turning)
        parts = ('position', 'velocity')
        return usage_gradient(
            lambda some: self.base.twist(some)[:, 3:],
            motion,
            by_turning,
            parts,
            motion.position.shape[1],
        )

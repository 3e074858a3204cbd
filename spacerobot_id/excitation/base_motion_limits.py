"""Limits of how fast and how far the base turns: for antennas, sensors and whoever is docked."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation.base_freedom import planned_twist
from spacerobot_id.excitation.motion import PlannedMotion
from spacerobot_id.excitation.motion_limit import usage_gradient
from spacerobot_id.excitation.motion_sampler import SampleGradient
from spacerobot_id.model import RobotModel


@dataclass(frozen=True, eq=False)
class BaseRateLimit:
    """Magnitude of the base's angular velocity.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with.
    largest : float
        Limit, rad/s.
    planar : bool
        Whether a table holds the base in its plane.
    """

    model: RobotModel
    largest: float
    planar: bool = False

    @property
    def names(self) -> list[str]:
        """What is limited."""
        return ['base: rate']

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the share of the limit, shape (N, 1)."""
        turning = planned_twist(self.model, motion, self.planar)[:, 3:]
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
    model : RobotModel
        Robot to predict with.
    largest : float
        Limit, rad.
    spacing : ndarray, shape (N,)
        Time that each sample stands for, s.
    planar : bool
        Whether a table holds the base in its plane.
    """

    model: RobotModel
    largest: float
    spacing: NDArray[np.float64]
    planar: bool = False

    @property
    def names(self) -> list[str]:
        """What is limited."""
        return ['base: excursion']

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the share of the limit, shape (N, 1)."""
        turned = base_attitude(planned_twist(self.model, motion, self.planar)[:, 3:], self.spacing)
        return turned.magnitude()[:, None] / self.largest

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares.

        Turning a little more at one sample turns all later attitudes about the same axis of the
        inertial frame, and an angle grows by what lies along its own axis.
        """
        turning = planned_twist(self.model, motion, self.planar)[:, 3:]
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
            lambda some: planned_twist(self.model, some, self.planar)[:, 3:],
            motion,
            by_turning,
            parts,
            motion.position.shape[1],
        )


def base_attitude(angular_velocity: NDArray[np.float64], spacing: NDArray[np.float64]) -> Rotation:
    """Return the attitudes that an angular velocity leads to: a cumulative quaternion product.

    Parameters
    ----------
    angular_velocity : ndarray, shape (N, 3)
        Of the base in its own axes, at the middles of the times they stand for, rad/s.
    spacing : ndarray, shape (N,)
        These times, s.

    Returns
    -------
    Rotation
        N attitudes at their ends, from base axes to those of the start.
    """
    turns = Rotation.from_rotvec(angular_velocity * spacing[:, None]).as_quat()
    # A prefix product in log2(N) steps over all samples, each of products of ever longer runs.
    step = 1
    while step < len(turns):
        turns[step:] = (
            Rotation.from_quat(turns[:-step]) * Rotation.from_quat(turns[step:])
        ).as_quat()
        step *= 2
    return Rotation.from_quat(turns)

"""Limits of the torques of joints and wheels, from the inverse dynamics of the prior."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.constraint.motion_limit import usage_gradient
from spacerobot_id.kinematics.planned_motion import PlannedMotion, SampleGradient
from spacerobot_id.multibody.free_floating.planned_base import PlannedBase


@dataclass(frozen=True, eq=False)
class TorqueLimits:
    """Torques of all actuators that have a limit of it.

    Parameters
    ----------
    base : PlannedBase
        Robot, and how its base is predicted to move.
    """

    base: PlannedBase

    @property
    def names(self) -> list[str]:
        """What is limited: as many texts as there are actuators."""
        model = self.base.model
        return [f'{name}: torque' for name in model.joint_names + model.wheel_names]

    @property
    def has_gradient(self) -> bool:
        """Whether derivatives by the samples are known."""
        return self.base.is_pointwise

    @property
    def is_needed(self) -> bool:
        """Whether any actuator has a limit."""
        return bool(np.isfinite(self._limits()).any())

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the shares of the torques, shape (N, m)."""
        return np.abs(self.base.torques(motion)) / self._limits()

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares."""
        parts = ('position', 'velocity', 'acceleration')
        return usage_gradient(self.usage, motion, by, parts, motion.position.shape[1])

    def _limits(self) -> NDArray[np.float64]:
        joints = [joint.limits.effort for joint in self.base.model.joints]
        return np.array(joints + [wheel.max_torque for wheel in self.base.model.wheels])

"""Limits of the torques of joints and wheels, from the inverse dynamics of the prior."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.base_freedom import planned_torques
from spacerobot_id.excitation.motion import PlannedMotion
from spacerobot_id.excitation.motion_limit import usage_gradient
from spacerobot_id.excitation.motion_sampler import SampleGradient
from spacerobot_id.model import RobotModel


@dataclass(frozen=True, eq=False)
class TorqueLimits:
    """Torques of all actuators that have a limit of it.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with.
    planar : bool
        Whether a table holds the base in its plane.
    """

    model: RobotModel
    planar: bool = False

    @property
    def names(self) -> list[str]:
        """What is limited: as many texts as there are actuators."""
        return [f'{name}: torque' for name in self.model.joint_names + self.model.wheel_names]

    @property
    def is_needed(self) -> bool:
        """Whether any actuator has a limit."""
        return bool(np.isfinite(self._limits()).any())

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the shares of the torques, shape (N, m)."""
        return np.abs(planned_torques(self.model, motion, self.planar)) / self._limits()

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares."""
        parts = ('position', 'velocity', 'acceleration')
        return usage_gradient(self.usage, motion, by, parts, motion.position.shape[1])

    def _limits(self) -> NDArray[np.float64]:
        joints = [joint.limits.effort for joint in self.model.joints]
        return np.array(joints + [wheel.max_torque for wheel in self.model.wheels])

"""Limits of positions, rates and accelerations of joints and wheels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.constraint.motion_limit import usage_gradient
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient
from spacerobot_id.model import JointLimits, RobotModel
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


@dataclass(frozen=True, eq=False)
class ActuatorLimits:
    """Position, rate and acceleration of every actuator, in this order.

    Parameters
    ----------
    actuators : sequence of str
        Names of the m actuators.
    limits : sequence of JointLimits
        Their limits, infinite where there is none.
    """

    actuators: Sequence[str]
    limits: Sequence[JointLimits]

    has_gradient: ClassVar[bool] = True

    @property
    def names(self) -> list[str]:
        """What is limited, 3 m texts."""
        return [
            f'{name}: {what}'
            for what in ('position', 'rate', 'acceleration')
            for name in self.actuators
        ]

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the shares that are used, shape (N, 3 m).

        That of a position is its distance from the middle over half of what is allowed; where
        there is a limit on one side alone, zero is half a turn before it.
        """
        below, above, _ = self._positions(motion)
        return np.hstack(
            [
                np.maximum(below, above),
                np.abs(motion.velocity) / self._values('velocity'),
                np.abs(motion.acceleration) / self._values('acceleration'),
            ]
        )

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares."""
        below, above, half = self._positions(motion)
        position, velocity, acceleration = np.split(by, 3, axis=1)
        return SampleGradient(
            position * np.sign(above - below) / half,
            velocity * np.sign(motion.velocity) / self._values('velocity'),
            acceleration * np.sign(motion.acceleration) / self._values('acceleration'),
        )

    def _positions(
        self, motion: PlannedMotion
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return shares of lower and upper limits, and what one share is, rad or m."""
        lower, upper = self._values('lower'), self._values('upper')
        half = 0.5 * (upper - lower)
        half = np.where(np.isfinite(half), np.maximum(half, np.finfo(float).tiny), np.pi)
        below = np.maximum(1.0 + (lower - motion.position) / half, 0.0)
        above = np.maximum(1.0 + (motion.position - upper) / half, 0.0)
        return below, above, half

    def _values(self, name: str) -> NDArray[np.float64]:
        """Return one kind of limit of all actuators."""
        return np.array([getattr(limit, name) for limit in self.limits])


def actuator_limits(model: RobotModel) -> list[JointLimits]:
    """Return what joints, then wheels may do.

    A wheel's rate keeps its rate and its momentum limit; its acceleration is what its motor gives
    it on a base that does not turn.
    """
    wheels = [
        JointLimits(velocity=wheel.rate_limit, acceleration=wheel.max_torque / wheel.spin_inertia)
        for wheel in model.wheels
    ]
    return [joint.limits for joint in model.joints] + wheels

"""Limits that depend on the base's motion, for a robot that turns with a known momentum.

Each sample depends on all before it through the attitude. There is no gradient: the search for
such motions takes differences of whole motions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation.known_momentum import KnownMomentum
from spacerobot_id.excitation.motion import PlannedMotion
from spacerobot_id.excitation.turning_base import turning_base, turning_torques
from spacerobot_id.model import RobotModel


@dataclass(frozen=True, eq=False)
class TurningLimits:
    """Rate and excursion of the base, and torques of all actuators.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with.
    momentum : KnownMomentum
        Angular momentum of robot and wheels, and the attitude at the start.
    base_rate : float
        Largest angular velocity of the base, rad/s.
    base_excursion : float
        Largest angle of the base from its attitude at the start, rad.
    """

    model: RobotModel
    momentum: KnownMomentum
    base_rate: float = np.inf
    base_excursion: float = np.inf

    @property
    def names(self) -> list[str]:
        """What is limited: the base, then the actuators."""
        actuators = self.model.joint_names + self.model.wheel_names
        return ['base: rate', 'base: excursion', *(f'{name}: torque' for name in actuators)]

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the shares, shape (N, 2 + m), of samples that are evenly spaced."""
        base = turning_base(self.model, self.momentum, motion)
        start = Rotation.from_quat(self.momentum.attitude)
        torques = np.abs(turning_torques(self.model, motion, base.twist))
        most = [joint.limits.effort for joint in self.model.joints]
        most += [wheel.max_torque for wheel in self.model.wheels]
        return np.hstack(
            [
                np.linalg.norm(base.twist[:, 3:], axis=1, keepdims=True) / self.base_rate,
                (start.inv() * base.attitudes).magnitude()[:, None] / self.base_excursion,
                torques / np.array(most),
            ]
        )

"""What a motion of the base shows of the ten parameters of the whole body ([Ekal 2019] Eq. 12).

Rows of the Newton-Euler regressor, divided by the noise of the wrench. What moves are the six
coordinates of the pose of the base.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.planned_motion import PlannedMotion
from spacerobot_id.kinematics.pose_coordinates import pose_motion
from spacerobot_id.methods.information.motion_information import InformationSource, ShownMotion
from spacerobot_id.model import PARAMETER_NAMES, RobotModel
from spacerobot_id.model.inertial_parameters import MASS, PARAMETER_UNITS
from spacerobot_id.multibody import whole_robot
from spacerobot_id.regressor import newton_euler_regressor


@dataclass(frozen=True, eq=False)
class FreeFlyerInformation(InformationSource):
    """Free-flyers that move their base, arms at rest at zero.

    Parameters
    ----------
    models, is_weighted
        As for every source.
    force_std, torque_std : float
        Standard deviations of the forces (N) and torques (N m), square roots of the diagonal of
        ``Sigma``; [Ekal 2019] takes them all for the same.
    """

    force_std: float = 1.0
    torque_std: float = 1.0

    moves_base: ClassVar[bool] = True

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the ten parameters."""
        return PARAMETER_NAMES

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the ten parameters."""
        return PARAMETER_UNITS

    @property
    def scale(self) -> NDArray[np.float64]:
        """Sizes of a body of this mass and radius of gyration, where values are smaller."""
        values = self.values(self.models[0])
        mass = values[MASS]
        inertia = values[:3].mean()  # of Ixx, Iyy, Izz
        usual = {'kg': mass, 'kg m': np.sqrt(mass * inertia), 'kg m^2': inertia}
        return np.maximum(np.abs(values), [usual[unit] for unit in self.units])

    def values(self, model: RobotModel) -> NDArray[np.float64]:
        """Return the parameters of the whole robot, its joints at zero, shape (10,)."""
        return whole_robot(model, np.zeros(len(model.joints))).vector

    def shown(self, motion: PlannedMotion, weights: NDArray[np.float64]) -> ShownMotion:
        """Return what samples of the six coordinates show: the same of every robot."""
        rows = newton_euler_regressor(
            pose_motion(motion.position, motion.velocity, motion.acceleration)
        )
        if self.is_weighted:
            rows[:, :3] /= self.force_std
            rows[:, 3:] /= self.torque_std
        robots = len(self.models)
        return ShownMotion(
            motion,
            weights,
            self.models[0].noise.rate,
            np.broadcast_to(rows, (robots, *rows.shape)),
            np.broadcast_to(motion.velocity, (robots, *motion.velocity.shape)),
            motion.position,
        )

"""What a motion of the base shows of the ten parameters of the whole body ([Ekal 2019] Eq. 12).

Rows of the Newton-Euler regressor, divided by the noise of the wrench. What moves are the six
coordinates of the pose of the base.
"""

from dataclasses import dataclass, fields
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.pose_coordinates import pose_motion
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.methods.balance.actuators.actuator_settings import (
    actuator_groups,
    ActuatorSettings,
    ThrusterErrorSettings,
)
from spacerobot_id.methods.information.momentum import MomentumInformation
from spacerobot_id.methods.information.motion_information import InformationSource, ShownMotion
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.methods.unknowns import UnknownGroup
from spacerobot_id.model import PARAMETER_NAMES, RobotModel
from spacerobot_id.model.inertial_parameters import MASS, PARAMETER_UNITS
from spacerobot_id.multibody import whole_robot
from spacerobot_id.multibody.free_floating.planned_base import free_axes
from spacerobot_id.regressor import newton_euler_regressor

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, eq=False)
class ThrustedInformation(MomentumInformation):
    """Joints and wheels of a robot that is pushed about; what pushes show is left to their choice.

    Parameters
    ----------
    models, is_weighted, minimal, planar, others
        As for ``MomentumInformation``.
    thrusters : tuple of UnknownGroup
        What is unknown of the thrusters.
    """

    thrusters: tuple[UnknownGroup, ...] = ()

    fires_thrusters: ClassVar[bool] = True

    @classmethod
    def beside(cls, joints: MomentumInformation, given: MethodSettings) -> 'Self':
        """Return the source of a robot whose joints and wheels show what they show.

        Parameters
        ----------
        joints : MomentumInformation
            What these show.
        given : MethodSettings
            What the identification is given.
        """
        counted = [each.name for each in fields(ThrusterErrorSettings)]
        actuators = ActuatorSettings(**{key: getattr(given.actuators, key) for key in counted})
        groups = actuator_groups(actuators, joints.models[0], free_axes(joints.planar))
        return cls(joints.models, joints.minimal, joints.planar, joints.others, tuple(groups))

    @property
    def hides_mass(self) -> bool:
        """Thrusters show it, where there are some."""
        return not self.models[0].thrusters and super().hides_mass

    @property
    def needs_prior(self) -> bool:
        """Joints alone do not show the scale, and a table hides some parameters."""
        return True


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

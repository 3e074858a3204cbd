"""A robot as momentum balance sees it: what is unknown of it, what is free, how noisy it is."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.balance.actuators.actuator_settings import (
    actuator_groups,
    ActuatorSettings,
)
from spacerobot_id.methods.balance.flight import Flight
from spacerobot_id.methods.calibrations.active import Calibrations
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings
from spacerobot_id.methods.settings import PriorSettings
from spacerobot_id.methods.unknowns import (
    gyro_bias_groups,
    laid_out,
    NuisanceSettings,
    Unknowns,
    wheel_scale_groups,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import whole_robot
from spacerobot_id.multibody.free_floating.planned_base import free_axes
from spacerobot_id.regressor import minimal_parameters, MinimalParameters

POSE_DELAY, WRENCH_DELAY = 'delay.base_pose', 'delay.wrench'
"""Delays against joints, of poses and of wrenches."""

_LEAST = 1e-7
"""Least noise of a pose, m and rad: where none is stated, no weight is infinite."""


@dataclass(frozen=True, eq=False)
class BalanceRobot:
    """A robot that poses, joints and wrenches are known of.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    nuisance : NuisanceSettings
        Bias of the gyro and scales of wheels, where they are unknown.
    planar : bool
        Whether the base can only move along x and y and turn about z.
    prior_settings : PriorSettings
        How far the description may be wrong.
    calibration : CalibrationSettings
        Which errors of sensors and geometry are unknown.
    actuators : ActuatorSettings
        Which errors of the base's actuators, and which disturbances, are unknown.
    gyro_std : float
        Noise of the gyro, rad/s.
    minimal : MinimalParameters
        The p minimal parameters of the model.
    calibrations : Calibrations
        Errors of sensors and geometry that are unknown.
    unknowns : Unknowns
        Parameters, and all else that is unknown.
    """

    takes: ClassVar[frozenset[str]]
    """Settings that the method takes."""

    longest_step: ClassVar[float] = 0.0125
    """Longest step of integration, s."""

    model: RobotModel
    nuisance: NuisanceSettings = NuisanceSettings()
    planar: bool = False
    prior_settings: PriorSettings = PriorSettings()
    calibration: CalibrationSettings = CalibrationSettings()
    actuators: ActuatorSettings = ActuatorSettings()
    gyro_std: float = 0.0
    minimal: MinimalParameters = field(init=False)
    calibrations: Calibrations = field(init=False)
    unknowns: Unknowns = field(init=False)

    def __post_init__(self) -> None:
        minimal = minimal_parameters(self.model)
        streams = ('gyro', 'velocity', 'pose')
        calibrations = Calibrations.from_settings(
            self.model, self.calibration, streams, self.takes
        )
        groups = wheel_scale_groups(self.nuisance, self.model.wheel_names)
        groups += gyro_bias_groups(replace(self.nuisance, gyro_bias_walk=0.0))
        groups += calibrations.groups(self.model)
        groups += actuator_groups(self.actuators, self.model, self.free)
        object.__setattr__(self, 'minimal', minimal)
        object.__setattr__(self, 'calibrations', calibrations)
        object.__setattr__(self, 'unknowns', laid_out(minimal.names, minimal.units, groups))
        if not self.gyro_std > 0.0:
            object.__setattr__(self, 'gyro_std', self.model.noise.base_angular_velocity)

    @property
    def free(self) -> list[int]:
        """Components of the twist, and of the momentum, that are free."""
        return free_axes(self.planar)

    @property
    def free_state(self) -> list[int]:
        """Components of a state's change, pose and momentum, that are free."""
        return self.free + [6 + k for k in self.free]

    @property
    def pose_std(self) -> tuple[float, float]:
        """Standard deviations of position (m) and attitude (rad)."""
        noise = self.model.noise
        return max(noise.base_position, _LEAST), max(noise.base_attitude, _LEAST)

    @property
    def velocity_std(self) -> float:
        """Standard deviation of the base's velocity, m/s."""
        return max(self.model.noise.base_linear_velocity, _LEAST)

    @property
    def usual_mass(self) -> float:
        """Mass in the description, kg."""
        return float(sum(link.inertial.mass for link in self.model.links))

    @property
    def usual_inertia(self) -> float:
        """Inertia about the centre of mass in the description, its joints at zero."""
        inertia = whole_robot(self.model, np.zeros(len(self.model.joints))).inertia_about_com
        return float(inertia[2, 2] if self.planar else np.trace(inertia) / 3.0)

    def nodes(self, flight: Flight) -> NDArray[np.float64]:
        """Return times at which steps of integration end besides those of readings, s."""
        return np.zeros(0)

"""What is to be identified, from which sensors, with which noise."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.nuisance import NuisanceSettings, Unknowns, unknowns
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import minimal_parameters, MinimalParameters, momentum_regressor

LEAST_STD = 1e-7
"""Least noise of a rate, m/s or rad/s: where none is stated, no weight is infinite."""

_MOVING = 10.0
"""Rate, in standard deviations, that is no noise."""


@dataclass(frozen=True, eq=False)
class MomentumProblem:
    """A robot whose minimal parameters are wanted, and the noise of what is measured of it.

    Parameters
    ----------
    model : RobotModel
        Prior model: its geometry and wheels are taken as known.
    rate_std : ndarray, shape (6 + n,)
        Standard deviations of base twist (m/s, rad/s) and joint rates (rad/s or m/s).
    pose_std : tuple of float
        Standard deviations of position (m) and attitude (rad) of the base.
    nuisance : NuisanceSettings
        What is unknown beside the parameters.
    from_pose : bool
        Whether the base's position is used and not its linear velocity.
    planar : bool
        Whether the base can only move along x and y and turn about z, as on an air-bearing
        table; momentum is conserved in these three alone.
    epoch : float
        Time that motions are counted from, s.
    minimal : MinimalParameters
        The p minimal parameters of the model.
    unknowns : Unknowns
        These, and what else is unknown.
    """

    model: RobotModel
    rate_std: NDArray[np.float64]
    pose_std: tuple[float, float] = (LEAST_STD, LEAST_STD)
    nuisance: NuisanceSettings = NuisanceSettings()
    from_pose: bool = False
    planar: bool = False
    epoch: float = 0.0
    minimal: MinimalParameters = field(init=False)
    unknowns: Unknowns = field(init=False)

    def __post_init__(self) -> None:
        minimal = minimal_parameters(self.model)
        object.__setattr__(self, 'minimal', minimal)
        found = unknowns(self.model, minimal, self.nuisance, from_pose=self.from_pose)
        object.__setattr__(self, 'unknowns', found)

    @classmethod
    def from_model(
        cls,
        model: RobotModel,
        nuisance: NuisanceSettings = NuisanceSettings(),
        *,
        from_pose: bool = False,
        planar: bool = False,
    ) -> 'MomentumProblem':
        """Return the problem with the noise that the description states, or a little at least."""
        noise = model.noise
        stds = [noise.base_linear_velocity] * 3 + [noise.base_angular_velocity] * 3
        stds += [noise.joint_rate] * len(model.joints)
        pose_std = max(noise.base_position, LEAST_STD), max(noise.base_attitude, LEAST_STD)
        return cls(model, np.maximum(stds, LEAST_STD), pose_std, nuisance, from_pose, planar)

    @property
    def free(self) -> list[int]:
        """Components of the twist, and of the momentum, that are free."""
        return [0, 1, 5] if self.planar else [0, 1, 2, 3, 4, 5]

    def since(self, epoch: float) -> 'MomentumProblem':
        """Return the problem with times counted from another one, s."""
        return replace(self, epoch=epoch)

    def with_gyro_noise(self, std: float) -> 'MomentumProblem':
        """Return the problem with another noise of the gyro, rad/s; with its own if zero."""
        if not std > 0.0:
            return self
        rate_std = self.rate_std.copy()
        rate_std[3:6] = max(std, LEAST_STD)
        return replace(self, rate_std=rate_std)

    def is_moving(self, measurement: Measurement) -> NDArray[np.bool_]:
        """Return where something moves beyond its noise, shape (N,)."""
        rates = np.hstack([measurement.base_twist, measurement.qd])
        rates, std = (
            (rates[:, 3:], self.rate_std[3:]) if self.from_pose else (rates, self.rate_std)
        )
        moving = np.any(np.abs(rates) > _MOVING * std, axis=1)
        return moving | np.any(np.abs(measurement.wheel_rates) > _MOVING * LEAST_STD, axis=1)

    def with_values(self, values: NDArray[np.float64]) -> RobotModel:
        """Return a robot that moves as minimal parameters, or all unknowns, say."""
        return self.model.with_parameters(self.minimal.expand(values[: len(self.minimal)]))

    def regressor(
        self, measurement: Measurement, base_twist: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the regressor of the minimal parameters, shape (N, 6, p)."""
        columns = self.minimal.columns
        return momentum_regressor(self.model, measurement.q, measurement.qd, base_twist, columns)

    def gram(self, measurement: Measurement) -> NDArray[np.float64]:
        """Return ``G^T G`` of the regressor at the measured rates, shape (p, p)."""
        regressor = self.regressor(measurement, measurement.base_twist)
        rows = regressor.reshape(-1, regressor.shape[-1])
        return rows.T @ rows

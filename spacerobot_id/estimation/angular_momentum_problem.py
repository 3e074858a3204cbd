"""What is to be identified from angular momentum alone, without the base's velocity."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.data import Measurement
from spacerobot_id.dynamics import wheel_momentum
from spacerobot_id.estimation.momentum_problem import LEAST_STD
from spacerobot_id.estimation.prior import minimal_covariance
from spacerobot_id.estimation.square_root_information import SquareRootInformation
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import (
    angular_momentum_regressor,
    locked_inertia,
    reduced_parameters,
    ReducedParameters,
)

_MOVING = 10.0
"""Rate, in standard deviations, that is no noise."""

_LEAST_SHARE = 1e-3
"""Least prior standard deviation, as a share of the largest one: nothing is known for certain."""


@dataclass(frozen=True)
class ReducedSettings:
    """What methods without the base's velocity can be told.

    Parameters
    ----------
    known_angular_momentum : tuple of 3 floats
        Angular momentum of robot and wheels about the system's centre of mass in inertial axes,
        constant; kg m^2/s. The linear momentum is zero.
    trust_zeros : bool
        Whether parameters that are exactly zero in the description are known to be zero.
    acceleration_window : int
        Samples of the local polynomial that gives accelerations, odd.
    """

    known_angular_momentum: tuple[float, ...] = (0.0, 0.0, 0.0)
    trust_zeros: bool = False
    acceleration_window: int = 21


@dataclass(frozen=True, eq=False)
class AngularMomentumProblem:
    """A robot whose reduced parameters are wanted, and the noise of what is measured of it.

    Parameters
    ----------
    model : RobotModel
        Prior model: its geometry and wheels are taken as known.
    rate_std : ndarray, shape (3 + n,)
        Standard deviations of gyro and joint rates, rad/s (or m/s).
    attitude_std : float
        Standard deviation of the attitude, rad.
    settings : ReducedSettings
        Momentum, and what is known to be zero.
    gyro_bias : float
        Standard deviation of an unknown constant bias of the gyro, rad/s; none if 0.
    reduced : ReducedParameters
        The k reduced parameters of the model.
    """

    model: RobotModel
    rate_std: NDArray[np.float64]
    attitude_std: float = LEAST_STD
    settings: ReducedSettings = ReducedSettings()
    gyro_bias: float = 0.0
    reduced: ReducedParameters = field(init=False)

    def __post_init__(self) -> None:
        if np.shape(self.settings.known_angular_momentum) != (3,):
            raise EstimationError(
                'known_angular_momentum: three numbers are needed, got '
                f'{self.settings.known_angular_momentum}'
            )
        reduced = reduced_parameters(self.model, as_described=self.settings.trust_zeros)
        object.__setattr__(self, 'reduced', reduced)

    @classmethod
    def from_model(
        cls,
        model: RobotModel,
        settings: ReducedSettings = ReducedSettings(),
        gyro_bias: float = 0.0,
    ) -> 'AngularMomentumProblem':
        """Return the problem with the noise that the description states, or a little at least."""
        noise = model.noise
        stds = [noise.base_angular_velocity] * 3 + [noise.joint_rate] * len(model.joints)
        attitude_std = max(noise.base_attitude, LEAST_STD)
        return cls(model, np.maximum(stds, LEAST_STD), attitude_std, settings, gyro_bias)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the u unknowns: reduced parameters, then the bias if it is one."""
        return self.reduced.names + self._biases

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the u unknowns."""
        return self.reduced.units + ('rad/s',) * len(self._biases)

    @property
    def _biases(self) -> tuple[str, ...]:
        return tuple(f'gyro_bias.{axis}' for axis in 'xyz') if self.gyro_bias else ()

    def is_moving(self, measurement: Measurement) -> NDArray[np.bool_]:
        """Return where a joint or a wheel moves beyond its noise, shape (N,)."""
        moving = np.any(np.abs(measurement.qd) > _MOVING * self.rate_std[3:], axis=1)
        return moving | np.any(np.abs(measurement.wheel_rates) > _MOVING * LEAST_STD, axis=1)

    def complete(self, measurement: Measurement) -> Measurement:
        """Return the samples whose attitude is known, where it is needed."""
        if not np.any(self.settings.known_angular_momentum):
            return measurement
        return measurement[np.isfinite(measurement.attitude).all(axis=1)]

    def known(self, measurement: Measurement) -> NDArray[np.float64]:
        """Return the momentum that links and base make up, in base axes, shape (N, 3)."""
        momentum = np.array(self.settings.known_angular_momentum)
        seen = np.zeros((len(measurement), 3))
        if momentum.any():
            seen = Rotation.from_quat(measurement.attitude).apply(momentum, inverse=True)
        wheels = wheel_momentum(self.model, measurement.q, measurement.wheel_rates)
        return seen - wheels[:, 3:]

    def regressor(
        self, measurement: Measurement, turning: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the regressor of the reduced parameters, shape (N, 3, k)."""
        return angular_momentum_regressor(
            self.model, self.reduced, measurement.q, measurement.qd, turning
        )

    def gram(self, measurement: Measurement) -> NDArray[np.float64]:
        """Return ``Y^T Y`` of the regressor at the measured rates, shape (k, k)."""
        rows = self.regressor(measurement, measurement.base_twist[:, 3:])
        rows = rows.reshape(-1, rows.shape[-1])
        return rows.T @ rows

    def inertia(self, values: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the inertia about the system's centre of mass, joints locked, shape (3, 3)."""
        values = values[: len(self.reduced)]
        return locked_inertia(self.model, self.reduced, values, q[None])[0, :, :3]

    def prior(self, relative_std: float) -> SquareRootInformation:
        """Return what the description says, each parameter on its own.

        Parameters
        ----------
        relative_std : float
            How far masses, moments and inertias may be wrong as shares: 1 for 100 %.
        """
        minimal = self.reduced.minimal
        values = minimal.values(self.model)
        slope = self.reduced.slope(values)
        covariance = minimal_covariance(self.model, minimal, relative_std)
        std = np.sqrt(np.einsum('ij,jk,ik->i', slope, covariance, slope))
        std = np.maximum(std, _LEAST_SHARE * std.max())
        std = np.append(std, [self.gyro_bias] * len(self._biases))
        mean = np.append(self.reduced.from_minimal(values), np.zeros(len(self._biases)))
        return SquareRootInformation.from_prior(mean, np.diag(std**2))

"""What a motion shows of the minimal parameters, summed over its samples, and the gradient of it.

Rows of the momentum regressor at the predicted base twist are summed up, plain for condition
numbers, or divided by the noise that base twist and joint rates put into them for the information
of momentum output error. The gradient goes the same way back: from the sums to the rows, from
these through regressor, base twist and momentum matrix to positions and rates. All samples go
through the kinematics at once.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.dynamics import (
    mass_matrix_derivatives,
    momentum_matrix,
    wheel_momentum_derivatives,
    wheel_momentum_matrix,
)
from spacerobot_id.excitation.base_freedom import free_axes, twist_from_matrix
from spacerobot_id.excitation.motion import PlannedMotion
from spacerobot_id.excitation.motion_sampler import SampleGradient
from spacerobot_id.excitation.predicted_motion import gram_matrix
from spacerobot_id.model import RobotModel, SensorNoise
from spacerobot_id.regressor import (
    MinimalParameters,
    momentum_regressor,
    momentum_regressor_gradient,
)

_LEAST_NOISE = 1e-7
"""Least noise of a rate, m/s or rad/s."""


@dataclass(frozen=True, eq=False)
class MotionInformation:
    """Sums over the samples of a motion, or derivatives of a number by them.

    Parameters
    ----------
    matrix : ndarray, shape (p, p)
        Information of the minimal parameters.
    rates : ndarray, shape (6 + n,)
        Mean squares of base twist and joint rates.
    levels : ndarray, shape (n,)
        Mean squares of the joint positions.
    """

    matrix: NDArray[np.float64]
    rates: NDArray[np.float64]
    levels: NDArray[np.float64]

    def __add__(self, known: NDArray[np.float64]) -> 'MotionInformation':
        """Return this with what is known already, a matrix of shape (p, p)."""
        return replace(self, matrix=self.matrix + known)


@dataclass(frozen=True, eq=False)
class InformationModel:
    """A robot as it is predicted to show its minimal parameters.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with, with the noise and the rate of its sensors.
    minimal : MinimalParameters
        Its p minimal parameters.
    is_weighted : bool
        Whether rows are divided by their noise: information of momentum output error. If not,
        the matrix is ``G^T G`` of the plain regressor.
    planar : bool
        Whether a table holds the base in its plane: three rows of each sample remain.
    """

    model: RobotModel
    minimal: MinimalParameters
    is_weighted: bool = True
    planar: bool = False

    def information(
        self, motion: PlannedMotion, weights: NDArray[np.float64]
    ) -> MotionInformation:
        """Return the sums over a motion.

        Parameters
        ----------
        motion : PlannedMotion
            Samples of joints and wheels.
        weights : ndarray, shape (N,)
            Time that each stands for, s.
        """
        shown = self._shown(motion.position, motion.velocity)
        shares = weights / weights.sum()
        scale = np.sqrt(self.model.noise.rate * weights)[:, None, None]
        joints = len(self.model.joints)
        rates = np.hstack([shown.twist, motion.velocity[:, :joints]])
        return MotionInformation(
            gram_matrix(shown.rows * scale),
            shares @ rates**2,
            shares @ motion.position[:, :joints] ** 2,
        )

    def pull_back(
        self, motion: PlannedMotion, weights: NDArray[np.float64], by: MotionInformation
    ) -> SampleGradient:
        """Return derivatives by the samples from those by the sums.

        Parameters
        ----------
        motion, weights
            As for ``information``.
        by : MotionInformation
            Derivatives of a number by the sums; its matrix symmetric.
        """
        q, rates, joints = motion.position, motion.velocity, len(self.model.joints)
        shares = 2.0 * weights / weights.sum()
        shown = self._shown(q, rates)
        scale = 2.0 * self.model.noise.rate * weights
        by_rows = scale[:, None, None] * (shown.rows @ by.matrix)
        by_twist = shares[:, None] * shown.twist * by.rates[:6]
        position, velocity = self._by_positions_and_rates(q, rates, shown, by_rows, by_twist)
        position[:, :joints] += shares[:, None] * q[:, :joints] * by.levels
        velocity[:, :joints] += shares[:, None] * rates[:, :joints] * by.rates[6:]
        return SampleGradient(position, velocity, np.zeros_like(q))

    def _shown(self, q: NDArray[np.float64], rates: NDArray[np.float64]) -> '_Shown':
        """Return what samples show."""
        model, joints = self.model, len(self.model.joints)
        q, qd = q[:, :joints], rates[:, :joints]
        matrix = momentum_matrix(model, q)
        twist = twist_from_matrix(model, matrix, q, rates, self.planar)
        rows = momentum_regressor(model, q, qd, twist, self.minimal.columns)
        if self.planar:
            rows = rows[:, free_axes(True)]
        if not self.is_weighted:
            return _Shown(matrix, twist, rows, None)
        noisy = matrix[self._seen] * rate_std(model.noise, joints)[self._seen[2]]
        whitening = np.linalg.inv(np.linalg.cholesky(noisy @ noisy.swapaxes(-1, -2)))
        return _Shown(matrix, twist, whitening @ rows, whitening)

    @property
    def _seen(self) -> tuple[slice, NDArray[np.intp], NDArray[np.intp]]:
        """Which elements of momentum matrices have a part in the noise of the rows."""
        free = free_axes(self.planar)
        columns = free + list(range(6, 6 + len(self.model.joints)))
        return slice(None), np.array(free)[:, None], np.array(columns)

    def _by_positions_and_rates(
        self,
        q: NDArray[np.float64],
        rates: NDArray[np.float64],
        shown: '_Shown',
        by_rows: NDArray[np.float64],
        by_twist: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return derivatives by positions and rates, shape (N, m), from those by what is shown."""
        model, joints, free = self.model, len(self.model.joints), free_axes(self.planar)
        q, qd = q[:, :joints], rates[:, :joints]
        by_matrix = np.zeros_like(shown.matrix)
        if shown.whitening is not None:
            by_rows = shown.whitening.swapaxes(-1, -2) @ by_rows
            by_noise = -by_rows @ shown.rows.swapaxes(-1, -2) @ shown.whitening
            variances = rate_std(model.noise, joints)[self._seen[2]] ** 2
            by_matrix[self._seen] = by_noise @ (shown.matrix[self._seen] * variances)
        by_regressor = np.zeros((len(q), 6, len(self.minimal)))
        by_regressor[:, free] = by_rows
        of_regressor = momentum_regressor_gradient(
            model, q, qd, shown.twist, self.minimal.columns, by_regressor
        )
        by_twist = (by_twist + of_regressor.base_twist)[:, free, None]
        by_momentum = np.zeros_like(shown.twist)  # of joints and wheels, which the base's undoes
        of_base = shown.matrix[:, free][:, :, free]
        by_momentum[:, free] = -np.linalg.solve(of_base, by_twist)[..., 0]
        by_matrix += by_momentum[:, :, None] * np.hstack([shown.twist, qd])[:, None]
        moving = np.concatenate([shown.matrix[:, :, 6:], wheel_momentum_matrix(model, q)], axis=2)
        velocity = np.einsum('nc,ncm->nm', by_momentum, moving)
        velocity[:, :joints] += of_regressor.qd
        position = np.zeros_like(rates)
        matrix_slopes = mass_matrix_derivatives(model, q)[:, :, :6]
        wheel_slopes = wheel_momentum_derivatives(model, q, rates[:, joints:])
        position[:, :joints] = (
            of_regressor.q
            + np.einsum('ncd,nkcd->nk', by_matrix, matrix_slopes)
            + np.einsum('nc,nkc->nk', by_momentum, wheel_slopes)
        )
        return position, velocity


@dataclass(frozen=True, eq=False)
class _Shown:
    """What samples show: momentum matrix, base twist, rows, and what whitened them, if any."""

    matrix: NDArray[np.float64]
    twist: NDArray[np.float64]
    rows: NDArray[np.float64]
    whitening: NDArray[np.float64] | None


def rate_std(noise: SensorNoise, joints: int) -> NDArray[np.float64]:
    """Return the noise of base twist and joint rates, shape (6 + n,)."""
    stds = [noise.base_linear_velocity] * 3 + [noise.base_angular_velocity] * 3
    return np.maximum(stds + [noise.joint_rate] * joints, _LEAST_NOISE)

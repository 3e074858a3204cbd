"""What a motion shows of the minimal parameters, summed over its samples, and the gradient of it.

Rows of the momentum regressor at the predicted base twist are summed up, plain for condition
numbers, or divided by the noise that base twist and joint rates put into them for the information
of momentum output error. The gradient goes the same way back: from the sums to the rows, from
these through regressor, base twist and momentum matrix to positions and rates. All samples go
through the kinematics at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import EllipsisType

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

    def __rmul__(self, factor: float) -> 'MotionInformation':
        """Return a multiple of this."""
        return MotionInformation(factor * self.matrix, factor * self.rates, factor * self.levels)

    def __add__(self, known: NDArray[np.float64]) -> 'MotionInformation':
        """Return this with what is known already, a matrix of shape (p, p)."""
        return replace(self, matrix=self.matrix + known)


@dataclass(frozen=True, eq=False)
class InformationModel:
    """Robots of one geometry, as they are predicted to show their minimal parameters.

    Parameters
    ----------
    models : sequence of RobotModel
        R robots to predict with, which differ in their links' inertia alone; noise and rate of
        the sensors are those of the first.
    minimal : MinimalParameters
        Their p minimal parameters.
    is_weighted : bool
        Whether rows are divided by their noise: information of momentum output error. If not,
        matrices are ``G^T G`` of the plain regressor.
    planar : bool
        Whether a table holds the base in its plane: three rows of each sample remain.
    """

    models: Sequence[RobotModel]
    minimal: MinimalParameters
    is_weighted: bool = True
    planar: bool = False

    def of(self, robots: Sequence[int]) -> 'InformationModel':
        """Return some of the robots."""
        return replace(self, models=[self.models[robot] for robot in robots])

    def shown(self, motion: PlannedMotion, weights: NDArray[np.float64]) -> 'ShownMotion':
        """Return what samples show of each robot.

        Parameters
        ----------
        motion : PlannedMotion
            Samples of joints and wheels.
        weights : ndarray, shape (N,)
            Time that each stands for, s.
        """
        model, joints = self.models[0], len(self.models[0].joints)
        q, qd = motion.position[:, :joints], motion.velocity[:, :joints]
        matrix = np.stack([momentum_matrix(each, q) for each in self.models])
        twist = twist_from_matrix(model, matrix, q, motion.velocity, self.planar)
        rows = momentum_regressor(model, q, qd, twist, self.minimal.columns)
        if self.planar:
            rows = rows[:, :, free_axes(True)]
        if not self.is_weighted:
            return ShownMotion(self, motion, weights, matrix, twist, rows, None)
        seen = self.seen
        noisy = matrix[seen] * rate_std(model.noise, joints)[seen[-1]]
        whitening = np.linalg.inv(np.linalg.cholesky(noisy @ noisy.swapaxes(-1, -2)))
        return ShownMotion(self, motion, weights, matrix, twist, whitening @ rows, whitening)

    def information(
        self, motion: PlannedMotion, weights: NDArray[np.float64]
    ) -> MotionInformation:
        """Return the sums over a motion of the first robot."""
        return self.of([0]).shown(motion, weights).information(0)

    @property
    def seen(self) -> tuple[EllipsisType, NDArray[np.intp], NDArray[np.intp]]:
        """Which elements of momentum matrices have a part in the noise of the rows."""
        free = free_axes(self.planar)
        columns = free + list(range(6, 6 + len(self.models[0].joints)))
        return ..., np.array(free)[:, None], np.array(columns)


@dataclass(frozen=True, eq=False)
class ShownMotion:
    """What N samples show of R robots.

    Parameters
    ----------
    of : InformationModel
        The robots.
    motion : PlannedMotion
        Samples.
    weights : ndarray, shape (N,)
        Time that each stands for, s.
    matrix : ndarray, shape (R, N, 6, 6 + n)
        Momentum matrices.
    twist : ndarray, shape (R, N, 6)
        Predicted base twists.
    rows : ndarray, shape (R, N, f, p)
        Rows of the regressor in the f axes in which the base is free, over their noise if that
        counts.
    whitening : ndarray, shape (R, N, f, f), optional
        What divided them.
    """

    of: InformationModel
    motion: PlannedMotion
    weights: NDArray[np.float64]
    matrix: NDArray[np.float64]
    twist: NDArray[np.float64]
    rows: NDArray[np.float64]
    whitening: NDArray[np.float64] | None

    def information(self, robot: int) -> MotionInformation:
        """Return the sums over the motion of one robot."""
        model, shares = self.of.models[0], self.weights / self.weights.sum()
        scale = np.sqrt(model.noise.rate * self.weights)[:, None, None]
        joints = len(model.joints)
        rates = np.hstack([self.twist[robot], self.motion.velocity[:, :joints]])
        return MotionInformation(
            gram_matrix(self.rows[robot] * scale),
            shares @ rates**2,
            shares @ self.motion.position[:, :joints] ** 2,
        )

    def pull_back(self, by: Sequence[MotionInformation]) -> SampleGradient:
        """Return derivatives by the samples from those by the sums of each robot.

        Parameters
        ----------
        by : sequence of MotionInformation
            Derivatives of a number by the sums of the R robots; matrices symmetric.
        """
        model, motion = self.of.models[0], self.motion
        joints, shares = len(model.joints), 2.0 * self.weights / self.weights.sum()
        scale = 2.0 * model.noise.rate * self.weights
        by_rows = scale[:, None, None] * (
            self.rows @ np.stack([each.matrix for each in by])[:, None]
        )
        rates = np.stack([each.rates for each in by])
        by_twist = shares[:, None] * self.twist * rates[:, None, :6]
        position, velocity = self._by_positions_and_rates(by_rows, by_twist)
        levels = sum(each.levels for each in by)
        position[:, :joints] += shares[:, None] * motion.position[:, :joints] * levels
        of_rates = rates[:, 6:].sum(axis=0)
        velocity[:, :joints] += shares[:, None] * motion.velocity[:, :joints] * of_rates
        return SampleGradient(position, velocity, np.zeros_like(motion.position))

    def _by_positions_and_rates(
        self, by_rows: NDArray[np.float64], by_twist: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return derivatives by positions and rates, shape (N, m), from those by what is shown."""
        model, free = self.of.models[0], free_axes(self.of.planar)
        joints, robots = len(model.joints), len(self.of.models)
        q, qd = self.motion.position[:, :joints], self.motion.velocity[:, :joints]
        by_rows, by_matrix = self._without_noise(by_rows)
        by_regressor = np.zeros((*by_twist.shape, len(self.of.minimal)))
        by_regressor[:, :, free] = by_rows
        of_regressor = momentum_regressor_gradient(
            model,
            np.tile(q, (robots, 1)),
            np.tile(qd, (robots, 1)),
            self.twist.reshape(-1, 6),
            self.of.minimal.columns,
            by_regressor.reshape(-1, 6, len(self.of.minimal)),
        )
        by_twist = by_twist + of_regressor.base_twist.reshape(by_twist.shape)
        by_momentum = np.zeros_like(by_twist)  # of joints and wheels, which the base's undoes
        of_base = self.matrix[:, :, free][..., free]
        by_momentum[..., free] = -np.linalg.solve(of_base, by_twist[..., free, None])[..., 0]
        velocities = np.concatenate([self.twist, np.broadcast_to(qd, (robots, *qd.shape))], axis=2)
        by_matrix = by_matrix + by_momentum[..., None] * velocities[:, :, None]
        velocity = np.zeros_like(self.motion.velocity)
        velocity[:, :joints] = of_regressor.qd.reshape(robots, *q.shape).sum(axis=0)
        velocity[:, :joints] += np.einsum('rnc,rncm->nm', by_momentum, self.matrix[..., 6:])
        of_wheels = by_momentum.sum(axis=0)
        velocity[:, joints:] = np.einsum('nc,ncw->nw', of_wheels, wheel_momentum_matrix(model, q))
        position = np.zeros_like(velocity)
        position[:, :joints] = of_regressor.q.reshape(robots, *q.shape).sum(axis=0)
        for each, by in zip(self.of.models, by_matrix, strict=True):
            slopes = mass_matrix_derivatives(each, q)[:, :, :6]
            position[:, :joints] += np.einsum('ncd,nkcd->nk', by, slopes)
        slopes = wheel_momentum_derivatives(model, q, self.motion.velocity[:, joints:])
        position[:, :joints] += np.einsum('nc,nkc->nk', of_wheels, slopes)
        return position, velocity

    def _without_noise(
        self, by_rows: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return derivatives by rows before they were divided, and by the momentum matrices."""
        by_matrix = np.zeros_like(self.matrix)
        if self.whitening is None:
            return by_rows, by_matrix
        by_rows = self.whitening.swapaxes(-1, -2) @ by_rows
        by_noise = -by_rows @ self.rows.swapaxes(-1, -2) @ self.whitening
        seen, model = self.of.seen, self.of.models[0]
        variances = rate_std(model.noise, len(model.joints))[seen[-1]] ** 2
        by_matrix[seen] = by_noise @ (self.matrix[seen] * variances)
        return by_rows, by_matrix


def rate_std(noise: SensorNoise, joints: int) -> NDArray[np.float64]:
    """Return the noise of base twist and joint rates, shape (6 + n,)."""
    stds = [noise.base_linear_velocity] * 3 + [noise.base_angular_velocity] * 3
    return np.maximum(stds + [noise.joint_rate] * joints, _LEAST_NOISE)

"""What a motion shows of the minimal parameters, summed over its samples, and the gradient of it.

Rows of the momentum regressor at the predicted base twist are summed up, plain for condition
numbers, or divided by the noise that base twist and joint rates put into them for the information
of momentum output error. The gradient goes the same way back: from the sums to the rows, from
these through regressor, base twist and momentum matrix to positions and rates. All samples go
through the kinematics at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.planned_motion import PlannedMotion, SampleGradient
from spacerobot_id.methods.derived_rates import planned_rate_std
from spacerobot_id.methods.information.motion_information import (
    InformationSource,
    LEAST_NOISE,
    MotionInformation,
    ShownMotion,
)
from spacerobot_id.model import RobotModel, SensorNoise
from spacerobot_id.multibody import momentum_matrix, wheel_momentum_matrix
from spacerobot_id.multibody.free_floating.planned_base import free_axes, twist_from_matrix
from spacerobot_id.multibody.mass_matrix_derivatives import mass_matrix_derivatives
from spacerobot_id.multibody.momentum import wheel_momentum_derivatives
from spacerobot_id.regressor import (
    minimal_parameters,
    MinimalParameters,
    momentum_regressor,
    momentum_regressor_gradient,
)


@dataclass(frozen=True, eq=False)
class MomentumInformation(InformationSource):
    """Robots that start at rest, seen by base twist and joint rates.

    Parameters
    ----------
    models, is_weighted
        As for every source.
    minimal : MinimalParameters
        Their p minimal parameters.
    planar : bool
        Whether a table holds the base in its plane: three rows of each sample remain.
    """

    minimal: MinimalParameters
    planar: bool = False

    has_gradient: ClassVar[bool] = True

    @classmethod
    def from_model(cls, model: RobotModel, *, planar: bool = False) -> Self:
        """Return the source of one robot."""
        return cls([model], minimal_parameters(model), planar)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the minimal parameters."""
        return self.minimal.names

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the minimal parameters."""
        return self.minimal.units

    @property
    def needs_prior(self) -> bool:
        """Whether a table hides some parameters from every motion."""
        return self.planar

    def values(self, model: RobotModel) -> NDArray[np.float64]:
        """Return the minimal parameters of a robot, shape (p,)."""
        return self.minimal.values(model)

    @property
    def blind_spot(self) -> str:
        """At rest, the momentum of wheels is what gives the parameters a scale."""
        model = self.models[0]
        if model.wheels:
            return ''
        return (
            f'{model.name}: has no reaction wheels; at zero momentum the scale of all '
            f'parameters cannot be seen without a known wheel momentum'
        )

    def robot(self, values: NDArray[np.float64]) -> RobotModel:
        """Return a robot that moves as minimal parameters, shape (p,), say."""
        return self.models[0].with_parameters(self.minimal.expand(values))

    def shown(self, motion: PlannedMotion, weights: NDArray[np.float64]) -> 'ShownMomentum':
        """Return what samples of joints and wheels show of each robot."""
        model, joints = self.models[0], len(self.models[0].joints)
        q, qd = motion.position[:, :joints], motion.velocity[:, :joints]
        matrix = np.stack([momentum_matrix(each, q) for each in self.models])
        twist = twist_from_matrix(model, matrix, q, motion.velocity, self.planar)
        rows = momentum_regressor(model, q, qd, twist, self.minimal.columns)
        if self.planar:
            rows = rows[:, :, free_axes(True)]
        whitening = None
        if self.is_weighted:
            seen = self.seen
            noisy = matrix[seen] * rate_std(model.noise, joints)[seen[-1]]
            whitening = np.linalg.inv(np.linalg.cholesky(noisy @ noisy.swapaxes(-1, -2)))
            rows = whitening @ rows
        rates = np.concatenate([twist, np.broadcast_to(qd, (*twist.shape[:2], joints))], axis=2)
        shown = motion, weights, model.noise.rate, rows, rates, motion.position[:, :joints]
        return ShownMomentum(*shown, self, matrix, whitening)

    @property
    def seen(self) -> tuple[EllipsisType, NDArray[np.intp], NDArray[np.intp]]:
        """Which elements of momentum matrices have a part in the noise of the rows."""
        free = free_axes(self.planar)
        columns = free + list(range(6, 6 + len(self.models[0].joints)))
        return ..., np.array(free)[:, None], np.array(columns)


@dataclass(frozen=True, eq=False)
class ShownMomentum(ShownMotion):
    """What N samples show of R robots, with what the gradient needs.

    Parameters
    ----------
    of : MomentumInformation
        The robots.
    matrix : ndarray, shape (R, N, 6, 6 + n)
        Momentum matrices.
    whitening : ndarray, shape (R, N, f, f), optional
        What divided the rows in the f axes in which the base is free.
    """

    of: MomentumInformation
    matrix: NDArray[np.float64]
    whitening: NDArray[np.float64] | None

    @property
    def twist(self) -> NDArray[np.float64]:
        """Predicted base twists, shape (R, N, 6)."""
        return self.rates[..., :6]

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
    return np.maximum(stds + [planned_rate_std(noise)] * joints, LEAST_NOISE)

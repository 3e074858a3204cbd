"""What a motion shows of the minimal parameters, summed over its samples, and the gradient of it.

Rows of the momentum regressor at the predicted base twist are summed up, plain for condition
numbers, or divided by the noise that base twist and joint rates put into them for the information
of momentum output error. The gradient goes the same way back: from the sums to the rows, from
these through regressor, base twist and momentum matrix to positions and rates. All samples go
through the kinematics at once. Calibrations and other constants that are unknown beside the
parameters are further columns, and marginalised.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import EllipsisType
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient
from spacerobot_id.methods.calibrations.calibrated_method import CalibratedMethod
from spacerobot_id.methods.derived_rates import planned_rate_std
from spacerobot_id.methods.information.motion_information import (
    InformationSource,
    LEAST_NOISE,
    MotionInformation,
    ShownMotion,
)
from spacerobot_id.methods.information.twist_unknowns import ConservedTwist, TwistUnknowns
from spacerobot_id.model import RobotModel, SensorNoise
from spacerobot_id.multibody.free_floating.planned_base import free_axes
from spacerobot_id.regressor import (
    MinimalParameters,
    momentum_regressor,
    momentum_regressor_gradient,
)

if TYPE_CHECKING:
    from typing import Self


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
    others : TwistUnknowns, optional
        What is unknown beside the parameters; nothing if None.
    """

    minimal: MinimalParameters
    planar: bool = False
    others: TwistUnknowns | None = None

    has_gradient: ClassVar[bool] = True

    @classmethod
    def of_method(cls, method: CalibratedMethod) -> 'Self':
        """Return the source of one robot, as momentum output error sees it.

        Parameters
        ----------
        method : CalibratedMethod
            Robot, and what is unknown beside its parameters.
        """
        others = TwistUnknowns.of_method(method) if len(method.unknowns.std) else None
        return cls([method.model], method.minimal, method.planar, others)

    @property
    def counted(self) -> tuple[str, ...]:
        """Names of what is unknown beside the parameters."""
        return () if self.others is None else self.others.groups

    def alone(self) -> 'Self':
        """Return what is shown of the parameters where all else is known."""
        return replace(self, others=None)

    @property
    def masses(self) -> Sequence[int]:
        """Places of the parameters that add up to the total mass."""
        return self.minimal.masses

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
        """Whether a table hides some parameters from every motion, or rest the mass."""
        return self.planar or self.hides_mass

    def values(self, model: RobotModel) -> NDArray[np.float64]:
        """Return the minimal parameters of a robot, shape (p,)."""
        return self.minimal.values(model)

    @property
    def hides_mass(self) -> bool:
        """At rest, wheels that turn give the parameters a scale, and joints the mass its own."""
        return not (self.models[0].wheels and self.models[0].joints)

    def robot(self, values: NDArray[np.float64]) -> RobotModel:
        """Return a robot that moves as given by minimal parameters, shape (p,)."""
        return self.models[0].with_parameters(self.minimal.expand(values))

    def shown(self, motion: PlannedMotion, weights: NDArray[np.float64]) -> 'ShownMomentum':
        """Return what samples of joints and wheels show of each robot."""
        model, joints = self.models[0], len(self.models[0].joints)
        q, qd = motion.position[:, :joints], motion.velocity[:, :joints]
        predicted = ConservedTwist.of(self.models, q, motion.velocity, planar=self.planar)
        matrix, twist = predicted.matrix, predicted.twist
        rows = momentum_regressor(model, q, qd, twist, self.minimal.columns)
        if self.planar:
            rows = rows[:, :, free_axes(True)]
        whitening, slopes, beside = None, None, np.zeros(0)
        if self.is_weighted:
            seen = self.seen
            noisy = matrix[seen] * rate_std(model.noise, joints)[seen[-1]]
            whitening = np.linalg.inv(np.linalg.cholesky(noisy @ noisy.swapaxes(-1, -2)))
            if self.others is not None:
                slopes, beside = self._slopes(motion, twist), self.others.std**-2.0
                rows = np.concatenate([rows, -predicted.of_base @ slopes], axis=-1)
            rows = whitening @ rows
        rates = np.concatenate([twist, np.broadcast_to(qd, (*twist.shape[:2], joints))], axis=2)
        shown = motion, weights, model.noise.rate, rows, rates, motion.position[:, :joints]
        return ShownMomentum(*shown, self, predicted, whitening, slopes, beside=beside)

    @cached_property
    def displaced_robots(self) -> list[list[RobotModel]]:
        """Robots of each displacement; links are minimal parameters, as the method moves them."""
        values = self.minimal.values
        robots = [each.with_parameters(self.minimal.expand(values(each))) for each in self.models]
        return [[place.robot(each) for each in robots] for place in self.others.displaced]

    def displaced(self, motion: PlannedMotion) -> Iterator[ConservedTwist]:
        """Yield the twists of each displacement along a motion."""
        for place, robots in zip(self.others.displaced, self.displaced_robots, strict=True):
            yield place.twist(robots, motion, planar=self.planar)

    def _slopes(self, motion: PlannedMotion, twist: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return slopes of the free components by what is unknown beside, shape (R, N, f, c)."""
        there = zip(self.others.displaced, self.displaced(motion), strict=True)
        twists = [twist[None], *(place.by_set(each.twist) for place, each in there)]
        return self.others.slopes(np.concatenate(twists))[:, :, free_axes(self.planar)]

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
    predicted : ConservedTwist
        How they move.
    whitening : ndarray, shape (R, N, f, f), optional
        What divided the rows in the f axes in which the base is free.
    slopes : ndarray, shape (R, N, f, c), optional
        Slopes of the readings by what is unknown beside the parameters.
    """

    of: MomentumInformation
    predicted: ConservedTwist
    whitening: NDArray[np.float64] | None
    slopes: NDArray[np.float64] | None = None

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
        joint = [of.pull_back(each.matrix) for of, each in zip(self.marginals, by, strict=True)]
        by_rows = scale[:, None, None] * (self.rows @ np.stack(joint)[:, None])
        rates = np.stack([each.rates for each in by])
        by_twist = shares[:, None] * self.predicted.twist * rates[:, None, :6]
        found = self._by_states(by_rows, by_twist)
        levels = sum(each.levels for each in by)
        found.position[:, :joints] += shares[:, None] * motion.position[:, :joints] * levels
        of_rates = rates[:, 6:].sum(axis=0)
        found.velocity[:, :joints] += shares[:, None] * motion.velocity[:, :joints] * of_rates
        return found

    def _by_states(
        self, by_rows: NDArray[np.float64], by_twist: NDArray[np.float64]
    ) -> SampleGradient:
        """Return derivatives by the samples from those by what is shown."""
        model, free, count = self.of.models[0], free_axes(self.of.planar), len(self.of.minimal)
        q, qd = (
            each[:, : len(model.joints)] for each in (self.motion.position, self.motion.velocity)
        )
        by_rows, by_matrix = self._without_noise(by_rows)
        by_regressor = np.zeros((*by_twist.shape, count))
        by_regressor[:, :, free] = by_rows[..., :count]
        robots, twist = len(self.of.models), self.predicted.twist
        of_regressor = momentum_regressor_gradient(
            model,
            np.tile(q, (robots, 1)),
            np.tile(qd, (robots, 1)),
            twist.reshape(-1, 6),
            self.of.minimal.columns,
            by_regressor.reshape(-1, 6, count),
        )
        by_twist = by_twist + of_regressor.base_twist.reshape(by_twist.shape)
        if self.slopes is not None:
            by_slopes = np.zeros((*by_twist.shape, self.slopes.shape[-1]))
            of_base = -by_rows[..., count:] @ self.slopes.swapaxes(-1, -2)
            by_matrix[..., np.array(free)[:, None], free] += of_base
            by_slopes[:, :, free] = -self.predicted.of_base @ by_rows[..., count:]
            by_twists = self.of.others.pull_back(by_slopes)
            by_twist = by_twist + by_twists[0]
        found = self.predicted.pull_back(by_twist, by_matrix)
        of_joints = slice(0, q.shape[1])
        found.velocity[:, of_joints] += of_regressor.qd.reshape(robots, *q.shape).sum(axis=0)
        found.position[:, of_joints] += of_regressor.q.reshape(robots, *q.shape).sum(axis=0)
        return found if self.slopes is None else found + self._by_displaced(by_twists[1:])

    def _by_displaced(self, by_twists: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the displaced twists."""
        total = np.zeros_like(self.motion.position)
        found = SampleGradient(total, total, total)
        places, begin = self.of.others.displaced, 0
        for place, there in zip(places, self.of.displaced(self.motion), strict=True):
            end = begin + len(place.later)
            found = found + place.pull_back(there, by_twists[begin:end])
            begin = end
        return found

    def _without_noise(
        self, by_rows: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return derivatives by rows before they were divided, and by the momentum matrices."""
        matrix = self.predicted.matrix
        by_matrix = np.zeros_like(matrix)
        if self.whitening is None:
            return by_rows, by_matrix
        by_rows = self.whitening.swapaxes(-1, -2) @ by_rows
        by_noise = -by_rows @ self.rows.swapaxes(-1, -2) @ self.whitening
        seen, model = self.of.seen, self.of.models[0]
        variances = rate_std(model.noise, len(model.joints))[seen[-1]] ** 2
        by_matrix[seen] = by_noise @ (matrix[seen] * variances)
        return by_rows, by_matrix


def rate_std(noise: SensorNoise, joints: int) -> NDArray[np.float64]:
    """Return the noise of base twist and joint rates, shape (6 + n,)."""
    stds = [noise.base_linear_velocity] * 3 + [noise.base_angular_velocity] * 3
    return np.maximum(stds + [planned_rate_std(noise)] * joints, LEAST_NOISE)

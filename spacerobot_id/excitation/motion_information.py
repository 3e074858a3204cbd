"""What a motion shows of the minimal parameters, summed over its samples, and the gradient of it.

Rows of the momentum regressor at the predicted base twist are summed up, plain for condition
numbers, or divided by the noise that base twist and joint rates put into them for the information
of momentum output error. At a given configuration the rows are linear in the rates, so that
derivatives by rates are rows at unit rates; by positions, differences are taken. All samples and
all perturbations go through the kinematics at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.dynamics import momentum_matrix
from spacerobot_id.excitation.base_freedom import free_axes, twist_from_matrix
from spacerobot_id.excitation.motion import PlannedMotion
from spacerobot_id.excitation.motion_sampler import SampleGradient
from spacerobot_id.excitation.predicted_motion import gram_matrix
from spacerobot_id.model import RobotModel, SensorNoise
from spacerobot_id.regressor import MinimalParameters, momentum_regressor

_STEP = 1e-6
"""Difference of a joint position, rad or m."""

_LEAST_NOISE = 1e-7
"""Least noise of a rate, m/s or rad/s."""

_AT_ONCE = 4000
"""Samples that fit the fast memory of a processor together with their rows."""


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
        rows, twist = self._rows(motion.position, motion.velocity)
        shares = weights / weights.sum()
        scale = np.sqrt(self.model.noise.rate * weights)[:, None, None]
        joints = len(self.model.joints)
        rates = np.hstack([twist, motion.velocity[:, :joints]])
        return MotionInformation(
            gram_matrix(rows * scale), shares @ rates**2, shares @ motion.position[:, :joints] ** 2
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
        rows, twist = self._rows(q, rates)
        scale = 2.0 * self.model.noise.rate * weights
        towards = _Direction(
            scale[:, None, None] * (rows @ by.matrix), shares[:, None] * twist * by.rates[:6]
        )
        at_rest = towards.dot(rows, twist)
        position, velocity = np.zeros_like(q), np.zeros_like(rates)
        for joint, moved in self._moved(q, rates):
            position[:, joint] = (towards.dot(*moved) - at_rest) / _STEP
        for actuator, unit in self._unit_rates(q):
            velocity[:, actuator] = towards.dot(*unit)
        position[:, :joints] += shares[:, None] * q[:, :joints] * by.levels
        velocity[:, :joints] += shares[:, None] * rates[:, :joints] * by.rates[6:]
        return SampleGradient(position, velocity, np.zeros_like(q))

    def _rows(
        self, q: NDArray[np.float64], rates: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return rows of the regressor, shape (N, 6, p), and the base twist, (N, 6)."""
        model, joints = self.model, len(self.model.joints)
        q, qd = q[:, :joints], rates[:, :joints]
        matrix = momentum_matrix(model, q)
        twist = twist_from_matrix(model, matrix, q, rates, self.planar)
        rows = momentum_regressor(model, q, qd, twist, self.minimal.columns)
        if self.planar:
            rows = rows[:, free_axes(True)]
        if self.is_weighted:
            seen = free_axes(self.planar) + list(range(6, 6 + joints))
            noisy = (matrix * rate_std(model.noise, joints))[:, free_axes(self.planar)][:, :, seen]
            rows = np.linalg.solve(np.linalg.cholesky(noisy @ noisy.swapaxes(-1, -2)), rows)
        return rows, twist

    def _moved(
        self, q: NDArray[np.float64], rates: NDArray[np.float64]
    ) -> Iterator[tuple[int, tuple[NDArray[np.float64], NDArray[np.float64]]]]:
        """Yield each joint with the rows and the base twist where it is a little further on."""
        steps = _STEP * np.eye(q.shape[1])[: len(self.model.joints)]
        for some in _chunks(len(steps), len(q)):
            moved = np.concatenate([q + step for step in steps[some]])
            yield from self._each(some, moved, np.tile(rates, (len(moved) // len(q), 1)))

    def _unit_rates(
        self, q: NDArray[np.float64]
    ) -> Iterator[tuple[int, tuple[NDArray[np.float64], NDArray[np.float64]]]]:
        """Yield each actuator with the rows and the base twist when it alone moves."""
        units = np.eye(q.shape[1])
        for some in _chunks(len(units), len(q)):
            count = len(units[some])
            yield from self._each(some, np.tile(q, (count, 1)), units[some].repeat(len(q), axis=0))

    def _each(
        self, some: slice, q: NDArray[np.float64], rates: NDArray[np.float64]
    ) -> Iterator[tuple[int, tuple[NDArray[np.float64], NDArray[np.float64]]]]:
        """Yield the rows and twists of some perturbations that were computed together."""
        rows, twist = self._rows(q, rates)
        numbers = range(some.start, some.stop)
        parts = np.split(rows, len(numbers)), np.split(twist, len(numbers))
        yield from zip(numbers, zip(*parts, strict=True), strict=True)


def rate_std(noise: SensorNoise, joints: int) -> NDArray[np.float64]:
    """Return the noise of base twist and joint rates, shape (6 + n,)."""
    stds = [noise.base_linear_velocity] * 3 + [noise.base_angular_velocity] * 3
    return np.maximum(stds + [noise.joint_rate] * joints, _LEAST_NOISE)


@dataclass(frozen=True, eq=False)
class _Direction:
    """Derivatives of a number by rows and base twist at each sample."""

    rows: NDArray[np.float64]
    twist: NDArray[np.float64]

    def dot(self, rows: NDArray[np.float64], twist: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the change of the number with changes of rows and twist, shape (N,)."""
        return np.einsum('nij,nij->n', self.rows, rows) + np.einsum('ni,ni->n', self.twist, twist)


def _chunks(count: int, samples: int) -> Iterator[slice]:
    """Yield slices of perturbations so few that all their samples fit together."""
    size = max(1, _AT_ONCE // samples)
    for begin in range(0, count, size):
        yield slice(begin, min(begin + size, count))

"""The base's twist that conservation of momentum gives from rest, and derivatives through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.trajectory_motion import SampleGradient
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import wheel_momentum_matrix
from spacerobot_id.multibody.free_floating.planned_base import free_axes, twist_from_matrix
from spacerobot_id.multibody.momentum import wheel_momentum_derivatives
from spacerobot_id.multibody.momentum_of_robots import (
    momentum_matrices,
    momentum_matrices_pull_back,
)

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, eq=False)
class ConservedTwist:
    """Twists of the bases of R robots at N states of joints and wheels.

    Parameters
    ----------
    models : sequence of RobotModel
        Robots of one geometry.
    q : ndarray, shape (N, n)
        Joint positions, rad or m.
    rates : ndarray, shape (N, m)
        Rates of joints, then wheels.
    planar : bool
        Whether a table holds the base in its plane.
    matrix : ndarray, shape (R, N, 6, 6 + n)
        Momentum matrices.
    twist : ndarray, shape (R, N, 6)
        Linear (m/s) and angular (rad/s) velocity in base axes.
    """

    models: Sequence[RobotModel]
    q: NDArray[np.float64]
    rates: NDArray[np.float64]
    planar: bool
    matrix: NDArray[np.float64]
    twist: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        models: Sequence[RobotModel],
        q: NDArray[np.float64],
        rates: NDArray[np.float64],
        *,
        planar: bool,
    ) -> 'Self':
        """Return the twists at some states."""
        matrix = momentum_matrices(models, q)
        twist = twist_from_matrix(models[0], matrix, q, rates, planar)
        return cls(models, q, rates, planar, matrix, twist)

    @property
    def of_base(self) -> NDArray[np.float64]:
        """Momentum per unit of twist where the base is free, shape (R, N, f, f)."""
        free = free_axes(self.planar)
        return self.matrix[:, :, free][..., free]

    def pull_back(
        self, by_twist: NDArray[np.float64], by_matrix: NDArray[np.float64] | float = 0.0
    ) -> SampleGradient:
        """Return derivatives by positions and rates from those by the twists.

        Parameters
        ----------
        by_twist : ndarray, shape (R, N, 6)
            Derivatives of a number by the twists.
        by_matrix : ndarray, shape (R, N, 6, 6 + n), optional
            Those by the momentum matrices, where these count by themselves.
        """
        model, free, joints = self.models[0], free_axes(self.planar), self.q.shape[1]
        qd, wheel_rates = self.rates[:, :joints], self.rates[:, joints:]
        by_momentum = np.zeros_like(by_twist)  # of joints and wheels, which the base's undoes
        by_momentum[..., free] = -np.linalg.solve(self.of_base, by_twist[..., free, None])[..., 0]
        moving = np.broadcast_to(qd, (len(self.models), *qd.shape))
        velocities = np.concatenate([self.twist, moving], axis=2)
        by_matrix = by_matrix + by_momentum[..., None] * velocities[:, :, None]
        of_wheels = by_momentum.sum(axis=0)
        position, velocity = np.zeros_like(self.rates), np.zeros_like(self.rates)
        velocity[:, :joints] = np.einsum('rnc,rncm->nm', by_momentum, self.matrix[..., 6:])
        velocity[:, joints:] = np.einsum(
            'nc,ncw->nw', of_wheels, wheel_momentum_matrix(model, self.q)
        )
        position[:, :joints] = momentum_matrices_pull_back(self.models, self.q, by_matrix)
        slopes = wheel_momentum_derivatives(model, self.q, wheel_rates)
        position[:, :joints] += np.einsum('nc,nkc->nk', of_wheels, slopes)
        return SampleGradient(position, velocity, np.zeros_like(position))

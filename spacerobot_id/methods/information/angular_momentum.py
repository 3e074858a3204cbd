"""What a motion shows of the reduced parameters, given an angular momentum.

What counts is the information of the output error: rows of the regressor at the predicted angular
velocity, divided by the noise that gyro and joint rates put into them. The attitude is integrated
along the motion, so that the samples are to be evenly spaced.
"""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.planned_motion import PlannedMotion
from spacerobot_id.methods.derived_rates import planned_rate_std
from spacerobot_id.methods.information.motion_information import (
    InformationSource,
    LEAST_NOISE,
    ShownMotion,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import wheel_momentum
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum, turning_base
from spacerobot_id.regressor import (
    angular_momentum_regressor,
    reduced_parameters,
    ReducedParameters,
)

_LEAST_SHARE = 1e-3
"""Parameters that are smaller than this share of the largest count as if they were that large."""


@dataclass(frozen=True, eq=False)
class AngularMomentumInformation(InformationSource):
    """Robots that turn with a known angular momentum, seen by gyro, attitude and joint rates.

    Parameters
    ----------
    models, is_weighted
        As for every source.
    reduced : ReducedParameters
        Their k reduced parameters.
    momentum : KnownMomentum
        Angular momentum of robot and wheels, and the attitude at the start.
    """

    reduced: ReducedParameters
    momentum: KnownMomentum

    is_turning: ClassVar[bool] = True

    @classmethod
    def from_model(cls, model: RobotModel, momentum: KnownMomentum) -> Self:
        """Return the source of one robot."""
        reduced = reduced_parameters(model, as_described=momentum.trust_zeros)
        return cls([model], reduced, momentum)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the reduced parameters."""
        return self.reduced.names

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the reduced parameters."""
        return self.reduced.units

    @property
    def scale(self) -> NDArray[np.float64]:
        """Sizes that standard deviations are compared with: no unit tells products apart."""
        sizes = np.abs(self.values(self.models[0]))
        return np.maximum(sizes, _LEAST_SHARE * sizes.max())

    def values(self, model: RobotModel) -> NDArray[np.float64]:
        """Return the reduced parameters of a robot, shape (k,)."""
        return self.reduced.values(model)

    @property
    def blind_spot(self) -> str:
        """Either wheels or momentum have to give the parameters a scale."""
        if self.models[0].wheels or np.any(self.momentum.angular_momentum):
            return ''
        return (
            'known_angular_momentum: at zero momentum, without wheels, the scale of all '
            'parameters cannot be seen'
        )

    def shown(self, motion: PlannedMotion, weights: NDArray[np.float64]) -> ShownMotion:
        """Return what evenly spaced samples of joints and wheels show of each robot."""
        joints = len(self.models[0].joints)
        each = [self._rows(model, motion) for model in self.models]
        qd = motion.velocity[:, :joints]
        return ShownMotion(
            motion,
            weights,
            self.models[0].noise.rate,
            np.stack([rows for rows, _ in each]),
            np.stack([np.hstack([turning, qd]) for _, turning in each]),
            motion.position[:, :joints],
        )

    def _rows(
        self, model: RobotModel, motion: PlannedMotion
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return rows, shape (N, 3, k), and the angular velocity that they are at, (N, 3)."""
        joints = len(model.joints)
        q, qd = motion.position[:, :joints], motion.velocity[:, :joints]
        base = turning_base(model, self.momentum, motion)
        attitudes, matrix = base.attitudes, base.matrix
        to_centre = matrix[:, 3:, :3] / matrix[:, 0, 0][:, None, None]
        about_centre = matrix[:, 3:] - to_centre @ matrix[:, :3]
        inertia, of_joints = about_centre[:, :, 3:6], about_centre[:, :, 6:]
        seen = attitudes.apply(self.momentum.angular_momentum, inverse=True)
        spin = wheel_momentum(model, q, motion.velocity[:, joints:])[:, 3:]
        remaining = seen - np.einsum('nij,nj->ni', of_joints, qd) - spin
        turning = np.linalg.solve(inertia, remaining[..., None])[..., 0]
        rows = angular_momentum_regressor(model, self.reduced, q, qd, turning)
        if self.is_weighted:
            noise = self.models[0].noise
            stds = [noise.base_angular_velocity] * 3 + [planned_rate_std(noise)] * joints
            spread = np.concatenate([inertia, of_joints], axis=-1)
            spread *= np.maximum(stds, LEAST_NOISE)
            lower = np.linalg.cholesky(spread @ np.swapaxes(spread, -1, -2))
            rows = np.linalg.solve(lower, rows)
        return rows, turning

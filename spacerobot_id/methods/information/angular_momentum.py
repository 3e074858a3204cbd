"""What a motion shows of the reduced parameters, given an angular momentum.

What counts is the information of the output error: rows of the regressor at the predicted angular
velocity, divided by the noise that gyro and joint rates put into them. The attitude is integrated
along the motion, so that the samples are to be evenly spaced.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibrated_method import CalibratedMethod
from spacerobot_id.methods.derived_rates import planned_rate_std
from spacerobot_id.methods.information.motion_information import (
    InformationSource,
    LEAST_NOISE,
    ShownMotion,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.planned_base import (
    base_acceleration,
    KnownMomentum,
    turning_base,
    turning_bases,
)
from spacerobot_id.multibody.momentum import about_centre_of_mass
from spacerobot_id.regressor import (
    angular_momentum_regressor,
    equations_of_motion_regressor,
    ReducedParameters,
)

if TYPE_CHECKING:
    from typing import Self

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
    method : CalibratedMethod, optional
        Method with what is unknown beside the parameters; nothing if None.
    """

    reduced: ReducedParameters
    momentum: KnownMomentum
    method: CalibratedMethod | None = None

    is_turning: ClassVar[bool] = True

    @classmethod
    def of_method(cls, method: CalibratedMethod, momentum: KnownMomentum) -> 'Self':
        """Return the source of one robot.

        Parameters
        ----------
        method : CalibratedMethod
            ``angular_momentum`` of the robot.
        momentum : KnownMomentum
            Angular momentum, and the attitude at the start.
        """
        rate_std = method.rate_std.copy()
        rate_std[3:] = max(planned_rate_std(method.model.noise), LEAST_NOISE)
        seen = replace(method, rate_std=rate_std, derives_rates=False)
        others = seen if len(method.unknowns.std) else None
        return cls([method.model], method.reduced, momentum, others)

    @property
    def counted(self) -> tuple[str, ...]:
        """Names of what is unknown beside the parameters."""
        return () if self.method is None else tuple(self.method.unknowns.places)

    def alone(self) -> 'Self':
        """Return what is shown of the parameters where all else is known."""
        return replace(self, method=None)

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
        """Sizes that standard deviations are compared with: no unit distinguishes products."""
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
        return self.shown_each([motion], weights)[0]

    def shown_each(
        self, motions: Sequence[PlannedMotion], weights: NDArray[np.float64]
    ) -> list[ShownMotion]:
        """Return what each of several motions with samples at the same times shows."""
        joints = len(self.models[0].joints)
        is_joint = self.is_weighted and self.method is not None
        of = self._joint_rows if is_joint else self._rows
        # [robot][0 for rows, 1 for angular velocities][motion]
        each = [of(model, motions) for model in self.models]
        return [
            ShownMotion(
                motion,
                weights,
                self.models[0].noise.rate,
                np.stack([rows[number] for rows, _ in each]),
                np.stack(
                    [
                        np.hstack([angular_velocity[number], motion.velocity[:, :joints]])
                        for _, angular_velocity in each
                    ]
                ),
                motion.position[:, :joints],
                beside=self.method.unknowns.std**-2.0 if is_joint else np.zeros(0),
            )
            for number, motion in enumerate(motions)
        ]

    def _joint_rows(
        self, model: RobotModel, motions: Sequence[PlannedMotion]
    ) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
        """Return rows of all unknowns, as the method has them, shape (N, 3, u); see ``_rows``."""
        each = [self._joint_rows_of(model, motion) for motion in motions]
        return [rows for rows, _ in each], [angular_velocity for _, angular_velocity in each]

    def _joint_rows_of(
        self, model: RobotModel, motion: PlannedMotion
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the same of one motion."""
        joints, method = len(model.joints), self.method
        base = turning_base(model, self.momentum, motion)
        record = Record(
            motion.times,
            motion.position[:, :joints],
            motion.velocity[:, :joints],
            motion.velocity[:, joints:],
            base.twist,
            attitude=base.attitudes.as_quat(),
            qdd=motion.acceleration[:, :joints],
            wheel_acceleration=motion.acceleration[:, joints:],
        )
        values = np.append(self.values(model), np.zeros(len(method.unknowns.std)))
        rows = method.predict(record, values).rows(values).matrix
        return rows.reshape(len(record), 3, -1), base.twist[:, 3:]

    def _rows(
        self, model: RobotModel, motions: Sequence[PlannedMotion]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return rows, (K, N, 3, k), and the angular velocity that they are at, (K, N, 3)."""
        joints = len(model.joints)
        q, qd = (
            np.concatenate([values[:, :joints] for values in each])
            for each in zip(
                *((motion.position, motion.velocity) for motion in motions), strict=True
            )
        )
        base = turning_bases(model, self.momentum, motions)
        angular_velocity = base.twist[:, 3:]
        if not self.is_weighted:
            rows = self._plain_rows(model, motions, base.twist)
        else:
            rows = angular_momentum_regressor(model, self.reduced, q, qd, angular_velocity)
            noise = self.models[0].noise
            stds = [noise.base_angular_velocity] * 3 + [planned_rate_std(noise)] * joints
            spread = about_centre_of_mass(base.matrix) * np.maximum(stds, LEAST_NOISE)
            lower = np.linalg.cholesky(spread @ np.swapaxes(spread, -1, -2))
            rows = np.linalg.inv(lower) @ rows
        shape = (len(motions), len(motions[0].times), -1)
        return rows.reshape(*shape, rows.shape[-1]), angular_velocity.reshape(shape)

    def _plain_rows(
        self, model: RobotModel, motions: Sequence[PlannedMotion], twist: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return rows without noise at the twists of the base, (K N, 6), one after the other."""
        n = len(model.joints)
        q = np.concatenate([motion.position[:, :n] for motion in motions])
        qd = np.concatenate([motion.velocity[:, :n] for motion in motions])
        return angular_momentum_regressor(model, self.reduced, q, qd, twist[:, 3:])


@dataclass(frozen=True, eq=False)
class EquationsOfMotionInformation(AngularMomentumInformation):
    """The same, seen by torques, too: the regressor of [Christidi 2017] Eq. 11, without noise.

    Torques state no noise: standard deviations are those of angular momentum alone.
    """

    @property
    def blind_spot(self) -> str:
        """Torques give the scale, where there are joints and no noise counts."""
        return '' if self.models[0].joints and not self.is_weighted else super().blind_spot

    def _plain_rows(
        self, model: RobotModel, motions: Sequence[PlannedMotion], twist: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return rows of moments and torques, as the acceleration of the base is predicted."""
        n = len(model.joints)
        motion = PlannedMotion(
            *(
                np.concatenate([getattr(each, name) for each in motions])
                for name in ('times', 'position', 'velocity', 'acceleration')
            )
        )
        parts = (each[:, :n] for each in (motion.position, motion.velocity, motion.acceleration))
        angular_acceleration = base_acceleration(model, motion, twist)[:, 3:]
        return equations_of_motion_regressor(
            model, self.reduced, *parts, twist[:, 3:], angular_acceleration
        )

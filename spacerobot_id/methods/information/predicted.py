"""What a motion shows to any method: its own equations at the readings that are predicted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.measurement import Record
from spacerobot_id.methods.information.motion_information import InformationSource, ShownMotion
from spacerobot_id.methods.unknowns import Unknowns
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.planned_base import (
    base_acceleration,
    KnownMomentum,
    planned_twist,
    turning_bases,
)

if TYPE_CHECKING:
    from typing import Self

    from spacerobot_id.methods.method import Method


@dataclass(frozen=True, eq=False)
class PredictedInformation(InformationSource):
    """Rows of a method at the base motion that conservation of momentum predicts.

    Parameters
    ----------
    models, is_weighted
        As for every source. Weighted rows are those of the readings, with unit noise; others are
        those that judge excitation, where the method has some.
    method_of : callable
        The method for a robot; constants that are unknown beside its parameters count where rows
        are weighted.
    planar : bool
        Whether a table holds the base in its plane.
    momentum : KnownMomentum, optional
        Angular momentum of robot and wheels, and the attitude at the start; from rest if None.
    is_alone : bool
        Whether all else than the parameters is known.
    """

    method_of: 'Callable[[RobotModel], Method]'
    planar: bool = False
    momentum: KnownMomentum | None = None
    is_alone: bool = False

    @property
    def is_turning(self) -> bool:
        """Whether the attitude is integrated along a motion."""
        return self.momentum is not None

    @property
    def unknowns(self) -> Unknowns:
        """Unknowns of the method."""
        return self.method_of(self.models[0]).unknowns

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return self.unknowns.names[: self.unknowns.parameters]

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the parameters."""
        return self.unknowns.units[: self.unknowns.parameters]

    @property
    def counted(self) -> tuple[str, ...]:
        """Names of what is unknown beside the parameters."""
        if self.is_alone:
            return ()
        places, constants = self.unknowns.places, self.unknowns.constants
        return tuple(key for key, place in places.items() if place.stop <= constants)

    def alone(self) -> 'Self':
        """Return what is shown of the parameters where all else is known."""
        return replace(self, is_alone=True)

    def values(self, model: RobotModel) -> NDArray[np.float64]:
        """Return the parameters of a robot, shape (p,): the mean of its prior."""
        return self.method_of(model).prior().mean[: self.unknowns.parameters]

    @property
    def needs_prior(self) -> bool:
        """Whether a table hides the prior."""
        return self.planar

    def shown(self, motion: PlannedMotion, weights: NDArray[np.float64]) -> ShownMotion:
        """Return what samples of joints and wheels show of each robot."""
        return self.shown_each([motion], weights)[0]

    def shown_each(
        self, motions: Sequence[PlannedMotion], weights: NDArray[np.float64]
    ) -> list[ShownMotion]:
        """Return what each of several motions with samples at the same times shows."""
        records = [self._record(model, motions) for model in self.models]
        each = zip(self.models, records, strict=True)
        rows = np.stack([self._rows(model, record, len(motions)) for model, record in each])
        rates = np.stack([np.hstack([each.base_twist, each.qd]) for each in records])
        rates = rates[..., 3:] if self.is_turning else rates  # the linear velocity does not count
        rates = rates.reshape(len(rates), len(motions), -1, rates.shape[-1])
        joints, unknowns = len(self.models[0].joints), self.unknowns
        beside = unknowns.std[: rows.shape[-1] - unknowns.parameters] ** -2.0
        return [
            ShownMotion(
                motion,
                weights,
                self.models[0].noise.rate,
                rows[:, place],
                rates[:, place],
                motion.position[:, :joints],
                beside=beside,
            )
            for place, motion in enumerate(motions)
        ]

    def _rows(self, model: RobotModel, record: Record, motions: int) -> NDArray[np.float64]:
        """Return the rows of a robot at its own parameters, shape (K, N, k, u)."""
        method = self.method_of(model)
        rows = np.zeros((0, 0)) if self.is_weighted else method.excitation_rows(record)
        if not len(rows):
            is_joint = self.is_weighted and not self.is_alone
            count = method.unknowns.constants if is_joint else method.unknowns.parameters
            values = np.append(self.values(model), np.zeros(len(method.unknowns.std)))
            rows = method.reading_rows(record, values)[:, :count]
        return rows.reshape(motions, len(record) // motions, -1, rows.shape[-1])

    def _record(self, model: RobotModel, motions: Sequence[PlannedMotion]) -> Record:
        """Return what perfect sensors would see of motions, one after the other."""
        joints, names = len(model.joints), ('times', 'position', 'velocity', 'acceleration')
        joined = (np.concatenate([getattr(each, name) for each in motions]) for name in names)
        motion = PlannedMotion(*joined) if len(motions) > 1 else motions[0]
        position, velocity, acceleration = motion.position, motion.velocity, motion.acceleration
        attitude = angular_acceleration = None
        if self.momentum is None:
            twist = planned_twist(model, motion, self.planar)
        else:
            base = turning_bases(model, self.momentum, tuple(motions))
            twist, attitude = base.twist, base.attitudes.as_quat()
        if not self.is_weighted:
            angular_acceleration = base_acceleration(model, motion, twist, self.planar)[:, 3:]
        return Record(
            motion.times,
            position[:, :joints],
            velocity[:, :joints],
            velocity[:, joints:],
            twist,
            attitude=attitude,
            qdd=acceleration[:, :joints],
            angular_acceleration=angular_acceleration,
            wheel_acceleration=acceleration[:, joints:],
        )

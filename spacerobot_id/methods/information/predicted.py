"""What a motion shows to any method: its own equations at the readings that are predicted."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.measurement import Record
from spacerobot_id.methods.information.motion_information import InformationSource, ShownMotion
from spacerobot_id.methods.settings import MethodSettings
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.planned_base import planned_twist

if TYPE_CHECKING:
    from typing import Self

    from spacerobot_id.methods.method import Method


@dataclass(frozen=True, eq=False)
class PredictedInformation(InformationSource):
    """Rows of a method at the base motion that conservation of momentum predicts, from rest.

    Parameters
    ----------
    models, is_weighted
        As for every source; rows are those of the method, with unit noise.
    kind : type of Method
        Method.
    planar : bool
        Whether a table holds the base in its plane.
    given : MethodSettings
        What the identification is given; constants that are unknown beside the parameters count
        where rows are weighted.
    """

    kind: 'type[Method]'
    planar: bool = False
    given: MethodSettings = MethodSettings()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        unknowns = self._method(self.models[0]).unknowns
        return unknowns.names[: unknowns.parameters]

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the parameters."""
        unknowns = self._method(self.models[0]).unknowns
        return unknowns.units[: unknowns.parameters]

    @property
    def counted(self) -> tuple[str, ...]:
        """Names of what is unknown beside the parameters."""
        unknowns = self._method(self.models[0]).unknowns
        return tuple(
            key for key, place in unknowns.places.items() if place.stop <= unknowns.constants
        )

    def alone(self) -> 'Self':
        """Return what is shown of the parameters where all else is known."""
        return replace(self, given=MethodSettings())

    def values(self, model: RobotModel) -> NDArray[np.float64]:
        """Return the parameters of a robot, shape (p,): the mean of its prior."""
        method = self._method(model)
        return method.prior().mean[: method.unknowns.parameters]

    @property
    def needs_prior(self) -> bool:
        """Whether a table hides the prior."""
        return self.planar

    def shown(self, motion: PlannedMotion, weights: NDArray[np.float64]) -> ShownMotion:
        """Return what samples of joints and wheels show of each robot."""
        records = [self._record(model, motion) for model in self.models]
        joints, unknowns = len(self.models[0].joints), self._method(self.models[0]).unknowns
        count = unknowns.constants if self.is_weighted else unknowns.parameters
        each = zip(self.models, records, strict=True)
        return ShownMotion(
            motion,
            weights,
            self.models[0].noise.rate,
            np.stack([self._rows(model, record)[..., :count] for model, record in each]),
            np.stack([np.hstack([record.base_twist, record.qd]) for record in records]),
            motion.position[:, :joints],
            beside=unknowns.std[: count - unknowns.parameters] ** -2.0,
        )

    def _rows(self, model: RobotModel, record: Record) -> NDArray[np.float64]:
        """Return the rows of a robot at its own parameters, shape (N, k, u)."""
        rows = self._method(model).rows_at_prior(record)
        return rows.reshape(len(record), -1, rows.shape[-1])

    def _record(self, model: RobotModel, motion: PlannedMotion) -> Record:
        """Return what perfect sensors would see of a motion."""
        joints = len(model.joints)
        position, velocity = motion.position, motion.velocity
        return Record(
            motion.times,
            position[:, :joints],
            velocity[:, :joints],
            velocity[:, joints:],
            planned_twist(model, motion, self.planar),
            qdd=motion.acceleration[:, :joints],
            wheel_acceleration=motion.acceleration[:, joints:],
        )

    def _method(self, model: RobotModel) -> 'Method':
        """Return the method for a robot."""
        planar = self.planar and 'planar' in self.kind.takes
        return self.kind.from_settings(model, replace(self.given, planar=planar))

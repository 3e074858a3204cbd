"""Offsets of the encoders: every joint is further than its encoder says."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibration import Calibration
from spacerobot_id.model import JointType, RobotModel


@dataclass(frozen=True)
class EncoderOffset(Calibration):
    """Reading of each encoder less the joint's position, rad or m."""

    key: ClassVar[str] = 'encoder_offset'

    def names(self, model: RobotModel) -> tuple[str, ...]:
        """Return the joints."""
        return model.joint_names

    def units(self, model: RobotModel) -> tuple[str, ...]:
        """Return rad or m for each joint."""
        return tuple('rad' if j.type is JointType.REVOLUTE else 'm' for j in model.joints)

    def inputs(self, model: RobotModel, record: Record, values: NDArray[np.float64]) -> Record:
        """Return the record with the positions that the joints have."""
        return replace(record, q=record.q - values)

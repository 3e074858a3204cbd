"""Offsets of the encoders: every joint is further than its encoder reads."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibration import Calibration
from spacerobot_id.model import Joint, JointType, RobotModel


@dataclass(frozen=True)
class EncoderOffset(Calibration):
    """Reading of each encoder less the joint's position, rad or m."""

    key: ClassVar[str] = 'encoder_offset'
    suspected: ClassVar[float] = 0.05

    def names(self, model: RobotModel) -> tuple[str, ...]:
        """Return the joints."""
        return model.joint_names

    def units(self, model: RobotModel) -> tuple[str, ...]:
        """Return rad or m for each joint."""
        return tuple('rad' if j.type is JointType.REVOLUTE else 'm' for j in model.joints)

    def inputs(self, model: RobotModel, record: Record, values: NDArray[np.float64]) -> Record:
        """Return the record with the positions that the joints have."""
        return replace(record, q=record.q - values)

    def displacements(
        self, model: RobotModel, values: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return moves along or about the joints' axes, of joints that move by themselves."""
        if model.coupling is not None:
            return None
        found = np.zeros((len(model.joints), 6, len(model.joints)))
        for place, joint in enumerate(model.joints):
            if joint.type is JointType.REVOLUTE:
                found[place, 5, place] = -1.0
            else:
                found[place, :3, place] = -joint.R_PC[:, 2]
        return found

    def described(self, model: RobotModel, values: NDArray[np.float64]) -> RobotModel:
        """Return the robot whose joints are at zero where the encoders read zero."""
        offsets = values if model.coupling is None else model.coupling.rates(values)
        joints = [
            _at_zero(joint, offset)
            for joint, offset in zip(model.tree_joints, offsets, strict=True)
        ]
        return replace(model, tree_joints=joints)


def _at_zero(joint: Joint, offset: float) -> Joint:
    """Return a joint whose position is what its encoder reads; its limits are where they were."""
    limits = replace(
        joint.limits, lower=joint.limits.lower + offset, upper=joint.limits.upper + offset
    )
    if joint.type is JointType.REVOLUTE:
        turned = Rotation.from_rotvec([0.0, 0.0, -offset]).as_matrix()
        return replace(joint, R_PC=joint.R_PC @ turned, limits=limits)
    moved = joint.p_PC_P - offset * joint.R_PC[:, 2]
    return replace(joint, p_PC_P=moved, limits=limits)

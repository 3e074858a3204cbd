"""Axes and origins of the joints: links that are longer, joints that are askew."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.methods.calibrations.calibration import AXES, Calibration
from spacerobot_id.model import RobotModel
from spacerobot_id.spatial import skew


@dataclass(frozen=True)
class JointAxis(Calibration):
    """Tilt of each joint, and of all beyond it, about the x and y axes of its frame, rad."""

    key: ClassVar[str] = 'joint_axis'
    suspected: ClassVar[float] = 0.03

    def names(self, model: RobotModel) -> tuple[str, ...]:
        """Return two tilts for each joint."""
        return tuple(f'{joint.name}.{axis}' for joint in model.tree_joints for axis in AXES[:2])

    def units(self, model: RobotModel) -> tuple[str, ...]:
        """Return rad."""
        return ('rad',) * (2 * len(model.tree_joints))

    def robot(self, model: RobotModel, values: NDArray[np.float64]) -> RobotModel:
        """Return the robot with tilted joints."""
        tilts = np.hstack([values.reshape(-1, 2), np.zeros((len(model.tree_joints), 1))])
        turned = Rotation.from_rotvec(tilts).as_matrix()
        joints = [
            replace(joint, R_PC=joint.R_PC @ turn)
            for joint, turn in zip(model.tree_joints, turned, strict=True)
        ]
        return replace(model, tree_joints=joints)

    def displacements(self, model: RobotModel, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rotations about the axes that tilted joints have."""
        count = len(model.tree_joints)
        rotation = _right_jacobian(np.hstack([values.reshape(-1, 2), np.zeros((count, 1))]))
        found = np.zeros((count, 6, count, 2))
        found[np.arange(count), 3:, np.arange(count)] = rotation[:, :, :2]
        return found.reshape(count, 6, -1)


@dataclass(frozen=True)
class JointOrigin(Calibration):
    """Displacement of each joint's origin in the axes of its parent link, m."""

    key: ClassVar[str] = 'joint_origin'
    suspected: ClassVar[float] = 0.03

    def names(self, model: RobotModel) -> tuple[str, ...]:
        """Return three displacements for each joint."""
        return tuple(f'{joint.name}.{axis}' for joint in model.tree_joints for axis in AXES)

    def units(self, model: RobotModel) -> tuple[str, ...]:
        """Return metres."""
        return ('m',) * (3 * len(model.tree_joints))

    def robot(self, model: RobotModel, values: NDArray[np.float64]) -> RobotModel:
        """Return the robot with displaced joints."""
        joints = [
            replace(joint, p_PC_P=joint.p_PC_P + moved)
            for joint, moved in zip(model.tree_joints, values.reshape(-1, 3), strict=True)
        ]
        return replace(model, tree_joints=joints)

    def displacements(self, model: RobotModel, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return displacements along the axes of the parent links."""
        count = len(model.tree_joints)
        found = np.zeros((count, 6, count, 3))
        found[np.arange(count), :3, np.arange(count)] = np.eye(3)
        return found.reshape(count, 6, -1)


def _right_jacobian(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how rotations turn, in their own axes, with their rotation vectors, (K, 3, 3).

    Barfoot, State Estimation for Robotics (2017), Section 7.1, of the opposite vector.
    """
    angle = np.linalg.norm(vectors, axis=1)[:, None, None]
    square = np.where(angle > 0.0, angle, 1.0) ** 2
    crossed = skew(vectors)
    second = (1.0 - np.sinc(angle / np.pi)) / square * crossed @ crossed
    return np.eye(3) - 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * crossed + second

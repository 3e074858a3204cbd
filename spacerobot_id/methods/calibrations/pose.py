"""Where on the base the measured pose is, such as that of motion capture's markers."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibration import AxisCalibration
from spacerobot_id.model import RobotModel


@dataclass(frozen=True)
class PosePoint(AxisCalibration):
    """Place on the base whose position is measured, less its described origin, m."""

    key: ClassVar[str] = 'pose_point'
    suspected: ClassVar[float] = 0.3
    stream: ClassVar[str] = 'pose'
    unit: ClassVar[str] = 'm'

    def inputs(self, model: RobotModel, record: Record, values: NDArray[np.float64]) -> Record:
        """Return the record with the positions of the base's origin."""
        if record.position is None or record.attitude is None:
            return record
        there = record.has('position', 'attitude')
        position = record.position.copy()
        position[there] -= Rotation.from_quat(record.attitude[there]).apply(values)
        return replace(record, position=position)


@dataclass(frozen=True)
class PoseMounting(AxisCalibration):
    """Rotation vector from the base's axes to those whose attitude is measured, rad."""

    key: ClassVar[str] = 'pose_mounting'
    suspected: ClassVar[float] = 0.1
    stream: ClassVar[str] = 'pose'
    unit: ClassVar[str] = 'rad'

    def inputs(self, model: RobotModel, record: Record, values: NDArray[np.float64]) -> Record:
        """Return the record with the attitudes of the base's axes."""
        if record.attitude is None:
            return record
        there = record.has('attitude')
        attitude = record.attitude.copy()
        turned = Rotation.from_quat(attitude[there]) * Rotation.from_rotvec(-values)
        attitude[there] = turned.as_quat()
        return replace(record, attitude=attitude)

"""Mounting and scale of the gyro."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.methods.calibrations.calibration import AxisCalibration


@dataclass(frozen=True)
class GyroMounting(AxisCalibration):
    """Rotation vector from the gyro's described axes to its true ones, rad."""

    key: ClassVar[str] = 'gyro_mounting'
    suspected: ClassVar[float] = 0.1
    moves_base: ClassVar[bool] = False
    stream: ClassVar[str] = 'gyro'
    unit: ClassVar[str] = 'rad'

    def sensed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what turned axes read of the angular velocity."""
        matrix = np.eye(6)
        matrix[3:, 3:] = Rotation.from_rotvec(values).as_matrix().T
        return matrix


@dataclass(frozen=True)
class GyroScale(AxisCalibration):
    """Relative error of the scale of each axis of the gyro."""

    key: ClassVar[str] = 'gyro_scale'
    suspected: ClassVar[float] = 0.05
    moves_base: ClassVar[bool] = False
    stream: ClassVar[str] = 'gyro'
    unit: ClassVar[str] = '1'

    def sensed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scaled angular velocity."""
        return np.diag(np.append(np.ones(3), 1.0 + values))

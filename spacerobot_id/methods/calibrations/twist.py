"""Where a measured twist of the base is measured, about which axes, and its scale."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.methods.calibrations.calibration import AxisCalibration
from spacerobot_id.spatial import skew


@dataclass(frozen=True)
class TwistPoint(AxisCalibration):
    """Place on the base whose velocity is measured, less its described origin, m."""

    key: ClassVar[str] = 'twist_point'
    suspected: ClassVar[float] = 0.2
    moves_base: ClassVar[bool] = False
    stream: ClassVar[str] = 'velocity'
    unit: ClassVar[str] = 'm'

    def sensed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the velocity of that place: v + w x p."""
        matrix = np.eye(6)
        matrix[:3, 3:] = -skew(values)
        return matrix


@dataclass(frozen=True)
class TwistMounting(AxisCalibration):
    """Rotation vector from the described axes of the velocity to the true ones, rad."""

    key: ClassVar[str] = 'twist_mounting'
    suspected: ClassVar[float] = 0.1
    moves_base: ClassVar[bool] = False
    stream: ClassVar[str] = 'velocity'
    unit: ClassVar[str] = 'rad'

    def sensed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what turned axes read of the velocity."""
        matrix = np.eye(6)
        matrix[:3, :3] = Rotation.from_rotvec(values).as_matrix().T
        return matrix


@dataclass(frozen=True)
class TwistScale(AxisCalibration):
    """Relative error of the scale of each axis of the velocity."""

    key: ClassVar[str] = 'twist_scale'
    suspected: ClassVar[float] = 0.05
    moves_base: ClassVar[bool] = False
    stream: ClassVar[str] = 'velocity'
    unit: ClassVar[str] = '1'

    def sensed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scaled velocity."""
        return np.diag(np.append(1.0 + values, np.ones(3)))

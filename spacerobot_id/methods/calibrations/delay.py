"""Delays of the streams against the joints: a stamp of receipt, a filter, a slow bus."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.calibrations.calibration import Calibration
from spacerobot_id.model import RobotModel


@dataclass(frozen=True)
class Delay(Calibration):
    """Stamp of a reading less the time that it is of, by the clock of the joints, s."""

    def names(self, model: RobotModel) -> tuple[str, ...]:
        """Return no name: the one number is called after its setting."""
        return ('',)

    def units(self, model: RobotModel) -> tuple[str, ...]:
        """Return seconds."""
        return ('s',)

    def delays(self, values: NDArray[np.float64]) -> dict[str, float]:
        """Return the delay of its stream."""
        return {self.stream: float(values[0])}


@dataclass(frozen=True)
class ImuDelay(Delay):
    """Delay of ``imu/data``."""

    key: ClassVar[str] = 'delay.imu'
    stream: ClassVar[str] = 'gyro'


@dataclass(frozen=True)
class TwistDelay(Delay):
    """Delay of ``base_twist``."""

    key: ClassVar[str] = 'delay.base_twist'
    stream: ClassVar[str] = 'velocity'


@dataclass(frozen=True)
class PoseDelay(Delay):
    """Delay of ``base_pose``."""

    key: ClassVar[str] = 'delay.base_pose'
    stream: ClassVar[str] = 'pose'

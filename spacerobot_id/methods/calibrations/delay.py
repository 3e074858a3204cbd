"""Delays of the streams against the joints: a stamp of receipt, a filter, a slow bus."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibration import Calibration
from spacerobot_id.model import RobotModel


@dataclass(frozen=True)
class Delay(Calibration):
    """Stamp of a reading less the time that it is of, by the clock of the joints, s."""

    suspected: ClassVar[float] = 0.02
    moves_base: ClassVar[bool] = False

    def names(self, model: RobotModel) -> tuple[str, ...]:
        """Return no name: the one number is called after its setting."""
        return ('',)

    def units(self, model: RobotModel) -> tuple[str, ...]:
        """Return seconds."""
        return ('s',)

    def delay(self, values: NDArray[np.float64]) -> float:
        """Return the one number."""
        return float(values[0])


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
    moves_base: ClassVar[bool] = True

    def inputs(self, model: RobotModel, record: Record, values: NDArray[np.float64]) -> Record:
        """Return the record with the attitudes at its own stamps."""
        return record if record.attitude is None else turned_on(record, self.delay(values))


def turned_on(record: Record, step: float) -> Record:
    """Return a record with the attitudes of a little later."""
    there, attitude = record.has('attitude'), record.attitude.copy()
    turned = Rotation.from_rotvec(step * record.base_twist[there, 3:])
    attitude[there] = (Rotation.from_quat(attitude[there]) * turned).as_quat()
    return replace(record, attitude=attitude)

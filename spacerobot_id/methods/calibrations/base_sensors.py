"""Sensors of the base: where they are, about which axes they read, and their scale."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.measurement import Record
from spacerobot_id.methods.calibrations.calibration import AxisCalibration
from spacerobot_id.model import RobotModel
from spacerobot_id.spatial import skew


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
class _OfAxes(AxisCalibration):
    """A calibration of what one sensor reads about its three axes."""

    moves_base: ClassVar[bool] = False
    read: ClassVar[slice]
    """Components of the twist that it reads."""

    def sensed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the matrix from the base's twist to what velocity and gyro read, (6, 6)."""
        matrix = np.eye(6)
        matrix[self.read, self.read] = self.of_axes(values)
        return matrix

    def of_axes(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the matrix from what the axes should read to what they do, (3, 3)."""
        raise NotImplementedError


@dataclass(frozen=True)
class GyroMounting(_OfAxes):
    """Rotation vector from the gyro's described axes to its true ones, rad."""

    key: ClassVar[str] = 'gyro_mounting'
    suspected: ClassVar[float] = 0.1
    stream: ClassVar[str] = 'gyro'
    unit: ClassVar[str] = 'rad'
    read: ClassVar[slice] = slice(3, 6)

    def of_axes(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what turned axes read."""
        return Rotation.from_rotvec(values).as_matrix().T


@dataclass(frozen=True)
class TwistMounting(GyroMounting):
    """Rotation vector from the described axes of the velocity to the true ones, rad."""

    key: ClassVar[str] = 'twist_mounting'
    stream: ClassVar[str] = 'velocity'
    read: ClassVar[slice] = slice(0, 3)


@dataclass(frozen=True)
class GyroScale(_OfAxes):
    """Relative error of the scale of each axis of the gyro."""

    key: ClassVar[str] = 'gyro_scale'
    suspected: ClassVar[float] = 0.05
    stream: ClassVar[str] = 'gyro'
    unit: ClassVar[str] = '1'
    read: ClassVar[slice] = slice(3, 6)

    def of_axes(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what scaled axes read."""
        return np.diag(1.0 + values)


@dataclass(frozen=True)
class TwistScale(GyroScale):
    """Relative error of the scale of each axis of the velocity."""

    key: ClassVar[str] = 'twist_scale'
    stream: ClassVar[str] = 'velocity'
    read: ClassVar[slice] = slice(0, 3)

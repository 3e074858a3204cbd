"""What a calibration is: how model, inputs and predicted readings change with a few numbers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Record
from spacerobot_id.methods.unknowns import UnknownGroup
from spacerobot_id.model import RobotModel
from spacerobot_id.settings import changed_keys, own_parameters, parameter

Settings = TypeVar('Settings')

GIVEN, AUTO = 'given', 'auto'
"""Calibrate what has a standard deviation; or what the robot has tolerances for, too."""


def _std(sentence: str) -> float:
    """Return the field of a standard deviation."""
    return parameter(0.0, f'{sentence}; known if 0.', minimum=0.0, read_only=True)


@dataclass(frozen=True)
class CalibrationSettings:
    """Which errors of sensors and geometry are unknown, by their prior standard deviations."""

    calibrate: str = parameter(
        GIVEN,
        'Which errors of sensors and geometry are estimated beside the parameters: those whose '
        "standard deviation is given, or with auto all that the robot's YAML file has tolerances "
        'for.',
        choices=(GIVEN, AUTO),
        read_only=True,
    )
    encoder_offset: float = _std(
        "Standard deviation of each joint encoder's reading at position zero, rad or m"
    )
    joint_axis: float = _std("Standard deviation of the tilt of each joint's axis, rad")
    joint_origin: float = _std("Standard deviation of the place of each joint's origin, m")
    gyro_mounting: float = _std(
        "Standard deviation of the rotation of the gyro's axes against the described ones, rad"
    )
    gyro_scale: float = _std(
        'Standard deviation of the relative error of the scale of each axis of the gyro'
    )
    twist_point: float = _std(
        'Standard deviation of the place on the base whose velocity base_twist is, m'
    )
    twist_mounting: float = _std(
        'Standard deviation of the rotation of the axes that base_twist is expressed in, rad'
    )
    twist_scale: float = _std(
        'Standard deviation of the relative error of the scale of each axis of base_twist'
    )
    pose_point: float = _std(
        'Standard deviation of the place on the base whose position base_pose is, m'
    )
    pose_mounting: float = _std(
        'Standard deviation of the rotation of the axes whose attitude base_pose is, rad'
    )
    delay_imu: float = parameter(
        0.0,
        'Standard deviation of the delay of imu/data against joint_states, s; none if 0.',
        key='delay.imu',
        minimum=0.0,
        read_only=True,
    )
    delay_base_twist: float = parameter(
        0.0,
        'Standard deviation of the delay of base_twist against joint_states, s; none if 0.',
        key='delay.base_twist',
        minimum=0.0,
        read_only=True,
    )
    delay_base_pose: float = parameter(
        0.0,
        'Standard deviation of the delay of base_pose against joint_states, s; none if 0.',
        key='delay.base_pose',
        minimum=0.0,
        read_only=True,
    )

    def std(self, key: str) -> float:
        """Return a standard deviation by its key."""
        return getattr(self, own_parameters(type(self))[key].name)


CALIBRATION_KEYS = frozenset(own_parameters(CalibrationSettings))
"""Keys of the settings of calibrations."""


def with_tolerances(settings: Settings, tolerances: Mapping[str, float]) -> Settings:
    """Return settings with a robot's tolerances where nothing else is given.

    Parameters
    ----------
    settings : CalibrationSettings or NuisanceSettings
        Settings.
    tolerances : mapping of str to float
        Standard deviations by their keys; those of other settings are passed over.
    """
    own, given = own_parameters(type(settings)), changed_keys(settings)
    new = {
        own[key].name: std for key, std in tolerances.items() if key in own and key not in given
    }
    return replace(settings, **new)


def with_calibration(settings: Settings, key: str, std: float) -> Settings:
    """Return settings with a standard deviation, if it is one of theirs; as they are if not."""
    own = own_parameters(type(settings))
    return replace(settings, **{own[key].name: std}) if key in own else settings


AXES = ('x', 'y', 'z')


@dataclass(frozen=True)
class Calibration(ABC):
    """Numbers that are zero if robot and sensors are as described, with a prior deviation.

    A subclass overrides one of ``robot``, ``inputs``, ``sensed`` and ``delay``. Readings are
    always predicted forward; a measured reading is never divided or turned back, which would
    change its noise with the unknown.

    Parameters
    ----------
    std : float
        Prior standard deviation of each number; zero if it is known.
    known : tuple of float
        Numbers that the robot's YAML file states, beside which they are off; none if zero.
    """

    key: ClassVar[str]
    """Name of its setting and of its unknowns."""

    stream: ClassVar[str] = ''
    """Reading that it changes: ``gyro``, ``velocity`` or ``pose``; empty if all."""

    suspected: ClassVar[float]
    """How far sensors or geometry may be off without a given deviation."""

    moves_base: ClassVar[bool] = True
    """Whether it changes what the base is predicted to do, and not only how that is read."""

    std: float
    known: tuple[float, ...] = ()

    @abstractmethod
    def names(self, model: RobotModel) -> tuple[str, ...]:
        """Return the names of its numbers."""

    @abstractmethod
    def units(self, model: RobotModel) -> tuple[str, ...]:
        """Return their units."""

    def group(self, model: RobotModel) -> UnknownGroup:
        """Return its numbers as unknowns."""
        return UnknownGroup(self.key, self.names(model), list(self.units(model)), self.std)

    def robot(self, model: RobotModel, values: NDArray[np.float64]) -> RobotModel:
        """Return the robot with another geometry."""
        return model

    def described(self, model: RobotModel, values: NDArray[np.float64]) -> RobotModel:
        """Return a description by which readings are predicted as with these numbers."""
        if not self.stream:
            return self.robot(model, values)
        known = {**model.calibration, self.key: tuple(values.tolist())}
        return replace(model, calibration=known)

    def inputs(self, model: RobotModel, record: Record, values: NDArray[np.float64]) -> Record:
        """Return the record with other joint positions or poses: shifts, so that noise stays."""
        return record

    def sensed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the matrix from the base's twist to what velocity and gyro read, (6, 6)."""
        return np.eye(6)

    def displacements(
        self, model: RobotModel, values: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return how its numbers displace joints, where that is all they do.

        Parameters
        ----------
        model : RobotModel
            Robot with t joints in its tree, with the geometry that the numbers give.
        values : ndarray, shape (f,)
            Numbers about which they change.

        Returns
        -------
        ndarray, shape (t, 6, f), optional
            Slope of the displacements of ``momentum_by_displacements``; None by default.
        """
        return None

    def delay(self, values: NDArray[np.float64]) -> float:
        """Return by how much its stream is late against the joints, s."""
        return 0.0


@dataclass(frozen=True)
class AxisCalibration(Calibration):
    """A calibration of three numbers, one for each axis of the base."""

    unit: ClassVar[str]

    def names(self, model: RobotModel) -> tuple[str, ...]:
        """Return the axes."""
        return AXES

    def units(self, model: RobotModel) -> tuple[str, ...]:
        """Return the unit of each."""
        return (self.unit,) * 3

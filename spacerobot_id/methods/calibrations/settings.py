"""Settings of the calibrations: a prior standard deviation each, zero for off."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

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


def freed(settings: Settings, key: str, std: float) -> Settings:
    """Return settings with a standard deviation, if it is one of theirs; as they are if not."""
    own = own_parameters(type(settings))
    return replace(settings, **{own[key].name: std}) if key in own else settings

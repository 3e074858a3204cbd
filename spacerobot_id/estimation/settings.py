"""Settings of an identification: the recursion's, the method's, how streams are aligned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement.alignment import AlignmentSettings
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.registry import (
    current_name,
    DEFAULT,
    method_names,
    method_that_takes,
    with_tolerances_of,
)
from spacerobot_id.methods.settings import ChangeSettings, MethodSettings
from spacerobot_id.model import RobotModel
from spacerobot_id.settings import (
    changed_keys,
    parameter,
    settings_from_values,
)

_ONE_CLOCK = 0.1
"""Deviation of delays up to which motions are the same a moment later, s."""


@dataclass(frozen=True)
class RecursionSettings:
    """How the recursion starts and how often it looks back.

    Parameters
    ----------
    growth : float
        Share by which the samples grow before all are relinearised.
    least_growth : float
        The same when the estimate has moved by more than its standard deviation.
    iterations : int
        Most Gauss-Newton steps each time.
    tolerance : float
        Step, in standard deviations, that ends them.
    """

    growth: float = 1.0
    least_growth: float = 0.03
    iterations: int = 3
    tolerance: float = 0.1
    most_samples: int = parameter(
        60_000,
        'Samples kept to be relinearised; older ones stay in the estimate as they are.',
        minimum=1000,
        read_only=True,
    )
    forgetting_time: float = parameter(
        0.0,
        'Time of motion after which samples beyond most_samples lose weight where newer ones '
        'speak, s; never if 0.',
        minimum=0.0,
        read_only=True,
    )
    change: ChangeSettings = ChangeSettings()


@dataclass(frozen=True)
class IdentifySettings:
    """What an identification can be given, live or of a log, by the same keys."""

    method: str = parameter(
        DEFAULT,
        'Name of the method of identification.',
        choices=method_names,
        read_only=True,
    )
    base_velocity: str = parameter(
        'auto',
        'Where the linear velocity of the base comes from; auto takes base_twist, and base_pose '
        'when no base_twist comes.',
        choices=('auto', 'base_twist', 'base_pose'),
        read_only=True,
    )
    of_method: MethodSettings = MethodSettings()
    recursion: RecursionSettings = RecursionSettings()
    alignment: AlignmentSettings = AlignmentSettings()
    frozen_samples: int = parameter(
        25,
        'Equal samples in a row, bit for bit and while the robot must have moved, after which a '
        'topic is taken for frozen, and neither they nor the next are used; never if 0.',
        minimum=0,
        read_only=True,
    )
    imu_frame: str = parameter(
        '',
        'Frame of the description, fixed to the base, of an IMU whose messages name none; they '
        'are refused if empty.',
        read_only=True,
    )

    @property
    def turns_by_itself(self) -> bool:
        """Whether the robot may tumble with its joints at rest, as its momentum is not zero."""
        known = self.of_method.momentum.known_angular_momentum
        return self.of_method.nuisance.angular_momentum > 0.0 or any(known)

    @property
    def is_one_clock(self) -> bool:
        """Whether stamps of gyro and pose can be compared: neither is late by an unknown time."""
        calibration = self.of_method.calibration
        return max(calibration.delay_imu, calibration.delay_base_pose) <= _ONE_CLOCK

    @property
    def meaning(self) -> tuple[object, ...]:
        """What an estimate is of: neither how readings come nor how far the search goes."""
        return self.method, self.base_velocity, self.of_method, self.imu_frame

    def method_type(self) -> type[Method]:
        """Return the class of the method.

        Raises
        ------
        ConfigurationError
            If there is none of that name, or a setting was given that it does not take; names it.
        """
        given = set(changed_keys(self.of_method)) | set(changed_keys(self.recursion))
        given |= set(changed_keys(self)) & {'base_velocity', 'velocity_window'}
        return method_that_takes(self.method, given - _OF_EVERY_METHOD)

    def method_for(
        self, model: RobotModel, *, from_pose: bool = False, gyro_noise: float = 0.0
    ) -> Method:
        """Return the method for a robot.

        Parameters
        ----------
        model : RobotModel
            Prior model.
        from_pose : bool
            Whether poses stand in for a velocity of the base that is not measured.
        gyro_noise : float
            Standard deviation that the gyro's messages state, rad/s; unknown if 0.

        Raises
        ------
        ConfigurationError
            If there is none of that name, a setting was given that it does not take, or settings
            contradict each other or the robot.
        """
        kind, settings = self.method_type(), self.of_method
        if 'gyro_noise' in kind.takes and not settings.gyro_noise:
            settings = replace(settings, gyro_noise=gyro_noise)
        settings = with_tolerances_of(model, settings, kind.takes)
        return kind.from_settings(model, settings, from_pose=from_pose)


def true_parameters(
    settings: IdentifySettings, robot: RobotModel, names: Sequence[str]
) -> NDArray[np.float64]:
    """Return the parameters that a method would find of a robot that is known.

    Parameters
    ----------
    settings : IdentifySettings
        Method.
    robot : RobotModel
        True robot.
    names : sequence of str
        Names of the p parameters that the method finds of the prior model.

    Returns
    -------
    ndarray, shape (p,)
        In their units.

    Raises
    ------
    ConfigurationError
        If the robot has other parameters.
    """
    of_method = settings.of_method
    known = replace(
        of_method,
        prior=replace(of_method.prior, known_mass=0.0),
        calibration=CalibrationSettings(),
    )
    method = replace(settings, of_method=known).method_for(robot)
    count = method.unknowns.parameters
    if method.unknowns.names[:count] != tuple(names):
        raise ConfigurationError(
            f'{robot.name} has other parameters than the prior model: links, joints and their '
            'axes must be the same'
        )
    return method.prior().mean[:count]


_OF_EVERY_METHOD = frozenset({'most_samples'})
"""Settings that every method takes, among those that are a method's business."""


def settings_from_mapping(values: Mapping[str, object]) -> IdentifySettings:
    """Return settings from values by their keys.

    Parameters
    ----------
    values : mapping
        Values by key; keys of other things are passed over.

    Raises
    ------
    ConfigurationError
        If a value is not of its kind or out of its range; names the key.
    """
    values = dict(values)
    if isinstance(values.get('method'), str):
        values['method'] = current_name(values['method'])
    return settings_from_values(IdentifySettings, values)

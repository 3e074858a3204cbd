"""Unknowns beside the parameters: what else moves the base, or spoils what is measured of it.

Each is off while its standard deviation is zero.
"""

from dataclasses import dataclass

import numpy as np

from spacerobot_id.methods.unknowns import UnknownGroup
from spacerobot_id.settings import parameter

AXES = ('x', 'y', 'z')

SUSPECTED_NUISANCE = {
    'gyro_bias': 0.01,
    'linear_momentum': 100.0,
    'angular_momentum': 100.0,
    'wheel_scale': 0.1,
}
"""Deviations of unknowns that are given none: rad/s, kg m/s, kg m^2/s, a share."""

_ANYWHERE = 1e4
"""Prior standard deviation of the place of the system's centre of mass, m."""

_TINY = 1e-9
"""Standard deviation of what is known to be zero among others that are not."""


@dataclass(frozen=True)
class BiasAndScaleSettings:
    """Which constants of gyro and wheels are unknown, by their prior standard deviations."""

    gyro_bias: float = parameter(
        0.0,
        'Standard deviation of an unknown constant bias of the gyro, rad/s; none if 0.',
        minimum=0.0,
        read_only=True,
    )
    wheel_scale: float = parameter(
        0.0,
        'Standard deviation of unknown relative errors of the spin inertias of the wheels; all '
        "of them together share the scale of the robot's parameters; 1 is 100 %.",
        minimum=0.0,
        maximum=1.0,
        read_only=True,
    )


@dataclass(frozen=True)
class NuisanceSettings(BiasAndScaleSettings):
    """Which unknowns there are, by their prior standard deviations."""

    gyro_bias_walk: float = parameter(
        0.0,
        'Random walk of the bias of the gyro, rad/s per root second; constant if 0.',
        minimum=0.0,
        read_only=True,
    )
    linear_momentum: float = parameter(
        0.0,
        'Standard deviation of an unknown constant linear momentum of the system, kg m/s; at '
        'rest if 0.',
        minimum=0.0,
        read_only=True,
    )
    angular_momentum: float = parameter(
        0.0,
        'Standard deviation of an unknown constant angular momentum of the system about its '
        'centre of mass, kg m^2/s; at rest if 0.',
        minimum=0.0,
        read_only=True,
    )
    force_walk: float = parameter(
        0.0,
        'Random walk of the linear momentum under slow external forces, kg m/s per root second.',
        minimum=0.0,
        read_only=True,
    )
    torque_walk: float = parameter(
        0.0,
        "Random walk of the angular momentum about the system's centre of mass under slow "
        'external torques, kg m^2/s per root second.',
        minimum=0.0,
        read_only=True,
    )
    walk_segment: float = parameter(
        1.0, 'Time within which what walks stands still, s.', minimum=0.01, read_only=True
    )

    @property
    def needs_attitude(self) -> bool:
        """Whether the attitude of the base plays a part."""
        momenta = (self.linear_momentum, self.angular_momentum, self.force_walk, self.torque_walk)
        return any(momenta)


def momentum_groups(
    settings: NuisanceSettings, wheels: tuple[str, ...], *, from_pose: bool
) -> list[UnknownGroup]:
    """Return the unknowns beside the parameters of momentum output error.

    Parameters
    ----------
    settings : NuisanceSettings
        What is unknown.
    wheels : tuple of str
        Names of the wheels.
    from_pose : bool
        Whether the base's position is measured instead of its linear velocity; then the place
        of the system's centre of mass is unknown, too.
    """
    momentum = [settings.linear_momentum] * 3 + [settings.angular_momentum] * 3
    impulse = np.array([settings.force_walk] * 3 + [settings.torque_walk] * 3)
    six = [f'{kind}_{axis}' for kind in ('linear', 'angular') for axis in AXES]
    units = ['kg m/s'] * 3 + ['kg m^2/s'] * 3
    groups = wheel_scale_groups(settings, wheels)
    if any(momentum):
        groups.append(UnknownGroup('momentum', six, units, np.maximum(momentum, _TINY)))
    if from_pose:
        groups.append(UnknownGroup('center_of_mass', AXES, ['m'] * 3, _ANYWHERE))
    groups += gyro_bias_groups(settings)
    if impulse.any():
        groups.append(UnknownGroup('impulse', six, units, _TINY, np.maximum(impulse, _TINY)))
    return groups


def wheel_scale_groups(settings: NuisanceSettings, wheels: tuple[str, ...]) -> list[UnknownGroup]:
    """Return the errors of the wheels' spin inertias, if they are unknown."""
    if not settings.wheel_scale:
        return []
    return [UnknownGroup('wheel_scale', wheels, ['1'] * len(wheels), settings.wheel_scale)]


def gyro_bias_groups(settings: NuisanceSettings) -> list[UnknownGroup]:
    """Return the bias of the gyro, constant or walking, if it is unknown."""
    units = ['rad/s'] * 3
    if settings.gyro_bias_walk:
        std = max(settings.gyro_bias, _TINY)
        return [UnknownGroup('gyro_bias', AXES, units, std, settings.gyro_bias_walk)]
    if settings.gyro_bias:
        return [UnknownGroup('gyro_bias', AXES, units, settings.gyro_bias)]
    return []

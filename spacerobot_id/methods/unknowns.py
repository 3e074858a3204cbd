"""All that is estimated: parameters, constants beside them, and what walks.

An unknown that walks is constant within a segment of time and takes a random step to the next; it
is not kept for the past.

Each is off while its standard deviation is zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.settings import parameter


@dataclass(frozen=True, eq=False)
class Unknowns:
    """All u unknowns: p parameters, then constants, then what walks.

    Parameters
    ----------
    names, units : tuple of str
        Of all u unknowns.
    std : ndarray, shape (u - p,)
        Prior standard deviations of those beside the parameters; their means are zero.
    walk : ndarray, shape (v,)
        Random walks of the last v unknowns, per root second.
    places : dict of str to slice
        Where each group beside the parameters stands.
    segment : float
        Time within which unknowns that walk stand still, s.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    std: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    walk: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    places: dict[str, slice] = field(default_factory=dict)
    segment: float = 1.0

    def __len__(self) -> int:
        """Return the number of unknowns."""
        return len(self.names)

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return len(self.names) - len(self.std)

    @property
    def constants(self) -> int:
        """Number of unknowns that do not walk."""
        return len(self.names) - len(self.walk)

    def part(self, values: NDArray[np.float64], name: str, size: int) -> NDArray[np.float64]:
        """Return a group of unknowns, zero where they are known to be."""
        return values[self.places[name]] if name in self.places else np.zeros(size)


@dataclass(frozen=True, eq=False)
class UnknownGroup:
    """Unknowns that belong together, such as the three axes of a bias.

    Parameters
    ----------
    name : str
        Name of the group.
    names : sequence of str
        Names within it; empty for a single one that is called after the group.
    units : sequence of str
        Units.
    std : float or ndarray
        Prior standard deviations.
    walk : float or ndarray, optional
        Random walks per root second; constant if None.
    """

    name: str
    names: Sequence[str]
    units: Sequence[str]
    std: float | NDArray[np.float64]
    walk: float | NDArray[np.float64] | None = None


def laid_out(
    names: Sequence[str],
    units: Sequence[str],
    groups: Sequence[UnknownGroup] = (),
    segment: float = 1.0,
) -> Unknowns:
    """Return parameters and groups as unknowns, those that walk last.

    Parameters
    ----------
    names, units : sequence of str
        Of the p parameters.
    groups : sequence of UnknownGroup
        What is unknown beside them; one without names, as of the wheels of a robot that has none,
        has no place.
    segment : float
        Time within which what walks stands still, s.
    """
    ordered = sorted(groups, key=lambda group: group.walk is not None)  # stable
    ordered = [group for group in ordered if group.names]
    all_names, all_units = list(names), list(units)
    std: list[float] = []
    walk: list[float] = []
    places: dict[str, slice] = {}
    for group in ordered:
        count = len(group.names)
        places[group.name] = slice(len(all_names), len(all_names) + count)
        all_names += [f'{group.name}.{name}' if name else group.name for name in group.names]
        all_units += group.units
        std += np.broadcast_to(group.std, count).tolist()
        if group.walk is not None:
            walk += np.broadcast_to(group.walk, count).tolist()
    return Unknowns(
        tuple(all_names), tuple(all_units), np.array(std), np.array(walk), places, segment
    )


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

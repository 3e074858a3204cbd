"""Unknowns beside the parameters: what else moves the base, or spoils what is measured of it.

Each is off while its standard deviation is zero. An unknown that walks is constant within a
segment of time and takes a random step to the next; it is not kept for the past.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.regressor import MinimalParameters

_ANYWHERE = 1e4
"""Prior standard deviation of the place of the system's centre of mass, m."""


@dataclass(frozen=True)
class NuisanceSettings:
    """Which unknowns there are, by their prior standard deviations.

    Parameters
    ----------
    gyro_bias : float
        Constant bias of the gyro, rad/s.
    gyro_bias_walk : float
        Random walk of that bias, rad/s per root second.
    linear_momentum : float
        Constant linear momentum of the system, kg m/s.
    angular_momentum : float
        Constant angular momentum of the system about the inertial origin, kg m^2/s.
    force_walk : float
        Random walk of the linear momentum under slow external forces, kg m/s per root second.
    torque_walk : float
        Random walk of the angular momentum under slow external torques, kg m^2/s per root second.
    wheel_scale : float
        Relative errors of the wheels' spin inertias; all of them together share the scale of the
        robot's parameters.
    walk_segment : float
        Duration within which unknowns that walk stand still, s.
    """

    gyro_bias: float = 0.0
    gyro_bias_walk: float = 0.0
    linear_momentum: float = 0.0
    angular_momentum: float = 0.0
    force_walk: float = 0.0
    torque_walk: float = 0.0
    wheel_scale: float = 0.0
    walk_segment: float = 1.0

    @property
    def needs_attitude(self) -> bool:
        """Whether the attitude and position of the base play a part."""
        momenta = (self.linear_momentum, self.angular_momentum, self.force_walk, self.torque_walk)
        return any(momenta)


@dataclass(frozen=True, eq=False)
class Unknowns:
    """All that is estimated: minimal parameters, then constants, then what walks.

    Parameters
    ----------
    names, units : tuple of str
        Of all u unknowns.
    std : ndarray, shape (u - p,)
        Prior standard deviations of those beside the p minimal parameters; their means are zero.
    walk : ndarray, shape (v,)
        Random walks of the last v unknowns, per root second.
    places : dict of str to slice
        Where ``wheel_scale``, ``momentum``, ``center_of_mass`` and ``gyro_bias`` stand, if they
        are unknown; ``impulse`` is what walks of the momentum.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    std: NDArray[np.float64]
    walk: NDArray[np.float64]
    places: dict[str, slice]

    def __len__(self) -> int:
        """Return the number of unknowns."""
        return len(self.names)

    @property
    def constants(self) -> int:
        """Number of unknowns that do not walk."""
        return len(self.names) - len(self.walk)

    def part(self, values: NDArray[np.float64], name: str, size: int) -> NDArray[np.float64]:
        """Return some unknowns, zero where they are known to be."""
        return values[self.places[name]] if name in self.places else np.zeros(size)


def unknowns(
    model: RobotModel, minimal: MinimalParameters, settings: NuisanceSettings, *, from_pose: bool
) -> Unknowns:
    """Return the unknowns of a robot.

    Parameters
    ----------
    model : RobotModel
        Robot.
    minimal : MinimalParameters
        Its p minimal parameters.
    settings : NuisanceSettings
        What is unknown beside them.
    from_pose : bool
        Whether the base's position is measured instead of its linear velocity; then the place
        of the system's centre of mass is unknown, too.
    """
    layout = _Layout(list(minimal.names), list(minimal.units))
    walks = settings.gyro_bias_walk > 0.0
    momentum = [settings.linear_momentum] * 3 + [settings.angular_momentum] * 3
    impulse = np.array([settings.force_walk] * 3 + [settings.torque_walk] * 3)
    axes = ('x', 'y', 'z')
    six = [f'{kind}_{axis}' for kind in ('linear', 'angular') for axis in axes]
    units = ['kg m/s'] * 3 + ['kg m^2/s'] * 3
    if settings.wheel_scale:
        wheels = list(model.wheel_names)
        layout.add('wheel_scale', wheels, ['1'] * len(wheels), settings.wheel_scale)
    if any(momentum):
        layout.add('momentum', six, units, np.maximum(momentum, _TINY))
    if from_pose:
        layout.add('center_of_mass', list(axes), ['m'] * 3, _ANYWHERE)
    if settings.gyro_bias and not walks:
        layout.add('gyro_bias', list(axes), ['rad/s'] * 3, settings.gyro_bias)
    steps: list[NDArray[np.float64]] = []
    if walks:
        layout.add('gyro_bias', list(axes), ['rad/s'] * 3, max(settings.gyro_bias, _TINY))
        steps.append(np.full(3, settings.gyro_bias_walk))
    if impulse.any():
        layout.add('impulse', six, units, _TINY)
        steps.append(np.maximum(impulse, _TINY))
    walk = np.concatenate(steps) if steps else np.zeros(0)
    return Unknowns(
        tuple(layout.names), tuple(layout.units), np.array(layout.std), walk, layout.places
    )


_TINY = 1e-9
"""Standard deviation of what is known to be zero among others that are not."""


class _Layout:
    """Names, units and standard deviations, one group after the other."""

    def __init__(self, names: list[str], units: list[str]) -> None:
        self.names = names
        self.units = units
        self.std: list[float] = []
        self.places: dict[str, slice] = {}

    def add(
        self, group: str, names: list[str], units: list[str], std: float | NDArray[np.float64]
    ) -> None:
        """Add a group of unknowns."""
        self.places[group] = slice(len(self.names), len(self.names) + len(names))
        self.names += [f'{group}.{name}' for name in names]
        self.units += units
        self.std += np.broadcast_to(std, len(names)).tolist()

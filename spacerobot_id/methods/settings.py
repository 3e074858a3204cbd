"""Settings of the methods, declared once: keys of files, ROS parameters, and the docs' page."""

from dataclasses import dataclass

from spacerobot_id.methods.balance.actuators.actuator_settings import (
    ActuatorSettings,
    ThrusterErrorSettings,
)
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings
from spacerobot_id.methods.unknowns import BiasAndScaleSettings, NuisanceSettings
from spacerobot_id.settings import parameter

_WEIGHED = 1e-3
"""Relative standard deviation of a mass that was weighed."""


@dataclass(frozen=True)
class PriorSettings:
    """How far the description of the robot may be wrong."""

    relative_std: float = parameter(
        1.0,
        'How far masses, moments and inertias of the description may be wrong, as shares; 1 is '
        '100 %.',
        key='prior_relative_std',
        minimum=1e-3,
        maximum=100.0,
        read_only=True,
    )
    mass_std: float = parameter(
        0.5,
        'How far the total mass may be wrong, as the standard deviation of its logarithm; 0.001 '
        'where known_mass is given and this is not.',
        key='prior_mass_std',
        minimum=1e-3,
        maximum=10.0,
        read_only=True,
    )
    known_mass: float = parameter(
        0.0,
        'Total mass of the robot as it was weighed, kg; that of the description if 0.',
        minimum=0.0,
        read_only=True,
    )

    @property
    def scale_std(self) -> float:
        """Standard deviation of the logarithm of the total mass, weighed or as described."""
        is_default = self.mass_std == type(self).mass_std
        return _WEIGHED if self.known_mass and is_default else self.mass_std


@dataclass(frozen=True)
class ChangeSettings:
    """When samples are rejected, and when the robot is announced as changed.

    Parameters
    ----------
    share : float
        Share of rejected samples in the window that means the robot has changed.
    length : float
        How far from the link's frame a body that comes or goes may be, m.
    """

    gate: float = parameter(
        1e-6,
        'Probability at which a good sample would be refused as an outlier; none is refused if 0.',
        minimum=0.0,
        maximum=0.5,
        read_only=True,
    )
    settle: float = parameter(
        5.0,
        'Time of motion before samples are judged at all, s.',
        key='settle_time',
        minimum=0.0,
        read_only=True,
    )
    window: float = parameter(
        2.0,
        'Time over which refused samples are counted; when half of them are, the robot has '
        'changed, s.',
        key='change_window',
        minimum=0.1,
        read_only=True,
    )
    share: float = 0.5
    links: tuple[str, ...] = parameter(
        (),
        'Links that can grasp or release something; those without children if empty.',
        key='change_links',
        read_only=True,
    )
    mass: float = parameter(
        0.0,
        'How much mass may be grasped or released, kg; a fifth of the robot if 0.',
        key='change_mass',
        minimum=0.0,
        read_only=True,
    )
    length: float = 1.0


@dataclass(frozen=True)
class KnownMomentumSettings:
    """What methods without the base's velocity are given."""

    known_angular_momentum: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0),
        'Angular momentum of robot and wheels about their centre of mass in inertial axes, N m s; '
        'the linear momentum is zero.',
        lengths=(3,),
        read_only=True,
    )
    trust_zeros: bool = parameter(
        False,
        'Whether parameters that are exactly zero in the description are zero.',
        read_only=True,
    )
    acceleration_window: int = parameter(
        21,
        'Samples of the local polynomial that gives accelerations; odd.',
        minimum=3,
        maximum=501,
        odd=True,
        read_only=True,
    )


@dataclass(frozen=True)
class MethodSettings:
    """What a method can be given; each states which of it it takes."""

    prior: PriorSettings = PriorSettings()
    nuisance: NuisanceSettings = NuisanceSettings()
    calibration: CalibrationSettings = CalibrationSettings()
    momentum: KnownMomentumSettings = KnownMomentumSettings()
    actuators: ActuatorSettings = ActuatorSettings()
    planar: bool = parameter(
        False,
        'Whether the base can only move along x and y and turn about z, as on an air-bearing '
        'table.',
        read_only=True,
    )
    gyro_noise: float = parameter(
        0.0,
        'Standard deviation of the noise of the gyro, rad/s; if 0 what its messages state, or '
        'the description where they state nothing.',
        minimum=0.0,
        read_only=True,
    )
    period: float = parameter(
        0.0, 'Period of a motion of cycles, s; none if 0.', minimum=0.0, read_only=True
    )


@dataclass(frozen=True)
class CountedSettings:
    """What is known before, and which errors count as unknown, where a motion is planned.

    They are those of the identification that the motion is for, by the same keys.
    """

    prior: PriorSettings = PriorSettings()
    nuisance: BiasAndScaleSettings = BiasAndScaleSettings()
    calibration: CalibrationSettings = CalibrationSettings()
    thrusters: ThrusterErrorSettings = ThrusterErrorSettings()

    def of_method(self) -> MethodSettings:
        """Return what the identification is given."""
        nuisance = NuisanceSettings(**vars(self.nuisance))
        actuators = ActuatorSettings(**vars(self.thrusters))
        return MethodSettings(self.prior, nuisance, self.calibration, actuators=actuators)

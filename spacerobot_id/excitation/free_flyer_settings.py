"""The parameters of the planner for the method free_flyer."""

from dataclasses import dataclass

from spacerobot_id.excitation.free_flyer_criteria import FreeFlyerCriterion
from spacerobot_id.excitation.free_flyer_reference import FreeFlyerLimits
from spacerobot_id.settings import parameter


@dataclass(frozen=True)
class FreeFlyerSettings:
    """What the base may do, and how it is made to; each says itself what it is."""

    base_period: float = parameter(
        10.0, 'Period of the motion of the base, s; for free_flyer.', minimum=1.0, maximum=3600.0
    )
    base_cycles: int = parameter(
        10, 'Periods that the base moves; no unit; for free_flyer.', minimum=1, maximum=1000
    )
    base_harmonics: int = parameter(
        3, 'Harmonics of the motion of the base; no unit; for free_flyer.', minimum=2, maximum=20
    )
    base_criterion: str = parameter(
        'V1',
        'What the motion of the base is planned by: the condition number (V1) or the information '
        '(V2) of Ekal and Ventura.',
        choices=('V1', 'V2'),
    )
    base_distance: float = parameter(
        0.5,
        'Largest distance of the base from its start along each axis, m.',
        minimum=0.01,
        read_only=True,
    )
    base_angle: float = parameter(
        0.8,
        'Largest angle of the base about each axis from its start, rad.',
        minimum=0.01,
        maximum=1.5,
        read_only=True,
    )
    base_speed: float = parameter(
        0.5, 'Largest speed of the base along each axis, m/s.', minimum=1e-3, read_only=True
    )
    base_acceleration: float = parameter(
        0.25,
        'Largest acceleration of the base along each axis, m/s^2.',
        minimum=1e-4,
        read_only=True,
    )
    base_angular_rate: float = parameter(
        1.0, 'Largest rate of each angle of the base, rad/s.', minimum=1e-3, read_only=True
    )
    base_angular_acceleration: float = parameter(
        1.0,
        'Largest acceleration of each angle of the base, rad/s^2.',
        minimum=1e-4,
        read_only=True,
    )
    tracking: str = parameter(
        'saturated',
        'Control of the base: computed wrench cut to the limits, or predictive control (nmpc), '
        'which needs CasADi.',
        choices=('saturated', 'nmpc'),
        read_only=True,
    )
    filter_time: float = parameter(
        0.5,
        'Time over which measured poses are smoothed for the control of the base, s.',
        minimum=0.0,
        maximum=60.0,
        read_only=True,
    )
    stray_distance: float = parameter(
        0.5,
        'Distance of the base from where it should be at which the motion is stopped, m.',
        minimum=0.01,
        read_only=True,
    )

    def limits_of_base(self) -> FreeFlyerLimits:
        """Return how far the base may go."""
        return FreeFlyerLimits(
            distance=self.base_distance,
            angle=self.base_angle,
            speed=self.base_speed,
            acceleration=self.base_acceleration,
            angular_rate=self.base_angular_rate,
            angular_acceleration=self.base_angular_acceleration,
        )

    def criterion_of_base(self) -> FreeFlyerCriterion:
        """Return what the motion of the base is planned by."""
        return FreeFlyerCriterion(self.base_criterion)

"""Settings of the planner as they are declared: keys of files, parameters of the node.

They are flat there, as ROS has them; ``search`` nests them as the core uses them.
"""

from dataclasses import dataclass, fields

import numpy as np

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.constraint.keep_in_box import FreeFlyerLimits, KeepInBox
from spacerobot_id.excitation.constraint.limit_set import LimitSettings
from spacerobot_id.excitation.family.motion_family import family_named, family_names, name_of
from spacerobot_id.excitation.motion_search import MOST_INTERVALS
from spacerobot_id.excitation.planner_settings import (
    BasePlanSettings,
    CriterionName,
    PlanCriterionSettings,
    PlannerSettings,
)
from spacerobot_id.excitation.trajectory.cycloids import LARGEST_PLATEAU
from spacerobot_id.methods.settings import CountedSettings
from spacerobot_id.settings import parameter

_BASE_CRITERIA = {
    'V1': PlanCriterionSettings(CriterionName.NORMALISED_CONDITION, level_weight=10.0),
    'V2': PlanCriterionSettings(CriterionName.DETERMINANT),
}
"""The criteria of [Ekal 2019], Eqs. 21 and 22, with its weight of levels."""


_DEFAULT = PlannerSettings()
"""Where the defaults stand."""


@dataclass(frozen=True)
class SearchParameters:
    """Motion, criterion, limits, effort; each has its own description."""

    family: str = parameter(
        name_of(_DEFAULT.family),
        'Motions to choose from; automatic: cycloids, or Fourier series where the robot turns '
        'with a known momentum or its base is what moves; no unit.',
        choices=family_names,
    )
    criterion: str = parameter(
        _DEFAULT.criterion.name.value,
        'What a motion is judged by; no unit.',
        choices=tuple(each.value for each in CriterionName),
    )
    of_interest: tuple[str, ...] = parameter(
        _DEFAULT.criterion.of_interest,
        'Links or minimal parameters that the criterion deviation counts, all if empty; no unit.',
    )
    intervals: int = parameter(
        _DEFAULT.intervals,
        'Intervals of the exciting motion; no unit.',
        minimum=1,
        maximum=MOST_INTERVALS,
    )
    interval: float = parameter(
        _DEFAULT.interval,
        'Duration of one interval, s; chosen from the limits if 0.',
        minimum=0.0,
        maximum=600.0,
    )
    duration: float = parameter(
        _DEFAULT.duration,
        'Duration of the whole motion, s, met exactly: as many intervals as fit are stretched to '
        'fill it; that of all intervals if 0.',
        minimum=0.0,
        maximum=100_000.0,
    )
    plateau: float = parameter(
        _DEFAULT.plateau,
        'Share of each interval of cycloids at constant rate, between the halves of the cycloid: '
        'more shows at the same largest rate; no unit.',
        minimum=0.0,
        maximum=LARGEST_PLATEAU,
    )
    harmonics: int = parameter(
        _DEFAULT.harmonics, 'Harmonics of Fourier motions; no unit.', minimum=2, maximum=50
    )
    signal_weight: float = parameter(
        _DEFAULT.criterion.signal_weight,
        'Weight of weak signals beside the condition number (w of Eq. 32 of the momentum paper), '
        '(rad/s)^2.',
        minimum=0.0,
    )
    level_weight: float = parameter(
        _DEFAULT.criterion.level_weight,
        'Weight of the levels of the motion in the criterion normalised-condition, 1/rad.',
        minimum=0.0,
    )
    worst_share: float = parameter(
        _DEFAULT.criterion.worst_share,
        'Share of the criterion deviation that goes to the worst parameter; no unit.',
        minimum=0.0,
        maximum=1.0,
    )
    base_rate_limit: float = parameter(
        0.0,
        'Largest angular velocity of the base, rad/s; none if 0. It holds for the prior and for '
        'the robots of prior_draws: with none of these the true base may turn faster.',
        minimum=0.0,
        read_only=True,
    )
    base_excursion_limit: float = parameter(
        0.0,
        'Largest angle of the base from its attitude at the start, rad; none if 0. It holds for '
        'the prior and for the robots of prior_draws, as the rate.',
        minimum=0.0,
        read_only=True,
    )
    keep_in_frame: str = parameter(
        '',
        'Frame of the robot, an end-effector, that stays in a box; none if empty; no unit.',
        read_only=True,
    )
    keep_in_lower: tuple[float, ...] = parameter(
        (),
        'Lower corner of that box in the axes of the base link from its origin, m.',
        lengths=(0, 3),
        read_only=True,
    )
    keep_in_upper: tuple[float, ...] = parameter(
        (),
        'Upper corner of that box in the axes of the base link from its origin, m.',
        lengths=(0, 3),
        read_only=True,
    )
    clearance: float = parameter(
        _DEFAULT.limits.clearance,
        'Least distance of the collision shapes of links that are no neighbours, m; not looked at '
        'if negative.',
        read_only=True,
    )
    planar: bool = parameter(
        _DEFAULT.limits.planar,
        'Whether the base can only move along x and y and turn about z, as on an air-bearing '
        'table.',
        read_only=True,
    )
    u_max: int = parameter(
        _DEFAULT.u_max,
        'Intervals in a row that pruning keeps though they add nothing, less one (family seeds); '
        'no unit.',
        minimum=0,
    )
    delta: float = parameter(
        _DEFAULT.delta,
        'Share of the largest singular value above which one is significant (family seeds); no '
        'unit.',
        minimum=0.0,
        maximum=1.0,
    )
    draws: int = parameter(_DEFAULT.draws, 'Motions drawn at random; no unit.', minimum=1)
    restarts: int = parameter(
        _DEFAULT.restarts,
        'How many of the best draws are followed downhill, the better half of them further, and '
        'so on until one is left; no unit.',
        minimum=0,
    )
    iterations: int = parameter(
        _DEFAULT.iterations, 'Most iterations of the optimiser each time; no unit.', minimum=1
    )
    prior_draws: int = parameter(
        _DEFAULT.prior_draws,
        'Robots like the prior that are planned for together with it, limits of the base '
        'included; no unit.',
        minimum=0,
        maximum=100,
    )
    prior_spread: float = parameter(
        _DEFAULT.prior_spread,
        'How far these are from the prior, as a share; 1 is 100 %.',
        minimum=0.0,
        maximum=2.0,
    )
    seed: int = parameter(
        _DEFAULT.seed, 'Seed of the draws; the same seed gives the same plan; no unit.', minimum=0
    )
    start_tolerance: float = parameter(
        _DEFAULT.start_tolerance,
        'Distance beyond its limits at which a joint may start, rad or m.',
        minimum=0.0,
        maximum=0.5,
        read_only=True,
    )
    counted: CountedSettings = CountedSettings()
    base_period: float = parameter(
        _DEFAULT.base.period,
        'Period of the motion of the base, s; for free_flyer.',
        minimum=1.0,
        maximum=3600.0,
    )
    base_cycles: int = parameter(
        _DEFAULT.base.cycles,
        'Periods that the base moves; no unit; for free_flyer.',
        minimum=1,
        maximum=1000,
    )
    base_harmonics: int = parameter(
        _DEFAULT.base.harmonics,
        'Harmonics of the motion of the base; no unit; for free_flyer.',
        minimum=2,
        maximum=20,
    )
    base_criterion: str = parameter(
        'V1',
        'What the motion of the base is planned by: the condition number (V1) or the information '
        '(V2) of Ekal and Ventura; as criterion if empty.',
        choices=(*_BASE_CRITERIA, ''),
    )
    base_distance: float = parameter(
        _DEFAULT.base.limits.distance,
        'Largest distance of the base from its start along each axis, m.',
        minimum=0.01,
        read_only=True,
    )
    base_angle: float = parameter(
        _DEFAULT.base.limits.angle,
        'Largest angle of the base about each axis from its start, rad.',
        minimum=0.01,
        maximum=1.5,
        read_only=True,
    )
    base_speed: float = parameter(
        _DEFAULT.base.limits.speed,
        'Largest speed of the base along each axis, m/s.',
        minimum=1e-3,
        read_only=True,
    )
    base_acceleration: float = parameter(
        _DEFAULT.base.limits.acceleration,
        'Largest acceleration of the base along each axis, m/s^2.',
        minimum=1e-4,
        read_only=True,
    )
    base_angular_rate: float = parameter(
        _DEFAULT.base.limits.angular_rate,
        'Largest rate of each angle of the base, rad/s.',
        minimum=1e-3,
        read_only=True,
    )
    base_angular_acceleration: float = parameter(
        _DEFAULT.base.limits.angular_acceleration,
        'Largest acceleration of each angle of the base, rad/s^2.',
        minimum=1e-4,
        read_only=True,
    )

    def search(self) -> PlannerSettings:
        """Return what the search for a plan may choose.

        Raises
        ------
        ConfigurationError
            If a box to keep in is not whole; names what it lacks.
        """
        nested = ('family', 'criterion', 'limits', 'base')
        plain = [each.name for each in fields(PlannerSettings) if each.name not in nested]
        return PlannerSettings(
            family=family_named(self.family),
            criterion=PlanCriterionSettings(
                CriterionName(self.criterion),
                self.signal_weight,
                self.level_weight,
                self.worst_share,
                self.of_interest,
            ),
            limits=LimitSettings(  # 0 stands for none, as ROS knows no infinity
                self.base_rate_limit or np.inf,
                self.base_excursion_limit or np.inf,
                self._boxes(),
                self.clearance,
                self.planar,
            ),
            base=BasePlanSettings(
                self.base_period,
                self.base_cycles,
                self.base_harmonics,
                FreeFlyerLimits(
                    self.base_distance,
                    self.base_angle,
                    self.base_speed,
                    self.base_acceleration,
                    self.base_angular_rate,
                    self.base_angular_acceleration,
                ),
                _BASE_CRITERIA.get(self.base_criterion),
            ),
            **{name: getattr(self, name) for name in plain},
        )

    def _boxes(self) -> tuple[KeepInBox, ...]:
        """Return the box to keep in, if there is one."""
        corners = {'keep_in_lower': self.keep_in_lower, 'keep_in_upper': self.keep_in_upper}
        if not self.keep_in_frame:
            for key in (key for key, corner in corners.items() if corner):
                raise ConfigurationError(f'{key}: means nothing without keep_in_frame')
            return ()
        for key, corner in corners.items():
            if not corner:
                raise ConfigurationError(f'{key}: three numbers are needed with keep_in_frame')
        return (KeepInBox(self.keep_in_frame, *corners.values()),)

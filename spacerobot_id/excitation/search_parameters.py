"""What a search for a plan can be told: keys of files, parameters of the node ``planner``."""

from dataclasses import dataclass, fields

import numpy as np

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.interval_choice import MOST_INTERVALS
from spacerobot_id.excitation.keep_in_box import KeepInBox
from spacerobot_id.excitation.limit_set import LimitSettings
from spacerobot_id.excitation.planner_settings import (
    CriterionName,
    FamilyName,
    PlanCriterionSettings,
    PlannerSettings,
)
from spacerobot_id.settings import parameter


@dataclass(frozen=True)
class SearchParameters:
    """Motion, criterion, limits, effort; each says itself what it is."""

    family: str = parameter(
        FamilyName.CYCLOIDS.value,
        'Motions to choose from; no unit.',
        choices=tuple(each.value for each in FamilyName),
    )
    criterion: str = parameter(
        CriterionName.DEVIATION.value,
        'What a motion is judged by; no unit.',
        choices=tuple(each.value for each in CriterionName),
    )
    of_interest: tuple[str, ...] = parameter(
        (),
        'Links or minimal parameters that the criterion deviation counts, all if empty; no unit.',
    )
    intervals: int = parameter(
        67, 'Intervals of the exciting motion; no unit.', minimum=1, maximum=MOST_INTERVALS
    )
    interval: float = parameter(
        0.0,
        'Duration of one interval, s; chosen from the limits if 0.',
        minimum=0.0,
        maximum=600.0,
    )
    duration: float = parameter(
        0.0,
        'Duration of the whole motion, s, met exactly: as many intervals as fit are stretched to '
        'fill it; that of all intervals if 0.',
        minimum=0.0,
        maximum=100_000.0,
    )
    harmonics: int = parameter(5, 'Harmonics of Fourier motions; no unit.', minimum=2, maximum=50)
    signal_weight: float = parameter(
        0.01,
        'Weight of weak signals beside the condition number (w of Eq. 32 of the momentum paper), '
        '(rad/s)^2.',
        minimum=0.0,
    )
    level_weight: float = parameter(
        1.0,
        'Weight of the levels of the motion in the criterion normalised-condition, 1/rad.',
        minimum=0.0,
    )
    worst_share: float = parameter(
        0.25,
        'Share of the criterion deviation that goes to the worst parameter; no unit.',
        minimum=0.0,
        maximum=1.0,
    )
    base_rate_limit: float = parameter(
        0.0, 'Largest angular velocity of the base, rad/s; none if 0.', minimum=0.0, read_only=True
    )
    base_excursion_limit: float = parameter(
        0.0,
        'Largest angle of the base from its attitude at the start, rad; none if 0.',
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
        0.0,
        'Least distance of the collision shapes of links that are no neighbours, m; not looked at '
        'if negative.',
        read_only=True,
    )
    planar: bool = parameter(
        False,
        'Whether the base can only move along x and y and turn about z, as on an air-bearing '
        'table.',
        read_only=True,
    )
    u_max: int = parameter(
        5,
        'Intervals in a row that pruning keeps though they add nothing, less one (family seeds); '
        'no unit.',
        minimum=0,
    )
    delta: float = parameter(
        1.0 / 300.0,
        'Share of the largest singular value above which one is significant (family seeds); no '
        'unit.',
        minimum=0.0,
        maximum=1.0,
    )
    draws: int = parameter(50, 'Motions drawn at random; no unit.', minimum=1)
    restarts: int = parameter(
        4,
        'How many of the best draws are followed downhill, the better half of them further, and '
        'so on until one is left; no unit.',
        minimum=0,
    )
    iterations: int = parameter(
        60, 'Most iterations of the optimiser each time; no unit.', minimum=1
    )
    prior_draws: int = parameter(
        0,
        'Robots like the prior that are planned for together with it; no unit.',
        minimum=0,
        maximum=100,
    )
    prior_spread: float = parameter(
        0.3, 'How far these are from the prior, as a share; 1 is 100 %.', minimum=0.0, maximum=2.0
    )
    seed: int = parameter(
        0, 'Seed of the draws; the same seed gives the same plan; no unit.', minimum=0
    )
    start_tolerance: float = parameter(
        0.01,
        'Distance beyond its limits at which a joint may start, rad or m.',
        minimum=0.0,
        maximum=0.5,
        read_only=True,
    )

    def search(self) -> PlannerSettings:
        """Return what the search for a plan may choose.

        Raises
        ------
        ConfigurationError
            If a box to keep in is not whole; names what it lacks.
        """
        nested = ('family', 'criterion', 'limits')
        plain = [each.name for each in fields(PlannerSettings) if each.name not in nested]
        return PlannerSettings(
            family=FamilyName(self.family),
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

"""Settings of a planner: motion, criterion, limits, effort."""

from dataclasses import dataclass, field
from enum import Enum

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.constraint.keep_in_box import FreeFlyerLimits
from spacerobot_id.excitation.constraint.limit_set import LimitSettings
from spacerobot_id.excitation.family.motion_family import FamilyName
from spacerobot_id.methods.settings import CountedSettings
from spacerobot_id.settings import parameter

GRID = 0.05
"""Spacing of the times at which valves open and close, s."""

SEGMENT = 2.0
"""Duration of the segments that pulses are drawn for, s."""


@dataclass(frozen=True)
class ThrustParameters:
    """Pulses, valves open at once, and where the base may go; each has its own description."""

    shortest_pulse: float = parameter(
        0.1,
        'Shortest time that a thruster is opened for, s, in steps of 0.05 s; for robots with '
        'thrusters and momentum_balance, as all of the thrusters.',
        minimum=0.05,
        maximum=10.0,
        read_only=True,
    )
    longest_pulse: float = parameter(
        0.5,
        'Longest time that a thruster is opened for, s.',
        minimum=0.05,
        maximum=10.0,
        read_only=True,
    )
    most_valves: int = parameter(
        2, 'Most thrusters that are open at once; no unit.', minimum=1, read_only=True
    )
    thrust_box: tuple[float, ...] = parameter(
        (0.5, 0.5, 0.5),
        'How far the base may go from where it starts along each inertial axis, m.',
        lengths=(3,),
        read_only=True,
    )
    thrust_rate_limit: float = parameter(
        0.3,
        'Largest angular velocity of the base that thrusters are to give it, rad/s.',
        minimum=1e-3,
        read_only=True,
    )
    command_lead: float = parameter(
        1.0,
        'Time by which commands of thrusters are sent before they hold, s; what has been sent is '
        'carried out even when the motion is stopped.',
        minimum=0.05,
        maximum=5.0,
        read_only=True,
    )


def check_thrust(parameters: ThrustParameters) -> None:
    """Raise ConfigurationError if no pulse is possible, or the box has no room."""
    shortest, longest = parameters.shortest_pulse, parameters.longest_pulse
    if shortest > longest:
        raise ConfigurationError(
            f'shortest_pulse: {shortest:g} s is above longest_pulse, {longest:g}'
        )
    if shortest > SEGMENT - GRID:
        raise ConfigurationError(f'shortest_pulse: must be below {SEGMENT - GRID:g} s')
    if min(parameters.thrust_box) <= 0.0:
        raise ConfigurationError('thrust_box: every number must be above zero')


class CriterionName(Enum):
    """What a motion is judged by."""

    DEVIATION = 'deviation'
    CONDITION = 'condition'
    SCALED_CONDITION = 'scaled-condition'
    CONDITION_AND_SIGNAL = 'condition-and-signal'
    NORMALISED_CONDITION = 'normalised-condition'
    DETERMINANT = 'determinant'


PLAIN_CRITERIA = frozenset(
    {CriterionName.CONDITION, CriterionName.SCALED_CONDITION, CriterionName.CONDITION_AND_SIGNAL}
)
"""Those of the plain regressor, whatever the noise."""


@dataclass(frozen=True)
class PlanCriterionSettings:
    """What is to be small.

    Parameters
    ----------
    name : CriterionName
        Criterion.
    signal_weight : float
        Weight ``w`` of weak signals ([Naveen 2024] Eq. 32), (rad/s)^2.
    level_weight : float
        Weight ``q`` of the levels of the motion ([Ekal 2019] Eq. 21), 1/rad.
    worst_share : float
        Share of the deviation criterion that goes to the worst parameter, 0 to 1.
    of_interest : tuple of str
        Links or minimal parameters that the deviation criterion counts; all if empty.
    """

    name: CriterionName = CriterionName.DEVIATION
    signal_weight: float = 0.01
    level_weight: float = 1.0
    worst_share: float = 0.25
    of_interest: tuple[str, ...] = ()


@dataclass(frozen=True)
class BasePlanSettings:
    """Motions of the base of a free-flyer.

    Parameters
    ----------
    period : float
        Period of a Fourier motion, duration of any other, s.
    cycles : int
        Periods that a periodic motion lasts.
    harmonics : int
        Number of harmonics.
    limits : FreeFlyerLimits
        How far the base may go.
    criterion : PlanCriterionSettings, optional
        What is to be small; the criterion of the planner's settings if None.
    """

    period: float = 10.0
    cycles: int = 10
    harmonics: int = 3
    limits: FreeFlyerLimits = field(default_factory=FreeFlyerLimits)
    criterion: PlanCriterionSettings | None = PlanCriterionSettings(
        CriterionName.NORMALISED_CONDITION, level_weight=10.0
    )


@dataclass(frozen=True)
class PlannerSettings:
    """What the planner may choose.

    Parameters
    ----------
    family : FamilyName or str
        Motions to choose from.
    criterion : PlanCriterionSettings
        What is to be small.
    limits : LimitSettings
        Limits beside those of the robot's description.
    base : BasePlanSettings
        Motions of the base where that is what moves: their limits, duration and harmonics.
    intervals : int
        Number of intervals of cycloids.
    interval : float
        Duration of one interval, s; chosen from the limits if 0.
    duration : float
        Duration of the whole motion, s, of as many intervals as fit, stretched to fill it; of
        ``intervals`` if 0.
    plateau : float
        Share of each interval of cycloids at constant rate, from 0 to 0.9.
    harmonics : int
        Number of harmonics of Fourier motions, which last the duration, or as long as the
        intervals together.
    u_max : int
        Intervals in a row that pruning keeps though they add nothing, less one (seeds only).
    delta : float
        Share of the largest singular value above which one is significant (seeds only).
    draws, restarts, iterations : int
        Effort: motions drawn, how many of the best are followed downhill, iterations for each;
        the better half is followed further with as many, and so on until one is left.
    prior_draws : int
        Robots that the prior might be, drawn and planned for along with the prior itself.
    prior_spread : float
        How far they are from the prior, see ``draw_robot``.
    start_tolerance : float
        How far beyond its limits a joint may be at the start, rad or m: what encoders' noise and
        a controller leave.
    seed : int
        Seed of all draws; the same seed gives the same plan.
    counted : CountedSettings
        What is known of the robot before, and which errors of sensors, geometry and thrusters the
        identification estimates beside the parameters.
    """

    family: FamilyName | str = FamilyName.AUTOMATIC
    criterion: PlanCriterionSettings = field(default_factory=PlanCriterionSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    base: BasePlanSettings = field(default_factory=BasePlanSettings)
    intervals: int = 67
    interval: float = 0.0
    duration: float = 0.0
    plateau: float = 0.0
    harmonics: int = 5
    u_max: int = 5
    delta: float = 1.0 / 300.0
    draws: int = 50
    restarts: int = 4
    iterations: int = 60
    prior_draws: int = 0
    prior_spread: float = 0.3
    start_tolerance: float = 0.01
    seed: int = 0
    counted: CountedSettings = CountedSettings()

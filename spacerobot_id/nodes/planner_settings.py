"""The parameters of the node ``planner``."""

from dataclasses import asdict, dataclass

from spacerobot_id.excitation import CriterionName, FamilyName, PlannerSettings
from spacerobot_id.excitation.settings_file import settings_from_mapping
from spacerobot_id.nodes.free_flyer_settings import FreeFlyerSettings
from spacerobot_id.nodes.parameters import parameter


@dataclass(frozen=True)
class PlannerNodeSettings(FreeFlyerSettings):
    """Parameters of the planner; each says itself what it is."""

    robot: str = parameter(
        '',
        'Path of the URDF of the prior model, its YAML file beside it; no unit.',
        read_only=True,
    )
    method: str = parameter(
        'momentum',
        'What the motion is for, as the method of the estimator; with angular_momentum and '
        'equations_of_motion the robot turns with a known angular momentum, with free_flyer the '
        'base is moved by base_wrench; no unit.',
        choices=('momentum', 'angular_momentum', 'equations_of_motion', 'free_flyer'),
        read_only=True,
    )
    known_angular_momentum: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0),
        'Angular momentum of the robot about its centre of mass in inertial axes, N m s; for '
        'angular_momentum.',
        read_only=True,
    )
    trust_zeros: bool = parameter(
        False,
        'Whether parameters that are exactly zero in the description are zero; for '
        'angular_momentum.',
        read_only=True,
    )
    plan_file: str = parameter(
        '',
        'Path of a plan to execute in place of planning; it is planned if empty; no unit.',
        read_only=True,
    )
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
        67, 'Intervals of the exciting motion; no unit.', minimum=1, maximum=10_000
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
        0.0, 'Largest angular velocity of the base, rad/s; none if 0.', minimum=0.0
    )
    base_excursion_limit: float = parameter(
        0.0,
        'Largest angle of the base from its attitude at the start, rad; none if 0.',
        minimum=0.0,
    )
    keep_in_frame: str = parameter(
        '', 'Frame of the robot, an end-effector, that stays in a box; none if empty; no unit.'
    )
    keep_in_lower: tuple[float, ...] = parameter(
        (), 'Lower corner of that box in the axes of the base link from its origin, m.'
    )
    keep_in_upper: tuple[float, ...] = parameter(
        (), 'Upper corner of that box in the axes of the base link from its origin, m.'
    )
    clearance: float = parameter(
        0.0,
        'Least distance of the collision shapes of links that are no neighbours, m; not looked at '
        'if negative.',
    )
    planar: bool = parameter(
        False,
        'Whether the base can only move along x and y and turn about z, as on an air-bearing '
        'table.',
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
        4, 'How many of the best draws are followed downhill; no unit.', minimum=0
    )
    iterations: int = parameter(
        60, 'Most iterations of the optimiser per restart; no unit.', minimum=1
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
    )
    replan_from_estimate: bool = parameter(
        False,
        'Whether the estimate of the node estimator is planned with, so that what it knows least '
        'is excited most.',
    )
    wanted_std: float = parameter(
        0.0,
        'Relative standard deviation below which a parameter of interest is known well enough, so '
        'that no motion is planned when all are; 1 is 100 %, never if 0.',
        minimum=0.0,
    )
    point_spacing: float = parameter(
        0.1,
        'Largest time between the points of the trajectories sent, s.',
        minimum=0.01,
        maximum=10.0,
    )
    tracking_delay: float = parameter(
        0.5,
        'Time at its largest rate by which an actuator may be off before the motion is stopped, '
        's.',
        minimum=0.05,
        maximum=60.0,
        read_only=True,
    )

    def search(self) -> PlannerSettings:
        """Return what the search for a plan may choose."""
        return settings_from_mapping(asdict(self))

"""The parameters of the node ``planner``."""

from dataclasses import dataclass

from spacerobot_id.excitation.free_flyer_settings import FreeFlyerSettings
from spacerobot_id.excitation.search_parameters import SearchParameters
from spacerobot_id.settings import NodeSettings, parameter


@dataclass(frozen=True)
class PlannerNodeSettings(SearchParameters, FreeFlyerSettings, NodeSettings):
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
        lengths=(3,),
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

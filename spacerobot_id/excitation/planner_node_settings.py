"""The parameters of the node ``planner``, and the planner's settings from a file of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner_settings import PlannerSettings, ThrustParameters
from spacerobot_id.excitation.search_parameters import SearchParameters
from spacerobot_id.methods.registry import method_names
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum
from spacerobot_id.settings import (
    DescriptionSettings,
    NodeSettings,
    own_parameters,
    parameter,
    settings_from_values,
)


@dataclass(frozen=True)
class PlannerNodeSettings(ThrustParameters, SearchParameters, NodeSettings):
    """Parameters of the planner; each has its own description."""

    robot: str = parameter(
        '',
        'Path of the URDF of the prior model; robot_description takes it from that topic.',
        read_only=True,
    )
    description: DescriptionSettings = DescriptionSettings()
    adapter: str = parameter(
        '',
        'Adapter that states on which topics, and as what, the bed publishes and takes commands: '
        'a file, or the name of one that comes with the package; our own topics if empty.',
        read_only=True,
    )
    method: str = parameter(
        'momentum',
        'What the motion is for, as the method of the estimator: with methods of angular '
        'momentum the robot turns with a known one, with those of one body the base is moved by '
        'base_wrench.',
        choices=method_names,
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
    send_whole: bool = parameter(
        False,
        'Whether a motion is sent as one trajectory, which controllers follow to its end whatever '
        'becomes of the planner; from rest to rest, interval by interval, otherwise.',
    )
    tracking_delay: float = parameter(
        0.5,
        'Time at its largest rate by which an actuator may be off before the motion is stopped, '
        's.',
        minimum=0.05,
        maximum=60.0,
        read_only=True,
    )
    start_timeout: float = parameter(
        5.0,
        'Time in which joints and wheels have to leave rest after a plan is sent, s; the motion '
        'is followed from when they do.',
        minimum=0.1,
        maximum=600.0,
    )
    still_reach: float = parameter(
        3.15,
        'Distance from where joint_states have them at which joints and wheels may be, rad or m, '
        'while these repeat exactly, as those of a robot that is perfectly still do, and those '
        'that are frozen: a motion waits at its start for as long as actuators take from there '
        'within their limits; not at all if 0.',
        minimum=0.0,
        maximum=100.0,
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
        'Distance of the base from where it should be, or beyond thrust_box, at which the motion '
        'is stopped, m.',
        minimum=0.01,
        read_only=True,
    )


KEYS = tuple(own_parameters(SearchParameters))
"""Names of the settings in files and on the node."""

REQUEST_KEYS = (*KEYS, 'method', 'known_angular_momentum', 'trust_zeros')
"""Names of all settings of a plan, what it is for among them."""


@dataclass(frozen=True)
class PlanRequest:
    """What is to be planned.

    Parameters
    ----------
    settings : PlannerSettings
        What the planner may choose.
    method : str
        Method that the motion is for; empty if none is named.
    momentum : KnownMomentum, optional
        Angular momentum that the robot turns with; None if none is named.
    """

    settings: PlannerSettings = PlannerSettings()
    method: str = ''
    momentum: KnownMomentum | None = None

    @property
    def chosen_method(self) -> str:
        """The method, or the one that goes with the momentum."""
        return self.method or ('momentum' if self.momentum is None else 'angular_momentum')


def load_plan_request(path: str | Path) -> PlanRequest:
    """Return what a YAML file asks for.

    Parameters
    ----------
    path : str or Path
        File with settings of the planner as keys, or a parameter file of the nodes, of which the
        planner's part is taken.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or a key is unknown or has no value it can have.
    """
    from spacerobot_id.settings.parameter_file import values_from_file

    values = values_from_file(path, 'planner', REQUEST_KEYS, own_parameters(PlannerNodeSettings))
    try:
        return request_from_mapping(values)
    except ConfigurationError as error:
        raise ConfigurationError(f'{path}: {error}') from error


def request_from_mapping(values: Mapping[str, object]) -> PlanRequest:
    """Return what values by the names of the node's parameters, ``REQUEST_KEYS``, ask for.

    Raises
    ------
    ConfigurationError
        If a value is not of its kind or out of its range; names the key.
    """
    node = settings_from_values(PlannerNodeSettings, values)
    is_turning = any(node.known_angular_momentum) or node.trust_zeros
    momentum = KnownMomentum(node.known_angular_momentum, trust_zeros=node.trust_zeros)
    method = node.method if 'method' in values else ''
    return PlanRequest(node.search(), method, momentum if is_turning else None)

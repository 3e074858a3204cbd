"""What a campaign flies if nothing is drawn: start, grasp and faults of its file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal

from annotated_types import Len
import numpy as np

from spacerobot_id.estimation.settings import IdentifySettings, settings_from_mapping
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner_settings import (
    check_thrust,
    PlannerSettings,
    ThrustParameters,
)
from spacerobot_id.excitation.search_parameters import SearchParameters
from spacerobot_id.flight.recording import FlightSettings, Grasp
from spacerobot_id.lab.campaign.draws.dispersions import RunSetting, Start
from spacerobot_id.lab.faults import BY_KEY, HELD, Occurrence, SENSORS
from spacerobot_id.model import inertia_from_elements, InertialParameters, RobotModel
from spacerobot_id.settings import own_parameters, settings_from_values
from spacerobot_id.settings.kinds import (
    Finite,
    Flag,
    KeyedError,
    keys,
    Number,
    Positive,
    ReadFrom,
    Share,
    Vector,
)
from spacerobot_id.simulation import ManoeuvringMode, Payload
from spacerobot_id.simulation.dynamic.plant import with_body


@dataclass(frozen=True)
class PlanSource:
    """Where the motion comes from.

    Parameters
    ----------
    settings : PlannerSettings
        Settings of the planner.
    each_run : bool
        Whether each run is planned for alone.
    file : str
        File of a plan instead; none if empty.
    """

    settings: PlannerSettings
    each_run: bool = False
    file: str = ''


def flight_settings(given: Mapping[str, Any], prior: RobotModel) -> FlightSettings:
    """Return how runs are flown."""
    thrust = given.get('thrust')
    if thrust is not None and not prior.thrusters:
        raise KeyedError(('thrust',), f'{prior.name} has no thrusters')
    usual = ManoeuvringMode.ROTATION_FLOATING if thrust is None else ManoeuvringMode.FLYING
    mode = given.get('mode', usual)
    if prior.wheels and not mode.properties.drives_wheels:
        reason = f'{mode.value} does not drive the wheels, which the plan moves'
        raise KeyedError(('mode' if 'mode' in given else 'thrust',), reason)
    return FlightSettings(
        noise=given.get('noise', True),
        mode=mode,
        planar=given.get('planar', False),
        thrust=thrust,
    )


def _thrust(values: Mapping[str, object]) -> ThrustParameters:
    parameters = settings_from_values(ThrustParameters, values)
    check_thrust(parameters)
    return parameters


def _plan(values: Mapping[str, Any]) -> PlanSource:
    if 'file' in values:
        if len(values) > 1:
            raise ConfigurationError('file stands alone: nothing is planned')
        return PlanSource(PlannerSettings(), file=values['file'])
    settings = settings_from_values(SearchParameters, values).search()
    return PlanSource(settings, values.get('each_run', False))


def _identify(values: Mapping[str, object]) -> IdentifySettings:
    settings = settings_from_mapping(values)
    settings.method_type()
    return settings


def _made(make: Callable[[Any], object], values: Mapping[str, object]) -> object:
    """Return settings from values, or why there are none as pydantic takes it."""
    try:
        return make(values)
    except ConfigurationError as error:
        raise ValueError(str(error)) from None


def _settings(kind: type, make: Callable[[Any], object], **others: object) -> Any:  # noqa: ANN401
    """Return settings by their keys, which are those of a settings class and others."""
    known = dict.fromkeys(own_parameters(kind), (Any, ''))
    of_others = {key: (each, '') for key, each in others.items()}
    return Annotated[Any, ReadFrom(keys('', known | of_others), partial(_made, make))]


PLAN = _settings(SearchParameters, _plan, each_run=Flag, file=str)
"""Where the motion comes from."""

THRUST = _settings(ThrustParameters, _thrust)
"""How thrusters fire."""

IDENTIFY = _settings(IdentifySettings, _identify)
"""The method and its settings."""


GRASP = keys(
    '',
    {
        'link': (str, 'Link that takes hold of the body.'),
        'time': (Positive, 'After the motion begins, s.'),
        'mass': (Positive, 'Mass, kg.'),
        'com': (Vector, 'Centre of mass in the frame of the link, m.'),
        'inertia': (
            Annotated[tuple[Finite, ...], Len(6, 6)],
            'Ixx, Iyy, Izz, Ixy, Iyz, Izx about it, kg m^2.',
        ),
    },
    *('link', 'time', 'mass', 'inertia'),
)
"""A body that joins the robot."""


def _fault(given: Mapping[str, Any]) -> Occurrence:
    fault = BY_KEY[given['fault']]
    if fault.size is None and 'size' in given:
        raise KeyedError(('size',), f'{fault.key} has none')
    if fault.size is not None and 'size' not in given:
        raise KeyedError(('size',), 'it is missing')
    stream = given.get('stream', '')
    if stream and (SENSORS | HELD)[stream] not in Occurrence(fault).kinds:
        raise KeyedError(('stream',), f'{fault.key} cannot happen to {stream}')
    return Occurrence(**({'begin': 0.0} | given | {'fault': fault}))


_FAULT_KEYS = {
    'fault': (Literal[tuple(BY_KEY)], 'What happens.'),
    'stream': (Literal[tuple(SENSORS | HELD)], 'Topic that alone is hit.'),
    'begin': (Number, 'After the motion begins, s.'),
    'duration': (Number, 'How long, s.'),
    'share': (Share, 'Share of the messages that are hit.'),
    'size': (Number, 'How large it is.'),
}
FAULT = Annotated[Occurrence, ReadFrom(keys('', _FAULT_KEYS, 'fault'), _fault)]
"""A fault of messages."""


def nominal_run(given: Mapping[str, Any], robot: RobotModel) -> RunSetting:
    """Return what is flown if nothing is drawn, from the keys of a campaign file."""
    start = given.get('start', Start())
    for name in start.joints:
        if name not in robot.joint_names:
            known = ', '.join(robot.joint_names)
            raise KeyedError(('start', 'joints', name), f'unknown key; known are {known}')
    start = replace(
        start, joints={name: start.joints.get(name, 0.0) for name in robot.joint_names}
    )
    grasp = _grasp(given['grasp'], robot) if 'grasp' in given else None
    return RunSetting(robot, start, grasp, given.get('faults', {}))


def _grasp(given: Mapping[str, Any], robot: RobotModel) -> Grasp:
    if given['link'] not in robot.frames:
        raise KeyedError(('grasp', 'link'), f'link {given["link"]!r} is unknown')
    com = np.array(given.get('com', (0.0, 0.0, 0.0)))
    body = InertialParameters.from_com(given['mass'], com, inertia_from_elements(given['inertia']))
    if not body.is_physical():
        raise KeyedError(('grasp', 'inertia'), '; '.join(body.defects()))
    payload = Payload(given['link'], body)
    with_body(robot, payload)
    return Grasp(payload, given['time'])

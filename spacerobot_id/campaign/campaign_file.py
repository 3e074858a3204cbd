"""Campaign files: what is flown, what is drawn, what is required; unknown keys are errors."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from spacerobot_id import __version__
from spacerobot_id.campaign.analysis.requirements import Requirement
from spacerobot_id.campaign.draws.dispersions import Design, Dispersion, Draws
from spacerobot_id.campaign.draws.faults import Fault, FAULTS, fits, STREAM_NAMES
from spacerobot_id.campaign.draws.keys import Key, known_keys
from spacerobot_id.campaign.draws.read_dispersions import read_dispersions
from spacerobot_id.campaign.draws.setting import RunSetting, Start, Vector
from spacerobot_id.campaign.read_requirements import read_requirements
from spacerobot_id.estimation.settings import IdentifySettings, settings_from_mapping
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.search_parameters import SearchParameters
from spacerobot_id.excitation.thrust_parameters import check_thrust, ThrustParameters
from spacerobot_id.model import (
    file_or_shipped,
    InertialParameters,
    robot_from_urdf_string,
    RobotModel,
    shipped_file,
    shipped_names,
)
from spacerobot_id.model.description.yaml_node import parse_yaml, YamlNode
from spacerobot_id.settings import own_parameters, settings_from_values
from spacerobot_id.simulation import ManoeuvringMode, Payload
from spacerobot_id.simulation.dynamic.payload import with_body
from spacerobot_id.studies.flight.recording import FlightSettings, Grasp

KEYS: Mapping[str, str] = {
    'description': 'A sentence for people.',
    'robot': 'URDF of the true robot as it is nominally, its YAML file beside it: a path from the '
    'folder of the campaign file, or the name of a robot that comes with the package.',
    'prior': 'URDF of the robot as planner, control and method know it; that of robot if missing.',
    'runs': 'Runs at most.',
    'seed': 'Seed of all that is drawn (0).',
    'design': 'How samples lie: independent (default), latin_hypercube or sobol.',
    'batch': 'Runs per file of results (50).',
    'stop': 'decided: when every requirement is (default); budget: after all runs.',
    'mode': 'Manoeuvring mode of the simulator (rotation-floating).',
    'planar': 'Whether a table holds the base in its plane (false).',
    'noise': 'Whether sensors have their noise and errors (true).',
    'plan': 'file: a plan of spacerobot-id plan; or settings of the planner by their keys, '
    'planned once for all runs, for each run anew with each_run: true.',
    'thrust': 'Settings of the firing of thrusters by their keys; none fire if missing.',
    'identify': 'Settings of the estimator by their keys, method among them.',
    'start': 'joints: positions by name; angular_momentum (N m s), linear_momentum (N s): three '
    'numbers in inertial axes; attitude: rotation vector, rad.',
    'grasp': 'Body that joins the robot: link, time (s after the motion begins), mass (kg), com '
    '(m, in the frame of the link), inertia (Ixx, Iyy, Izz, Ixy, Iyz, Izx about it, kg m^2).',
    'faults': 'Faults of messages by name: kind, stream, begin and duration (s), share, size (s).',
    'dispersions': 'What is drawn: keys, unit and one of value, change, factor with a '
    'distribution.',
    'requirements': 'What is required: require, share, confidence, name.',
}
"""Keys of a campaign file, and what they say."""

_ROBOTS, _CAMPAIGNS = 'config/robots', 'config/campaigns'
_MOST_RUNS = 10_000_000


@dataclass(frozen=True)
class CampaignInputs:
    """The texts that a campaign is made of, so that any worker has all of them.

    Parameters
    ----------
    source : str
        Name of the campaign file, for errors.
    campaign : str
        Text of the campaign file.
    robot_source, prior_source : str
        Names of the URDF files, for errors.
    robot, robot_yaml, prior, prior_yaml : str
        Texts of URDF and YAML files; empty where there is no YAML file.
    plan : str
        Text of the plan; empty if it is planned.
    runs : int
        Runs at most in place of what the file says; as it says if 0.
    """

    source: str
    campaign: str
    robot_source: str
    robot: str
    robot_yaml: str
    prior_source: str
    prior: str
    prior_yaml: str
    plan: str = ''
    runs: int = 0

    @property
    def digest(self) -> str:
        """Hash of all texts and the version of the package, less the name of the file."""
        content = asdict(self) | {'source': '', 'version': __version__}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class PlanSource:
    """Where the motion comes from.

    Parameters
    ----------
    settings : PlannerSettings
        Settings of the planner.
    each_run : bool
        Whether each run is planned for alone.
    """

    settings: PlannerSettings
    each_run: bool = False


@dataclass(frozen=True, eq=False)
class Campaign:
    """A campaign as its file says.

    Parameters
    ----------
    inputs : CampaignInputs
        Texts that it was made of.
    description : str
        Sentence for people.
    nominal : RunSetting
        What is flown if nothing is drawn.
    prior : RobotModel
        Robot as planner, control and method know it.
    plan : PlanSource
        Where the motion comes from.
    flight : FlightSettings
        Mode, table, thrusters, noise.
    identify : IdentifySettings
        Method and its settings.
    draws : Draws
        What is drawn.
    requirements : tuple of Requirement
        What is required.
    batch : int
        Runs per file of results.
    stops_when_decided : bool
        Whether it ends once all requirements are decided.
    """

    inputs: CampaignInputs
    description: str
    nominal: RunSetting
    prior: RobotModel
    plan: PlanSource
    flight: FlightSettings
    identify: IdentifySettings
    draws: Draws
    requirements: tuple[Requirement, ...]
    batch: int
    stops_when_decided: bool

    @property
    def runs(self) -> int:
        """Runs at most."""
        return self.draws.runs

    @cached_property
    def keys(self) -> dict[str, Key]:
        """Everything that can be drawn, by name."""
        return known_keys(self.nominal)


def campaign_inputs(name: str | Path) -> CampaignInputs:
    """Return the texts of a campaign file, and of the files that it names.

    Parameters
    ----------
    name : str or Path
        File, or the name of a campaign that comes with the package.

    Raises
    ------
    ConfigurationError, DescriptionError
        If a file is missing, or the campaign file does not name it; says which.
    """
    path = file_or_shipped(name, _CAMPAIGNS, 'campaign')
    text = path.read_text(encoding='utf-8')
    node = parse_yaml(text, path.name)
    entries = node.mapping(tuple(KEYS))
    robot = _robot_file(node.require('robot'), path.parent)
    prior = _robot_file(entries['prior'], path.parent) if 'prior' in entries else robot
    plan = entries['plan'].mapping() if 'plan' in entries else {}
    return CampaignInputs(
        path.name,
        text,
        robot.name,
        robot.read_text(encoding='utf-8'),
        _text_beside(robot),
        prior.name,
        prior.read_text(encoding='utf-8'),
        _text_beside(prior),
        _file(plan['file'], path.parent).read_text(encoding='utf-8') if 'file' in plan else '',
    )


def campaign_names() -> tuple[str, ...]:
    """Return the names of the campaigns that come with the package."""
    return shipped_names(_CAMPAIGNS)


def campaign_from_inputs(inputs: CampaignInputs) -> Campaign:
    """Return the campaign that some texts make.

    Raises
    ------
    DescriptionError, ConfigurationError
        If a key is unknown or missing, or has no value or unit that it can have; named.
    """
    node = parse_yaml(inputs.campaign, inputs.source)
    entries = node.mapping(tuple(KEYS))
    robot = _robot(inputs.robot, inputs.robot_yaml, inputs.robot_source)
    prior = _robot(inputs.prior, inputs.prior_yaml, inputs.prior_source)
    nominal = _nominal(entries, robot)
    keys = known_keys(nominal)
    dispersions: tuple[Dispersion, ...] = ()
    if 'dispersions' in entries:
        dispersions = read_dispersions(entries['dispersions'], keys)
    draws = Draws(
        dispersions,
        _chosen(entries, 'design', Design),
        inputs.runs or _whole(node.require('runs'), 1, _MOST_RUNS),
        _whole(entries['seed'], 0, 2**63) if 'seed' in entries else 0,
    )
    draws.check()
    flight = _flight(entries, prior)
    requirements = read_requirements(entries['requirements']) if 'requirements' in entries else ()
    stop = entries['stop'].string() if 'stop' in entries else 'decided'
    if stop not in ('decided', 'budget'):
        raise entries['stop'].place.error(f'must be decided or budget, got {stop!r}')
    return Campaign(
        inputs,
        entries['description'].string() if 'description' in entries else '',
        nominal,
        prior,
        _plan(entries),
        flight,
        _identify(entries),
        draws,
        requirements,
        _whole(entries['batch'], 1, 100_000) if 'batch' in entries else 50,
        stop == 'decided',
    )


def _robot(text: str, yaml_text: str, name: str) -> RobotModel:
    yaml_name = str(Path(name).with_suffix('.yaml'))
    return robot_from_urdf_string(text, name, yaml_text or None, yaml_name)


def _robot_file(node: YamlNode, folder: Path) -> Path:
    """Return the file of a robot: a path, or one that comes with the package."""
    name = node.string()
    path = folder / name
    if path.is_file():
        return path
    try:
        return shipped_file(f'{_ROBOTS}/{name}.urdf')
    except ConfigurationError:
        known = ', '.join(shipped_names(_ROBOTS))
        raise node.place.error(f'{name!r} is neither a file nor one of {known}') from None


def _text_beside(path: Path) -> str:
    beside = path.with_suffix('.yaml')
    return beside.read_text(encoding='utf-8') if beside.is_file() else ''


def _file(node: YamlNode, folder: Path) -> Path:
    path = folder / node.string()
    if not path.is_file():
        raise node.place.error(f'there is no file {path}')
    return path


def _whole(node: YamlNode, least: int, most: int) -> int:
    value = node.finite()
    if value != int(value) or not least <= value <= most:
        raise node.place.error(f'must be a whole number of {least} to {most}, got {value:g}')
    return int(value)


def _chosen(entries: Mapping[str, YamlNode], key: str, kind: type) -> Any:  # noqa: ANN401
    names = [each.value for each in kind]
    if key not in entries:
        return kind(names[0])
    value = entries[key].string()
    if value not in names:
        raise entries[key].place.error(f'must be one of {", ".join(names)}, got {value!r}')
    return kind(value)


def _nominal(entries: Mapping[str, YamlNode], robot: RobotModel) -> RunSetting:
    """Return what is flown if nothing is drawn."""
    start = Start((0.0,) * len(robot.joints))
    if 'start' in entries:
        start = _start(entries['start'], robot, start)
    grasp = _grasp(entries['grasp'], robot) if 'grasp' in entries else None
    faults = entries['faults'].mapping() if 'faults' in entries else {}
    return RunSetting(robot, start, grasp, {key: _fault(each) for key, each in faults.items()})


def _start(node: YamlNode, robot: RobotModel, start: Start) -> Start:
    entries = node.mapping(('joints', 'angular_momentum', 'linear_momentum', 'attitude'))
    if 'joints' in entries:
        given = entries['joints'].mapping(robot.joint_names)
        joints = tuple(
            given[name].finite() if name in given else 0.0 for name in robot.joint_names
        )
        start = replace(start, joints=joints)
    vectors = {key: _vector(each) for key, each in entries.items() if key != 'joints'}
    return replace(start, **vectors)


def _vector(node: YamlNode) -> Vector:
    return tuple(node.vector().tolist())


def _grasp(node: YamlNode, robot: RobotModel) -> Grasp:
    entries = node.mapping(('link', 'time', 'mass', 'com', 'inertia'))
    link = node.require('link').string()
    if link not in robot.frames:
        raise entries['link'].place.error(f'link {link!r} is unknown')
    numbers = [each.finite() for each in node.require('inertia').sequence()]
    if len(numbers) != 6:
        raise entries['inertia'].place.error('must be six numbers: Ixx, Iyy, Izz, Ixy, Iyz, Izx')
    xx, yy, zz, xy, yz, zx = numbers
    tensor = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    com = entries['com'].vector() if 'com' in entries else np.zeros(3)
    body = InertialParameters.from_com(node.require('mass').positive(), com, tensor)
    if not body.is_physical():
        raise entries['inertia'].place.error('; '.join(body.defects()))
    payload = Payload(link, body)
    with_body(robot, payload)
    return Grasp(payload, node.require('time').positive())


def _fault(node: YamlNode) -> Fault:
    entries = node.mapping(('kind', 'stream', 'begin', 'duration', 'share', 'size'))
    kind, stream = node.require('kind').string(), node.require('stream').string()
    if kind not in FAULTS:
        raise entries['kind'].place.error(f'must be one of {", ".join(FAULTS)}, got {kind!r}')
    if stream not in STREAM_NAMES:
        known = ', '.join(STREAM_NAMES)
        raise entries['stream'].place.error(f'must be one of {known}, got {stream!r}')
    if not fits(kind, stream):
        raise entries['kind'].place.error(f'{kind} cannot happen to {stream}')
    if 'size' in entries and not FAULTS[kind].has_size:
        raise entries['size'].place.error(f'{kind} has none')
    given = {key: entries[key].number() for key in entries if key not in ('kind', 'stream')}
    if not 0.0 <= given.get('share', 1.0) <= 1.0:
        raise entries['share'].place.error('must be 0 to 1')
    return Fault(kind, stream, **given)


def _flight(entries: Mapping[str, YamlNode], prior: RobotModel) -> FlightSettings:
    """Return how runs are flown."""
    planar = 'planar' in entries and entries['planar'].boolean()
    thrust = None
    if 'thrust' in entries:
        if not prior.thrusters:
            raise entries['thrust'].place.error(f'{prior.name} has no thrusters')
        thrust = _settings(entries['thrust'], ThrustParameters, _thrust)
    mode = ManoeuvringMode.ROTATION_FLOATING
    if 'mode' in entries:
        mode = _chosen(entries, 'mode', ManoeuvringMode)
    elif thrust is not None:
        mode = ManoeuvringMode.FLYING
    if prior.wheels and not mode.properties.drives_wheels:
        where = entries['mode' if 'mode' in entries else 'thrust']
        raise where.place.error(f'{mode.value} does not drive the wheels, which the plan moves')
    return FlightSettings(
        noise='noise' not in entries or entries['noise'].boolean(),
        mode=mode,
        planar=planar,
        thrust=thrust,
    )


def _thrust(values: Mapping[str, object]) -> ThrustParameters:
    parameters = settings_from_values(ThrustParameters, values)
    check_thrust(parameters)
    return parameters


def _plan(entries: Mapping[str, YamlNode]) -> PlanSource:
    """Return where the motion comes from."""
    if 'plan' not in entries:
        return PlanSource(PlannerSettings())
    given = entries['plan'].mapping()
    each_run = 'each_run' in given and given['each_run'].boolean()
    if 'file' in given:
        if len(given) > 1:
            raise entries['plan'].place.error('file stands alone: nothing is planned')
        return PlanSource(PlannerSettings())
    settings = _settings(entries['plan'], SearchParameters, _search, ('each_run',))
    return PlanSource(settings, each_run)


def _search(values: Mapping[str, object]) -> PlannerSettings:
    return settings_from_values(SearchParameters, values).search()


def _identify(entries: Mapping[str, YamlNode]) -> IdentifySettings:
    if 'identify' not in entries:
        return IdentifySettings()
    settings = _settings(entries['identify'], IdentifySettings, settings_from_mapping)
    try:
        settings.method_type()
    except ConfigurationError as error:
        raise entries['identify'].place.error(str(error)) from None
    return settings


def _settings(
    node: YamlNode,
    kind: type,
    read: Callable[[Mapping[str, object]], Any],
    others: tuple[str, ...] = (),
) -> Any:  # noqa: ANN401
    """Return settings by their keys; unknown ones and wrong values are errors at their place."""
    entries = node.mapping((*own_parameters(kind), *others))
    values = {key: each.value for key, each in entries.items() if key not in others}
    floats = {
        key: float(value)
        for key, value in values.items()
        if isinstance(value, int)
        and not isinstance(value, bool)
        and isinstance(own_parameters(kind)[key].default, float)
    }
    try:
        return read(values | floats)
    except ConfigurationError as error:
        raise node.place.error(str(error)) from None

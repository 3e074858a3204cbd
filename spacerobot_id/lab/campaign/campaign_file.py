"""Campaign files: texts that a campaign is made of, what is flown, what is drawn and required."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Interval

from spacerobot_id import __version__
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.excitation.trajectory.plan_file import parse_plan
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.flight.recording import FlightSettings
from spacerobot_id.lab.campaign.analysis.requirements import Requirement, REQUIREMENTS
from spacerobot_id.lab.campaign.draws.dispersions import Design, Draws, RunSetting, Start
from spacerobot_id.lab.campaign.draws.keys import Key, known_keys
from spacerobot_id.lab.campaign.draws.read_dispersions import DISPERSIONS, read_dispersions
from spacerobot_id.lab.campaign.nominal import (
    FAULT,
    flight_settings,
    GRASP,
    IDENTIFY,
    nominal_run,
    PLAN,
    PlanSource,
    THRUST,
)
from spacerobot_id.model import (
    file_or_shipped,
    is_yaml,
    robot_from_urdf_string,
    robot_from_yaml_string,
    RobotModel,
    shipped_file,
    shipped_names,
)
from spacerobot_id.settings.kinds import Flag, KeyedError, keys, WHOLE
from spacerobot_id.settings.yaml_file import faults_named, read_yaml
from spacerobot_id.simulation import ManoeuvringMode

KEYS = {
    'description': (str, 'A sentence for people.'),
    'robot': (
        str,
        'URDF of the true robot as it is nominally, its YAML file beside it: a path from the '
        'folder of the campaign file, or the name of a robot that comes with the package.',
    ),
    'prior': (
        str,
        'URDF of the robot as planner, control and method know it; that of robot if missing.',
    ),
    'runs': (Annotated[int, Interval(ge=1, le=10_000_000), WHOLE], 'Runs at most.'),
    'seed': (Annotated[int, Interval(ge=0, le=2**63), WHOLE], 'Seed of all that is drawn (0).'),
    'design': (Design, 'How samples lie: independent (default), latin_hypercube or sobol.'),
    'batch': (Annotated[int, Interval(ge=1, le=100_000), WHOLE], 'Runs per file of results (50).'),
    'stop': (
        Literal['decided', 'budget'],
        'decided: when every requirement is (default); budget: after all runs.',
    ),
    'mode': (ManoeuvringMode, 'Manoeuvring mode of the simulator (rotation-floating).'),
    'planar': (Flag, 'Whether a table holds the base in its plane (false).'),
    'noise': (Flag, 'Whether sensors have their noise and errors (true).'),
    'plan': (
        PLAN,
        'file: a plan of spacerobot-id plan; or settings of the planner by their keys, '
        'planned once for all runs, for each run on its own with each_run: true.',
    ),
    'thrust': (THRUST, 'Settings of the firing of thrusters by their keys; none fire if missing.'),
    'identify': (IDENTIFY, 'Settings of the estimator by their keys, method among them.'),
    'start': (
        Start,
        'joints: positions by name; angular_momentum (N m s), linear_momentum (N s): three '
        'numbers in inertial axes; attitude: rotation vector, rad.',
    ),
    'grasp': (
        GRASP,
        'Body that joins the robot: link, time (s after the motion begins), mass (kg), com '
        '(m, in the frame of the link), inertia (Ixx, Iyy, Izz, Ixy, Iyz, Izx about it, kg '
        'm^2).',
    ),
    'faults': (
        Mapping[str, FAULT],
        'Faults of messages by name: fault, stream, begin and duration (s), share, size.',
    ),
    'dispersions': (
        DISPERSIONS,
        'What is drawn: keys, unit and one of value, change, factor with a distribution.',
    ),
    'requirements': (REQUIREMENTS, 'What is required: require, share, confidence, name.'),
}
"""Keys of a campaign file: kinds of their values, and descriptions."""

CAMPAIGN_KEYS = keys('', KEYS, 'robot')
"""What a campaign file may have."""

_ROBOTS, _CAMPAIGNS = 'config/robots', 'config/campaigns'


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
        Most runs in place of the number in the file; that number if 0.
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


def campaign_inputs(name: str | Path) -> CampaignInputs:
    """Return the texts of a campaign file, and of the files that it names.

    Parameters
    ----------
    name : str or Path
        File, or the name of a campaign that comes with the package.

    Raises
    ------
    ConfigurationError, DescriptionError
        If a file is missing, or the campaign file does not name it; the message has which.
    """
    path = file_or_shipped(name, _CAMPAIGNS, 'campaign')
    text = path.read_text(encoding='utf-8')
    given = read_yaml(CAMPAIGN_KEYS, text, path.name)
    with faults_named(path.name):
        robot = _robot_file('robot', given, path.parent)
        prior = _robot_file('prior', given, path.parent) if 'prior' in given else robot
        plan = _plan_text(given, path.parent)
    return CampaignInputs(path.name, text, *_texts(robot), *_texts(prior), plan)


def campaign_names() -> tuple[str, ...]:
    """Return the names of the campaigns that come with the package."""
    return shipped_names(_CAMPAIGNS)


def _robot_file(key: str, given: Mapping[str, Any], folder: Path) -> Path:
    """Return the file of a robot: a path, or one that comes with the package."""
    name = given[key]
    path = folder / name
    if path.is_file():
        return path
    try:
        return shipped_file(f'{_ROBOTS}/{name}.urdf')
    except ConfigurationError:
        known = ', '.join(shipped_names(_ROBOTS))
        raise KeyedError((key,), f'{name!r} is neither a file nor one of {known}') from None


def _texts(path: Path) -> tuple[str, str, str]:
    """Return the name of a URDF, its text, and that of the YAML file beside it, if it is there."""
    beside = path.with_suffix('.yaml')
    yaml_text = beside.read_text(encoding='utf-8') if beside.is_file() else ''
    return path.name, path.read_text(encoding='utf-8'), yaml_text


def _plan_text(given: Mapping[str, Any], folder: Path) -> str:
    """Return the text of the plan; an empty one if it is planned."""
    if 'plan' not in given or not given['plan'].file:
        return ''
    path = folder / given['plan'].file
    if not path.is_file():
        raise KeyedError(('plan', 'file'), f'there is no file {path}')
    return path.read_text(encoding='utf-8')


@dataclass(frozen=True, eq=False)
class Campaign:
    """A campaign as stated in its file.

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
        Method and its settings; on a table it knows that it is on one.
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
    def motion(self) -> ExcitingMotion | None:
        """Motion of all runs; each is planned for alone if None."""
        text = self.inputs.plan
        return parse_plan(text, 'plan.yaml') if text else None

    @cached_property
    def keys(self) -> dict[str, Key]:
        """Everything that can be drawn, by name."""
        return known_keys(self.nominal)


def campaign_from_inputs(inputs: CampaignInputs) -> Campaign:
    """Return the campaign that some texts make.

    Raises
    ------
    DescriptionError, ConfigurationError
        If a key is unknown or missing, or has no value or unit that it can have; named.
    """
    given = read_yaml(CAMPAIGN_KEYS, inputs.campaign, inputs.source)
    with faults_named(inputs.source):
        return _campaign(inputs, given)


def _campaign(inputs: CampaignInputs, given: Mapping[str, Any]) -> Campaign:
    """Return the campaign of the keys of its file."""
    robot = _robot(inputs.robot, inputs.robot_yaml, inputs.robot_source)
    prior = _robot(inputs.prior, inputs.prior_yaml, inputs.prior_source)
    nominal, flight = nominal_run(given, robot), flight_settings(given, prior)
    plan = given.get('plan', PlanSource(PlannerSettings()))
    identify = given.get('identify', IdentifySettings())
    if flight.planar:
        limits = replace(plan.settings.limits, planar=True)
        plan = replace(plan, settings=replace(plan.settings, limits=limits))
    if flight.planar and 'planar' in identify.method_type().takes:
        identify = replace(identify, of_method=replace(identify.of_method, planar=True))
    if not inputs.runs and 'runs' not in given:
        raise KeyedError(('runs',), 'it is missing')
    draws = Draws(
        read_dispersions(given.get('dispersions', ()), known_keys(nominal)),
        given.get('design', Design.INDEPENDENT),
        inputs.runs or given['runs'],
        given.get('seed', 0),
    )
    draws.check()
    return Campaign(
        inputs,
        given.get('description', ''),
        nominal,
        prior,
        plan,
        flight,
        identify,
        draws,
        given.get('requirements', ()),
        given.get('batch', 50),
        given.get('stop', 'decided') == 'decided',
    )


def _robot(text: str, yaml_text: str, name: str) -> RobotModel:
    if is_yaml(name):
        return robot_from_yaml_string(text, name)
    yaml_name = str(Path(name).with_suffix('.yaml'))
    return robot_from_urdf_string(text, name, yaml_text or None, yaml_name)

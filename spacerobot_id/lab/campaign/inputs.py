"""The texts that a campaign is made of: its file, and the files that it names."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Interval

from spacerobot_id import __version__
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.campaign.draws.dispersions import Design
from spacerobot_id.lab.campaign.draws.read_dispersions import DISPERSIONS
from spacerobot_id.lab.campaign.nominal import (
    FAULT,
    GRASP,
    IDENTIFY,
    PLAN,
    START,
    THRUST,
)
from spacerobot_id.lab.campaign.read_requirements import REQUIREMENTS
from spacerobot_id.model import file_or_shipped, shipped_file, shipped_names
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
        START,
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
    return CampaignInputs(
        path.name,
        text,
        robot.name,
        robot.read_text(encoding='utf-8'),
        _text_beside(robot),
        prior.name,
        prior.read_text(encoding='utf-8'),
        _text_beside(prior),
        plan,
    )


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


def _text_beside(path: Path) -> str:
    beside = path.with_suffix('.yaml')
    return beside.read_text(encoding='utf-8') if beside.is_file() else ''


def _plan_text(given: Mapping[str, Any], folder: Path) -> str:
    """Return the text of the plan; an empty one if it is planned."""
    if 'plan' not in given or not given['plan'].file:
        return ''
    path = folder / given['plan'].file
    if not path.is_file():
        raise KeyedError(('plan', 'file'), f'there is no file {path}')
    return path.read_text(encoding='utf-8')

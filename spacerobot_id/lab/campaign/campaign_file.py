"""Campaign files: what is flown, what is drawn, what is required; unknown keys are errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.excitation.planner_settings import PlannerSettings
from spacerobot_id.flight.recording import FlightSettings
from spacerobot_id.lab.campaign.analysis.requirements import Requirement
from spacerobot_id.lab.campaign.draws.dispersions import Design, Draws, RunSetting
from spacerobot_id.lab.campaign.draws.keys import Key, known_keys
from spacerobot_id.lab.campaign.draws.read_dispersions import read_dispersions
from spacerobot_id.lab.campaign.inputs import CAMPAIGN_KEYS, CampaignInputs
from spacerobot_id.lab.campaign.nominal import flight_settings, nominal_run, PlanSource
from spacerobot_id.model import robot_from_urdf_string, RobotModel
from spacerobot_id.settings.kinds import KeyedError
from spacerobot_id.settings.yaml_file import faults_named, read_yaml


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
    nominal = nominal_run(given, robot)
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
        given.get('plan', PlanSource(PlannerSettings())),
        flight_settings(given, prior),
        given.get('identify', IdentifySettings()),
        draws,
        given.get('requirements', ()),
        given.get('batch', 50),
        given.get('stop', 'decided') == 'decided',
    )


def _robot(text: str, yaml_text: str, name: str) -> RobotModel:
    yaml_name = str(Path(name).with_suffix('.yaml'))
    return robot_from_urdf_string(text, name, yaml_text or None, yaml_name)

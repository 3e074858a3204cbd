"""Campaign files: what is flown, what is drawn, what is required; unknown keys are errors."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.flight.recording import FlightSettings
from spacerobot_id.lab.campaign.analysis.requirements import Requirement
from spacerobot_id.lab.campaign.definition.inputs import CampaignInputs, KEYS
from spacerobot_id.lab.campaign.definition.nominal import nominal_run
from spacerobot_id.lab.campaign.definition.read_requirements import read_requirements
from spacerobot_id.lab.campaign.definition.run_settings import (
    chosen,
    estimator_settings,
    flight_settings,
    plan_source,
    PlanSource,
)
from spacerobot_id.lab.campaign.draws.dispersions import Design, Dispersion, Draws
from spacerobot_id.lab.campaign.draws.keys import Key, known_keys
from spacerobot_id.lab.campaign.draws.read_dispersions import read_dispersions
from spacerobot_id.lab.campaign.draws.setting import RunSetting
from spacerobot_id.model import robot_from_urdf_string, RobotModel
from spacerobot_id.model.description.yaml_node import parse_yaml

_MOST_RUNS = 10_000_000


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
    node = parse_yaml(inputs.campaign, inputs.source)
    entries = node.mapping(tuple(KEYS))
    robot = _robot(inputs.robot, inputs.robot_yaml, inputs.robot_source)
    prior = _robot(inputs.prior, inputs.prior_yaml, inputs.prior_source)
    nominal = nominal_run(entries, robot)
    keys = known_keys(nominal)
    dispersions: tuple[Dispersion, ...] = ()
    if 'dispersions' in entries:
        dispersions = read_dispersions(entries['dispersions'], keys)
    draws = Draws(
        dispersions,
        chosen(entries, 'design', Design),
        inputs.runs or node.require('runs').whole(1, _MOST_RUNS),
        entries['seed'].whole(0, 2**63) if 'seed' in entries else 0,
    )
    draws.check()
    flight = flight_settings(entries, prior)
    requirements = read_requirements(entries['requirements']) if 'requirements' in entries else ()
    stop = entries['stop'].string() if 'stop' in entries else 'decided'
    if stop not in ('decided', 'budget'):
        raise entries['stop'].place.error(f'must be decided or budget, got {stop!r}')
    return Campaign(
        inputs,
        entries['description'].string() if 'description' in entries else '',
        nominal,
        prior,
        plan_source(entries),
        flight,
        estimator_settings(entries),
        draws,
        requirements,
        entries['batch'].whole(1, 100_000) if 'batch' in entries else 50,
        stop == 'decided',
    )


def _robot(text: str, yaml_text: str, name: str) -> RobotModel:
    yaml_name = str(Path(name).with_suffix('.yaml'))
    return robot_from_urdf_string(text, name, yaml_text or None, yaml_name)

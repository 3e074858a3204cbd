"""What a folder of results is of: the texts of one campaign and its plan, and no other's."""

from dataclasses import asdict
import json
from pathlib import Path

from spacerobot_id import __version__
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.lab.campaign.definition.inputs import CampaignInputs
from spacerobot_id.lab.campaign.tables.columns import SCHEMA
from spacerobot_id.whole_file import write_whole

_INPUTS, _ABOUT, _PLAN = 'inputs.json', 'campaign.json', 'plan.yaml'


def claim(path: Path, inputs: CampaignInputs) -> None:
    """Make a folder that of a campaign, or see that it is.

    Raises
    ------
    ConfigurationError
        If it is that of another campaign, or of another version of the package.
    """
    about = path / _ABOUT
    if about.exists():
        known = json.loads(about.read_text(encoding='utf-8'))
        if known.get('digest') == inputs.digest and known.get('schema') == SCHEMA:
            return
        version = known.get('version', 'unknown')
        why = 'other settings or robots'
        if known.get('schema') != SCHEMA:
            why = 'tables with other columns, of another version of the package'
        if version != __version__:
            why = f'version {version} of the package, this is {__version__}'
        raise ConfigurationError(
            f'--out: {path} has the results of another campaign: {why} (configuration hash '
            f'{str(known.get("digest"))[:12]}, this campaign has {inputs.digest[:12]})'
        )
    if path.exists() and any(path.iterdir()):
        raise ConfigurationError(f'--out: {path} is not empty, and no folder of a campaign')
    path.mkdir(parents=True, exist_ok=True)
    _write_json(path / _INPUTS, asdict(inputs))
    _write_json(about, {'schema': SCHEMA, 'version': __version__, 'digest': inputs.digest})


def kept_inputs(path: Path) -> CampaignInputs:
    """Return the texts of the campaign of a folder.

    Raises
    ------
    ConfigurationError
        If it is no folder of a campaign.
    """
    file = path / _INPUTS
    if not file.exists():
        raise ConfigurationError(f'{path}: no folder of a campaign')
    return CampaignInputs(**json.loads(file.read_text(encoding='utf-8')))


def kept_plan(path: Path) -> str | None:
    """Return the text of the plan of a folder; None if there is none yet."""
    file = path / _PLAN
    return file.read_text(encoding='utf-8') if file.exists() else None


def keep_plan(path: Path, text: str) -> None:
    """Keep the plan of all runs."""
    write_whole(path / _PLAN, text)


def _write_json(path: Path, content: object) -> None:
    write_whole(path, json.dumps(content, indent=2) + '\n')

"""Small campaigns, flown in fractions of a second, for the tests."""

from dataclasses import replace
from functools import cache

import yaml

from spacerobot_id.campaign.definition.campaign_file import campaign_from_inputs
from spacerobot_id.campaign.definition.inputs import campaign_inputs
from spacerobot_id.campaign.execution.work import Work
from spacerobot_id.campaign.run import planned
from spacerobot_id.excitation.trajectory.plan_file import plan_text

SMALL = {
    'robot': 'servicer',
    'prior': 'servicer_prior',
    'runs': 24,
    'seed': 4,
    'batch': 5,
    'stop': 'budget',
    'plan': {'duration': 6.0, 'draws': 5, 'restarts': 1, 'iterations': 3},
    'dispersions': [
        {
            'keys': 'links.*.mass',
            'factor': {'normal': {'mean': 100, 'std': 5}},
            'unit': '%',
        },
        {
            'keys': ['sensors.gyro_mounting.x', 'sensors.gyro_mounting.y'],
            'value': {'uniform': {'low': -1e-3, 'high': 1e-3}},
            'unit': 'mrad',
        },
    ],
    'requirements': [{'require': 'mass_error < 50 %', 'share': '80 %'}],
}
"""A campaign as its file would be."""


def inputs_of(folder, **changes):
    """Return the texts of the small campaign with other keys; None leaves one out."""
    content = {key: each for key, each in (SMALL | changes).items() if each is not None}
    path = folder / 'small.yaml'
    path.write_text(yaml.safe_dump(content))
    return replace(campaign_inputs(path), source='small.yaml')


def campaign_of(folder, **changes):
    """Return the small campaign with other keys."""
    return campaign_from_inputs(inputs_of(folder, **changes))


@cache
def small_plan(robot='servicer_prior'):
    """Return the text of a short plan of the servicer."""
    from pathlib import Path
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return plan_text(planned(campaign_of(Path(folder), prior=robot)))


def work_of(folder, **changes):
    """Return what a worker needs for the small campaign."""
    return Work(inputs_of(folder, **changes), small_plan())

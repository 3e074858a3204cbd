"""Small campaigns, flown in fractions of a second, for the tests."""

from dataclasses import replace
from functools import cache

import numpy as np
import yaml

from spacerobot_id.excitation.trajectory.plan_file import plan_text
from spacerobot_id.lab.campaign.campaign_file import campaign_from_inputs, campaign_inputs
from spacerobot_id.lab.campaign.result_folder import columns_of, Results
from spacerobot_id.lab.campaign.run import planned

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
    return replace(inputs_of(folder, **changes), plan=small_plan())


def results_out_of_a_hat(campaign, count, seed=0):
    """Return runs of a campaign that were not flown: numbers of about the size that they have."""
    rng, columns = np.random.default_rng(seed), {}
    draws = [campaign.draws.of_run(index) for index in range(count)]
    types = columns_of(campaign).types()
    for name, kind in types.items():
        if kind == 'string':
            columns[name] = np.array([''] * count, dtype=object)
        elif name.startswith(('drawn.', 'read.')):
            columns[name] = np.array([drawn[name.partition('.')[2]] for drawn in draws])
        elif name.startswith(('identified.', 'std.')):
            columns[name] = np.ones(count)
        elif name.startswith('error.'):
            columns[name] = rng.normal(size=count)
        else:
            columns[name] = rng.lognormal(-6.0, 0.5, size=count)
    freedom = sum(name.startswith('identified.') for name in types)
    columns |= {'index': np.arange(count), 'identified': np.full(count, float(freedom))}
    columns['nees'] = rng.chisquare(freedom, count)
    for name in ('usable', 'grasp_detected'):
        columns[name] = (rng.random(count) < 0.95).astype(float)
    columns['errors_present'][:] = 'encoder_offset; joint_axis'
    columns['causes'][:3] = 'joint_axis (joint_axis.arm_joint_1.x 0.001 +- 0.0001 rad)'
    columns['causes'][3] = 'gyro_scale (gyro_scale.x 0.01 +- 0.001)'
    columns['error'][5] = 'EstimationError: no complete sample; missing: base_pose'
    return Results(columns)

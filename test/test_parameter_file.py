"""config/identify.yaml says every parameter with its default and its sentence."""

from dataclasses import fields
from itertools import pairwise
from pathlib import Path
import re

import pytest
import yaml

from spacerobot_id.nodes.estimator import EstimatorSettings
from spacerobot_id.nodes.planner import PlannerNodeSettings
from spacerobot_id.nodes.simulator import SimulatorSettings

TEXT = (Path(__file__).parents[1] / 'config/identify.yaml').read_text()
SETTINGS = {
    'simulator': SimulatorSettings,
    'planner': PlannerNodeSettings,
    'estimator': EstimatorSettings,
}


def plain(default):
    return list(default) if isinstance(default, tuple) else default


@pytest.mark.parametrize('node', SETTINGS)
def test_file_has_every_parameter_with_its_default(node):
    """The file is the defaults: nothing is missing, nothing is unknown."""
    given = yaml.safe_load(TEXT)[f'/**/{node}']['ros__parameters']
    known = {each.name: plain(each.default) for each in fields(SETTINGS[node])}
    assert given == known


@pytest.mark.parametrize('node', SETTINGS)
def test_every_parameter_is_explained_where_it_stands(node):
    """The comment above a key is the sentence of the parameter's descriptor."""
    section = TEXT.partition(f'/**/{node}:')[2].partition('\n/**/')[0]
    blocks = re.findall(r'((?:    #.*\n)+)    (\w+):', section)
    said = {key: ' '.join(re.findall(r'# (.*)', comment)) for comment, key in blocks}
    wanted = {each.name: each.metadata['description'] for each in fields(SETTINGS[node])}
    assert said == wanted


@pytest.mark.parametrize('name', ['angular_momentum'])
def test_other_files_have_known_parameters_of_the_right_kind_and_explain_them(name):
    """A key that no node knows would be ignored in silence."""
    text = (Path(__file__).parents[1] / f'config/{name}.yaml').read_text()
    for section, content in yaml.safe_load(text).items():
        known = {each.name: each.default for each in fields(SETTINGS[section.split('/')[-1]])}
        for key, value in content['ros__parameters'].items():
            assert isinstance(value, type(plain(known[key]))), key
            assert value != plain(known[key]), f'{key} is the default'
    for above, line in pairwise(text.splitlines()):
        if line.startswith('    ') and not line.strip().startswith('#'):
            assert above.startswith('    '), f'{line} is not explained'

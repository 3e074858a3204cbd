"""Parameter files follow from the declarations of the settings."""

from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from spacerobot_id.cli.parameters import NODES
from spacerobot_id.methods.registry import method_names
from spacerobot_id.nodes.estimator.node import Estimator
from spacerobot_id.nodes.planner.node import Planner
from spacerobot_id.nodes.simulator.node import Simulator
from spacerobot_id.settings import choices_of, own_parameters
from spacerobot_id.settings.documents import parameter_file

ROOT = Path(__file__).parents[2]
SETTINGS = {
    'simulator': Simulator.settings_type,
    'planner': Planner.settings_type,
    'estimator': Estimator.settings_type,
}


def plain(default):
    return list(default) if isinstance(default, tuple) else default


def test_the_documents_are_of_the_nodes_settings():
    assert SETTINGS == NODES


@pytest.mark.parametrize('node', SETTINGS)
def test_file_has_every_parameter_with_its_default(node):
    """The file is the defaults: nothing is missing, nothing is unknown."""
    given = yaml.safe_load(parameter_file(NODES))[f'/**/{node}']['ros__parameters']
    known = {key: plain(each.default) for key, each in own_parameters(SETTINGS[node]).items()}
    assert given == known


@pytest.mark.parametrize('node', ['planner', 'estimator'])
def test_the_choices_of_methods_are_those_of_the_registry(node):
    assert choices_of(own_parameters(SETTINGS[node])['method']) == method_names()


@pytest.mark.parametrize('name', ['angular_momentum'])
def test_other_files_have_known_parameters_of_the_right_kind_and_explain_them(name):
    """A key that no node knows would be ignored in silence."""
    text = (ROOT / f'config/{name}.yaml').read_text()
    for section, content in yaml.safe_load(text).items():
        node = section.split('/')[-1]
        known = {key: each.default for key, each in own_parameters(SETTINGS[node]).items()}
        for key, value in content['ros__parameters'].items():
            assert isinstance(value, type(plain(known[key]))), key
            assert value != plain(known[key]), f'{key} is the default'
    for above, line in pairwise(text.splitlines()):
        if line.startswith('    ') and not line.strip().startswith('#'):
            assert above.startswith('    '), f'{line} is not explained'

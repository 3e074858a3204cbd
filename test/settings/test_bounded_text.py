"""Texts that others wrote take no more memory and time than settings need."""

from fuzzing.mutation import BOMB
from hypothesis import given, settings
from hypothesis import strategies as st
import pytest
import yaml

from spacerobot_id.estimation.node_settings import load_identify_settings
from spacerobot_id.estimation.write_back.output_yaml import parse_output
from spacerobot_id.exceptions import ConfigurationError, SpaceRobotIdError
from spacerobot_id.excitation.planner_node_settings import load_plan_request
from spacerobot_id.excitation.trajectory.plan_file import load_plan
from spacerobot_id.measurement.adapters.adapter_yaml import parse_adapter
from spacerobot_id.model.description.robot_yaml import read_robot_yaml
from spacerobot_id.settings.yaml_file import load_yaml, read_text_file

DEEP = '[' * 5000
SELF = 'a: &a [*a]'


@pytest.mark.parametrize('text', [BOMB.decode(), SELF], ids=['bomb', 'itself'])
def test_aliases_of_aliases_are_refused(text):
    with pytest.raises(yaml.YAMLError, match='aliases stand for more'):
        load_yaml(text)


@pytest.mark.parametrize(
    ('text', 'message'),
    [(DEEP, 'nested too deeply'), ('9' * 5000, 'digits'), ('2026-13-45', 'month')],
)
def test_what_python_cannot_hold_is_no_yaml(text, message):
    with pytest.raises(yaml.YAMLError, match=message):
        load_yaml(text)


def test_numbers_are_those_of_yaml_1_2():
    """A plain alias is as good as ever."""
    assert load_yaml('a: 1e-5\nb: &x [1, 2]\nc: *x') == {'a': 1e-5, 'b': [1, 2], 'c': [1, 2]}


def test_files_without_end_are_refused(tmp_path):
    with pytest.raises(OSError, match='larger than 32 MB'):
        read_text_file('/dev/zero')
    with pytest.raises(ConfigurationError, match='/dev/zero: cannot be read'):
        load_identify_settings('/dev/zero')


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
KEYS = st.sampled_from(['estimator', 'ros__parameters', 'method', 'names', 'knots', 'sensors'])
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | SCALARS, inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.parametrize(
    'read',
    [
        load_identify_settings,
        load_plan_request,
        load_plan,
        lambda path: parse_adapter(path.read_text(), str(path)),
        lambda path: parse_output(path.read_text(), str(path)),
        lambda path: read_robot_yaml(path.read_text(), str(path)),
    ],
    ids=['parameters', 'planner parameters', 'plan', 'adapter', 'output', 'robot.yaml'],
)
def test_any_yaml_is_taken_or_refused_by_name(read, tmp_path_factory):
    """No other exception, and the message names the file."""
    path = tmp_path_factory.mktemp('any') / 'any.yaml'

    @settings(max_examples=60)
    @given(DOCUMENTS)
    def check(document):
        path.write_text(yaml.safe_dump(document, allow_unicode=True), encoding='utf-8')
        message = str(path)
        try:
            read(path)
        except SpaceRobotIdError as error:
            message = str(error)
        assert str(path) in message

    check()

"""``spacerobot-id plan``: files and pictures, what it says, and the same plans by its settings."""

import json

import numpy as np
import pytest
from ros_harness import ROBOTS
from small_robot import small_robot_prior
import yaml

from spacerobot_id.cli.main import main
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation import (
    FamilyName,
    load_plan,
    PlannerSettings,
    save_plan,
)
from spacerobot_id.excitation.settings_file import KEYS, load_planner_settings
from spacerobot_id.model import write_robot
from spacerobot_id.nodes.planner_settings import PlannerNodeSettings

QUICK = {'intervals': 16, 'interval': 2.0, 'draws': 4, 'restarts': 1, 'iterations': 4}


@pytest.fixture(scope='module', name='robot')
def file_of_a_small_robot(tmp_path_factory):
    path = tmp_path_factory.mktemp('robot') / 'prior.urdf'
    write_robot(small_robot_prior(), path)
    return str(path)


@pytest.fixture(name='config')
def file_of_quick_settings(tmp_path):
    path = tmp_path / 'quick.yaml'
    path.write_text(yaml.safe_dump(QUICK))
    return str(path)


def planned(capsys, *arguments):
    """Run the command; return its JSON object."""
    assert main(['plan', *arguments, '--json']) == 0
    return json.loads(capsys.readouterr().out)


def test_it_writes_a_plan_and_its_picture_and_says_what_it_is(capsys, tmp_path, robot, config):
    """Limits, closest first, and what will be known of each parameter."""
    out = tmp_path / 'plan.yaml'
    said = planned(capsys, robot, '--config', config, '--out', str(out))
    plan = load_plan(out)
    assert said['duration'] == plan.duration == 32.0
    assert (tmp_path / 'plan.png').read_bytes().startswith(b'\x89PNG')
    shares = [limit['share'] for limit in said['limits']]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] <= 1.0 + 1e-6
    assert all(std > 0.0 for std in said['std'].values())


def test_the_same_seed_gives_the_same_file(capsys, tmp_path, robot, config):
    """Twice the same bytes, others with another seed."""
    texts = []
    for number, seed in enumerate('112'):
        out = tmp_path / f'{number}.yaml'
        planned(
            capsys, robot, '--config', config, '--out', str(out), '--seed', seed, '--no-picture'
        )
        texts.append(out.read_bytes())
    assert texts[0] == texts[1] != texts[2]
    assert not list(tmp_path.glob('*.png'))


@pytest.mark.parametrize('family', [each.value for each in FamilyName])
def test_plans_of_every_family_load_again_and_fly(capsys, tmp_path, robot, config, family):
    """The same samples, and the simulator follows them."""
    out, bag = tmp_path / 'plan.yaml', tmp_path / 'bag'
    options = ('--config', config, '--family', family, '--out', str(out), '--duration', '20')
    planned(capsys, robot, *options)
    plan = load_plan(out)
    times = np.linspace(0.0, plan.duration, 50)
    again = tmp_path / 'again.yaml'
    save_plan(plan, again)
    np.testing.assert_array_equal(
        load_plan(again).sample(times).position, plan.sample(times).position
    )
    assert main(['simulate', robot, '--plan', str(out), '--out', str(bag)]) == 0


def test_options_of_the_command_line_win(capsys, tmp_path, robot, config):
    """Over those of the file."""
    options = ('--criterion', 'condition', '--duration', '7', '--start', 'free', '--no-picture')
    said = planned(capsys, robot, '--config', config, *options, '--out', str(tmp_path / 'p.yaml'))
    assert said['criterion'] == 'condition'
    assert said['duration'] == pytest.approx(7.0)
    start = load_plan(tmp_path / 'p.yaml').knots[0]
    assert np.abs(start[:2]).max() > 0.0


@pytest.mark.parametrize(
    ('options', 'reason'),
    [
        (('--start', '1,2'), '--start: 5 numbers are needed, of shoulder_left'),
        (('--start', '9,0,0,0,0'), 'shoulder_left: is at 9, outside its limits'),
        (('--duration', '-1'), '--duration: must be above zero'),
    ],
)
def test_what_cannot_be_is_refused(capsys, tmp_path, robot, options, reason):
    """Exit code 1, the reason on standard error, no file."""
    out = tmp_path / 'plan.yaml'
    assert main(['plan', robot, *options, '--out', str(out)]) == 1
    assert reason in capsys.readouterr().err
    assert not out.exists()


# Settings by name


def test_the_settings_are_those_of_the_node():
    """Every key of a file is a parameter of the node, with the same default."""
    node = PlannerNodeSettings()
    assert set(KEYS) <= set(vars(node))
    assert node.search() == PlannerSettings()


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('drawz: 3', 'unknown key drawz'),
        ('criterion: luck', "criterion: 'luck' is none of deviation"),
        ('interval: long', "interval: 'long' is no number"),
        ('keep_in_frame: tool', 'keep_in_lower: three numbers are needed'),
        ('of_interest: bus', 'of_interest: a list of texts is needed'),
        ('- 3', 'needs keys and values'),
    ],
)
def test_a_file_of_settings_that_makes_no_sense_is_refused(tmp_path, text, reason):
    """The error names file and key."""
    path = tmp_path / 'settings.yaml'
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=reason) as caught:
        load_planner_settings(path)
    assert str(path) in str(caught.value)


def test_the_parameter_file_of_the_nodes_will_do():
    """The one that is shipped, of which the planner's part is taken."""
    assert load_planner_settings(ROBOTS.parent / 'identify.yaml') == PlannerSettings()

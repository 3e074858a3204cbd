"""``spacerobot-id bench``: what the work for a robot costs, as numbers that hang together."""

import json

import pytest
from small_robot import small_robot

from spacerobot_id.cli.main import main
from spacerobot_id.model import write_robot
from spacerobot_id.regressor import minimal_parameters


@pytest.fixture(name='robot', scope='module')
def robot_file(tmp_path_factory):
    path = tmp_path_factory.mktemp('bench') / 'small.urdf'
    write_robot(small_robot(), path)
    return str(path)


def test_every_part_costs_something(robot, capsys):
    """The whole more than its parts, at the rate that was asked for."""
    assert main(['bench', robot, '--rate', '50', '--duration', '6', '--json']) == 0
    result = json.loads(capsys.readouterr().out)
    estimator = result['estimator']
    assert result['robot'] == 'small'
    assert result['parameters'] == len(minimal_parameters(small_robot()))
    assert result['rate'] == 50.0
    assert result['duration'] == pytest.approx(6.0, abs=1.0)
    assert min(result['planning'], result['regressor'], result['simulation']) > 0.0
    assert 0.0 < estimator['intake'] < estimator['whole'] <= 1.001 * estimator['busiest']
    assert estimator['refining'] > 0.0


def test_it_says_so_in_words(robot, capsys):
    assert main(['bench', robot, '--duration', '6']) == 0
    printed = capsys.readouterr().out
    assert printed.startswith('small: 24 minimal parameters, a motion of 6 s')
    assert 'estimator at 100 Hz' in printed


@pytest.mark.parametrize('option', ['--rate', '--duration'])
@pytest.mark.parametrize('value', ['0', 'nan', 'inf', 'fast'])
def test_what_cannot_be_measured_is_refused(robot, option, value, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(['bench', robot, option, value])
    assert stopped.value.code == 2
    assert f"{option}: '{value}' is not a number above zero" in capsys.readouterr().err

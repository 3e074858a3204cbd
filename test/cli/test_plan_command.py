"""``spacerobot-id plan``: files and pages, what it says, and the same plans by its settings."""

from dataclasses import replace
import json

import numpy as np
import pytest
from ros_harness import ROBOTS
from small_robot import small_robot_prior
import yaml

from spacerobot_id.cli.main import main
from spacerobot_id.excitation import load_plan, save_plan
from spacerobot_id.excitation.family.motion_family import (
    FamilyName,
    register_family,
    unregister_family,
)
from spacerobot_id.model import write_robot

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


def test_it_writes_a_plan_and_its_page_and_says_what_it_is(capsys, tmp_path, robot, config):
    """Limits, closest first, and what will be known of each parameter."""
    out = tmp_path / 'plan.yaml'
    result = planned(capsys, robot, '--config', config, '--out', str(out))
    plan = load_plan(out)
    assert result['duration'] == plan.duration == 32.0
    page = (tmp_path / 'plan.html').read_text()
    assert result['page'] == str(tmp_path / 'plan.html')
    assert page.startswith('<!doctype html>')
    assert result['limits'][0]['name'] in page
    shares = [limit['share'] for limit in result['limits']]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] <= 1.0 + 1e-6
    assert all(std > 0.0 for std in result['std'].values())


def test_the_same_seed_gives_the_same_file(capsys, tmp_path, robot, config):
    """Twice the same bytes, others with another seed."""
    texts = []
    for number, seed in enumerate('112'):
        out = tmp_path / f'{number}.yaml'
        planned(capsys, robot, '--config', config, '--out', str(out), '--seed', seed, '--no-page')
        texts.append(out.read_bytes())
    assert texts[0] == texts[1] != texts[2]
    assert not list(tmp_path.glob('*.html'))


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


def test_a_family_of_a_user_is_planned_and_flown(capsys, tmp_path, robot, config):
    """A file of its own and a line: a choice of the command, judged, within limits, in a file."""
    register_family('swings', 'swing_family')
    try:
        options = ('--config', config, '--family', 'swings', '--duration', '20', '--no-page')
        result = planned(capsys, robot, *options, '--out', str(tmp_path / 'plan.yaml'))
        still = planned(capsys, robot, *options, '--seed', '3', '--out', str(tmp_path / 'b.yaml'))
    finally:
        unregister_family('swings')
    plan = load_plan(tmp_path / 'plan.yaml')
    ways = np.ptp(plan.sample(np.linspace(0.0, 20.0, 200)).position, axis=0)
    assert ways.min() > 0.1
    assert 0.0 < result['cost'] == pytest.approx(still['cost'], rel=0.5)
    bag = str(tmp_path / 'bag')
    assert main(['simulate', robot, '--plan', str(tmp_path / 'plan.yaml'), '--out', bag]) == 0
    with pytest.raises(SystemExit):
        main(['plan', robot, '--family', 'swings', '--out', str(tmp_path / 'c.yaml')])


def test_options_of_the_command_line_win(capsys, tmp_path, robot, config):
    """Over those of the file."""
    options = ('--criterion', 'condition', '--duration', '7', '--start', 'free', '--no-page')
    result = planned(
        capsys, robot, '--config', config, *options, '--out', str(tmp_path / 'p.yaml')
    )
    assert result['criterion'] == 'condition'
    assert result['duration'] == pytest.approx(7.0)
    start = load_plan(tmp_path / 'p.yaml').knots[0]
    assert np.abs(start[:2]).max() > 0.0


@pytest.mark.parametrize(
    ('options', 'reason'),
    [
        (('--start', '1,2'), '--start: 5 numbers are needed, of shoulder_left'),
        (('--start', '9,0,0,0,0'), 'shoulder_left: is at 9, outside its limits'),
        (('--start', '-9,0,0,0,0'), 'shoulder_left: is at -9, outside its limits'),
        (('--duration', '-1'), '--duration: must be above zero'),
        (('--duration', 'nan'), '--duration: must be above zero'),
        (('--duration', 'inf'), '--duration: must be finite'),
        (('--duration', '1e6'), '--duration: must be at most 100000'),
        (('--attitude', *'0000'), '--attitude: four zeros are no quaternion'),
        (('--angular-momentum', '1', 'nan', '0'), '--angular-momentum: must be finite'),
    ],
)
def test_what_cannot_be_is_refused(capsys, tmp_path, robot, options, reason):
    """Exit code 1, the reason on standard error, no file and no folder."""
    out = tmp_path / 'new' / 'plan.yaml'
    assert main(['plan', robot, *options, '--out', str(out)]) == 1
    assert reason in capsys.readouterr().err
    assert not list(tmp_path.iterdir()) or options[0] == '--start'


def test_a_seed_is_a_whole_number(capsys, robot):
    with pytest.raises(SystemExit) as ended:
        main(['plan', robot, '--seed', '-1', '--out', 'plan.yaml'])
    assert ended.value.code == 2
    assert '--seed' in capsys.readouterr().err


@pytest.mark.slow
def test_a_motion_that_shows_nothing_is_no_plan(capsys, tmp_path):
    """Exit code 1 and no file."""
    out = tmp_path / 'plan.yaml'
    options = ('--duration', '0.001', '--out', str(out))
    assert main(['plan', str(ROBOTS / 'servicer_prior.urdf'), *options]) == 1
    assert 'a motion of 0.001 s shows no parameter better' in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ('robot', 'options'),
    [
        ('servicer_prior', ()),
        ('christidi_spatial_arm_prior', ('--angular-momentum', '68', '66', '65')),
    ],
)
def test_a_motion_that_does_not_show_all_is_said_so(capsys, tmp_path, robot, options):
    """It is written: with what is known already it may do."""
    out, config = tmp_path / 'plan.yaml', tmp_path / 'quick.yaml'
    config.write_text(yaml.safe_dump({**QUICK, 'restarts': 0, 'interval': 0.0}))
    options = (*options, '--config', str(config), '--duration', '0.1', '--no-page')
    assert main(['plan', str(ROBOTS / f'{robot}.urdf'), *options, '--out', str(out)]) == 0
    captured = capsys.readouterr()
    assert 'warning: this motion of 0.1 s does not show all parameters' in captured.err
    assert 'not shown: all parameters together' in captured.out
    assert out.exists()


def test_folders_are_made(capsys, tmp_path, robot, config):
    out = tmp_path / 'new' / 'deep' / 'plan.yaml'
    start = ('--start', '-0.5,0,0,0,0')
    planned(capsys, robot, '--config', config, *start, '--out', str(out), '--no-page')
    np.testing.assert_array_equal(load_plan(out).knots[0], [-0.5, 0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ('name', 'reason'),
    [('', 'is a folder'), ('file/plan.yaml', 'file is no f'), ('plan.html', 'name of the page')],
)
def test_a_place_where_no_plan_can_be_written_is_noticed_before_planning(
    capsys, tmp_path, robot, monkeypatch, name, reason
):
    """The option is named."""
    (tmp_path / 'file').write_text('')
    monkeypatch.setattr('spacerobot_id.cli.plan.plan_excitation', None)
    try:
        code = main(['plan', robot, '--out', str(tmp_path / name)])
    except SystemExit as end:
        code = end.code
    assert code == (1 if name == 'plan.html' else 2)
    errors = capsys.readouterr().err
    assert '--out: ' in errors
    assert list(tmp_path.iterdir()) == [tmp_path / 'file']
    assert reason in errors


def test_it_counts_the_tolerances_of_the_robot(capsys, tmp_path, config):
    """Where the settings ask for it: it says which, and promises less."""
    path = tmp_path / 'tolerant.urdf'
    tolerances = {'encoder_offset': 0.02, 'gyro_mounting': 0.02}
    write_robot(replace(small_robot_prior(), tolerances=tolerances), path)
    automatic = tmp_path / 'automatic.yaml'
    automatic.write_text(yaml.safe_dump(QUICK | {'calibrate': 'auto'}))
    out = str(tmp_path / 'plan.yaml')
    plain = planned(capsys, str(path), '--config', config, '--out', out, '--no-page')
    counted = planned(capsys, str(path), '--config', str(automatic), '--out', out, '--no-page')
    assert plain['counted'] == []
    assert set(counted['counted']) == set(tolerances)
    assert counted['median_relative_std'] > plain['median_relative_std']
    assert main(['plan', str(path), '--config', str(automatic), '--out', out, '--no-page']) == 0
    assert (
        'unknown beside the parameters: encoder_offset, gyro_mounting' in capsys.readouterr().out
    )


def test_tolerances_that_a_robot_does_not_have_are_missed(capsys, tmp_path, robot):
    automatic = tmp_path / 'automatic.yaml'
    automatic.write_text('calibrate: auto\n')
    out = str(tmp_path / 'plan.yaml')
    assert main(['plan', robot, '--config', str(automatic), '--out', out]) == 1
    assert 'calibrate: auto needs tolerances' in capsys.readouterr().err

"""``spacerobot-id simulate``, and the plan files that it takes."""

import json
from pathlib import Path
import re

from motions import paper_plan
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from robots import dual_arm
import yaml

from spacerobot_id.cli.main import main
from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation import load_plan, save_plan
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.model import load_robot
from spacerobot_id.multibody import momentum, wheel_momentum

ROBOTS = Path(__file__).parents[2] / 'config/robots'
ROBOT, PRIOR = (str(ROBOTS / f'naveen_dual_arm{end}.urdf') for end in ('', '_prior'))


@pytest.fixture(scope='module')
def plan_file(tmp_path_factory):
    path = tmp_path_factory.mktemp('plan') / 'plan.yaml'
    save_plan(paper_plan(4), path)
    return str(path)


def simulated(folder, plan_file, *options, capsys=None):
    """Run the command; return the streams it wrote."""
    command = ['simulate', ROBOT, '--prior', PRIOR, '--plan', plan_file, '--out', str(folder)]
    assert main([*command, *options]) == 0
    return read_bag(folder)


def test_it_writes_what_the_nodes_would_have_recorded(tmp_path, plan_file):
    """All streams at 100 Hz with their names and frames; truth moves as the plan says."""
    streams = simulated(tmp_path / 'bag', plan_file)
    parts = {name: each for name, each in vars(streams).items() if name != 'notes'}
    written = {name: each for name, each in parts.items() if each is not None}
    assert set(parts) - set(written) == {'wrench', 'applied_wrench', 'thrust'}
    assert streams.notes == ()
    for stream in written.values():
        assert len(stream.stamps) == 500
        assert_allclose(np.diff(stream.stamps), 0.01, atol=2e-9)
        assert_allclose(stream.arrivals, stream.stamps, atol=2e-9)
    names = (*dual_arm().joint_names, *dual_arm().wheel_names)
    assert streams.joints.names == streams.true_joints.names == names
    assert (streams.imu.frame_id, streams.twist.frame_id, streams.pose.frame_id) == (
        'L0',
        'L0',
        'world',
    )
    assert np.isnan(streams.imu.specific_force).all()
    wanted = paper_plan(4).sample(streams.true_joints.stamps - 1.5)
    assert_allclose(streams.true_joints.positions, wanted.position, atol=0.01)
    errors = streams.joints.velocities[:, :6] - streams.true_joints.velocities[:, :6]
    assert errors.std() == pytest.approx(dual_arm().noise.joint_rate, rel=0.1)


def test_truth_conserves_momentum(tmp_path, plan_file):
    """The truth in the log is consistent: joints, wheels and base twist have no momentum."""
    streams = simulated(tmp_path / 'bag', plan_file)
    q, wheels = np.split(streams.true_joints.velocities, [6], axis=1)
    place, twist = streams.true_joints.positions[:, :6], streams.true_twist.twists
    total = momentum(dual_arm(), place, q, twist) + wheel_momentum(dual_arm(), place, wheels)
    assert abs(total).max() < 1e-9


def test_seed_decides_the_noise_and_nothing_else(tmp_path, plan_file):
    first, again, other, perfect = (
        simulated(tmp_path / name, plan_file, *options)
        for name, options in (
            ('first', ['--seed', '3']),
            ('again', ['--seed', '3']),
            ('other', ['--seed', '4']),
            ('perfect', ['--no-noise']),
        )
    )
    assert_array_equal(first.imu.angular_velocity, again.imu.angular_velocity)
    assert (first.imu.angular_velocity != other.imu.angular_velocity).all()
    assert_array_equal(first.true_twist.twists, other.true_twist.twists)
    assert_array_equal(perfect.imu.angular_velocity, perfect.true_twist.twists[:, 3:])


def test_json_is_one_object_and_storage_can_be_chosen(tmp_path, plan_file, capsys):
    simulated(tmp_path / 'bag', plan_file, '--json', '--storage', 'sqlite3')
    result = json.loads(capsys.readouterr().out)
    assert result['samples'] == 500
    assert result['messages'] == 7 * 500
    assert result['conserved'] == 'linear and angular momentum conserved'
    assert (tmp_path / 'bag/bag.db3').exists()


def test_without_a_plan_it_plans(tmp_path, monkeypatch, capsys):
    """Planned with the prior; here with a plan cut short, for time."""
    monkeypatch.setattr(
        'spacerobot_id.cli.simulate._QUICK',
        {'draws': 5, 'restarts': 1, 'iterations': 1, 'intervals': 4},
    )
    assert main(['simulate', ROBOT, '--out', str(tmp_path / 'bag')]) == 0
    assert 'linear and angular momentum conserved' in capsys.readouterr().out
    assert len(read_bag(tmp_path / 'bag').joints.stamps) > 400


@pytest.mark.parametrize(
    ('change', 'reason'),
    [
        ({'names': ['a', 'b']}, 'knots: must be 5 rows of 2 numbers'),
        ({'durations': [1.0, -1.0, 1.0, 1.0]}, 'durations[1]: must be above zero'),
        ({'durations': []}, 'durations: must not be empty'),
        ({'knots': [[0.0], [0.0, 1.0]]}, 'knots: must be rows of one length'),
        ({'knots': [[float('nan')] * 9] * 5}, 'knots[0][0]: must be finite, got nan'),
        ({'names': 'joint_1'}, 'names: must be a list'),
        ({'speed': 1}, 'speed: unknown key; known are family, names, durations, plateau, knots'),
        ({'knots': None}, 'knots: must be a list, got None'),
    ],
)
def test_bad_plan_file_is_said_with_its_key(tmp_path, plan_file, change, reason, capsys):
    content = yaml.safe_load(Path(plan_file).read_text()) | change
    bad = tmp_path / 'bad.yaml'
    bad.write_text(yaml.safe_dump(content))
    with pytest.raises(PlanningError, match=re.escape(f'bad.yaml: {reason}')):
        load_plan(bad)
    assert main(['simulate', ROBOT, '--plan', str(bad), '--out', str(tmp_path / 'bag')]) == 1
    assert reason in capsys.readouterr().err
    assert not (tmp_path / 'bag').exists()


@pytest.mark.parametrize('text', [None, '[1, 2]', '{', 'names: [a]'])
def test_what_is_no_plan_is_said(tmp_path, text):
    path = tmp_path / 'plan.yaml'
    if text is not None:
        path.write_text(text)
    with pytest.raises(PlanningError, match=r'plan\.yaml: '):
        load_plan(path)


def test_saved_plan_is_loaded_to_the_last_digit(plan_file):
    plan, loaded = paper_plan(4), load_plan(plan_file)
    assert loaded.names == plan.names
    assert_array_equal(loaded.knots, plan.knots)
    assert_array_equal(loaded.durations, plan.durations)


def test_plan_of_another_robot_is_refused(tmp_path, plan_file, capsys):
    robot = str(ROBOTS / 'servicer.urdf')
    assert main(['simulate', robot, '--plan', plan_file, '--out', str(tmp_path / 'bag')]) == 1
    assert 'the plan moves joint_1' in capsys.readouterr().err


def test_what_a_plan_of_another_robot_shows_is_not_said(plan_file, capsys):
    assert main(['model', str(ROBOTS / 'servicer.urdf'), '--plan', plan_file]) == 1
    assert 'the plan moves joint_1' in capsys.readouterr().err


@pytest.mark.parametrize('command', ['simulate', 'demo'])
@pytest.mark.parametrize('seed', ['-1', '0.5', 'one'])
def test_a_seed_is_a_whole_number(command, seed, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([command, *([ROBOT, '--out', 'x'] * (command == 'simulate')), '--seed', seed])
    assert stopped.value.code == 2
    assert f"--seed: '{seed}' is not a whole number from 0 on" in capsys.readouterr().err


def test_existing_folder_is_left_alone(tmp_path, plan_file, capsys):
    folder = tmp_path / 'bag'
    folder.mkdir()
    command = ['simulate', ROBOT, '--plan', plan_file, '--out', str(folder)]
    assert main(command) == 1
    assert 'exist' in capsys.readouterr().err
    assert not list(folder.iterdir())


def test_wrong_usage_is_exit_code_2(plan_file):
    with pytest.raises(SystemExit) as raised:
        main(['simulate', ROBOT, '--out', 'x', '--mode', 'hovering'])
    assert raised.value.code == 2


def test_thrusters_fire_on_a_table(tmp_path, capsys):
    """Their commands are in the log; the base moves in the plane, motion capture has its clock."""
    names = ('shoulder', 'elbow', 'wrist')
    knots = np.array([[0.0, 0.0, 0.0], [1.0, -0.8, 0.5], [0.2, 0.6, -0.4], [0.0, 0.0, 0.0]])
    save_plan(ExcitationPlan(names, knots, np.full(3, 4.0)), tmp_path / 'plan.yaml')
    robot = str(ROBOTS / 'air_bearing.urdf')
    prior = ['--prior', str(ROBOTS / 'air_bearing_prior.urdf')]
    plan = ['--plan', str(tmp_path / 'plan.yaml'), '--planar', '--out', str(tmp_path / 'bag')]
    assert main(['simulate', robot, *prior, *plan, '--json']) == 0
    assert json.loads(capsys.readouterr().out)['mode'] == 'flying'
    log = read_bag(tmp_path / 'bag', needed=('joints', 'pose', 'thrust'))
    assert log.thrust.names == tuple(each.name for each in load_robot(robot).thrusters)
    assert set(log.thrust.shares.ravel()) == {0.0, 1.0}
    assert not log.thrust.shares[-1].any()
    assert np.abs(log.true_pose.positions[:, 2]).max() < 1e-12
    assert np.abs(log.true_pose.positions[-1, :2]).max() > 1e-3
    steps = log.pose.stamps / 0.05
    assert np.abs(steps - np.round(steps)).max() < 1e-6
    assert np.diff(log.pose.stamps).mean() == pytest.approx(0.1, rel=0.02)

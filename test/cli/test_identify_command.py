"""``spacerobot-id identify``: from a bag to parameters, or to a sentence on what is wrong."""

import contextlib
from dataclasses import replace
import io
import json
import os
import subprocess
import sys

from logs import (
    dual_arm_log,
    dual_arm_log_with_still_joint,
    log_of,
    servicer_log,
    shortened,
)
from motions import paper_plan, with_noise
from moving_dual_arm import turned_as_measured, world
import numpy as np
import pytest
from robots import dual_arm
import yaml

from spacerobot_id.cli.main import main
from spacerobot_id.excitation import save_plan
from spacerobot_id.measurement.bag.writer import BagStorage, write_bag
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import load_robot, shipped_file

PRIOR = str(shipped_file('config/robots/naveen_dual_arm_prior.urdf'))


@pytest.fixture(name='log', scope='module')
def recorded_motion():
    return dual_arm_log()


@pytest.fixture(name='bag', scope='module')
def recorded_bag(tmp_path_factory, log):
    path = tmp_path_factory.mktemp('log') / 'bag'
    write_bag(path, log)
    return path


@pytest.fixture(name='plain', scope='module')
def identified_as_it_is(bag):
    """Return what the command prints in JSON about the bag without an option."""
    arguments = ['identify', str(bag), '--robot', PRIOR, '--json']
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main(arguments) == 0
    return json.loads(printed.getvalue())


def run_command(capsys, *arguments):
    """Run a command; return its exit code, output and errors."""
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def result_of(capsys, *arguments):
    code, out, _ = run_command(capsys, 'identify', *map(str, arguments), '--json')
    assert code == 0
    return json.loads(out)


def test_a_bag_gives_the_parameters_and_their_uncertainty(capsys, bag):
    """Fifty-two parameters within their intervals, ranks, links and what was not used."""
    result = result_of(capsys, bag, '--robot', PRIOR, '--holdout', '0.2')
    model = dual_arm()
    true = Momentum.from_model(model).minimal.values(model)
    values, std = (np.array(result['parameters'][key]) for key in ('values', 'std'))
    assert np.mean(np.abs(values - true) <= 1.96 * std) > 0.85
    assert np.median(np.abs(values / true - 1.0)) < 0.02
    assert result['identifiability']['rank'] == 52
    assert result['chi_square'] == pytest.approx(1.0, abs=0.05)
    assert result['validation']['chi_square'] == pytest.approx(1.0, abs=0.1)
    assert [link['name'] for link in result['links']] == [f'L{i}' for i in range(7)]


@pytest.mark.slow
def test_it_says_beforehand_what_the_motion_shows(capsys, bag, plain):
    """In JSON for each parameter; as text in a sentence before the estimates."""
    result = plain
    before = result['identifiability']['before']
    assert [each['name'] for each in before['parameters']] == result['parameters']['names']
    assert before['rank'] == before['total'] == 52
    expected = np.array([each['std_expected'] for each in before['parameters']])
    ratio = expected / np.array(result['parameters']['std'])
    assert 0.3 < np.median(ratio) < 3.0
    _, text, _ = run_command(capsys, 'identify', str(bag), '--robot', PRIOR, '--all')
    lines = text.splitlines()
    assert lines[0] == f'before fitting: {before["summary"]}'
    assert lines.index('') < next(n for n, line in enumerate(lines) if line.startswith('L0.Ixx'))


def test_it_says_the_verdict_in_a_few_lines(capsys, bag, plain):
    """Whether it may be used, what changed most, where the rest is; no colours in a pipe."""
    result = plain
    _, text, _ = run_command(capsys, 'identify', str(bag), '--robot', PRIOR)
    lines = text.splitlines()
    assert lines[0] == f'{result["robot_name"]}: usable'
    assert len(lines) <= 16
    assert max(map(len, lines)) <= 180
    minimal = {key: np.array(column) for key, column in result['parameters'].items() if column}
    scores = np.abs(minimal['values'] - minimal['prior']) / minimal['std']
    assert any(line.split()[0] == minimal['names'][np.argmax(scores)] for line in lines[1:])
    assert lines[-1].startswith('all parameters: identify --all')
    assert '\x1b' not in text


def test_a_joint_that_stood_still_is_named(capsys, tmp_path):
    """Before the fit with the reason, after it among those not identified."""
    write_bag(tmp_path / 'bag', dual_arm_log_with_still_joint())
    result = result_of(capsys, tmp_path / 'bag', '--robot', PRIOR)
    words = {
        each['name']: each['words'] for each in result['identifiability']['before']['parameters']
    }
    assert words['L6.Izz'] == 'not seen: joint_6 does not move'
    assert 'L6.Izz' in result['identifiability']['not_identified']


def test_the_model_command_says_what_a_log_shows(capsys, bag, plain):
    """The same as identify says before it fits, a line for each parameter."""
    before = plain['identifiability']['before']
    code, out, _ = run_command(capsys, 'model', PRIOR, '--log', str(bag), '--json')
    assert code == 0
    assert json.loads(out) == before
    _, text, _ = run_command(capsys, 'model', PRIOR, '--log', str(bag))
    assert len(text.splitlines()) == 53


def test_the_model_command_says_what_a_plan_will_show(capsys, tmp_path):
    """Flown with the description alone; a log and a plan at once are wrong usage."""
    save_plan(paper_plan(), tmp_path / 'plan.yaml')
    arguments = 'model', PRIOR, '--plan', str(tmp_path / 'plan.yaml')
    code, out, _ = run_command(capsys, *arguments, '--json')
    assert code == 0
    assert json.loads(out)['rank'] == 52
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, '--log', 'bag'])
    assert stopped.value.code == 2


@pytest.mark.slow
def test_both_storages_say_the_same(capsys, tmp_path, plain, log):
    """sqlite3 and mcap give the same numbers."""
    write_bag(tmp_path / 'db', log, BagStorage.SQLITE3)
    assert result_of(capsys, tmp_path / 'db', '--robot', PRIOR) == plain


@pytest.mark.slow
def test_methods_differ_where_they_should(capsys, bag, plain):
    """Least squares of the paper is biased low in mass, output error is not."""
    compared = result_of(capsys, bag, '--robot', PRIOR, '--method', 'least_squares')
    biased, best = (each['parameters']['values'][6] / 2265.0 - 1.0 for each in (compared, plain))
    assert biased < -0.01
    assert abs(best) < 0.005


def test_remapped_topics_are_found(capsys, tmp_path, log):
    """A namespace and a topic of another name are options."""
    topics = {'joints': '/bot/joints', 'imu': '/bot/imu/data', 'twist': '/bot/base_twist'}
    write_bag(tmp_path / 'bag', log, topics=topics)
    arguments = '--namespace', 'bot', '--topic', 'joint_states:=/bot/joints'
    result = result_of(capsys, tmp_path / 'bag', '--robot', PRIOR, *arguments)
    assert result['samples'] > 3000


def test_samples_that_cannot_be_are_counted(capsys, tmp_path, log):
    """NaN, stamps that are there twice and outliers are refused by name and change little."""
    joints = log.joints
    rates, stamps = joints.velocities.copy(), joints.stamps.copy()
    rates[100:110, 2] = np.nan
    stamps[500] = stamps[490]
    twists = log.twist.twists.copy()
    twists[1000:3000:100, 0] += 0.5
    spoilt = replace(
        log,
        joints=replace(joints, velocities=rates, stamps=stamps),
        twist=replace(log.twist, twists=twists),
    )
    write_bag(tmp_path / 'bag', spoilt)
    result = result_of(capsys, tmp_path / 'bag', '--robot', PRIOR)
    rejected = result['rejected']
    assert rejected['joint_states: velocity of joint_3 is not provided'] == 10
    assert rejected['joint_states: has the stamp of the sample before'] == 1
    assert result['reordered'] == {'joint_states': 1}
    assert rejected['samples that did not fit'] == pytest.approx(20, abs=2)
    assert result['chi_square'] == pytest.approx(1.0, abs=0.05)


def test_the_robot_is_written_back(capsys, tmp_path):
    """A robot that can exist comes back as a URDF with its YAML file."""
    write_bag(tmp_path / 'bag', servicer_log())
    prior = str(shipped_file('config/robots/servicer_prior.urdf'))
    out = tmp_path / 'identified.urdf'
    result = result_of(capsys, tmp_path / 'bag', '--robot', prior, '--out-urdf', out)
    assert not result['physics']['contradicts_data']
    written = load_robot(out)
    assert [link.inertial.mass for link in written.links] == pytest.approx(
        [link['mass'] for link in result['links']], rel=1e-9
    )


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        (lambda log: replace(log, joints=None), '/joint_states'),
        (lambda log: replace(log, imu=None), '/imu/data'),
        (lambda log: replace(log, twist=None), 'base_twist nor base_pose'),
        (lambda log: replace(log, imu=replace(log.imu, frame_id='gyro')), "'gyro'"),
        (
            lambda log: replace(
                log, joints=replace(log.joints, names=('joint_9', *log.joints.names[1:]))
            ),
            'joint_1 is missing',
        ),
        (lambda log: shortened(log, 3), 'too few'),
    ],
)
def test_a_log_that_will_not_do_is_refused_by_name(capsys, tmp_path, log, change, message):
    """Empty, short, of another robot, without a topic: exit code 1 and the reason."""
    write_bag(tmp_path / 'bag', change(log))
    code, out, error = run_command(capsys, 'identify', str(tmp_path / 'bag'), '--robot', PRIOR)
    assert code == 1
    assert out == ''
    assert message in error


def test_what_a_file_that_is_cut_off_has_is_used_and_the_rest_is_said(capsys, tmp_path, log):
    """Half an mcap file, as a power cut leaves it; in the middle of a chunk."""
    write_bag(tmp_path / 'bag', log)
    (file,) = (tmp_path / 'bag').glob('*.mcap')
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    arguments = 'identify', str(tmp_path / 'bag'), '--robot', PRIOR, '--json'
    code, out, error = run_command(capsys, *arguments)
    assert code == 0
    assert 'bag.mcap: was not closed' in error
    assert 'that metadata.yaml states' in error
    assert any('was not closed' in each for each in json.loads(out)['warnings'])


def test_a_topic_that_is_asked_for_by_name_has_to_be_there(capsys, bag):
    """Also that of a stream which could be left out."""
    arguments = 'identify', str(bag), '--robot', PRIOR, '--topic', 'base_pose:=/nothing'
    code, _, error = run_command(capsys, *arguments)
    assert code == 1
    assert 'no messages on /nothing; topics are' in error


def test_settings_come_from_a_file(capsys, tmp_path, bag):
    """A key of the estimator is an unknown one refused by name."""
    good, bad = tmp_path / 'good.yaml', tmp_path / 'bad.yaml'
    good.write_text('gyro_bias: 0.01\n')
    bad.write_text('gyro_bais: 0.01\n')
    result = result_of(capsys, bag, '--robot', PRIOR, '--config', good)
    assert [each['name'] for each in result['others']] == [f'gyro_bias.{axis}' for axis in 'xyz']
    code, _, error = run_command(
        capsys, 'identify', str(bag), '--robot', PRIOR, '--config', str(bad)
    )
    assert code == 1
    assert 'gyro_bais' in error


def test_streams_are_aligned_as_the_file_says(capsys, tmp_path, log):
    """A gyro with pauses, too long for the node's bracket; the node's key allows them."""
    log = shortened(log, 1700)
    some = np.flatnonzero(np.arange(len(log.imu.stamps)) % 12 < 6)
    write_bag(tmp_path / 'bag', replace(log, imu=log.imu[some]))
    config = tmp_path / 'wide.yaml'
    config.write_text('method: angular_momentum\n')
    given = ('--robot', PRIOR, '--config', str(config))
    result = result_of(capsys, tmp_path / 'bag', *given)
    few = result['samples']
    assert 'no other samples around it' in result['warnings'][-1]
    config.write_text('method: angular_momentum\nlongest_bracket: 0.2\nlongest_gap: 2.0\n')
    code, out, _ = run_command(
        capsys,
        'identify',
        str(tmp_path / 'bag'),
        '--robot',
        PRIOR,
        '--config',
        str(config),
        '--json',
    )
    assert json.loads(out)['samples'] > 1.5 * few
    whole = result_of(capsys, tmp_path / 'bag', '--robot', PRIOR)
    assert whole['samples'] > 1.5 * few  # the velocity counts where the gyro has a hole
    config.write_text('base_velocity: base_pose\n')
    code, _, error = run_command(
        capsys, 'identify', str(tmp_path / 'bag'), '--robot', PRIOR, '--config', str(config)
    )
    assert code == 1
    assert 'base_pose is not in the log' in error


@pytest.mark.parametrize(
    ('stated', 'setting', 'factor'),
    [(8e-5, '', 1.0), (0.0, '', 1.0), (1.6e-4, '', 2.0), (1.6e-4, 'gyro_noise: 0.00008', 1.0)],
)
def test_F9_the_gyro_s_weight_is_what_its_messages_state(
    capsys, tmp_path, log, stated, setting, factor
):
    """Or the description where they state nothing, or the settings; residuals tell which."""
    write_bag(tmp_path / 'bag', replace(log, imu=replace(log.imu, noise=stated)))
    config = tmp_path / 'settings.yaml'
    config.write_text(setting or '{}')
    result = result_of(capsys, tmp_path / 'bag', '--robot', PRIOR, '--config', config)
    assert result['chi_square'] == pytest.approx(1.0, abs=0.05)
    found = {each['name']: each['value'] for each in result['noise']}
    assert found.pop('noise of imu/data', 1.0) == pytest.approx(1.0 / factor, rel=0.05)
    assert not found


def test_without_velocity_the_position_is_used(capsys, tmp_path):
    """A pose in place of a base velocity gives the same parameters, a little less sure."""
    clean = turned_as_measured(world(samples=3000))
    model = dual_arm()
    noisy = with_noise(clean, Momentum.from_model(model), 2)
    rng = np.random.default_rng(3)
    log = log_of(model, noisy, 8e-5)
    positions = clean.position + 1e-4 * rng.normal(size=clean.position.shape)
    stamps = log.joints.stamps
    pose = PoseStream(stamps, stamps, 'world', positions, clean.attitude)
    log = replace(log, twist=None, pose=pose)
    write_bag(tmp_path / 'bag', log)
    result = result_of(capsys, tmp_path / 'bag', '--robot', PRIOR)
    true = Momentum.from_model(model).minimal.values(model)
    values, std = (np.array(result['parameters'][key]) for key in ('values', 'std'))
    assert np.mean(np.abs(values - true) <= 1.96 * std) > 0.85
    assert values[6] == pytest.approx(2265.0, rel=0.02)


@pytest.mark.parametrize(
    ('setting', 'method', 'message'),
    [
        ('gyro_bias: 0.01', 'least_squares', 'gyro_bias: not taken by the method least_squares'),
        (
            'angular_momentum: 1.0',
            'weighted_least_squares',
            'angular_momentum: not taken by the method weighted_least_squares; momentum takes it',
        ),
        ('angular_momentum: 1.0', 'momentum', 'needs base_pose, which is not in the log'),
        ('change_links: [L6, hand]', 'momentum', 'change_links: hand: no such link; there'),
        ('change_links: [L6]', 'least_squares', 'change_links: not taken by the method'),
        ('wheel_scale: 0.1', 'angular_momentum', 'wheel_scale: not taken'),
    ],
)
def test_settings_that_a_method_or_a_robot_does_not_know(
    capsys, tmp_path, bag, setting, method, message
):
    """Refused with the name of the setting, not passed over."""
    config = tmp_path / 'settings.yaml'
    config.write_text(setting)
    arguments = '--robot', PRIOR, '--config', str(config), '--method', method
    code, out, error = run_command(capsys, 'identify', str(bag), *arguments)
    assert code == 1
    assert out == ''
    assert message in error


def test_a_known_momentum_is_not_passed_over(capsys, bag):
    """Output error takes the robot to be at rest, or estimates its momentum."""
    arguments = '--robot', PRIOR, '--angular-momentum', '1', '0', '0'
    code, _, error = run_command(capsys, 'identify', str(bag), *arguments)
    assert code == 1
    assert 'known_angular_momentum: not taken by the method momentum' in error


def test_a_name_of_before_is_accepted_with_a_warning(capsys, bag, plain):
    """The method that was called output_error offline is momentum everywhere."""
    arguments = 'identify', str(bag), '--robot', PRIOR, '--json'
    code, out, error = run_command(capsys, *arguments, '--method', 'output_error')
    assert code == 0
    assert "'output_error' is deprecated: it is called 'momentum'" in error
    assert json.loads(out) == plain


@pytest.mark.slow
def test_every_method_has_one_schema(capsys, bag, plain):
    """The same keys, nested alike, whatever the method."""
    methods = ('least_squares', 'angular_momentum')
    found = [result_of(capsys, bag, '--robot', PRIOR, '--method', method) for method in methods]
    shapes = set()
    for method, result in zip(('momentum', *methods), (plain, *found), strict=True):
        assert result['method'] == method
        nested = {key: sorted(value) for key, value in result.items() if isinstance(value, dict)}
        nested = {
            key: value for key, value in nested.items() if key not in ('rejected', 'physics')
        }
        shapes.add(json.dumps([sorted(result), nested], sort_keys=True))
    assert len(shapes) == 1


def test_links_that_do_not_fit_are_not_called_consistent(plain):
    """The paper's robot cannot exist; how far the nearest links are off is reported."""
    result = plain
    assert result['physics']['contradicts_data']
    assert not any(link['physically_consistent'] for link in result['links'])
    assert result['physics']['chi_square'] > result['physics']['allowed']


def test_a_reader_that_has_enough_ends_it_quietly(bag):
    """As with ``| head``: no traceback, no message."""
    command = [sys.executable, '-m', 'spacerobot_id', 'identify', str(bag)]
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [*command, '--robot', PRIOR],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert ended.returncode == 0
    assert 'ipe' not in ended.stderr


def test_values_are_written_for_other_software(capsys, bag, tmp_path):
    """The robot's numbers of the JSON, as parameters of a node; what is written is listed."""
    path = tmp_path / 'parameters.yaml'
    result = result_of(
        capsys, bag, '--robot', PRIOR, '--write', 'stanford_freeflyer', '--write-to', path
    )
    assert result['written'] == str(path)
    (content,) = yaml.safe_load(path.read_text()).values()
    dynamics = content['ros__parameters']['dynamics']
    assert dynamics['mass'] == result['robot']['mass']
    assert dynamics['inertia'] == result['robot']['inertia'][2][2]
    assert dynamics['CoM_offset'] == result['robot']['center_of_mass'][:2]


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (('--write', 'astrobee'), 'mob/inertia can be written to live only, by ~/apply'),
        (('--write', 'ur_payload'), 'set_payload can be written to live only'),
        (('--write', 'weights'), 'output: weights is neither a file nor one of astrobee'),
        (('--write-to', 'x.yaml'), '--write-to: is of --write, which is missing'),
    ],
)
def test_what_cannot_be_written_is_said_before_the_log_is_read(capsys, arguments, message):
    code, _, errors = run_command(capsys, 'identify', 'no_bag', '--robot', PRIOR, *arguments)
    assert code in (1, 2)
    assert message in errors

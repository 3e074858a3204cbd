"""``identify`` by methods without the base's velocity, from a log without any."""

from dataclasses import replace
import json

from build_robots import ROBOTS
import numpy as np
import pytest

from spacerobot_id.cli.main import main
from spacerobot_id.flight.momentum_flight import fly_with_momentum
from spacerobot_id.lab.papers.christidi.plan import table_two
from spacerobot_id.lab.papers.published import published
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.measurement.bag.writer import write_bag
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.model import load_robot
from spacerobot_id.regressor import reduced_parameters
from spacerobot_id.simulation import SensorSet

PUBLISHED = published('christidi')
ANGULAR_MOMENTUM, ATTITUDE = PUBLISHED.array('angular_momentum'), PUBLISHED.array('attitude')
MODEL = load_robot(ROBOTS / 'christidi_spatial_arm.urdf')
PRIOR = str(ROBOTS / 'christidi_spatial_arm_prior.urdf')
CONFIG = str(ROBOTS.parent / 'angular_momentum.yaml')
REDUCED = reduced_parameters(MODEL, as_described=True)
TRUE, TRUE_NAMES = REDUCED.values(MODEL), REDUCED.names


@pytest.fixture(name='log', scope='module')
def recorded_flight():
    """Return the readings of the motion of Table II: no velocity of the base."""
    motion = table_two(PUBLISHED, MODEL.joint_names)
    given = (ANGULAR_MOMENTUM, ATTITUDE)
    flight = fly_with_momentum(MODEL, motion, *given, rate=100.0)
    readings = SensorSet(MODEL, 0).measure(flight.samples)
    seen, stamps = readings.motion, 10.0 + readings.motion.times
    absent = np.full((len(stamps), 3), np.nan)
    return BagStreams(
        joints=JointStream(
            stamps, stamps, MODEL.joint_names, seen.q, seen.qd, flight.joint_torque
        ),
        imu=ImuStream(stamps, stamps, 'base', readings.gyro, 3e-6, absent, seen.attitude),
        pose=PoseStream(stamps, stamps, 'world', seen.position, seen.attitude),
    )


@pytest.fixture(name='bag', scope='module')
def written_bag(tmp_path_factory, log):
    folder = tmp_path_factory.mktemp('log') / 'bag'
    write_bag(folder, log)
    return str(folder)


BIASED = ('angular_momentum_least_squares', 'equations_of_motion', 'equations_of_motion_fourier')
"""Methods that are there to compare; a bias of the gyro is no unknown of theirs."""


@pytest.fixture(name='plain', scope='module')
def settings_without_a_bias(tmp_path_factory):
    path = tmp_path_factory.mktemp('settings') / 'plain.yaml'
    momentum = [float(each) for each in ANGULAR_MOMENTUM]
    path.write_text(f'known_angular_momentum: {momentum}\ntrust_zeros: true\n')
    return str(path)


def identified(capsys, bag, *arguments, config=CONFIG):
    code = main(['identify', bag, '--robot', PRIOR, '--config', config, '--json', *arguments])
    out = capsys.readouterr().out
    assert code == 0
    return json.loads(out)


def worst(result):
    return np.abs(np.array(result['parameters']['values']) / TRUE - 1.0).max()


@pytest.mark.parametrize(
    ('method', 'limit'),
    [
        ('angular_momentum', 1e-3),
        ('angular_momentum_least_squares', 2e-3),
        ('angular_momentum_and_torques', 1e-3),
        ('equations_of_motion', 2e-2),
        ('equations_of_motion_fourier', 2e-3),
    ],
)
@pytest.mark.slow
def test_every_method_finds_the_19_parameters(capsys, bag, plain, method, limit):
    """With the noise of the paper's sensors and a prior that is off by some tens of per cent."""
    config = plain if method in BIASED else CONFIG
    result = identified(capsys, bag, '--method', method, config=config)
    assert result['method'] == method
    assert len(result['parameters']['names']) == 19
    assert worst(result) < limit
    assert result['identifiability']['rank'] == 19


@pytest.mark.parametrize(
    ('method', 'holds'),
    [
        ('angular_momentum', True),
        ('angular_momentum_and_torques', True),
        ('angular_momentum_least_squares', False),
        ('equations_of_motion', False),
        ('equations_of_motion_fourier', False),
    ],
)
@pytest.mark.slow
def test_intervals_hold_or_it_is_said_that_they_do_not(capsys, bag, plain, method, holds):
    """Errors in standard deviations, and a warning where these leave the bias out."""
    config = CONFIG if holds else plain
    arguments = ['identify', bag, '--robot', PRIOR, '--config', config, '--method', method]
    result = identified(capsys, bag, '--method', method, config=config)
    assert result['intervals_hold'] is holds
    reduced = result['parameters']
    scores = (np.array(reduced['values']) - TRUE) / np.array(reduced['std'])
    if holds:
        assert np.sqrt(np.mean(scores**2)) < 2.0
        assert np.mean(np.abs(scores) < 3.0) > 0.9
    else:
        assert main([*arguments, '--all']) == 0
        assert 'is biased by noise in its regressor' in capsys.readouterr().out


@pytest.mark.slow
def test_rest_before_and_after_is_no_part_of_a_fit(tmp_path, capsys, plain, log):
    """A series fitted to a motion finds the same with five seconds of rest on both sides."""
    write_bag(tmp_path / 'bag', _with_rest(log))
    method = '--method', 'equations_of_motion_fourier'
    result = identified(capsys, str(tmp_path / 'bag'), *method, config=plain)
    assert worst(result) < 5e-3


def _with_rest(log):
    """Return a log in which joints rest for five seconds before and after; the base turns on."""
    joints = log.joints
    count, step = 500, np.median(np.diff(joints.stamps))
    before = joints.stamps[0] - step * np.arange(count, 0, -1)
    after = joints.stamps[-1] + step * np.arange(1, count + 1)
    stamps = np.concatenate([before, joints.stamps, after])

    def padded(values, *, still=False):
        ends = [np.repeat(values[[row]], count, axis=0) * (not still) for row in (0, -1)]
        return np.concatenate([ends[0], values, ends[1]])

    moved = JointStream(
        stamps,
        stamps,
        joints.names,
        padded(joints.positions),
        padded(joints.velocities, still=True),
        padded(joints.efforts, still=True),
    )
    imu = replace(
        log.imu,
        stamps=stamps,
        arrivals=stamps,
        angular_velocity=padded(log.imu.angular_velocity),
        specific_force=padded(log.imu.specific_force),
        attitudes=padded(log.imu.attitudes),
    )
    pose = replace(
        log.pose,
        stamps=stamps,
        arrivals=stamps,
        positions=padded(log.pose.positions),
        attitudes=padded(log.pose.attitudes),
    )
    return BagStreams(joints=moved, imu=imu, pose=pose)


@pytest.mark.slow
def test_what_is_held_out_is_predicted(capsys, bag):
    """The gyro of the last third, to its noise; and the same with the momentum as an option."""
    first = identified(capsys, bag, '--method', 'angular_momentum', '--holdout', '0.3')
    momentum = [str(each) for each in ANGULAR_MOMENTUM]
    again = identified(
        capsys,
        bag,
        *('--method', 'angular_momentum', '--holdout', '0.3', '--angular-momentum', *momentum),
    )
    assert first == again
    assert first['validation']['samples'] > 800
    assert max(first['validation']['rms']) < 3e-5
    assert first['validation']['chi_square'] == pytest.approx(1.0, abs=0.05)


def test_wrong_momentum_does_not_fit(capsys, bag, plain):
    """Twice the momentum is twice the parameters: only what is known fixes the scale."""
    method = '--method', 'angular_momentum_least_squares'
    result = identified(capsys, bag, *method, *_twice('--angular-momentum'), config=plain)
    np.testing.assert_allclose(result['parameters']['values'], 2.0 * TRUE, rtol=5e-3)


def _twice(option):
    return (option, *(str(2.0 * each) for each in ANGULAR_MOMENTUM))


def test_it_is_said_in_words(capsys, bag):
    arguments = ['identify', bag, '--robot', PRIOR, '--config', CONFIG]
    assert main([*arguments, '--method', 'angular_momentum', '--all']) == 0
    out = capsys.readouterr().out
    assert 'not shown: the total mass' in out
    assert 'base.my:link_2.mx' in out
    assert 'gyro_bias.x' in out


def test_what_cannot_be_done_is_said(capsys, bag, plain, log, tmp_path):
    """A URDF without a mass; equations of motion without torques."""
    arguments = ['identify', bag, '--robot', PRIOR, '--config', CONFIG]
    code = main([*arguments, '--method', 'angular_momentum', '--out-urdf', str(tmp_path / 'a')])
    assert code != 0
    assert 'it does not show the total mass' in capsys.readouterr().err
    joints = log.joints
    without = JointStream(
        joints.stamps, joints.arrivals, joints.names, joints.positions, joints.velocities
    )
    write_bag(tmp_path / 'bag', BagStreams(joints=without, imu=log.imu, pose=log.pose))
    arguments[1], arguments[5] = str(tmp_path / 'bag'), plain
    assert main([*arguments, '--method', 'equations_of_motion']) != 0
    assert 'effort in joint_states is not in the log' in capsys.readouterr().err


def test_efforts_are_written_and_read(bag, log):
    read = read_bag(bag)
    np.testing.assert_array_equal(read.joints.efforts, log.joints.efforts)


@pytest.mark.slow
def test_a_simulated_flight_is_identified(capsys, tmp_path):
    """The commands one after the other: a motion planned, flown without ROS, and its log."""
    momentum = [str(each) for each in ANGULAR_MOMENTUM]
    attitude = [str(each) for each in ATTITUDE]
    robot, bag = str(ROBOTS / 'christidi_spatial_arm.urdf'), str(tmp_path / 'bag')
    turning = ['--angular-momentum', *momentum, '--attitude', *attitude]
    plan, settings = str(tmp_path / 'plan.yaml'), tmp_path / 'settings.yaml'
    settings.write_text('{draws: 20, restarts: 1, iterations: 2, harmonics: 3, duration: 25.0}\n')
    arguments = ['plan', PRIOR, '--config', str(settings), '--out', plan, '--json', *turning]
    assert main(arguments) == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned['duration'] == 25.0
    assert planned['family'] == 'fourier-quintic'
    assert set(TRUE_NAMES) <= set(planned['std'])
    assert all(std is not None for std in planned['std'].values())
    assert (tmp_path / 'plan.html').exists()
    arguments = ['simulate', robot, '--prior', PRIOR, '--plan', plan, '--out', bag, *turning]
    assert main(arguments) == 0
    capsys.readouterr()
    result = identified(capsys, bag, '--method', 'angular_momentum')
    assert worst(result) < 1e-3
    assert result['chi_square'] == pytest.approx(1.0, abs=0.1)

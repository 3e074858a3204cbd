"""``import spacerobot_id as sid``: what it offers, from arrays and logs to files."""

import subprocess
import sys

import numpy as np
import pytest
import yaml

import spacerobot_id as sid
from spacerobot_id.exceptions import ConfigurationError, MeasurementError
from spacerobot_id.excitation import planner
from spacerobot_id.flight import recording
from spacerobot_id.measurement.bag.writer import BagStorage, write_bag
from spacerobot_id.model import robot_from_yaml_string
from spacerobot_id.simulation import ManoeuvringMode

BODY = {'inertia': {'ixx': 0.4, 'iyy': 0.5, 'izz': 0.6}}
ROBOT = {
    'dh': {
        'name': 'arm',
        'base': {'mass': 40.0} | BODY,
        'joints': [
            {'name': 'one', 'alpha': 1.5, 'xyz': [0.4, 0.0, 0.3], 'mass': 4.0} | BODY,
            {'name': 'two', 'a': 0.5, 'mass': 3.0, 'com': [0.2, 0.0, 0.0]} | BODY,
        ],
    },
    'wheels': [{'name': 'wheel', 'axis': [0, 0, 1], 'spin_inertia': 0.05, 'max_rate': 300.0}],
    'joint_limits': {
        name: {'lower': -2.0, 'upper': 2.0, 'velocity': 0.5, 'acceleration': 1.0}
        for name in ('one', 'two')
    },
    'noise': {
        'joint_position': 1e-4,
        'joint_rate': 1e-3,
        'base_angular_velocity': 1e-3,
        'base_position': 1e-3,
        'base_attitude': 1e-3,
        'rate': 50.0,
    },
}


def robot(scale=1.0):
    """Return the robot with masses of another scale."""
    content = yaml.safe_load(yaml.safe_dump(ROBOT))
    for body in (content['dh']['base'], *content['dh']['joints']):
        body['mass'] *= scale
    return robot_from_yaml_string(yaml.safe_dump(content), 'arm.yaml')


@pytest.fixture(name='log', scope='module')
def flown():
    motion = sid.plan(robot(), duration=20.0, draws=2, restarts=1, iterations=2)
    return sid.simulate(robot(), motion, seed=3)


def arrays_of(log):
    """Return the streams of a simulation as arrays, each with times of its own."""
    joints, imu, pose = log.joints, log.imu, log.pose
    return {
        'q': (joints.stamps, joints.positions[:, :2]),
        'qd': (joints.stamps, joints.velocities[:, :2]),
        'wheel_rates': (joints.stamps, joints.velocities[:, 2]),
        'gyro': (imu.stamps, imu.angular_velocity),
        'position': (pose.stamps, pose.positions),
        'attitude': (pose.stamps, pose.attitudes),
        'twist': (log.twist.stamps, log.twist.twists),
    }


def test_the_import_is_light():
    """Nothing is loaded before it is used, and what is not there is an AttributeError."""
    code = 'import sys, spacerobot_id as sid; assert "numpy" not in sys.modules; sid.load_robot; '
    code += 'assert "numpy" in sys.modules; assert "identify" in dir(sid); sid.identified'
    ran = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=False)
    assert "AttributeError: module 'spacerobot_id' has no attribute 'identified'" in ran.stderr


def test_arrays_streams_and_a_bag_give_the_same_robot(log, tmp_path):
    """The true one, from a prior of which every mass is a fifth too large."""
    write_bag(tmp_path / 'bag', log, BagStorage.MCAP)
    prior = robot(1.2)
    found = [sid.identify(each, prior) for each in (log, arrays_of(log), tmp_path / 'bag')]
    truth = sid.minimal_parameters(robot()).values(robot())
    for each in found:
        assert each.is_usable, each.reasons
        assert np.abs((each.values - truth) / each.std).max() < 5.0
        np.testing.assert_allclose(each.values, found[0].values, rtol=1e-6, atol=1e-6)
        assert each.robot.mass == pytest.approx(47.0, rel=0.02)
    assert repr(found[0]) == '<arm: usable; 24 of 24 parameters identified>'
    assert repr(prior) == '<arm: 3 links, 2 joints, 1 wheels, 56.4 kg>'


def test_a_result_is_written(log, tmp_path):
    """As by the commands: a page with its files, and a robot that can be loaded."""
    found = sid.identify(log, robot(1.2), holdout=0.2)
    page = found.report(tmp_path / 'report')
    assert {path.name for path in page.parent.iterdir()} >= {'report.html', 'result.json'}
    written = sid.load_robot(found.to_urdf(tmp_path / 'deep' / 'arm.urdf'))
    assert written.mass == pytest.approx(found.robot.mass)
    assert found.names[0] in found.table()
    assert found.to_dict()['usable'] is True


def test_settings_are_those_of_the_nodes(log):
    found = sid.identify(log, robot(), method='least_squares')
    assert found.result.method.name == 'least_squares'
    with pytest.raises(ConfigurationError, match=r'methd: unknown setting; did you mean method\?'):
        sid.identify(log, robot(), methd='momentum')
    with pytest.raises(ConfigurationError, match='duraton: unknown setting; did you mean dura'):
        sid.plan(robot(), duraton=3.0)
    with pytest.raises(ConfigurationError, match='momentum fits one bag'):
        sid.identify(['a', 'b'], robot())
    with pytest.raises(ConfigurationError, match="topic: 'pose' must be one of joint_states"):
        sid.identify('bag', robot(), topics={'pose': '/pose'})


def test_a_plan_is_for_the_momentum_that_is_given(monkeypatch):
    """As of the command with the same keys in its file."""
    asked = []
    monkeypatch.setattr(planner, 'plan_excitation', lambda *args, **more: asked.append(more))
    sid.plan(robot(), known_angular_momentum=[0.0, 1.0, 0.0], trust_zeros=True)
    sid.plan(robot(), method='momentum_balance')
    assert [each['method'] for each in asked] == ['angular_momentum', 'momentum_balance']
    assert asked[0]['momentum'].angular_momentum == (0.0, 1.0, 0.0)
    assert asked[0]['momentum'].trust_zeros
    with pytest.raises(ConfigurationError, match='plan_file: unknown setting'):
        sid.plan(robot(), plan_file='plan.yaml')


def test_modes_of_flight_have_the_names_of_the_command(monkeypatch):
    asked = []
    monkeypatch.setattr(recording, 'fly_plan', lambda *args: asked.append(args[-1]))
    sid.simulate(robot(), object(), mode='floating', seed=4)
    assert (asked[0].mode, asked[0].seed) == (ManoeuvringMode.FLOATING, 4)
    with pytest.raises(ConfigurationError, match='mode: must be one of floating, rotation-floati'):
        sid.simulate(robot(), object(), mode='hovering')


TIMES = np.arange(3.0)


@pytest.mark.parametrize(
    ('arrays', 'message'),
    [
        ({'Q': TIMES}, 'Q: unknown array; known are times, q, qd'),
        ({'q': np.zeros((3, 2))}, 'q: its times are missing'),
        (
            {'times': TIMES, 'q': np.zeros((3, 3))},
            r'q: must have the shape \(3, 2\), got \(3, 3\)',
        ),
        (
            {'times': 0.0 * TIMES, 'q': np.zeros((3, 2))},
            'q: its times must be finite and increase',
        ),
        ({'times': TIMES, 'q': [['a', 'b']] * 3}, 'q: must be numbers'),
        ({'times': TIMES, 'attitude': np.ones((3, 4))}, 'position: it is missing'),
        ({'times': TIMES, 'position': np.ones((3, 3))}, 'attitude: it is missing'),
        (
            {'times': TIMES, 'q': np.zeros((3, 2)), 'qd': (TIMES[:2], np.zeros((2, 2)))},
            'qd: must have the times of q',
        ),
        (
            {'times': TIMES, 'q': np.zeros((3, 2))},
            'neither base_twist nor base_pose is in the log',
        ),
    ],
)
def test_faults_of_arrays_are_named(arrays, message):
    with pytest.raises(MeasurementError, match=message):
        sid.identify(arrays, robot())

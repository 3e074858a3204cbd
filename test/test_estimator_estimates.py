"""Estimates without a base velocity, of a changed robot and of an impossible one."""

from estimator_sensors import estimator, EVERY_TOPIC, failing, robots_folder, TRUE
import numpy as np
from numpy.testing import assert_allclose
import pytest
from small_robot import small_robot_prior
from streams import ROBOT, TYPES

from spacerobot_id.nodes import qos
from spacerobot_id.regressor import minimal_parameters


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
    return robots_folder(tmp_path_factory)


@pytest.fixture(scope='module', name='poses')
def sensors_without_base_twist(folder):
    """Return the sensors of an estimator that gets no base velocity, and cannot save."""
    (folder / 'file').write_text('no folder')
    topics = ('joint_states', 'imu/data', 'base_pose')
    settings = {'save_file': str(folder / 'file' / 'estimate.json'), 'velocity_window': 11}
    with estimator(folder, 'poses', topics, failing, **settings) as sensors:
        yield sensors


def test_F33_before_the_first_sample_nothing_is_identified(poses):
    """The report is the prior's, and is not valid."""
    poses.client.wait_until(lambda: poses.reports)
    report = poses.report
    assert (report['samples'], report['rank'], report['valid']) == (0, 0, False)
    assert report['not_identified'] == report['names']
    assert report['condition_number'] is None
    prior = minimal_parameters(ROBOT).values(small_robot_prior())
    assert_allclose(report['values'], prior, rtol=1e-6, atol=1e-9)
    assert poses.status().message == 'waiting for base_twist'


def test_without_base_twist_the_velocity_is_taken_from_the_pose(poses):
    """Said in the log and in the report; what was heard before is used."""
    poses.fly(100)
    poses.client.wait_until(lambda: poses.report['velocity_source'] == 'base_pose')
    poses.node.wait_for_output('no base_twist: ')
    assert 'by a local polynomial over 11 samples' in poses.node.output()
    poses.fly(600)
    poses.client.wait_until(lambda: poses.report['samples'] >= 650)
    report = poses.report
    assert report['rank'] == len(TRUE)
    assert np.median(np.abs(np.array(report['values']) / TRUE - 1.0)) < 0.02
    assert report['mass'] == pytest.approx(39.0, rel=0.05)


def test_F26_an_exception_in_a_callback_is_counted_and_survived(poses):
    """The file to save to cannot be written."""
    answer = poses.call('save')
    assert not answer.success
    assert answer.message
    poses.client.wait_until(lambda: poses.counts()['callback errors'] == '1')
    samples = poses.report['samples']
    poses.fly(50)
    poses.client.wait_until(lambda: poses.report['samples'] > samples)


def test_a_base_twist_that_comes_late_is_used(poses):
    """With another noise the estimate begins anew."""
    poses.topics = EVERY_TOPIC
    poses.publishers['base_twist'] = poses.client.publisher(
        TYPES['base_twist'], 'base_twist', qos.stream_output(1000)
    )
    poses.meet(['base_twist'])
    poses.fly(200)
    assert poses.settle()['velocity_source'] == 'base_twist'
    assert poses.report['samples'] <= 250
    poses.node.wait_for_output('base_twist has come')

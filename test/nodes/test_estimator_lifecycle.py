"""How the estimator starts, ends and goes on."""

import json
import signal
import time

from estimator_sensors import estimator, FAST, robots_folder, Sensors
from geometry_msgs.msg import WrenchStamped
import numpy as np
import pytest
from ros_harness import Client, NodeProcess, ROBOTS, running
from streams import messages

from spacerobot_id.nodes.common import qos

CUBE = str(ROBOTS / 'space_cobot.urdf')


@pytest.fixture(scope='module', name='folder')
def folder_of_robots(tmp_path_factory):
    return robots_folder(tmp_path_factory)


def test_F23_best_effort_publishers_are_heard(folder):
    """Subscriptions ask for no more than sensors offer."""
    parameters = {'robot': str(folder / 'prior.urdf'), **FAST}
    with (
        running('estimator', parameters, ('-r', '__ns:=/best_effort')),
        Client(namespace='best_effort') as client,
    ):
        sensors = Sensors(client, profile=qos.sensor_input)
        sensors.fly(50)
        assert sensors.settle()['samples'] > 30


def test_F23_a_publisher_that_cannot_be_heard_is_named_with_the_policy(folder):
    """Wrenches are commands: none may be lost, so a best effort publisher is no match."""
    parameters = {'robot': CUBE, 'method': 'free_flyer', **FAST}
    with (
        running('estimator', parameters, ('-r', '__ns:=/mismatch')) as node,
        Client(namespace='mismatch') as client,
    ):
        client.node.create_publisher(WrenchStamped, 'base_wrench', qos.sensor_input())
        node.wait_for_output('RELIABILITY')
        line = next(line for line in node.output().splitlines() if 'RELIABILITY' in line)
        assert "'base_wrench'" in line


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_F27_signals_end_it_while_it_works(folder, number):
    """In the middle of a stream and a refinement: exit code 0, no traceback."""
    parameters = {'robot': str(folder / 'prior.urdf'), **FAST}
    namespace = ('-r', '__ns:=/ended')
    with (
        running('estimator', parameters, namespace) as node,
        Client(namespace='ended') as client,
    ):
        sensors = Sensors(client)
        sensors.fly(100)
        assert sensors.call('refine').success
        sensors.publish(messages(sensors.row, sensors.stamp, sensors.rng))
        node.send(number)


def test_F27_F35_a_restart_goes_on_from_the_checkpoint(folder, tmp_path):
    """Written at the end, taken by the next process, refused aloud with other settings."""
    file = tmp_path / 'kept' / 'checkpoint.json'
    with estimator(folder, 'kept', checkpoint_file=str(file)) as sensors:
        sensors.fly(300)
        sensors.settle()
    kept = json.loads(file.read_text())
    with estimator(folder, 'kept', checkpoint_file=str(file)) as sensors:
        report = sensors.report  # with what came since
        assert 100 < kept['samples'] <= report['samples'] <= kept['samples'] + 50
        values = np.linalg.solve(kept['factor'], kept['target'])
        assert np.all(np.abs(values - report['values']) <= 0.5 * np.array(report['std']))
        assert sensors.report['valid']
        assert sensors.call('reset').success
        assert not file.exists()
        sensors.fly(300)
        sensors.settle()
    assert file.exists()
    with running(
        'estimator',
        {
            'robot': str(folder / 'prior.urdf'),
            **FAST,
            'checkpoint_file': str(file),
            'prior_mass_std': 0.4,
        },
    ) as node:
        node.wait_for_output('cold start: it is of another description or other settings')


def test_F27_an_impatient_user_changes_no_exit_code(folder):
    """One signal after the other until it is gone: still 0."""
    node = NodeProcess('estimator', {'robot': str(folder / 'prior.urdf'), **FAST})
    node.wait_for_output('effective configuration')
    while node.process.poll() is None:
        node.send(signal.SIGINT)
        time.sleep(0.005)
    assert node.exit_code() == 0, node.final_output


@pytest.mark.parametrize(
    ('settings', 'reason'),
    [
        ({}, 'robot: the path of a URDF is needed'),
        ({'robot': '/nowhere.urdf'}, '/nowhere.urdf: file: cannot be read'),
        ({'velocity_window': 20}, 'velocity_window: must be odd'),
        (
            {'base_velocity': 'guess'},
            "base_velocity: must be one of auto, base_twist, base_pose, got 'guess'",
        ),
    ],
)
def test_F39_settings_it_cannot_start_with_are_said_without_a_traceback(settings, reason):
    node = NodeProcess('estimator', settings)
    assert node.exit_code() == 1, node.final_output
    assert reason in node.final_output
    assert 'Traceback' not in node.final_output


def test_files_that_cannot_be_written_are_told_at_the_start(folder, tmp_path):
    """It works all the same; resetting and saving are answered."""
    (tmp_path / 'file').write_text('')
    paths = {key: str(tmp_path / 'file' / 'it.json') for key in ('save_file', 'checkpoint_file')}
    with estimator(folder, 'unwritable', **paths) as sensors:
        sensors.fly(100)
        output = sensors.node.output()
        assert sensors.call('reset').success
        answer = sensors.call('save')
    assert not answer.success
    assert f'{paths["save_file"]}: not written' in answer.message
    for key in paths:
        assert f'{key}: nothing will be written: {tmp_path / "file"} is no folder' in output

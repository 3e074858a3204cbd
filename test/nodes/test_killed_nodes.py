"""Nodes killed in the middle of missions: the robot rests, and what is known stays true."""

import json

from endurance.kill import kill_nodes
from endurance.memory import growth
from endurance.soak import errors
from estimator_sensors import estimator, robots_folder, spoiling
import numpy as np
import pytest


@pytest.mark.slow
def test_killed_nodes_leave_no_harm():
    """One of each, as ``make kill`` does fifty times: its claims hold."""
    for trial in kill_nodes(times=3, seed=5):
        assert not trial.faults, trial


def in_other_axes(message):
    message.angular_velocity.y *= -1.0
    message.angular_velocity.z *= -1.0


def test_what_may_not_be_used_is_not_kept(tmp_path_factory, tmp_path):
    """Samples of a gyro in other axes are in the estimate, and in no checkpoint, even the last."""
    file = tmp_path / 'checkpoint.json'

    def kept():
        return json.loads(file.read_text())['samples']

    folder, settings = robots_folder(tmp_path_factory), {'checkpoint_file': str(file)}
    with estimator(folder, 'unusable', checkpoint_period=0.1, **settings) as sensors:
        sensors.fly(300)
        good = sensors.settle()
        sensors.client.wait_until(lambda: file.exists() and kept() == good['samples'])
        sensors.fly(200, spoiling('imu/data', in_other_axes))
        sensors.client.wait_until(lambda: not sensors.report['valid'])
        last = kept()
        sensors.fly(100, spoiling('imu/data', in_other_axes))
        sensors.client.wait_for(sensors.reports, 10)
        assert not sensors.report['valid']
    assert kept() == last < good['samples'] + 200


@pytest.mark.parametrize(('slope', 'is_flat'), [(0.0, True), (5.0, False)])
def test_memory_that_grows_is_told_from_memory_that_varies(slope, is_flat):
    """An hour of looks, 1 MB up and down."""
    seconds = np.arange(0.0, 3600.0, 2.0)
    noise = np.random.default_rng(0).normal(size=len(seconds))
    found = growth(seconds, 100.0 + slope * seconds / 3600.0 + noise)
    assert found.slope == pytest.approx(slope, abs=4.0 * found.std)
    assert found.is_flat is is_flat


def test_errors_in_logs_are_found():
    """But for those that say what was done to the nodes."""
    expected = (
        '[ERROR] [1.0] [planner]: stopping the motion: joint_states: no message received for 2 s'
    )
    others = ['[ERROR] [1.0] [planner]: stopping the motion: a is at 1', 'Traceback (most recent']
    assert errors('\n'.join(['[INFO] all is well', expected, *others])) == others

"""Nodes killed in the middle of missions: the robot rests, and what is known stays true."""

import json
from types import SimpleNamespace

from endurance.kill import kill_nodes
from endurance.memory import growth
from endurance.recording import Comparison
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


@pytest.mark.parametrize(('slope', 'is_flat'), [(0.0, True), (25.0, True), (35.0, False)])
def test_memory_that_grows_is_told_from_memory_that_varies(slope, is_flat):
    """An hour of looks, 1 MB up and down."""
    seconds = np.arange(0.0, 3600.0, 2.0)
    noise = np.random.default_rng(0).normal(size=len(seconds))
    found = growth(seconds, 100.0 + slope * seconds / 3600.0 + noise)
    assert found.slope == pytest.approx(slope, abs=4.0 * found.std)
    assert found.at_rest == pytest.approx(slope, abs=0.6)
    assert found.is_flat is is_flat


@pytest.mark.parametrize(('slope', 'is_flat'), [(0.0, True), (33.0, False)])
def test_memory_at_rest_shows_less_growth(slope, is_flat):
    """An hour of looks, at a quarter of which up to 10 MB are used for a while."""
    seconds, rng = np.arange(0.0, 3600.0, 2.0), np.random.default_rng(0)
    used = rng.uniform(0.0, 10.0, len(seconds)) * (rng.random(len(seconds)) < 0.25)
    found = growth(seconds, 100.0 + slope * seconds / 3600.0 + used)
    assert found.at_rest == pytest.approx(slope, abs=0.05)
    assert found.is_flat is is_flat


def compared(begin, lacking, mistake=0.0, seed=0):
    """Fit a line through 2000 points that show its slope at begin and end alone; compare fits.

    One of them lacks some points from some place on, and has a slope that is off by some
    deviations.
    """
    rng = np.random.default_rng(seed)
    rows = np.vstack([np.ones(2000), np.linspace(-1.0, 1.0, 2000) ** 9]).T
    seen = rng.normal(size=2000)

    def fit(kept):
        covariance = np.linalg.inv(rows[kept].T @ rows[kept])
        return covariance @ rows[kept].T @ seen[kept], np.sqrt(np.diag(covariance))

    kept = np.ones(2000, dtype=bool)
    kept[begin : begin + lacking] = False
    (values, std), (others, other_std) = fit(kept), fit(kept | True)
    values = values + np.array([0.0, mistake * std[1]])
    report = {'values': values, 'std': std, 'samples': kept.sum()}
    batch = SimpleNamespace(values=others, std=other_std, samples=2000)
    return Comparison.of(report, batch)


def test_estimates_of_the_same_samples_differ_by_rounding_alone():
    """A tenth of a deviation is more."""
    assert compared(0, 0).is_equal
    assert not compared(0, 0, mistake=0.2).is_equal
    assert not compared(0, 0, mistake=-0.2).is_equal


def test_estimates_may_differ_by_what_samples_that_are_lacking_show():
    """Those at the begin show the slope, and those in the middle nothing of it."""
    found = [compared(begin, 25, seed=seed) for begin in (0, 900, 1975) for seed in range(100)]
    assert all(each.is_equal for each in found)
    assert max(each.off for each in found) > 0.1 + 4.0 * np.sqrt(25 / 2000)
    assert not any(compared(900, 25, 0.6, seed).is_equal for seed in range(100))


def test_errors_in_logs_are_found():
    """But for those that say what was done to the nodes."""
    expected = (
        '[ERROR] [1.0] [planner]: stopping the motion: joint_states: no message received for 2 s'
    )
    others = ['[ERROR] [1.0] [planner]: stopping the motion: a is at 1', 'Traceback (most recent']
    assert errors('\n'.join(['[INFO] all is well', expected, *others])) == others

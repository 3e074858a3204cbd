"""One run: drawn, flown, identified, and judged against its own truth; the same wherever."""

from dataclasses import replace

from campaigns import work_of
import numpy as np
import pytest

from spacerobot_id.lab.campaign.execution import finished_run, prepared
from spacerobot_id.lab.campaign.run import flown_run
from spacerobot_id.model import Sensors
from spacerobot_id.simulation import SensorSet

GRASP = {
    'link': 'arm_link_7',
    'time': 3.0,
    'mass': 30.0,
    'com': [0.0, 0.0, 0.2],
    'inertia': [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
}


@pytest.fixture
def work(tmp_path):
    return work_of(tmp_path)


def test_a_run_is_the_same_to_the_last_bit_whatever_ran_before(work):
    first = finished_run(work, 7).row
    finished_run(work, 2)
    prepared.cache_clear()
    assert finished_run(work, 7).row == first
    assert first['error'] == ''
    assert first['not_applied'] == ''
    assert finished_run(work, 8).row['mass_error'] != first['mass_error']


def test_errors_are_against_the_robot_that_was_drawn(work):
    campaign, _ = prepared(work)
    run, flown = flown_run(campaign, 1)
    mass = sum(link.inertial.mass for link in flown.truth.robot.links)
    drawn = run.drawn
    assert mass == pytest.approx(
        sum(value for key, value in drawn.items() if key.endswith('.mass')), rel=1e-9
    )
    expected = abs(flown.result.robot.mass - mass) / mass
    assert run.outcome.metrics['mass_error'] == pytest.approx(expected, rel=1e-9)
    scores = run.outcome.error / run.outcome.std
    assert np.sqrt(np.mean(scores**2)) < 3.0


def test_a_dispersion_that_is_not_applied_is_found(work, monkeypatch):
    """Sensors that ignore what is drawn of them: every run says so, by key."""
    made = SensorSet.__init__

    def without_errors(self, model, *others, **named):
        made(self, replace(model, sensors=Sensors()), *others, **named)

    monkeypatch.setattr(SensorSet, '__init__', without_errors)
    campaign, _ = prepared(work)
    run, _ = flown_run(campaign, 0)
    assert run.not_applied == ('sensors.gyro_mounting.x', 'sensors.gyro_mounting.y')


def test_a_run_that_fails_is_kept_with_its_error(tmp_path):
    """All poses lost: there is nothing to start from."""
    dispersion = {
        'keys': 'links.bus.mass',
        'value': {'choice': {'values': [-5.0]}},
        'unit': 'kg',
    }
    row = finished_run(work_of(tmp_path, dispersions=[dispersion]), 3).row
    assert row['error'].startswith('ConfigurationError: drawn: links.bus: mass -5 kg')
    assert row['drawn.links.bus.mass'] == -5.0
    assert row['mass_error'] is None


def test_a_cause_is_right_if_the_sensors_that_flew_had_it(tmp_path):
    """A gyro mounted two degrees askew is named, and was there; no other error was."""
    askew = {
        'keys': 'sensors.gyro_mounting.x',
        'value': {'choice': {'values': [2.0]}},
        'unit': 'deg',
    }
    row = finished_run(work_of(tmp_path, dispersions=[askew]), 0).row
    assert row['errors_present'] == 'gyro_mounting'
    assert row['causes'].startswith('gyro_mounting (')
    assert (row['cause_named'], row['cause_right']) == (1.0, 1.0)
    assert finished_run(work_of(tmp_path, dispersions=None), 0).row['errors_present'] == ''


@pytest.mark.slow
def test_start_grasp_and_faults_are_flown_and_read_back(tmp_path):
    dispersions = [
        {'keys': f'start.{kind}', 'value': {'uniform': {'low': -0.5, 'high': 0.5}}, 'unit': unit}
        for kind, unit in (
            ('angular_momentum.*', 'N m s'),
            ('linear_momentum.*', 'N s'),
            ('attitude.*', 'rad'),
        )
    ]
    dispersions += [
        {
            'keys': ['grasp.time', 'faults.gap.begin'],
            'change': {'uniform': {'low': -1.0, 'high': 1.0}},
            'unit': 's',
        },
        {'keys': 'start.joints.*', 'value': {'normal': {'mean': 0, 'std': 2}}, 'unit': 'deg'},
    ]
    work = work_of(
        tmp_path,
        dispersions=dispersions,
        grasp=GRASP,
        faults={'gap': {'fault': 'F22 base_pose', 'begin': 2.0, 'duration': 0.5}},
        identify={'angular_momentum': 1.0, 'linear_momentum': 1.0, 'gate': 0.0},
    )
    row = finished_run(work, 0).row
    assert (row['error'], row['not_applied']) == ('', '')
    drawn = {key: value for key, value in row.items() if key.startswith('drawn.')}
    for key, value in drawn.items():
        tolerance = 0.05 if 'faults' in key else 1e-7
        assert row[key.replace('drawn', 'read')] == pytest.approx(value, abs=tolerance)
    assert len(drawn) == 3 * 3 + 2 + 7

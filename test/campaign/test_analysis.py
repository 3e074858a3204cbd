"""Analysis of a table of runs: proof of application, and calibration of the method."""

import numpy as np
import pytest

from spacerobot_id.lab.campaign.analysis.calibration import (
    applied,
    coverages,
    detections,
    squared_errors,
)
from spacerobot_id.lab.campaign.draws.dispersions import Dispersion, Meaning
from spacerobot_id.lab.campaign.draws.distributions import Continuous
from spacerobot_id.lab.campaign.result_folder import Results

COUNT, SIZE = 400, 5
MASS = Dispersion(('mass',), (10.0,), Meaning.FACTOR, (Continuous('normal', (1.0, 0.05)),))
OFFSET = Dispersion(('offset',), (0.0,), Meaning.VALUE, (Continuous('uniform', (-1.0, 1.0)),))


def results(scale=1.0, **others):
    """Return runs whose errors are that many times as large as their deviations."""
    rng = np.random.default_rng(0)
    std = rng.uniform(0.5, 2.0, (COUNT, SIZE))
    error = scale * std * rng.normal(size=(COUNT, SIZE))
    columns = {
        'index': np.arange(COUNT),
        'error': np.array([''] * COUNT, dtype=object),
        'not_applied': np.array([''] * COUNT, dtype=object),
        'causes': np.array([''] * COUNT, dtype=object),
        'errors_present': np.array([''] * COUNT, dtype=object),
        'read.mass': 10.0 * rng.normal(1.0, 0.05, COUNT),
        'read.offset': rng.uniform(-1.0, 1.0, COUNT),
        'nees': np.sum((error / std) ** 2, axis=1),
        'identified': np.full(COUNT, float(SIZE)),
        'grasp_detected': np.full(COUNT, np.nan),
        'detection_delay': np.full(COUNT, np.nan),
        'false_changes': np.zeros(COUNT),
    }
    for k in range(SIZE):
        columns |= {f'error.p{k}': error[:, k], f'std.p{k}': std[:, k]}
        columns[f'identified.p{k}'] = np.ones(COUNT)
    return Results(columns | others)


def test_what_was_drawn_as_it_was_asked_is_called_so():
    for each in applied((MASS, OFFSET), results()):
        assert each.is_applied
        assert each.runs == COUNT


def test_a_dispersion_of_another_width_or_none_is_found():
    narrow = results(**{'read.mass': 10.0 * np.random.default_rng(1).normal(1.0, 0.03, COUNT)})
    assert [each.key for each in applied((MASS, OFFSET), narrow) if not each.is_applied] == [
        'mass'
    ]
    never = results(**{'read.offset': np.zeros(COUNT)})
    assert [each.key for each in applied((MASS, OFFSET), never) if not each.is_applied] == [
        'offset'
    ]


def test_runs_that_were_not_flown_with_what_was_drawn_are_named():
    missed = np.array([''] * COUNT, dtype=object)
    missed[7] = 'offset, other'
    mass, offset = applied((MASS, OFFSET), results(not_applied=missed))
    assert mass.is_applied
    assert offset.not_used == (7,)
    assert not offset.is_applied


def test_true_deviations_are_called_true():
    found = squared_errors(results())
    assert found.is_by_chance
    assert np.mean(found.probabilities) == pytest.approx(0.5, abs=0.06)
    assert sum(each.is_by_chance for each in coverages(results())) >= SIZE - 1


@pytest.mark.parametrize('scale', [0.7, 1.4])
def test_deviations_that_are_too_large_or_too_small_are_found(scale):
    found = squared_errors(results(scale))
    assert not found.is_by_chance
    assert found.mean == pytest.approx(scale**2, rel=0.1)
    assert not any(each.is_by_chance for each in coverages(results(scale)))


def test_detections_are_counted():
    announced = np.array([1.0] * 300 + [0.0] * 100)
    found = detections(
        results(
            grasp_detected=announced,
            detection_delay=np.where(announced == 1.0, 1.5, np.nan),
            false_changes=np.where(np.arange(COUNT) == 3, 2.0, 0.0),
        )
    )
    assert (found.grasps, found.announced, found.false_alarms) == (400, 300, 2)
    assert found.announced_bounds[0] < 0.75 < found.announced_bounds[1]
    assert found.delays == (1.5, 1.5, 1.5)
    assert found.causes == ()


def test_causes_are_right_where_they_were_there():
    """A mounting that is always there and named in half of the runs, a delay that never is."""
    half = np.arange(COUNT) % 2 == 0
    named = 'gyro_mounting (gyro_mounting.x 0.01 rad); delay.imu of about 0.1 s'
    mounting, delay = detections(
        results(
            causes=np.where(half, named, '').astype(object),
            errors_present=np.array(['gyro_mounting'] * COUNT, dtype=object),
        )
    ).causes[::-1]
    assert (mounting.name, mounting.present, mounting.named, mounting.right) == (
        'gyro_mounting', 400, 200, 200,
    )  # fmt: skip
    assert (delay.name, delay.present, delay.named, delay.right) == ('delay.imu', 0, 200, 0)
    assert mounting.right_bounds[0] > 0.95
    assert delay.right_bounds[1] < 0.05

"""Verdicts: bounds, looks, and the confidence that they are stated with."""

import numpy as np
import pytest
from scipy.stats import beta

from spacerobot_id.lab.campaign.analysis.requirements import (
    confidence_at,
    judged,
    looks,
    percentile,
    Requirement,
    share_bounds,
    Verdict,
)

MASS = Requirement('mass', 'mass_error', '<', 0.01, 'mass_error < 1 %', 0.9, 0.95)


@pytest.mark.parametrize(('kept', 'runs'), [(0, 20), (7, 20), (19, 20), (20, 20), (950, 1000)])
def test_bounds_are_those_of_clopper_and_pearson(kept, runs):
    low, high = share_bounds(kept, runs, 0.95)
    assert low == pytest.approx(beta.ppf(0.05, kept, runs - kept + 1) if kept else 0.0)
    assert high == pytest.approx(beta.ppf(0.95, kept + 1, runs - kept) if kept < runs else 1.0)


def test_the_probability_of_a_wrong_verdict_is_spent_once():
    schedule = looks(1000)
    assert schedule == (31, 62, 125, 250, 500, 1000)
    spent = [1.0 - confidence_at(0.95, k, len(schedule)) for k in range(len(schedule))]
    assert sum(spent) == pytest.approx(0.05)
    assert looks(10) == (10,)


@pytest.mark.parametrize(('true', 'wrong'), [(0.8999, Verdict.PASSED), (0.9, Verdict.FAILED)])
def test_verdicts_on_the_edge_are_wrong_no_more_often_than_stated(true, wrong):
    """Bernoulli streams of known probability: at most 5 %, and it stays undecided mostly."""
    rng = np.random.default_rng(0)
    verdicts = [judged(MASS, rng.random(640) < true, 640).verdict for _ in range(1500)]
    assert np.mean([each is wrong for each in verdicts]) <= 0.05
    assert np.mean([each is Verdict.UNDECIDED for each in verdicts]) > 0.8


@pytest.mark.parametrize(('true', 'right'), [(0.97, Verdict.PASSED), (0.7, Verdict.FAILED)])
def test_clear_cases_are_decided_before_the_budget_is_spent(true, right):
    rng = np.random.default_rng(1)
    found = [judged(MASS, rng.random(1000) < true, 1000) for _ in range(100)]
    assert np.mean([each.verdict is right for each in found]) > 0.97
    assert np.median([each.runs for each in found]) <= 500


def test_it_is_looked_at_full_looks_alone():
    """Runs beyond a look count at the next one: the verdict does not depend on when one asks."""
    kept = np.ones(1000, dtype=bool)
    assert judged(MASS, kept[:124], 1000).runs == 62
    assert judged(MASS, kept[:130], 1000).runs == 62  # decided there
    assert judged(MASS, kept[:20], 1000).verdict is Verdict.UNDECIDED


def test_a_run_without_a_value_keeps_nothing():
    values = np.array([0.005, -0.005, 0.02, np.nan])
    assert MASS.kept(values).tolist() == [True, True, False, False]
    flag = Requirement('usable', 'usable', '', 1.0, 'usable', 0.9, 0.95)
    assert flag.kept(np.array([1.0, 0.0, np.nan])).tolist() == [True, False, False]


def test_intervals_of_percentiles_hold_them_as_often_as_stated():
    rng = np.random.default_rng(2)
    true = np.log(10.0)  # 90 % of the exponential distribution
    found = [percentile(rng.exponential(size=200), 0.9, 0.95) for _ in range(800)]
    held = np.mean([each.low <= true <= each.high for each in found])
    assert 0.94 <= held <= 1.0
    assert percentile(rng.random(20), 0.99, 0.95).high == np.inf

"""First-order Sobol indices from given samples, against known ones."""

import numpy as np
import pytest

from spacerobot_id.lab.campaign.analysis.method_sections import (
    first_order_index,
    influences,
    worst_runs,
)
from spacerobot_id.lab.campaign.result_folder import Results


def ishigami(count, seed=0):
    """Return inputs and outputs of Ishigami and Homma's function, a = 7, b = 0.1."""
    x = np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, 3))
    y = np.sin(x[:, 0]) + 7.0 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])
    return x, y


def test_indices_of_ishigamis_function():
    """0.3139, 0.4424 and 0 (Saltelli et al., 2008)."""
    x, y = ishigami(8000)
    found = [first_order_index(x[:, k], y) for k in range(3)]
    assert [index for index, _ in found] == pytest.approx([0.3139, 0.4424, 0.0], abs=0.02)
    assert found[0][1] < 1e-9
    assert found[2][1] > 1e-3


def test_chance_puts_nothing_there_on_average():
    """Few runs: the mean index of what has no influence is zero, not that of the bins."""
    rng = np.random.default_rng(3)
    pairs = [first_order_index(rng.random(40), rng.random(40)) for _ in range(2000)]
    indices, p_values = np.array(pairs).T
    assert abs(indices.mean()) < 4.0 * indices.std() / np.sqrt(2000)
    assert np.mean(p_values < 0.05) == pytest.approx(0.05, abs=0.02)


def test_choices_are_bins_of_their_own():
    rng = np.random.default_rng(2)
    chosen = rng.choice([50.0, 100.0], 500)
    index, _ = first_order_index(chosen, chosen + rng.normal(size=500) * 25.0)
    assert index == pytest.approx(0.5, abs=0.06)
    assert np.isnan(first_order_index(np.ones(30), rng.random(30))[0])


def results_of(**columns):
    count = len(next(iter(columns.values())))
    plain = {'index': np.arange(count), 'error': np.array([''] * count, dtype=object)}
    return Results(plain | {name.replace('__', '.'): each for name, each in columns.items()})


def test_the_largest_driver_stands_first():
    x, y = ishigami(2000)
    found = influences(results_of(read__a=x[:, 0], read__b=x[:, 1], read__c=x[:, 2], y=y), 'y')
    assert found[-1].key == 'c'
    assert {each.key for each in found[:2]} == {'a', 'b'}


def test_the_worst_runs_are_those_with_the_largest_magnitude():
    results = results_of(y=np.array([0.1, -3.0, np.nan, 2.0, -3.0]))
    assert worst_runs(results, 'y', 3).tolist() == [1, 4, 3]
    assert worst_runs(results, 'y').tolist() == [1, 4, 3, 0]

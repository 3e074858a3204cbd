"""Combinations of parameters that data show where they do not show each alone."""

from types import SimpleNamespace

import numpy as np
import pytest

from spacerobot_id.estimation.analysis.bodies import seen_combinations
from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.statistics.square_root_information import SquareRootInformation

NAMES = ('a', 'b', 'c', 'd')
STD = np.array([1.0, 1.0, 2.0, 1.0])


def result_of(rows):
    """Return a result of four parameters of which equations with unit noise are known."""
    rows = np.atleast_2d(rows).astype(float)
    prior = SquareRootInformation.from_prior(np.zeros(4), np.diag(STD**2))
    after = prior.absorb(rows, np.zeros(len(rows)))
    estimate = Estimate(
        NAMES, ('kg',) * 4, after.values(), after.covariance(), STD, 1, 1.0, len(rows), 1.0
    )
    described = SimpleNamespace(mean=np.zeros(4), linearised=lambda _: prior)
    return SimpleNamespace(estimate=estimate, method=SimpleNamespace(prior=lambda: described))


def test_a_sum_that_is_measured_is_found():
    """Of a and b only the sum; it is listed once and not twice."""
    (found,) = seen_combinations(result_of([[100.0, 100.0, 0.0, 0.0], [0, 0, 100.0, 0]]))[:1]
    assert set(found.names) == {'a', 'b'}
    assert found.factors == pytest.approx((1.0, 1.0), abs=1e-3)
    assert found.std == pytest.approx(0.01, rel=0.01)
    assert found.alone == pytest.approx(np.sqrt(0.5), rel=0.01)
    assert found.formula() in ('a + 1 b', 'b + 1 a')


def test_three_together_and_with_what_factors():
    """``a - 2 b + 0.5 c`` is measured: two partners are needed, one is not enough."""
    found = seen_combinations(result_of([[200.0, -400.0, 100.0, 0.0]]))
    first = next(each for each in found if set(each.names) == {'a', 'b', 'c'})
    factors = dict(zip(first.names, first.factors, strict=True))
    assert factors['b'] / factors['a'] == pytest.approx(-2.0, rel=1e-2)
    assert factors['c'] / factors['a'] == pytest.approx(0.5, rel=1e-2)
    assert first.std < 0.01


def test_what_is_seen_alone_or_not_at_all_is_in_none():
    assert seen_combinations(result_of(100.0 * np.eye(4))) == ()
    assert seen_combinations(result_of(np.zeros((1, 4)))) == ()

"""Distributions by their quantiles, and the tests of whether values are theirs."""

import numpy as np
import pytest
from scipy import stats

from spacerobot_id.lab.campaign.draws.distributions import Choice, Continuous, joint_normal_scores

LAWS = {
    Continuous('uniform', (-1.0, 3.0)): stats.uniform(-1.0, 4.0),
    Continuous('normal', (2.0, 0.5)): stats.norm(2.0, 0.5),
    Continuous('lognormal', (0.1, 0.4)): stats.lognorm(0.4, scale=0.1),
    Continuous('truncated_normal', (1.0, 1.0, 0.5, 2.0)): stats.truncnorm(-0.5, 1.0, 1.0, 1.0),
}


@pytest.mark.parametrize('law', LAWS, ids=lambda law: law.kind)
def test_quantiles_are_inverse_to_the_distribution(law):
    shares = np.linspace(0.001, 0.999, 50)
    np.testing.assert_allclose(LAWS[law].cdf(law.quantile(shares)), shares, atol=1e-9)


@pytest.mark.parametrize('law', LAWS, ids=lambda law: law.kind)
def test_values_of_a_distribution_are_told_from_others(law):
    rng = np.random.default_rng(0)
    values = law.quantile(rng.random(400))
    assert law.p_value(values) > 1e-3
    assert law.p_value(1.5 * values) < 1e-3
    assert law.p_value(np.full(400, np.median(values))) < 1e-9


def test_choices_come_as_often_as_they_should():
    law = Choice((50.0, 100.0, 7.0), (0.2, 0.7, 0.1))
    values = law.quantile(np.random.default_rng(1).random(5000))
    assert [np.mean(values == each) for each in law.values] == pytest.approx(
        law.probabilities, abs=0.02
    )
    assert law.p_value(values) > 1e-3
    assert law.p_value(np.where(values == 7.0, 50.0, values)) < 1e-9
    assert law.p_value(np.append(values, 8.0)) == 0.0
    assert Choice((1.0,), (1.0,)).p_value(np.ones(9)) == 1.0


def test_numbers_that_are_drawn_together_have_their_covariance():
    matrix = ((2.0, 0.5), (0.5, 1.0))
    shares = np.random.default_rng(2).random((20_000, 2))
    np.testing.assert_allclose(np.cov(joint_normal_scores(matrix, shares).T), matrix, atol=0.05)

"""The prior: a cost with the right gradient, that no negative mass is worth."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from robots import assert_close, dual_arm, dual_arm_prior, random_tree

from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.prior import minimal_covariance, standard_std
from spacerobot_id.methods.settings import PriorSettings
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.regressor import minimal_parameters

SEEDS = st.integers(0, 2**32 - 1)


def prior_of(relative_std=1.0, mass_std=0.5):
    """Return what the description of the dual arm says."""
    settings_ = PriorSettings(relative_std, mass_std)
    return Momentum.from_model(dual_arm_prior(), prior=settings_).prior()


@pytest.fixture(name='prior', scope='module')
def dual_arm_as_described():
    return prior_of()


def values_near(prior, seed, spread=0.3):
    """Return parameters of positive mass in the neighbourhood of the prior."""
    rng = np.random.default_rng(seed)
    std = np.sqrt(np.diag(prior.linearised(prior.mean).covariance()))
    values = prior.mean + spread * std * rng.normal(size=len(std))
    values[MASS] = prior.mean[MASS] * rng.uniform(0.2, 3.0)
    return values


@settings(deadline=None)
@given(seed=SEEDS)
def test_linear_about_a_point_it_has_the_cost_of_that_point(prior, seed):
    """``linearised(x).cost(x) == cost(x)``."""
    values = values_near(prior, seed)
    assert prior.linearised(values).cost(values) == pytest.approx(prior.cost(values), rel=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS)
def test_linear_about_a_point_it_has_the_gradient_of_that_point(prior, seed):
    """Central differences of the cost along random directions."""
    values = values_near(prior, seed)
    information = prior.linearised(values)
    gradient = 2.0 * information.factor.T @ (information.factor @ values - information.target)
    direction = values_near(prior, seed + 1) - prior.mean
    step = 1e-5
    ahead, behind = (prior.cost(values + sign * step * direction) for sign in (1.0, -1.0))
    slope = (ahead - behind) / (2.0 * step)
    scale = np.abs(gradient) @ np.abs(direction)
    assert gradient @ direction == pytest.approx(slope, abs=1e-6 * scale)


def test_the_description_is_the_cheapest(prior):
    """It costs nothing, and everything else something."""
    assert prior.cost(prior.mean) == pytest.approx(0.0, abs=1e-18)
    assert all(prior.cost(values_near(prior, seed)) > 0.0 for seed in range(20))
    assert_close(prior.linearised(prior.mean).values(), prior.mean, 1e-12)


@pytest.mark.parametrize('ratio', [0.1, 0.5, 2.0, 10.0])
def test_a_robot_of_another_scale_costs_its_mass_alone(ratio):
    """All parameters times a factor: the squared logarithm over the spread of the mass."""
    prior = prior_of(mass_std=0.3)
    expected = (np.log(ratio) / 0.3) ** 2
    assert prior.cost(ratio * prior.mean) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize('mass', [0.0, -1e-9, -2265.0, np.nan])
def test_no_negative_mass_is_ever_worth_it(prior, mass):
    """Without a positive mass the cost is infinite, whatever the rest."""
    values = prior.mean.copy()
    values[MASS] = mass
    assert prior.cost(values) == np.inf


@settings(deadline=None)
@given(SEEDS)
def test_wider_priors_cost_less(seed):
    """Twice the spread of everything is a quarter of the cost."""
    narrow, wide = (prior_of(share, 0.5 * share) for share in (1.0, 2.0))
    values = values_near(narrow, seed)
    assert wide.cost(values) == pytest.approx(0.25 * narrow.cost(values), rel=1e-9)


def test_the_covariance_is_that_of_the_standard_parameters():
    """Independent standard parameters, grouped; and the share of the mass about its mean."""
    model = dual_arm_prior()
    minimal = minimal_parameters(model)
    spread = np.diag(standard_std(model, 0.2) ** 2)
    expected = minimal.grouping @ spread @ minimal.grouping.T
    assert_close(minimal_covariance(model, minimal, 0.2), expected, 1e-12)


@settings(deadline=None)
@given(SEEDS, st.integers(1, 12))
def test_every_parameter_of_every_tree_is_uncertain(seed, joints):
    """Zero entries too: standard deviations are positive, the covariance definite."""
    model = random_tree(seed, joints)
    std = standard_std(model, 0.5)
    assert std.shape == model.parameters.shape
    assert (std > 0.0).all()
    np.testing.assert_allclose(std[6::10], 0.5 * model.parameters[6::10])
    covariance = minimal_covariance(model, minimal_parameters(model), 0.5)
    np.linalg.cholesky(covariance / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance))))


def test_the_true_robot_is_likely_under_the_offset_prior(prior):
    """The truth of [Naveen 2024] costs no more than its number of parameters."""
    truth = minimal_parameters(dual_arm()).values(dual_arm())
    assert prior.cost(truth) < len(truth)

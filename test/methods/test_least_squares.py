"""Least squares on the momentum: the paper's Eq. 27, and weights that are those of the noise."""

from hypothesis import given, settings
from hypothesis import strategies as st
from identifying import solved
from motions import measure, paper_plan, random_plan, with_noise
import numpy as np
import pytest
from robots import assert_close, dual_arm, dual_arm_prior, random_tree, with_wheels

from spacerobot_id.estimation import identify
from spacerobot_id.methods.least_squares import LeastSquares, WeightedLeastSquares
from spacerobot_id.multibody import momentum_matrix, wheel_momentum
from spacerobot_id.statistics.square_root_information import SquareRootInformation

SEEDS = st.integers(0, 2**32 - 1)
ORDINARY = LeastSquares.from_model(dual_arm_prior())
WEIGHTED = WeightedLeastSquares.from_model(dual_arm_prior())


@pytest.fixture(name='truth', scope='module')
def true_parameters():
    return ORDINARY.minimal.values(dual_arm())


@pytest.fixture(name='perfect', scope='module')
def measured_without_noise():
    return measure(dual_arm(), paper_plan(), rate=10.0)


@pytest.fixture(name='noisy', scope='module')
def measured_with_noise(perfect):
    return with_noise(perfect, ORDINARY, seed=0)


@pytest.mark.parametrize('method', [ORDINARY, WEIGHTED], ids=lambda method: method.name)
def test_without_noise_the_published_parameters_come_back(perfect, truth, method):
    """All 52, from the prior's geometry alone, to 1e-8 of each."""
    np.testing.assert_allclose(solved(method, perfect).values(), truth, rtol=1e-8)


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.integers(1, 6))
def test_without_noise_any_tree_comes_back(seed, joints):
    """Prismatic joints and wheels on moving links are no different."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed))
    method = LeastSquares(model, np.ones(6 + joints))
    perfect = measure(model, random_plan(model, seed, intervals=20), rate=15.0)
    truth = method.minimal.values(model)
    assert_close(solved(method, perfect).values(), truth, 1e-8)


def test_ordinary_least_squares_is_that_of_the_paper(noisy):
    """Eq. 27: the pseudo-inverse of the stacked regressor times minus the wheels' momentum."""
    regressor = ORDINARY.regressor(noisy, noisy.base_twist).reshape(-1, 52)
    of_wheels = wheel_momentum(ORDINARY.model, noisy.q, noisy.wheel_rates).ravel()
    expected = np.linalg.lstsq(regressor, -of_wheels, rcond=None)[0]
    assert_close(solved(ORDINARY, noisy).values(), expected, 1e-9)


def test_its_covariance_is_that_of_the_textbook(noisy):
    """``s^2 (G^T G)^-1`` with the residual's variance, as the result states it."""
    moving = ORDINARY.usable(noisy)
    rows = ORDINARY.equations(moving, np.zeros(0))
    estimate = identify(noisy, ORDINARY, with_links=False).estimate
    left = rows.matrix @ estimate.values - rows.right
    variance = left @ left / (len(left) - 52)
    expected = variance * np.linalg.inv(rows.matrix.T @ rows.matrix)
    assert_close(estimate.covariance, expected, 1e-6)


def test_weights_are_the_inverse_covariance_of_the_momentum(noisy, truth):
    """``sum (p - G x)^T (H S H^T)^-1 (p - G x)`` over the samples, for any x."""
    rows = WEIGHTED.equations(noisy, truth)
    values = WEIGHTED.minimal.values(WEIGHTED.model)
    regressor = WEIGHTED.regressor(noisy, noisy.base_twist)
    errors = regressor @ values + wheel_momentum(WEIGHTED.model, noisy.q, noisy.wheel_rates)
    generalized = momentum_matrix(dual_arm(), noisy.q)
    covariance = generalized @ np.diag(WEIGHTED.rate_std**2) @ np.swapaxes(generalized, 1, 2)
    expected = np.einsum('ni,nij,nj->', errors, np.linalg.inv(covariance), errors)
    assert np.sum((rows.matrix @ values - rows.right) ** 2) == pytest.approx(expected, rel=1e-9)


def test_whitened_rows_of_true_parameters_have_unit_noise(noisy, truth):
    """At the truth the residuals are white with variance one."""
    rows = WEIGHTED.equations(noisy, truth)
    left = (rows.matrix @ truth - rows.right).reshape(-1, 6)
    np.testing.assert_allclose(np.cov(left.T), np.eye(6), atol=0.2)


def test_weighted_least_squares_is_its_own_fixed_point(noisy):
    """Weights recomputed once more than a few times change nothing any more."""
    values = [solved(WEIGHTED, noisy).values()]
    for _ in range(10):
        rows = WEIGHTED.equations(noisy, values[-1])
        values.append(SquareRootInformation.nothing(52).absorb(rows.matrix, rows.right).values())
    assert_close(values[-1], values[-2], 1e-8)
    assert_close(values[1], values[0], 1e-2)


def test_too_few_samples_are_said_to_be_too_few(noisy):
    """Five samples have 30 rows: no covariance, and a rank that says so."""
    information = solved(ORDINARY, noisy[50:55])
    assert information.rank() <= 30
    assert np.isinf(information.covariance()).all()
    assert np.isfinite(information.values()).all()

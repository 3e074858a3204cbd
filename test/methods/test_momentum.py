"""Momentum output error: exact without noise, unbiased with it where least squares is not."""

from dataclasses import replace

from identifying import solved
from motions import measure, paper_plan, random_plan, with_noise
import numpy as np
import pytest
from robots import assert_close, dual_arm, dual_arm_prior, random_tree, with_wheels
from scipy.stats import multivariate_normal

from spacerobot_id.estimation import gauss_newton
from spacerobot_id.estimation.batch.gauss_newton import absorb_rows
from spacerobot_id.measurement import Record
from spacerobot_id.methods.least_squares import LeastSquares, WeightedLeastSquares
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.multibody import base_twist_from_momentum, momentum_matrix
from spacerobot_id.statistics.square_root_information import SquareRootInformation


@pytest.fixture(name='method', scope='module')
def dual_arm_by_momentum():
    return Momentum.from_model(dual_arm_prior())


@pytest.fixture(name='truth', scope='module')
def true_parameters(method):
    return method.minimal.values(dual_arm())


@pytest.fixture(name='noisy', scope='module')
def measured_with_noise(method):
    return with_noise(measure(dual_arm(), paper_plan(), rate=100.0), method, seed=0)


@pytest.fixture(name='least_squares', scope='module')
def biased_start(noisy):
    return solved(LeastSquares.from_model(dual_arm_prior()), noisy)


@pytest.fixture(name='fit', scope='module')
def fit_to_noisy_data(method, noisy, least_squares):
    return gauss_newton(method, noisy, least_squares.values())


def share_within(information, truth):
    """Return the share of the truths that 95 % intervals hold."""
    std = np.sqrt(np.diag(information.covariance()))
    return np.mean(np.abs(information.values() - truth) < 1.96 * std)


# Without noise


def test_without_noise_the_published_parameters_come_back(method, truth):
    """From the offset prior, to 1e-8 of each."""
    perfect = measure(dual_arm(), paper_plan(), rate=10.0)
    fit = gauss_newton(method, perfect, method.minimal.values(method.model))
    assert fit.converged
    np.testing.assert_allclose(fit.information.values(), truth, rtol=1e-8)


@pytest.mark.parametrize('seed', range(5))
def test_without_noise_any_tree_comes_back(seed):
    """Prismatic joints and wheels on moving links are no different."""
    model = with_wheels(random_tree(seed, 4), np.random.default_rng(seed))
    method = Momentum(model, np.full(10, 1e-4))
    perfect = measure(model, random_plan(model, seed, intervals=30), rate=15.0)
    truth = method.minimal.values(model)
    start = solved(LeastSquares(model, method.rate_std), perfect).values()
    fit = gauss_newton(method, perfect, start)
    assert_close(fit.information.values(), truth, 1e-8)


# With the noise of the paper


def test_least_squares_is_biased(least_squares, truth):
    """The total mass comes out more than 1 % low, many deviations from the truth."""
    assert least_squares.values()[MASS] < 0.99 * truth[MASS]
    assert share_within(least_squares, truth) < 0.5


def test_weights_do_not_help_least_squares(noisy, truth):
    """Weighted least squares has the noise in its regressor, too."""
    weighted = solved(WeightedLeastSquares.from_model(dual_arm_prior()), noisy).values()
    assert abs(weighted[MASS] / truth[MASS] - 1.0) > 0.003


def test_output_error_is_not_biased(fit, truth):
    """The total mass within 0.3 %, the median parameter within half a per cent."""
    values = fit.information.values()
    assert values[MASS] == pytest.approx(truth[MASS], rel=0.003)
    assert np.median(np.abs(values / truth - 1.0)) < 0.005


def test_its_intervals_hold_what_they_claim(fit, truth):
    """Nominal 95 % intervals hold 85 to 100 % of the truths."""
    assert fit.converged
    assert 0.85 <= share_within(fit.information, truth) <= 1.0


def test_its_residual_is_that_of_the_stated_noise(fit):
    """Squares per degree of freedom are one: noise as stated, nothing else left."""
    information = fit.information
    assert information.residual / (information.rows - 52) == pytest.approx(1.0, abs=0.03)


def test_where_it_starts_does_not_matter(method, noisy, fit):
    """From the offset prior it comes to the same estimate as from least squares."""
    other = gauss_newton(method, noisy, method.minimal.values(method.model))
    assert other.converged
    step = other.information.values() - fit.information.values()
    assert fit.information.deviations(step) < 1e-3


@pytest.mark.parametrize('scale', [1e-3, 0.1, 10.0, 1e3])
def test_a_start_of_any_scale_comes_back(method, noisy, truth, fit, scale):
    """The prediction is next to linear in the inverse of the mass, and so are the steps."""
    again = gauss_newton(method, noisy, scale * truth)
    assert again.converged
    assert fit.information.deviations(again.values - fit.values) < 1e-3


def test_further_steps_change_nothing(method, noisy, fit):
    """Held to a tighter tolerance it stays where it is, to a share of the deviation."""
    tight = gauss_newton(method, noisy, fit.values, tolerance=1e-7)
    assert tight.converged
    step = tight.information.values() - fit.information.values()
    assert fit.information.deviations(step) < 1e-3


def test_no_steps_are_not_called_converged(method, noisy):
    """Cut short it says so."""
    start = method.minimal.values(method.model)
    cut = gauss_newton(method, noisy[::20], start, iterations=1)
    assert not cut.converged
    assert cut.iterations == 1


# Its rows


def twist_errors(method, measurement, values):
    """Return measured minus predicted base twist, shape (N, 6)."""
    motion = measurement.q, measurement.qd, measurement.wheel_rates
    return measurement.base_twist - base_twist_from_momentum(method.with_values(values), *motion)


def twist_covariances(method, measurement, values):
    """Return the covariance of the twist errors that the rates' noise makes, shape (N, 6, 6)."""
    generalized = momentum_matrix(method.with_values(values), measurement.q)
    scaled = np.linalg.solve(generalized[:, :, :6], generalized) * method.rate_std
    return scaled @ np.swapaxes(scaled, 1, 2)


def squared_errors(method, measurement, values, weighted_at):
    """Return the sum of squared twist errors, weighted as at some other values."""
    errors = twist_errors(method, measurement, values)
    weights = np.linalg.inv(twist_covariances(method, measurement, weighted_at))
    return np.einsum('ni,nij,nj->', errors, weights, errors)


def test_rows_at_a_point_have_the_squared_errors_of_that_point(method, noisy):
    """What they leave there is the error of the predicted twist, weighted by its covariance."""
    some, values = noisy[::50], method.minimal.values(method.model)
    rows = method.predict(some, values).rows(values)
    left = np.sum((rows.matrix @ values - rows.right) ** 2)
    assert left == pytest.approx(squared_errors(method, some, values, values), rel=1e-9)


@pytest.mark.parametrize('seed', range(5))
def test_rows_at_a_point_have_the_gradient_of_that_point(method, noisy, seed):
    """Central differences of the squared errors, weights held, along random directions."""
    some, values = noisy[::50], method.minimal.values(method.model)
    rows = method.predict(some, values).rows(values)
    direction = values * np.random.default_rng(seed).normal(size=52)
    step = 1e-5
    ahead, behind = (
        squared_errors(method, some, values + sign * step * direction, values)
        for sign in (1.0, -1.0)
    )
    gradient = 2.0 * (rows.matrix @ direction) @ (rows.matrix @ values - rows.right)
    assert gradient == pytest.approx((ahead - behind) / (2.0 * step), rel=1e-5)


def test_the_cost_is_minus_twice_the_log_likelihood(method, noisy, truth):
    """The normal density of the twist errors, but for a constant: scipy's, at two points."""
    some, costs, densities = noisy[::100], [], []
    for values in (truth, method.minimal.values(method.model)):
        errors = twist_errors(method, some, values)
        covariances = twist_covariances(method, some, values)
        densities.append(
            sum(
                multivariate_normal(cov=covariance).logpdf(error)
                for error, covariance in zip(errors, covariances, strict=True)
            )
        )
        costs.append(method.predict(some, values, with_slope=False).cost())
    assert np.diff(costs) == pytest.approx(-2.0 * np.diff(densities), rel=1e-9)


def test_whitened_errors_of_the_truth_have_unit_noise(method, noisy, truth):
    """At the truth the errors of the twist are white with variance one."""
    rows = method.predict(noisy, truth).rows(truth)
    left = (rows.matrix @ truth - rows.right).reshape(-1, 6)
    np.testing.assert_allclose(np.cov(left.T), np.eye(6), atol=0.06)
    np.testing.assert_allclose(left.mean(axis=0), 0.0, atol=0.06)


def test_parts_of_a_measurement_are_as_good_as_the_whole(method, noisy, truth):
    """Recursive equals batch to 1e-9: samples linear about one point, in blocks or at once."""
    nothing = SquareRootInformation.nothing(52)
    whole = absorb_rows(method, noisy, truth, nothing)
    blocks = nothing
    for begin in range(0, len(noisy), 500):
        blocks = absorb_rows(method, noisy[begin : begin + 500], truth, blocks)
    np.testing.assert_allclose(blocks.values(), whole.values(), rtol=1e-9)
    assert_close(blocks.covariance(), whole.covariance(), 1e-9)


# With more than the data


def test_what_is_known_counts_like_data(method, noisy, fit):
    """Half of the samples, and what the other half told, make the estimate of all."""
    first, second = noisy[: len(noisy) // 2], noisy[len(noisy) // 2 :]
    nothing = SquareRootInformation.nothing(52)
    known = absorb_rows(method, first, fit.values, nothing)
    both = gauss_newton(method, second, fit.values, known=known)
    step = both.information.values() - fit.information.values()
    assert fit.information.deviations(step) < 0.01


def test_a_prior_decides_where_there_is_little_data(method, noisy):
    """After four seconds the estimate is finite, near the prior, and the fit converged."""
    prior = method.prior()
    fit = gauss_newton(method, noisy[:400], prior.mean, prior)
    assert fit.converged
    assert prior.cost(fit.information.values()) < 52
    assert np.isfinite(fit.information.covariance()).all()


def test_without_wheel_momentum_ratios_are_found_and_the_scale_is_the_priors(method, truth):
    """At zero momentum the data show ratios; the mass stays what the description says."""
    plan = paper_plan()
    knots = np.hstack([plan.knots[:, :6], np.zeros((len(plan.knots), 3))])
    perfect = measure(dual_arm(), replace(plan, knots=knots), rate=10.0)
    exact = Momentum(method.model, 1e-4 * method.rate_std)
    prior = method.prior()
    fit = gauss_newton(exact, perfect, prior.mean, prior, iterations=50)
    values = fit.information.values()
    assert fit.converged
    assert values[MASS] == pytest.approx(prior.mean[MASS], rel=0.01)
    assert_close(values / values[MASS], truth / truth[MASS], 1e-3)


def test_wheels_wired_the_wrong_way_round_do_not_make_a_negative_mass(method, noisy):
    """The data would like minus the truth best; with a prior the mass stays positive."""
    reversed_wheels = replace(noisy[::20], wheel_rates=-noisy.wheel_rates[::20])
    prior = method.prior()
    fit = gauss_newton(method, reversed_wheels, prior.mean, prior)
    assert fit.values[MASS] > 0.0
    assert fit.information.residual > 10.0 * fit.information.rows


def test_the_noise_is_that_of_the_description(method):
    """Base velocity, gyro, joint rates: [Naveen 2024] 6.3."""
    np.testing.assert_array_equal(method.rate_std, [50e-6] * 3 + [80e-6] * 3 + [50e-6] * 6)


def test_where_no_noise_is_stated_there_is_a_little():
    """No weight is infinite."""
    method = Momentum.from_model(random_tree(0, 2))
    assert (method.rate_std > 0.0).all()


def test_a_robot_with_the_estimate_moves_as_the_estimate_says(method, truth):
    """The true minimal parameters in the prior's robot give the true base motion."""
    perfect: Record = measure(dual_arm(), paper_plan(3), rate=10.0)
    robot = method.with_values(truth)
    twist = base_twist_from_momentum(robot, perfect.q, perfect.qd, perfect.wheel_rates)
    assert_close(twist, perfect.base_twist, 1e-10)

"""An estimate certifies itself: rank, condition, residual, and the robot as a whole."""

from dataclasses import replace

from motions import measure, paper_plan, with_noise
import numpy as np
import pytest
from robots import assert_close, dual_arm, dual_arm_prior

from spacerobot_id.estimation import absorb, begin_identification
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.multibody import whole_robot


@pytest.fixture(name='method', scope='module')
def dual_arm_by_momentum():
    return Momentum.from_model(dual_arm_prior())


@pytest.fixture(name='noisy', scope='module')
def measured_with_noise(method):
    return with_noise(measure(dual_arm(), paper_plan(), rate=20.0), method, seed=0)


@pytest.fixture(name='estimate', scope='module')
def estimate_of_all(method, noisy):
    return absorb(begin_identification(method), noisy).estimate()


def test_it_says_what_each_number_is(estimate, method):
    """Names and units are those of the minimal parameters, samples those absorbed."""
    assert estimate.names == method.minimal.names
    assert estimate.units == method.minimal.units
    assert estimate.samples == 1340


def test_its_condition_number_is_that_of_the_regressor(estimate, method, noisy):
    """At the measured rates, over all samples."""
    stacked = method.regressor(noisy, noisy.base_twist).reshape(-1, 52)
    assert estimate.condition_number() == pytest.approx(np.linalg.cond(stacked), rel=1e-6)


def test_its_residual_is_one_where_the_stated_noise_is_true(estimate):
    """Squares per degree of freedom."""
    assert estimate.residual() == pytest.approx(1.0, abs=0.1)


def test_its_residual_tells_of_noise_that_is_stated_too_large(method, noisy):
    """Half the stated noise shows as a quarter of the squares."""
    other = Momentum(method.model, 2.0 * method.rate_std)
    residual = absorb(begin_identification(other), noisy).estimate().residual()
    assert residual == pytest.approx(0.25, rel=0.1)


def test_noise_that_is_stated_too_small_is_weighed_as_it_is(method, noisy):
    """Twice the stated noise shows as four times the variance, and nothing is left over."""
    other = Momentum(method.model, 0.5 * method.rate_std)
    state = absorb(begin_identification(other), noisy)
    assert state.shown[1:3] == pytest.approx(4.0, rel=0.15)
    assert state.estimate().residual() == pytest.approx(1.0, rel=0.1)


def test_standard_deviations_are_roots_of_the_covariance(estimate):
    """Absolute, and as shares of the values."""
    np.testing.assert_allclose(estimate.std**2, np.diag(estimate.covariance))
    shares = estimate.std / np.abs(estimate.values)
    np.testing.assert_allclose(estimate.relative_std(), shares)


def test_without_data_it_has_no_condition_and_no_residual(method):
    """Infinite and zero: nothing was seen, so nothing is left over."""
    nothing = begin_identification(method).estimate()
    assert nothing.condition_number() == np.inf
    assert nothing.residual() == pytest.approx(0.0, abs=1e-20)


def test_parameters_the_motion_did_not_excite_are_named(method):
    """With the second arm at rest its last two links stay as uncertain as they were."""
    plan = paper_plan()
    knots = plan.knots.copy()
    knots[:, 3:6] = knots[0, 3:6]
    perfect = measure(dual_arm(), replace(plan, knots=knots), rate=20.0)
    state = absorb(begin_identification(method), with_noise(perfect, method, 0))
    names = set(state.estimate().not_identified())
    assert {'L5.Izz', 'L5.mx', 'L6.Izz', 'L6.mx', 'L6.my'} <= names
    assert not {'L0.m', 'L2.mx', 'L3.mx', 'L3.my'} & names


@pytest.mark.parametrize('posture', [np.zeros(6), np.array([0.3, -1.0, 2.0, 0.5, 1.5, -0.7])])
def test_the_whole_robot_comes_from_minimal_parameters_alone(method, posture):
    """True minimal parameters give true mass, centre of mass and inertia at any posture."""
    truth = method.minimal.values(dual_arm())
    ours, true = method.robot(truth, posture), whole_robot(dual_arm(), posture)
    assert_close(ours.vector, true.vector, 1e-12)


def test_the_whole_robot_is_estimated_well(method, estimate):
    """Mass within half a per cent, centre of mass within 5 mm."""
    ours = method.robot(estimate.values, np.zeros(6))
    true = whole_robot(dual_arm(), np.zeros(6))
    assert ours.is_physical()
    assert ours.mass == pytest.approx(true.mass, rel=0.005)
    np.testing.assert_allclose(ours.com, true.com, atol=5e-3)

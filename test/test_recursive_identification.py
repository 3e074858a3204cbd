"""The recursion: the batch fit at every moment, whatever the blocks, with true intervals."""

from dataclasses import replace

from motions import measure, paper_plan, with_noise
import numpy as np
import pytest
from robots import assert_close, dual_arm, dual_arm_prior

from spacerobot_id.estimation import (
    absorb,
    begin_identification,
    momentum_output_error,
    MomentumProblem,
    ordinary_least_squares,
    RecursionSettings,
    refine,
)
from spacerobot_id.model.inertial_parameters import MASS

DEFAULT = RecursionSettings()
VAGUE = RecursionSettings(growth=0.1, tolerance=1e-3, prior_relative_std=1e5, prior_mass_std=1e5)
"""Next to no prior, so that data without noise decide alone."""


@pytest.fixture(name='problem', scope='module')
def dual_arm_problem():
    return MomentumProblem.from_model(dual_arm_prior())


@pytest.fixture(name='truth', scope='module')
def true_parameters(problem):
    return problem.minimal.values(dual_arm())


@pytest.fixture(name='perfect', scope='module')
def measured_without_noise():
    return measure(dual_arm(), paper_plan(), rate=20.0)


@pytest.fixture(name='noisy', scope='module')
def measured_with_noise(problem, perfect):
    return with_noise(perfect, problem, seed=0)


@pytest.fixture(name='states', scope='module')
def states_along_the_way(problem, noisy):
    """Return the states every two seconds of the noisy motion."""
    states = [begin_identification(problem)]
    for begin in range(0, len(noisy), 40):
        states.append(absorb(states[-1], noisy[begin : begin + 40]))
    return states


def identified(problem, measurement, settings=DEFAULT, block=200):
    state = begin_identification(problem, settings)
    for begin in range(0, len(measurement), block):
        state = absorb(state, measurement[begin : begin + block])
    return state


def deviations_apart(state, values):
    return state.information.deviations(state.information.values() - values)


# Without noise


@pytest.fixture(name='exact', scope='module')
def identified_without_noise(problem, perfect):
    return identified(problem, perfect, VAGUE)


def test_without_noise_the_published_parameters_come_back(exact, truth):
    """From the offset prior, block by block, to 1e-8 of each."""
    np.testing.assert_allclose(exact.estimate().values, truth, rtol=1e-8)


def test_recursive_equals_batch(exact, problem, perfect):
    """The batch fit of the same data with the same prior, to 1e-9 of each."""
    start = ordinary_least_squares(problem, perfect).values()
    batch = momentum_output_error(problem, perfect, start, exact.prior)
    estimate = refine(exact).estimate()
    np.testing.assert_allclose(estimate.values, batch.information.values(), rtol=1e-9)
    assert_close(estimate.covariance, batch.information.covariance(), 1e-6)


# With the noise of the paper


def test_with_noise_too_recursive_equals_batch(states, problem, noisy):
    """The last state is the batch fit to a hundredth of the standard deviation."""
    start = ordinary_least_squares(problem, noisy).values()
    batch = momentum_output_error(problem, noisy, start, states[-1].prior).information
    assert deviations_apart(states[-1], batch.values()) < 0.01
    assert deviations_apart(refine(states[-1]), batch.values()) < 1e-3
    ours = np.sqrt(np.diag(states[-1].information.covariance()))
    np.testing.assert_allclose(ours, np.sqrt(np.diag(batch.covariance())), rtol=0.01)


def test_the_covariance_is_true_at_every_moment(states, truth):
    """At each state 95 % intervals hold most truths, and on the way 85 to 100 % of them."""
    shares = []
    for state in states[1:]:
        estimate = state.estimate()
        shares.append(np.mean(np.abs(estimate.values - truth) < 1.96 * estimate.std))
    assert min(shares) > 0.75
    assert 0.85 <= np.mean(shares) <= 1.0


def test_the_more_it_sees_the_surer_it_is(states):
    """Rank grows to all, standard deviations fall, the unidentified become fewer."""
    estimates = [state.estimate() for state in states]
    ranks = [estimate.rank for estimate in estimates]
    assert ranks[0] == 0
    assert ranks[-1] == 52
    assert len(estimates[0].not_identified()) == 52
    assert estimates[-1].not_identified() == ()
    surest, first = estimates[-1].relative_std(), estimates[1].relative_std()
    assert np.median(surest) < 0.05 * np.median(first)


def test_before_the_first_sample_it_knows_the_prior(problem):
    """Values and deviations are the description's."""
    estimate = begin_identification(problem).estimate()
    assert_close(estimate.values, problem.minimal.values(problem.model), 1e-12)
    np.testing.assert_allclose(estimate.std, estimate.prior_std, rtol=1e-9)
    assert estimate.samples == 0


@pytest.mark.parametrize('block', [37, 1340])
def test_the_size_of_the_blocks_does_not_matter(states, problem, noisy, block):
    """Few or many samples at a time end at the same estimate."""
    other = refine(identified(problem, noisy, block=block))
    assert deviations_apart(other, refine(states[-1]).information.values()) < 1e-3
    assert other.samples == states[-1].samples


def test_states_are_values(states, noisy):
    """A state that was carried on stays what it was."""
    before = states[3].information.values()
    absorb(states[3], noisy[:40])
    np.testing.assert_array_equal(states[3].information.values(), before)
    assert states[3].samples == 120


def test_no_samples_change_nothing(states, noisy):
    """An empty block gives back the state; there is nothing to refine before the first."""
    assert absorb(states[2], noisy[:0]) is states[2]
    assert refine(states[0]) is states[0]


def test_samples_at_rest_say_nothing(states, noisy, problem):
    """Where nothing moves beyond its noise, noise is all there is; such samples are left out."""
    still = replace(
        noisy[:40],
        qd=np.zeros((40, 6)),
        wheel_rates=np.zeros((40, 3)),
        base_twist=np.random.default_rng(0).normal(size=(40, 6)) * problem.rate_std[:6],
    )
    assert absorb(states[5], still).samples == states[5].samples


def test_samples_that_are_dropped_are_not_forgotten(problem, noisy, truth, states):
    """With room for 400 samples of 1340, estimate and intervals are nearly those of all."""
    bounded = identified(problem, noisy, RecursionSettings(most_samples=400), block=40)
    assert sum(len(block) for block in bounded.recorded) <= 400
    assert bounded.samples == len(noisy)
    whole, estimate = states[-1].estimate(), bounded.estimate()
    np.testing.assert_allclose(estimate.std, whole.std, rtol=0.3)
    assert np.mean(np.abs(estimate.values - truth) < 1.96 * estimate.std) >= 0.85


def test_the_total_mass_is_not_biased(states, truth):
    """The scale of everything, seen through the wheels, within its interval."""
    estimate = states[-1].estimate()
    assert abs(estimate.values[MASS] - truth[MASS]) < 3.0 * estimate.std[MASS]
    assert estimate.values[MASS] == pytest.approx(truth[MASS], rel=0.005)

"""The recursion: the batch fit at every moment, whatever the blocks, with true intervals."""

from dataclasses import replace

from identifying import absorbed, solved
from motions import measure, paper_plan, with_noise
import numpy as np
from numpy.testing import assert_array_equal
import pytest
from robots import assert_close, dual_arm, dual_arm_prior

from spacerobot_id.estimation import (
    absorb,
    begin_identification,
    gauss_newton,
    RecursionSettings,
    refine,
)
from spacerobot_id.estimation.verdict import defects
from spacerobot_id.measurement import Record
from spacerobot_id.methods.least_squares import LeastSquares
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.settings import PriorSettings
from spacerobot_id.model.inertial_parameters import MASS

DEFAULT = RecursionSettings()
PATIENT = RecursionSettings(growth=0.1, tolerance=1e-3)
VAGUE = PriorSettings(relative_std=1e5, mass_std=1e5)
"""Next to no prior, so that data without noise decide alone."""


@pytest.fixture(name='method', scope='module')
def dual_arm_by_momentum():
    return Momentum.from_model(dual_arm_prior())


@pytest.fixture(name='truth', scope='module')
def true_parameters(method):
    return method.minimal.values(dual_arm())


@pytest.fixture(name='perfect', scope='module')
def measured_without_noise():
    return measure(dual_arm(), paper_plan(), rate=20.0)


@pytest.fixture(name='noisy', scope='module')
def measured_with_noise(method, perfect):
    return with_noise(perfect, method, seed=0)


@pytest.fixture(name='states', scope='module')
def states_along_the_way(method, noisy):
    """Return the states every two seconds of the noisy motion."""
    states = [begin_identification(method)]
    for begin in range(0, len(noisy), 40):
        states.append(absorb(states[-1], noisy[begin : begin + 40]))
    return states


def identified(method, measurement, settings=DEFAULT, block=200):
    return absorbed(begin_identification(method, settings), measurement, block)


def deviations_apart(state, values):
    return state.information.deviations(state.information.values() - values)


# Without noise


@pytest.fixture(name='exact', scope='module')
def identified_without_noise(method, perfect):
    return identified(replace(method, prior_settings=VAGUE), perfect, PATIENT)


def test_without_noise_the_published_parameters_come_back(exact, truth):
    """From the offset prior, block by block, to 1e-8 of each."""
    np.testing.assert_allclose(exact.estimate().values, truth, rtol=1e-8)


def test_recursive_equals_batch(exact, method, perfect):
    """The batch fit of the same data with the same prior, to 1e-9 of each."""
    start = solved(LeastSquares.from_model(dual_arm_prior()), perfect).values()
    batch = gauss_newton(method, perfect, start, exact.prior)
    estimate = refine(exact).estimate()
    np.testing.assert_allclose(estimate.values, batch.information.values(), rtol=1e-9)
    assert_close(estimate.covariance, batch.information.covariance(), 1e-6)


# With the noise of the paper


def test_with_noise_too_recursive_equals_batch(states, method, noisy):
    """The last state is the batch fit to a hundredth of the standard deviation."""
    start = solved(LeastSquares.from_model(dual_arm_prior()), noisy).values()
    batch = gauss_newton(method, noisy, start, states[-1].prior).information
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


def test_before_the_first_sample_it_knows_the_prior(method):
    """Values and deviations are the description's."""
    estimate = begin_identification(method).estimate()
    assert_close(estimate.values, method.minimal.values(method.model), 1e-12)
    np.testing.assert_allclose(estimate.std, estimate.prior_std, rtol=1e-9)
    assert estimate.samples == 0


@pytest.mark.parametrize('block', [37, 1340])
def test_the_size_of_the_blocks_does_not_matter(states, method, noisy, block):
    """Few or many samples at a time end at the same estimate."""
    other = refine(identified(method, noisy, block=block))
    assert deviations_apart(other, refine(states[-1]).information.values()) < 1e-3
    assert other.samples == states[-1].samples


def test_samples_are_kept_in_few_records(states, noisy):
    """However many blocks they came in; not one is lost, and their order is kept."""
    assert max(len(state.recorded) for state in states) <= 1 + np.log2(len(states))
    kept = Record.concatenate(states[-1].recorded)
    moving = np.isin(noisy.times, kept.times)
    assert_array_equal(kept.times, noisy.times[moving])
    assert_array_equal(kept.q, noisy.q[moving])
    assert len(kept) == states[-1].samples


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


def test_samples_at_rest_say_nothing(states, noisy, method):
    """Where nothing moves beyond its noise, noise is all there is; such samples are left out."""
    still = replace(
        noisy[:40],
        qd=np.zeros((40, 6)),
        wheel_rates=np.zeros((40, 3)),
        base_twist=np.random.default_rng(0).normal(size=(40, 6)) * method.rate_std[:6],
    )
    assert absorb(states[5], still).samples == states[5].samples


def test_samples_that_are_dropped_are_not_forgotten(method, noisy, truth, states):
    """With room for 400 samples of 1340, estimate and intervals are nearly those of all."""
    bounded = identified(method, noisy, RecursionSettings(most_samples=400), block=40)
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


def test_few_samples_cannot_be_vouched_for(noisy, method):
    """As many readings again as there are unknowns have to be left to check the model by."""
    moving = int(np.flatnonzero(method.is_moving(noisy))[0])
    outputs, unknowns = method.outputs, len(method.unknowns)
    enough = -(-2 * unknowns // outputs)
    for count, is_enough in ((enough - 1, False), (enough, True)):
        state = identified(method, noisy[moving : moving + count])
        assert state.samples == count
        assert ('samples' in {each.kind for each in defects(state, None)}) != is_enough

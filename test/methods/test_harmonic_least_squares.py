"""The method of [Ekal 2019] on flights with and without noise."""

from dataclasses import replace

from free_flyer_flights import ALONE, flight, LOADED, PERIOD, record
import numpy as np
import pytest

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.kinematics import pose_motion
from spacerobot_id.methods.harmonic_least_squares import (
    harmonic_least_squares,
    HARMONICS,
    periodic_samples,
    PeriodicSamples,
    recursive_harmonic_least_squares,
    with_enough_harmonics,
)
from spacerobot_id.regressor import newton_euler_regressor
from spacerobot_id.statistics.square_root_information import SquareRootInformation

SAMPLES = 200


def recursive(samples, tried):
    return recursive_harmonic_least_squares(samples, tried)[-1]


def cycles(noise, **options):
    return periodic_samples(record(flight(**options), noise), PERIOD, SAMPLES)


def test_without_noise_and_limits_it_finds_the_body():
    """To what the harmonics beyond those kept leave open."""
    estimate = harmonic_least_squares(cycles(0.0, limited=False))
    np.testing.assert_allclose(estimate.values, LOADED.vector, rtol=0.03, atol=1e-3)
    assert estimate.harmonics == 10


def with_harmonics(count):
    """Return a cycle of a motion with so many harmonics, and the wrench that the body takes."""
    rng, order = np.random.default_rng(0), np.arange(1, count + 1)
    cosines, sines = rng.normal(size=(2, 6, count)) * 0.2 / order
    omega, times = 2.0 * np.pi / PERIOD * order, np.arange(2 * SAMPLES) * PERIOD / SAMPLES / 2.0

    def derivative(power):
        turned = omega * times[:, None] + 0.5 * np.pi * power
        waves = cosines @ (omega**power * np.cos(turned)).T
        return (waves + sines @ (omega**power * np.sin(turned)).T).T

    place, *slopes = (derivative(power) for power in range(3))
    wrench = newton_euler_regressor(pose_motion(place, *slopes)) @ LOADED.vector
    return PeriodicSamples(PERIOD, place[None, ::2], wrench[None, 1::2])


@pytest.mark.parametrize('estimate', [harmonic_least_squares, recursive])
def test_more_harmonics_are_tried_while_the_most_of_them_are_chosen(estimate):
    """A motion of twelve is known by twelve; with noise, and on few samples, none are added."""
    flown = with_harmonics(12)
    few, enough = estimate(flown, HARMONICS), with_enough_harmonics(estimate, flown)
    assert few.harmonics == 10
    assert np.abs(few.values - LOADED.vector).max() > 1e-2
    assert enough.harmonics >= 12
    np.testing.assert_allclose(enough.values, LOADED.vector, atol=1e-9)
    noisy = cycles(1.0)
    found = with_enough_harmonics(estimate, noisy)
    assert found.harmonics == estimate(noisy, HARMONICS).harmonics
    sparse = periodic_samples(record(flight(limited=False), 0.0), PERIOD, 23)
    assert with_enough_harmonics(estimate, sparse).harmonics <= 11


def test_with_noise_it_is_biased():
    """Noise in the regressor makes the body too light, and fewer harmonics are better."""
    estimate = harmonic_least_squares(cycles(1.0))
    assert estimate.harmonics < 10
    assert estimate.harmonics == np.arange(3, 11)[np.argmin(estimate.residuals)]
    assert 0.8 * LOADED.mass < estimate.values[6] < LOADED.mass
    assert 1.0 < estimate.condition < 100.0


def test_recursive_least_squares_ends_where_the_batch_of_the_same_rows_does():
    """One estimate per cycle; without noise all cycles are alike, and so are both methods."""
    samples = cycles(0.0, limited=False)
    estimates = recursive_harmonic_least_squares(samples, tried=[10])
    assert len(estimates) == 3
    batch = harmonic_least_squares(samples, tried=[10])
    np.testing.assert_allclose(estimates[-1].values, batch.values, rtol=1e-3, atol=1e-4)
    deviations = [np.sqrt(np.diag(each.covariance)) for each in estimates]
    assert (deviations[-1] < deviations[0]).all()


def test_a_prior_holds_what_the_cycles_do_not_show():
    """A cycle without motion alone says nothing; with a prior it is the prior."""
    still = PeriodicSamples(PERIOD, np.zeros((1, SAMPLES, 6)), np.zeros((1, SAMPLES, 6)))
    with pytest.raises(EstimationError, match='ten parameters'):
        recursive_harmonic_least_squares(still)
    with pytest.raises(EstimationError, match='ten parameters'):
        harmonic_least_squares(still)
    prior = SquareRootInformation.from_prior(ALONE.vector, np.diag(np.full(10, 0.1)))
    kept = recursive_harmonic_least_squares(still, prior=prior)[-1]
    np.testing.assert_allclose(kept.values, ALONE.vector, atol=1e-9)


def test_samples_are_put_on_the_grid():
    """Poses measured at other times, wrenches as their mean over each step."""
    full = record(flight(limited=False), 0.0)
    sparse = replace(
        full,
        times=full.times[::2],
        position=full.position[::2],
        attitude=full.attitude[::2],
    )
    fine, coarse = (periodic_samples(each, PERIOD, SAMPLES) for each in (full, sparse))
    np.testing.assert_allclose(fine.wrenches, coarse.wrenches, atol=1e-9)
    np.testing.assert_allclose(
        fine.coordinates[:, :-1], coarse.coordinates[:, :-1], atol=2e-3
    )  # the last pose of all is past the end of the sparse record
    np.testing.assert_allclose(
        fine.wrenches.reshape(-1, 6), full.wrench.values[SAMPLES:], atol=1e-9
    )
    with pytest.raises(EstimationError, match='no cycle'):
        periodic_samples(full.between(0.0, 15.0), PERIOD, SAMPLES)

"""The method of [Ekal 2019] on flights with and without noise."""

from dataclasses import replace

from free_flyer_flights import ALONE, flight, LOADED, PERIOD, record
import numpy as np
import pytest

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.methods.harmonic_least_squares import (
    harmonic_least_squares,
    periodic_samples,
    PeriodicSamples,
    recursive_harmonic_least_squares,
)
from spacerobot_id.statistics.square_root_information import SquareRootInformation

SAMPLES = 200


def cycles(noise, **options):
    return periodic_samples(record(flight(**options), noise), PERIOD, SAMPLES)


def test_without_noise_and_limits_it_finds_the_body():
    """To what the harmonics beyond those kept leave open."""
    estimate = harmonic_least_squares(cycles(0.0, limited=False))
    np.testing.assert_allclose(estimate.values, LOADED.vector, rtol=0.03, atol=1e-3)
    assert estimate.harmonics == 10


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

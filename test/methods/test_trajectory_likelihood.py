"""Maximum likelihood over the trajectory: exact without noise, sure of itself as it should be."""

from dataclasses import replace

from free_flyer_flights import (
    ALONE,
    ATTITUDE_STD,
    flight,
    LOADED,
    PERIOD,
    POSITION_STD,
    record,
)
import numpy as np
import pytest

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.methods.harmonic_least_squares import harmonic_least_squares, periodic_samples
from spacerobot_id.methods.shooting.trajectory_likelihood import (
    LikelihoodSettings,
    trajectory_likelihood,
)
from spacerobot_id.model import InertialParameters

NOISE = LikelihoodSettings(POSITION_STD, ATTITUDE_STD)


def errors(values):
    """Return relative errors of mass, centre of mass and inertia about it."""
    found = InertialParameters.from_vector(values)
    inertia = found.inertia_about_com - LOADED.inertia_about_com
    return np.array(
        [
            abs(found.mass - LOADED.mass) / LOADED.mass,
            np.linalg.norm(found.com - LOADED.com) / np.linalg.norm(LOADED.com),
            np.linalg.norm(inertia) / np.linalg.norm(LOADED.inertia_about_com),
        ]
    )


@pytest.mark.parametrize('limited', [True, False])
def test_without_noise_it_is_exact(limited):
    """Whether the propellers were at their limits or not: the wrench is known either way."""
    estimate = trajectory_likelihood(
        record(flight(limited=limited, cycles=2), 0.0), ALONE.vector, NOISE
    )
    np.testing.assert_allclose(estimate.values, LOADED.vector, rtol=1e-3, atol=1e-5)
    assert estimate.chi_square < 1e-3


def test_with_noise_it_is_better_than_the_paper_and_sure_as_it_should_be():
    """At least three times on mass, offset and inertia; errors as the covariance says."""
    measured = record(flight(), 1.0)
    estimate = trajectory_likelihood(measured, ALONE.vector, NOISE)
    published = harmonic_least_squares(periodic_samples(measured, PERIOD, 200))
    assert (3.0 * errors(estimate.values) < errors(published.values)).all()
    assert estimate.chi_square == pytest.approx(1.0, abs=0.1)
    deviation = np.linalg.solve(
        np.linalg.cholesky(estimate.covariance), estimate.values - LOADED.vector
    )
    assert 1.0 < np.sum(deviation**2) < 30.0  # chi-square of ten, 99.97 %


def test_no_period_is_needed():
    """A piece of the flight, samples lost at random, quaternions of either sign."""
    whole = record(flight(), 1.0)
    kept = np.random.default_rng(1).random(len(whole)) > 0.3
    kept &= (whole.times > 3.3) & (whole.times < 31.7)
    signs = np.where(np.random.default_rng(2).random(kept.sum()) < 0.5, -1.0, 1.0)
    torn = replace(whole[kept], attitude=whole.attitude[kept] * signs[:, None])
    estimate = trajectory_likelihood(torn, ALONE.vector, NOISE)
    assert (errors(estimate.values) < [0.02, 0.01, 0.03]).all()
    assert estimate.velocity_walk < 1e-3


def test_a_disturbance_leaves_the_gaps_open_as_far_as_it_has_to():
    """A force that nobody tells of is found as a walk; the covariance grows with it."""
    measured = record(flight(), 1.0)
    wrench = measured.wrench
    kick = np.random.default_rng(5).normal(size=wrench.values.shape) * [1, 1, 1, 0.1, 0.1, 0.1]
    told = replace(measured, wrench=replace(wrench, values=wrench.values + 0.1 * kick))
    calm = trajectory_likelihood(measured, ALONE.vector, NOISE)
    disturbed = trajectory_likelihood(told, ALONE.vector, NOISE)
    assert disturbed.velocity_walk > calm.velocity_walk
    assert disturbed.chi_square < 1.3
    assert (disturbed.std > calm.std).all()
    assert errors(disturbed.values)[0] < 0.1


@pytest.mark.parametrize(
    ('changed', 'start', 'said'),
    [
        (lambda whole: whole.between(0.0, 0.5), ALONE.vector, 'too few'),
        (lambda whole: whole, -ALONE.vector, 'body that can exist'),
        (
            lambda whole: replace(
                whole.between(0.0, 0.0001 + 5.0),
                wrench=replace(whole.wrench, values=0.0 * whole.wrench.values),
            ),
            ALONE.vector,
            'ten parameters',
        ),
    ],
)
def test_what_cannot_be_fitted_is_said(changed, start, said):
    with pytest.raises(EstimationError, match=said):
        trajectory_likelihood(changed(record(flight(), 1.0)), start, NOISE)

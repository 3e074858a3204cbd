"""The free-flyer's fit of a whole flight: exact without noise, sure of itself as it should be."""

from dataclasses import replace

from free_flyer_flights import (
    ALONE,
    ATTITUDE_STD,
    flight,
    LOADED,
    PERIOD,
    POSITION_STD,
    record,
    ROBOT,
)
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacerobot_id.estimation.states.solution import solution
from spacerobot_id.exceptions import ConfigurationError, EstimationError
from spacerobot_id.methods.free_flyer import FreeFlyer
from spacerobot_id.methods.harmonic_least_squares import harmonic_least_squares, periodic_samples
from spacerobot_id.model import InertialParameters, Link

METHOD = FreeFlyer(ROBOT)


def fitted(measured):
    """Return the fit of a flight, from the robot alone on."""
    return solution(METHOD, measured, ALONE.vector)


def chi_square(found):
    """Return the sum of squares per degree of freedom, of the noise as stated."""
    return found.information.residual / (found.information.rows - 10)


def std(found):
    return np.sqrt(np.diag(found.information.covariance()))


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
    found = fitted(record(flight(limited=limited, cycles=2), 0.0))
    np.testing.assert_allclose(found.values, LOADED.vector, rtol=1e-3, atol=1e-5)
    assert np.std(found.residuals.misfit) < 1e-4


def test_with_noise_it_is_better_than_the_paper_and_sure_as_it_should_be():
    """At least three times on mass, offset and inertia; errors as the covariance says."""
    measured = record(flight(), 1.0)
    found = fitted(measured)
    published = harmonic_least_squares(periodic_samples(measured, PERIOD, 200))
    assert (3.0 * errors(found.values) < errors(published.values)).all()
    assert chi_square(found) == pytest.approx(1.0, abs=0.1)
    root = np.linalg.cholesky(found.information.covariance())
    deviation = np.linalg.solve(root, found.values - LOADED.vector)
    assert 1.0 < np.sum(deviation**2) < 30.0  # chi-square of ten, 99.97 %
    assert found.noise == ()  # nothing disturbs it


def test_no_period_is_needed():
    """A piece of the flight, samples lost at random, quaternions of either sign."""
    whole = record(flight(), 1.0)
    kept = np.random.default_rng(1).random(len(whole)) > 0.3
    kept &= (whole.times > 3.3) & (whole.times < 31.7)
    signs = np.where(np.random.default_rng(2).random(kept.sum()) < 0.5, -1.0, 1.0)
    torn = replace(whole[kept], attitude=whole.attitude[kept] * signs[:, None])
    found = fitted(torn)
    assert (errors(found.values) < [0.02, 0.01, 0.03]).all()
    assert found.noise == ()


def test_more_noise_than_stated_is_found_and_weighs_alike():
    """Twice the noise: the same errors in deviations twice as large."""
    found, as_stated = fitted(record(flight(), 2.0)), fitted(record(flight(), 1.0))
    (noise,) = found.noise
    assert noise.name == 'noise of pose over that stated'
    assert noise.value == pytest.approx(2.0, rel=0.1)
    np.testing.assert_allclose(std(found) / std(as_stated), 2.0, rtol=0.15)
    scores, wanted = ((each.values - LOADED.vector) / std(each) for each in (found, as_stated))
    np.testing.assert_allclose(scores, wanted, atol=0.3)


def test_noise_far_larger_than_stated_is_no_disturbance():
    """Five times the noise: nothing but that is found, and errors are as the covariance says."""
    found = fitted(record(flight(seed=3), 5.0, seed=2))
    (noise,) = found.noise
    assert found.converged
    assert noise.name == 'noise of pose over that stated'
    assert noise.value == pytest.approx(5.0, rel=0.1)
    root = np.linalg.cholesky(found.information.covariance())
    deviation = np.linalg.solve(root, found.values - LOADED.vector)
    assert 1.0 < np.sum(deviation**2) < 30.0


@pytest.mark.slow
def test_a_disturbance_is_found_as_far_as_it_is_there():
    """A wrench that nobody tells of is found as pushes; intervals grow with it, and are true."""
    measured = record(flight(), 1.0)
    wrench = measured.wrench
    kick = np.random.default_rng(5).normal(size=wrench.values.shape) * [1, 1, 1, 0.1, 0.1, 0.1]
    disturbed_log = replace(measured, wrench=replace(wrench, values=wrench.values + 0.1 * kick))
    calm, disturbed = fitted(measured), fitted(disturbed_log)
    assert {each.name for each in disturbed.noise} >= {'other forces', 'other torques'}
    assert chi_square(disturbed) < 1.3
    assert (std(disturbed) > std(calm)).all()
    assert np.abs((disturbed.values - LOADED.vector) / std(disturbed)).max() < 3.5
    assert errors(disturbed.values)[0] < 0.03


def test_at_rest_nothing_is_identified():
    """Poses that only have noise, no wrench: the robot alone is as likely as it was."""
    whole, rng = record(flight(), 1.0).between(0.0, 5.0001), np.random.default_rng(3)
    count = len(whole)
    still = replace(
        whole,
        position=POSITION_STD * rng.normal(size=(count, 3)),
        attitude=Rotation.from_rotvec(ATTITUDE_STD * rng.normal(size=(count, 3))).as_quat(),
        wrench=replace(whole.wrench, values=0.0 * whole.wrench.values),
    )
    found, prior = fitted(still), METHOD.prior()
    before = np.sqrt(np.diag(prior.covariance))
    assert (std(found) > 0.5 * before).all()


def test_what_cannot_be_fitted_is_said():
    with pytest.raises(EstimationError, match='too few'):
        fitted(record(flight(), 1.0).between(0.0, 0.5))
    negative = InertialParameters.from_vector(-ALONE.vector)
    with pytest.raises(ConfigurationError, match='not positive'):
        FreeFlyer(replace(ROBOT, links=[Link('base', negative)]))

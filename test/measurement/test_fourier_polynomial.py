"""Fourier series and quintic fitted to samples: exact where they can be, smooth where not."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.excitation.trajectory.fourier_quintic import FourierQuintic
from spacerobot_id.measurement.signal.fourier_series import (
    best_fourier_polynomial,
    fit_fourier_polynomial,
    Span,
)

SEEDS = st.integers(0, 2**32 - 1)


def motion(seed, harmonics=3):
    rng = np.random.default_rng(seed)
    a, b = 0.1 * rng.normal(size=(2, 2, harmonics))
    return FourierQuintic(('one', 'two'), 20.0, a, b, rng.normal(size=2), rng.normal(size=2))


@settings(deadline=None, max_examples=20)
@given(SEEDS)
def test_a_motion_of_the_family_is_found_exactly(seed):
    """Angles alone give rates and accelerations, from samples that do not reach the ends."""
    true = motion(seed)
    times = np.linspace(0.3, 19.5, 500)
    fit = fit_fourier_polynomial(times, true.sample(times).position, 3, Span(0.0, 20.0))
    at = true.sample(times)
    np.testing.assert_allclose(fit.derivative(times), at.position, atol=1e-8)
    np.testing.assert_allclose(fit.derivative(times, 1), at.velocity, atol=1e-8)
    np.testing.assert_allclose(fit.derivative(times, 2), at.acceleration, atol=1e-7)
    assert fit.harmonics == 3


@settings(deadline=None, max_examples=10)
@given(SEEDS, st.integers(2, 5))
def test_the_residual_asks_for_as_many_harmonics_as_there_are(seed, harmonics):
    """With a little noise, no more and no fewer, and far better derivatives than differences."""
    true, rng = motion(seed, harmonics), np.random.default_rng(seed)
    times = np.linspace(0.0, 20.0, 1000)
    at = true.sample(times)
    seen = at.position + 1e-5 * rng.normal(size=at.position.shape)
    fit = best_fourier_polynomial(times, seen, 10)
    assert fit.harmonics >= harmonics
    differences = np.gradient(np.gradient(seen, times, axis=0), times, axis=0)
    smooth = np.std(fit.derivative(times, 2) - at.acceleration)
    assert smooth < 0.1 * np.std(differences - at.acceleration)


def test_derivatives_are_of_one_another():
    times = np.linspace(0.0, 7.0, 300)
    fit = fit_fourier_polynomial(times, np.stack([np.exp(-times), np.sin(times)], axis=1), 4)
    step = 1e-5
    for order in range(2):
        slope = fit.derivative(times + step, order) - fit.derivative(times - step, order)
        np.testing.assert_allclose(slope / (2 * step), fit.derivative(times, order + 1), atol=1e-5)


def test_too_few_samples_are_refused():
    with pytest.raises(MeasurementError, match='9 samples are too few for 3 harmonics'):
        fit_fourier_polynomial(np.arange(9.0), np.zeros((9, 1)), 3)

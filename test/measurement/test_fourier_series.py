"""Averaging, filtering and fitting of periodic samples ([Ekal 2019] 5.1, 5.2)."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement import (
    average_over_cycles,
    fit_fourier_series,
    FourierSeries,
    harmonic_filter,
)

PERIOD = 10.0


def series(seed, harmonics=4):
    rng = np.random.default_rng(seed)
    return FourierSeries(PERIOD, rng.normal(size=2), *rng.normal(size=(2, harmonics, 2)))


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8), st.integers(17, 60))
def test_a_series_is_fitted_exactly(seed, harmonics, samples):
    """From its samples of one cycle, whether they are many or few, even or odd."""
    true, times = series(seed, harmonics), PERIOD * np.arange(samples) / samples
    found = fit_fourier_series(true.at(times)[0], PERIOD, harmonics)
    for name in ('offset', 'sine', 'cosine'):
        np.testing.assert_allclose(getattr(found, name), getattr(true, name), atol=1e-10)


def test_the_fit_is_that_of_least_squares():
    """Of noisy samples, as [Ekal 2019] 5.2 says."""
    times = PERIOD * np.arange(50) / 50
    noisy = series(1).at(times)[0] + np.random.default_rng(2).normal(size=(50, 2))
    found = fit_fourier_series(noisy, PERIOD, 3)
    angle = np.outer(times, found.orders)
    design = np.hstack([np.ones((50, 1)), np.sin(angle), np.cos(angle)])
    best = design @ np.linalg.lstsq(design, noisy, rcond=None)[0]
    np.testing.assert_allclose(found.at(times)[0], best, atol=1e-10)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 20.0))
def test_derivatives_are_those_of_the_values(seed, time):
    """Rates and accelerations by central differences."""
    true, step = series(seed), 1e-4
    ahead, behind = true.at([time + step])[0], true.at([time - step])[0]
    np.testing.assert_allclose((ahead - behind) / (2 * step), true.at([time])[1], atol=1e-5)
    ahead, behind = true.at([time + step])[1], true.at([time - step])[1]
    np.testing.assert_allclose((ahead - behind) / (2 * step), true.at([time])[2], atol=1e-5)


def test_the_filter_keeps_what_is_below_and_nothing_else():
    """Filtering twice is filtering once; what it takes out is what is above."""
    cycle = np.random.default_rng(3).normal(size=(40, 2))
    filtered = harmonic_filter(cycle, 5)
    np.testing.assert_allclose(harmonic_filter(filtered, 5), filtered, atol=1e-12)
    spectrum, before = np.fft.rfft(filtered, axis=0), np.fft.rfft(cycle, axis=0)
    np.testing.assert_allclose(spectrum[:6], before[:6], atol=1e-12)
    np.testing.assert_allclose(spectrum[6:], 0.0, atol=1e-12)


def test_averaging_leaves_a_share_of_the_noise():
    """Nine cycles leave a third."""
    noise = np.random.default_rng(4).normal(size=(9 * 2000, 1))
    assert average_over_cycles(noise, 9).std() == pytest.approx(1.0 / 3.0, rel=0.05)


@pytest.mark.parametrize(
    ('what', 'message'),
    [
        (lambda: average_over_cycles(np.zeros((10, 1)), 3), 'no 3 cycles'),
        (lambda: harmonic_filter(np.zeros((6, 1)), 3), 'do not show 3 harmonics'),
    ],
)
def test_samples_that_do_not_fit_are_refused(what, message):
    with pytest.raises(MeasurementError, match=message):
        what()

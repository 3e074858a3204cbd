"""Autocorrelation and spectrum of series whose own are known."""

import numpy as np
from numpy.testing import assert_allclose
import pytest

from spacerobot_id.statistics.white_noise import autocorrelation, spectrum


def filtered(rng, count, share):
    """Return noise of unit variance of which each value keeps a share of the one before."""
    values = np.zeros(count)
    for place, step in enumerate(rng.normal(size=count) * np.sqrt(1.0 - share**2)):
        values[place] = share * values[place - 1] + step
    return values


def test_white_noise_is_within_chance():
    """At about 95 of 100 lags and frequencies, and at no more lags than are expected."""
    rng = np.random.default_rng(2)
    lags, outside = 0, 0
    inside = []
    for _ in range(40):
        series = rng.normal(size=2000)
        found, power = autocorrelation(series), spectrum(series, 0.02)
        lags, outside = lags + len(found.lags), outside + found.outside
        inside.append(np.mean((power.power > power.low) & (power.power < power.high)))
    assert outside / lags == pytest.approx(0.05, abs=0.02)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)


def test_a_filter_of_first_order_is_told():
    """Its autocorrelation falls by its share with every lag; its power is at low frequencies."""
    series = filtered(np.random.default_rng(3), 60_000, 0.8)
    found = autocorrelation(series, most=6)
    assert_allclose(found.values, 0.8**found.lags, atol=0.03)
    assert found.outside == 6 > found.expected
    power = spectrum(series, 0.1)
    expected = 0.36 / np.abs(1.0 - 0.8 * np.exp(-2j * np.pi * 0.1 * power.frequencies)) ** 2
    assert_allclose(power.power, expected, rtol=0.25)


def test_a_tone_is_at_its_frequency_and_power_is_kept():
    """Parseval: the mean of the spectrum is the variance."""
    times = 0.01 * np.arange(4000)
    series = np.sqrt(2.0) * np.sin(2.0 * np.pi * 7.0 * times)
    found = spectrum(series, 0.01)
    assert found.frequencies[np.argmax(found.power)] == pytest.approx(7.0, abs=0.3)
    noise = np.random.default_rng(0).normal(size=4096)
    assert np.mean(spectrum(noise, 1.0).power) == pytest.approx(np.mean(noise**2), rel=0.01)


@pytest.mark.parametrize('series', [np.zeros(50), np.ones(4), np.arange(5.0)])
def test_short_and_constant_series_are_no_harm(series):
    assert np.isfinite(autocorrelation(series).values).all()
    assert np.isfinite(spectrum(series, 1.0).power).all()

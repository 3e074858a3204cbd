"""Rates from positions by a local parabola."""

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_allclose
import pytest

from spacerobot_id.measurement import local_slopes

SEEDS = st.integers(0, 2**32 - 1)


def uneven(rng, count):
    """Return ascending times whose steps differ by a factor of ten."""
    return 1e3 + np.cumsum(rng.uniform(0.002, 0.02, count))


@given(SEEDS, st.sampled_from([3, 5, 21, 51]), st.integers(0, 20))
def test_slopes_of_parabolas_are_exact(seed, points, more):
    """Whatever the stamps and however many components; one slope per full window."""
    rng = np.random.default_rng(seed)
    times = uneven(rng, points + more)
    past = (times - times[0])[:, None]
    start, rate, half_acceleration = rng.normal(size=(3, 1, 3))
    positions = start + rate * past + half_acceleration * past**2
    middle = points // 2
    wanted = (rate + 2.0 * half_acceleration * past)[middle : len(times) - middle]
    slopes = local_slopes(times, positions, points)
    assert slopes.shape == (more + 1, 3)
    assert_allclose(slopes, wanted, atol=1e-6)


@pytest.mark.parametrize('count', [0, 1, 4])
def test_there_are_no_slopes_without_a_full_window(count):
    assert local_slopes(np.arange(count, dtype=float), np.zeros((count, 2)), 5).shape == (0, 2)


@given(SEEDS)
def test_slopes_are_linear_in_the_values(seed):
    """The slope of a sum is the sum of the slopes: noise adds no bias."""
    rng = np.random.default_rng(seed)
    times, values = uneven(rng, 40), rng.normal(size=(2, 40, 3))
    together = local_slopes(times, values.sum(axis=0), 21)
    assert_allclose(together, sum(local_slopes(times, each, 21) for each in values), atol=1e-9)


def test_noise_gives_no_bias_and_the_variance_of_a_straight_line():
    """Mean zero; the parabola's curvature adds nothing to the slope in the middle."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(21, 100_000))
    times = 0.01 * np.arange(21)
    slopes = local_slopes(times, noise, 21)[0]
    std = 1.0 / np.linalg.norm(times - times.mean())
    assert slopes.std() == pytest.approx(std, rel=0.01)
    assert abs(slopes.mean()) < 4.0 * std / np.sqrt(slopes.size)


def test_error_falls_with_the_square_of_the_window():
    """Of a sine, whose third derivative the parabola does not have: order two is measured."""
    errors = []
    for step in (0.02, 0.01, 0.005):
        times = step * np.arange(400)
        slopes = local_slopes(times, np.sin(times)[:, None], 21)[:, 0]
        errors.append(np.abs(slopes - np.cos(times[10:-10])).max())
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert_allclose(orders, 2.0, atol=0.05)


def test_F22_across_a_hole_there_is_no_slope():
    """Every window that has the hole in it, and no other, says NaN."""
    times = 0.01 * np.arange(100)
    times[50:] += 0.5
    slopes = local_slopes(times, times[:, None] ** 3, 21, longest_step=0.1)[:, 0]
    first, last = np.flatnonzero(np.isnan(slopes))[[0, -1]] + 10
    assert (first, last) == (40, 59)
    assert np.isnan(slopes).sum() == 20

"""Streams at the times of others: every sample counts once, whatever is lost of them."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.measurement.signal.resampling import resampled

SEEDS = st.integers(0, 2**32 - 1)


def overstated(stamps, times, blocks=1):
    """Return variance of a weighed mean over that by which it is weighed, of white samples."""
    spacing, interval = (float(np.diff(each).mean()) for each in (times, stamps))
    unit, used, parts = np.eye(len(stamps)), None, []
    for some in np.array_split(times, blocks):
        found = resampled(some, spacing, stamps, unit, interval, 0.15, np.inf, used)
        used = found.used
        parts.append((found.values[found.good], found.variance[found.good]))
    weights, variance = (np.concatenate(each) for each in zip(*parts, strict=True))
    return float(np.sum((weights.T @ (1.0 / variance)) ** 2) / np.sum(1.0 / variance))


@settings(deadline=None, max_examples=30)
@given(SEEDS, st.sampled_from([1, 5, 40]))
def test_F21_samples_that_several_times_share_count_once(seed, blocks):
    """Half of both are lost: means were said to be 1.4 times as good as they are."""
    rng = np.random.default_rng(seed)
    stamps = 0.01 * np.flatnonzero(rng.random(1600) < 0.5)
    times = 0.003 + 0.01 * np.flatnonzero(rng.random(1600) < 0.5)
    assert 0.75 < overstated(stamps, times, blocks) < 1.15


@pytest.mark.parametrize('rate', [10.0, 40.0, 80.0, 100.0])
def test_samples_that_come_evenly_count_once(rate):
    stamps, times = np.arange(0.0, 20.0, 1.0 / rate), np.arange(0.0, 20.0, 0.01) + 0.0037
    assert 0.9 < overstated(stamps, times) < 1.05

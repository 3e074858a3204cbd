"""Interpolation: cubics exactly, straight lines where only those are possible, nothing beyond."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np

from spacerobot_id.measurement.signal.resampling import interpolate

SEEDS = st.integers(0, 2**32 - 1)


def random_stamps(rng, count=20):
    return 1.0 + np.cumsum(rng.uniform(0.005, 0.02, count))


@settings(deadline=None)
@given(SEEDS)
def test_a_cubic_comes_back_from_uneven_samples(seed):
    """Between the second and the last but one sample, whatever the steps."""
    rng = np.random.default_rng(seed)
    stamps, cubic = random_stamps(rng), rng.normal(size=(4, 3))
    times = np.sort(rng.uniform(stamps[1], stamps[-2], 50))
    found = interpolate(times, stamps, np.vander(stamps - 1.0, 4) @ cubic, 0.1)
    assert found.good.all()
    np.testing.assert_allclose(found.values, np.vander(times - 1.0, 4) @ cubic, atol=1e-10)


@settings(deadline=None)
@given(SEEDS)
def test_at_a_stamp_the_sample_comes_back(seed):
    """No neighbour has a say in it, not even an absurd one."""
    rng = np.random.default_rng(seed)
    stamps = random_stamps(rng)
    samples = 10.0 ** rng.uniform(-9, 9, (len(stamps), 2))
    found = interpolate(stamps, stamps, samples, 1e-6)
    assert found.good.all()
    np.testing.assert_array_equal(found.values, samples)


@settings(deadline=None)
@given(SEEDS)
def test_at_the_edges_it_is_a_straight_line(seed):
    """Between the first two samples there is none before, between the last two none after."""
    rng = np.random.default_rng(seed)
    stamps = random_stamps(rng, 4)
    samples = rng.normal(size=(4, 2))
    times = np.array([stamps[:2].mean(), stamps[2:].mean()])
    found = interpolate(times, stamps, samples, 0.1)
    assert found.good.all()
    np.testing.assert_allclose(found.values, [samples[:2].mean(axis=0), samples[2:].mean(axis=0)])


def test_a_sample_far_out_has_no_say():
    """Beside a gap longer than the longest bracket the line is straight; across it is nothing."""
    stamps, samples = np.array([1.0, 2.0, 2.01, 2.02]), np.array([[9.0], [0.0], [1.0], [0.0]])
    found = interpolate(np.array([1.5, 2.005, 2.5]), stamps, samples, 0.1)
    assert found.good.tolist() == [False, True, False]
    np.testing.assert_allclose(found.values[1], 0.5)


def test_F21_lost_samples_of_a_curved_motion_are_not_cut_short():
    """Half the samples of an oscillation lost: no mean error to speak of on its inner side."""
    rng = np.random.default_rng(0)
    stamps = 0.01 * np.arange(1000)
    kept = stamps[np.sort(rng.permutation(1000)[:500])]
    lost = stamps[(stamps > kept[1]) & (stamps < kept[-2])]
    found = interpolate(lost, kept, np.cos(10.0 * kept)[:, None], 0.05)
    true = np.cos(10.0 * lost)
    inward = (true - found.values[:, 0]) * np.sign(true)
    straight = (true - np.interp(lost, kept, np.cos(10.0 * kept))) * np.sign(true)
    assert found.good.mean() > 0.85
    assert abs(inward[found.good].mean()) < 0.2 * straight[found.good].mean()


@settings(deadline=None)
@given(SEEDS)
def test_noise_comes_through_with_the_variance_that_is_returned(seed):
    """Of white noise, by its response to every sample alone; nothing more at a stamp itself."""
    rng = np.random.default_rng(seed)
    stamps = random_stamps(rng)
    times = np.concatenate([rng.uniform(stamps[1], stamps[-2], 20), stamps[5:7]])
    found = interpolate(times, stamps, np.eye(len(stamps)), 0.1)
    assert found.good.all()
    np.testing.assert_allclose(found.variance, np.sum(found.values**2, axis=1), atol=1e-12)
    np.testing.assert_allclose(found.use(len(stamps)), found.values.sum(axis=0), atol=1e-12)
    assert (found.variance[-2:] == 1.0).all()

"""Noise that neighbours share: the banded root against the whole covariance."""

import numpy as np
import pytest

from spacerobot_id.statistics.white_noise import BandedRoot


def covariance(samples, outputs, lags, seed):
    """Return a covariance whose samples share noise with some of those next to them."""
    rng, noises = np.random.default_rng(seed), 2
    factor = np.zeros((samples, outputs, (samples + lags) * noises))
    for sample in range(samples):
        own = slice(sample * noises, (sample + lags + 1) * noises)
        factor[sample, :, own] = rng.normal(size=(outputs, noises * (lags + 1)))
    factor = factor.reshape(samples * outputs, -1)
    return factor @ factor.T + 0.5 * np.eye(samples * outputs)


def blocks_of(whole, samples, outputs, lags):
    """Return the covariance of each sample, and of those later with it."""
    blocks = whole.reshape(samples, outputs, samples, outputs).swapaxes(1, 2)
    shared = np.zeros((lags, samples, outputs, outputs))
    for lag in range(1, lags + 1):
        for sample in range(samples - lag):
            shared[lag - 1, sample] = blocks[sample + lag, sample]
    return blocks[np.arange(samples), np.arange(samples)], shared


@pytest.mark.parametrize(('samples', 'outputs', 'lags'), [(9, 3, 2), (2, 6, 4), (1, 6, 4)])
def test_innovations_are_those_of_the_whole_covariance(samples, outputs, lags):
    """Also of fewer samples than share noise."""
    whole = covariance(samples, outputs, min(lags, samples - 1), seed=samples)
    root = BandedRoot.of(*blocks_of(whole, samples, outputs, lags))
    readings = np.random.default_rng(1).normal(size=(samples, outputs, 5))
    expected = np.linalg.solve(np.linalg.cholesky(whole), readings.reshape(-1, 5))
    np.testing.assert_allclose(root.whitened(readings).reshape(-1, 5), expected, atol=1e-12)
    assert root.log_determinant() == pytest.approx(np.linalg.slogdet(whole)[1])


def test_a_covariance_that_none_can_be_is_refused():
    with pytest.raises(np.linalg.LinAlgError):
        BandedRoot.of(np.eye(2)[None].repeat(3, 0), 2.0 * np.ones((1, 3, 2, 2)))

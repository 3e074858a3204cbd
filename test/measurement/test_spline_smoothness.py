"""A spline is as smooth as its readings say: by their marginal likelihood."""

import numpy as np
import pytest
from scipy.interpolate import BSpline
from scipy.linalg import null_space
from scipy.sparse import csr_array

from spacerobot_id.measurement.signal.smooth_path import _Search, banded, smooth_fit

TIMES = np.linspace(0.0, 3.0, 61)
KNOTS = -0.5 + 0.1 * np.arange(41)
ROWS = csr_array(BSpline.design_matrix(TIMES, KNOTS, 5))
NONE = np.full(ROWS.shape[1] - 3, 1e-12)


def minus_twice_log_likelihood(rows, readings, std, weights):
    """Return it by the full covariance of what a parabola leaves of the readings, and its mean.

    Restricted likelihood: coefficients whose third differences vanish are anything.
    """
    difference = np.diff(np.eye(rows.shape[1]), 3, axis=0)
    free = rows @ null_space(difference)
    rough = rows @ np.linalg.pinv(difference) / np.sqrt(weights)
    covariance = std**2 * (np.eye(len(readings)) + rough @ rough.T)
    left = null_space(free.T)
    among = left.T @ covariance @ left
    seen = left.T @ readings
    return seen @ np.linalg.solve(among, seen) + np.linalg.slogdet(among)[1]


def test_the_cost_is_the_restricted_likelihood():
    """Of two smoothnesses, the noise as stated: the difference is that of dense matrices."""
    rng = np.random.default_rng(0)
    readings = np.sin(3.0 * TIMES) + 0.01 * rng.normal(size=len(TIMES))
    share, std = rng.uniform(0.5, 2.0, len(NONE)), 0.5  # far more than there is: it is not found
    search = _Search(ROWS, readings, std, NONE)
    ours, dense = [], []
    for stiff in (-2.0, 3.0):
        ours.append(search.at(stiff, share).cost)
        weights = np.exp(stiff) * share
        dense.append(minus_twice_log_likelihood(ROWS.toarray(), readings, std, weights))
    assert ours[1] - ours[0] == pytest.approx(dense[1] - dense[0], rel=1e-8)


def test_a_parabola_is_found_whatever_the_smoothness():
    """Its third differences vanish, to the ends."""
    readings = 1.0 - 0.5 * TIMES + 0.3 * TIMES**2
    fit = smooth_fit(ROWS, readings, 0.1, NONE, np.random.default_rng(0))
    np.testing.assert_allclose(ROWS @ fit.coefficients, readings, atol=1e-7)


def test_readings_without_noise_are_followed():
    """The noise that is stated is too small to matter."""
    readings = np.sin(3.0 * TIMES)
    fit = smooth_fit(ROWS, readings, 1e-9, NONE, np.random.default_rng(0))
    np.testing.assert_allclose(ROWS @ fit.coefficients, readings, atol=1e-7)


def test_what_does_not_move_is_constant():
    fit = smooth_fit(ROWS, np.zeros(len(TIMES)), 0.0, NONE, np.random.default_rng(0))
    np.testing.assert_array_equal(fit.coefficients, 0.0)


def test_errors_are_drawn_from_what_is_not_known():
    """Their covariance is the inverse of the normal equations."""
    readings = np.sin(3.0 * TIMES) + 0.01 * np.random.default_rng(1).normal(size=len(TIMES))
    search, share = _Search(ROWS, readings, 0.01, NONE), np.ones(len(NONE))
    fit, rng = search.at(0.0, share), np.random.default_rng(0)
    drawn = np.array([search.errors(fit, rng) for _ in range(4000)])
    difference = np.diff(np.eye(ROWS.shape[1]), 3, axis=0)
    normal = (ROWS.T @ ROWS).toarray() + difference.T @ difference
    expected = fit.variance * np.linalg.inv(normal)
    size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(np.cov(drawn.T) / size, expected / size, atol=0.08)


def test_the_band_of_a_symmetric_matrix():
    matrix = csr_array(np.array([[4.0, 1.0, 2.0], [1.0, 5.0, 3.0], [2.0, 3.0, 6.0]]))
    np.testing.assert_array_equal(
        banded(matrix)[3:], [[0.0, 0.0, 2.0], [0.0, 1.0, 3.0], [4.0, 5.0, 6.0]]
    )

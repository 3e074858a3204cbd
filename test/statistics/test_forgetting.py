"""Forgetting only where new rows speak, and millions of updates without the loss of a digit."""

import numpy as np
import pytest

from spacerobot_id.statistics.square_root_information import SquareRootInformation


def test_F28_without_excitation_nothing_is_forgotten():
    """An hour of rows that say nothing leaves the information as it was."""
    rng = np.random.default_rng(0)
    known = SquareRootInformation.nothing(6).absorb(rng.normal(size=(50, 6)), rng.normal(size=50))
    state = known
    for _ in range(3600):
        rows = 1e-9 * rng.normal(size=(10, 6))
        state = state.forgotten(rows, 0.9).absorb(rows, 1e-9 * rng.normal(size=10))
    assert state.values() == pytest.approx(known.values(), rel=1e-6)
    assert np.diag(state.covariance()) == pytest.approx(np.diag(known.covariance()), rel=1e-6)


def test_F28_information_stays_bounded_under_excitation():
    """With forgetting, ever the same rows reach the information of a geometric series."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20, 6))
    state = SquareRootInformation.nothing(6).absorb(rows, np.ones(20))
    for _ in range(500):
        state = state.forgotten(rows, 0.9).absorb(rows, np.ones(20))
    assert state.factor.T @ state.factor == pytest.approx(10.0 * rows.T @ rows, rel=1e-6)


def test_F28_only_excited_directions_are_forgotten():
    """Rows about some parameters leave the others as sure as they were."""
    rng = np.random.default_rng(1)
    known = SquareRootInformation.from_prior(np.arange(6.0), np.diag([1.0, 2.0, 3.0] * 2))
    rows = np.hstack([rng.normal(size=(20, 3)), np.zeros((20, 3))])
    state = known
    for _ in range(200):
        state = state.forgotten(rows, 0.8).absorb(rows, rows @ np.arange(6.0))
    std = np.diag(state.covariance())
    assert std[3:] == pytest.approx([1.0, 2.0, 3.0], rel=1e-9)
    assert state.values() == pytest.approx(np.arange(6.0), abs=1e-9)


@pytest.mark.parametrize('scale', [1e-12, 1e6])
def test_F29_ten_million_updates_keep_every_digit(scale):
    """The factor stays triangular and regular, and the estimate exact, in any unit."""
    rng = np.random.default_rng(2)
    true = rng.normal(size=4)
    state = SquareRootInformation.nothing(4)
    rows = scale * rng.normal(size=(20_000, 4))
    for _ in range(500):
        state = state.absorb(rows, rows @ true)
    assert state.rows == 10_000_000
    assert np.all(np.abs(np.diag(state.factor)) > 0.0)
    assert np.array_equal(np.tril(state.factor, -1), np.zeros((4, 4)))
    assert state.values() == pytest.approx(true, rel=1e-12)


def test_F29_rates_of_all_sizes_in_one_data_set():
    """Rates of 1e-12 and of 1e+6 side by side leave the information positive definite."""
    rng = np.random.default_rng(3)
    true = rng.normal(size=4)
    rows = rng.normal(size=(4000, 4)) * np.array([1e-12, 1e-3, 1.0, 1e6])
    state = SquareRootInformation.nothing(4)
    for begin in range(0, 4000, 100):
        block = rows[begin : begin + 100]
        state = state.absorb(block, block @ true)
    assert state.rank() == 4
    assert state.values()[1:] == pytest.approx(true[1:], rel=1e-6)

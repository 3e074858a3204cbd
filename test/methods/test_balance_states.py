"""States of momentum balance: moving there and looking back are inverse to each other."""

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from spacerobot_id.methods.balance.equations.states import difference, Trajectory

SEEDS = st.integers(0, 2**32 - 1)


def some_states(rng, count):
    """Return states anywhere, in any attitude."""
    attitude = Rotation.random(count, rng=rng).as_quat()
    return np.hstack([rng.normal(size=(count, 3)), attitude, rng.normal(size=(count, 6))])


def moved(states, by):
    """Return states moved; nothing pushes them."""
    none = np.zeros((len(states), 6))
    return Trajectory(states, none, none, none).moved(by, none, none, none).states


@given(SEEDS, st.sampled_from([0.0, 1e-9, 1e-3, 1.0]))
def test_difference_of_a_moved_state_is_the_move(seed, size):
    """Rotations of up to half a turn, those near zero among them."""
    rng = np.random.default_rng(seed)
    states, by = some_states(rng, 5), size * rng.uniform(-1.0, 1.0, (5, 12))
    assert_allclose(difference(states, moved(states, by)), by, atol=1e-14, rtol=1e-8)


@given(SEEDS)
def test_the_short_way_round_whatever_the_sign_of_the_quaternion(seed):
    """A quaternion and its negative are one attitude (F8)."""
    rng = np.random.default_rng(seed)
    before, after = some_states(rng, 5), some_states(rng, 5)
    there = difference(before, after)
    assert np.linalg.norm(there[:, 3:6], axis=1).max() <= np.pi + 1e-12
    after[:, 3:7] *= -1.0
    assert_allclose(difference(before, after), there, atol=1e-9)


@given(SEEDS)
def test_rotations_are_those_in_base_axes(seed):
    """The attitude afterwards is the one before times the rotation, as scipy has it."""
    rng = np.random.default_rng(seed)
    states, by = some_states(rng, 5), rng.normal(size=(5, 12))
    expected = Rotation.from_quat(states[:, 3:7]) * Rotation.from_rotvec(by[:, 3:6])
    turned = Rotation.from_quat(moved(states, by)[:, 3:7])
    assert_allclose((turned.inv() * expected).magnitude(), 0.0, atol=1e-12)

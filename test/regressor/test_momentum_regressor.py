"""The momentum regressor: pinocchio's, the direct sum's, and linear where it must be."""

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
from pinocchio_robot import PinocchioRobot
import pytest
from robots import assert_close, dual_arm, random_tree

from spacerobot_id.multibody import momentum
from spacerobot_id.regressor import minimal_parameters, momentum_regressor

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(0, 20)


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(1, 20))
def test_it_is_that_of_pinocchio(seed, joints):
    """Every column equals the base rows of the joint-torque regressor Y(q, 0, v), gravity 0."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    ours = momentum_regressor(model, states.q, states.qd, states.base_twist)
    assert_close(ours, PinocchioRobot(model).momentum_regressor(states), 1e-10)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_times_parameters_it_is_the_momentum(seed, joints):
    """Regressor times standard parameters is the sum over the links ([Naveen 2024] Eq. 12)."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    motion = states.q, states.qd, states.base_twist
    assert_close(
        momentum_regressor(model, *motion) @ model.parameters, momentum(model, *motion), 1e-10
    )


@settings(deadline=None)
@given(SEEDS)
def test_it_is_linear_in_the_rates(seed):
    """Twice one motion and once another is the sum of their regressors."""
    model = random_tree(seed, 4)
    first, other = random_states(model, seed), random_states(model, seed + 1)

    def regressor(qd, twist):
        return momentum_regressor(model, first.q, qd, twist)

    both = regressor(2.0 * first.qd + other.qd, 2.0 * first.base_twist + other.base_twist)
    parts = 2.0 * regressor(first.qd, first.base_twist) + regressor(other.qd, other.base_twist)
    assert_close(both, parts, 1e-13)


def test_it_depends_on_geometry_alone():
    """Other inertial parameters leave it as it is."""
    model = dual_arm()
    states = random_states(model)
    other = model.with_parameters(np.ones_like(model.parameters))
    first, second = (
        momentum_regressor(each, states.q, states.qd, states.base_twist) for each in (model, other)
    )
    np.testing.assert_array_equal(first, second)


def test_chosen_columns_are_those_of_the_whole():
    """The regressor of the minimal parameters takes columns and changes none (Eq. 24)."""
    model, columns = dual_arm(), minimal_parameters(dual_arm()).columns
    states = random_states(model)
    motion = states.q, states.qd, states.base_twist
    np.testing.assert_array_equal(
        momentum_regressor(model, *motion, columns),
        momentum_regressor(model, *motion)[..., columns],
    )


def test_sample_axes_are_free_and_broadcast():
    """Any leading axes go; a single state, two axes, one twist for all."""
    model = dual_arm()
    states = random_states(model, samples=6)
    flat = momentum_regressor(model, states.q, states.qd, states.base_twist[0])
    folded = momentum_regressor(
        model, states.q.reshape(2, 3, 6), states.qd.reshape(2, 3, 6), states.base_twist[0]
    )
    single = momentum_regressor(model, states.q[4], states.qd[4], states.base_twist[0])
    assert flat.shape == (6, 6, 70)
    assert single.shape == (6, 70)
    np.testing.assert_array_equal(folded.reshape(flat.shape), flat)
    np.testing.assert_allclose(single, flat[4], atol=1e-14)


@pytest.mark.parametrize('joints', [5, 7])
def test_a_wrong_number_of_joints_is_refused(joints):
    """The error says how many values were wanted."""
    with pytest.raises(ValueError, match=r'expected \(samples, 6\) values'):
        momentum_regressor(dual_arm(), np.zeros(joints), np.zeros(joints), np.zeros(6))


def test_no_samples_make_no_rows():
    """An empty motion has an empty regressor."""
    nothing = momentum_regressor(dual_arm(), np.zeros((0, 6)), np.zeros((0, 6)), np.zeros((0, 6)))
    assert nothing.shape == (0, 6, 70)


@pytest.mark.parametrize('samples', [(0,), (3,), (2, 700), (2500,)])
def test_the_fastest_axis_is_as_wanted(samples):
    """Samples by default, parameters for products of matrices; the numbers are the same."""
    model, rng = dual_arm(), np.random.default_rng(0)
    columns = minimal_parameters(model).columns
    motion = [rng.normal(size=(*samples, width)) for width in (6, 6, 6)]
    found = momentum_regressor(model, *motion, columns)
    rows = momentum_regressor(model, *motion, columns, contiguous=True)
    assert rows.shape == (*samples, 6, len(columns))
    assert rows.flags.c_contiguous
    np.testing.assert_array_equal(rows, found)
    alone = momentum_regressor(model, *(each[..., -1:, :] for each in motion), columns)
    np.testing.assert_allclose(rows[..., -1:, :, :], alone, rtol=1e-14, atol=1e-14)

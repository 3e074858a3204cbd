"""The Coriolis matrix: pinocchio's forces, a skew remainder, wheels that do no work."""

from dynamics_oracle import pinocchio_bias_forces
from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
from robots import assert_close, random_tree, with_wheels

from spacerobot_id.multibody import coriolis_matrix, inverse_dynamics
from spacerobot_id.multibody.mass_matrix import mass_matrix_rate

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(1, 30)


def rates_of(states):
    return np.hstack([states.base_twist, states.qd])


def times(matrices, vectors):
    return np.einsum('nij,nj->ni', matrices, vectors)


def resting_acceleration(states):
    """Return the base's acceleration when the components of its twist stay as they are."""
    linear, angular = states.base_twist[:, :3], states.base_twist[:, 3:]
    return np.hstack([np.cross(angular, linear), np.zeros_like(angular)])


@settings(max_examples=30, deadline=None)
@given(SEEDS, JOINTS)
def test_its_forces_are_those_of_pinocchio(seed, joints):
    """Times the rates it is what pinocchio calls the nonlinear effects, gravity 0."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    matrix = coriolis_matrix(model, states.q, states.qd, states.base_twist)
    assert_close(times(matrix, rates_of(states)), pinocchio_bias_forces(model, states), 1e-11)


@settings(max_examples=30, deadline=None)
@given(SEEDS, JOINTS)
def test_the_rate_of_the_mass_matrix_less_twice_it_is_skew(seed, joints):
    """Also with wheels that spin: gyroscopic torques do no work."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed))
    states = random_states(model, seed)
    matrix = coriolis_matrix(
        model, states.q, states.qd, states.base_twist, 100.0 * states.wheel_rates
    )
    remainder = mass_matrix_rate(model, states.q, states.qd) - 2.0 * matrix
    scale = np.abs(remainder).max()
    symmetric = remainder + np.swapaxes(remainder, -1, -2)
    np.testing.assert_allclose(symmetric, 0.0, atol=1e-12 * scale)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_with_wheels_its_forces_are_those_of_newton_and_euler(seed, joints):
    """Links that carry wheels anywhere in the tree, twist held, joints at constant rates."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed), wheels=4)
    states = random_states(model, seed)
    wheel_rates = 10.0 * states.wheel_rates
    matrix = coriolis_matrix(model, states.q, states.qd, states.base_twist, wheel_rates)
    expected = inverse_dynamics(
        model,
        states.q,
        states.qd,
        0.0 * states.qd,
        states.base_twist,
        resting_acceleration(states),
        wheel_rates,
    )
    both = np.hstack([expected.base_wrench, expected.joint_torques])
    assert_close(times(matrix, rates_of(states)), both, 1e-12)


@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_it_is_linear_in_the_rates(seed):
    """Of two motions at one posture, the sum of the two."""
    model = random_tree(seed, 8)
    states, other = random_states(model, seed), random_states(model, seed + 1)
    sums = states.qd + 3.0 * other.qd, states.base_twist + 3.0 * other.base_twist
    parts = [
        coriolis_matrix(model, states.q, each.qd, each.base_twist) for each in (states, other)
    ]
    assert_close(coriolis_matrix(model, states.q, *sums), parts[0] + 3.0 * parts[1], 1e-13)

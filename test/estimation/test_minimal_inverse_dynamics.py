"""Torques and base motion from minimal parameters alone are those of the robot itself."""

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
from robots import assert_close, dual_arm, random_tree, servicer, with_wheels

from spacerobot_id.multibody import free_floating_inverse_dynamics
from spacerobot_id.regressor import minimal_parameters

SEEDS = st.integers(0, 2**32 - 1)
FIELDS = ('base_twist', 'base_acceleration', 'joint_torques', 'wheel_torques')


def minimal_inverse_dynamics(model, minimal, values, *motion):
    """Return the dynamics of the robot that has minimal parameters, redundant ones zero."""
    return free_floating_inverse_dynamics(model.with_parameters(minimal.expand(values)), *motion)


def assert_same_dynamics(ours, theirs, relative):
    for name in FIELDS:
        expected = getattr(theirs, name)
        assert getattr(ours, name).shape == expected.shape
        if expected.size:
            assert_close(getattr(ours, name), expected, relative)


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(0, 20))
def test_it_predicts_what_standard_parameters_do(seed, joints):
    """Momentum, wheels that spin and speed up, prismatic joints: the same four predictions."""
    rng = np.random.default_rng(seed)
    model = with_wheels(random_tree(seed, joints), rng)
    states, minimal = random_states(model, seed), minimal_parameters(model)
    motion = states.q, states.qd, states.qdd
    rest = states.wheel_rates, rng.normal(size=states.wheel_rates.shape), rng.normal(size=(5, 6))
    ours = minimal_inverse_dynamics(model, minimal, minimal.values(model), *motion, *rest)
    assert_same_dynamics(ours, free_floating_inverse_dynamics(model, *motion, *rest), 1e-9)


def test_it_serves_the_shipped_robots():
    """Also without the rates of wheels, at zero momentum, and for inertias of no body."""
    for model in (dual_arm(), servicer()):
        states, minimal = random_states(model), minimal_parameters(model)
        motion = states.q, states.qd, states.qdd
        ours = minimal_inverse_dynamics(model, minimal, minimal.values(model), *motion)
        assert_same_dynamics(ours, free_floating_inverse_dynamics(model, *motion), 1e-9)


def test_the_parameters_of_the_model_play_no_part():
    """Only its geometry and wheels do."""
    model, other = dual_arm(), dual_arm().with_parameters(np.ones(70))
    states, minimal = random_states(model), minimal_parameters(model)
    values = minimal.values(model)
    motion = states.q, states.qd, states.qdd, states.wheel_rates, states.wheel_rates
    first, second = (
        minimal_inverse_dynamics(each, minimal, values, *motion) for each in (model, other)
    )
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_wrong_parameters_predict_wrong_torques():
    """All a tenth too large: the same base motion from joints alone, torques a tenth larger."""
    model = dual_arm()
    states, minimal = random_states(model), minimal_parameters(model)
    values, motion = minimal.values(model), (states.q, states.qd, states.qdd)
    right = minimal_inverse_dynamics(model, minimal, values, *motion)
    wrong = minimal_inverse_dynamics(model, minimal, 1.1 * values, *motion)
    assert_close(wrong.base_twist, right.base_twist, 1e-12)
    assert_close(wrong.joint_torques, 1.1 * right.joint_torques, 1e-11)

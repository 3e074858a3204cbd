"""The wrench regressor: pinocchio's equations of motion, and the derivative of the momentum."""

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import advanced, random_states
import numpy as np
from pinocchio_robot import PinocchioRobot
from robots import assert_close, random_tree

from spacerobot_id.multibody import momentum
from spacerobot_id.regressor import minimal_parameters, wrench_regressor

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(1, 20)
STEP = 1e-5


def regressor_of(model, states):
    return wrench_regressor(
        model, states.q, states.qd, states.qdd, states.base_twist, states.base_acceleration
    )


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_it_is_that_of_pinocchio(seed, joints):
    """Base wrench and joint torques, every column of every link."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    oracle = PinocchioRobot(model).torque_regressor(states)
    assert_close(regressor_of(model, states), oracle, 1e-10)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_times_parameters_it_is_inverse_dynamics(seed, joints):
    """Regressor times standard parameters is what recursive Newton-Euler gives."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    oracle = PinocchioRobot(model).torques(states)
    assert_close(regressor_of(model, states) @ model.parameters, oracle, 1e-10)


@settings(deadline=None)
@given(SEEDS)
def test_the_base_wrench_is_the_rate_of_the_momentum(seed):
    """Force and moment about the base's origin, against the inertial frame, in base axes."""
    model = random_tree(seed, 4)
    states = random_states(model, seed)
    ahead, now, behind = (
        momentum(model, each.q, each.qd, each.base_twist)
        for each in (advanced(states, step) for step in (STEP, 0.0, -STEP))
    )
    linear, turning = states.base_twist[:, :3], states.base_twist[:, 3:]
    expected = (ahead - behind) / (2.0 * STEP)
    expected[:, :3] += np.cross(turning, now[:, :3])
    expected[:, 3:] += np.cross(turning, now[:, 3:]) + np.cross(linear, now[:, :3])
    wrench = (regressor_of(model, states) @ model.parameters)[:, :6]
    assert_close(wrench, expected, 1e-7)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_minimal_parameters_of_the_momentum_serve_the_dynamics(seed, joints):
    """The columns that stay, times the minimal parameters, are the same torques."""
    model = random_tree(seed, joints)
    minimal = minimal_parameters(model)
    regressor = regressor_of(model, random_states(model, seed))
    grouped = regressor[..., minimal.columns] @ minimal.values(model)
    assert_close(grouped, regressor @ model.parameters, 1e-10)

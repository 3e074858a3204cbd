"""Newton-Euler on a moving base: pinocchio's torques, the regressor's, wheels, conservation."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import advanced, random_states
import numpy as np
from pinocchio_robot import PinocchioRobot
import pytest
from robots import assert_close, dual_arm, random_tree, with_wheels

from spacerobot_id.model import InertialParameters, Joint, JointType, Link, RobotModel
from spacerobot_id.multibody import (
    base_twist_from_momentum,
    coriolis_matrix,
    free_floating_inverse_dynamics,
    inverse_dynamics,
    mass_matrix,
    momentum,
    wheel_momentum,
)
from spacerobot_id.regressor import minimal_parameters, wrench_regressor

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(1, 30)
STEP = 1e-5


def motion_of(states):
    return states.q, states.qd, states.qdd, states.base_twist, states.base_acceleration


def stacked(result):
    return np.hstack([result.base_wrench, result.joint_torques])


@settings(max_examples=30, deadline=None)
@given(SEEDS, JOINTS)
def test_it_is_that_of_pinocchio(seed, joints):
    """Base wrench and joint torques of trees with up to thirty joints."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    oracle = PinocchioRobot(model).torques(states)
    assert_close(stacked(inverse_dynamics(model, *motion_of(states))), oracle, 1e-11)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_it_is_mass_times_acceleration_and_coriolis_forces(seed, joints):
    """The two matrices and the recursion agree ([Wilde 2018] Eq. 39), wheels spinning."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed))
    states = random_states(model, seed)
    linear, angular = states.base_twist[:, :3], states.base_twist[:, 3:]
    change = np.hstack([states.base_acceleration, states.qdd])
    change[:, :3] -= np.cross(angular, linear)
    matrix = coriolis_matrix(model, states.q, states.qd, states.base_twist, states.wheel_rates)
    rates = np.hstack([states.base_twist, states.qd])
    expected = np.einsum('nij,nj->ni', mass_matrix(model, states.q), change)
    expected += np.einsum('nij,nj->ni', matrix, rates)
    ours = inverse_dynamics(model, *motion_of(states), states.wheel_rates)
    assert_close(stacked(ours), expected, 1e-11)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_minimal_parameters_expanded_give_the_same_torques(seed, joints):
    """Links without mass and with first moments, which no bodies have, move alike as a whole."""
    model = random_tree(seed, joints)
    minimal, states = minimal_parameters(model), random_states(model, seed)
    expanded = model.with_parameters(minimal.expand(minimal.values(model)))
    theirs = stacked(inverse_dynamics(model, *motion_of(states)))
    assert_close(stacked(inverse_dynamics(expanded, *motion_of(states))), theirs, 1e-10)


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(0, 20))
def test_it_is_the_regressor_times_the_parameters(seed, joints):
    """The other road to the equations of motion, also for a robot without joints."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    expected = wrench_regressor(model, *motion_of(states)) @ model.parameters
    assert_close(stacked(inverse_dynamics(model, *motion_of(states))), expected, 1e-11)


def rotors_as_joints(seed, joints):
    """Return a robot with wheels, the same with rotors as links, and the places of the latter.

    The rotors are alike about their axes and have no mass: all but the spin is the carrier's.
    """
    rng = np.random.default_rng(seed)
    model = with_wheels(random_tree(seed, joints), rng, wheels=3)
    links, tree, lumped = list(model.links), list(model.joints), list(model.links)
    for wheel in model.wheels:
        other = np.linalg.svd(wheel.axis[None])[2][1:]
        R_LW = np.column_stack([*other, np.cross(*other)])
        R_LW[:, 2] = wheel.axis
        R_LW[:, 1] = np.cross(wheel.axis, R_LW[:, 0])
        inertia = wheel.spin_inertia * np.diag([0.7, 0.7, 1.0])
        rotor = InertialParameters(0.0, np.zeros(3), inertia)
        links.append(Link(f'rotor_{wheel.name}', rotor))
        tree.append(Joint(wheel.name, JointType.REVOLUTE, wheel.link, R_LW, np.zeros(3)))
        carrier = lumped[wheel.link]
        whole = carrier.inertial + rotor.expressed_in(R_LW, np.zeros(3))
        lumped[wheel.link] = replace(carrier, inertial=whole)
    with_rotors = RobotModel('rotors', links, tree)
    return replace(model, links=lumped), with_rotors


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 12))
def test_wheels_are_links_that_spin(seed, joints):
    """A gyrostat asks for the wrench and torques that a tree with its rotors as links does.

    Rates, accelerations and the motors' own torques: against a model that knows no wheels.
    """
    lumped, with_rotors = rotors_as_joints(seed, joints)
    states = random_states(lumped, seed)
    wheel_rates = 20.0 * states.wheel_rates
    wheel_accelerations = np.random.default_rng(seed).normal(size=wheel_rates.shape)
    ours = inverse_dynamics(lumped, *motion_of(states), wheel_rates, wheel_accelerations)
    theirs = inverse_dynamics(
        with_rotors,
        np.hstack([states.q, wheel_rates]),
        np.hstack([states.qd, wheel_rates]),
        np.hstack([states.qdd, wheel_accelerations]),
        states.base_twist,
        states.base_acceleration,
    )
    assert_close(ours.base_wrench, theirs.base_wrench, 1e-12)
    assert_close(ours.joint_torques, theirs.joint_torques[:, :joints], 1e-11)
    scale = np.abs(theirs.joint_torques).max()
    motors = theirs.joint_torques[:, joints:]
    np.testing.assert_allclose(ours.wheel_torques, motors, rtol=0.0, atol=1e-12 * scale)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_nothing_from_outside_moves_a_floating_robot(seed, joints):
    """At the base's twist and acceleration the wrench is zero, momentum and wheels or not."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed))
    states = random_states(model, seed)
    wheels = states.wheel_rates, states.wheel_rates[::-1]
    given_momentum = np.random.default_rng(seed).normal(size=(5, 6))
    free = free_floating_inverse_dynamics(
        model, states.q, states.qd, states.qdd, *wheels, given_momentum
    )
    motion = states.q, states.qd, states.qdd, free.base_twist, free.base_acceleration
    ours = inverse_dynamics(model, *motion, *wheels)
    scale = np.abs(ours.joint_torques).max()
    np.testing.assert_allclose(ours.base_wrench, 0.0, atol=1e-10 * scale)
    np.testing.assert_allclose(ours.joint_torques, free.joint_torques, atol=1e-11 * scale)
    np.testing.assert_allclose(ours.wheel_torques, free.wheel_torques, atol=1e-11 * scale)
    total = momentum(model, states.q, states.qd, free.base_twist)
    total += wheel_momentum(model, states.q, states.wheel_rates)
    assert_close(total, given_momentum, 1e-11)


def test_a_robot_without_mass_is_refused():
    """Nothing resists motion, so that no base motion follows, and no number may come out."""
    tree = random_tree(0, 2)
    nothing = tree.with_parameters(np.zeros(10 * len(tree.links)))
    with pytest.raises(np.linalg.LinAlgError, match='singular'):
        free_floating_inverse_dynamics(nothing, *np.ones((3, 1, 2)))


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(1, 12))
def test_the_base_accelerates_as_conservation_says(seed, joints):
    """The derivative of the twist that keeps a momentum constant in inertial axes."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed))
    states = random_states(model, seed)
    speeding_up = states.wheel_rates[::-1]
    total = np.random.default_rng(seed).normal(size=(5, 6))
    free = free_floating_inverse_dynamics(
        model, states.q, states.qd, states.qdd, states.wheel_rates, speeding_up, total
    )
    linear, angular = free.base_twist[:, :3], free.base_twist[:, 3:]
    # Constant for the inertial frame, the momentum turns and shifts for one that moves.
    change = -np.hstack(
        [
            np.cross(angular, total[:, :3]),
            np.cross(angular, total[:, 3:]) + np.cross(linear, total[:, :3]),
        ]
    )
    ahead, behind = (
        base_twist_from_momentum(
            model,
            later.q,
            later.qd,
            states.wheel_rates + step * speeding_up,
            total + step * change,
        )
        for step in (STEP, -STEP)
        for later in [advanced(states, step)]
    )
    expected = (ahead - behind) / (2.0 * STEP)
    expected[:, :3] += np.cross(angular, linear)
    assert_close(free.base_acceleration, expected, 1e-6)


def test_without_wheels_none_need_be_given():
    """Rates that are not given are zero, and those given have to fit the robot."""
    model = dual_arm()
    states = random_states(model)
    still = inverse_dynamics(model, *motion_of(states), np.zeros((5, 3)))
    np.testing.assert_array_equal(
        stacked(inverse_dynamics(model, *motion_of(states))), stacked(still)
    )
    with pytest.raises(ValueError, match=r'expected \(5, 3\) values of wheels, got \(5, 2\)'):
        inverse_dynamics(model, *motion_of(states), np.zeros((5, 2)))

"""Trees of thirty joints against pinocchio, and trees and batches with nothing in them."""

from dynamics_oracle import (
    pinocchio_bias_forces,
    pinocchio_jacobians,
    pinocchio_mass_matrices,
)
from motions import random_states
import numpy as np
from pinocchio_robot import PinocchioRobot
import pytest
from random_robots import random_rotation
from robots import assert_close, dual_arm, random_tree

from spacerobot_id.kinematics import point_jacobian
from spacerobot_id.model import JointType
from spacerobot_id.multibody import (
    centre_of_mass,
    coriolis_matrix,
    free_floating_inverse_dynamics,
    inverse_dynamics,
    mass_matrix,
    momentum,
)
from spacerobot_id.multibody.free_floating.generalized_inertia import (
    generalized_coriolis_forces,
    generalized_inertia,
    generalized_inertia_derivatives,
    generalized_jacobian,
    point_twist,
)
from spacerobot_id.multibody.mass_matrix import (
    mass_matrix_derivatives,
    mass_matrix_rate,
)

PRECISION = 1e-12


@pytest.fixture(params=range(12))
def tree(request):
    """Return a random tree of thirty joints, states of it, and random numbers."""
    model = random_tree(request.param, 30)
    return model, random_states(model, request.param), np.random.default_rng(request.param)


def test_the_trees_are_trees(tree):
    """They branch, and some of their joints are prismatic."""
    model, _, _ = tree
    assert len({joint.parent for joint in model.joints}) < 30
    assert {joint.type for joint in model.joints} == set(JointType)


def test_mass_matrix(tree):
    """Composite rigid bodies."""
    model, states, _ = tree
    oracle = pinocchio_mass_matrices(model, states.q)
    assert_close(mass_matrix(model, states.q), oracle, PRECISION)


def test_bias_forces(tree):
    """What it takes to keep all rates as they are."""
    model, states, _ = tree
    matrix = coriolis_matrix(model, states.q, states.qd, states.base_twist)
    rates = np.hstack([states.base_twist, states.qd])
    forces = np.einsum('nij,nj->ni', matrix, rates)
    assert_close(forces, pinocchio_bias_forces(model, states), PRECISION)


def test_inverse_dynamics(tree):
    """Recursive Newton-Euler."""
    model, states, _ = tree
    motion = states.q, states.qd, states.qdd, states.base_twist, states.base_acceleration
    ours = inverse_dynamics(model, *motion)
    both = np.hstack([ours.base_wrench, ours.joint_torques])
    assert_close(both, PinocchioRobot(model).torques(states), PRECISION)


def test_centroidal_momentum(tree):
    """Moved to the base's origin, wherever the base is."""
    model, states, rng = tree
    oracle = PinocchioRobot(model).momentum(states, random_rotation(rng), rng.normal(size=3))
    assert_close(momentum(model, states.q, states.qd, states.base_twist), oracle, PRECISION)


def test_jacobians(tree):
    """Of a point on every link."""
    model, states, rng = tree
    for link in range(len(model.links)):
        point = rng.normal(size=3)
        oracle = pinocchio_jacobians(model, states.q, link, point)
        assert_close(point_jacobian(model, states.q, link, point), oracle, PRECISION)


@pytest.mark.parametrize('samples', [0, 1])
@pytest.mark.parametrize('joints', [0, 6])
def test_nothing_comes_of_nothing(joints, samples):
    """No joints, no samples or neither: shapes are what they are for many."""
    model = dual_arm() if joints else random_tree(0, 0)
    states = random_states(model, samples=samples)
    q, qd, twist = states.q, states.qd, states.base_twist
    square = (samples, 6 + joints, 6 + joints)
    assert mass_matrix(model, q).shape == square
    assert mass_matrix_rate(model, q, qd).shape == square
    assert mass_matrix_derivatives(model, q).shape == (samples, joints, *square[1:])
    assert coriolis_matrix(model, q, qd, twist).shape == square
    assert generalized_inertia(model, q).shape == (samples, joints, joints)
    assert generalized_inertia_derivatives(model, q).shape == (samples, joints, joints, joints)
    assert generalized_coriolis_forces(model, q, qd).shape == (samples, joints)
    assert generalized_jacobian(model, q, joints).shape == (samples, 6, joints)
    assert point_twist(model, q, qd, 0).shape == (samples, 6)
    assert centre_of_mass(model, q).shape == (samples, 3)
    free = free_floating_inverse_dynamics(model, q, qd, states.qdd)
    assert free.base_acceleration.shape == (samples, 6)
    assert free.joint_torques.shape == (samples, joints)
    assert free.wheel_torques.shape == (samples, len(model.wheels))


def test_every_sample_is_worked_on_alone():
    """A batch gives what its samples give one by one."""
    model = random_tree(3, 9)
    states = random_states(model, samples=4)
    both = coriolis_matrix(model, states.q, states.qd, states.base_twist)
    derivatives = generalized_inertia_derivatives(model, states.q)
    for row in range(4):
        one = slice(row, row + 1)
        alone = coriolis_matrix(model, states.q[one], states.qd[one], states.base_twist[one])
        assert_close(both[one], alone, 1e-14)
        assert_close(
            derivatives[one], generalized_inertia_derivatives(model, states.q[one]), 1e-13
        )

"""The mass matrix and its derivatives: pinocchio's, the energy's, finite differences."""

from dynamics_oracle import pinocchio_mass_matrices
from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
from random_robots import random_rotation
from robots import assert_close, dual_arm, random_tree

from spacerobot_id.kinematics import link_motion
from spacerobot_id.multibody import (
    centre_of_mass,
    mass_matrix,
    momentum_matrix,
    whole_robot,
)
from spacerobot_id.multibody.mass_matrix import (
    mass_matrix_blocks,
    mass_matrix_derivatives,
    mass_matrix_rate,
)

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(1, 30)
STEP = 1e-5


def kinetic_energy(model, states):
    """Return the sum over the links, from their centres of mass, shape (N,)."""
    motion = link_motion(model, states.q, states.qd, states.base_twist)
    total = np.zeros(len(states.q))
    for index, link in enumerate(model.links):
        body, axes = link.inertial, np.moveaxis(motion.poses.axes[index], -1, 0)
        turning = np.einsum('nac,cn->na', axes, motion.angular[index])
        speed = np.einsum('nac,cn->na', axes, motion.linear[index]) + np.cross(turning, body.com)
        spin = turning @ body.inertia_about_com
        total += 0.5 * (body.mass * (speed**2).sum(axis=1) + (spin * turning).sum(axis=1))
    return total


@settings(max_examples=30, deadline=None)
@given(SEEDS, JOINTS)
def test_it_is_that_of_pinocchio(seed, joints):
    """Composite bodies in the base's frame give pinocchio's matrix."""
    model = random_tree(seed, joints)
    q = random_states(model, seed).q
    assert_close(mass_matrix(model, q), pinocchio_mass_matrices(model, q), 1e-12)


def test_it_is_that_of_pinocchio_for_a_long_chain_and_a_tree_of_thirty_joints():
    """Thirty joints, of which a quarter are prismatic, a dozen trees."""
    for seed in range(12):
        model = random_tree(seed, 30)
        q = random_states(model, seed).q
        assert_close(mass_matrix(model, q), pinocchio_mass_matrices(model, q), 1e-12)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_its_quadratic_form_is_twice_the_kinetic_energy(seed, joints):
    """Of all links, each by its own centre of mass ([Wilde 2018] Eqs. 26, 27)."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    rates = np.hstack([states.base_twist, states.qd])
    doubled = np.einsum('ni,nij,nj->n', rates, mass_matrix(model, states.q), rates)
    assert_close(doubled, 2.0 * kinetic_energy(model, states), 1e-12)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_its_blocks_are_those_of_the_momentum(seed, joints):
    """The upper rows are the momentum matrix; the whole is symmetric and positive definite."""
    model = random_tree(seed, joints)
    q = random_states(model, seed).q
    matrix = mass_matrix(model, q)
    blocks = mass_matrix_blocks(matrix)
    upper = np.concatenate([blocks.base, blocks.coupling], axis=-1)
    assert_close(upper, momentum_matrix(model, q), 1e-14)
    assert_close(matrix, np.swapaxes(matrix, -1, -2), 1e-15)
    assert np.linalg.eigvalsh(matrix).min() > 0.0


@given(SEEDS)
def test_links_on_different_branches_share_nothing(seed):
    """Two joints of the base have no element in common: the fixed-base block is a tree's."""
    model = dual_arm()
    matrix = mass_matrix(model, random_states(model, seed).q)
    first, second = slice(6, 9), slice(9, 12)
    np.testing.assert_array_equal(matrix[:, first, second], 0.0)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_its_derivatives_are_those_of_finite_differences(seed, joints):
    """By every joint, central differences."""
    model = random_tree(seed, joints)
    q = random_states(model, seed, samples=2).q
    derivatives = mass_matrix_derivatives(model, q)
    steps = STEP * np.eye(joints)
    ahead, behind = (
        mass_matrix(model, moved.reshape(2 * joints, joints))
        for moved in (q[:, None] + steps, q[:, None] - steps)
    )
    expected = ((ahead - behind) / (2.0 * STEP)).reshape(derivatives.shape)
    scale = np.abs(mass_matrix(model, q)).max()
    np.testing.assert_allclose(derivatives, expected, rtol=0.0, atol=1e-9 * scale)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_its_rate_is_the_sum_of_its_derivatives(seed, joints):
    """Two roads: every body with its own twist, and joint by joint."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    expected = np.einsum('nkij,nk->nij', mass_matrix_derivatives(model, states.q), states.qd)
    scale = np.abs(mass_matrix(model, states.q)).max()
    rate = mass_matrix_rate(model, states.q, states.qd)
    np.testing.assert_allclose(rate, expected, rtol=0.0, atol=1e-12 * scale)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_the_centre_of_mass_is_that_of_the_whole_robot(seed, joints):
    """For all samples at once as for each alone ([Wilde 2018] Eq. 14)."""
    model = random_tree(seed, joints)
    q = random_states(model, seed).q
    expected = [whole_robot(model, row).com for row in q]
    assert_close(centre_of_mass(model, q), expected, 1e-12)


def test_a_robot_without_joints_is_a_body():
    """The matrix is the base's alone, its derivatives are none."""
    model = random_tree(0, 0)
    q = np.zeros((2, 0))
    body, turn = model.links[0].inertial, random_rotation(np.random.default_rng(0))
    matrix = mass_matrix(model, q)
    assert_close(matrix[0, 3:, 3:], body.inertia, 1e-15)
    assert_close(matrix[1, 3:, :3] @ turn, np.cross(body.first_moment, turn.T).T, 1e-14)
    assert mass_matrix_derivatives(model, q).shape == (2, 0, 6, 6)
    np.testing.assert_array_equal(mass_matrix_rate(model, q, q), 0.0)

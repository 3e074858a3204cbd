"""The joints of a robot whose base gives way: inertia, its derivatives, Coriolis terms."""

from dynamics_oracle import pinocchio_bias_forces, pinocchio_mass_matrices
from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
import pytest
from robots import assert_close, random_tree, with_wheels

from spacerobot_id.multibody import (
    base_twist_from_momentum,
    free_floating_inverse_dynamics,
    mass_matrix,
    momentum,
)
from spacerobot_id.multibody.free_floating.generalized_inertia import (
    base_inertia_inverse,
    base_motion_matrix,
    generalized_coriolis_forces,
    generalized_coriolis_matrix,
    generalized_inertia,
    generalized_inertia_derivatives,
    generalized_inertia_rate,
)
from spacerobot_id.multibody.mass_matrix import mass_matrix_blocks, mass_matrix_derivatives

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(1, 30)
STEP = 1e-5


def times(matrices, vectors):
    return np.einsum('nij,nj->ni', matrices, vectors)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_the_schur_complement_inverts_the_base_inertia(seed, joints):
    """Against a general solver, for samples on any axes ([Wilde 2018] Eqs. 51-53)."""
    model = random_tree(seed, joints)
    base = mass_matrix_blocks(mass_matrix(model, random_states(model, seed, 6).q)).base
    folded = base_inertia_inverse(base.reshape(2, 3, 6, 6)).reshape(6, 6, 6)
    assert_close(folded, np.linalg.inv(base), 1e-12)
    np.testing.assert_array_equal(folded[2], base_inertia_inverse(base[2]))


@settings(max_examples=30, deadline=None)
@given(SEEDS, JOINTS)
def test_its_inverse_is_that_of_the_joints_in_the_whole_inverse(seed, joints):
    """The lower block of the inverse of pinocchio's mass matrix: the base free to move."""
    model = random_tree(seed, joints)
    q = random_states(model, seed).q
    inverse = np.linalg.inv(pinocchio_mass_matrices(model, q))[:, 6:, 6:]
    ours = generalized_inertia(model, q)
    np.testing.assert_allclose(ours @ inverse - np.eye(joints), 0.0, atol=1e-9)
    assert np.linalg.eigvalsh(ours).min() > 0.0


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_the_base_moves_so_that_the_momentum_is_zero(seed, joints):
    """What the joints' rates make of the base is what conservation gives (Eq. 109)."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    moved = times(base_motion_matrix(model, states.q), states.qd)
    np.testing.assert_array_equal(moved[:, 6:], states.qd)
    remaining = momentum(model, states.q, states.qd, moved[:, :6])
    scale = np.abs(momentum(model, states.q, states.qd, 0.0 * moved[:, :6])).max()
    np.testing.assert_allclose(remaining, 0.0, atol=1e-12 * scale)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_its_derivatives_are_those_of_finite_differences(seed, joints):
    """By every joint, central differences ([Wilde 2018] Eq. 81)."""
    model = random_tree(seed, joints)
    q = random_states(model, seed, samples=2).q
    expected = np.stack(
        [
            (generalized_inertia(model, q + step) - generalized_inertia(model, q - step))
            / (2.0 * STEP)
            for step in STEP * np.eye(joints)
        ],
        axis=1,
    )
    scale = np.abs(mass_matrix(model, q)).max()
    derivatives = generalized_inertia_derivatives(model, q)
    np.testing.assert_allclose(derivatives, expected, rtol=0.0, atol=1e-9 * scale)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_its_rate_is_that_of_finite_differences(seed, joints):
    """Along a motion ([Wilde 2018] Eq. 65), and the sum of the derivatives by the joints."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    rate = generalized_inertia_rate(model, states.q, states.qd)
    ahead, behind = (
        generalized_inertia(model, states.q + step * states.qd) for step in (STEP, -STEP)
    )
    scale = np.abs(mass_matrix(model, states.q)).max()
    np.testing.assert_allclose(rate, (ahead - behind) / (2.0 * STEP), rtol=0, atol=1e-8 * scale)
    derivatives = generalized_inertia_derivatives(model, states.q)
    expected = np.einsum('nkij,nk->nij', derivatives, states.qd)
    np.testing.assert_allclose(rate, expected, rtol=0.0, atol=1e-11 * scale)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_its_rate_is_that_of_the_text(seed, joints):
    """Block by block as [Wilde 2018] Eq. 65 has it, instead of by one product."""
    model = random_tree(seed, joints)
    q, k = random_states(model, seed).q, joints // 2
    blocks = mass_matrix_blocks(mass_matrix(model, q))
    change = mass_matrix_blocks(mass_matrix_derivatives(model, q)[:, k])
    solved = np.linalg.solve(blocks.base, blocks.coupling)
    turned = np.swapaxes(solved, -1, -2)
    half = np.swapaxes(change.coupling, -1, -2) @ solved
    expected = change.manipulator - half - np.swapaxes(half, -1, -2)
    expected += turned @ change.base @ solved
    scale = np.abs(mass_matrix(model, q)).max()
    ours = generalized_inertia_derivatives(model, q)[:, k]
    np.testing.assert_allclose(ours, expected, rtol=0.0, atol=1e-11 * scale)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_its_rate_less_twice_the_coriolis_matrix_is_skew(seed, joints):
    """With momentum and spinning wheels too: what is left does no work."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed))
    states = random_states(model, seed)
    total = np.random.default_rng(seed).normal(size=6)
    matrix = generalized_coriolis_matrix(
        model, states.q, states.qd, 50.0 * states.wheel_rates, total
    )
    remainder = generalized_inertia_rate(model, states.q, states.qd) - 2.0 * matrix
    scale = max(np.abs(matrix).max(), np.abs(mass_matrix(model, states.q)).max())
    np.testing.assert_allclose(remainder + np.swapaxes(remainder, -1, -2), 0.0, atol=1e-11 * scale)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_coriolis_forces_are_those_of_the_energy(seed, joints):
    """At zero momentum ``dH* qd - 1/2 d(qd^T H* qd)/dq``, as the text has it (Eqs. 48, 49)."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    derivatives = generalized_inertia_derivatives(model, states.q)
    of_energy = np.einsum('ni,nkij,nj->nk', states.qd, derivatives, states.qd)
    rate = generalized_inertia_rate(model, states.q, states.qd)
    expected = times(rate, states.qd) - 0.5 * of_energy
    scale = np.abs(mass_matrix(model, states.q)).max()
    forces = generalized_coriolis_forces(model, states.q, states.qd)
    np.testing.assert_allclose(forces, expected, rtol=0.0, atol=1e-11 * scale)
    matrix = generalized_coriolis_matrix(model, states.q, states.qd)
    np.testing.assert_allclose(times(matrix, states.qd), forces, rtol=0.0, atol=1e-11 * scale)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_coriolis_forces_are_those_of_pinocchio(seed, joints):
    """With momentum: its nonlinear effects, the base's share passed on to the joints."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    total = np.random.default_rng(seed).normal(size=(5, 6))
    none = np.zeros((5, 0))
    twist = base_twist_from_momentum(model, states.q, states.qd, none, total)
    moving = type(states)(**(vars(states) | {'base_twist': twist}))
    bias = pinocchio_bias_forces(model, moving)
    matrix = pinocchio_mass_matrices(model, states.q)
    shared = np.linalg.solve(matrix[:, :6, :6], bias[:, :6, None])[..., 0]
    expected = bias[:, 6:] - np.einsum('nij,ni->nj', matrix[:, :6, 6:], shared)
    forces = generalized_coriolis_forces(model, states.q, states.qd, none, total)
    assert_close(forces, expected, 1e-9)


@pytest.mark.parametrize('with_momentum', [False, True])
@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_the_joints_equations_of_motion_are_those_of_the_whole(with_momentum, seed, joints):
    """``H* qdd`` and the Coriolis forces are the torques of the recursion (Eqs. 44, 50)."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed))
    states = random_states(model, seed)
    total = with_momentum * np.random.default_rng(seed).normal(size=(5, 6))
    torques = free_floating_inverse_dynamics(
        model, states.q, states.qd, states.qdd, states.wheel_rates, total_momentum=total
    ).joint_torques
    expected = times(generalized_inertia(model, states.q), states.qdd)
    expected += generalized_coriolis_forces(model, states.q, states.qd, states.wheel_rates, total)
    assert_close(expected, torques, 1e-9)

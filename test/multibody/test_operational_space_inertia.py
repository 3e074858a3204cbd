"""Operational-space inertia of every link: from Jacobians, from both halves, by recursion."""

from dynamics_oracle import pinocchio_jacobians, pinocchio_mass_matrices
from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
import pytest
from rerooting import reroot
from robots import assert_close, dual_arm, random_tree, servicer

from spacerobot_id.kinematics import link_poses
from spacerobot_id.multibody.forward.base_invariant import (
    operational_space_inertia,
    operational_space_inertia_inverse,
)
from spacerobot_id.spatial import skew

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(0, 30))
def test_it_is_that_of_the_jacobians(seed, joints):
    """``(J M^-1 J^T)^-1`` of every link, J and M pinocchio's."""
    model = random_tree(seed, joints)
    q = random_states(model, seed, samples=2).q
    inertias, mass = operational_space_inertia(model, q), pinocchio_mass_matrices(model, q)
    for link in range(joints + 1):
        jacobian = pinocchio_jacobians(model, q, link, np.zeros(3))
        mobility = jacobian @ np.linalg.solve(mass, np.swapaxes(jacobian, -1, -2))
        assert_close(inertias[:, link], np.linalg.inv(mobility), 1e-9)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(0, 30))
def test_the_recursion_of_the_inverse_agrees(seed, joints):
    """Upsilon from the base outward (Eq. 4.7) is the inverse of ``P + S`` (Lemma 4.1)."""
    model = random_tree(seed, joints)
    q = random_states(model, seed).q
    inverse = np.linalg.inv(operational_space_inertia(model, q))
    assert_close(operational_space_inertia_inverse(model, q), inverse, 1e-9)


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(1, 20), st.data())
def test_it_does_not_depend_on_the_base(seed, joints, data):
    """Each link shows the same inertia in its own frame, whichever link is called the base."""
    model = random_tree(seed, joints)
    moved = reroot(model, data.draw(st.integers(0, joints)))
    q = random_states(model, seed).q
    before = in_links(model, q)[:, moved.links]
    after = in_links(moved.model, q[:, moved.joints])
    assert_close(in_old_frames(after, moved), before, 1e-10)


@pytest.mark.parametrize('robot', [dual_arm, servicer], ids=['dual_arm', 'servicer'])
def test_it_is_symmetric_and_positive(robot):
    """Any wrench on any link of a free robot moves it."""
    model = robot()
    inertias = operational_space_inertia(model, random_states(model).q)
    assert_close(inertias, np.swapaxes(inertias, -1, -2), 1e-12)
    assert np.linalg.eigvalsh(inertias).min() > 0.0


def in_links(model, q):
    """Return the operational-space inertias in the axes of their links."""
    R_BL = link_poses(model, q).axes.transpose(3, 0, 2, 1)
    return turned(operational_space_inertia(model, q), np.swapaxes(R_BL, -1, -2))


def turned(inertias, rotation):
    """Return inertias in other axes."""
    both = np.zeros((*rotation.shape[:-2], 6, 6))
    both[..., :3, :3] = both[..., 3:, 3:] = rotation
    return both @ inertias @ np.swapaxes(both, -1, -2)


def in_old_frames(inertias, moved):
    """Return inertias about the origins that the links had before re-rooting, in those axes."""
    shift = np.tile(np.eye(6), (len(moved.links), 1, 1))
    shift[:, 3:, :3] = skew(moved.p_LN_L)
    return shift @ turned(inertias, moved.R_LN) @ np.swapaxes(shift, -1, -2)

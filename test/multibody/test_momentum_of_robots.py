"""Momentum matrices of several robots at once are those of each, their derivatives, too."""

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
from robots import assert_close, random_tree
from test_mimic_joints import coupled_tree

from spacerobot_id.multibody import momentum_matrix
from spacerobot_id.multibody.mass_matrix import mass_matrix_derivatives
from spacerobot_id.multibody.momentum import (
    momentum_matrices,
    momentum_matrices_pull_back,
)

SEEDS = st.integers(0, 2**32 - 1)


def robots_like(model, seed, count=3):
    """Return robots of one geometry whose links differ."""
    rng = np.random.default_rng(seed)
    factors = rng.uniform(0.5, 2.0, (count - 1, len(model.parameters)))
    return [model, *(model.with_parameters(model.parameters * each) for each in factors)]


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, joints=st.integers(0, 7), is_coupled=st.booleans())
def test_matrices_and_derivatives_are_those_of_each_robot(seed, joints, is_coupled):
    """Of trees, with prismatic joints, and of joints that follow others."""
    model = coupled_tree(seed, joints + 3) if is_coupled else random_tree(seed, joints)
    robots, q = robots_like(model, seed), random_states(model, seed).q
    matrices = momentum_matrices(robots, q)
    assert_close(matrices, np.stack([momentum_matrix(each, q) for each in robots]), 1e-12)
    by = np.random.default_rng(seed).normal(size=matrices.shape)
    found = momentum_matrices_pull_back(robots, q, by)
    assert found.shape == q.shape
    if not q.size:
        return
    expected = sum(
        np.einsum('ncd,nkcd->nk', each, mass_matrix_derivatives(robot, q)[:, :, :6])
        for each, robot in zip(by, robots, strict=True)
    )
    np.testing.assert_allclose(
        found, expected, rtol=0, atol=1e-10 * np.abs(expected).max() + 1e-10
    )

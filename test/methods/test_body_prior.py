"""The prior of one body: numbers and bodies go back and forth, slopes are differences."""

from free_flyer_flights import ALONE, LOADED
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from spacerobot_id.methods.body_prior import BodyPrior
from spacerobot_id.model import InertialParameters

SEEDS = st.integers(0, 2**32 - 1)
UNSEEN = [0, 1, 3, 4, 5, 9]
"""Ixx, Iyy, Ixy, Iyz, Izx and mz, which motion in the plane does not show."""


@pytest.mark.parametrize('others', [[], [0.1, 5e-3]])
@pytest.mark.parametrize('planar', [False, True])
@given(seed=SEEDS)
def test_the_linear_prior_is_that_of_the_numbers(planar, others, seed):
    """To first order about any body: the information's cost changes as the cost does."""
    prior = BodyPrior(ALONE.vector, 2.0, planar, np.array(others))
    rng, count = np.random.default_rng(seed), 10 + len(others)
    size = np.append(np.full(10, 0.1 * ALONE.mass), others)
    values = prior.stepped(prior.mean, prior.mean + rng.normal(size=count) * size)
    near = values + 1e-6 * prior.slope(values) @ rng.normal(size=count)
    linear = prior.linearised(values)
    assert linear.cost(values) == pytest.approx(prior.cost(values), abs=1e-7)
    change = prior.cost(near) - prior.cost(values)
    assert linear.cost(near) - linear.cost(values) == pytest.approx(change, rel=1e-2, abs=1e-9)


@pytest.mark.parametrize('planar', [False, True])
def test_constants_beside_the_body_are_normal_and_independent(planar):
    """They cost their squares in their own deviations, and their steps are straight."""
    std = np.array([0.1, 5e-3])
    alone, prior = (BodyPrior(ALONE.vector, 2.0, planar, each) for each in (np.zeros(0), std))
    body = alone.stepped(ALONE.vector, 1.3 * ALONE.vector)
    values = np.append(body, [0.3, -0.01])
    assert prior.cost(values) == pytest.approx(alone.cost(body) + 3.0**2 + 2.0**2)
    np.testing.assert_allclose(prior.covariance[10:, 10:], np.diag(std**2), atol=1e-15)
    assert not prior.covariance[:10, 10:].any()
    far = np.append(body, [5.0, 1.0])
    np.testing.assert_allclose(prior.stepped(values, far)[10:], far[10:])
    assert not prior.is_possible(np.append(body, [np.nan, 0.0]))


@pytest.mark.parametrize('planar', [False, True])
def test_steps_go_over_bodies_that_can_exist(planar):
    """Small ones are straight; those that lead to no body are bent and cut."""
    prior = BodyPrior(ALONE.vector, 2.0, planar)
    small = ALONE.vector + 1e-6 * prior.slope(ALONE.vector) @ np.ones(10)
    np.testing.assert_allclose(prior.stepped(ALONE.vector, small), small, rtol=1e-9, atol=1e-11)
    far = prior.stepped(ALONE.vector, -5.0 * ALONE.vector)
    assert prior.is_possible(far)
    assert not prior.is_possible(-far)
    assert prior.cost(-far) == np.inf


def test_in_the_plane_a_body_is_larger_or_heavier_as_a_whole():
    """The likeliest body of given mass, first moments and Izz can exist, and keeps its shape."""
    prior = BodyPrior(ALONE.vector, 2.0, planar=True)
    seen = np.delete(np.arange(10), UNSEEN)
    wanted = LOADED.vector[seen]
    values = ALONE.vector
    for _ in range(30):  # Gauss-Newton with the four known
        known = prior.linearised(values).absorb(1e6 * np.eye(10)[seen], 1e6 * wanted)
        values = prior.stepped(values, known.values())
    np.testing.assert_allclose(values[seen], wanted, rtol=1e-6)
    body = InertialParameters.from_vector(values)
    assert body.is_physical()
    before = ALONE.inertia_about_com
    np.testing.assert_allclose(
        body.inertia_about_com / np.trace(body.inertia_about_com),
        before / np.trace(before),
        atol=1e-6,
    )


def test_what_the_plane_hides_stays_open():
    """With mass, first moments and Izz known nothing else counts as identified."""
    prior = BodyPrior(ALONE.vector, 2.0, planar=True)
    seen = np.delete(np.arange(10), UNSEEN)
    after = prior.linearised(LOADED.vector).absorb(1e6 * np.eye(10)[seen], np.zeros(4))
    before = np.sqrt(np.diag(prior.covariance))
    left = np.sqrt(np.diag(after.covariance()))
    assert (left[UNSEEN] > 0.5 * before[UNSEEN]).all()

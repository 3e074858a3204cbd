"""Derivatives through the momentum regressor and the wheels' momentum, against differences."""

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
import pytest
from robots import assert_close, random_tree, with_wheels

from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.methods.information.momentum import MomentumInformation
from spacerobot_id.methods.information.motion_information import MotionInformation
from spacerobot_id.multibody import wheel_momentum
from spacerobot_id.multibody.momentum import wheel_momentum_derivatives
from spacerobot_id.regressor import (
    minimal_parameters,
    momentum_regressor,
    momentum_regressor_gradient,
)

SEEDS = st.integers(0, 2**32 - 1)
STEP = 1e-6


def differences(function, where):
    """Return central differences of a number per sample by each column of an array, (N, k)."""
    steps = STEP * np.eye(where.shape[1])
    return np.stack(
        [(function(where + step) - function(where - step)) / (2.0 * STEP) for step in steps],
        axis=1,
    )


@settings(max_examples=8, deadline=None)
@given(SEEDS, st.integers(1, 10))
def test_the_gradient_is_that_of_differences(seed, joints):
    """By positions, rates and base twist, of minimal columns and of all."""
    model, rng = random_tree(seed, joints), np.random.default_rng(seed)
    states = random_states(model, seed)
    where = {'q': states.q, 'qd': states.qd, 'base_twist': states.base_twist}
    for columns in (minimal_parameters(model).columns, np.arange(10 * len(model.links))):
        by = rng.normal(size=(len(states.q), 6, len(columns)))
        gradient = momentum_regressor_gradient(model, *where.values(), columns, by)
        for name in where:

            def number(moved, name=name, columns=columns, by=by):
                rows = momentum_regressor(model, **{**where, name: moved}, columns=columns)
                return np.einsum('nij,nij->n', by, rows)

            assert_close(getattr(gradient, name), differences(number, where[name]), 1e-6)


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(1, 10))
def test_the_momentum_of_wheels_turns_with_the_links_that_carry_them(seed, joints):
    """Every joint between a wheel and the base turns its momentum."""
    rng = np.random.default_rng(seed)
    model = with_wheels(random_tree(seed, joints), rng)
    q, rates = rng.normal(size=(5, joints)), rng.normal(size=(5, len(model.wheels)))
    steps = STEP * np.eye(joints)
    expected = [
        wheel_momentum(model, q + step, rates) - wheel_momentum(model, q - step, rates)
        for step in steps
    ]
    derivatives = wheel_momentum_derivatives(model, q, rates)
    largest = np.abs(wheel_momentum(model, q, rates)).max()
    np.testing.assert_allclose(
        derivatives, np.stack(expected, axis=1) / (2.0 * STEP), rtol=1e-6, atol=1e-7 * largest
    )


@pytest.mark.parametrize('planar', [False, True])
@pytest.mark.parametrize('weighted', [False, True])
@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_information_falls_back_on_samples_as_differences_say(weighted, planar, seed):
    """Of random trees with wheels anywhere, on a table or free, along a random direction."""
    rng = np.random.default_rng(seed)
    model = with_wheels(random_tree(seed, 4), rng)
    informed = MomentumInformation(
        [model], minimal_parameters(model), planar, is_weighted=weighted
    )
    position, velocity, *along = rng.normal(size=(4, 3, 4 + len(model.wheels)))
    weights, size = rng.uniform(0.5, 1.0, 3), len(informed.minimal)
    matrix = rng.normal(size=(size, size))
    by = MotionInformation(matrix + matrix.T, rng.normal(size=10), rng.normal(size=4))

    def motion(step):
        places = position + step * along[0], velocity + step * along[1]
        return PlannedMotion(np.arange(3.0), *places, np.zeros_like(position))

    def number(step):
        shown = informed.information(motion(step), weights)
        parts = ('matrix', 'rates', 'levels')
        return sum(np.sum(getattr(by, part) * getattr(shown, part)) for part in parts)

    back = informed.shown(motion(0.0), weights).pull_back([by])
    terms = back.position * along[0], back.velocity * along[1]
    slope = (number(STEP) - number(-STEP)) / (2.0 * STEP)
    assert np.sum(terms) == pytest.approx(slope, abs=1e-5 * np.abs(terms).max())
    assert not back.acceleration.any()

"""What displaced joints do to the momentum is what robots with such joints have of it."""

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
import pytest
from robots import assert_close, random_tree, with_wheels

from spacerobot_id.methods.calibrations.encoder_offset import EncoderOffset
from spacerobot_id.methods.calibrations.joint_geometry import JointAxis, JointOrigin
from spacerobot_id.multibody import momentum, wheel_momentum
from spacerobot_id.multibody.composite_body import momentum_by_displacements

SEEDS = st.integers(0, 2**32 - 1)
STEP = 1e-6


def total(model, states, q):
    """Return the momentum of links and wheels, shape (N, 6)."""
    of_links = momentum(model, q, states.qd, states.base_twist)
    return of_links + wheel_momentum(model, q, states.wheel_rates)


@pytest.mark.parametrize('kind', [JointAxis, JointOrigin])
@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, joints=st.integers(1, 6))
def test_slopes_are_differences_of_other_robots(kind, seed, joints):
    """Of trees with prismatic joints, wheels on any link, joints askew already."""
    rng = np.random.default_rng(seed)
    model, calibration = with_wheels(random_tree(seed, joints), rng), kind(1.0)
    states = random_states(model, seed)
    about = 0.1 * rng.normal(size=len(calibration.names(model)))
    there = calibration.robot(model, about)
    args = states.q, states.qd, states.base_twist, states.wheel_rates
    slope = momentum_by_displacements(there, *args).reshape(len(states.q), 6, -1)
    ours = slope @ calibration.displacements(there, about).reshape(slope.shape[-1], -1)
    for place, step in enumerate(STEP * np.eye(len(about))):
        before, after = (
            total(calibration.robot(model, about + sign * step), states, states.q)
            for sign in (-1.0, 1.0)
        )
        np.testing.assert_allclose(
            ours[:, :, place], (after - before) / (2.0 * STEP), atol=1e-7 * np.abs(slope).max()
        )


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, joints=st.integers(1, 6))
def test_encoders_that_are_off_displace_joints(seed, joints):
    """Along or about their axes, the other way."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed))
    states, encoders = random_states(model, seed), EncoderOffset(1.0)
    args = states.q, states.qd, states.base_twist, states.wheel_rates
    slope = momentum_by_displacements(model, *args).reshape(len(states.q), 6, -1)
    moved = encoders.displacements(model, np.zeros(joints)).reshape(slope.shape[-1], -1)
    expected = np.stack(
        [
            (total(model, states, states.q - step) - total(model, states, states.q + step))
            / (2.0 * STEP)
            for step in STEP * np.eye(joints)
        ],
        axis=-1,
    )
    assert_close(slope @ moved, expected, 1e-6)

"""Every link as its own base: the two halves of what it feels, and other links called the base."""

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
from pinocchio_aba import with_gyrostats
import pytest
from rerooting import reroot, rerooted_state
from robots import assert_close, dual_arm, random_tree, servicer

from spacerobot_id.exceptions import DynamicsError
from spacerobot_id.kinematics import link_acceleration, link_motion
from spacerobot_id.multibody import forward_dynamics
from spacerobot_id.multibody.forward.base_invariant import (
    inward_bodies,
    link_dynamics,
    outward_bodies,
)
from spacerobot_id.multibody.forward.forward_dynamics import sample_arrays

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(0, 30)


class Case:
    """A random tree with wheels, its state, and everything that acts on it."""

    def __init__(self, seed, joints):
        rng = np.random.default_rng(seed)
        self.model = with_gyrostats(random_tree(seed, joints), rng)
        self.states = random_states(self.model, seed)
        self.torque = rng.normal(size=(5, joints))
        self.wheels = {
            'wheel_rates': self.states.wheel_rates,
            'wheel_torque': rng.normal(size=(5, 3)),
        }
        self.wrenches = rng.normal(size=(5, joints + 1, 6))

    def of(self, function, **wrenches):
        states = self.states
        return function(
            self.model,
            states.q,
            states.qd,
            states.base_twist,
            self.torque,
            **self.wheels,
            **(wrenches or {'link_wrenches': self.wrenches}),
        )


@settings(max_examples=15, deadline=None)
@given(SEEDS, JOINTS)
def test_both_halves_give_what_the_base_alone_gives(seed, joints):
    """Lemma 3.2 and both of Eq. 3.13 against the compiled algorithm with its one base."""
    case = Case(seed, joints)
    expected, ours = case.of(forward_dynamics), case.of(link_dynamics)
    states = case.states
    motion = link_motion(case.model, states.q, states.qd, states.base_twist)
    links = link_acceleration(
        case.model, motion, states.qd, expected.qdd, expected.base_acceleration
    )
    everywhere = np.concatenate([links.linear, links.angular], axis=1).transpose(2, 0, 1)
    assert_close(ours.link_acceleration, everywhere, 1e-10)
    if joints:
        assert_close(ours.qdd, expected.qdd, 1e-10)
        assert_close(ours.outward_qdd, expected.qdd, 1e-10)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS, st.data())
def test_it_does_not_matter_which_link_is_called_the_base(seed, joints, data):
    """Accelerations of base, joints and wheels are the same with any link as the base."""
    base = data.draw(st.integers(0, joints))
    case = Case(seed, joints)
    moved = reroot(case.model, base)
    states = case.states
    carried = rerooted_state(case.model, moved, states.q, states.qd, states.base_twist)
    ours = case.of(forward_dynamics, base_wrench=np.zeros((5, 6)))
    theirs = forward_dynamics(
        moved.model,
        carried.q,
        carried.qd,
        carried.base_twist,
        case.torque[:, moved.joints],
        **case.wheels,
    )
    everywhere = case.of(link_dynamics, base_wrench=np.zeros((5, 6))).link_acceleration
    axes = link_motion(case.model, states.q, states.qd, states.base_twist).poses.axes[base]
    in_link = np.einsum('kcn,nhc->nhk', axes, everywhere[:, base].reshape(5, 2, 3))
    assert_close(theirs.base_acceleration, in_link.reshape(5, 6), 1e-10)
    assert_close(theirs.wheel_acceleration, ours.wheel_acceleration, 1e-10)
    if joints:
        assert_close(theirs.qdd, ours.qdd[:, moved.joints], 1e-10)


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.integers(1, 12), st.data())
def test_the_sum_of_the_halves_is_what_the_link_feels_as_the_base(seed, joints, data):
    """``P + S`` and ``z - P a + z_s`` of a link are P and z of the base called so instead."""
    base = data.draw(st.integers(0, joints))
    case = Case(seed, joints)
    moved, states = reroot(case.model, base), case.states
    inputs = case.of(sample_arrays, base_wrench=np.zeros((5, 6)))
    inward = inward_bodies(case.model, inputs)
    outward = outward_bodies(inward, case.torque)
    carried = rerooted_state(case.model, moved, states.q, states.qd, states.base_twist)
    arguments = carried.q, carried.qd, carried.base_twist, case.torque[:, moved.joints]
    as_base = inward_bodies(
        moved.model, sample_arrays(moved.model, *arguments, *case.wheels.values())
    )
    turn = np.kron(np.eye(2), np.ones((3, 3))) * np.tile(inward.R_BL[:, base], (1, 2, 2))
    inertia = turn @ as_base.inertia[:, 0] @ np.swapaxes(turn, -1, -2)
    assert_close((inward.inertia + outward.inertia)[:, base], inertia, 1e-10)
    pushed = np.einsum('nij,nj->ni', inward.inertia[:, base], inward.coriolis[:, base])
    residual = inward.residual[:, base] - pushed + outward.residual[:, base]
    assert_close(residual, np.einsum('nij,nj->ni', turn, as_base.residual[:, 0]), 1e-10)


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.integers(1, 20))
def test_articulated_bodies_do_not_resist_their_joint(seed, joints):
    """``H P+ = 0`` and ``H S = 0``: nothing is felt along the joint that is free."""
    case = Case(seed, joints)
    inward = inward_bodies(case.model, case.of(sample_arrays))
    outward = outward_bodies(inward, case.torque)
    for inertia in (inward.passed_inertia, outward.inertia):
        along = np.einsum('nkij,nkj->nki', inertia, inward.hinge)[:, 1:]
        np.testing.assert_allclose(along / np.abs(inertia).max(), 0.0, atol=1e-12)


@pytest.mark.parametrize('robot', [dual_arm, servicer], ids=['dual_arm', 'servicer'])
def test_shipped_robots_have_the_same_accelerations_from_every_link(robot):
    """Wheels held at their rates, nothing driven."""
    model = robot()
    states = random_states(model)
    torque = np.zeros(states.q.shape)
    arguments = model, states.q, states.qd, states.base_twist, torque
    expected = forward_dynamics(*arguments, wheel_rates=states.wheel_rates)
    ours = link_dynamics(*arguments, wheel_rates=states.wheel_rates)
    assert_close(ours.link_acceleration[:, 0], expected.base_acceleration, 1e-10)
    assert_close(ours.qdd, expected.qdd, 1e-10)
    assert_close(ours.outward_qdd, expected.qdd, 1e-10)


def test_bad_input_is_named():
    """As by forward dynamics: what is not finite, and what has the wrong size."""
    case = Case(0, 4)
    case.torque[2, 1] = np.nan
    with pytest.raises(ValueError, match='joint_torque of sample 2'):
        case.of(link_dynamics)
    case.torque = np.full((5, 4), 1.7e308)
    with pytest.raises(DynamicsError, match='beyond all numbers'):
        case.of(link_dynamics)
    case.torque = np.zeros((5, 3))
    with pytest.raises(ValueError, match='joint_torque has shape'):
        case.of(link_dynamics)

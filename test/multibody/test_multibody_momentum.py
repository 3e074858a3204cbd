"""The momentum as a sum over links, as a matrix, and as pinocchio has it; wheels; conservation."""

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
import pinocchio as pin
from pinocchio_robot import PinocchioRobot
import pytest
from random_robots import random_rotation, random_urdf
from robots import assert_close, dual_arm, random_tree, with_wheels
from urdf_examples import Oracle, placements

from spacerobot_id.model import robot_from_urdf_string
from spacerobot_id.multibody import (
    base_twist_from_momentum,
    momentum,
    momentum_matrix,
    wheel_momentum,
    whole_robot,
)

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(1, 20)


@settings(max_examples=30, deadline=None)
@given(SEEDS, JOINTS)
def test_it_is_that_of_pinocchio(seed, joints):
    """Pinocchio's centroidal momentum, moved to the base's origin and axes, is the same."""
    model, rng = random_tree(seed, joints), np.random.default_rng(seed)
    states = random_states(model, seed)
    oracle = PinocchioRobot(model).momentum(states, random_rotation(rng), rng.normal(size=3))
    assert_close(momentum(model, states.q, states.qd, states.base_twist), oracle, 1e-10)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_robots_from_a_urdf_have_the_momentum_that_pinocchio_reads(seed, joints):
    """Continuous and fixed joints, any axis, links without mass: the same text, the same sum."""
    text = random_urdf(np.random.default_rng(seed), joints)
    model = robot_from_urdf_string(text)
    states = random_states(model, seed, samples=1)
    oracle = Oracle(text, model, states.q[0])
    velocity = np.zeros(oracle.model.nv)
    velocity[:6] = states.base_twist[0]
    for name, rate in zip(model.joint_names, states.qd[0], strict=True):
        velocity[oracle.model.joints[oracle.model.getJointId(name)].idx_v] = rate
    centroidal = pin.Force(oracle.data.Ag @ velocity)
    expected = np.append(
        centroidal.linear,
        centroidal.angular + np.cross(oracle.data.com[0], centroidal.linear),
    )
    ours = momentum(model, states.q, states.qd, states.base_twist)[0]
    assert_close(ours, expected, 1e-10)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_the_matrix_times_the_rates_is_the_momentum(seed, joints):
    """Composite inertias summed from the tips give what the sum over the links gives."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    rates = np.hstack([states.base_twist, states.qd])
    product = np.einsum('nij,nj->ni', momentum_matrix(model, states.q), rates)
    assert_close(product, momentum(model, states.q, states.qd, states.base_twist), 1e-10)


@settings(deadline=None)
@given(SEEDS)
def test_the_base_columns_are_an_inertia(seed):
    """``H_b`` is symmetric and positive definite for bodies that can be."""
    model = random_tree(seed, 5)
    for base_columns in momentum_matrix(model, random_states(model, seed).q)[:, :, :6]:
        assert_close(base_columns, base_columns.T, 1e-14)
        assert np.linalg.eigvalsh(base_columns).min() > 0.0


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_the_whole_robot_is_that_of_pinocchio(seed, joints):
    """Mass, centre of mass and inertia of the robot as it stands are the composite body's."""
    model = random_tree(seed, joints)
    q = random_states(model, seed).q[0]
    ours, oracle = whole_robot(model, q), PinocchioRobot(model).composite_body(q)
    assert ours.mass == pytest.approx(oracle.mass, rel=1e-12)
    assert_close(ours.com, oracle.lever, 1e-12)
    assert_close(ours.inertia_about_com, oracle.inertia, 1e-11)


def test_a_link_without_mass_has_no_momentum_of_its_own():
    """Setting a link's parameters to zero takes away what it had, and nothing is NaN."""
    model = dual_arm()
    states = random_states(model)
    motion = states.q, states.qd, states.base_twist
    only_last, without_last = model.parameters.copy(), model.parameters.copy()
    only_last[:-10], without_last[-10:] = 0.0, 0.0
    parts = [momentum(model.with_parameters(part), *motion) for part in (only_last, without_last)]
    assert_close(sum(parts), momentum(model, *motion), 1e-14)


@settings(deadline=None)
@given(SEEDS)
def test_wheels_spin_about_axes_that_move_with_their_links(seed):
    """Each wheel adds spin inertia times rate along its axis as it is carried, and no force."""
    model = with_wheels(random_tree(seed, 6), np.random.default_rng(seed), wheels=4)
    states = random_states(model, seed, samples=2)
    spins = wheel_momentum(model, states.q, states.wheel_rates)
    for q, rates, spin in zip(states.q, states.wheel_rates, spins, strict=True):
        placed = placements(model, q)
        expected = sum(
            wheel.spin_inertia * rate * placed[wheel.link].rotation @ wheel.axis
            for wheel, rate in zip(model.wheels, rates, strict=True)
        )
        np.testing.assert_array_equal(spin[:3], 0.0)
        assert_close(spin[3:], expected, 1e-12)


@settings(deadline=None)
@given(SEEDS)
def test_wheels_of_the_base_spin_alike_at_every_posture(seed):
    """What the base carries does not depend on the joints."""
    states = random_states(dual_arm(), seed)
    spin = wheel_momentum(dual_arm(), states.q, states.wheel_rates)
    np.testing.assert_array_equal(spin[:, 3:], states.wheel_rates)


def test_a_robot_without_wheels_has_no_spin():
    """No wheel, no momentum of wheels."""
    model = random_tree(0, 3)
    np.testing.assert_array_equal(
        wheel_momentum(model, np.zeros((2, 3)), np.zeros((2, 0))), np.zeros((2, 6))
    )


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_the_base_moves_so_that_the_total_momentum_is_zero(seed, joints):
    """Links and wheels together have none at the twist that conservation gives."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed))
    states = random_states(model, seed)
    twist = base_twist_from_momentum(model, states.q, states.qd, states.wheel_rates)
    of_links = momentum(model, states.q, states.qd, twist)
    of_wheels = wheel_momentum(model, states.q, states.wheel_rates)
    scale = np.abs(momentum(model, states.q, states.qd, 0.0 * twist)).max()
    np.testing.assert_allclose(of_links + of_wheels, 0.0, atol=1e-11 * scale)


def test_a_given_total_momentum_is_kept():
    """The base carries what is not zero, per sample or for all alike."""
    model = dual_arm()
    states = random_states(model)
    given_momentum = np.arange(1.0, 7.0)
    twist = base_twist_from_momentum(
        model, states.q, states.qd, states.wheel_rates, given_momentum
    )
    total = momentum(model, states.q, states.qd, twist)
    total += wheel_momentum(model, states.q, states.wheel_rates)
    np.testing.assert_allclose(total, np.tile(given_momentum, (5, 1)), rtol=1e-9)


def test_heavier_robots_move_their_base_less_for_the_same_wheels():
    """Twice the parameters, half the base motion, when nothing but the wheels turn."""
    model = dual_arm()
    states = random_states(model)
    still = np.zeros_like(states.qd)
    light, slow = (
        base_twist_from_momentum(each, states.q, still, states.wheel_rates)
        for each in (model, model.with_parameters(2.0 * model.parameters))
    )
    assert_close(slow, 0.5 * light, 1e-12)

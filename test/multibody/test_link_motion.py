"""Where the links are and how they move: definitions, finite differences, pinocchio."""

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import advanced, random_states
import numpy as np
import pinocchio as pin
from pinocchio_robot import PinocchioRobot
import pytest
from robots import assert_close, dual_arm, random_tree
from urdf_examples import placements

from spacerobot_id.kinematics import (
    cross_components,
    link_acceleration,
    link_motion,
    link_poses,
)

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(1, 20)
STEP = 1e-6


def motion_of(model, states):
    return link_motion(model, states.q, states.qd, states.base_twist)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_links_are_where_the_joints_put_them(seed, joints):
    """Axes and origins are those of the chain of placements, for every sample."""
    model = random_tree(seed, joints)
    q = random_states(model, seed, samples=3).q
    poses = link_poses(model, q)
    for sample, row in enumerate(q):
        for index, placed in enumerate(placements(model, row)):
            np.testing.assert_allclose(
                poses.axes[index, :, :, sample], placed.rotation.T, atol=1e-13
            )
            np.testing.assert_allclose(
                poses.origins[index, :, sample], placed.translation, atol=1e-13
            )


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_twists_are_those_of_pinocchio(seed, joints):
    """Velocity of the origin and angular velocity of each link, turned to base axes."""
    model = random_tree(seed, joints)
    states, oracle = random_states(model, seed, samples=1), PinocchioRobot(model)
    configuration = np.concatenate([np.zeros(6), [1.0], states.q[0]])
    velocity = np.append(states.base_twist[0], states.qd[0])
    pin.forwardKinematics(oracle.model, oracle.data, configuration, velocity)
    motion = motion_of(model, states)
    for index in range(len(model.links)):
        R_BL, twist = oracle.data.oMi[index + 1].rotation, oracle.data.v[index + 1]
        np.testing.assert_allclose(motion.linear[index, :, 0], R_BL @ twist.linear, atol=1e-11)
        np.testing.assert_allclose(motion.angular[index, :, 0], R_BL @ twist.angular, atol=1e-11)


@settings(deadline=None)
@given(SEEDS)
def test_velocities_are_derivatives_of_positions(seed):
    """Seen from a base at rest, origins move with the velocities that the motion has."""
    model = random_tree(seed, 5)
    states = random_states(model, seed)
    motion = link_motion(model, states.q, states.qd, np.zeros((5, 6)))
    ahead, behind = (link_poses(model, states.q + step * states.qd) for step in (STEP, -STEP))
    moved = (ahead.origins - behind.origins) / (2.0 * STEP)
    turned = (ahead.axes - behind.axes) / (2.0 * STEP)
    np.testing.assert_allclose(motion.linear, moved, atol=1e-7)
    swept = np.cross(motion.angular[:, None], motion.poses.axes, axis=2)
    np.testing.assert_allclose(swept, turned, atol=1e-7)


@settings(deadline=None)
@given(SEEDS)
def test_accelerations_are_derivatives_of_velocities(seed):
    """Against the inertial frame: components in base axes change, and the base turns."""
    model = random_tree(seed, 5)
    states = random_states(model, seed)
    motion = motion_of(model, states)
    acceleration = link_acceleration(
        model, motion, states.qd, states.qdd, states.base_acceleration
    )
    ahead, behind = (motion_of(model, advanced(states, step)) for step in (STEP, -STEP))
    turning = states.base_twist[:, 3:].T[None]
    for name in ('linear', 'angular'):
        change = (getattr(ahead, name) - getattr(behind, name)) / (2.0 * STEP)
        swept = np.cross(turning, getattr(motion, name), axis=1)
        assert_close(getattr(acceleration, name), change + swept, 1e-7)


@settings(deadline=None)
@given(SEEDS)
def test_a_base_twist_moves_all_links_as_one_body(seed):
    """With joints at rest, every link has the base's angular velocity, and v + w x r."""
    model = random_tree(seed, 5)
    states = random_states(model, seed, samples=2)
    motion = link_motion(model, states.q, 0.0 * states.qd, states.base_twist)
    linear, turning = states.base_twist.T.reshape(2, 1, 3, -1)
    swept = np.cross(turning, motion.poses.origins, axis=1)
    np.testing.assert_allclose(motion.linear, linear + swept, atol=1e-12)
    np.testing.assert_array_equal(motion.angular, np.broadcast_to(turning, motion.angular.shape))


@settings(deadline=None)
@given(SEEDS)
def test_the_cross_product_of_components_is_the_cross_product(seed):
    """The same as numpy's, with components first."""
    a, b = np.random.default_rng(seed).normal(size=(2, 3, 4))
    np.testing.assert_allclose(cross_components(a, b), np.cross(a, b, axis=0), atol=1e-14)


@pytest.mark.parametrize('shape', [(6,), (2, 5), (2, 2, 6)])
def test_positions_of_another_robot_are_refused(shape):
    """One row per sample, one column per joint; the error says so."""
    with pytest.raises(ValueError, match=r'expected \(samples, 6\) values'):
        link_poses(dual_arm(), np.zeros(shape))

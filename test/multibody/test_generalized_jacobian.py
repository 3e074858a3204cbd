"""Jacobians of points: pinocchio's, and where a robot that floats really goes."""

from dynamics_oracle import pinocchio_jacobians
from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
import pytest
from robots import assert_close, dual_arm, random_tree, with_wheels
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics import (
    joint_screws,
    link_motion,
    link_poses,
    link_twists,
    path_to_base,
    point_jacobian,
)
from spacerobot_id.multibody import base_twist_from_momentum, centre_of_mass
from spacerobot_id.multibody.free_floating.generalized_inertia import (
    generalized_jacobian,
    point_twist,
)

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(1, 30)


@settings(max_examples=30, deadline=None)
@given(SEEDS, JOINTS)
def test_the_jacobian_of_a_point_is_that_of_pinocchio(seed, joints):
    """Of a frame anywhere on any link of trees with up to thirty joints."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, joints)
    q, link, point = (
        random_states(model, seed).q,
        int(rng.integers(joints + 1)),
        rng.normal(size=3),
    )
    oracle = pinocchio_jacobians(model, q, link, point)
    assert_close(point_jacobian(model, q, link, point), oracle, 1e-12)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_twists_of_links_are_sums_of_screws(seed, joints):
    """Joint rates times screws along the path from the base, and the base's own twist."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    screws = joint_screws(model, link_poses(model, states.q))
    motion = link_motion(model, states.q, states.qd, states.base_twist)
    for link, twist in enumerate(link_twists(motion)):
        path = path_to_base(model, link)
        rates = states.qd[:, np.array(path, dtype=int) - 1]
        expected = states.base_twist.T + np.einsum('acn,na->cn', screws[path], rates)
        assert_close(twist, expected, 1e-12)


class FloatingMotion:
    """A robot that floats with some momentum, its wheels at constant rates, integrated tightly."""

    def __init__(self, model, seed, momentum):
        rng = np.random.default_rng(seed)
        joints = len(model.joints)
        self.model, self.momentum = model, momentum
        self.start, self.swing, self.pace = rng.normal(size=(3, joints))
        self.wheel_rates = rng.normal(size=(1, len(model.wheels)))
        start = np.concatenate([rng.normal(size=3), Rotation.random(random_state=seed).as_quat()])
        tight = {'method': 'DOP853', 'rtol': 1e-13, 'atol': 1e-14, 'max_step': 0.01}
        self.solution = solve_ivp(
            self.pose_rate, (-0.01, 0.01), start, dense_output=True, **tight
        ).sol

    def joints(self, time):
        phase = self.pace * time
        q = self.start + self.swing * np.sin(phase)
        return q[None], (self.swing * self.pace * np.cos(phase))[None]

    def seen_from_base(self, pose):
        """Return the momentum in base axes about the base's origin; constant about inertia's."""
        turn = Rotation.from_quat(pose[3:])
        angular = self.momentum[3:] - np.cross(pose[:3], self.momentum[:3])
        return np.concatenate([turn.inv().apply(self.momentum[:3]), turn.inv().apply(angular)])

    def pose_rate(self, time, pose):
        seen = self.seen_from_base(pose)
        (twist,) = base_twist_from_momentum(self.model, *self.joints(time), self.wheel_rates, seen)
        x, y, z, w = pose[3:]
        a, b, c = 0.5 * twist[3:]
        turned = [w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a]
        moved = Rotation.from_quat(pose[3:]).apply(twist[:3])
        return np.concatenate([moved, turned, [-x * a - y * b - z * c]])

    def place(self, time, link, point):
        """Return rotation and position of a point's frame in the inertial frame."""
        pose, poses = self.solution(time), link_poses(self.model, self.joints(time)[0])
        turn = Rotation.from_quat(pose[3:])
        axes = turn.as_matrix() @ poses.axes[link, :, :, 0].T
        return axes, pose[:3] + turn.apply(poses.origins[link, :, 0]) + axes @ point

    def twist(self, time, link, point):
        """Return the point's twist in inertial axes, by differences of fourth order."""
        step = 1e-3
        places = [self.place(time + k * step, link, point) for k in (-2, -1, 1, 2)]
        weights = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * step)
        axes, position = (
            sum(w * p[i] for w, p in zip(weights, places, strict=True)) for i in (0, 1)
        )
        spin = axes @ self.place(time, link, point)[0].T
        return np.concatenate([position, [spin[2, 1], spin[0, 2], spin[1, 0]]])


@pytest.mark.parametrize('momentum', [np.zeros(6), np.array([3.0, -2.0, 1.0, 0.5, 4.0, -1.0])])
@settings(max_examples=8, deadline=None)
@given(SEEDS, st.integers(1, 12))
def test_points_of_a_floating_robot_move_as_it_says(momentum, seed, joints):
    """Against differences of an integrated motion: momentum, wheels, any link (Eq. 108)."""
    rng = np.random.default_rng(seed)
    model = with_wheels(random_tree(seed, joints), rng)
    motion = FloatingMotion(model, seed, momentum)
    link, point = int(rng.integers(joints + 1)), rng.normal(size=3)
    pose, (q, qd) = motion.solution(0.0), motion.joints(0.0)
    total = motion.seen_from_base(pose)
    (twist,) = point_twist(model, q, qd, link, point, motion.wheel_rates, total)
    turn = Rotation.from_quat(pose[3:])
    expected = motion.twist(0.0, link, point)
    assert_close(np.concatenate([turn.apply(twist[:3]), turn.apply(twist[3:])]), expected, 1e-8)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_at_zero_momentum_the_generalized_jacobian_says_it_all(seed, joints):
    """Points move with the joints alone ([Wilde 2018] Eq. 107)."""
    model = random_tree(seed, joints)
    states = random_states(model, seed)
    moved = point_twist(model, states.q, states.qd, joints, (0.1, 0.2, 0.3))
    jacobian = generalized_jacobian(model, states.q, joints, (0.1, 0.2, 0.3))
    assert_close(np.einsum('nij,nj->ni', jacobian, states.qd), moved, 1e-11)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS)
def test_no_joint_moves_the_centre_of_mass(seed, joints):
    """The masses times the generalized Jacobians of the centres of mass add up to nothing."""
    model = random_tree(seed, joints)
    q = random_states(model, seed).q
    parts = [
        link.inertial.mass * generalized_jacobian(model, q, index, link.inertial.com)[:, :3]
        for index, link in enumerate(model.links)
    ]
    scale = sum(np.abs(part) for part in parts).max()
    np.testing.assert_allclose(sum(parts), 0.0, atol=1e-13 * scale)
    assert centre_of_mass(model, q).shape == (5, 3)


def test_a_heavy_base_does_not_give_way():
    """With a base of a million times the mass the Jacobian is that of a fixed base."""
    model = dual_arm()
    parameters = model.parameters.copy()
    parameters[:10] = 1e6 * np.array([400.0, 400.0, 400.0, 0.0, 0.0, 0.0, 500.0, 0.0, 0.0, 0.0])
    q = random_states(model).q
    fixed = point_jacobian(model, q, 3)[..., 6:]
    assert_close(generalized_jacobian(model.with_parameters(parameters), q, 3), fixed, 1e-5)


@pytest.mark.parametrize('link', [-1, 7])
def test_a_link_that_is_not_there_is_refused(link):
    """The error says which there are."""
    with pytest.raises(ValueError, match=f'has links 0 to 6, not {link}'):
        generalized_jacobian(dual_arm(), np.zeros((1, 6)), link)

"""Another link called the base: the same robot, the same place, the same momentum."""

import warnings

from hypothesis import given, settings
from hypothesis import strategies as st
from motions import random_states
import numpy as np
import pytest
from random_robots import random_urdf
from rerooting import reroot, rerooted_pose, rerooted_state
from robots import assert_close, dual_arm, random_tree, servicer, with_wheels
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics import link_poses
from spacerobot_id.model import robot_from_urdf_string, urdf_from_robot
from spacerobot_id.multibody import momentum, wheel_momentum, whole_robot

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(0, 20)


def world_frames(model, q, position, attitude):
    """Return where every named frame is in the inertial frame: rotations and origins."""
    poses, R_WB = link_poses(model, q), Rotation.from_quat(attitude)
    result = {}
    for name, frame in model.frames.items():
        R_BL = poses.axes[frame.link].transpose(2, 1, 0)
        origin = poses.origins[frame.link].T + R_BL @ frame.p_LF_L
        result[name] = R_WB.as_matrix() @ R_BL @ frame.R_LF, position + R_WB.apply(origin)
    return result


def random_pose(seed, samples=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(samples, 3)), Rotation.random(samples, rng).as_quat()


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS, st.data())
def test_everything_stays_where_it_is(seed, joints, data):
    """Every named frame has the same pose in the inertial frame, at any joint positions."""
    model = random_tree(seed, joints)
    moved = reroot(model, data.draw(st.integers(0, joints)))
    q, pose = random_states(model, seed).q, random_pose(seed)
    base = rerooted_pose(model, moved, q, *pose)
    before = world_frames(model, q, *pose)
    after = world_frames(moved.model, q[:, moved.joints], base.position, base.attitude)
    for name, (rotation, origin) in before.items():
        np.testing.assert_allclose(after[name][0], rotation, atol=1e-11)
        np.testing.assert_allclose(after[name][1], origin, atol=1e-11)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS, st.data())
def test_momentum_is_the_same(seed, joints, data):
    """Links and wheels have the momentum they had, seen from the new base."""
    model = with_wheels(random_tree(seed, joints), np.random.default_rng(seed))
    base = data.draw(st.integers(0, joints))
    moved, states = reroot(model, base), random_states(model, seed)
    carried = rerooted_state(model, moved, states.q, states.qd, states.base_twist)

    def total(robot, q, qd, twist):
        return momentum(robot, q, qd, twist) + wheel_momentum(robot, q, states.wheel_rates)

    before = total(model, states.q, states.qd, states.base_twist)
    poses = link_poses(model, states.q)
    before[:, 3:] -= np.cross(poses.origins[base].T, before[:, :3])
    seen = np.einsum('kcn,nhc->nhk', poses.axes[base], before.reshape(5, 2, 3)).reshape(5, 6)
    after = total(moved.model, carried.q, carried.qd, carried.base_twist)
    assert_close(after, seen, 1e-11)


@settings(max_examples=20, deadline=None)
@given(SEEDS, JOINTS, st.data())
def test_names_say_which_is_which(seed, joints, data):
    """Links and joints keep names, types and limits; the maps say where they went."""
    model = random_tree(seed, joints)
    base = data.draw(st.integers(0, joints))
    moved = reroot(model, base)
    assert moved.links[0] == base
    assert moved.model.link_names == tuple(model.link_names[link] for link in moved.links)
    assert moved.model.joint_names == tuple(model.joint_names[joint] for joint in moved.joints)
    for joint, old in zip(moved.model.joints, moved.joints, strict=True):
        assert (joint.type, joint.limits) == (model.joints[old].type, model.joints[old].limits)


def test_the_same_base_is_the_same_robot():
    """Calling the base the base changes nothing."""
    model = servicer()
    moved = reroot(model, 0)
    np.testing.assert_array_equal(moved.links, np.arange(len(model.links)))
    np.testing.assert_array_equal(moved.model.parameters, model.parameters)
    for old, new in zip(model.joints, moved.model.joints, strict=True):
        np.testing.assert_array_equal(new.R_PC, old.R_PC)
        np.testing.assert_array_equal(new.p_PC_P, old.p_PC_P)


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_there_and_back_is_the_same_robot(seed):
    """Re-rooting onto the old base again gives the same body and the same kinematics."""
    model = random_tree(seed, 8)
    there = reroot(model, 8)
    back = reroot(there.model, int(np.flatnonzero(there.links == 0)[0]))
    order = there.joints[back.joints]
    np.testing.assert_array_equal(there.links[back.links][0], 0)
    q = random_states(model, seed).q
    R_NL, base = there.R_LN[there.links == 0][0].T, there.p_LN_L[there.links == 0][0]
    for sample in q:
        whole = whole_robot(back.model, sample[order]).expressed_in(R_NL.T, base)
        assert_close(whole.vector, whole_robot(model, sample).vector, 1e-10)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_it_can_be_written_and_read(seed):
    """The URDF of a re-rooted robot is that of a robot with the same momentum."""
    model = robot_from_urdf_string(random_urdf(np.random.default_rng(seed), 6))
    moved = reroot(model, 4).model
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        again = robot_from_urdf_string(urdf_from_robot(moved))
    states = random_states(moved, seed)
    order = [moved.joint_names.index(name) for name in again.joint_names]
    R = again.links[0].R_UL.T @ moved.links[0].R_UL  # a URDF's base has the axes of the file
    turn = np.kron(np.eye(2), R)
    theirs = momentum(again, states.q[:, order], states.qd[:, order], states.base_twist @ turn.T)
    ours = momentum(moved, states.q, states.qd, states.base_twist)
    assert_close(theirs, ours @ turn.T, 1e-9)


@pytest.mark.parametrize('base', [-1, 7])
def test_a_link_that_is_not_there_is_refused(base):
    """The error says which, and how many there are."""
    with pytest.raises(ValueError, match=f'base: must be one of 7 links, got {base}'):
        reroot(dual_arm(), base)

"""Reading URDF: what is read is what pinocchio reads."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pinocchio as pin
import pytest
from random_robots import random_urdf
from urdf_examples import (
    ARM,
    assert_same_as_pinocchio,
    BASE,
    INERTIAL,
    joint_text,
    LIMIT,
    Oracle,
    placements,
    read,
    TOOL,
)

from spacerobot_id.model import JointLimits, JointType, robot_from_urdf_string

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(0, 12)


@given(SEEDS, JOINTS)
@settings(max_examples=20, deadline=None)
def test_mass_and_inertia_are_those_of_pinocchio(seed, joints):
    """Total mass, centre of mass and inertia about it agree in any posture of any tree."""
    rng = np.random.default_rng(seed)
    text = random_urdf(rng, joints)
    model = robot_from_urdf_string(text)
    assert_same_as_pinocchio(text, model, rng.uniform(-3.0, 3.0, joints))


@given(SEEDS, JOINTS)
@settings(max_examples=20, deadline=None)
def test_every_link_is_where_pinocchio_puts_it(seed, joints):
    """Links of the file, fixed ones among them, have their place and axes as frames."""
    rng = np.random.default_rng(seed)
    text = random_urdf(rng, joints)
    model, q = robot_from_urdf_string(text), rng.uniform(-3.0, 3.0, joints)
    oracle, placed = Oracle(text, model, q), placements(model, q)
    assert set(model.frames) == set(re.findall('<link name="(.*?)"', text))
    for name, frame in model.frames.items():
        place = placed[frame.link] * pin.SE3(frame.R_LF, frame.p_LF_L)
        np.testing.assert_allclose(place.homogeneous, oracle.frame(name).homogeneous, atol=1e-12)


@given(SEEDS, JOINTS)
@settings(max_examples=20, deadline=None)
def test_links_are_named_depth_first(seed, joints):
    """Numbered depth first in the file, joints and links keep their numbers."""
    model = robot_from_urdf_string(random_urdf(np.random.default_rng(seed), joints))
    assert model.joint_names == tuple(f'joint_{i:02d}' for i in range(1, joints + 1))
    assert model.link_names == tuple(f'link_{i:02d}' for i in range(joints + 1))


def test_joints_come_depth_first_wherever_they_stand():
    """A joint that stands before its parent's comes after it; siblings keep their order."""
    links = [f'<link name="{name}">{INERTIAL}</link>' for name in 'dcba']
    model = read(
        *links,
        joint_text('third', 'b', 'd'),
        joint_text('second', 'a', 'b'),
        joint_text('last', 'a', 'c'),
    )
    assert model.joint_names == ('second', 'third', 'last')
    assert model.link_names == ('a', 'b', 'd', 'c')


@pytest.mark.parametrize(
    ('axis', 'direction'),
    [('0 0 1', (0, 0, 1)), ('0 -2 0', (0, -1, 0)), ('3 0 4', (0.6, 0, 0.8)), (None, (1, 0, 0))],
)
def test_z_is_along_the_axis(axis, direction):
    """Core axes have z along the axis of any length; without one, along URDF's x."""
    axis = '' if axis is None else f'<axis xyz="{axis}"/>'
    model = read(BASE, ARM, joint_text(inside=axis + LIMIT))
    np.testing.assert_allclose(model.links[1].R_UL @ [0, 0, 1], direction, atol=1e-15)
    np.testing.assert_array_equal(model.frames['arm'].R_LF, model.links[1].R_UL.T)


def test_an_axis_along_z_turns_nothing():
    """Parameters and pose of a link whose axis is z are bit for bit those of the file."""
    model = read(BASE, ARM, joint_text(inside=f'<axis xyz="0 0 1"/>{LIMIT}'))
    np.testing.assert_array_equal(model.links[1].R_UL, np.eye(3))
    np.testing.assert_array_equal(model.links[1].inertial.vector, model.links[0].inertial.vector)
    np.testing.assert_array_equal(model.joints[0].p_PC_P, [0.5, 0.0, 0.3])


def test_limits_are_those_of_the_file():
    """A revolute joint has all its limits, a continuous one none of position."""
    model = read(
        BASE, ARM, TOOL, joint_text(), joint_text('roll', 'arm', 'tool', kind='continuous')
    )
    assert model.joints[0].limits == JointLimits(-1.0, 2.0, 0.5, effort=9.0)
    assert model.joints[1].limits == JointLimits(velocity=0.5, effort=9.0)
    assert all(joint.type is JointType.REVOLUTE for joint in model.joints)


def test_fixed_links_give_their_mass_to_what_carries_them():
    """Two links of 2 kg, one fixed to the other, are a link of 4 kg between them."""
    model = read(BASE, ARM, joint_text(kind='fixed', inside=''))
    assert model.link_names == ('base',)
    assert model.links[0].inertial.mass == 4.0
    np.testing.assert_allclose(model.links[0].inertial.com, [0.35, 0.0, 0.35])
    np.testing.assert_array_equal(model.frames['arm'].p_LF_L, [0.5, 0.0, 0.3])


def test_a_root_without_inertial_takes_the_mass_fixed_to_it():
    """The base may be an empty link with the true body fixed to it, as some readers want."""
    model = read('<link name="base"/>', ARM, joint_text(kind='fixed', inside=''))
    assert model.links[0].name == 'base'
    assert model.links[0].inertial.mass == 2.0


def test_a_floating_base_loses_its_world():
    """A root without inertial and a floating joint from it to the base say: free base."""
    world = joint_text('free', 'world', 'base', 'floating', '')
    model = read('<link name="world"/>', BASE, ARM, world, joint_text())
    assert model.link_names == ('base', 'arm')
    assert 'world' not in model.frames


def test_what_a_dynamic_model_does_not_need_is_left_alone():
    """Meshes, transmissions and extensions of simulators are no concern of this package."""
    visual = '<visual><geometry><mesh filename="a.stl"/></geometry></visual>'
    model = read(
        f'<link name="base">{INERTIAL}{visual}</link>', '<gazebo/>', '<transmission name="t"/>'
    )
    assert model.link_names == ('base',)

"""Writing URDF: what is written reads the same, here and in pinocchio."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pinocchio as pin
import pytest
from random_robots import random_robot, random_rotation, random_urdf
from scipy.spatial.transform import Rotation
from urdf_examples import (
    ARM,
    assert_same_as_pinocchio,
    assert_same_robot,
    BASE,
    INERTIAL,
    joint_text,
    read,
)

from spacerobot_id.model import (
    JointLimits,
    load_robot,
    robot_from_urdf_string,
    urdf_from_robot,
    write_urdf,
)
from spacerobot_id.model.description.robot_writer import roll_pitch_yaw

SEEDS = st.integers(0, 2**32 - 1)
JOINTS = st.integers(0, 12)


@given(SEEDS, JOINTS)
@settings(max_examples=20, deadline=None)
def test_a_robot_that_is_written_reads_the_same(seed, joints):
    """Links, joints, limits, frames come back to 1e-12 from a robot made without a reader."""
    model = random_robot(np.random.default_rng(seed), joints)
    assert_same_robot(model, robot_from_urdf_string(urdf_from_robot(model)))


@given(SEEDS, JOINTS)
@settings(max_examples=20, deadline=None)
def test_a_file_that_is_read_and_written_reads_the_same(seed, joints):
    """So do merged links: they stay as frames without mass."""
    model = robot_from_urdf_string(random_urdf(np.random.default_rng(seed), joints))
    assert_same_robot(model, robot_from_urdf_string(urdf_from_robot(model)))


@given(SEEDS, JOINTS)
@settings(max_examples=20, deadline=None)
def test_pinocchio_reads_the_same_robot(seed, joints):
    """The text that is written has the same mass and inertia in pinocchio."""
    rng = np.random.default_rng(seed)
    model = random_robot(rng, joints)
    assert_same_as_pinocchio(urdf_from_robot(model), model, rng.uniform(-3.0, 3.0, joints))


@given(SEEDS, st.sampled_from([0.0, 1e-16, 1e-12, 1e-9, 1e-8, 1e-6, 1.0]), st.booleans())
def test_angles_make_the_rotation_again(seed, distance, downwards):
    """Roll, pitch and yaw give the rotation to rounding, close to a pitch of 90 degrees too."""
    roll, yaw = np.random.default_rng(seed).uniform(-np.pi, np.pi, 2)
    pitch = (np.pi / 2 - distance) * (-1.0 if downwards else 1.0)
    rotation = Rotation.from_euler('xyz', [roll, pitch, yaw]).as_matrix()
    again = Rotation.from_euler('xyz', roll_pitch_yaw(rotation)).as_matrix()
    np.testing.assert_allclose(again, rotation, atol=5e-15)


@given(SEEDS)
def test_angles_of_random_rotations(seed):
    """They are pinocchio's, a second implementation."""
    rotation = random_rotation(np.random.default_rng(seed))
    np.testing.assert_allclose(roll_pitch_yaw(rotation), pin.rpy.matrixToRpy(rotation), atol=1e-9)


def test_no_limit_stays_none():
    """What is infinite comes back infinite, though URDF has no word for it."""
    inside = '<axis xyz="0 0 1"/><limit lower="-1" upper="1"/>'
    text = urdf_from_robot(read(BASE, ARM, joint_text(inside=inside)))
    assert 'inf' not in text
    assert robot_from_urdf_string(text).joints[0].limits == JointLimits(-1.0, 1.0)
    pin.buildModelFromXML(text)


def test_names_are_escaped():
    """Names that XML would trip over survive."""
    name = 'a "b" &amp; &lt;c&gt;'.replace('"', '&quot;')
    text = urdf_from_robot(read(f'<link name="{name}">{INERTIAL}</link>'))
    assert robot_from_urdf_string(text).link_names == ('a "b" & <c>',)


def test_a_file_is_written(tmp_path):
    """What is written to a file is loaded from it."""
    model = random_robot(np.random.default_rng(1), 3)
    write_urdf(model, tmp_path / 'robot.urdf')
    assert_same_robot(model, load_robot(str(tmp_path / 'robot.urdf')))


def test_impossible_masses_are_not_written():
    """A robot with a link of negative mass makes no URDF: nobody could use it."""
    model = random_robot(np.random.default_rng(1), 1)
    with pytest.raises(ValueError, match=r'link_00: a mass of -\d.* kg'):
        urdf_from_robot(model.with_parameters(-model.parameters))

"""Reaction wheels: of the YAML alone, and joints of the URDF that it names."""

from dataclasses import replace
import warnings

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pinocchio as pin
import pytest
from random_robots import random_axis, random_robot, random_rotation
from rerooting import reroot
from urdf_examples import (
    ARM,
    assert_same_robot,
    BASE,
    joint_text,
    own_wheel,
    read_with_yaml,
    ROTOR,
    SPIN,
    SPIN_INSIDE,
    TOOL,
)

from spacerobot_id.exceptions import DescriptionError, DescriptionWarning
from spacerobot_id.model import load_robot, robot_from_urdf_string, urdf_from_robot, write_robot


def test_a_wheel_of_the_yaml_is_nothing_but_its_spin():
    """Axis, spin inertia and limits are there; the robot's parameters are not touched."""
    model = read_with_yaml(own_wheel(max_rate=100, max_momentum=20, max_torque=0.3))
    (wheel,) = model.wheels
    assert (wheel.name, wheel.link, wheel.spin_inertia) == ('wheel', 0, 0.5)
    assert (wheel.max_rate, wheel.max_momentum, wheel.max_torque) == (100.0, 20.0, 0.3)
    assert wheel.rate_limit == 40.0
    np.testing.assert_array_equal(wheel.axis, [0.0, 1.0, 0.0])
    np.testing.assert_array_equal(model.parameters, read_with_yaml('').parameters)


def test_a_wheel_without_limits_has_none():
    """What is not stated is infinite."""
    assert read_with_yaml(own_wheel()).wheels[0].rate_limit == np.inf


def test_the_axis_of_a_wheel_is_in_the_axes_of_the_file():
    """On a link whose axes were turned, the wheel's axis is turned with them."""
    model = read_with_yaml(own_wheel(link='arm'))
    (wheel,) = model.wheels
    assert wheel.link == 1
    np.testing.assert_allclose(wheel.axis, [0.0, 0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(model.links[1].R_UL @ wheel.axis, [0.0, 1.0, 0.0], atol=1e-15)


def test_a_wheel_may_be_on_a_link_that_was_merged():
    """It belongs to the link that carries that one, its axis turned accordingly."""
    mount = joint_text('mount', 'base', 'arm', 'fixed', '').replace('0.3"', '0.3" rpy="0 0 1.57"')
    (wheel,) = read_with_yaml(own_wheel(link='arm'), BASE, ARM, mount).wheels
    assert wheel.link == 0
    np.testing.assert_allclose(wheel.axis, [-np.sin(1.57), np.cos(1.57), 0.0], atol=1e-15)


def test_a_joint_that_is_a_wheel_is_a_joint_no_more():
    """Its spin inertia is about the axis, its mass the base's, its limits those of the URDF."""
    model = read_with_yaml('wheels: [{joint: wheel}]', BASE, ROTOR, SPIN, ARM, joint_text())
    assert model.joint_names == ('hinge',)
    assert model.link_names == ('base', 'arm')
    assert model.links[0].inertial.mass == 5.0
    (wheel,) = model.wheels
    assert (wheel.name, wheel.link, wheel.spin_inertia) == ('wheel', 0, pytest.approx(0.03))
    assert (wheel.max_rate, wheel.max_momentum, wheel.max_torque) == (600.0, np.inf, 0.1)
    np.testing.assert_allclose(wheel.axis, [0.0, 1.0, 0.0], atol=1e-15)
    rotor = model.frames['rotor']
    assert rotor.link == 0
    np.testing.assert_allclose(rotor.R_LF, np.eye(3), atol=1e-15)
    np.testing.assert_array_equal(rotor.p_LF_L, [0.5, 0.0, 0.3])


def test_a_joint_that_no_wheel_names_stays_a_joint():
    """A continuous joint is a joint of the arm unless the YAML says otherwise."""
    model = read_with_yaml('', BASE, ROTOR, SPIN)
    assert model.joint_names == ('wheel',)
    assert model.wheels == ()


def test_limits_of_the_yaml_go_before_those_of_the_joint():
    """Rate and torque of the URDF stand only where the YAML is silent."""
    text = 'wheels: [{joint: wheel, max_rate: 500, max_momentum: 12, max_torque: 0.2}]'
    (wheel,) = read_with_yaml(text, BASE, ROTOR, SPIN).wheels
    assert (wheel.max_rate, wheel.max_momentum, wheel.max_torque) == (500.0, 12.0, 0.2)


def test_what_is_fixed_to_a_wheel_spins_with_it():
    """The spin inertia is that of the rotor and of the disc on it."""
    disc = ROTOR.replace('rotor', 'disc')
    mount = joint_text('mount', 'rotor', 'disc', 'fixed', '').replace('0.5 0 0.3', '0 0.1 0')
    model = read_with_yaml('wheels: [{joint: wheel}]', BASE, ROTOR, SPIN, disc, mount)
    assert model.wheels[0].spin_inertia == pytest.approx(0.06)
    assert model.links[0].inertial.mass == 8.0
    np.testing.assert_allclose(model.frames['disc'].p_LF_L, [0.5, 0.1, 0.3], atol=1e-15)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_a_gyrostat_has_the_momentum_of_the_robot_with_the_wheel(seed, wheels):
    """Spinning at any rate and angle, wheels add spin inertia times rate along their axes."""
    rng = np.random.default_rng(seed)
    text, names = _with_rotors(rng, wheels)
    wheel_list = ', '.join(f'{{joint: {name}}}' for name in names)
    model = robot_from_urdf_string(text, yaml_text=f'wheels: [{wheel_list}]')
    oracle = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    configuration, velocity = pin.neutral(oracle), np.zeros(oracle.nv)
    velocity[:6] = rng.normal(size=6)
    spin = np.zeros(3)
    for wheel in model.wheels:
        joint = oracle.joints[oracle.getJointId(wheel.name)]
        angle, rate = rng.uniform(-3.0, 3.0), rng.uniform(-100.0, 100.0)
        configuration[joint.idx_q : joint.idx_q + 2] = np.cos(angle), np.sin(angle)
        velocity[joint.idx_v] = rate
        spin += wheel.axis * wheel.spin_inertia * rate
    body = model.links[0].inertial
    about_com = pin.Inertia(body.mass, body.com, body.inertia_about_com)
    momentum = about_com * pin.Motion(velocity[:3], velocity[3:6])
    data = oracle.createData()
    pin.computeCentroidalMomentum(oracle, data, configuration, velocity)
    angular = momentum.angular - np.cross(body.com, momentum.linear) + spin
    np.testing.assert_allclose(data.hg.linear, momentum.linear, atol=1e-10)
    np.testing.assert_allclose(data.hg.angular, angular, atol=1e-10)


def _with_rotors(rng, count):
    """Return a base with symmetric rotors about random axes, and the names of their joints."""
    text = urdf_from_robot(random_robot(rng, 0)).removesuffix('</robot>\n')
    names = [f'wheel_{number}' for number in range(count)]
    for name in names:
        axis, spin, across = random_axis(rng), rng.uniform(0.1, 0.2), rng.uniform(0.1, 0.2)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (
            across * np.eye(3) + (spin - across) * np.outer(axis, axis)
        ).tolist()
        xyz, rpy = rng.normal(size=3), pin.rpy.matrixToRpy(random_rotation(rng))
        text += (
            f'<link name="{name}_rotor"><inertial><mass value="2"/><inertia ixx="{xx}" ixy="{xy}"'
            f' ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/></inertial></link>'
            f'<joint name="{name}" type="continuous"><parent link="link_00"/>'
            f'<child link="{name}_rotor"/><axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>'
            f'<origin xyz="{xyz[0]} {xyz[1]} {xyz[2]}" rpy="{rpy[0]} {rpy[1]} {rpy[2]}"/></joint>'
        )
    return f'{text}</robot>', names


def test_wheels_may_stand_anywhere_in_the_tree():
    """Links after a wheel, and wheels before it, keep what they belong to."""
    second = ROTOR.replace('rotor', 'rotor_2')
    on_arm = SPIN.replace('"wheel"', '"wheel_2"').replace('rotor', 'rotor_2')
    elements = [BASE, ROTOR, SPIN, ARM, joint_text(), second, on_arm.replace('base', 'arm'), TOOL]
    elements.append(joint_text('wrist', 'arm', 'tool'))
    for order in ('wheel, wheel_2', 'wheel_2, wheel'):
        entries = ', '.join(f'{{joint: {name}}}' for name in order.split(', '))
        model = read_with_yaml(f'wheels: [{entries}]', *elements)
        assert model.wheel_names == tuple(order.split(', '))
        assert {wheel.name: wheel.link for wheel in model.wheels} == {'wheel': 0, 'wheel_2': 1}
        assert model.link_names == ('base', 'arm', 'tool')
        assert [joint.parent for joint in model.joints] == [0, 1]
        assert model.frames['tool'].link == 2
        assert [link.inertial.mass for link in model.links] == pytest.approx([5.0, 5.0, 2.0])


@pytest.mark.parametrize(
    ('changed', 'reason'),
    [
        (
            ('<mass', '<origin xyz="0.01 0 0"/><mass'),
            'its centre of mass is 0.01 m off its spin axis',
        ),
        (('izz="0.02"', 'izz="0.021"'), r'its inertia is not symmetric .* \(by 0\.001 kg m\^2\)'),
        (('ixy="0"', 'ixy="0.004"'), r'its inertia is not symmetric .* \(by 0\.004 kg m\^2\)'),
    ],
)
def test_an_uneven_wheel_is_a_warning(changed, reason):
    """Mass that moves as the wheel turns cannot be lumped exactly, with a warning."""
    with pytest.warns(
        DescriptionWarning, match=f'example.urdf: link rotor: {reason}.* approximate'
    ):
        read_with_yaml('wheels: [{joint: wheel}]', BASE, ROTOR.replace(*changed), SPIN)


def test_digits_of_a_file_are_no_asymmetry():
    """A wheel that is symmetric to the five digits of its file is taken as symmetric."""
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        rotor = ROTOR.replace('izz="0.02"', 'izz="0.020001"')
        read_with_yaml('wheels: [{joint: wheel}]', BASE, rotor, SPIN)


def test_a_wheel_carries_no_joints():
    """A joint on a rotor would turn with it."""
    elements = (BASE, ROTOR, SPIN, ARM, joint_text('hinge', 'rotor', 'arm'))
    with pytest.raises(DescriptionError, match="'wheel' carries other joints"):
        read_with_yaml('wheels: [{joint: wheel}]', *elements)


def test_a_wheel_has_no_joint_limits():
    """Its limits are keys of the wheel."""
    text = 'wheels: [{joint: wheel}]\njoint_limits: {wheel: {velocity: 1}}'
    with pytest.raises(DescriptionError, match=r"joint_limits\.wheel: 'wheel' is a wheel"):
        read_with_yaml(text, BASE, ROTOR, SPIN)


def test_a_wheel_that_is_a_joint_is_written_as_one(tmp_path):
    """Others see it turn; here it is the same wheel, whatever was found of its spin inertia."""
    text = 'wheels: [{joint: wheel, max_rate: 500, max_momentum: 12}, {name: other, ' + (
        'axis: [1, 0, 0], spin_inertia: 0.1}]'
    )
    model = read_with_yaml(text, BASE, ROTOR, SPIN, ARM, joint_text())
    scaled = replace(model.wheels[0], spin_inertia=1.1 * model.wheels[0].spin_inertia)
    model = replace(model, wheels=[scaled, *model.wheels[1:]])
    write_robot(model, tmp_path / 'robot.urdf')
    oracle = pin.buildModelFromUrdf(str(tmp_path / 'robot.urdf'), pin.JointModelFreeFlyer())
    assert oracle.existJointName('wheel')
    assert pin.computeTotalMass(oracle) == pytest.approx(7.0)
    again = load_robot(tmp_path / 'robot.urdf')
    assert_same_robot(model, again)
    for old, new in zip(model.wheels, again.wheels, strict=True):
        assert (new.name, new.link) == (old.name, old.link)
        assert (new.max_rate, new.max_momentum, new.max_torque) == (
            old.max_rate,
            old.max_momentum,
            old.max_torque,
        )
        assert new.spin_inertia == pytest.approx(old.spin_inertia, rel=1e-12)
        np.testing.assert_allclose(new.axis, old.axis, atol=1e-12)


def test_a_wheel_goes_with_its_carrier_to_another_base(tmp_path):
    """Written from there, its rotor is where it was."""
    wheel = joint_text('wheel', 'arm', 'rotor', 'continuous', SPIN_INSIDE)
    model = read_with_yaml('wheels: [{joint: wheel}]', BASE, ARM, ROTOR, wheel, joint_text())
    moved = reroot(model, 1).model
    write_robot(moved, tmp_path / 'robot.urdf')
    again = load_robot(tmp_path / 'robot.urdf')
    for each in (moved, again):
        frame, turn = each.frames['rotor'], each.links[0].R_UL
        assert (frame.link, each.wheels[0].link) == (0, 0)
        np.testing.assert_allclose(turn @ frame.p_LF_L, [0.5, 0.0, 0.3], atol=1e-12)
        np.testing.assert_allclose(turn @ each.wheels[0].axis, [0.0, 1.0, 0.0], atol=1e-12)
        assert each.links[0].inertial.mass == pytest.approx(5.0)

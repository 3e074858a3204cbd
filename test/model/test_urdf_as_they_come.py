"""URDFs as people write them: what can be lived with is, with a warning."""

import sys
import warnings

import numpy as np
import pytest
from urdf_examples import (
    ARM,
    assert_same_robot,
    BASE,
    INERTIAL,
    joint_text,
    LIMIT,
    read,
    robot_text,
    TOOL,
)

from spacerobot_id.exceptions import DescriptionError, DescriptionWarning, PlanningError
from spacerobot_id.excitation.task import checked_start
from spacerobot_id.kinematics import link_poses
from spacerobot_id.model import load_robot, Mimic, robot_from_urdf_string, urdf_from_robot
from spacerobot_id.model.inertial_parameters import MASS
from spacerobot_id.multibody import mass_matrix

WORLD = '<link name="world"/>'
NOTHING = '<link name="nothing"/>'
WRIST = joint_text('wrist', 'arm', 'tool')


def mimic(joint, multiplier, offset):
    return f'<mimic joint="{joint}" multiplier="{multiplier}" offset="{offset}"/>'


def total_mass(model):
    return sum(link.inertial.mass for link in model.links)


def test_a_joint_that_mimics_another_has_no_position_of_its_own():
    """It moves with the other one, and within the limits of both."""
    follows = f'<axis xyz="0 1 0"/>{LIMIT}{mimic("hinge", -2, 0.5)}'
    wrist = joint_text('wrist', 'arm', 'tool', inside=follows)
    model = read(BASE, ARM, TOOL, joint_text(), wrist)
    assert model.joint_names == ('hinge',)
    assert [joint.name for joint in model.tree_joints] == ['hinge', 'wrist']
    assert model.tree_joints[1].mimic == Mimic('hinge', -2.0, 0.5)
    limits = model.joints[0].limits  # -1 <= q <= 2 and -1 <= 0.5 - 2 q <= 2
    assert (limits.lower, limits.upper, limits.velocity) == (-0.75, 0.75, 0.25)
    free = read(BASE, ARM, TOOL, joint_text(), WRIST)
    np.testing.assert_allclose(
        link_poses(model, [[0.3]]).axes, link_poses(free, [[0.3, -0.1]]).axes, atol=1e-15
    )


def test_mimics_of_mimics_follow_the_first():
    """Multipliers multiply, offsets are carried along, whatever the order of the file."""
    hand = '<link name="hand">' + INERTIAL + '</link>'
    third = joint_text('third', 'tool', 'hand', inside=f'{LIMIT}{mimic("wrist", 3, 0.1)}')
    wrist = joint_text('wrist', 'arm', 'tool', inside=f'{LIMIT}{mimic("hinge", -2, 0.5)}')
    model = read(third, wrist, BASE, ARM, TOOL, hand, joint_text())
    found = {joint.name: joint.mimic for joint in model.tree_joints}
    assert found['third'].joint == 'hinge'
    assert (found['third'].multiplier, found['third'].offset) == pytest.approx((-6.0, 1.6))


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
def test_what_mimics_a_fixed_joint_is_fixed(kind):
    """At its offset, about or along its axis."""
    wrist = joint_text(
        'wrist', 'arm', 'tool', kind, f'<axis xyz="0 2 0"/>{LIMIT}{mimic("hinge", 7, 0.5)}'
    )
    model = read(BASE, ARM, TOOL, joint_text(kind='fixed', inside=''), wrist)
    free = read(
        BASE,
        ARM,
        TOOL,
        joint_text(kind='fixed', inside=''),
        joint_text('wrist', 'arm', 'tool', kind, f'<axis xyz="0 2 0"/>{LIMIT}'),
    )
    assert model.joints == ()
    poses = link_poses(free, [[0.5]])
    np.testing.assert_allclose(model.frames['tool'].p_LF_L, poses.origins[1, :, 0], atol=1e-15)


def test_limits_of_a_follower_that_leave_nothing_are_passed_over():
    """Grippers are often described with a follower's limits on the wrong side of zero."""
    limit = '<limit lower="0" upper="0.8" velocity="1" effort="1"/>'
    wrist = joint_text('wrist', 'arm', 'tool', inside=f'{limit}{mimic("hinge", -1, 0)}')
    hinge = joint_text(inside=f'<axis xyz="0 1 0"/>{limit}')
    with pytest.warns(
        DescriptionWarning, match="joint wrist: its limits leave no position to 'hi"
    ):
        limits = read(BASE, ARM, TOOL, hinge, wrist).joints[0].limits
    assert (limits.lower, limits.upper) == (0.0, 0.8)


def test_a_moving_link_without_mass_between_others_is_a_warning():
    """What is beyond it resists its motion; the mass matrix is positive definite."""
    across = joint_text('wrist', 'nothing', 'tool', inside=f'<axis xyz="1 0 0"/>{LIMIT}')
    with pytest.warns(DescriptionWarning, match='link nothing: it moves and has no mass'):
        model = read(BASE, NOTHING, TOOL, joint_text(child='nothing'), across)
    assert model.link_names == ('base', 'nothing', 'tool')
    assert np.linalg.eigvalsh(mass_matrix(model, [[0.3, 0.2]])[0]).min() > 0.0
    with pytest.warns(DescriptionWarning, match='has no mass'):
        assert_same_robot(model, robot_from_urdf_string(urdf_from_robot(model)))


@pytest.mark.parametrize('inside', ['', INERTIAL.replace('"2"', '"0"').replace('"0.2"', '"0"')])
def test_a_joint_that_moves_nothing_is_held(inside):
    """At zero; its link is a frame of the link that carries it."""
    hand = f'<link name="nothing">{inside}</link>'
    wrist = joint_text('wrist', 'arm', 'nothing')
    with pytest.warns(DescriptionWarning, match='joint wrist: nothing that it moves has mass'):
        model = read(BASE, ARM, hand, joint_text(), wrist)
    assert model.joint_names == ('hinge',)
    assert model.frames['nothing'].link == 1


def test_a_link_with_an_inertia_and_no_mass_is_a_warning():
    """The inertia counts."""
    arm = ARM.replace('mass value="2"', 'mass value="0"')
    with pytest.warns(DescriptionWarning, match='link arm: it has an inertia but no mass'):
        model = read(BASE, arm, joint_text())
    assert model.links[1].inertial.vector[MASS] == 0.0
    np.testing.assert_array_equal(model.links[1].inertial.inertia, 0.2 * np.eye(3))
    with pytest.warns(DescriptionWarning, match='has an inertia but no mass'):
        assert_same_robot(model, robot_from_urdf_string(urdf_from_robot(model)))


@pytest.mark.parametrize('kind', ['floating', 'planar'])
def test_a_free_base_may_be_described_by_a_joint_to_the_world(kind):
    """It says the same as no joint at all."""
    model = read(WORLD, BASE, ARM, joint_text('free', 'world', 'base', kind, ''), joint_text())
    assert_same_robot(model, read(BASE, ARM, joint_text()))


def test_a_base_that_is_fixed_to_a_world_is_freed_on_request():
    """By an argument, or by the key ``free_base`` of the YAML file."""
    text = robot_text(
        WORLD, BASE, ARM, joint_text('fix', 'world', 'base', 'fixed', ''), joint_text()
    )
    assert robot_from_urdf_string(text).link_names[0] == 'world'
    free = read(BASE, ARM, joint_text())
    assert_same_robot(robot_from_urdf_string(text, free_base='base'), free)
    assert_same_robot(robot_from_urdf_string(text, yaml_text='free_base: base'), free)
    assert_same_robot(
        robot_from_urdf_string(robot_text(BASE, ARM, joint_text()), free_base='base'), free
    )


def test_a_base_on_virtual_joints_is_freed_on_request():
    """Mobile bases slide on links without mass, which are no joints of a free-flyer."""
    slide = joint_text('slide', 'world', 'nothing', 'prismatic')
    model = robot_from_urdf_string(
        robot_text(
            WORLD, NOTHING, BASE, ARM, slide, joint_text('turn', 'nothing', 'base'), joint_text()
        ),
        free_base='base',
    )
    assert model.joint_names == ('hinge',)


def test_one_of_several_free_bodies_is_taken_on_request():
    """The others are left out, with a warning."""
    text = robot_text(
        WORLD,
        BASE,
        ARM,
        joint_text('one', 'world', 'base', 'floating', ''),
        joint_text('two', 'world', 'arm', 'floating', ''),
    )
    with pytest.raises(DescriptionError, match='--free-base'):
        robot_from_urdf_string(text)
    with pytest.warns(DescriptionWarning, match='link arm: .* other links of 2 kg are left out'):
        assert robot_from_urdf_string(text, free_base='arm').link_names == ('arm',)


@pytest.mark.parametrize(
    ('link', 'message'),
    [
        ('arm', "link arm: .* the revolute joint 'hinge' holds it to other links of 2 kg"),
        ('leg', 'link leg: it is to be the free base, and there is no such link'),
    ],
)
def test_a_base_that_cannot_be_freed_is_an_error(link, message):
    """A part of a robot does not float by itself."""
    with pytest.raises(DescriptionError, match=message):
        robot_from_urdf_string(robot_text(BASE, ARM, joint_text()), free_base=link)


def test_of_two_origins_or_axes_the_first_counts():
    """With a warning that names link or joint."""
    twice = '<axis xyz="0 1 0"/><axis xyz="1 0 0"/><origin xyz="9 9 9"/>' + LIMIT
    with pytest.warns(DescriptionWarning) as warned:
        model = read(BASE, ARM, joint_text(inside=twice))
    assert sorted(str(each.message) for each in warned) == [
        'example.urdf: joint hinge: it has 2 elements <axis>; the first one counts',
        'example.urdf: joint hinge: it has 2 elements <origin>; the first one counts',
    ]
    assert_same_robot(model, read(BASE, ARM, joint_text()))


def test_what_simulators_add_is_left_alone():
    """Elements that are unknown, prefixes that nothing declares, meshes of packages."""
    added = (
        '<gazebo reference="arm"><sensor:camera name="x"/></gazebo><transmission name="t"/>'
        '<xacro_property name="a" value="1"/>'
    )
    visual = '<visual><geometry><mesh filename="$(find no)/such.dae"/></geometry></visual>'
    arm = ARM.replace('<inertial>', f'{visual}<controller:gain k="1"/><inertial>')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert_same_robot(read(BASE, arm, joint_text(), added), read(BASE, ARM, joint_text()))


def test_a_declaration_after_a_comment_and_commas_between_numbers_are_read():
    """As others read them; a comma within a number is an error, and lines keep their numbers."""
    text = robot_text(BASE, ARM, joint_text()).replace('0.5 0 0.3', '0.5, 0, 0.3')
    text = f'\n<!-- made\nby hand -->\n<?xml version="1.0"?>\n{text}'
    assert_same_robot(robot_from_urdf_string(text), read(BASE, ARM, joint_text()))
    with pytest.raises(DescriptionError, match='must be 3 finite numbers'):
        robot_from_urdf_string(text.replace('0.5, 0, 0.3', '0,5 0 0'))
    with pytest.raises(DescriptionError, match='line 5: no XML'):
        robot_from_urdf_string(text.replace('</robot>', '</robo>'))


def test_limits_that_make_no_sense_leave_a_joint_that_cannot_be_planned():
    """The wrong way round, or no numbers: its momentum is known, its motion is not allowed."""
    for limit, reason in (
        (LIMIT.replace('upper="2"', 'upper="-2"'), 'its lower limit -1 is above its upper limit'),
        (LIMIT.replace('upper="2"', 'upper="2."').replace('"-1"', '"-1.5."'), 'lower of <limit> '),
    ):
        with pytest.warns(DescriptionWarning, match=f'joint hinge: {reason}.*no motion of it can'):
            model = read(BASE, ARM, joint_text(inside=f'<axis xyz="0 1 0"/>{limit}'))
        assert model.joints[0].limits.lower > model.joints[0].limits.upper
        with pytest.warns(DescriptionWarning, match='no motion of it can be planned'):
            again = robot_from_urdf_string(urdf_from_robot(model))
        assert again.joints[0].limits == model.joints[0].limits
        with pytest.raises(PlanningError, match='hinge: is at 0, outside its limits'):
            checked_start(model, [0.0], 0.0)


def test_warnings_that_say_the_same_are_one():
    """With the number of times, the first element and the names of some of the others."""
    mesh = '<collision><geometry><mesh filename="a.stl"/></geometry></collision>'
    links = [f'<link name="l{n}">{INERTIAL}{mesh}</link>' for n in range(9)]
    joints = [joint_text(f'j{n}', 'l0', f'l{n}') for n in range(1, 9)]
    with pytest.warns(DescriptionWarning) as warned:
        read(*links, *joints)
    assert [str(each.message) for each in warned] == [
        'example.urdf: link l0: its collision shape is not a sphere, cylinder or box: passed over '
        '(9 times: also l1, l2, l3, l4, l5 and 3 more)'
    ]


MACROS = (
    '<robot name="example" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    '<xacro:property name="m" value="2"/>'
    f'{BASE.replace(chr(34) + "2" + chr(34), chr(34) + "${m}" + chr(34))}</robot>'
)


@pytest.mark.parametrize(
    'text', [MACROS, robot_text(BASE.replace('xyz="0.1 0 0.2"', 'xyz="$(optenv X 0.1 0 0.2)"'))]
)
def test_macros_of_a_file_are_expanded(tmp_path, text):
    """In a URDF, too, that has substitutions and no other sign of xacro."""
    pytest.importorskip('xacro')
    path = tmp_path / 'robot.urdf.xacro'
    path.write_text(text)
    assert total_mass(load_robot(path)) == 2.0
    with pytest.raises(DescriptionError, match='macros must be expanded first'):
        robot_from_urdf_string(text)


def test_macros_that_cannot_be_expanded_are_an_error(tmp_path):
    """The error has the reason that xacro gives, in one line."""
    pytest.importorskip('xacro')
    path = tmp_path / 'robot.urdf.xacro'
    path.write_text(MACROS.replace('${m}', '${nothing}'))
    with pytest.raises(DescriptionError, match=r'xacro: its macros cannot be expanded: .*nothing'):
        load_robot(path)


def test_macros_without_the_module_are_an_error(tmp_path, monkeypatch):
    """It says what to install."""
    monkeypatch.setitem(sys.modules, 'xacro', None)
    path = tmp_path / 'robot.urdf.xacro'
    path.write_text(MACROS)
    with pytest.raises(DescriptionError, match='pip install xacro'):
        load_robot(path)


def test_the_yaml_file_may_be_elsewhere(tmp_path):
    """By its path; the one beside the URDF is not looked at then."""
    (tmp_path / 'robot.urdf').write_text(robot_text(BASE, ARM, joint_text()))
    (tmp_path / 'robot.yaml').write_text('colour: red')
    (tmp_path / 'other.yaml').write_text('joint_limits: {hinge: {velocity: 0.1}}')
    model = load_robot(tmp_path / 'robot.urdf', tmp_path / 'other.yaml')
    assert model.joints[0].limits.velocity == 0.1
    with pytest.raises(DescriptionError, match=r'robot\.yaml: colour: unknown key'):
        load_robot(tmp_path / 'robot.urdf')

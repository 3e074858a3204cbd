"""Faults of a URDF: errors and warnings name the file, the link or joint, and the reason."""

import re
import warnings

import pytest
from urdf_examples import ARM, BASE, INERTIAL, joint_text, LIMIT, read, robot_text, TOOL

from spacerobot_id.exceptions import DescriptionError, DescriptionWarning
from spacerobot_id.model import JointLimits, load_robot, robot_from_urdf_string


def without(text, part):
    assert part in text
    return text.replace(part, '')


def with_inertia(**changed):
    values = {'ixx': '1', 'ixy': '0', 'ixz': '0', 'iyy': '1', 'iyz': '0', 'izz': '1'} | changed
    inertia = ''.join(f' {key}="{value}"' for key, value in values.items() if value)
    return f'<link name="base"><inertial><mass value="1"/><inertia{inertia}/></inertial></link>'


FREE_BASE = joint_text('one', 'world', 'base', 'floating')
FREE_ARM = joint_text('two', 'world', 'arm', 'floating')

FAULTS = {
    'no mass at all': (
        ('<link name="base"/>', '<link name="arm"/>', joint_text()),
        'link base: neither it nor any other link has mass',
    ),
    'negative mass': (
        (BASE, ARM.replace('mass value="2"', 'mass value="-3"'), joint_text()),
        'link arm: its mass of -3 kg is negative',
    ),
    'negative mass of a fixed link': (
        (BASE, ARM.replace('mass value="2"', 'mass value="-3"'), joint_text(kind='fixed')),
        'link arm: its mass of -3 kg is negative',
    ),
    'mass without inertia': (
        (re.sub('<inertia .*?/>', '', BASE),),
        'link base: <inertial> has no <inertia>',
    ),
    'no mass element': ((without(BASE, '<mass value="2"/>'),), 'link base: .* has no <mass>'),
    'no mass value': ((without(BASE, ' value="2"'),), 'link base: <mass> has no value'),
    'mass is not finite': (
        (BASE.replace('value="2"', 'value="nan"'),),
        "link base: value of <mass> must be one finite number, got 'nan'",
    ),
    'mass is no number': ((BASE.replace('value="2"', 'value="2 kg"'),), "link base: .*'2 kg'"),
    'an element of the inertia is missing': ((with_inertia(iyz=''),), 'link base: .* has no iyz'),
    'inertia is not finite': ((with_inertia(ixy='inf'),), 'link base: ixy of <inertia> must'),
    'inertia is not symmetric': (
        (with_inertia(iyx='0.1'),),
        'link base: its inertia is not symmetric: ixy is not iyx',
    ),
    'two inertials': (
        (f'<link name="base">{INERTIAL}{INERTIAL}</link>',),
        'link base: it has 2 elements <inertial>',
    ),
    'origin has two numbers': (
        (BASE.replace('0.1 0 0.2', '0.1 0'),),
        'link base: xyz of <origin> must be 3 finite numbers',
    ),
    'origin has an unknown attribute': (
        (BASE.replace('<origin ', '<origin quat_xyzw="0 0 0 1" '),),
        "link base: <origin> has an unknown attribute 'quat_xyzw'",
    ),
    'link without a name': ((f'<link>{INERTIAL}</link>',), 'link: <link> has no name'),
    'link named twice': ((BASE, BASE), 'link base: two links have this name'),
    'joint named twice': (
        (BASE, ARM, TOOL, joint_text(), joint_text(child='tool')),
        'joint hinge: two joints have this name',
    ),
    'unknown parent': (
        (BASE, ARM, joint_text(parent='bus')),
        "joint hinge: its parent link 'bus' is unknown",
    ),
    'unknown child': (
        (BASE, ARM, joint_text(child='hand')),
        "joint hinge: its child link 'hand' is unknown",
    ),
    'no parent': (
        (BASE, ARM, without(joint_text(), '<parent link="base"/>')),
        'joint hinge: <joint> has no <parent>',
    ),
    'two parents': (
        (
            BASE,
            ARM,
            TOOL,
            joint_text(child='tool'),
            joint_text('b'),
            joint_text('c', 'arm', 'tool'),
        ),
        "link tool: it has two parents, 'base' and 'arm'",
    ),
    'two roots': ((BASE, ARM), "link arm: no joint leads to it, nor to 'base'"),
    'no links': ((), 'the robot has no links'),
    'cycle of all': (
        (BASE, ARM, joint_text(), joint_text('back', 'arm', 'base')),
        'link base: it is part of a cycle',
    ),
    'cycle beside the root': (
        (BASE, ARM, TOOL, joint_text('a', 'arm', 'tool'), joint_text('b', 'tool', 'arm')),
        'link arm: it is part of a cycle',
    ),
    'joint to itself': (
        (BASE, ARM, joint_text(parent='arm')),
        'link arm: it is part of a cycle',
    ),
    'no type': (
        (BASE, ARM, without(joint_text(), ' type="revolute"')),
        'joint hinge: <joint> has no type',
    ),
    'unknown type': (
        (BASE, ARM, joint_text(kind='ball')),
        "joint hinge: joints of type 'ball' are not supported",
    ),
    'floating joint inside': (
        (BASE, ARM, joint_text(kind='floating')),
        'joint hinge: floating joints are not supported',
    ),
    'planar joint inside': (
        (BASE, ARM, joint_text(kind='planar')),
        'joint hinge: planar joints are not supported, but for one from a root link without mass',
    ),
    'mimics what is unknown': (
        (BASE, ARM, joint_text(inside=f'{LIMIT}<mimic joint="other"/>')),
        "joint hinge: it mimics 'other', which is an unknown joint",
    ),
    'mimics itself': (
        (BASE, ARM, joint_text(inside=f'{LIMIT}<mimic joint="hinge"/>')),
        "joint hinge: it mimics 'hinge', and so itself",
    ),
    'mimics in a circle': (
        (
            BASE,
            ARM,
            TOOL,
            joint_text(inside=f'{LIMIT}<mimic joint="wrist"/>'),
            joint_text('wrist', 'arm', 'tool', inside=f'{LIMIT}<mimic joint="hinge"/>'),
        ),
        "joint hinge: it mimics 'hinge', and so itself",
    ),
    'mimics without a name': (
        (BASE, ARM, joint_text(inside=f'{LIMIT}<mimic multiplier="2"/>')),
        'joint hinge: <mimic> has no joint',
    ),
    'two floating joints': (
        ('<link name="world"/>', BASE, ARM, FREE_BASE, FREE_ARM),
        'joint two: floating joints are not supported',
    ),
    'zero axis': (
        (BASE, ARM, joint_text(inside=f'<axis xyz="0 0 0"/>{LIMIT}')),
        'joint hinge: its axis is zero',
    ),
    'axis of no length': (
        (BASE, ARM, joint_text(inside=f'<axis xyz="0 0 1e-200"/>{LIMIT}')),
        'joint hinge: its axis is zero',
    ),
    'macros': (
        ('<x:macro xmlns:x="http://ros.org/wiki/xacro"/>', BASE),
        'xacro:macro: macros must be expanded first',
    ),
}


@pytest.mark.parametrize(('elements', 'message'), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_an_error_that_names_it(elements, message):
    """The error has the file, the link or joint, and the reason."""
    with pytest.raises(DescriptionError, match=message) as raised:
        read(*elements)
    assert raised.value.source == 'example.urdf'
    assert str(raised.value).startswith('example.urdf: ')
    assert raised.value.element in str(raised.value)


def test_broken_xml_is_an_error_with_its_line():
    """The third line closes what was not open."""
    with pytest.raises(DescriptionError, match=r'broken\.urdf: line 3: no XML: mismatched tag'):
        robot_from_urdf_string('<robot>\n  <link name="a">\n</robot>\n', 'broken.urdf')


@pytest.mark.parametrize('text', ['', 'robot:\n  links: []', '\0'])
def test_what_is_no_xml_is_an_error(text):
    """An empty text, another language and a control character are refused by line."""
    with pytest.raises(DescriptionError, match='line 1: no XML'):
        robot_from_urdf_string(text)


def test_another_document_is_an_error():
    """XML of some other kind is recognised."""
    with pytest.raises(DescriptionError, match='<sdf>: the outermost element must be <robot>'):
        robot_from_urdf_string('<sdf/>')


@pytest.mark.parametrize(
    'doctype',
    [
        '<!DOCTYPE robot [<!ENTITY secret SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;">]>',
        '<!DOCTYPE robot SYSTEM "http://example.org/robot.dtd">',
    ],
)
def test_declarations_are_refused(doctype):
    """No description makes this package read other files or grow without bounds."""
    with pytest.raises(DescriptionError, match='DOCTYPE: a document type declaration'):
        robot_from_urdf_string(f'<?xml version="1.0"?>{doctype}{robot_text(BASE)}')


def test_a_missing_file_is_an_error(tmp_path):
    """The error names the file."""
    with pytest.raises(DescriptionError, match=r'nowhere\.urdf: file: cannot be read: No such'):
        load_robot(tmp_path / 'nowhere.urdf')


@pytest.mark.parametrize('encoding', ['ISO-8859-1', 'latin1', 'UTF-16', 'utf-16-be', 'UTF-8'])
@pytest.mark.parametrize('quote', ['"', "'"])
def test_a_file_is_read_in_the_encoding_that_it_declares(tmp_path, encoding, quote):
    """As editors of other systems write it, with and without a mark of the order of bytes."""
    declaration = f'<?xml version={quote}1.0{quote} encoding={quote}{encoding}{quote}?>'
    text = robot_text(BASE, ARM.replace('"arm"', '"Träger"'), joint_text(child='Träger'))
    for place, mark in enumerate(('', '\ufeff' if encoding.lower().startswith('utf') else '')):
        path = tmp_path / f'robot_{place}.urdf'
        path.write_bytes(f'{mark}{declaration}{text}'.encode(encoding))
        assert load_robot(path).link_names == ('base', 'Träger')


def test_an_encoding_that_there_is_not_is_named(tmp_path):
    path = tmp_path / 'robot.urdf'
    path.write_bytes(b'<?xml version="1.0" encoding="klingon"?><robot/>')
    with pytest.raises(DescriptionError, match='is no UTF-8 text: no encoding klingon'):
        load_robot(path)


def test_a_file_in_another_encoding_is_an_error(tmp_path):
    """Bytes that are no UTF-8 do not end in a traceback of the codec."""
    (tmp_path / 'robot.urdf').write_bytes(b'<robot name="\xff"/>')
    with pytest.raises(DescriptionError, match='is no UTF-8 text'):
        load_robot(tmp_path / 'robot.urdf')


@pytest.mark.parametrize(
    ('inertia', 'reason'),
    [
        ({'izz': '2.5'}, r'triangle inequality \(2\.5 > 1 \+ 1 kg m\^2\)'),
        ({'ixy': '1.5'}, r'not positive definite \(smallest principal moment -0\.5 kg m\^2\)'),
    ],
)
def test_an_impossible_inertia_is_a_warning(inertia, reason):
    """It names file, link and reason, and the robot has the inertia all the same."""
    with pytest.warns(DescriptionWarning, match=f'example.urdf: link base: .*{reason}') as warned:
        model = read(with_inertia(**inertia))
    assert len(warned) == 1
    assert not model.links[0].inertial.is_physical()


def test_a_point_mass_fixed_to_a_body_is_fine():
    """A small part may be given without inertia of its own; a warning would be noise."""
    point = re.sub('i(..)="0.2"', r'i\1="0"', ARM)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert read(BASE, point, joint_text(kind='fixed', inside='')).links[0].inertial.mass == 4.0


def test_a_robot_of_two_points_is_a_warning():
    """Two point masses have no inertia about the line through them."""
    base, arm = (re.sub('i(..)="0.2"', r'i\1="0"', text) for text in (BASE, ARM))
    with pytest.warns(DescriptionWarning, match='link base: with what is fixed to it, .*positive'):
        read(base, arm, joint_text(kind='fixed', inside=''))


def test_a_moving_link_that_lives_on_others_is_a_warning():
    """Its own inertial may have been forgotten."""
    mount = joint_text('mount', 'arm', 'tool', 'fixed', '')
    with pytest.warns(DescriptionWarning, match='link arm: it moves without <inertial>'):
        model = read(BASE, '<link name="arm"/>', TOOL, joint_text(), mount)
    assert model.links[1].inertial.mass == 2.0


def test_a_joint_without_limits_is_a_warning():
    """URDF demands them of all but continuous joints; without them it is not bounded."""
    with pytest.warns(DescriptionWarning, match='joint hinge: a revolute joint needs a <limit>'):
        assert read(BASE, ARM, joint_text(inside='')).joints[0].limits == JointLimits()

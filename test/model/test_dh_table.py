"""Robots from tables of Denavit-Hartenberg parameters, by both conventions."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
import yaml

from spacerobot_id.exceptions import DescriptionError, DescriptionWarning
from spacerobot_id.kinematics import link_poses
from spacerobot_id.model import load_robot, robot_from_yaml_string, shipped_file

INERTIA = {'ixx': 1.0, 'iyy': 1.1, 'izz': 1.2, 'ixy': 0.01, 'iyz': 0.02, 'izx': 0.03}
BODY = {'mass': 2.0, 'com': [0.1, 0.2, 0.3], 'inertia': INERTIA}


def robot(rows, **changed):
    """Return the robot of a table."""
    dh = {'base': BODY, 'joints': [BODY | row for row in rows]} | changed
    return robot_from_yaml_string(yaml.safe_dump({'dh': dh}), 'arm.yaml')


def along(axis, angle, offset):
    """Return the homogeneous matrix of a screw along an axis of the frame."""
    one, other = [each for each in range(3) if each != axis]
    sign = -1.0 if axis == 1 else 1.0
    matrix = np.eye(4)
    matrix[[one, other], [one, other]] = np.cos(angle)
    matrix[other, one], matrix[one, other] = sign * np.sin(angle), -sign * np.sin(angle)
    matrix[axis, 3] = offset
    return matrix


angles, lengths = st.floats(-3.0, 3.0), st.floats(-1.0, 1.0)
row_values = st.fixed_dictionaries(
    {'a': lengths, 'alpha': angles, 'd': lengths, 'theta': angles},
    optional={
        'type': st.just('prismatic'),
        'xyz': st.lists(lengths, min_size=3, max_size=3),
        'rpy': st.lists(angles, min_size=3, max_size=3),
    },
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(row_values, min_size=1, max_size=4),
    st.sampled_from(['modified', 'standard']),
    st.sampled_from(['radians', 'degrees']),
    st.randoms(use_true_random=False),
)
def test_frames_are_the_products_of_the_textbooks(rows, convention, unit, random):
    """Modified as of Craig, standard as of Denavit and Hartenberg; and the bodies in them."""
    q = np.array([random.uniform(-1.0, 1.0) for _ in rows])
    scale = 180.0 / np.pi if unit == 'degrees' else 1.0
    given_rows, wanted = [], [np.eye(4)]
    for number, (row, position) in enumerate(zip(rows, q, strict=True)):
        is_sliding = row.get('type') == 'prismatic'
        roll, pitch, yaw = row.get('rpy', [0.0] * 3)
        mount = along(2, yaw, 0.0) @ along(1, pitch, 0.0) @ along(0, roll, 0.0)
        mount[:3, 3] = row.get('xyz', [0.0] * 3)
        turn, slide = (0.0, position) if is_sliding else (position, 0.0)
        twist = along(0, row['alpha'], row['a'])
        screw = along(2, row['theta'] + turn, row['d'] + slide)
        steps = (twist, screw) if convention == 'modified' else (screw, twist)
        wanted.append(wanted[-1] @ mount @ steps[0] @ steps[1])
        turned = {key: scale * row[key] for key in ('alpha', 'theta')}
        turned['rpy'] = [scale * angle for angle in (roll, pitch, yaw)]
        given_rows.append(row | turned | {'name': f'j{number}'})
    model = robot(given_rows, convention=convention, angles=unit)
    poses = link_poses(model, q[None])
    for number, frame in enumerate(wanted[1:]):
        name = f'j{number}_link' + ('_dh' if convention == 'standard' else '')
        place = model.frames[name]
        R_WL, p_WL_W = poses.axes[place.link, :, :, 0].T, poses.origins[place.link, :, 0]
        np.testing.assert_allclose(R_WL @ place.R_LF, frame[:3, :3], atol=1e-12)
        np.testing.assert_allclose(p_WL_W + R_WL @ place.p_LF_L, frame[:3, 3], atol=1e-12)
        body, truth = model.links[place.link].inertial, np.array(BODY['com'] + [1.0])
        assert body.mass == pytest.approx(2.0)
        np.testing.assert_allclose(p_WL_W + R_WL @ body.com, (frame @ truth)[:3], atol=1e-12)
        inertia = np.array([[1.0, 0.01, 0.03], [0.01, 1.1, 0.02], [0.03, 0.02, 1.2]])
        np.testing.assert_allclose(
            R_WL @ body.inertia_about_com @ R_WL.T,
            frame[:3, :3] @ inertia @ frame[:3, :3].T,
            atol=1e-12,
        )


def product(one, other):
    """Return the quaternion product of [Wilde 2018] Eq. 20, scalars last."""
    vector = one[3] * other[:3] + other[3] * one[:3] + np.cross(one[:3], other[:3])
    return np.append(vector, one[3] * other[3] - one[:3] @ other[:3])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(lengths, angles, lengths, angles), min_size=1, max_size=6))
def test_the_chain_of_quaternions_ends_where_the_frames_do(rows):
    """[Wilde 2018] Eqs. 20 to 25, by the standard convention."""
    names = ('a', 'alpha', 'd', 'theta')
    given_rows = [
        dict(zip(names, row, strict=True)) | {'name': f'j{number}'}
        for number, row in enumerate(rows)
    ]
    q = np.linspace(-1.0, 1.0, len(rows))
    turned, place = np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3)
    for (length, alpha, offset, theta), position in zip(rows, q, strict=True):
        angle = theta + position
        step = np.array([length * np.cos(angle), length * np.sin(angle), offset, 0.0])
        conjugate = turned * [-1.0, -1.0, -1.0, 1.0]
        place = place + product(product(turned, step), conjugate)[:3]
        c, s, ca, sa = (f(x / 2.0) for x in (angle, alpha) for f in (np.cos, np.sin))
        turned = product(turned, np.array([c * sa, s * sa, s * ca, c * ca]))
    model = robot(given_rows, convention='standard')
    poses, end = link_poses(model, q[None]), model.frames[f'j{len(rows) - 1}_link_dh']
    R_WL, p_WL_W = poses.axes[end.link, :, :, 0].T, poses.origins[end.link, :, 0]
    np.testing.assert_allclose(p_WL_W + R_WL @ end.p_LF_L, place, atol=1e-12)
    wanted = Rotation.from_quat(turned).as_matrix()
    np.testing.assert_allclose(R_WL @ end.R_LF, wanted, atol=1e-12)


def test_rows_branch_and_names_are_ones_own():
    """Two arms on one base, wheels and limits in the same file."""
    dh = {
        'name': 'two arms',
        'base': BODY | {'link': 'bus'},
        'joints': [
            {'name': 'left', 'link': 'upper'} | BODY,
            {'name': 'elbow', 'a': 0.5} | BODY,
            {'name': 'right', 'parent': 'bus', 'xyz': [0.0, -1.0, 0.0]} | BODY,
        ],
    }
    wheel = {'name': 'w', 'axis': [0, 0, 1], 'spin_inertia': 0.1}
    content = {'dh': dh, 'wheels': [wheel], 'joint_limits': {'elbow': {'lower': -1.0}}}
    model = robot_from_yaml_string(yaml.safe_dump(content), 'arm.yaml')
    assert model.name == 'two arms'
    assert [link.name for link in model.links] == ['bus', 'upper', 'elbow_link', 'right_link']
    assert [joint.parent for joint in model.joints] == [0, 1, 0]
    assert model.joints[1].limits.lower == -1.0
    assert model.wheel_names == ('w',)


def test_a_base_alone_is_a_robot():
    assert len(robot([]).links) == 1


@pytest.mark.parametrize(
    ('row', 'message'),
    [
        ({'name': 'j', 'alpha': 'right'}, r"joints\[0\]\.alpha: must be a number, got 'right'"),
        ({'name': 'j', 'xyz': [1.0, 2.0]}, r'joints\[0\]\.xyz: must have 3 entries'),
        ({'name': 'j', 'parent': 'c'}, r"joints\[0\]\.parent: 'c' is not the link of a row befor"),
        ({'name': 4}, r'joints\[0\]\.name: must be a string, got 4'),
        ({'name': 'j', 'type': 'ball'}, r'joints\[0\]\.type: must be one of revolute, prismatic'),
        ({'name': 'j', 'link': 'base'}, r'joints\[0\]\.link: duplicate name of a link: base'),
        ({'name': 'j', 'alpha': 90.0}, r'joints\[0\]\.alpha: 90 rad is more than a turn'),
        ({}, r'joints\[0\]\.name: it is missing'),
    ],
)
def test_faults_of_a_table_are_named(row, message):
    with pytest.raises(DescriptionError, match=rf'^arm\.yaml: dh\.{message}'):
        robot([row])


def test_an_inertia_without_mass_counts_as_in_a_urdf():
    with pytest.warns(DescriptionWarning, match='link j_link: it has an inertia but no mass'):
        model = robot([{'name': 'j', 'mass': 0.0}])
    np.testing.assert_allclose(model.links[1].inertial.inertia[0, 0], INERTIA['ixx'])


def test_two_joints_of_one_name_are_refused():
    with pytest.raises(DescriptionError, match='duplicate name of a joint: j'):
        robot([{'name': 'j'}, {'name': 'j', 'link': 'other'}])


def test_a_table_is_a_robot_without_a_urdf(tmp_path):
    """Its file has the settings too; one beside a URDF has no table, and says so."""
    path = tmp_path / 'arm.yaml'
    path.write_text(yaml.safe_dump({'dh': {'base': BODY, 'joints': [{'name': 'j'} | BODY]}}))
    assert load_robot(path).joint_names == ('j',)
    with pytest.raises(DescriptionError, match=r'settings of a robot without a URDF stand in its'):
        load_robot(path, path)
    urdf = tmp_path / 'arm.urdf'
    urdf.write_text('<robot name="a"><link name="b"/></robot>')
    with pytest.raises(DescriptionError, match=r'arm\.urdf describes links and joints already'):
        load_robot(urdf)
    with pytest.raises(DescriptionError, match='dh: a YAML file that is a robot has its table'):
        load_robot(shipped_file('config/robots/servicer.yaml'))

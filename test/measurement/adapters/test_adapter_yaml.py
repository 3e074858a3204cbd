"""Adapters from YAML: what is wrong is reported with file and key, before any message comes."""

from dataclasses import replace
from types import SimpleNamespace

from air_bearing import air_bearing
from beds import make
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import ConfigurationError, DescriptionError, MeasurementError
from spacerobot_id.measurement.adapters.adapter import axes_matrix, quaternion_matrix
from spacerobot_id.measurement.adapters.adapter_yaml import load_adapter, parse_adapter
from spacerobot_id.measurement.adapters.conversion import conversion

STATE = """
topics:
- topic: state
  type: bsk_msgs/msg/SCStatesMsgPayload
  stamp: {field: stamp}
"""
POSE = STATE + '  base_pose: {position: r_bn_n, attitude: {mrp: sigma_bn}}\n'


def compiled(text, **fields):
    """Return what the first topic of an adapter makes of a message."""
    adapter = parse_adapter(text, 'bed.yaml').for_robot(air_bearing())
    source = adapter.sources[0]
    message = make(source.types[0], **fields)
    return conversion(adapter, source, message, source.types[0])(message, 5.0)


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('topic: [', 'bed.yaml: line'),
        ('{}', 'topics: it is missing'),
        ('topics: []', 'bed.yaml: topics: there are none'),
        ('topics: []\nunits: m', 'units: unknown key; known are'),
        (STATE, 'state gives nothing'),
        (STATE + '  base_psoe:', r'topics\[0\].base_psoe: unknown key'),
        (
            POSE + '  qos: {depth: .inf}',
            'qos.depth: must be a whole number, got inf',
        ),
        (
            POSE + '  qos: {depth: 2.5}',
            'depth: must be a whole number, got 2.5',
        ),
        (POSE + '  qos: {reliability: sure}', 'reliability: must be one of best_effort, reliable'),
        (POSE + '  axes: {world: nde}', "axes.world: must be one of enu, ned, nwu, got 'nde'"),
        (POSE + '  axes: {body: [x, y, -z]}', 'axes.body: x, y, -z: not the axes of a rotation'),
        (POSE + '- ' + POSE.split('- ')[1], r'topics\[1\]: duplicate topic state'),
        (STATE + '  imu: {angular_velocity: {fields: a, unit: mph}}', "unit: .*cm, .* got 'mph'"),
        (STATE + '  imu: {angular_velocity: omega bn}', "got 'omega bn'"),
        (STATE + '  base_pose: {attitude: {order: wxyz}}', 'needs one of quaternion, mrp, yaw'),
        (
            STATE + '  base_pose: {attitude: {quaternion: q, order: zyxw}}',
            "attitude.order: must be one of xyzw, wxyz, got 'zyxw'",
        ),
        (POSE.replace('{field: stamp}', '{receipt: true, offset: 1.0}'), 'nothing beside receipt'),
        (POSE.replace('{field: stamp}', '{latency: 0.1}'), 'latency: is of receipt: true'),
        (POSE.replace('bsk_msgs/msg/', ''), 'must be like sensor_msgs/msg/Imu'),
    ],
)
def test_a_file_that_is_wrong_is_said_with_its_key(text, message):
    with pytest.raises(DescriptionError, match=message):
        parse_adapter(text, 'bed.yaml')


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        (POSE.replace('r_bn_n', 'r_bn'), r"base_pose.position: r_bn: .* no field 'r_bn'; it has"),
        (POSE.replace('r_bn_n', 'stamp.sec'), 'MeasurementError'),
        (POSE.replace('{field: stamp}', '{}'), "no field 'header'"),
        (POSE.replace('{field: stamp}', '{field: stamp, unit: us}'), 'is a time and has no unit'),
        (POSE.replace('field: stamp', 'field: mrpswitchcount'), 'needs a unit: it is a number'),
        (
            STATE + '  base_pose:',
            r'base_pose: gives no fields, as geometry_msgs/msg/PoseStamped or',
        ),
        (STATE + '  base_pose: {position: r_bn_n}', 'attitude is missing'),
        (STATE + '  imu: {angular_velocity: omega_bn_b, in: world}', 'must be body, or the name'),
    ],
)
def test_fields_that_messages_do_not_have_are_said_with_file_and_key(text, message):
    error = MeasurementError if message == 'MeasurementError' else DescriptionError
    with pytest.raises(error) as raised:
        compiled(text)
    if error is DescriptionError:
        assert raised.match(message)
        assert raised.match('^bed.yaml: topics')


def test_units_constants_and_elements_of_arrays():
    text = STATE + (
        '  imu:\n    angular_velocity:\n      unit: deg/s\n'
        '      fields: ["omega_bn_b[2]", 0.5, "omega_bn_b[0]"]\n'
        '  base_twist: {linear: {fields: v_bn_n, unit: mm/s}, in: world}\n'
    )
    gyro, twist = compiled(
        text, omega_bn_b=np.array([1.0, 2.0, 3.0]), v_bn_n=np.array([4.0, 5.0, 6.0])
    )
    assert_allclose(gyro.angular_velocity, np.deg2rad([3.0, 0.5, 1.0]), rtol=1e-15)
    assert gyro.frame_id == air_bearing().link_names[0]
    assert_array_equal(twist.twist[:3], np.array([4.0, 5.0, 6.0]) * 1e-3)
    assert twist.frame_id == 'world'


def test_elements_of_arrays_that_are_empty_until_a_message_comes():
    """As live: a type is known by a message without values, of whatever length its arrays are."""
    text = (
        'topics:\n- topic: state\n  type: std_msgs/msg/Float64MultiArray\n'
        "  stamp: {field: 'data[0]', unit: us, offset: 2.0}\n"
        "  base_twist:\n    linear: data[1:4]\n    in: {field: 'data[4]', values: {1: world}}\n"
        "  imu: {angular_velocity: ['data[1]', 'data[2]', 'data[3]']}\n"
    )
    adapter = parse_adapter(text, 'bed.yaml').for_robot(air_bearing())
    source = adapter.sources[0]
    convert = conversion(adapter, source, SimpleNamespace(data=[]), source.types[0])
    twist, gyro = convert(SimpleNamespace(data=[3e6, 1.0, 2.0, 3.0, 1.0]), 9.0)
    assert twist.stamp == gyro.stamp == 5.0
    assert twist.frame_id == 'world'
    assert_array_equal(gyro.angular_velocity, [1.0, 2.0, 3.0])
    with pytest.raises(MeasurementError, match=r'data\[\d\]: there are only 0 values'):
        convert(SimpleNamespace(data=[]), 9.0)


def test_a_message_with_too_few_values_is_refused_and_named():
    text = STATE + '  thruster_commands:\n    names: [a, b]\n    shares: r_bn_n[2:4]\n'
    with pytest.raises(MeasurementError, match=r'r_bn_n\[2:4\]: there are only 3 values'):
        compiled(text)


@pytest.mark.parametrize('is_inverse', [False, True])
@pytest.mark.parametrize('order', ['xyzw', 'wxyz'])
def test_quaternions_are_turned_as_matrices_are(order, is_inverse):
    """Our attitude is world axes times theirs times body axes, whatever its components mean."""
    world, body = axes_matrix(('y', 'x', '-z')), axes_matrix(('x', '-y', '-z'))
    theirs = Rotation.random(20, random_state=0)
    given = (theirs.inv() if is_inverse else theirs).as_quat()
    if order == 'wxyz':
        given = given[:, [3, 0, 1, 2]]
    ours = given @ quaternion_matrix(world, body, order, is_inverse=is_inverse).T
    expected = world @ theirs.as_matrix() @ body.T
    assert_allclose(Rotation.from_quat(ours).as_matrix(), expected, atol=1e-14)


def test_a_turn_of_the_body_alone_rounds_nothing():
    matrix = quaternion_matrix(np.eye(3), axes_matrix(('x', '-y', '-z')))
    assert set(np.abs(matrix).ravel()) == {0.0, 1.0}


def test_modified_rodrigues_parameters_are_those_of_the_turn_from_body_to_world():
    """They are the axis times the tangent of a quarter of the angle (Schaub and Junkins)."""
    axis, angle = np.array([0.6, 0.0, 0.8]), 1.3
    pose = compiled(POSE, sigma_bn=axis * np.tan(angle / 4.0))[0]
    assert_allclose(Rotation.from_quat(pose.attitude).as_rotvec(), axis * angle, atol=1e-15)


def test_an_unknown_name_is_said_with_those_there_are():
    with pytest.raises(ConfigurationError, match=r'nothing is neither a file nor one of astrobee'):
        load_adapter('nothing')


def test_thrusters_are_taken_where_the_description_has_none():
    adapter, robot = load_adapter('px4_spacecraft'), air_bearing()
    bare = adapter.equipped(replace(robot, thrusters=()))
    assert [each.strength for each in bare.thrusters] == [1.4] * 8
    first = bare.thrusters[0]  # at the left rear in FLU, pushing forward
    assert_array_equal(first.position, [-0.12, 0.12, 0.0])
    assert_array_equal(first.direction, [1.0, 0.0, 0.0])
    assert adapter.equipped(robot) is robot
    with pytest.raises(ConfigurationError, match='are not those of air_bearing: thruster_1'):
        adapter.equipped(replace(robot, thrusters=robot.thrusters[:4]))


def test_the_table_of_a_published_bed_is_that_of_its_thrusters():
    """Stanford: force and moment of each switch, 0.2 N at 0.11461 m."""
    columns = np.array([each.wrench for each in load_adapter('stanford_freeflyer').thrusters])
    fx, fy, moment = (columns / 0.2)[:, [0, 1, 5]].T
    assert_allclose(fx, [0, -1, 1, 0, 0, 1, -1, 0], atol=1e-15)
    assert_allclose(fy, [-1, 0, 0, -1, 1, 0, 0, 1], atol=1e-15)
    assert_allclose(moment, 0.11461 * np.array([-1, 1, -1, 1, -1, 1, -1, 1]), rtol=1e-12)

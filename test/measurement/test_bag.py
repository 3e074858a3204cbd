"""Log files: what is written is read, and what is wrong is reported with folder and topic."""

from dataclasses import fields, replace

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from rosbags.rosbag2 import Writer
from rosbags.typesys import get_typestore, Stores

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.adapters.conversion import own_topics
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.measurement.bag.writer import BagStorage, write_bag
from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import BagStreams
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream

COUNT = 50
STORE = get_typestore(Stores.ROS2_JAZZY)


@pytest.fixture
def streams():
    """Return streams of every kind; the IMU has no specific force, its second half late."""
    rng = np.random.default_rng(0)
    stamps = 5.0 + np.arange(COUNT) * 0.01
    late = stamps + np.where(np.arange(COUNT) < 25, 0.0, 0.1)
    absent = np.full((COUNT, 3), np.nan)
    turned = rng.normal(size=(COUNT, 4))
    return BagStreams(
        JointStream(stamps, stamps, ('a', 'b'), *rng.normal(size=(3, COUNT, 2))),
        ImuStream(stamps, late, 'imu', rng.normal(size=(COUNT, 3)), 1e-3, absent, turned),
        PoseStream(stamps, stamps, 'world', rng.normal(size=(COUNT, 3)), turned),
        TwistStream(stamps, stamps, 'base', rng.normal(size=(COUNT, 6))),
        true_twist=TwistStream(stamps, stamps, 'base', rng.normal(size=(COUNT, 6))),
    )


@pytest.mark.parametrize('called', ['bag', 'flight.bag'])
@pytest.mark.parametrize('storage', BagStorage)
def test_what_is_written_is_read(tmp_path, streams, storage, called):
    """Every stream, to the nanosecond and the last digit; those that were not there are None."""
    folder = tmp_path / called
    assert write_bag(folder, streams, storage) == 5 * COUNT
    assert (folder / 'metadata.yaml').exists()
    assert list(folder.glob('*.mcap' if storage is BagStorage.MCAP else '*.db3'))
    read = read_bag(folder)
    assert read.true_joints is None
    for name in ('joints', 'imu', 'pose', 'twist', 'true_twist'):
        given, wanted = getattr(read, name), getattr(streams, name)
        for each in fields(wanted):
            value, expected = getattr(given, each.name), getattr(wanted, each.name)
            if isinstance(expected, np.ndarray):
                assert_allclose(value, expected, rtol=0, atol=1e-9 if 'a' in each.name else 0)
            else:
                assert value == (pytest.approx(expected) if each.name == 'noise' else expected)


def test_an_accelerometer_is_read_where_there_is_one(tmp_path, streams):
    force = np.random.default_rng(1).normal(size=(COUNT, 3))
    imu = replace(streams.imu, specific_force=force)
    write_bag(tmp_path / 'bag', replace(streams, imu=imu))
    assert_array_equal(read_bag(tmp_path / 'bag').imu.specific_force, force)


def test_messages_are_in_the_order_of_their_arrival(tmp_path, streams):
    write_bag(tmp_path / 'bag', streams)
    read = read_bag(tmp_path / 'bag')
    assert_allclose(read.imu.arrivals, streams.imu.arrivals, atol=1e-9)
    assert_allclose(read.imu.stamps, streams.imu.stamps, atol=1e-9)
    assert (np.diff(read.imu.arrivals) > 0.0).all()


def test_a_folder_is_never_overwritten(tmp_path, streams):
    write_bag(tmp_path / 'bag', streams)
    with pytest.raises(MeasurementError, match=r'bag.*exist'):
        write_bag(tmp_path / 'bag', streams)


@pytest.mark.parametrize('kind', ['nothing', 'file', 'empty folder', 'no storage'])
def test_what_is_no_bag_is_said(tmp_path, streams, kind):
    path = tmp_path / 'bag'
    if kind == 'file':
        path.write_text('no bag')
    elif kind == 'empty folder':
        path.mkdir()
    elif kind != 'nothing':
        write_bag(path, streams)
        (path / 'bag.mcap').unlink()
    with pytest.raises(MeasurementError, match='bag: no rosbag2 folder that can be read'):
        read_bag(path)


def test_missing_topic_is_named_with_those_there_are(tmp_path, streams):
    write_bag(tmp_path / 'bag', replace(streams, imu=None))
    with pytest.raises(MeasurementError, match=r'no messages on /imu/data; topics are /base_pose'):
        read_bag(tmp_path / 'bag')
    assert read_bag(tmp_path / 'bag', needed=('joints',)).imu is None


def bag_of(path, topic, kind, messages):
    """Write messages as they are."""
    with Writer(path, version=9) as writer:
        connection = writer.add_connection(topic, kind, typestore=STORE)
        for place, message in enumerate(messages):
            writer.write(connection, place, STORE.serialize_cdr(message, kind))


def joint_message(names, positions, velocities):
    types = STORE.types
    header = types['std_msgs/msg/Header'](types['builtin_interfaces/msg/Time'](1, 0), '')
    make = types['sensor_msgs/msg/JointState']
    return make(header, names, np.array(positions), np.array(velocities), np.zeros(0))


def test_F1_joints_are_read_by_name(tmp_path):
    """Another order in the second message, and a joint more; velocities are not there."""
    messages = [
        joint_message(['a', 'b'], [1.0, 2.0], []),
        joint_message(['c', 'b', 'a'], [9.0, 4.0, 3.0], []),
    ]
    bag_of(tmp_path / 'bag', '/joint_states', 'sensor_msgs/msg/JointState', messages)
    joints = read_bag(tmp_path / 'bag', needed=('joints',)).joints
    assert joints.names == ('a', 'b', 'c')
    assert_array_equal(joints.positions, [[1.0, 2.0, np.nan], [3.0, 4.0, 9.0]])
    assert np.isnan(joints.velocities).all()


@pytest.mark.parametrize(
    ('second', 'expected'),
    [
        ((['a'], [3.0], []), [3.0, np.nan]),
        ((['a', 'b'], [3.0], []), [np.nan, np.nan]),
        ((['a', 'b'], [3.0, 4.0], [1.0] * 3), [3.0, 4.0]),
        ((['a', 'a'], [3.0, 4.0], []), [np.nan, np.nan]),
    ],
)
def test_F2_F3_what_a_message_does_not_say_is_not_a_number(tmp_path, second, expected):
    """A joint lacking or named twice, an array of another size: the others are still there."""
    messages = [joint_message(['a', 'b'], [1.0, 2.0], [5.0, 6.0]), joint_message(*second)]
    bag_of(tmp_path / 'bag', '/joint_states', 'sensor_msgs/msg/JointState', messages)
    joints = read_bag(tmp_path / 'bag', needed=('joints',)).joints
    assert_array_equal(joints.positions, [[1.0, 2.0], expected])
    assert_array_equal(joints.velocities, [[5.0, 6.0], [np.nan, np.nan]])


def test_another_type_is_said(tmp_path):
    message = STORE.types['std_msgs/msg/String']('x')
    bag_of(tmp_path / 'bag', '/imu/data', 'std_msgs/msg/String', [message])
    with pytest.raises(MeasurementError, match=r'/imu/data has messages of std_msgs/msg/String'):
        read_bag(tmp_path / 'bag')


def odometry(stamp, pose, twist):
    types = STORE.types
    point, quaternion = types['geometry_msgs/msg/Point'], types['geometry_msgs/msg/Quaternion']
    vector, zeros = types['geometry_msgs/msg/Vector3'], np.zeros(36)
    header = types['std_msgs/msg/Header'](types['builtin_interfaces/msg/Time'](stamp, 0), 'map')
    return types['nav_msgs/msg/Odometry'](
        header,
        'base_link',
        types['geometry_msgs/msg/PoseWithCovariance'](
            types['geometry_msgs/msg/Pose'](point(*pose[:3]), quaternion(*pose[3:])), zeros
        ),
        types['geometry_msgs/msg/TwistWithCovariance'](
            types['geometry_msgs/msg/Twist'](vector(*twist[:3]), vector(*twist[3:])), zeros
        ),
    )


@pytest.mark.parametrize('topic', ['/base_pose', '/base_twist'])
def test_odometry_is_read_as_poses_and_as_twists_of_its_child_frame(tmp_path, topic):
    rng = np.random.default_rng(2)
    poses, twists = rng.normal(size=(3, 7)), rng.normal(size=(3, 6))
    messages = [odometry(row, poses[row], twists[row]) for row in range(3)]
    bag_of(tmp_path / 'bag', topic, 'nav_msgs/msg/Odometry', messages)
    read = read_bag(tmp_path / 'bag', needed=())
    assert read.twist.frame_id == 'base_link'
    assert_array_equal(read.twist.twists, twists)
    assert_array_equal(read.twist.stamps, [0.0, 1.0, 2.0])
    if topic == '/base_pose':
        assert read.pose.frame_id == 'map'
        assert_array_equal(np.hstack([read.pose.positions, read.pose.attitudes]), poses)
    else:
        assert read.pose is None


def test_a_topic_of_twists_goes_before_those_of_odometry(tmp_path, streams):
    """The poses are odometry's, the twists a topic's own."""
    with Writer(tmp_path / 'bag', version=9) as writer:
        poses = writer.add_connection('/base_pose', 'nav_msgs/msg/Odometry', typestore=STORE)
        twists = writer.add_connection('/base_twist', 'nav_msgs/msg/Odometry', typestore=STORE)
        for connection, twist in ((poses, np.zeros(6)), (twists, np.ones(6))):
            message = odometry(1, np.ones(7), twist)
            data = STORE.serialize_cdr(message, 'nav_msgs/msg/Odometry')
            writer.write(connection, 0, data)
    assert_array_equal(read_bag(tmp_path / 'bag', needed=()).twist.twists, np.ones((1, 6)))


def test_topics_may_be_others(tmp_path, streams):
    topics = {'joints': '/robot/joint_states'}
    only = BagStreams(streams.joints)
    write_bag(tmp_path / 'bag', only, topics={'joints': '/robot/joint_states'})
    read = read_bag(tmp_path / 'bag', ('joints',), own_topics(topics))
    assert_array_equal(read.joints.positions, streams.joints.positions)

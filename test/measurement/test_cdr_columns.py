"""Messages read as columns say what they say one by one, and what is not alike is not taken so."""

from dataclasses import fields
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
from numpy.testing import assert_array_equal
import pytest
from rclpy.serialization import serialize_message
from rosbags.rosbag2 import Writer
from rosbags.serde import SerdeError
from rosbags.typesys import get_typestore, Stores
from sensor_msgs.msg import JointState

from spacerobot_id.measurement.adapters.observation import topics_of_bag
from spacerobot_id.measurement.bag import reader
from spacerobot_id.measurement.bag.cdr_columns import columns, OfTypestore
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.measurement.streams.log_streams import LOG_STREAMS
from spacerobot_id.nodes.estimator.inputs import OfClasses

STORE = get_typestore(Stores.ROS2_JAZZY)
TYPES = {
    '/joint_states': 'sensor_msgs/msg/JointState',
    '/imu/data': 'sensor_msgs/msg/Imu',
    '/base_pose': 'geometry_msgs/msg/PoseStamped',
    '/base_twist': 'geometry_msgs/msg/TwistStamped',
    '/base_wrench': 'geometry_msgs/msg/WrenchStamped',
    '/thruster_commands': 'sensor_msgs/msg/JointState',
}
NAMES = ('', 'a', 'joint 1', 'Gelenk-ü', 'x' * 9)


def filled(kind, rng, names, frame):
    """Return a message with random numbers, and texts that are given."""
    made = {}
    for name, (node, what) in STORE.fielddefs[kind][1]:
        if node.name == 'NAME':
            made[name] = filled(what, rng, names, frame)
        elif name == 'name':
            made[name] = list(names)
        elif node.name == 'BASE':
            kind_of = what[0]
            number = int(rng.integers(0, 2**31)) if 'int' in kind_of else float(rng.normal())
            made[name] = frame if kind_of == 'string' else number
        else:
            count = what[1] or int(rng.choice([0, len(names)]))
            made[name] = rng.choice([-1.0, 0.0, 0.5], count)
    return STORE.types[kind](**made)


def written(path, messages):
    """Write messages, a list by topic and type, in turns."""
    with Writer(path, version=9) as writer:
        for (topic, kind), each in messages.items():
            connection = writer.add_connection(topic, kind, typestore=STORE)
            for row, message in enumerate(each):
                writer.write(connection, row * 10**7, STORE.serialize_cdr(message, kind))


def assert_same(one, other):
    assert one.notes == other.notes
    for name in LOG_STREAMS:
        both = getattr(one, name), getattr(other, name)
        assert (both[0] is None) == (both[1] is None)
        for field in fields(both[0]) if both[0] is not None else ():
            first, second = (getattr(each, field.name) for each in both)
            if isinstance(second, np.ndarray):
                assert_array_equal(first, second)
            else:
                assert first == second, field.name


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    names=st.lists(st.sampled_from(NAMES), unique=True, max_size=4),
    frame=st.sampled_from(NAMES),
    is_odometry=st.booleans(),
)
def test_columns_are_what_single_messages_say(tmp_path_factory, seed, names, frame, is_odometry):
    """Of every type that is read, with joints that say all or nothing of themselves."""
    rng = np.random.default_rng(seed)
    kinds = dict(TYPES)
    if is_odometry:
        kinds['/base_pose'] = 'nav_msgs/msg/Odometry'
        del kinds['/base_twist']
    seeds = rng.integers(0, 2**31, (len(kinds), 5))
    layout = int(rng.integers(0, 2**31))

    def message(kind, seed):
        """All of a topic have arrays of the same lengths, or now and then of others."""
        lengths = np.random.default_rng(layout if seed % 7 else seed)
        return filled(kind, lengths if kind.endswith('JointState') else rng, names, frame)

    path = tmp_path_factory.mktemp('bags') / 'bag'
    messages = {
        (topic, kind): [message(kind, int(each)) for each in row]
        for (topic, kind), row in zip(kinds.items(), seeds, strict=True)
    }
    for each in messages['/thruster_commands', TYPES['/thruster_commands']]:
        each.effort = rng.normal(size=len(names))
    written(path, messages)
    fast = read_bag(path, ())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, 'columns', lambda *_: None)
        assert_same(fast, read_bag(path, ()))


def test_messages_of_other_layouts_are_looked_at_one_by_one():
    """A frame, or a number of joints, that changes; and an encoding of another byte order."""
    kind, rng = 'sensor_msgs/msg/Imu', np.random.default_rng(0)
    some = [filled(kind, rng, (), frame) for frame in ('imu', 'imu', 'umi')]
    data = [bytes(STORE.serialize_cdr(each, kind)) for each in some]
    assert len(columns(data[:2], kind, OfTypestore(STORE))) == 2
    assert columns(data, kind, OfTypestore(STORE)) is None
    big_endian = [bytes(STORE.serialize_cdr(each, kind, little_endian=False)) for each in some[:2]]
    assert columns(big_endian, kind, OfTypestore(STORE)) is None
    assert columns([data[0], data[1] + b'\x00'], kind, OfTypestore(STORE)) is None


def test_sequences_of_messages_have_no_columns():
    kind = 'diagnostic_msgs/msg/DiagnosticArray'
    kinds = STORE.types
    stamp = kinds['builtin_interfaces/msg/Time'](0, 0)
    message = kinds[kind](kinds['std_msgs/msg/Header'](stamp, ''), [])
    assert columns([bytes(STORE.serialize_cdr(message, kind))], kind, OfTypestore(STORE)) is None


@pytest.mark.parametrize(
    'kind',
    [
        'sensor_msgs/msg/JointState',
        'sensor_msgs/msg/Imu',
        'nav_msgs/msg/Odometry',
        'geometry_msgs/msg/PoseStamped',
        'geometry_msgs/msg/TwistStamped',
        'geometry_msgs/msg/WrenchStamped',
        'diagnostic_msgs/msg/DiagnosticArray',
    ],
)
def test_definitions_of_classes_are_those_of_files(kind):
    """What rclpy's classes say of their fields is what rosbags has of them."""
    assert list(OfClasses().fields(kind)) == list(OfTypestore(STORE).fields(kind))


ARRAYS = ('position', 'velocity', 'effort')


@pytest.mark.parametrize('lengths', [*product((0, 1, 2), repeat=3)])
def test_messages_serialized_by_rclpy_are_read(lengths):
    """Bytes that mean nothing follow some of them, more than the three that rosbags knows of."""
    kind, values = 'sensor_msgs/msg/JointState', np.random.default_rng(0).normal(size=(3, 2))
    sent = {name: row[:length] for name, row, length in zip(ARRAYS, values, lengths, strict=True)}
    data = serialize_message(JointState(name=['a', 'bcd'], **sent))
    message, table = OfTypestore(STORE).message(data, kind), columns([data], kind, OfClasses())
    for name, row in sent.items():
        assert_array_equal(getattr(message, name), row)
        assert_array_equal(table.numbers(name), row[None])


@pytest.mark.parametrize('are_columns', [True, False])
@pytest.mark.parametrize('tail', [1, 4, 8, 60])
def test_bytes_that_follow_a_message_mean_nothing(tmp_path, monkeypatch, tail, are_columns):
    """Logs whose messages have some are as those without."""
    rng = np.random.default_rng(0)
    messages = {
        (topic, kind): [filled(kind, np.random.default_rng(0), ('a', 'b'), 'base')] * 3
        for topic, kind in TYPES.items()
    }
    for each in messages['/thruster_commands', TYPES['/thruster_commands']]:
        each.effort = rng.normal(size=2)
    written(tmp_path / 'without', messages)
    serialized = STORE.serialize_cdr
    monkeypatch.setattr(
        STORE, 'serialize_cdr', lambda *given: bytes(serialized(*given)) + rng.bytes(tail)
    )
    written(tmp_path / 'with', messages)
    if not are_columns:
        monkeypatch.setattr(reader, 'columns', lambda *_: None)
    assert_same(read_bag(tmp_path / 'with', ()), read_bag(tmp_path / 'without', ()))
    assert topics_of_bag(tmp_path / 'with') == topics_of_bag(tmp_path / 'without')


@pytest.mark.parametrize('change', [lambda data: data[:-1], lambda data: data + bytes(100)])
def test_messages_that_are_cut_or_much_too_long_are_refused(change):
    kind = 'sensor_msgs/msg/Imu'
    message = filled(kind, np.random.default_rng(0), (), 'imu')
    data = change(bytes(STORE.serialize_cdr(message, kind)))
    with pytest.raises(SerdeError):
        OfTypestore(STORE).message(data, kind)

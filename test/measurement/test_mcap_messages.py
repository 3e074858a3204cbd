"""Messages of mcap files by their index are those that the library finds, or the library's."""

from pathlib import Path

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import get_typestore, Stores

from spacerobot_id.measurement.bag.mcap_messages import mcap_messages

STORE = get_typestore(Stores.ROS2_JAZZY)
STRING = 'std_msgs/msg/String'
REFERENCE = Path(__file__).parents[1] / 'reference'


def written(path, storage=StoragePlugin.MCAP, mode=None):
    """Write texts of all lengths on two topics, some at the same time, some late."""
    rng = np.random.default_rng(0)
    writer = Writer(path, version=9, storage_plugin=storage)
    if mode is not None:
        writer.set_compression(mode, CompressionFormat.ZSTD)
    with writer:
        topics = [writer.add_connection(name, STRING, typestore=STORE) for name in ('/a', '/b')]
        for number in range(200):
            message = STORE.types[STRING](data='x' * int(rng.integers(0, 20)))
            arrival = 1000 * (number // 3) - 5000 * (number % 50 == 49) + 10000
            sent = STORE.serialize_cdr(message, STRING)
            writer.write(topics[number % 2], arrival, sent)
    return path


def both(path, topics=('/a', '/b')):
    """Return what is found by the index, and by the library."""
    with AnyReader([path]) as reader:
        chosen = [each for each in reader.connections if each.topic in topics]
        return mcap_messages(path, reader, chosen), list(reader.messages(chosen))


@pytest.mark.parametrize('mode', [None, CompressionMode.STORAGE])
@pytest.mark.parametrize('topics', [('/a', '/b'), ('/b',)])
def test_messages_are_those_of_the_library(tmp_path, mode, topics):
    """In the same order, messages at the same time as they were written."""
    found, expected = both(written(tmp_path / 'bag', mode=mode), topics)
    assert len(expected) == 100 * len(topics)
    assert found == expected


@pytest.mark.parametrize('name', sorted(each.parent.name for each in REFERENCE.glob('*/*.mcap')))
def test_logs_of_the_reference_are_read_by_their_index(name):
    """Those of the simulator and of MuJoCo."""
    with AnyReader([REFERENCE / name]) as reader:
        found = mcap_messages(REFERENCE / name, reader, reader.connections)
        assert found == list(reader.messages())


@pytest.mark.parametrize(
    ('storage', 'mode'),
    [(StoragePlugin.SQLITE3, None), (StoragePlugin.MCAP, CompressionMode.MESSAGE)],
)
def test_other_logs_are_left_to_the_library(tmp_path, storage, mode):
    """Of another format, or whose messages are compressed each by itself."""
    assert both(written(tmp_path / 'bag', storage, mode))[0] is None


def test_two_files_are_left_to_the_library(tmp_path):
    """Which of them come first, their folder says."""
    path = written(tmp_path / 'bag')
    (path / 'more.mcap').write_bytes(b'')
    assert both(path)[0] is None


@pytest.mark.parametrize(
    'damage', ['index points elsewhere', 'index is gone', 'message is longer', 'size of the chunk']
)
def test_damaged_files_are_left_to_the_library(tmp_path, damage):
    """Which tells what is wrong with them, or makes what it can of them."""
    path = written(tmp_path / 'bag')
    file = next(path.glob('*.mcap'))
    data = bytearray(file.read_bytes())
    index = data.index(bytes([0x07]) + (6 + 16 * 100).to_bytes(8, 'little'))
    chunk = data.index(bytes([0x06]))
    message = data.index(bytes([0x05]), chunk + 9)
    if damage == 'index points elsewhere':
        data[index + 9 + 6 + 8] ^= 1
    elif damage == 'index is gone':
        data[index] = 0x7F
    elif damage == 'message is longer':
        data[message + 8] = 1
    else:
        data[chunk + 9 + 16] ^= 1
    file.write_bytes(data)
    with AnyReader([path]) as reader:
        assert mcap_messages(path, reader, reader.connections) is None

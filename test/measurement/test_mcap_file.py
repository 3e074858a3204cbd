"""Messages of mcap files are those that the library finds, with an index and without one."""

from pathlib import Path

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import get_typestore, Stores

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.bag.opened import opened

STORE = get_typestore(Stores.ROS2_JAZZY)
STRING = 'std_msgs/msg/String'
REFERENCE = Path(__file__).parents[1] / 'reference'


def written(path, storage=StoragePlugin.MCAP, mode=None, count=200):
    """Write texts of all lengths on two topics, some at the same time, some late."""
    rng = np.random.default_rng(0)
    writer = Writer(path, version=9, storage_plugin=storage)
    if mode is not None:
        writer.set_compression(mode, CompressionFormat.ZSTD)
    with writer:
        topics = [writer.add_connection(name, STRING, typestore=STORE) for name in ('/a', '/b')]
        for number in range(count):
            message = STORE.types[STRING](data='x' * int(rng.integers(0, 20)))
            arrival = 1000 * (number // 3) - 5000 * (number % 50 == 49) + 10000
            sent = STORE.serialize_cdr(message, STRING)
            writer.write(topics[number % 2], arrival, sent)
    return path


def both(path, topics=('/a', '/b')):
    """Return what is found, and what the library finds, each with its topic."""
    with AnyReader([path]) as reader:
        chosen = [each for each in reader.connections if each.topic in topics]
        expected = [(each.topic, *others) for each, *others in reader.messages(chosen)]
    with opened(path) as log:
        chosen = [each for each in log.connections if each.topic in topics]
        return [(each.topic, *others) for each, *others in log.messages(chosen)], expected


@pytest.mark.parametrize('mode', [None, CompressionMode.STORAGE])
@pytest.mark.parametrize('topics', [('/a', '/b'), ('/b',)])
def test_messages_are_those_of_the_library(tmp_path, mode, topics):
    """In the same order, messages at the same time as they were written."""
    found, expected = both(written(tmp_path / 'bag', mode=mode), topics)
    assert len(expected) == 100 * len(topics)
    assert found == expected


@pytest.mark.parametrize('name', sorted(each.parent.name for each in REFERENCE.glob('*/*.mcap')))
def test_logs_of_the_reference_are_read(name):
    """Those of the simulator and of MuJoCo."""
    with opened(REFERENCE / name) as log:
        topics = {each.topic for each in log.connections}
    found, expected = both(REFERENCE / name, topics)
    assert found == expected


@pytest.mark.parametrize(
    ('storage', 'mode'),
    [(StoragePlugin.SQLITE3, None), (StoragePlugin.MCAP, CompressionMode.MESSAGE)],
)
def test_other_logs_are_those_of_the_library(tmp_path, storage, mode):
    """Of another format, or whose messages are compressed each by itself."""
    found, expected = both(written(tmp_path / 'bag', storage, mode))
    assert len(found) == 200
    assert found == expected


@pytest.mark.parametrize(
    'damage', ['index points elsewhere', 'index is gone', 'message is longer', 'size of the chunk']
)
def test_an_index_that_does_not_fit_is_not_believed(tmp_path, damage):
    """All messages are found all the same; a chunk that is damaged is refused."""
    path = written(tmp_path / 'bag')
    whole, _ = both(path)
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
    if 'index' not in damage:
        with pytest.raises(MeasurementError, match='a chunk is damaged'), opened(path) as log:
            log.messages(log.connections)
        return
    with opened(path) as log:
        found = log.messages(log.connections)
    assert [(each.topic, *others) for each, *others in found] == whole


@pytest.mark.parametrize(('mode', 'count'), [(None, 200), (CompressionMode.STORAGE, 20000)])
@pytest.mark.parametrize('share', [0.3, 0.9])
def test_of_a_file_without_an_end_what_is_there_is_read(tmp_path, mode, count, share):
    """As a power cut leaves it, in the middle of a chunk; that it was is said."""
    path = written(tmp_path / 'bag', mode=mode, count=count)
    with opened(path) as log:
        whole = [each[1:] for each in log.as_written(log.connections)]
    file = next(path.glob('*.mcap'))
    data = file.read_bytes()
    chunk = data.index(bytes([0x06]))
    size = int.from_bytes(data[chunk + 1 : chunk + 9], 'little')
    file.write_bytes(data[: chunk + 9 + int(share * size)])
    with opened(path) as log:
        found = [each[1:] for each in log.as_written(log.connections)]
        read = {each.topic: each.msgcount for each in log.connections}
        notes = ' '.join(log.notes(read, ('a', 'b')))
    assert 0 < len(found) < count
    assert found == whole[: len(found)]
    assert 'bag.mcap: was not closed' in notes
    assert (
        f'/a: {read["/a"]} messages were read of the {count // 2} that metadata.yaml states'
        in notes
    )


def test_of_a_file_that_ends_within_an_index_no_message_is_lost(tmp_path):
    """As a power cut leaves it: what the index has of one topic says nothing of the others."""
    path = written(tmp_path / 'bag')
    file = next(path.glob('*.mcap'))
    data = file.read_bytes()
    chunk = data.index(bytes([0x06]))
    end = chunk + 9 + int.from_bytes(data[chunk + 1 : chunk + 9], 'little')
    index = 9 + 6 + 16 * 100
    assert data[end] == data[end + index] == 0x07
    edges = [*range(20), *range(index - 20, index + 20), *range(2 * index - 20, 2 * index + 9)]
    for topic in ('/a', '/b'):
        whole, _ = both(path, (topic,))
        for edge in edges:
            cut = tmp_path / f'{edge}{topic[1:]}.mcap'
            cut.write_bytes(data[: end + edge])
            with opened(cut) as log:
                chosen = [each for each in log.connections if each.topic == topic]
                found = log.messages(chosen)
            assert [(each.topic, *others) for each, *others in found] == whole, (topic, edge)


def test_messages_that_are_in_no_chunk_may_be_late(tmp_path):
    """As the fastest way of recording leaves them; the library refuses those."""
    path = written(tmp_path / 'bag')
    whole, _ = both(path)
    file = next(path.glob('*.mcap'))
    data = file.read_bytes()
    chunk, head = data.index(bytes([0x06])), 9 + 28 + 4 + 8
    size = int.from_bytes(data[chunk + 1 : chunk + 9], 'little')
    end = bytes([0x0F]) + (4).to_bytes(8, 'little') + bytes(4)
    end += bytes([0x02]) + (20).to_bytes(8, 'little') + bytes(20) + data[:8]
    file.write_bytes(data[:chunk] + data[chunk + head : chunk + 9 + size] + end)
    with AnyReader([path]) as reader, pytest.raises(Exception, match='not in timestamp order'):
        list(reader.messages())
    with opened(path) as log:
        found = log.messages(log.connections)
    assert [(each.topic, *others) for each, *others in found] == whole

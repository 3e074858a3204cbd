"""Logs as recorders and converters leave them: all that is there is read, what lacks is said."""

from contextlib import closing
import shutil
import sqlite3

from backports import zstd
import lz4.frame
import numpy as np
from numpy.testing import assert_array_equal
import pytest
from rosbags.interfaces import MessageDefinition, MessageDefinitionFormat
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import get_typestore, Stores
import yaml

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.adapters.observation import topics_of_bag
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.measurement.bag.writer import BagStorage, write_bag
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import BagStreams

STORE = get_typestore(Stores.ROS2_JAZZY)
COUNT = 60
STAMPS = 5.0 + 0.01 * np.arange(COUNT)
STORAGES = tuple(BagStorage)


def joints(stamps=STAMPS, arrivals=None):
    """Return joint states whose positions count the messages."""
    values = np.arange(float(len(stamps)))[:, None]
    arrivals = stamps if arrivals is None else arrivals
    return JointStream(stamps, arrivals, ('a',), values, np.zeros_like(values))


def written(path, storage=BagStorage.MCAP, stream=None):
    write_bag(path, BagStreams(joints() if stream is None else stream), storage)
    return path


def read(path):
    """Return the joint states of a log, and what is wrong with it."""
    streams = read_bag(path, ('joints',))
    return streams.joints, streams.notes


def assert_whole(path, *notes):
    """All messages are there, in order, and some notes and no others."""
    stream, said = read(path)
    assert_array_equal(stream.positions[:, 0], np.arange(COUNT))
    assert len(said) == len(notes)
    for note, words in zip(said, notes, strict=True):
        assert words in note


def change_metadata(path, change):
    """Change what the folder states."""
    file = path / 'metadata.yaml'
    content = yaml.safe_load(file.read_text())
    change(content['rosbag2_bagfile_information'])
    file.write_text(yaml.safe_dump(content))


@pytest.mark.parametrize('storage', STORAGES)
def test_events_of_a_service_leave_the_other_topics_readable(tmp_path, storage):
    """Their definition has the three parts of a service, which no message has."""
    path = tmp_path / 'bag'
    text = MessageDefinition(MessageDefinitionFormat.MSG, 'bool data\n---\nbool success\n')
    with Writer(path, version=9, storage_plugin=StoragePlugin[storage.name]) as writer:
        states = writer.add_connection(
            '/joint_states', 'sensor_msgs/msg/JointState', typestore=STORE
        )
        events = writer.add_connection(
            '/arm/_service_event', 'std_srvs/srv/SetBool_Event', msgdef=text.data, rihs01='x'
        )
        for number in range(COUNT):
            time = STORE.types['builtin_interfaces/msg/Time'](5, 10_000_000 * number)
            header = STORE.types['std_msgs/msg/Header'](time, '')
            values = np.array([float(number)]), np.zeros(1), np.zeros(0)
            message = STORE.types['sensor_msgs/msg/JointState'](header, ['a'], *values)
            data = STORE.serialize_cdr(message, 'sensor_msgs/msg/JointState')
            writer.write(states, number, data)
            writer.write(events, number, b'\x00\x01\x00\x00\x00')
    assert_whole(path)
    topics = {each.topic: each for each in topics_of_bag(path)}
    assert topics['/arm/_service_event'].missing.startswith('the bag has no definition of std_srv')
    assert topics['/joint_states'].fields['position'] == '1 numbers'


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('key', ['offered_qos_profiles', 'type_description_hash', 'type'])
def test_what_the_folder_states_of_a_topic_hides_none_of_its_messages(tmp_path, storage, key):
    """Converters rewrite it; the files say what is in them."""
    path, profile = written(tmp_path / 'bag', storage), {'history': 3, 'depth': 7}
    values = {
        'offered_qos_profiles': [profile],
        'type_description_hash': 'RIHS01_' + '0' * 64,
        'type': 'other_msgs/msg/JointState',
    }

    def change(content):
        content['topics_with_message_count'][0]['topic_metadata'][key] = values[key]

    change_metadata(path, change)
    assert_whole(path)


@pytest.mark.parametrize('left', ['-wal', '-journal'])
def test_what_sqlite_left_beside_a_file_is_read_too(tmp_path, left):
    """After a power cut: what is committed is there, what is not is not, the log as it was."""
    path = written(tmp_path / 'bag', BagStorage.SQLITE3)
    copies, file = tmp_path / 'copies', path / 'bag.db3'
    copies.mkdir()
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        late = database.execute('SELECT * FROM messages WHERE id > 24').fetchall()
        if left == '-wal':
            database.execute('DELETE FROM messages WHERE id > 24')
            database.execute('PRAGMA journal_mode=WAL')
            database.executemany('INSERT INTO messages VALUES (?, ?, ?, ?)', late)
        else:
            database.execute('PRAGMA cache_size=1')
            database.execute('BEGIN')
            database.execute('DELETE FROM messages WHERE id > 24')
            database.execute('CREATE TABLE filling(data BLOB)')
            for _ in range(40):
                database.execute('INSERT INTO filling SELECT randomblob(4096)')
        for each in (file, file.with_name(file.name + left)):
            shutil.copy(each, copies)
    for each in copies.iterdir():
        shutil.copy(each, path)
    before = {each.name: each.read_bytes() for each in path.iterdir()}
    assert_whole(path, f'bag.db3: was not closed: what bag.db3{left} has was read, too')
    assert {each.name: each.read_bytes() for each in path.iterdir()} == before


@pytest.mark.parametrize('storage', STORAGES)
def test_fewer_messages_than_stated_are_said(tmp_path, storage):
    path = written(tmp_path / 'bag', storage)

    def change(content):
        content['topics_with_message_count'][0]['message_count'] = 100

    change_metadata(path, change)
    assert_whole(path, '/joint_states: 60 messages were read of the 100 that metadata.yaml states')


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('damage', ['missing', 'empty', 'cut off'])
def test_a_folder_without_its_metadata_is_read(tmp_path, storage, damage):
    path = written(tmp_path / 'bag', storage)
    file = path / 'metadata.yaml'
    text = file.read_text()
    file.unlink()
    if damage != 'missing':
        file.write_text('' if damage == 'empty' else text[: len(text) // 3])
    assert_whole(path, 'metadata.yaml is missing or damaged: all files there are were read')


@pytest.mark.parametrize('storage', STORAGES)
def test_a_file_alone_is_a_log(tmp_path, storage):
    path = written(tmp_path / 'bag', storage)
    assert_whole(path / f'bag.{"mcap" if storage is BagStorage.MCAP else "db3"}')


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('has_metadata', [True, False])
def test_messages_that_are_compressed_by_themselves_are_read(tmp_path, storage, has_metadata):
    path, whole = tmp_path / 'bag', written(tmp_path / 'whole', storage)
    writer = Writer(path, version=9, storage_plugin=StoragePlugin[storage.name])
    writer.set_compression(CompressionMode.MESSAGE, CompressionFormat.ZSTD)
    stream = read_bag(whole, ('joints',)).joints
    with writer:
        kind = 'sensor_msgs/msg/JointState'
        states = writer.add_connection('/joint_states', kind, typestore=STORE)
        for number, stamp in enumerate(stream.stamps):
            time = STORE.types['builtin_interfaces/msg/Time'](int(stamp), 0)
            header = STORE.types['std_msgs/msg/Header'](time, '')
            values = np.array([float(number)]), np.zeros(1), np.zeros(0)
            message = STORE.types[kind](header, ['a'], *values)
            writer.write(states, number, STORE.serialize_cdr(message, kind))
    if not has_metadata:
        (path / 'metadata.yaml').unlink()
    assert_whole(path, *(['metadata.yaml is missing'] * (not has_metadata)))


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('is_named_so', [True, False])
def test_files_that_are_compressed_whole_are_read(tmp_path, storage, is_named_so):
    """The folder names them as they are, or as they were before."""
    path = written(tmp_path / 'bag', storage)
    file = next(each for each in path.iterdir() if each.suffix != '.yaml')
    file.with_name(f'{file.name}.zstd').write_bytes(zstd.compress(file.read_bytes()))
    file.unlink()

    def change(content):
        content |= {'compression_format': 'zstd', 'compression_mode': 'FILE'}
        if is_named_so:
            content['relative_file_paths'] = [f'{file.name}.zstd']

    change_metadata(path, change)
    assert_whole(path)


def split(path, storage):
    """Write a log of twelve files, the first of them with the first messages."""
    path.mkdir()
    names, suffix = [], 'mcap' if storage is BagStorage.MCAP else 'db3'
    for number, rows in enumerate(np.split(np.arange(COUNT), 12)):
        stream = joints()
        columns = {name: getattr(stream, name)[rows] for name in ('stamps', 'arrivals')}
        tables = stream.positions[rows], stream.velocities[rows]
        part = JointStream(*columns.values(), ('a',), *tables)
        folder = written(path.parent / f'part_{number}', storage, part)
        names.append(f'bag_{number}.{suffix}')
        shutil.move(folder / f'part_{number}.{suffix}', path / names[-1])
    shutil.copy(folder / 'metadata.yaml', path)

    def change(content):
        content['relative_file_paths'] = names
        content['topics_with_message_count'][0]['message_count'] = COUNT

    change_metadata(path, change)
    return path, names


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('has_metadata', [True, False])
def test_split_logs_are_read_in_order(tmp_path, storage, has_metadata):
    """The second file comes before the tenth, also where no folder says so."""
    path, _ = split(tmp_path / 'bag', storage)
    if not has_metadata:
        (path / 'metadata.yaml').unlink()
    assert_whole(path, *(['metadata.yaml is missing'] * (not has_metadata)))


@pytest.mark.parametrize('storage', STORAGES)
def test_a_file_that_lacks_and_one_that_nobody_names_are_said(tmp_path, storage):
    path, names = split(tmp_path / 'bag', storage)
    (path / names[3]).rename(path / f'copy_{names[3]}')
    stream, notes = read(path)
    assert len(stream.stamps) == COUNT - 5
    assert f'{names[3]}: is named in metadata.yaml, and not there' in notes[0]
    assert f'copy_{names[3]}: is not named in metadata.yaml, and was not read' in notes[1]
    assert '55 messages were read of the 60' in notes[2]


def test_an_empty_file_at_the_end_of_a_split_log_leaves_the_others_readable(tmp_path):
    """As a power cut leaves it, just begun."""
    path, names = split(tmp_path / 'bag', BagStorage.MCAP)
    (path / names[-1]).write_bytes(b'')
    stream, notes = read(path)
    assert len(stream.stamps) == COUNT - 5
    assert f'{names[-1]}: is empty' in notes[0]


@pytest.mark.parametrize('storage', STORAGES)
def test_a_clock_that_loops_mixes_no_two_passes(tmp_path, storage):
    """Recorded by the time of a simulator that begins again: the passes follow each other."""
    times = np.concatenate([STAMPS, STAMPS + 0.004])
    arrivals = np.concatenate([1000.0 + 100.0 * STAMPS, 1000.4 + 100.0 * STAMPS])
    path = tmp_path / 'bag'
    stream = joints(times, np.arange(2.0 * COUNT))
    write_bag(path, BagStreams(stream), storage)
    _rewrite_arrivals(path, storage, arrivals)
    found, notes = read(path)
    assert_array_equal(found.positions[:, 0], np.arange(2 * COUNT))
    assert (np.diff(found.arrivals) > 0.0).all()
    assert not notes


def _rewrite_arrivals(path, storage, arrivals):
    """Put the times of arrival of a log in place of those that it has."""
    times = (1e9 * arrivals).astype(int).tolist()
    if storage is BagStorage.SQLITE3:
        with closing(sqlite3.connect(path / 'bag.db3')) as database, database:
            rows = [(time, number + 1) for number, time in enumerate(times)]
            database.executemany('UPDATE messages SET timestamp = ? WHERE id = ?', rows)
        return
    file = path / 'bag.mcap'
    data = file.read_bytes()
    for number, time in enumerate(times):
        old = (10**9 * number).to_bytes(8, 'little')
        begin = data.index((0).to_bytes(4, 'little') + 2 * old)
        data = data[: begin + 4] + 2 * time.to_bytes(8, 'little') + data[begin + 20 :]
    file.write_bytes(data)


@pytest.mark.parametrize('encoding', ['unknown', 'jsonschema', ''])
@pytest.mark.parametrize('storage', STORAGES)
def test_types_that_nothing_defines_legibly_are_those_of_ros(tmp_path, storage, encoding):
    """As where the recorder did not find a definition: a standard type is read all the same."""
    path = written(tmp_path / 'bag', storage)
    if storage is BagStorage.SQLITE3:
        with closing(sqlite3.connect(path / 'bag.db3')) as database, database:
            database.execute('UPDATE message_definitions SET encoding = ?', (encoding,))
    else:
        file = path / 'bag.mcap'
        as_sent = (7).to_bytes(4, 'little') + b'ros2msg'
        file.write_bytes(
            file.read_bytes().replace(as_sent, (7).to_bytes(4, 'little') + b'unknown')
        )
    assert_whole(path)


def test_topics_that_are_not_sent_in_cdr_are_named(tmp_path):
    path = written(tmp_path / 'bag')
    file = path / 'bag.mcap'
    sent, other = ((3).to_bytes(4, 'little') + each for each in (b'cdr', b'pb3'))
    file.write_bytes(file.read_bytes().replace(sent, other))
    with pytest.raises(MeasurementError, match='/joint_states: its messages are in pb3, not in'):
        read(path)
    (topic,) = topics_of_bag(path)
    assert 'pb3' in topic.missing


@pytest.mark.parametrize('storage', STORAGES)
def test_a_topic_that_is_asked_for_has_to_be_there(tmp_path, storage):
    path = written(tmp_path / 'bag', storage)
    with pytest.raises(MeasurementError, match=r'on /nothing; topics are /joint_states'):
        read_bag(path, ('joints',), asked=('/nothing',))
    assert read_bag(path, ('joints',), asked=('joint_states',)).joints is not None


@pytest.mark.parametrize('storage', STORAGES)
def test_any_name_of_a_folder_will_do(tmp_path, storage):
    path = tmp_path / "b%20a g#?&=ü'"
    written(tmp_path / 'bag', storage).rename(path)
    assert_whole(path)


def test_a_name_that_the_library_takes_for_a_question_is_refused(tmp_path):
    """It would write to a file of another name."""
    with pytest.raises(MeasurementError, match='a folder of sqlite3 can have no'):
        written(tmp_path / 'a?b', BagStorage.SQLITE3)
    assert not list(tmp_path.iterdir())


def test_files_of_the_first_versions_of_ros_2_are_read(tmp_path):
    """They have no definitions, and no qualities of service."""
    path = written(tmp_path / 'bag', BagStorage.SQLITE3)
    with closing(sqlite3.connect(path / 'bag.db3')) as database, database:
        for table in ('schema', 'metadata', 'message_definitions'):
            database.execute(f'DROP TABLE {table}')
        for column in ('offered_qos_profiles', 'type_description_hash'):
            database.execute(f'ALTER TABLE topics DROP COLUMN {column}')
    assert_whole(path)


@pytest.mark.parametrize('has_index', [True, False])
def test_chunks_that_are_compressed_by_lz4_are_read(tmp_path, has_index):
    """As converters write them; with an index that fits, and with none."""
    path = written(tmp_path / 'bag')
    file = path / 'bag.mcap'
    data = file.read_bytes()
    begin = data.index(bytes([0x06]))
    size = int.from_bytes(data[begin + 1 : begin + 9], 'little')
    head, records = data[begin + 9 : begin + 37], data[begin + 49 : begin + 9 + size]
    small = lz4.frame.compress(records)
    name, length = (3).to_bytes(4, 'little') + b'lz4', len(small).to_bytes(8, 'little')
    chunk = head + name + length + small
    rest = data[begin + 9 + size :] if has_index else data[-8:]
    whole = bytes([0x06]) + len(chunk).to_bytes(8, 'little') + chunk
    file.write_bytes(data[:begin] + whole + rest)
    assert_whole(path)


@pytest.mark.parametrize('storage', STORAGES)
def test_a_topic_that_was_recorded_twice_is_one(tmp_path, storage):
    """As two recordings that were merged have it, each with a number of its own."""
    path, kind = tmp_path / 'bag', 'sensor_msgs/msg/JointState'
    stream = read_bag(written(tmp_path / 'whole', storage), ('joints',)).joints
    with Writer(path, version=9, storage_plugin=StoragePlugin[storage.name]) as writer:
        topics = [writer.add_connection(name, kind, typestore=STORE)
                  for name in ('/joint_states', '/joint_stateS')]  # fmt: skip
        for number, _ in enumerate(stream.stamps):
            time = STORE.types['builtin_interfaces/msg/Time'](5, number)
            header = STORE.types['std_msgs/msg/Header'](time, '')
            values = np.array([float(number)]), np.zeros(1), np.zeros(0)
            message = STORE.types[kind](header, ['a'], *values)
            writer.write(topics[number % 2], number, STORE.serialize_cdr(message, kind))
    file = next(each for each in path.iterdir() if each.suffix != '.yaml')
    file.write_bytes(file.read_bytes().replace(b'/joint_stateS', b'/joint_states'))
    (path / 'metadata.yaml').unlink()
    assert_whole(path, 'metadata.yaml is missing')
    (topic,) = topics_of_bag(path)
    assert topic.count == COUNT

"""The files of logs, mcap, SQLite or of ROS 1: topics, and messages as they were sent.

Those of mcap are read record by record: what rosbags reads has to have an end and encodings that
it knows, and what was written late in order, which recorders and converters do not always leave.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from os import fstat
from pathlib import Path
import shutil
import sqlite3
from struct import error as StructError
from struct import Struct
from types import ModuleType
from typing import BinaryIO
from zlib import crc32


@dataclass(frozen=True)
class Recorded:
    """A topic of a log.

    Parameters
    ----------
    id : int
        Number in its file, or in the log.
    topic, msgtype : str
        Name, and type of its messages.
    msgcount : int
        Messages there are.
    encoding, definition : str
        How its type is defined, ``ros2msg`` or ``ros2idl``, and the definition.
    serialization : str
        How its messages were sent; ``cdr``, or they cannot be read.
    """

    id: int
    topic: str
    msgtype: str
    msgcount: int
    encoding: str = ''
    definition: str = ''
    serialization: str = 'cdr'


Sent = tuple[int, int, bytes]
"""Number of a topic, when a message came, ns, and what was sent."""

_BESIDE = ('-wal', '-journal')
"""What SQLite leaves beside a file that was not closed: what is to be written into it."""

_QUERIES = {
    'topics': 'SELECT topics.id, name, type, count(messages.id), serialization_format FROM topics '
    'LEFT JOIN messages ON topics.id == messages.topic_id GROUP BY topics.id ORDER BY topics.id',
    'types': 'SELECT topic_type, encoding, encoded_message_definition FROM message_definitions',
    'messages': 'SELECT topic_id, timestamp, data FROM messages WHERE topic_id IN (%s) '
    'ORDER BY id',
}


class SqliteFile:
    """A file in the format of SQLite; one that was not closed is put in order in a copy.

    Parameters
    ----------
    path : Path
        File.
    copies : Path
        Folder for copies.

    Attributes
    ----------
    note : str
        What is wrong with it, though it can be read; nothing if empty.
    topics : list of Recorded
        Its topics, in the order of their numbers.
    """

    def __init__(self, path: Path, copies: Path) -> None:
        self.note = ''
        beside = [Path(f'{path}{each}') for each in _BESIDE]
        beside = [each for each in beside if each.is_file() and each.stat().st_size]
        if beside:
            self.note = f'{path}: was not closed: what {beside[0].name} has was read, too'
            path = Path(shutil.copy(path, copies))
            for each in beside:
                shutil.copy(each, copies)
        uri = f'{path.absolute().as_uri()}{"" if beside else "?immutable=1"}'
        self._file = sqlite3.connect(uri, uri=True)
        rows = self._file.execute(_QUERIES['topics'])
        definitions = self._definitions()
        self.topics = [
            Recorded(number, topic, kind, count, *definitions.get(kind, ('', '')), sent)
            for number, topic, kind, count, sent in rows
        ]

    def _definitions(self) -> dict[str, tuple[str, str]]:
        """Return how types are defined; before ROS 2 Iron no file had it."""
        try:
            rows = self._file.execute(_QUERIES['types'])
        except sqlite3.OperationalError:
            return {}
        return {kind: (encoding, text) for kind, encoding, text in rows}

    def messages(self, numbers: Collection[int]) -> Iterator[Sent]:
        """Yield the messages of some topics, in the order in which they were written."""
        marks = ', '.join('?' * len(numbers))
        yield from self._file.execute(_QUERIES['messages'] % marks, tuple(numbers))

    def close(self) -> None:
        """Close it."""
        self._file.close()


MAGIC = b'\x89MCAP0\r\n'
_FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _INDEX, _STATISTICS = 2, 3, 4, 5, 6, 7, 11
"""Kinds of records."""

_RECORD, _CHUNK_HEAD, _MESSAGE_HEAD = Struct('<BQ'), Struct('<QQQII'), Struct('<HIQQ')
_SHORT, _LENGTH, _LONG, _COUNT = Struct('<H'), Struct('<I'), Struct('<Q'), Struct('<HQ')

_COUNTS = 42
"""Where the numbers of messages by channel begin in the statistics."""


class McapError(Exception):
    """A file that is no mcap file, or damaged."""


def zstandard() -> ModuleType:
    """Return the module that opens Zstandard; before Python 3.14 rosbags brings it along."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        from backports import zstd
    return zstd


class McapFile:
    """A file in the format of mcap; of one without an end what is there whole is read.

    Parameters and attributes are those of ``SqliteFile``; no copies are needed.
    """

    def __init__(self, path: Path, copies: Path) -> None:
        self.note = ''
        self._file = path.open('rb')
        self.topics = self._counted(opens=False) or self._counted(opens=True)
        self._file.seek(0, 2)
        self._file.seek(max(self._file.tell() - len(MAGIC), 0))
        if self._file.read() != MAGIC:
            self.note = f'{path}: was not closed: the messages that it has whole were read'

    def messages(self, numbers: Collection[int]) -> Iterator[Sent]:
        """Yield the messages of some topics, in the order in which they were written."""
        for kind, record in _records(self._file, wanted=numbers):
            if kind == _MESSAGE:
                number, _, arrival, _ = _MESSAGE_HEAD.unpack_from(record)
                if number in numbers:
                    yield number, arrival, record[_MESSAGE_HEAD.size :]

    def close(self) -> None:
        """Close it."""
        self._file.close()

    def _counted(self, *, opens: bool) -> list[Recorded]:
        """Return the topics by what a file states at its end, or by all records of open chunks.

        Without opening them nothing where it does not state it, or is damaged.
        """
        schemas: dict[int, tuple[str, str, str]] = {}
        channels: dict[int, Recorded] = {}
        counts: Counter[int] = Counter()
        try:
            for kind, record in _records(self._file, opens=opens):
                if kind == _SCHEMA:
                    schemas[_SHORT.unpack_from(record)[0]] = _schema(record)
                elif kind == _CHANNEL:
                    channel = _channel(record, schemas)
                    channels[channel.id] = channel
                elif kind == _MESSAGE and opens:
                    counts[_SHORT.unpack_from(record)[0]] += 1
                elif kind == _STATISTICS and not opens:
                    counts.update(dict(_COUNT.iter_unpack(record[_COUNTS + _LENGTH.size :])))
        except Exception:  # damage shows as anything
            if opens:
                raise
            return []
        is_stated = counts and schemas and counts.keys() <= channels.keys()
        kept = channels if opens or is_stated else ()
        return [replace(channels[each], msgcount=counts[each]) for each in sorted(kept)]


def _records(
    file: BinaryIO, *, opens: bool = True, wanted: Collection[int] | None = None
) -> Iterator[tuple[int, bytes]]:
    """Yield the records up to the end, those in chunks among them where these are opened.

    Not those of chunks whose index has none of the wanted topics, as of images. Where the file
    ends before its end, those are yielded that are there whole.
    """
    file.seek(0)
    if file.read(len(MAGIC)) != MAGIC:
        raise McapError('it is no mcap file')
    end = fstat(file.fileno()).st_size
    while len(head := file.read(_RECORD.size)) == _RECORD.size:
        kind, size = _RECORD.unpack(head)
        if kind == _FOOTER:
            return
        if kind == _CHUNK and not opens:
            file.seek(size, 1)
            continue
        if kind == _CHUNK and wanted is not None:
            begin, indexed = file.tell(), _indexed(file, size)
            if indexed and indexed.isdisjoint(wanted):
                continue
            file.seek(begin)
        is_whole = size <= end - file.tell()
        record = file.read(size if is_whole else -1)
        if kind == _CHUNK:
            yield from _within(_opened_chunk(record, is_whole=is_whole), is_whole=is_whole)
        elif is_whole:
            yield kind, record


def _indexed(file: BinaryIO, size: int) -> set[int]:
    """Return the topics that the index after a chunk has, and go past it.

    None without an index, or where the file ends within it: topics may be missing there.
    """
    found = set()
    file.seek(size, 1)
    while len(head := file.read(_RECORD.size)) == _RECORD.size:
        kind, size = _RECORD.unpack(head)
        if kind != _INDEX:
            file.seek(-len(head), 1)
            return found
        found.add(int.from_bytes(file.read(_SHORT.size), 'little'))
        file.seek(size - _SHORT.size, 1)
    return set()


def _within(data: bytes, *, is_whole: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the records of an open chunk; those that are there where it is not whole."""
    place = 0
    while place + _RECORD.size <= len(data):
        kind, size = _RECORD.unpack_from(data, place)
        begin, place = place + _RECORD.size, place + _RECORD.size + size
        if place > len(data):
            break
        yield kind, data[begin:place]
    if is_whole and place != len(data):
        raise McapError('a chunk is damaged')


def _opened_chunk(record: bytes, *, is_whole: bool) -> bytes:
    """Return the records in a chunk as they were; one that has to be complete is checked."""
    try:
        _, _, size, checksum, length = _CHUNK_HEAD.unpack_from(record)
        place = _CHUNK_HEAD.size + length
        compression = record[_CHUNK_HEAD.size : place].decode()
        (compressed,) = _LONG.unpack_from(record, place)
    except StructError:
        if is_whole:
            raise
        return b''
    data = record[place + _LONG.size :]
    if is_whole and len(data) != compressed:
        raise McapError('a chunk has another size than stated')
    if compression:
        data = _decompressor(compression)(data, size)
    if is_whole and (len(data) != size or (checksum and crc32(data) != checksum)):
        raise McapError('a chunk is damaged')
    return data


def _decompressor(compression: str) -> Callable[[bytes, int], bytes]:
    """Return what opens chunks, up to a size, as far as they are there."""
    if compression == 'zstd':
        return zstandard().ZstdDecompressor().decompress
    if compression == 'lz4':
        from lz4.frame import LZ4FrameDecompressor

        return LZ4FrameDecompressor().decompress
    raise McapError(f'chunks are compressed by {compression}')


def _schema(record: bytes) -> tuple[str, str, str]:
    """Return the name of a type, its encoding and definition."""
    name, place = _text(record, _SHORT.size)
    encoding, place = _text(record, place)
    return name, encoding, _text(record, place)[0]


def _channel(record: bytes, schemas: dict[int, tuple[str, str, str]]) -> Recorded:
    """Return the topic of a channel, no messages counted yet."""
    number, schema = _SHORT.unpack_from(record)[0], _SHORT.unpack_from(record, _SHORT.size)[0]
    topic, place = _text(record, 2 * _SHORT.size)
    serialization, _ = _text(record, place)
    kind, encoding, definition = schemas.get(schema, ('', '', ''))
    return Recorded(number, topic, kind, 0, encoding, definition, serialization)


def _text(record: bytes, place: int) -> tuple[str, int]:
    """Return a text, and where it ends."""
    (length,) = _LENGTH.unpack_from(record, place)
    begin = place + _LENGTH.size
    end = begin + length
    if end > len(record):
        raise McapError('a text is longer than its record')
    return record[begin:end].decode(errors='replace'), end


class Ros1File:
    """A file of ROS 1, read by rosbags.

    Parameters and attributes are those of ``SqliteFile``; no copies are needed.
    """

    def __init__(self, path: Path, copies: Path) -> None:
        from rosbags.highlevel import AnyReader

        self.note, self._reader = '', AnyReader([path])
        self._reader.open()
        self.typestore = self._reader.typestore
        self.topics = [
            Recorded(each.id, each.topic, each.msgtype, each.msgcount)
            for each in self._reader.connections
        ]

    def messages(self, numbers: Collection[int]) -> Iterator[Sent]:
        """Yield the messages of some topics, in the order in which they were written."""
        wanted = [each for each in self._reader.connections if each.id in numbers]
        for each, arrival, data in self._reader.messages(wanted) if wanted else ():
            yield each.id, arrival, data

    def close(self) -> None:
        """Close it."""
        self._reader.close()

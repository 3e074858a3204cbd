"""Files of logs in the format of mcap, read by their index where they have one that is in order.

By the index all messages of a chunk are found at once. Files without one, with another than their
messages, or without an end, are read record by record.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter
from os import fstat
from pathlib import Path
from struct import error as StructError
from struct import Struct
from types import ModuleType
from typing import BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.bag.recorded import Recorded, Sent

MAGIC = b'\x89MCAP0\r\n'
FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, INDEX = 2, 3, 4, 5, 6, 7
STATISTICS, DATA_END = 11, 15
"""Kinds of records."""

RECORD, CHUNK_HEAD, MESSAGE_HEAD = Struct('<BQ'), Struct('<QQQII'), Struct('<HIQQ')
SHORT, LENGTH, LONG = Struct('<H'), Struct('<I'), Struct('<Q')


class McapError(Exception):
    """A file that is no mcap file, or damaged."""


def zstandard() -> ModuleType:
    """Return the module that opens Zstandard; before Python 3.14 rosbags brings it along."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        from backports import zstd
    return zstd


def records(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the records up to the end of the data, those in chunks among them.

    Where the file ends before its end, those are yielded that are there whole.

    Parameters
    ----------
    file : BinaryIO
        File, just opened.
    """
    if file.read(len(MAGIC)) != MAGIC:
        raise McapError('it is no mcap file')
    end = fstat(file.fileno()).st_size
    while len(head := file.read(RECORD.size)) == RECORD.size:
        kind, size = RECORD.unpack(head)
        if kind in (FOOTER, DATA_END):  # the end of the data; a summary follows
            return
        is_whole = size <= end - file.tell()
        record = file.read(size if is_whole else -1)
        if kind == CHUNK:
            yield from _within(opened_chunk(record, is_whole=is_whole), is_whole=is_whole)
        elif is_whole:
            yield kind, record


def _within(data: bytes, *, is_whole: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the records of an open chunk; those that are there where it is not whole."""
    place = 0
    while place + RECORD.size <= len(data):
        kind, size = RECORD.unpack_from(data, place)
        begin, place = place + RECORD.size, place + RECORD.size + size
        if place > len(data):
            break
        yield kind, data[begin:place]
    if is_whole and place != len(data):
        raise McapError('a chunk is damaged')


def opened_chunk(record: bytes, *, is_whole: bool = True) -> bytes:
    """Return the records in a chunk as they were before they were compressed.

    Parameters
    ----------
    record : bytes
        Chunk.
    is_whole : bool
        Whether it has to be complete, and is checked.
    """
    try:
        _, _, size, checksum, length = CHUNK_HEAD.unpack_from(record)
        place = CHUNK_HEAD.size + length
        compression = record[CHUNK_HEAD.size : place].decode()
        (compressed,) = LONG.unpack_from(record, place)
    except StructError:
        if is_whole:
            raise
        return b''
    data = record[place + LONG.size :]
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


def schema_of(record: bytes) -> tuple[int, tuple[str, str, str]]:
    """Return the number of a type, its name, encoding and definition."""
    (number,) = SHORT.unpack_from(record)
    name, place = _text(record, SHORT.size)
    encoding, place = _text(record, place)
    definition, _ = _text(record, place)
    return number, (name, encoding, definition)


def channel_of(record: bytes, schemas: dict[int, tuple[str, str, str]]) -> Recorded:
    """Return the topic of a channel, no messages counted yet."""
    number, schema = SHORT.unpack_from(record)[0], SHORT.unpack_from(record, SHORT.size)[0]
    topic, place = _text(record, 2 * SHORT.size)
    serialization, _ = _text(record, place)
    kind, encoding, definition = schemas.get(schema, ('', '', ''))
    return Recorded(number, topic, kind, 0, encoding, definition, serialization)


def _text(record: bytes, place: int) -> tuple[str, int]:
    """Return a text, and where it ends."""
    (length,) = LENGTH.unpack_from(record, place)
    begin = place + LENGTH.size
    end = begin + length
    if end > len(record):
        raise McapError('a text is longer than its record')
    return record[begin:end].decode(errors='replace'), end


_INDEX_HEAD = Struct('<HI')
_ENTRY = np.dtype([('arrival', '<u8'), ('place', '<u8')])
_HEAD = np.dtype(
    [('kind', 'u1'), ('size', '<u8'), ('channel', '<u2'), ('number', '<u4'),
     ('arrival', '<u8'), ('published', '<u8')]
)  # fmt: skip
"""Records of messages up to what was sent."""


class McapFile:
    """A file of a log.

    Parameters
    ----------
    path : Path
        File.
    copies : Path
        Folder for copies; none is needed.
    """

    def __init__(self, path: Path, copies: Path) -> None:
        self.note = ''
        self._file = path.open('rb')
        try:
            self._index: _Contents | None = _Contents.of(self._file)
            self._topics = self._index.counted()
        except Exception:  # damage shows as anything
            self._index, self._topics = None, self._found()
        self._file.seek(0, 2)
        self._file.seek(max(self._file.tell() - len(MAGIC), 0))
        if self._file.read() != MAGIC:
            self.note = f'{path}: was not closed: the messages that it has whole were read'

    def topics(self) -> list[Recorded]:
        """Return its topics, in the order of their numbers."""
        return self._topics

    def messages(self, numbers: Collection[int]) -> Iterator[Sent]:
        """Yield the messages of some topics, in the order in which they were written."""
        done = 0
        if self._index is not None:
            try:
                for each in self._index.messages(self._file, numbers):
                    yield each
                    done += 1
            except Exception:  # the index does not fit: what it would have led to is looked for
                self._index = None
            else:
                return
        yield from islice(self._one_by_one(numbers), done, None)

    def _one_by_one(self, numbers: Collection[int]) -> Iterator[Sent]:
        """Yield the messages of some topics from all records."""
        self._file.seek(0)
        for kind, record in records(self._file):
            if kind == MESSAGE:
                number, _, arrival, _ = MESSAGE_HEAD.unpack_from(record)
                if number in numbers:
                    yield number, arrival, record[MESSAGE_HEAD.size :]

    def close(self) -> None:
        """Close it."""
        self._file.close()

    def _found(self) -> list[Recorded]:
        """Return the topics, from all records."""
        found, counts = _Contents(), Counter[int]()
        self._file.seek(0)
        for kind, record in records(self._file):
            found.note(kind, record)
            if kind == MESSAGE:
                counts[MESSAGE_HEAD.unpack_from(record)[0]] += 1
        return _counted(found.channels, counts)


@dataclass(frozen=True)
class _Contents:
    """Where the messages of a file are.

    Parameters
    ----------
    schemas : dict of int to (str, str, str)
        Types, how they are defined and their definitions.
    channels : dict of int to Recorded
        Topics.
    chunks : list of (int, int)
        Where each begins, and its size, bytes.
    entries : list of dict of int to ndarray
        When messages came to each channel, and where in the chunk they are.
    totals : list of int
        Messages that the file states.
    """

    schemas: dict[int, tuple[str, str, str]] = field(default_factory=dict)
    channels: dict[int, Recorded] = field(default_factory=dict)
    chunks: list[tuple[int, int]] = field(default_factory=list)
    entries: list[dict[int, NDArray[np.void]]] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, file: BinaryIO) -> '_Contents':
        """Return the records of a file, chunks left closed."""
        found = cls()
        if file.read(len(MAGIC)) != MAGIC:
            raise McapError('it is no mcap file')
        while True:
            kind, size = RECORD.unpack(file.read(RECORD.size))
            if kind == FOOTER:
                return found
            if kind == MESSAGE:  # by itself: there is no index
                raise McapError('messages are not in chunks')
            if kind == CHUNK:
                found.chunks.append((file.tell(), size))
                found.entries.append({})
            if kind in (SCHEMA, CHANNEL, INDEX, STATISTICS):
                found.note(kind, file.read(size))
            else:
                file.seek(size, 1)

    def note(self, kind: int, record: bytes) -> None:
        """Note a record."""
        if kind == SCHEMA:
            number, schema = schema_of(record)
            self.schemas[number] = schema
        elif kind == CHANNEL:
            channel = channel_of(record, self.schemas)
            self.channels[channel.id] = channel
        elif kind == INDEX and self.entries:
            channel, size = _INDEX_HEAD.unpack_from(record)
            if len(record) != _INDEX_HEAD.size + size:
                raise McapError('an index has another size than stated')
            self.entries[-1][channel] = np.frombuffer(record, _ENTRY, offset=_INDEX_HEAD.size)
        elif kind == STATISTICS:
            self.totals.append(LONG.unpack_from(record)[0])

    def counted(self) -> list[Recorded]:
        """Return the topics; raise if the index has not as many messages as stated."""
        counts = Counter[int]()
        for entries in self.entries:
            counts.update({channel: len(entry) for channel, entry in entries.items()})
        if self.totals != [counts.total()] or counts.keys() - self.channels.keys():
            raise McapError('the index lacks messages')
        return _counted(self.channels, counts)

    def messages(self, file: BinaryIO, numbers: Collection[int]) -> Iterator[Sent]:
        """Yield the messages of some topics, those of a chunk in the order they have in it."""
        for (begin, size), entries in zip(self.chunks, self.entries, strict=True):
            there = {channel: entries[channel] for channel in entries.keys() & {*numbers}}
            if not there:
                continue
            file.seek(begin)
            data = opened_chunk(file.read(size))
            found = [
                (place, (channel, arrival, sent))
                for channel, entry in there.items()
                for place, arrival, sent in _sent(data, channel, entry)
            ]
            found.sort(key=itemgetter(0))
            yield from (message for _, message in found)


def _counted(channels: Mapping[int, Recorded], counts: Counter[int]) -> list[Recorded]:
    """Return topics with the number of their messages, in the order of theirs."""
    return [replace(channels[each], msgcount=counts[each]) for each in sorted(channels)]


def _sent(data: bytes, channel: int, entry: NDArray[np.void]) -> Iterator[tuple[int, int, bytes]]:
    """Yield where each message of a channel begins in a chunk, when it came, ns, and what."""
    places = entry['place'].astype(np.intp)
    raw = np.frombuffer(data, np.uint8)
    heads = raw[places[:, None] + np.arange(_HEAD.itemsize)].view(_HEAD)[:, 0]
    sizes = heads['size'].astype(np.intp)
    begins, ends = places + _HEAD.itemsize, places + RECORD.size + sizes
    is_right = (heads['kind'] == MESSAGE) & (heads['channel'] == channel)
    is_right &= (heads['arrival'] == entry['arrival']) & (begins <= ends) & (ends <= len(data))
    if not is_right.all() or (places < 0).any():
        raise McapError('the index leads elsewhere')
    arrivals = entry['arrival'].tolist()
    for place, arrival, begin, end in zip(
        places.tolist(), arrivals, begins.tolist(), ends.tolist(), strict=True
    ):
        yield place, arrival, data[begin:end]

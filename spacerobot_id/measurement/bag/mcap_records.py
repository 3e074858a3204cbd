"""Records of mcap files one after another, also of those without an index, or without an end."""

from collections.abc import Callable, Iterator
from os import fstat
from struct import error as StructError
from struct import Struct
from types import ModuleType
from typing import BinaryIO
from zlib import crc32

from spacerobot_id.measurement.bag.recorded import Recorded

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

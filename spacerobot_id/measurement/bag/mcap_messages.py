"""Messages of an mcap file by its index, all of a chunk at once: the library reads each by itself.

Only files that are in order are read so: one file of chunks with an index and as many messages of
every topic as stated in its folder. All others are read, or refused, by the library.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from struct import Struct
from typing import BinaryIO, TYPE_CHECKING
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rosbags.highlevel import AnyReader
    from rosbags.interfaces import Connection

_MAGIC = b'\x89MCAP0\r\n'
_FOOTER, _CHANNEL, _MESSAGE, _CHUNK, _INDEX = 0x02, 0x04, 0x05, 0x06, 0x07
"""Kinds of records."""

_RECORD, _CHUNK_HEAD, _INDEX_HEAD = Struct('<BQ'), Struct('<QQQII'), Struct('<HI')
_SHORT, _LENGTH, _LONG = Struct('<H'), Struct('<I'), Struct('<Q')
_ENTRY = np.dtype([('arrival', '<u8'), ('place', '<u8')])
_HEAD = np.dtype(
    [('kind', 'u1'), ('size', '<u8'), ('channel', '<u2'), ('number', '<u4'),
     ('arrival', '<u8'), ('published', '<u8')]
)  # fmt: skip
"""Records of messages up to what was sent."""


class _OutOfOrderError(Exception):
    """The file is none that is read here."""


def mcap_messages(
    path: Path, reader: 'AnyReader', chosen: 'Sequence[Connection]'
) -> 'list[tuple[Connection, int, bytes]] | None':
    """Return the messages of some topics in the order of their arrival.

    Parameters
    ----------
    path : Path
        Folder of a log.
    reader : AnyReader
        The same, open.
    chosen : sequence of Connection
        Topics.

    Returns
    -------
    list of (Connection, int, bytes), optional
        Where each came, when, ns, and what; None where the library has to be asked.
    """
    files = [*path.glob('*.mcap')]
    topics = {each.topic: each for each in chosen}
    is_plain = reader.is2 and len(files) == 1 and len(topics) == len(chosen)
    if not is_plain or any(each.compression_mode for each in reader.readers):
        return None
    try:
        with files[0].open('rb') as file:
            found = [*_Contents.of(file).messages(file, topics)]
    except Exception:  # the library raises anything on damage
        return None
    counts = Counter(id(connection) for connection, _, _ in found)
    if any(counts[id(each)] != each.msgcount for each in chosen):
        return None
    found.sort(key=itemgetter(1))
    return found


@dataclass(frozen=True)
class _Contents:
    """Where the messages of a file are.

    Parameters
    ----------
    channels : dict of int to str
        Topics.
    chunks : list of (int, int)
        Where each begins, and its size, bytes.
    entries : list of dict of int to ndarray
        When messages came to each channel, and where in the chunk they are.
    """

    channels: dict[int, str] = field(default_factory=dict)
    chunks: list[tuple[int, int]] = field(default_factory=list)
    entries: list[dict[int, NDArray[np.void]]] = field(default_factory=list)

    @classmethod
    def of(cls, file: BinaryIO) -> '_Contents':
        """Return the records of a file, chunks left closed."""
        found = cls()
        if file.read(len(_MAGIC)) != _MAGIC:
            raise _OutOfOrderError
        while True:
            kind, size = _RECORD.unpack(file.read(_RECORD.size))
            if kind == _FOOTER:
                return found
            if kind == _MESSAGE:  # by itself: there is no index
                raise _OutOfOrderError
            if kind == _CHANNEL:
                found.note_channel(file.read(size))
            elif kind == _INDEX:
                found.note_index(file.read(size))
            else:
                if kind == _CHUNK:
                    found.chunks.append((file.tell(), size))
                    found.entries.append({})
                file.seek(size, 1)

    def note_channel(self, record: bytes) -> None:
        """Note the topic of a channel; raise if another channel has the same."""
        (channel,), (length,) = _SHORT.unpack_from(record), _LENGTH.unpack_from(record, 4)
        topic = record[8 : 8 + length].decode()
        if self.channels.setdefault(channel, topic) != topic:
            raise _OutOfOrderError
        if list(self.channels.values()).count(topic) > 1:
            raise _OutOfOrderError

    def note_index(self, record: bytes) -> None:
        """Note where the messages of a channel are in the latest chunk."""
        channel, size = _INDEX_HEAD.unpack_from(record)
        if len(record) != _INDEX_HEAD.size + size:
            raise _OutOfOrderError
        self.entries[-1][channel] = np.frombuffer(record, _ENTRY, offset=_INDEX_HEAD.size)

    def messages(
        self, file: BinaryIO, topics: 'dict[str, Connection]'
    ) -> 'Iterator[tuple[Connection, int, bytes]]':
        """Yield the messages of some topics, those of a chunk in the order they have in it."""
        wanted = {
            channel: topics[topic] for channel, topic in self.channels.items() if topic in topics
        }
        for (begin, size), entries in zip(self.chunks, self.entries, strict=True):
            there = {channel: entries[channel] for channel in wanted.keys() & entries.keys()}
            if not there:
                continue
            file.seek(begin)
            data = _opened(file.read(size))
            found = [
                (place, (wanted[channel], arrival, sent))
                for channel, entry in there.items()
                for place, arrival, sent in _sent(data, channel, entry)
            ]
            found.sort(key=itemgetter(0))
            yield from (message for _, message in found)


def _sent(data: bytes, channel: int, entry: NDArray[np.void]) -> Iterator[tuple[int, int, bytes]]:
    """Yield where each message of a channel begins in a chunk, when it came, ns, and what."""
    places = entry['place'].astype(np.intp)
    raw = np.frombuffer(data, np.uint8)
    heads = raw[places[:, None] + np.arange(_HEAD.itemsize)].view(_HEAD)[:, 0]
    sizes = heads['size'].astype(np.intp)
    begins, ends = places + _HEAD.itemsize, places + _RECORD.size + sizes
    is_right = (heads['kind'] == _MESSAGE) & (heads['channel'] == channel)
    is_right &= (heads['arrival'] == entry['arrival']) & (begins <= ends) & (ends <= len(data))
    if not is_right.all() or (places < 0).any():
        raise _OutOfOrderError
    arrivals = entry['arrival'].tolist()
    for place, arrival, begin, end in zip(
        places.tolist(), arrivals, begins.tolist(), ends.tolist(), strict=True
    ):
        yield place, arrival, data[begin:end]


def _opened(record: bytes) -> bytes:
    """Return the records in a chunk as they were before they were compressed."""
    _, _, size, checksum, length = _CHUNK_HEAD.unpack_from(record)
    place = _CHUNK_HEAD.size + length
    compression = record[_CHUNK_HEAD.size : place].decode()
    (compressed,) = _LONG.unpack_from(record, place)
    data = record[place + _LONG.size :]
    if len(data) != compressed:
        raise _OutOfOrderError
    if compression:
        data = _decompressor(compression)(data)
    if len(data) != size or (checksum and crc32(data) != checksum):
        raise _OutOfOrderError
    return data


def _decompressor(compression: str) -> Callable[[bytes], bytes]:
    """Return what opens chunks; the library brings it along."""
    if compression == 'zstd':
        from backports.zstd import decompress
    elif compression == 'lz4':
        from lz4.frame import decompress
    else:
        raise _OutOfOrderError
    return decompress

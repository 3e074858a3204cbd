"""Logs of ROS 2 and ROS 1, opened with the types that they define themselves.

The library that knows types and ROS 1 is imported when a log is opened: rosdep does not know it,
and nodes, which read none, run without.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path, PurePath
import re
import shutil
from tempfile import TemporaryDirectory
from typing import Any, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
import yaml

from spacerobot_id.exceptions import ConfigurationError, MeasurementError, SpaceRobotIdError
from spacerobot_id.measurement.bag.cdr_columns import OfTypestore
from spacerobot_id.measurement.bag.recorded import (
    McapFile,
    Recorded,
    Ros1File,
    SqliteFile,
    zstandard,
)
from spacerobot_id.measurement.bag.stamp_order import ClockRuns
from spacerobot_id.measurement.codecs import NANOSECONDS
from spacerobot_id.settings.yaml_file import load_yaml, read_text_file

if TYPE_CHECKING:
    from rosbags.interfaces.typing import Typesdict
    from rosbags.typesys.store import Typestore


METADATA = 'metadata.yaml'

RecordedFile = McapFile | SqliteFile | Ros1File

_KINDS: Mapping[str, type[RecordedFile]] = {'.mcap': McapFile, '.db3': SqliteFile}
_ALONE = {'.bag': Ros1File}
"""Those of a folder, and those that are a log by themselves."""

_COMPRESSED = '.zstd'


@dataclass(frozen=True)
class LogFiles:
    """The files of a log.

    Parameters
    ----------
    paths : sequence of Path
        Files in the order in which they were recorded.
    stated : mapping of str to int
        Messages by topic, as the folder states them.
    notes : tuple of str
        What is wrong with the folder.
    """

    paths: Sequence[Path]
    stated: Mapping[str, int]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: Path) -> 'LogFiles':
        """Return the files of a folder, or the file alone that a path names.

        Raises
        ------
        MeasurementError
            If there are none.
        """
        if not path.is_dir():
            if not path.exists():
                raise MeasurementError(f'{path}: no rosbag2 folder that can be read: not there')
            return cls([path], {})
        there = sorted((each for each in path.iterdir() if _kind(each)), key=_file_order)
        try:
            named, stated = _metadata(path / METADATA)
        except (OSError, ArithmeticError, ValueError, TypeError, KeyError, yaml.YAMLError):
            note = f'{path}: metadata.yaml is missing or damaged: all files there are were read'
            found = cls(there, {}, (note,))
        else:
            found = cls._named(path, there, named, stated)
        empty = tuple(f'{each}: is empty' for each in found.paths if not each.stat().st_size)
        found = replace(found, notes=found.notes + empty)
        if not found.paths:
            why = f'no file in it that ends in {" or ".join(_KINDS)}'
            raise MeasurementError(f'{path}: no rosbag2 folder that can be read: {why}')
        return found

    @classmethod
    def _named(
        cls, path: Path, there: Sequence[Path], named: Sequence[str], stated: Mapping[str, int]
    ) -> 'LogFiles':
        """Return the files that a folder names and has."""
        by_name = {_uncompressed_name(each): each for each in there}
        names = [_uncompressed_name(PurePath(each)) for each in named]
        notes = [f'{path / name}: is named in metadata.yaml, and not there'
                 for name in names if name not in by_name]  # fmt: skip
        notes += [f'{each}: is not named in metadata.yaml, and was not read'
                  for name, each in by_name.items() if name not in names]  # fmt: skip
        return cls([by_name[name] for name in names if name in by_name], stated, tuple(notes))

    def _filled(self) -> list[Path]:
        """Return the files that are not empty, of several."""
        return [each for each in self.paths if len(self.paths) == 1 or each.stat().st_size]

    @contextmanager
    def opened(self) -> Iterator[list[RecordedFile]]:
        """Open the files; those that have to be opened as copies are, in a folder of their own."""
        with TemporaryDirectory(prefix='spacerobot-id-') as folder:
            files: list[RecordedFile] = []
            try:
                for place, path in enumerate(self._filled()):
                    kind = _kind(path, _KINDS | _ALONE)
                    if kind is None:
                        raise MeasurementError(
                            f'{path}: no rosbag2 folder that can be read: it ends in none of '
                            f'{", ".join(_KINDS)}'
                        )
                    copies = Path(folder, str(place))
                    copies.mkdir()
                    files.append(kind(_decompressed(path, copies), copies))
                yield files
            finally:
                for each in files:
                    each.close()


def _metadata(path: Path) -> tuple[list[str], dict[str, int]]:
    """Return the names of the files and the messages by topic that a folder states."""
    content = load_yaml(read_text_file(path))
    information = content['rosbag2_bagfile_information']  # type: ignore[index]
    names = [str(each) for each in information['relative_file_paths']]
    stated: dict[str, int] = {}
    for each in information['topics_with_message_count']:
        topic = str(each['topic_metadata']['name'])
        stated[topic] = stated.get(topic, 0) + int(each['message_count'])
    return names, stated


def _uncompressed_name(path: PurePath) -> str:
    """Return the name of a file before it was compressed."""
    return path.name.removesuffix(_COMPRESSED)


def _kind(
    path: Path, known: Mapping[str, type[RecordedFile]] = _KINDS
) -> type[RecordedFile] | None:
    return known.get(PurePath(_uncompressed_name(path)).suffix)


def _file_order(path: Path) -> tuple[object, ...]:
    """Return what files are sorted by: bag_2 comes before bag_10."""
    return tuple(
        (not each.isdigit(), int(each) if each.isdigit() else 0, each)
        for each in re.split(r'(\d+)', path.name)
    )


def _decompressed(path: Path, folder: Path) -> Path:
    """Return a file, its copy where it is compressed whole."""
    if path.suffix != _COMPRESSED:
        return path
    copy = folder / _uncompressed_name(path)
    with zstandard().open(path, 'rb') as source, copy.open('wb') as target, suppress(EOFError):
        shutil.copyfileobj(source, target)
    return copy


_RULE = '=' * 80 + '\n'
"""Between the definitions of several types in IDL."""


Message = tuple[Recorded, int, bytes]
"""Topic, when a message came, ns, and what was sent."""

_ZSTANDARD = b'\x28\xb5\x2f\xfd'
"""How what is compressed begins, and nothing that was sent in CDR."""

_PUT_BACK = 1.0
"""How far times of arrival go back where the clock was put back, s."""


def defined_types(recorded: Sequence[Recorded]) -> 'Typestore':
    """Return the types of topics; those that nothing defines, or not legibly, are left out.

    Events of services are an example: their definition is that of the service.

    Parameters
    ----------
    recorded : sequence of Recorded
        Topics.
    """
    from rosbags.typesys import get_typestore, Stores

    found: Typesdict = {}
    for kind, encoding, text in dict.fromkeys(
        (each.msgtype, each.encoding, each.definition) for each in recorded
    ):
        with suppress(Exception):  # the parser raises anything on what is no definition
            found |= _parsed(kind, encoding, text)
    wanted = {each.msgtype for each in recorded}
    if any(_unknown(kind, found) for kind in wanted):
        of_ros = get_typestore(Stores.ROS2_JAZZY).fielddefs
        for kind in wanted:
            while missing := [each for each in _unknown(kind, found) if each in of_ros]:
                found |= {each: of_ros[each] for each in missing}
    store = get_typestore(Stores.EMPTY)
    with suppress(Exception):
        store.register(found)
        return store
    for kind, definition in found.items():
        with suppress(Exception):
            store.register({kind: definition})
    return store


def _parsed(kind: str, encoding: str, text: str) -> 'Typesdict':
    """Return the types that a definition has."""
    from rosbags.typesys import get_types_from_idl, get_types_from_msg

    if encoding == 'ros2msg':
        return get_types_from_msg(text, kind)
    if encoding not in ('ros2idl', 'omgidl'):
        return {}
    if not text.startswith(f'{_RULE}IDL: '):
        return get_types_from_idl(text)
    found: Typesdict = {}
    for part in text.split(_RULE)[1:]:
        found |= get_types_from_idl(part.partition('\n')[2])
    return found


def _unknown(kind: str, known: 'Typesdict') -> set[str]:
    """Return which types are not known of those that one is made of."""
    unknown, seen, waiting = set(), set(), [kind]
    while waiting:
        each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        if each in known:
            waiting += _named(description for _, description in known[each][1])
        else:
            unknown.add(each)
    return unknown


def _named(descriptions: Iterable[Any]) -> Iterator[str]:
    """Yield the types that fields are of, those that are no messages left out."""
    from rosbags.interfaces import Nodetype

    for node, what in descriptions:
        if node is Nodetype.NAME:
            yield what
        elif node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
            yield from _named([what[0]])


@contextmanager
def with_rosbags() -> Iterator[None]:
    """Let a missing library be named where it is imported.

    Raises
    ------
    ConfigurationError
        If rosbags is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise ConfigurationError(
            'logs are read and written with rosbags, which is not installed: pip install rosbags'
        ) from error


@dataclass(frozen=True, eq=False)
class Log:
    """An open log; the files say what is in them, whatever their folder states.

    Parameters
    ----------
    path : Path
        Folder or file.
    files : sequence of McapFile, SqliteFile or Ros1File
        Its files, open.
    folder : LogFiles
        What their folder states.
    connections : sequence of Recorded
        Topics, one of each name and type.
    typestore : Typestore
        Types that are defined.
    """

    path: Path
    files: Sequence[RecordedFile]
    folder: LogFiles
    connections: Sequence[Recorded]
    typestore: 'Typestore'

    @property
    def is2(self) -> bool:
        """Whether it is of ROS 2."""
        return not any(isinstance(each, Ros1File) for each in self.files)

    def why_unreadable(self, connection: Recorded) -> str:
        """Return why the messages of a topic cannot be read; empty if they can."""
        if connection.serialization != 'cdr':
            return f'its messages are in {connection.serialization or "nothing known"}, not in CDR'
        if _unknown(connection.msgtype, self.typestore.fielddefs):
            return f'the bag has no definition of {connection.msgtype}'
        return ''

    def message(self, data: bytes, kind: str) -> object:
        """Return a message; raise if it is none of that type."""
        if not self.is2:
            return self.typestore.deserialize_ros1(data, kind)
        return OfTypestore(self.typestore).message(data, kind)

    def as_written(self, chosen: Collection[Recorded]) -> Iterator[Message]:
        """Yield the messages of some topics in the order in which they were written."""
        wanted = {(each.topic, each.msgtype): each for each in chosen}
        for file in self.files:
            topics = {
                each.id: wanted[each.topic, each.msgtype]
                for each in file.topics
                if (each.topic, each.msgtype) in wanted
            }
            for number, arrival, data in file.messages(topics) if topics else ():
                yield topics[number], arrival, _plain(data) if self.is2 else data

    def messages(self, chosen: Collection[Recorded]) -> list[Message]:
        """Return the messages of some topics in the order of their arrival."""
        return _in_order(list(self.as_written(chosen)))

    def notes(self, read: Mapping[str, int], wanted: Collection[str]) -> tuple[str, ...]:
        """Return what is wrong with the log; where less was read than its folder states, too.

        Parameters
        ----------
        read : mapping of str to int
            How many messages were read, by topic.
        wanted : collection of str
            Topics that were to be read, without the slash at their begin.
        """
        lacking = [
            f'{self.path}: {topic}: {read.get(topic, 0)} messages were read of the {stated} that '
            'metadata.yaml states'
            for topic, stated in self.folder.stated.items()
            if topic.strip('/') in wanted and read.get(topic, 0) < stated
        ]
        return (*self.folder.notes, *(each.note for each in self.files if each.note), *lacking)


def _plain(data: bytes) -> bytes:
    """Return what was sent, which may have been compressed by itself."""
    if data[: len(_ZSTANDARD)] != _ZSTANDARD:
        return data
    return zstandard().decompress(data)


def _in_order(messages: list[Message]) -> list[Message]:
    """Return messages, in the order in which they were written, in that of their arrival.

    Where a topic's own times go back the clock was put back: what came before is before, and times
    go on.
    """
    arrivals = np.array([arrival for _, arrival, _ in messages], dtype=float) / NANOSECONDS
    if not _is_put_back(messages, arrivals):
        messages.sort(key=itemgetter(1))
        return messages
    number, ahead, found = ClockRuns.of(arrivals, _PUT_BACK).number, 0, []
    for run in range(number[-1] + 1):
        part = [messages[row] for row in np.flatnonzero(number == run)]
        part.sort(key=itemgetter(1))
        if found:
            ahead = max(found[-1][1] - part[0][1] + 1, 0)
        found += [(topic, arrival + ahead, data) for topic, arrival, data in part]
    return found


def _is_put_back(messages: Sequence[Message], arrivals: NDArray[np.float64]) -> bool:
    """Return whether the times of arrival of a topic go back, and not those of one message."""
    rows: dict[int, list[int]] = {}
    for row, (topic, _, _) in enumerate(messages):
        rows.setdefault(topic.id, []).append(row)
    return any(ClockRuns.of(arrivals[each], _PUT_BACK).number[-1] for each in rows.values())


@contextmanager
def opened(path: str | Path) -> Iterator[Log]:
    """Open a rosbag2 folder, a file of one or a file of ROS 1; types are as it defines them.

    Raises
    ------
    ConfigurationError
        If rosbags is not installed.
    MeasurementError
        If it cannot be read, now or within the context.
    """
    path = Path(path)
    with with_rosbags():
        import rosbags.highlevel  # noqa: F401
    try:
        folder = LogFiles.of(path)
        with folder.opened() as files:
            recorded = _joined([each for file in files for each in file.topics])
            of_files = [each.typestore for each in files if isinstance(each, Ros1File)]
            types = of_files[0] if of_files else defined_types(recorded)
            yield Log(path, files, folder, recorded, types)
    except MemoryError as error:
        raise MeasurementError(f'{path}: a size in it is larger than the memory') from error
    except SpaceRobotIdError:
        raise
    except Exception as error:  # damage makes anything stumble
        why = str(error) or type(error).__name__
        raise MeasurementError(f'{path}: no rosbag2 folder that can be read: {why}') from error


def _joined(recorded: Sequence[Recorded]) -> list[Recorded]:
    """Return the topics of several files as those of a log."""
    found: dict[Any, Recorded] = {}
    for each in recorded:
        key = (each.topic, each.msgtype)
        before = found.get(key, replace(each, id=len(found), msgcount=0))
        found[key] = replace(before, msgcount=before.msgcount + each.msgcount)
    return list(found.values())

"""The files of a log: which there are, what their folder states of them, how they are opened."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
import re
import shutil
from tempfile import TemporaryDirectory

import yaml

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.bag.mcap_file import McapFile
from spacerobot_id.measurement.bag.mcap_records import zstandard
from spacerobot_id.measurement.bag.recorded import RecordedFile
from spacerobot_id.measurement.bag.sqlite_file import SqliteFile
from spacerobot_id.settings.bounded_text import load_yaml, read_text_file

METADATA = 'metadata.yaml'

_KINDS: Mapping[str, type[RecordedFile]] = {'.mcap': McapFile, '.db3': SqliteFile}
_COMPRESSED = '.zstd'


@dataclass(frozen=True)
class LogFiles:
    """The files of a log of ROS 2.

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
        there = sorted((each for each in path.iterdir() if _kind(each)), key=_in_order)
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
        by_name = {_plain(each): each for each in there}
        names = [_plain(PurePath(each)) for each in named]
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
                    kind = _kind(path)
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


def _plain(path: PurePath) -> str:
    """Return the name of a file before it was compressed."""
    return path.name.removesuffix(_COMPRESSED)


def _kind(path: Path) -> type[RecordedFile] | None:
    return _KINDS.get(PurePath(_plain(path)).suffix)


def _in_order(path: Path) -> tuple[object, ...]:
    """Return what files are sorted by: bag_2 comes before bag_10."""
    return tuple(
        (not each.isdigit(), int(each) if each.isdigit() else 0, each)
        for each in re.split(r'(\d+)', path.name)
    )


def _decompressed(path: Path, folder: Path) -> Path:
    """Return a file, its copy where it is compressed whole."""
    if path.suffix != _COMPRESSED:
        return path
    copy = folder / _plain(path)
    with zstandard().open(path, 'rb') as source, copy.open('wb') as target, suppress(EOFError):
        shutil.copyfileobj(source, target)
    return copy

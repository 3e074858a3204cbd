"""Files of logs in the format of SQLite, also those that a power cut left without their end."""

from collections.abc import Collection, Iterator
from pathlib import Path
import shutil
import sqlite3

from spacerobot_id.measurement.bag.recorded import Recorded, Sent

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
    """A file of a log; one that was not closed is put in order in a copy.

    Parameters
    ----------
    path : Path
        File.
    copies : Path
        Folder for copies.
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
        self._topics = self._counted()

    def topics(self) -> list[Recorded]:
        """Return its topics, in the order of their numbers."""
        return self._topics

    def _counted(self) -> list[Recorded]:
        """Return the topics with the number of their messages, which takes some time."""
        rows = self._file.execute(_QUERIES['topics'])
        definitions = self._definitions()
        return [
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

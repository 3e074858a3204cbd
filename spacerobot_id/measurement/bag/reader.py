"""Reading the log of a bed into streams, without ROS, by the adapter of the bed."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.adapters.adapter import Adapter, OWN, Source
from spacerobot_id.measurement.adapters.conversion import (
    conversion,
    is_as_sent,
    ODOMETRY,
    own_topics,
    UNREADABLE,
    with_odometry,
)
from spacerobot_id.measurement.bag.cdr_columns import columns, OfTypestore
from spacerobot_id.measurement.bag.opened import Log, Message, opened
from spacerobot_id.measurement.bag.recorded import Recorded
from spacerobot_id.measurement.codecs import NANOSECONDS
from spacerobot_id.measurement.streams.log_streams import (
    Arrived,
    BagStreams,
    LOG_STREAMS,
    name_of,
    Reading,
    STREAM_OF,
    TOPICS,
)
from spacerobot_id.measurement.streams.stream_kind import MessageStream


def joined(
    source: str | Path, found: Mapping[str, Sequence[tuple[str, Reading]]]
) -> dict[str, MessageStream]:
    """Return the streams that single messages make, by name; each is there with its topic."""
    made = {}
    for name, messages in found.items():
        topics = ' and '.join(sorted({topic for topic, _ in messages}))
        readings = [reading for _, reading in messages]
        made[name] = LOG_STREAMS[name].kind.stream.joined(readings, f'{source}: {topics}')
    return made


def read_bag(
    path: str | Path,
    needed: Sequence[str] = ('joints', 'imu'),
    adapter: Adapter | None = None,
    asked: Sequence[str] = (),
) -> BagStreams:
    """Return the streams of a log, mcap, sqlite3 or of ROS 1, messages in order of arrival.

    On our own topics, one of odometry gives poses, and twists too where no topic of twists is.

    Parameters
    ----------
    path : str or Path
        Folder with its ``metadata.yaml``, or a ``.bag`` file of ROS 1.
    needed : sequence of str
        Names of the streams that must be there.
    adapter : Adapter, optional
        Which topics give which streams; our own topics if None.
    asked : sequence of str
        Topics that must be there, whatever they give.

    Returns
    -------
    BagStreams
        Streams; None where no topic has messages.

    Raises
    ------
    MeasurementError
        If the folder cannot be read, or a topic is missing, has another type or messages that
        contradict each other; names the folder and the topic.
    DescriptionError
        If the adapter names fields that the messages do not have.
    """
    adapter = own_topics() if adapter is None else adapter
    with opened(path) as log:
        counts = Counter({each.topic: each.msgcount for each in log.connections})
        there = ', '.join(sorted(counts)) or 'none'
        for topic in asked:
            if not any(counts[name] for name in counts if name.strip('/') == topic.strip('/')):
                raise _no_messages(path, topic, there)
        messages, found = _Messages.of(path, log, adapter), {}
        streams = messages.as_columns()
        skipped: dict[str, list[Exception]] = {}
        for name, each in messages.one_by_one(streams.keys(), skipped):
            found.setdefault(name, []).append(each)
        read = Counter(connection.topic for connection, _, _ in messages.messages)
        notes = log.notes(read, messages.sources.keys())
        notes += tuple(
            f'{path}: {topic}: {len(errors)} of {read[topic]} messages could not be read: '
            f'{errors[0]}'
            for topic, errors in skipped.items()
        )
    streams |= joined(path, found)
    for name in needed:
        if name not in streams:
            quantity = LOG_STREAMS[name].quantity
            topics = adapter.topics_of(quantity)
            if not topics:
                raise MeasurementError(
                    f'{adapter.source}: no topic gives {LOG_STREAMS[name].quantity}'
                )
            raise _no_messages(path, ' or '.join(topics), there)
    return BagStreams(**streams, notes=notes)


def _no_messages(path: str | Path, topics: str, there: str) -> MeasurementError:
    """Return the error of topics without messages, with those that are there."""
    return MeasurementError(f'{path}: no messages on {topics}; topics are {there}')


def streams_of_readings(source: str, readings: Iterable[Arrived]) -> BagStreams:
    """Return messages as the streams of a log.

    Parameters
    ----------
    source : str
        What errors call it.
    readings : iterable of Arrived
        Messages in order of arrival.

    Raises
    ------
    MeasurementError
        If messages of a stream contradict each other.
    """
    found: dict[str, list[tuple[str, Reading]]] = {}
    for arrival, reading in readings:
        name = name_of(reading)
        found.setdefault(name, []).append((TOPICS[name], replace(reading, arrivals=arrival)))
    return BagStreams(**joined(source, found))


@dataclass(frozen=True, eq=False)
class _Messages:
    """The messages of an adapter's topics, in order of arrival, as they were sent.

    Parameters
    ----------
    path : str or Path
        Log.
    log : Log
        The same, open.
    adapter : Adapter
        Which topics give what.
    sources : dict of str to Source
        Its topics.
    messages : list of (Recorded, int, bytes)
        Where each came, when, ns, and what.
    """

    path: str | Path
    log: Log
    adapter: Adapter
    sources: dict[str, Source]
    messages: list[Message]

    @classmethod
    def of(cls, path: str | Path, log: Log, adapter: Adapter) -> '_Messages':
        """Return the messages; raise if a topic has others than stated in the adapter."""
        sources = _with_twists_of_odometry(adapter, log.connections)
        by_topic = {each.topic.strip('/'): each for each in sources}
        chosen = [each for each in log.connections if each.topic.strip('/') in by_topic]
        for each in chosen:
            _check_type(path, by_topic[each.topic.strip('/')], each, log)
        return cls(path, log, adapter, by_topic, log.messages(chosen))

    def source(self, connection: Recorded) -> Source:
        """Return what gives the quantities of a connection."""
        return self.sources[connection.topic.strip('/')]

    @cached_property
    def sent(self) -> dict[int, list[Message]]:
        """The messages of each connection, by its identity."""
        sent: dict[int, list[Message]] = {}
        for each in self.messages:
            sent.setdefault(id(each[0]), []).append(each)
        return sent

    def as_columns(self) -> dict[str, object]:
        """Return by name the streams that need no look at single messages.

        Those are of one connection alone, which is of ROS 2, read as it was sent, and whose
        messages have one layout.
        """
        connections = [messages[0][0] for messages in self.sent.values()]
        times = Counter(kind for each in connections for kind in self.source(each).gives)
        found: dict[str, object] = {}
        for connection in connections:
            source = self.source(connection)
            is_alone = all(times[kind] == 1 for kind in source.gives)
            if is_alone and self.log.is2:
                found |= self._columns(connection, source, self.sent[id(connection)])
        return found

    def _columns(
        self,
        connection: Recorded,
        source: Source,
        messages: Sequence[Message],
    ) -> dict[str, object]:
        """Return the streams of a connection; none where its messages have to be looked at."""
        if not is_as_sent(self.adapter, source, connection.msgtype):
            return {}
        _, arrivals, data = zip(*messages, strict=True)
        table = columns(data, connection.msgtype, OfTypestore(self.log.typestore))
        if table is None:
            return {}
        times = np.array(arrivals) / NANOSECONDS
        names = [STREAM_OF[kind] for kind in source.gives]
        made = {name: LOG_STREAMS[name].kind.of_columns(table, times) for name in names}
        return {} if None in made.values() else made

    def one_by_one(
        self, done: Collection[str], skipped: dict[str, list[Exception]]
    ) -> Iterator[tuple[str, tuple[str, Reading]]]:
        """Yield what is read of others than those that are done, by stream, and its topic.

        What is wrong with messages that have not what the others have is noted by topic.
        """
        convert: dict[int, Callable[[Any, float], tuple[Reading, ...]]] = {}
        left = {
            key
            for key, ((connection, *_), *_) in self.sent.items()
            if not all(STREAM_OF[kind] in done for kind in self.source(connection).gives)
        }
        for connection, arrival, data in self.messages if left else ():
            if id(connection) not in left:
                continue
            source, seconds = self.source(connection), arrival / NANOSECONDS
            message = self.log.message(data, connection.msgtype)
            if connection.id not in convert:
                made = conversion(self.adapter, source, message, connection.msgtype)
                convert[connection.id] = made
            try:
                readings = convert[connection.id](message, seconds)
            except UNREADABLE as error:
                errors = skipped.setdefault(connection.topic, [])
                errors.append(error)
                if len(errors) == len(self.sent[id(connection)]):  # it is the adapter's fault
                    raise MeasurementError(f'{self.path}: {connection.topic}: {error}') from error
                continue
            for quantity, reading in zip(source.quantities, readings, strict=True):
                arrived = replace(reading, arrivals=seconds)
                yield STREAM_OF[quantity.kind], (connection.topic, arrived)


def _with_twists_of_odometry(
    adapter: Adapter, connections: Sequence[Recorded]
) -> Sequence[Source]:
    """Return the sources; of our own topics an odometry gives twists where no other does."""
    kinds = {each.topic: each.msgtype for each in connections if each.msgcount}
    poses, twists = adapter.topics_of('base_pose'), adapter.topics_of('base_twist')
    has_odometry = any(kinds.get(topic) == ODOMETRY for topic in poses)
    if adapter.source != OWN or not has_odometry or any(topic in kinds for topic in twists):
        return adapter.sources
    return with_odometry(adapter).sources


def _check_type(path: str | Path, source: Source, connection: Recorded, log: Log) -> None:
    kind = connection.msgtype
    if kind not in source.types:
        raise MeasurementError(
            f'{path}: {connection.topic} has messages of {kind}, not of '
            f'{" or ".join(source.types)}'
        )
    if why := log.why_unreadable(connection):
        raise MeasurementError(f'{path}: {connection.topic}: {why}')

"""The estimator's topics: messages become readings, which the intake judges and aligns."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
import re

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message

from spacerobot_id.measurement import Alignment, Record
from spacerobot_id.measurement.adapters.adapter import Adapter, Source
from spacerobot_id.measurement.adapters.conversion import conversion, is_as_sent, UNREADABLE
from spacerobot_id.measurement.bag.cdr_columns import columns, Field
from spacerobot_id.measurement.batches import FEW, PLAIN, take_plain
from spacerobot_id.measurement.intake import Intake
from spacerobot_id.measurement.monitors.statistics import TopicStatistics
from spacerobot_id.measurement.streams.log_streams import KINDS_BY_TOPIC, Reading
from spacerobot_id.measurement.streams.stream_kind import StreamKind
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.messages import message_class

_TYPE = re.compile(
    r'(?:sequence<)?(?P<kind>[\w/]+)(?:<\d+>)?'
    r'(?P<sequence>(?:,\d+)?>)?(?:\[(?P<count>\d+)\])?'
)
"""``double``, ``string<8>``, ``sequence<double, 3>``, ``geometry_msgs/Point[4]``."""

_NUMBERS = {'double': 'float64', 'float': 'float32'}
"""Types of numbers that are not named by their size."""

_MOST = 2000
"""Messages that wait at most to be looked at."""


class OfClasses:
    """Definitions that the installed messages have."""

    def fields(self, kind: str) -> Iterable[Field]:
        """Return the fields of a type, in order."""
        types = message_class(kind, 'a message').get_fields_and_field_types()
        for name, described in types.items():
            found = _TYPE.fullmatch(described.replace(' ', ''))
            if found is None:
                yield Field(name, described, None)  # none that columns are made of
                continue
            inner = found['kind'].replace('/', '/msg/')
            count = -1 if found['sequence'] else found['count'] and int(found['count'])
            yield Field(name, _NUMBERS.get(inner, inner), count)

    def message(self, data: bytes, kind: str) -> object:
        """Return a message; raise RMWError if it is none of that type."""
        return deserialize_message(data, message_class(kind, 'a message'))


@dataclass(frozen=True, eq=False)
class _Topic:
    """A topic that is subscribed to.

    Parameters
    ----------
    source : Source
        Its entry in the adapter.
    kind : str
        Type of its messages.
    message_type : type
        Their class.
    convert : callable
        Returns the readings of a message and the time of its receipt.
    plain : StreamKind, optional
        Kind of stream that many messages make together; None if they have to be converted.
    """

    source: Source
    kind: str
    message_type: type
    convert: Callable[[object, float], tuple[Reading, ...]]
    plain: StreamKind | None


class EstimatorInputs:
    """Subscriptions of the estimator to what its method needs or may use.

    Messages are kept as they were sent until they are looked at, fast ones many together: a
    callback that reads each of a thousand per second leaves no time for the estimate.

    Parameters
    ----------
    node : ManagedNode
        Node that subscribes.
    intake : Intake
        Judges, counts and aligns what comes; its statistics name the quantities.
    adapter : Adapter
        Which topics give them, and how.

    Attributes
    ----------
    intake : Intake
        What judges, counts and aligns.

    Raises
    ------
    ConfigurationError
        If a package of messages is not installed; names it.
    DescriptionError
        If the adapter names fields that the messages do not have.
    """

    def __init__(self, node: ManagedNode, intake: Intake, adapter: Adapter) -> None:
        self.intake, self._clock = intake, node.get_clock()
        self._waiting: list[tuple[float, _Topic, bytes]] = []
        self._take = node.guard(self._take_message)
        wanted = frozenset(KINDS_BY_TOPIC[topic] for topic in intake.statistics)
        self.topics = {
            topic: adapter.topics_of(KINDS_BY_TOPIC[topic]) for topic in intake.statistics
        }
        for source in adapter.giving(wanted).sources:
            name = source.types[0]
            kind = message_class(name, f'{adapter.source}: {source.topic}')
            convert = conversion(adapter, source, kind(), name)
            plain = None
            if is_as_sent(adapter, source, name) and len(source.gives) == 1:
                plain = PLAIN.get(source.gives[0])
            topic = _Topic(source, name, kind, convert, plain)
            keep = partial(self._keep, topic)
            node.create_subscription(
                kind, source.topic, keep, qos.delivery(source.delivery), raw=True
            )

    @property
    def alignment(self) -> Alignment:
        """Where good samples go."""
        return self.intake.alignment

    @property
    def monitors(self) -> dict[str, TopicStatistics]:
        """Counters by topic."""
        self.look()
        return self.intake.statistics

    @property
    def last_positions(self) -> NDArray[np.float64]:
        """Joint positions of the last good joint states, shape (n,)."""
        self.look()
        return self.intake.last_positions

    @property
    def last_pose(self) -> NDArray[np.float64] | None:
        """Position and attitude (x y z w) of the last good pose that is buffered, shape (7,)."""
        self.look()
        poses = self.alignment.streams.get('base_pose')
        return None if poses is None or self.intake.pose_frame is None else poses.last

    @property
    def pose_frame(self) -> str | None:
        """Frame that poses are given in; None before the first."""
        self.look()
        return self.intake.pose_frame

    def samples(self) -> Record | None:
        """Return the samples that have become complete."""
        self.look()
        return self.intake.samples()

    def look(self) -> None:
        """Hand everything that has come to the intake."""
        waiting, self._waiting = self._waiting, []
        if len(waiting) > FEW:
            waiting = self._without_plain(waiting)
        for receipt, topic, data in waiting:
            self._take(receipt, topic, data)

    def _keep(self, topic: _Topic, data: bytes) -> None:
        """Keep a message until all are looked at."""
        self._waiting.append((self._clock.now().nanoseconds * 1e-9, topic, data))
        if len(self._waiting) >= _MOST:
            self.look()

    def _without_plain(
        self, waiting: list[tuple[float, _Topic, bytes]]
    ) -> list[tuple[float, _Topic, bytes]]:
        """Take all but the last messages of fast topics, if all are good; return the others."""
        places: dict[_Topic, list[int]] = {}
        for place, (_, topic, _) in enumerate(waiting):
            if topic.plain is not None:
                places.setdefault(topic, []).append(place)
        places = {topic: found for topic, found in places.items() if len(found) > FEW}
        streams = []
        for topic, found in places.items():
            table = columns([waiting[place][2] for place in found], topic.kind, OfClasses())
            if table is None:
                return waiting
            receipts = np.array([waiting[place][0] for place in found])
            stream = topic.plain.of_columns(table, receipts)
            if stream is None:
                return waiting
            streams.append(stream)
        if not (streams and take_plain(streams, self.intake)):
            return waiting
        taken = {place for found in places.values() for place in found[:-1]}
        return [each for place, each in enumerate(waiting) if place not in taken]

    def _take_message(self, receipt: float, topic: _Topic, data: bytes) -> None:
        """Take a message; no twist beside a pose that is refused."""
        gives = topic.source.gives
        try:
            readings = topic.convert(deserialize_message(data, topic.message_type), receipt)
        except UNREADABLE as error:
            for name in self.intake.statistics:
                if KINDS_BY_TOPIC[name] in gives:
                    self.intake.statistics[name].reject(str(error))
            return
        refused: set[str] = set()
        for kind, reading in zip(gives, readings, strict=True):
            if kind == 'base_twist' and 'base_pose' in refused:
                continue
            if not self.intake.take(reading):
                refused.add(kind)

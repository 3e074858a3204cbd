"""The adapter of our own topics: messages of ROS, under the names that the nodes have."""

from collections.abc import Mapping
from dataclasses import replace

from spacerobot_id.measurement.adapters.adapter import (
    Adapter,
    Delivery,
    OWN,
    Quantity,
    Source,
)
from spacerobot_id.measurement.streams.log_streams import LOG_STREAMS, LogStream, TOPICS
from spacerobot_id.model.description.description import Place

ODOMETRY = 'nav_msgs/msg/Odometry'
"""Type of messages that have a pose and a twist, each with a frame of its own."""


_COMMANDS = ('base_wrench',)
"""Quantities that are asked for, and not sensed: none is to be lost."""


def own_topics(topics: Mapping[str, str] = TOPICS) -> Adapter:
    """Return the adapter of messages of ROS.

    Parameters
    ----------
    topics : mapping of str to str
        Topics by the names of the streams of a log.
    """
    return Adapter(OWN, tuple(_source(LOG_STREAMS[name], topic) for name, topic in topics.items()))


def with_odometry(adapter: Adapter) -> Adapter:
    """Return the adapter of our own topics with poses and twists from one topic of odometry."""
    (topic,) = adapter.topics_of('base_pose')
    place = Place(OWN, topic)
    both = Source(
        topic,
        (ODOMETRY,),
        (Quantity('base_pose', place), Quantity('base_twist', place)),
        place,
    )
    kept = [
        each for each in adapter.sources if each.gives not in (('base_pose',), ('base_twist',))
    ]
    return replace(adapter, sources=(*kept, both))


def _source(stream: LogStream, topic: str) -> Source:
    """Return a topic of one quantity."""
    place, kind = Place(OWN, topic), stream.quantity
    delivery = Delivery('reliable' if kind in _COMMANDS else 'best_effort')
    return Source(topic, stream.kind.types, (Quantity(kind, place),), place, delivery=delivery)

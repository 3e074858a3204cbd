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
from spacerobot_id.measurement.adapters.conversion import STANDARD
from spacerobot_id.measurement.bag.streams import TOPICS
from spacerobot_id.model.description.description import Place

KINDS = {
    'joints': 'joint_states',
    'imu': 'imu',
    'pose': 'base_pose',
    'twist': 'base_twist',
    'wrench': 'base_wrench',
    'applied_wrench': 'applied_wrench',
    'thrust': 'thruster_commands',
    'true_joints': 'true_joint_states',
    'true_pose': 'true_base_pose',
    'true_twist': 'true_base_twist',
}
"""Quantities by the name of their stream in a log."""


ODOMETRY = 'nav_msgs/msg/Odometry'
"""Type of messages that have a pose and a twist, each with a frame of its own."""

SENSED = {name: topic for name, topic in TOPICS.items() if not name.startswith('true')}
"""Topics but those of a simulator's truth, by the name of their stream."""

_COMMANDS = ('base_wrench',)
"""Quantities that are asked for, and not sensed: none is to be lost."""


def own_topics(topics: Mapping[str, str] = TOPICS) -> Adapter:
    """Return the adapter of messages of ROS.

    Parameters
    ----------
    topics : mapping of str to str
        Topics by the names of the streams of a log.
    """
    return Adapter(OWN, tuple(_source(KINDS[name], topic) for name, topic in topics.items()))


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


def _source(kind: str, topic: str) -> Source:
    """Return a topic of one quantity."""
    place = Place(OWN, topic)
    delivery = Delivery('reliable' if kind in _COMMANDS else 'best_effort')
    return Source(topic, tuple(STANDARD[kind]), (Quantity(kind, place),), place, delivery=delivery)

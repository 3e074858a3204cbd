"""The adapter of our own topics: messages of ROS, under the names that the nodes have."""

from collections.abc import Mapping

from spacerobot_id.measurement.adapters.adapter import Adapter, OWN, Quantity, Source
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


def own_topics(topics: Mapping[str, str] = TOPICS) -> Adapter:
    """Return the adapter of messages of ROS.

    Parameters
    ----------
    topics : mapping of str to str
        Topics by the names of the streams of a log; what a simulator says of the truth is none.
    """
    sources = [
        Source(
            topic,
            tuple(STANDARD[KINDS[name]]),
            (Quantity(KINDS[name], Place(OWN, topic)),),
            Place(OWN, topic),
        )
        for name, topic in topics.items()
    ]
    return Adapter(OWN, tuple(sources))

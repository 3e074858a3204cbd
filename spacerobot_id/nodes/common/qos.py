"""Quality of service of every topic, in one place.

Each function returns a profile of its own, because rclpy writes the user's ``qos_overrides``
into the profile it is given. ``ManagedNode`` allows those overrides for all of its topics.
"""

from typing import TYPE_CHECKING

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

if TYPE_CHECKING:
    from spacerobot_id.measurement.adapters.adapter import Delivery


def sensor_input(depth: int = 500) -> QoSProfile:
    """Return the profile to subscribe to streams with: takes reliable and best effort publishers.

    Parameters
    ----------
    depth : int
        Samples that may wait; older ones are dropped.
    """
    return _profile(depth, ReliabilityPolicy.BEST_EFFORT)


def stream_output(depth: int = 500) -> QoSProfile:
    """Return the profile to publish streams with: reliable, received by every subscriber."""
    return _profile(depth, ReliabilityPolicy.RELIABLE)


def command(depth: int = 10) -> QoSProfile:
    """Return the profile of commands, both ends: reliable, not kept for later subscribers."""
    return _profile(depth, ReliabilityPolicy.RELIABLE)


def delivery(wanted: 'Delivery') -> QoSProfile:
    """Return the profile that an adapter wants."""
    return _profile(
        wanted.depth,
        ReliabilityPolicy[wanted.reliability.upper()],
        DurabilityPolicy[wanted.durability.upper()],
    )


def latched() -> QoSProfile:
    """Return the profile of states, both ends: who comes late gets the last one at once."""
    return _profile(1, ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL)


def _profile(
    depth: int,
    reliability: ReliabilityPolicy,
    durability: DurabilityPolicy = DurabilityPolicy.VOLATILE,
) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=reliability,
        durability=durability,
    )

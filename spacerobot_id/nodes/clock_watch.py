"""Whether simulated time, where a node is to live by it, comes and goes on (F19)."""

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PERIOD = 2.0
"""Time without a step of the simulated clock after which that is said, s."""


class ClockWatch:
    """Says when ``use_sim_time`` is set and ``/clock`` brings nothing, and when it does again.

    Parameters
    ----------
    node : Node
        Node whose clock it is.

    Attributes
    ----------
    is_still : bool
        Whether time should go on and does not.
    timer : Timer
        On a steady clock, of course.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._seen = 0
        self.is_still = False
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.timer = node.create_timer(PERIOD, self._on_timer, clock=steady)

    def _on_timer(self) -> None:
        """Compare the clock with what it was a while ago."""
        now = self._node.get_clock().now().nanoseconds
        simulated = self._node.get_parameter('use_sim_time').value
        was_still, self.is_still = self.is_still, simulated and now == self._seen
        self._seen = now
        if self.is_still and not was_still:
            topic = self._node.resolve_topic_name('/clock')
            self._node.get_logger().warning(
                f'use_sim_time is true and time stands still: nothing new on {topic} for '
                f'{PERIOD:g} s'
            )
        elif was_still and not self.is_still:
            self._node.get_logger().info('time goes on')

"""Whether simulated time, where a node is to live by it, comes and goes on (F19)."""

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from spacerobot_id.measurement.monitors.clock import ClockMonitor, PERIOD


class ClockWatch:
    """Warns when ``use_sim_time`` is set and ``/clock`` is silent, and logs when it is back.

    Parameters
    ----------
    node : Node
        Node whose clock it is.

    Attributes
    ----------
    timer : Timer
        On a steady clock, of course.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._monitor = ClockMonitor()
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.timer = node.create_timer(PERIOD, self._on_timer, clock=steady)

    @property
    def is_still(self) -> bool:
        """Whether time should go on and does not."""
        return self._monitor.is_still

    def _on_timer(self) -> None:
        """Compare the clock with what it was a while ago."""
        now = self._node.get_clock().now().nanoseconds
        simulated = self._node.get_parameter('use_sim_time').value
        if not self._monitor.look(now, is_simulated=simulated):
            return
        if self.is_still:
            topic = self._node.resolve_topic_name('/clock')
            self._node.get_logger().warning(
                f'use_sim_time is true and time stands still: nothing new on {topic} for '
                f'{PERIOD:g} s'
            )
        else:
            self._node.get_logger().info('time goes on')

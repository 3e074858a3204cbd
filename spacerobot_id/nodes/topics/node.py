"""The node ``topics``: subscribes to all topics for some seconds and prints what came, as JSON."""

from functools import partial
import json
import sys
import time

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement.adapters.observation import ObservedTopic, TopicObserver
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.messages import message_class

_OWN = ('/rosout', '/parameter_events')
_LOOK_EVERY = 0.2
"""Time between two looks for new topics, s."""


class Topics(Node):
    """Subscribes to every topic whose type is installed."""

    def __init__(self) -> None:
        super().__init__('topics')
        self.seconds = float(self.declare_parameter('seconds', 5.0).value)
        self.observers: dict[str, TopicObserver] = {}
        self._missing: dict[str, ObservedTopic] = {}

    def look(self) -> None:
        """Subscribe to what is new."""
        for topic, kinds in self.get_topic_names_and_types():
            if topic in _OWN or topic in self.observers or topic in self._missing:
                continue
            if not self.count_publishers(topic):
                continue
            try:
                kind = message_class(kinds[0], topic)
            except ConfigurationError as error:
                self._missing[topic] = ObservedTopic(topic, kinds[0], missing=str(error))
                continue
            self.observers[topic] = TopicObserver(topic, kinds[0])
            take = partial(self._take, self.observers[topic])
            self.create_subscription(kind, topic, take, qos.sensor_input())

    def observed(self) -> list[ObservedTopic]:
        """Return what has been seen, by name."""
        found = [*self._missing.values(), *(each.observed() for each in self.observers.values())]
        return sorted(found, key=lambda each: each.topic)

    def _take(self, observer: TopicObserver, message: object) -> None:
        observer.take(message, self.get_clock().now().nanoseconds * 1e-9)


def main(args: list[str] | None = None) -> int:
    """Subscribe, print, and end; return the exit code."""
    rclpy.init(args=args)
    try:
        node = Topics()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        end, look = time.monotonic() + node.seconds, 0.0
        while rclpy.ok() and time.monotonic() < end:
            if time.monotonic() >= look:
                node.look()
                look = time.monotonic() + _LOOK_EVERY
            executor.spin_once(timeout_sec=0.05)
        sys.stdout.write(json.dumps([each.to_dict() for each in node.observed()]) + '\n')
    except (KeyboardInterrupt, ExternalShutdownException):
        return 1
    finally:
        rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())

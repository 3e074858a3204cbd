"""What the planner receives from its robot and sends to it, by topics and types of its adapter."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from rclpy.clock import Clock, ClockType

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement.adapters.adapter import Adapter
from spacerobot_id.measurement.adapters.adapter_yaml import load_adapter
from spacerobot_id.measurement.adapters.commands import command_writer
from spacerobot_id.measurement.adapters.conversion import conversion, own_topics, UNREADABLE
from spacerobot_id.measurement.streams.log_streams import Reading, SENSED_TOPICS
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.messages import message_class

_QUEUE = 100
"""Commands that may wait at who carries them out."""

_LOOK = 0.005
"""Period in which commands that have become due are looked for, s."""

Take = Callable[[Reading], None]
Refuse = Callable[[str], None]


def interface_of(node: ManagedNode, adapter: str) -> 'RobotInterface':
    """Return the interface that an adapter describes; our own topics if none is named.

    Raises
    ------
    ConfigurationError, DescriptionError
        If there is no such adapter, or it is not one.
    """
    if adapter:
        return RobotInterface(node, load_adapter(adapter), acts_at_once=True)
    return RobotInterface(
        node, own_topics({name: topic.lstrip('/') for name, topic in SENSED_TOPICS.items()})
    )


class RobotInterface:
    """Topics of a robot.

    Parameters
    ----------
    node : ManagedNode
        Node that subscribes and publishes.
    adapter : Adapter
        Which topics there are, and how their messages are read and written.
    acts_at_once : bool
        Whether commands act when they are received, whatever their stamp: they are sent when they
        are due. Ours hold from their stamp.
    """

    def __init__(self, node: ManagedNode, adapter: Adapter, *, acts_at_once: bool = False) -> None:
        self._node, self._adapter, self._acts_at_once = node, adapter, acts_at_once
        self._last_received: tuple[float, float] | None = None

    def equipped(self, model: RobotModel) -> RobotModel:
        """Return the robot, with the thrusters of the adapter if its description has none."""
        self._adapter = self._adapter.for_robot(model)
        return self._adapter.equipped(model)

    def subscribe(self, kind: str, take: Take, refuse: Refuse) -> None:
        """Subscribe to a quantity.

        Parameters
        ----------
        kind : str
            ``joint_states``, ``base_pose`` or ``base_twist``.
        take : callable
            Takes a reading.
        refuse : callable
            Takes the reason why a message was not readable.

        Raises
        ------
        ConfigurationError
            If no topic of the adapter gives it, or its type is not installed.
        """
        sources = self._adapter.giving(frozenset([kind])).sources
        if not sources:
            raise ConfigurationError(f'{self._adapter.source}: no topic gives {kind}')
        for source in sources:
            name = source.types[0]
            of_type = message_class(name, f'{self._adapter.source}: {source.topic}')
            convert = conversion(self._adapter, source, of_type(), name)
            receive = partial(self._on_message, convert, take, refuse)
            self._node.create_subscription(of_type, source.topic, receive, qos.sensor_input())

    def theirs(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return what the robot calls some joints or wheels."""
        renamed: dict[str, str] = {}
        for source in self._adapter.giving(frozenset(['joint_states'])).sources:
            for quantity in source.quantities:
                renamed |= {ours: name for name, ours in quantity.renamed.items()}
        return tuple(renamed.get(name, name) for name in names)

    def output(self, kind: str, thrusters: Sequence[str] = ()) -> 'CommandOutput':
        """Return where commands are sent.

        Parameters
        ----------
        kind : str
            ``thruster_commands`` or ``base_wrench``.
        thrusters : sequence of str
            Thrusters in the order of the commands.

        Raises
        ------
        ConfigurationError
            If no topic of the adapter takes them, or its type is not installed.
        DescriptionError
            If its messages do not have the fields.
        """
        return CommandOutput(
            self._node, self._adapter, kind, thrusters, self.now if self._acts_at_once else None
        )

    def now(self) -> float:
        """Return the time now by the stamps of the robot, s; minus infinity before the first."""
        if self._last_received is None:
            return -np.inf
        stamp, clock = self._last_received
        return stamp + self._clock() - clock

    def _clock(self) -> float:
        return self._node.get_clock().now().nanoseconds * 1e-9

    def _on_message(
        self,
        convert: Callable[[object, float], tuple[Reading, ...]],
        take: Take,
        refuse: Refuse,
        message: object,
    ) -> None:
        """Take a message, or refuse it with its reason."""
        clock = self._clock()
        try:
            (reading,) = convert(message, clock)
        except UNREADABLE as error:
            refuse(str(error))
            return
        if self._acts_at_once and np.isfinite(reading.stamp):
            self._last_received = reading.stamp, clock
        take(reading)


class CommandOutput:
    """A topic that commands are sent on.

    Parameters
    ----------
    node : ManagedNode
        Node that publishes.
    adapter : Adapter
        Which topic, and how its messages are written.
    kind, thrusters
        As for ``RobotInterface.output``.
    now : callable, optional
        Time by which commands are due; they are sent at once if None.
    """

    def __init__(
        self,
        node: ManagedNode,
        adapter: Adapter,
        kind: str,
        thrusters: Sequence[str],
        now: Callable[[], float] | None,
    ) -> None:
        sources = adapter.giving(frozenset([kind])).sources
        if not sources:
            raise ConfigurationError(f'{adapter.source}: no topic takes {kind}')
        source, name = sources[0], sources[0].types[0]
        self._type = message_class(name, f'{adapter.source}: {source.topic}')
        self._write = command_writer(adapter, source, kind, thrusters, self._type())
        self.topic, self._now = source.topic, now
        self._publisher = node.create_publisher(self._type, source.topic, qos.command(_QUEUE))
        self._waiting: deque[tuple[float, NDArray[np.float64]]] = deque()
        if now is not None:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            node.create_timer(_LOOK, self._on_look, clock=steady)

    @property
    def has_subscriber(self) -> bool:
        """Whether there is one."""
        return bool(self._publisher.get_subscription_count())

    def send(self, stamp: float, command: NDArray[np.float64]) -> None:
        """Send a command that holds from a stamp on, s; what waits for later is dropped."""
        if self._now is None:
            self._publish(stamp, command)
            return
        while self._waiting and self._waiting[-1][0] >= stamp:
            self._waiting.pop()
        self._waiting.append((stamp, command))
        self._on_look()

    def send_last(self) -> None:
        """Send the last of the commands that wait, whenever it is due."""
        if self._waiting:
            stamp, command = self._waiting.pop()
            self._waiting.clear()
            self._publish(min(stamp, self._now()), command)

    def _on_look(self) -> None:
        """Send what has become due."""
        while self._waiting and self._waiting[0][0] <= self._now():
            self._publish(*self._waiting.popleft())

    def _publish(self, stamp: float, command: NDArray[np.float64]) -> None:
        message = self._type()
        self._write(message, stamp, command)
        self._publisher.publish(message)

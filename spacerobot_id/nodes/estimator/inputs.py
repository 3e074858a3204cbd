"""The estimator's topics: messages become readings, which the intake judges and aligns."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement import Alignment, Record
from spacerobot_id.measurement.adapters.adapter import Adapter, Source
from spacerobot_id.measurement.adapters.conversion import conversion, UNREADABLE
from spacerobot_id.measurement.intake import Intake, KINDS_BY_TOPIC
from spacerobot_id.measurement.monitors.statistics import TopicStatistics
from spacerobot_id.measurement.readings import Reading
from spacerobot_id.nodes.common import qos
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.messages.pieces import message_class


class EstimatorInputs:
    """Subscriptions of the estimator to what its method needs or may use.

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
        wanted = frozenset(KINDS_BY_TOPIC[topic] for topic in intake.statistics)
        self.topics = {
            topic: adapter.topics_of(KINDS_BY_TOPIC[topic]) for topic in intake.statistics
        }
        for source in adapter.giving(wanted).sources:
            name = source.types[0]
            kind = message_class(name, f'{adapter.source}: {source.topic}')
            convert = conversion(adapter, source, kind(), name)
            on_message = partial(self._on_message, source, convert)
            node.create_subscription(kind, source.topic, on_message, qos.delivery(source.delivery))

    @property
    def alignment(self) -> Alignment:
        """Where good samples go."""
        return self.intake.alignment

    @property
    def monitors(self) -> dict[str, TopicStatistics]:
        """Counters by topic."""
        return self.intake.statistics

    @property
    def last_positions(self) -> NDArray[np.float64]:
        """Joint positions of the last good joint states, shape (n,)."""
        return self.intake.last_positions

    @property
    def last_pose(self) -> NDArray[np.float64] | None:
        """Position and attitude (x y z w) of the last good pose that is buffered, shape (7,)."""
        poses = self.alignment.streams.get('base_pose')
        return None if poses is None or self.intake.pose_frame is None else poses.last

    @property
    def pose_frame(self) -> str | None:
        """Frame that poses are given in; None before the first."""
        return self.intake.pose_frame

    def samples(self) -> Record | None:
        """Return the samples that have become complete."""
        return self.intake.samples()

    def _on_message(
        self,
        source: Source,
        convert: Callable[[object, float], tuple[Reading, ...]],
        message: object,
    ) -> None:
        """Take a message; no twist beside a pose that is refused."""
        try:
            readings = convert(message, self._clock.now().nanoseconds * 1e-9)
        except UNREADABLE as error:
            for topic in self.intake.statistics:
                if KINDS_BY_TOPIC[topic] in source.gives:
                    self.intake.statistics[topic].reject(str(error))
            return
        refused: set[str] = set()
        for kind, reading in zip(source.gives, readings, strict=True):
            if kind == 'base_twist' and 'base_pose' in refused:
                continue
            if not self.intake.take(reading):
                refused.add(kind)

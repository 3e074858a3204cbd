"""Samples that lack a change wait until it shows whether their topic is frozen (F12)."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.monitors.frozen import Change, FrozenMonitor
from spacerobot_id.measurement.monitors.statistics import TopicStatistics
from spacerobot_id.measurement.stream import Verdict

Push = Callable[[], Verdict]
"""Hands a sample on."""


class FrozenGate:
    """Hands samples on; those that lack a change wait for the next that has one.

    If none comes they are frozen, and so were those that have waited.

    Parameters
    ----------
    monitor : FrozenMonitor, optional
        Finds values that do not change although they must; all are handed on if None.
    statistics : mapping of str to TopicStatistics
        Counters by topic.

    Attributes
    ----------
    monitor : FrozenMonitor, optional
        As given.
    """

    def __init__(
        self, monitor: FrozenMonitor | None, statistics: Mapping[str, TopicStatistics]
    ) -> None:
        self.monitor, self._statistics = monitor, statistics
        self._waiting: dict[str, list[Push]] = {}

    def take(
        self, topic: str, stamp: float, values: tuple[NDArray[np.float64], ...], push: Push
    ) -> Verdict:
        """Hand a sample on, or let it wait.

        Parameters
        ----------
        topic : str
            Topic.
        stamp : float
            Time of the sample, s.
        values : tuple of ndarray
            All numbers of the sample.
        push : callable
            Hands it on.

        Raises
        ------
        MeasurementError
            If the topic is frozen.
        """
        if self.monitor is None:
            return push()
        change = self.monitor.change(topic, stamp, np.concatenate(values))
        if change is Change.LACKING:
            self._waiting.setdefault(topic, []).append(push)
            return Verdict.ACCEPTED
        if change is Change.FROZEN:
            for _ in self._waiting.pop(topic, []):
                self._statistics[topic].withdraw(self.monitor.reason)
            raise MeasurementError(self.monitor.reason)
        self._release(topic)
        return push()

    def would_pass(self, topic: str, values: NDArray[np.float64]) -> bool:
        """Return whether samples, one per row, would all be handed on at once."""
        if topic in self._waiting:
            return False
        return self.monitor is None or self.monitor.all_change(topic, values)

    def pass_all(self, topic: str, stamp: float, last: NDArray[np.float64]) -> None:
        """Go on from samples that were handed on at once, by the time and values of the last."""
        if self.monitor is not None:
            self.monitor.take_changed(topic, stamp, last)

    def release_all(self) -> None:
        """Hand on all samples that wait: nothing more will come."""
        for topic in [*self._waiting]:
            self._release(topic)

    def clear(self) -> None:
        """Drop all samples that wait."""
        self._waiting.clear()

    def _release(self, topic: str) -> None:
        """Hand on the samples of a topic that wait."""
        for push in self._waiting.pop(topic, []):
            try:
                verdict = push()
            except MeasurementError as error:
                self._statistics[topic].withdraw(str(error))
                continue
            if not verdict.is_taken:
                self._statistics[topic].withdraw(verdict.value)

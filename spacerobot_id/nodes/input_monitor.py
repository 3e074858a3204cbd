"""What became of the messages of a topic: counted always, said once per change."""

from collections import Counter

from rclpy.impl.rcutils_logger import RcutilsLogger

_GOOD_AGAIN = 20
"""Good messages in a row after which a topic counts as good again."""


class InputMonitor:
    """Counters of one topic.

    Parameters
    ----------
    topic : str
        Name for logs and diagnostics.
    logger : RcutilsLogger
        Where changes are said.
    """

    def __init__(self, topic: str, logger: RcutilsLogger) -> None:
        self.topic = topic
        self.accepted = 0
        self.rejected: Counter[str] = Counter()
        self.reason = ''
        self._good = 0
        self._said: set[str] = set()
        self._logger = logger

    def accept(self) -> None:
        """Count a message that was used; say so if some in a row were, after others were not."""
        self.accepted += 1
        self._good += 1
        if self.reason and self._good >= _GOOD_AGAIN:
            self._logger.info(f'{self.topic}: good again')
            self.reason = ''
            self._said.clear()

    def reject(self, reason: str) -> None:
        """Count a message that was not used, and say why if that is new since all was good."""
        if reason not in self._said:
            self._logger.warning(f'{self.topic}: rejected: {reason}')
            self._said.add(reason)
        self.rejected[reason] += 1
        self.reason, self._good = reason, 0

    def summary(self) -> dict[str, str]:
        """Return the counters as texts for diagnostics."""
        counts = {'accepted': str(self.accepted), 'rejected': str(self.rejected.total())}
        return counts | {f'rejected: {key}': str(count) for key, count in self.rejected.items()}

"""What became of the messages of a topic: counted always, logged once per change."""

from collections import Counter, deque
import math
from typing import Protocol

PERIOD = 2.0
"""Time without a step of the simulated clock after which there is a warning, s."""


class ClockMonitor:
    """Compares the clock with what it was a while ago.

    Attributes
    ----------
    is_still : bool
        Whether time should go on and does not.
    """

    def __init__(self) -> None:
        self.is_still = False
        self._seen = 0

    def look(self, now: int, *, is_simulated: bool) -> bool:
        """Look at the clock; return whether that it stands still, or goes on again, is news.

        Parameters
        ----------
        now : int
            Time on the clock, ns.
        is_simulated : bool
            Whether it is given from outside; another clock never stands still.
        """
        was_still, self.is_still = self.is_still, is_simulated and now == self._seen
        self._seen = now
        return was_still != self.is_still


_GOOD_AGAIN = 20
"""Good messages in a row after which a topic counts as good again."""

_STEPS = 52
"""Steps between stamps that show the period of a topic, by the mean of their middle half.

The shortest one counts: where most messages are lost, what comes shows too long a period.
"""

_LOOKS = 8
"""Messages between two looks at the period."""


class Logger(Protocol):
    """Logger of changes: one of ROS, or of Python."""

    def info(self, text: str) -> object:
        """Log what is as it should be."""

    def warning(self, text: str) -> object:
        """Log what is not."""


class Silent:
    """A logger that does nothing."""

    def info(self, text: str) -> None:
        """Do nothing."""

    def warning(self, text: str) -> None:
        """Do nothing."""


class TopicStatistics:
    """Counters of one topic.

    Parameters
    ----------
    topic : str
        Name for logs and diagnostics.
    logger : Logger
        Logger of changes.

    Attributes
    ----------
    accepted : int
        Messages that were used.
    rejected : Counter
        Messages that were not, by reason.
    missing : int
        Messages that should have come between those that did, by the period of the stamps:
        lost on their way, or dropped because more came than could be handled (F25).
    """

    def __init__(self, topic: str, logger: Logger) -> None:
        self.topic = topic
        self.accepted = 0
        self.rejected: Counter[str] = Counter()
        self.reason = ''
        self.missing = 0
        self._good = 0
        self._last: float | None = None
        self._period = math.inf
        self._steps: deque[float] = deque(maxlen=_STEPS)
        self._look = 0
        self._reported: set[str] = set()
        self._logger = logger

    @property
    def messages(self) -> int:
        """Messages in all."""
        return self.accepted + self.rejected.total()

    def accept(self, stamp: float | None = None) -> None:
        """Count a message that was used; log it if some in a row were, after others were not.

        Parameters
        ----------
        stamp : float, optional
            Its time, s, to count those missing before it; None where that has no meaning: after
            a jump of the clock, or for a topic without a period.
        """
        self.accepted += 1
        self._count_missing(stamp)
        self._good += 1
        if self.reason and self._good >= _GOOD_AGAIN:
            self._logger.info(f'{self.topic}: good again')
            self.reason = ''
            self._reported.clear()

    def jump(self) -> None:
        """Count a message that was used after a jump of the clock."""
        self._logger.warning(f'{self.topic}: the clock has jumped; buffers cleared')
        self.accept()

    def reject(self, reason: str) -> None:
        """Count a message that was not used, and log why if that is new since all was good."""
        if reason not in self._reported:
            self._logger.warning(f'{self.topic}: rejected: {reason}')
            self._reported.add(reason)
        self.rejected[reason] += 1
        self._last = None
        self.reason, self._good = reason, 0

    def withdraw(self, reason: str) -> None:
        """Count a message as not used that was taken for good before."""
        self.accepted -= 1
        self.reject(reason)

    def _count_missing(self, stamp: float | None) -> None:
        """Count what should have come since the last good message."""
        last, self._last = self._last, stamp
        if last is None or stamp is None:
            return
        self._steps.append(stamp - last)
        if len(self._steps) < _STEPS:
            return
        if self.accepted >= self._look:
            middle = sorted(self._steps)[_STEPS // 4 : -_STEPS // 4]
            self._period = min(self._period, sum(middle) / len(middle))
            self._look = self.accepted + _LOOKS
        if stamp - last > 1.5 * self._period:
            self.missing += round((stamp - last) / self._period) - 1

    def summary(self) -> dict[str, str]:
        """Return the counters as texts for diagnostics."""
        counts = {
            'accepted': str(self.accepted),
            'rejected': str(self.rejected.total()),
            'missing': str(self.missing),
        }
        return counts | {f'rejected: {key}': str(count) for key, count in self.rejected.items()}

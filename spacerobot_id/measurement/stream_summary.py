"""How the messages of a topic came: their rate, their gaps and their delays."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.log_record import LogRecord
from spacerobot_id.measurement.streams.log_streams import BagStreams, TOPICS

_GAP = 1.5
"""Times the usual step of the stamps beyond which messages are missing between two."""


@dataclass(frozen=True, eq=False)
class StreamSummary:
    """The messages of a topic.

    Parameters
    ----------
    topic : str
        Name.
    messages : int
        How many came.
    rejected : mapping of str to int
        How many were not used, by reason.
    stamps, delays : ndarray, shape (N,)
        When they were made, s, and how much later they came; empty where that is not kept.
    missing : int
        How many should have come between those that did.
    """

    topic: str
    messages: int
    rejected: Mapping[str, int] = field(default_factory=dict)
    stamps: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    delays: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    missing: int = 0

    @property
    def steps(self) -> NDArray[np.float64]:
        """Times between two stamps, s, shape (N - 1,)."""
        return np.diff(np.sort(self.stamps))

    @property
    def rate(self) -> float:
        """Messages per second, by the middle step; NaN where it is not known."""
        steps = self.steps
        middle = float(np.median(steps)) if len(steps) else 0.0
        return 1.0 / middle if middle > 0.0 else np.nan

    @property
    def longest_gap(self) -> float:
        """Longest time without a message, s; NaN where it is not known."""
        return float(self.steps.max()) if len(self.stamps) > 1 else np.nan


def stream_summaries(log: BagStreams, record: LogRecord) -> tuple[StreamSummary, ...]:
    """Return how the messages of a log came, topic by topic.

    Parameters
    ----------
    log : BagStreams
        All streams.
    record : LogRecord
        What was made of them.
    """
    summaries = []
    for name, topic in TOPICS.items():
        stream, topic = getattr(log, name, None), topic.removeprefix('/')
        if stream is None or 'true' in name:
            continue
        rejected = {
            reason.partition(': ')[2]: count
            for reason, count in record.rejected.items()
            if reason.partition(':')[0] == topic
        }
        steps = np.diff(np.sort(stream.stamps))
        middle = np.median(steps) if len(steps) else 0.0
        holes = steps[steps > _GAP * middle] if middle > 0.0 else np.zeros(0)
        missing = int(np.sum(np.round(holes / middle) - 1)) if len(holes) else 0
        summaries.append(
            StreamSummary(
                topic,
                len(stream.stamps),
                rejected,
                stream.stamps,
                stream.arrivals - stream.stamps,
                missing,
            )
        )
    return tuple(summaries)

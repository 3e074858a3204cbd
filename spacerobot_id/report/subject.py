"""What a report is about: a result, the samples behind it, and how it was come by."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.result import Result
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.stream_summary import StreamSummary


@dataclass(frozen=True, eq=False)
class Truth:
    """The true robot, where it is known.

    Parameters
    ----------
    name : str
        Where it is from.
    values : ndarray, shape (p,)
        True parameters.
    """

    name: str
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Subject:
    """A result with what a reader needs to judge and to repeat it.

    Parameters
    ----------
    result : Result
        Result of an identification.
    record : Record
        All samples, those held out among them.
    used : int
        Samples from the begin that were fitted.
    source : str
        What the log is called, or the node.
    streams : sequence of StreamSummary
        How the messages came.
    command : sequence of str
        What makes the report again; empty if nothing does.
    files : mapping of str to str
        Files that went in, and hashes of their contents.
    settings : mapping of str to object
        Settings that are not as they are by default.
    truth : Truth, optional
        The true robot, where it is known.
    """

    result: Result
    record: Record
    used: int
    source: str
    streams: tuple[StreamSummary, ...] = ()
    command: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    truth: Truth | None = None

    @property
    def duration(self) -> float:
        """Time from the first sample to the last, s."""
        return float(np.ptp(self.record.times)) if len(self.record) else 0.0

    @property
    def begin(self) -> float:
        """Time of the first sample, s."""
        return float(self.record.times[0]) if len(self.record) else 0.0

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Which parameters are identified, shape (p,)."""
        estimate = self.result.estimate
        return ~np.isin(estimate.names, estimate.not_identified())

    @property
    def description(self) -> NDArray[np.float64]:
        """Parameters by the description, shape (p,)."""
        return self.result.method.prior().mean[: len(self.result.estimate.names)]

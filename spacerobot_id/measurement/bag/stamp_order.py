"""Streams of a log in the order of their stamps: messages that overtook each other put back."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.streams.log_streams import BagStreams, SENSED

if TYPE_CHECKING:
    from typing import Self


_AROUND = 21
"""Messages whose middle stamp gives the time, odd."""


def sorted_by_stamp(log: BagStreams, longest_gap: float) -> tuple[BagStreams, Counter[str]]:
    """Return a log with each stream in the order of its stamps, and how many came late.

    Parameters
    ----------
    log : BagStreams
        Streams in the order of arrival.
    longest_gap : float
        How far the clock goes back when it is put back and no message was overtaken, s.

    Returns
    -------
    log : BagStreams
        Streams of sensors in order; a simulator's truth as it was.
    late : Counter of str
        Messages that came after later ones, by topic.
    """
    reordered: Counter[str] = Counter()
    streams = {}
    for name, each in SENSED.items():
        stream = getattr(log, name)
        if stream is None:
            continue
        gap = np.inf if each.is_held else longest_gap  # seldom, when they are held
        order, late = _order(stream.stamps, gap)
        if late:
            reordered[each.name] = late
            stream = stream[order]
            arrivals = np.maximum.accumulate(stream.arrivals)
            stream = replace(stream, arrivals=arrivals)
        streams[name] = stream
    return replace(log, **streams), reordered


@dataclass(frozen=True, eq=False)
class ClockRuns:
    """What the clock of a stream did between two times that it was put back.

    Parameters
    ----------
    number : ndarray of int, shape (N,)
        How often the clock had been put back before each message.
    middle : ndarray, shape (N,)
        Middle of the stamps around each, which a wrong one does not change, s.
    is_near : ndarray of bool, shape (N,)
        Whether the stamp is near the middle; that of others is wrong.
    """

    number: NDArray[np.intp]
    middle: NDArray[np.float64]
    is_near: NDArray[np.bool_]

    @classmethod
    def of(cls, stamps: NDArray[np.float64], longest_gap: float) -> 'Self':
        """Return the runs of stamps.

        Parameters
        ----------
        stamps : ndarray, shape (N,)
            Stamps in the order of arrival, s.
        longest_gap : float
            How far the clock goes back when it is put back and no message was overtaken, s.
        """
        if (np.diff(stamps) >= 0.0).all():  # the middle of ascending stamps is the one itself
            return cls(np.zeros(len(stamps), int), stamps, np.ones(len(stamps), bool))
        from scipy.ndimage import median_filter

        middle = median_filter(stamps, size=min(_AROUND, len(stamps)), mode='nearest')
        number = np.cumsum(np.diff(middle, prepend=middle[:1]) < -longest_gap)
        return cls(number, middle, np.abs(stamps - middle) <= longest_gap)


def _order(stamps: NDArray[np.float64], longest_gap: float) -> tuple[NDArray[np.intp], int]:
    """Return the order of stamps, and how many were behind one before.

    The middle of the stamps around one gives the time. A stamp far from it is wrong and
    stays where it is; where the middle goes back the clock has, and nothing is sorted across.
    """
    runs = ClockRuns.of(stamps, longest_gap)
    order = np.lexsort((np.where(runs.is_near, stamps, runs.middle), runs.number))
    late = 0
    for each in np.unique(runs.number):
        good = stamps[runs.is_near & (runs.number == each)]
        late += int(np.sum(good < np.maximum.accumulate(good))) if len(good) else 0
    return order, late

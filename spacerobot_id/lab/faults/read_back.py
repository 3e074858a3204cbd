"""Faults as messages show them: proof that what was asked for came about, as it was asked."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from spacerobot_id.lab.faults.fault import Occurrence
from spacerobot_id.measurement.streams.log_streams import Arrived
from spacerobot_id.model import RobotModel

_PATIENCE, _LONGEST = 20.0, 60.0
"""Expected hits to wait for until one must have come, and duration that is counted on, s."""

_NEXT = 5.0
"""Messages within which one must have come, though some are lost."""


def as_found(
    model: RobotModel,
    before: Sequence[Arrived],
    after: Sequence[Arrived],
    occurrence: Occurrence,
) -> Occurrence:
    """Return a fault as the messages with and without it show it.

    How it was injected is not looked at: messages are compared number by number.

    Parameters
    ----------
    model : RobotModel
        Robot that they are of.
    before, after : sequence of Arrived
        Messages without and with the fault, in order of arrival.
    occurrence : Occurrence
        What was asked for; within its times shares are counted.

    Returns
    -------
    Occurrence
        Where no message shows it the share is zero and other numbers are NaN. A duration without
        end is taken over: what comes after the last message cannot be seen.
    """
    gone, come = _differences(before, after)
    shown = np.array([each.arrival for each in gone or come])
    if not len(shown):
        nothing = {'begin': np.nan, 'duration': np.nan, 'share': 0.0, 'size': np.nan}
        return replace(occurrence, **nothing, messages=0)
    arrivals = np.unique([m.arrival for m in before if isinstance(m.reading, occurrence.kinds)])
    after_begin = arrivals >= occurrence.begin
    end = arrivals[after_begin][0] + occurrence.duration if after_begin.any() else -np.inf
    may = sum(
        isinstance(m.reading, occurrence.kinds) and occurrence.begin <= m.arrival < end
        for m in before
    )
    period = float(np.median(np.diff(arrivals))) if len(arrivals) > 1 else 0.0
    hits = max(len(gone), len(come))
    size = occurrence.fault.size
    read = size.read if size is not None else None
    lasts = float(shown.max() - shown.min()) + period
    return replace(
        occurrence,
        begin=float(shown.min()),
        duration=np.inf if occurrence.duration == np.inf else lasts,
        share=hits / max(may, hits),
        size=occurrence.size if read is None else read(gone, come, model),
        messages=hits,
    )


def tolerances(occurrence: Occurrence, rate: float) -> dict[str, float]:
    """Return how far what messages show of a fault may be from what was asked, by field.

    Parameters
    ----------
    occurrence : Occurrence
        Fault as it was asked for.
    rate : float
        Messages per second that it may hit.
    """
    fault, share = occurrence.fault, max(occurrence.share, 1e-6)
    size = fault.size.tolerance if fault.size is not None else np.inf
    if not fault.is_shown:
        return {'begin': np.inf, 'duration': np.inf, 'share': np.inf, 'size': size}
    wait = (_NEXT if share >= 1.0 else 2.0 + _PATIENCE / share) / rate
    count = max(min(occurrence.duration, _LONGEST) * rate, 1.0)
    chance = np.sqrt(share * max(1.0 - share, 1.0 / count) / count)
    return {
        'begin': wait,
        'duration': 2.0 * wait,
        'share': 6.0 * float(chance) + 3.0 / count,
        'size': size,
    }


def _differences(
    before: Sequence[Arrived], after: Sequence[Arrived]
) -> tuple[list[Arrived], list[Arrived]]:
    """Return the messages that are no longer there, and those that were not."""
    there = Counter(map(id, after))
    there.subtract(map(id, before))  # most are the same objects; of the others numbers count
    gone = _taken(before, +Counter({key: -count for key, count in there.items()}), id)
    come = _taken(after, +there, id)
    more = Counter(map(_numbers, come))
    more.subtract(map(_numbers, gone))
    less = +Counter({key: -count for key, count in more.items()})
    return _taken(gone, less, _numbers), _taken(come, +more, _numbers)


def _taken(messages: Sequence[Arrived], counts: Counter, key: object) -> list[Arrived]:
    """Return messages as often as counted, by their keys."""
    taken = []
    for each in messages if counts else ():
        name = key(each)
        if counts[name] > 0:
            counts[name] -= 1
            taken.append(each)
    return taken


def _numbers(message: Arrived) -> Hashable:
    """Return all numbers of a message, to compare it by."""
    values = (
        value.tobytes() if isinstance(value, np.ndarray) else value
        for value in vars(message.reading).values()
    )
    return (message.arrival, type(message.reading), *values)

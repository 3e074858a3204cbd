"""Faults of stamps: F13 to F17."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.lab.faults.fault import Case, ReadingChange
from spacerobot_id.measurement.readings import Arrived, Reading

_FAR = 1000.0
"""Time by which single stamps are off, s."""

_OVERTAKEN = 0.05
"""Time by which a message is overtaken, s: several of its topic come before it."""


def repeated(
    messages: Sequence[Arrived], hit: NDArray[np.bool_], _case: Case
) -> Iterable[Arrived]:
    """Yield messages, those that are hit twice (F13)."""
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        yield message
        if is_hit:
            yield message


def overtaken(
    messages: Sequence[Arrived], hit: NDArray[np.bool_], _case: Case
) -> Iterable[Arrived]:
    """Yield messages, those that are hit after later ones (F14)."""
    for message, is_hit in zip(messages, hit.tolist(), strict=True):
        yield Arrived(message.arrival + _OVERTAKEN, message.reading) if is_hit else message


def without_stamp(reading: Reading, _case: Case) -> Reading:
    """Return a message without a stamp (F15)."""
    return replace(reading, stamp=0.0)


def far_stamp(reading: Reading, case: Case) -> Reading:
    """Return a message whose stamp is far in the past or the future (F16)."""
    return replace(reading, stamp=reading.stamp + _FAR * case.rng.choice([-0.5, 1.0]))


def moved_stamp(sign: float) -> ReadingChange:
    """Return the change of a message whose stamp is late or early by the size in s.

    Of one sensor that is skew between clocks (F16), of all a clock that jumps (F17).
    """

    def changed(reading: Reading, case: Case) -> Reading:
        return replace(reading, stamp=reading.stamp + sign * case.size)

    return changed

"""Faults of stamps: F13 to F17."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from spacerobot_id.measurement.faults.fault import Change, Injection
from spacerobot_id.measurement.readings import Arrived, Reading

_FAR = 1000.0
"""Time by which single stamps are off, s."""

_OVERTAKEN = 0.05
"""Time by which a message is overtaken, s: several of its topic come before it."""


def repeated(messages: Sequence[Arrived], case: Injection) -> Iterable[Arrived]:
    """Yield messages of which a share come twice (F13)."""
    for message in messages:
        yield message
        if case.rng.random() < case.strength:
            yield message


def overtaken(messages: Sequence[Arrived], case: Injection) -> Iterable[Arrived]:
    """Yield messages of which a share come after later ones (F14)."""
    for message in messages:
        late = _OVERTAKEN * (case.rng.random() < case.strength)
        yield Arrived(message.arrival + late, message.reading)


def without_stamp(reading: Reading, _case: Injection) -> Reading:
    """Return a message without a stamp (F15)."""
    return replace(reading, stamp=0.0)


def far_stamp(reading: Reading, case: Injection) -> Reading:
    """Return a message whose stamp is far in the past or the future (F16)."""
    return replace(reading, stamp=reading.stamp + _FAR * case.rng.choice([-0.5, 1.0]))


def late_stamp(reading: Reading, case: Injection) -> Reading:
    """Return a message whose stamp is late by the strength in s: skew between sensors (F16)."""
    return replace(reading, stamp=reading.stamp + case.strength)


def clock_jump(sign: float) -> Change:
    """Return the fault that the clock of all jumps, forward or back, by the strength (F17)."""

    def changed(messages: Sequence[Arrived], case: Injection) -> Iterable[Arrived]:
        for arrival, reading in messages:
            yield Arrived(arrival, replace(reading, stamp=reading.stamp + sign * case.strength))

    return changed

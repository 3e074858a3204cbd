"""Faults of the way of messages: F20 to F22, F25."""

from collections.abc import Iterable, Sequence
import math

from spacerobot_id.measurement.faults.fault import Change, Injection
from spacerobot_id.measurement.readings import Arrived, Reading


def lost(kinds: tuple[type[Reading], ...]) -> Change:
    """Return the fault that a share of the messages of some kinds are lost (F21)."""

    def changed(messages: Sequence[Arrived], case: Injection) -> Iterable[Arrived]:
        there = case.rng.random(len(messages)) >= case.strength
        for message, is_there in zip(messages, there.tolist(), strict=True):
            if is_there or not isinstance(message.reading, kinds):
                yield message

    return changed


def silent(kind: type[Reading]) -> Change:
    """Return the fault that a stream stops, and returns after the strength in s (F20, F22)."""

    def changed(messages: Sequence[Arrived], case: Injection) -> Iterable[Arrived]:
        for message in messages:
            is_silent = message.arrival < case.begin + case.strength
            if not (is_silent and isinstance(message.reading, kind)):
                yield message

    return changed


def held_back(kind: type[Reading]) -> Change:
    """Return the fault that a stream comes in bursts, the strength in s apart (F25)."""

    def changed(messages: Sequence[Arrived], case: Injection) -> Iterable[Arrived]:
        for message in messages:
            if isinstance(message.reading, kind):
                bursts = math.ceil((message.arrival - case.begin) / case.strength)
                message = Arrived(case.begin + bursts * case.strength, message.reading)
            yield message

    return changed

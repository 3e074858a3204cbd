"""What a fault is, and how one is put into messages from a time on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from spacerobot_id.measurement.readings import Arrived, Reading
from spacerobot_id.model import RobotModel


@dataclass(frozen=True, eq=False)
class Injection:
    """One fault as it is injected.

    Parameters
    ----------
    model : RobotModel
        Robot that the messages are of, for its joints and the noise of its sensors.
    strength : float
        How strong the fault is, in the unit of the fault.
    rng : numpy.random.Generator
        Source of what is random.
    begin : float
        Arrival of the first message that is hit, s.
    """

    model: RobotModel
    strength: float
    rng: np.random.Generator
    begin: float


Change = Callable[[Sequence[Arrived], Injection], Iterable[Arrived]]
"""Returns messages with a fault; what it is given is not changed."""

ReadingChange = Callable[[Reading, Injection], Reading]
"""Returns what one message says with a fault."""


@dataclass(frozen=True, eq=False)
class Fault:
    """A fault that a log can carry.

    Parameters
    ----------
    key : str
        Number of docs/faults.md and a name, such as ``F21 loss``.
    words : str
        What happens.
    strengths : tuple of 3 floats
        Weak, middle, strong.
    unit : str
        Unit of the strengths.
    change : callable
        Injects it.
    kinds : tuple of type
        Kinds of reading of which there must be one for the fault to mean anything.
    """

    key: str
    words: str
    strengths: tuple[float, float, float]
    unit: str
    change: Change
    kinds: tuple[type, ...] = ()


def injected(
    model: RobotModel,
    messages: Sequence[Arrived],
    fault: Fault,
    strength: float,
    begin: float = -np.inf,
    seed: int = 0,
) -> list[Arrived]:
    """Return messages with a fault, in order of arrival.

    Parameters
    ----------
    model : RobotModel
        Robot that they are of.
    messages : sequence of Arrived
        Messages in order of arrival.
    fault : Fault
        Fault.
    strength : float
        How strong, in the unit of the fault.
    begin : float
        Arrival from which on messages are hit, s.
    seed : int
        Seed; the same gives the same messages.
    """
    first = next((k for k, each in enumerate(messages) if each.arrival >= begin), len(messages))
    if first == len(messages):
        return list(messages)
    case = Injection(model, strength, np.random.default_rng(seed), messages[first].arrival)
    changed = [*messages[:first], *fault.change(messages[first:], case)]
    return sorted(changed, key=lambda each: each.arrival)


def in_share(kinds: type | tuple[type, ...], change: ReadingChange) -> Change:
    """Return the change of messages at random; the strength is their share."""

    def changed(messages: Sequence[Arrived], case: Injection) -> Iterable[Arrived]:
        hit = case.rng.random(len(messages)) < case.strength
        for message, is_hit in zip(messages, hit.tolist(), strict=True):
            if is_hit and isinstance(message.reading, kinds):
                message = Arrived(message.arrival, change(message.reading, case))
            yield message

    return changed


def in_all(kinds: type | tuple[type, ...], change: ReadingChange) -> Change:
    """Return the change of all messages of some kinds, by the strength."""

    def changed(messages: Sequence[Arrived], case: Injection) -> Iterable[Arrived]:
        for message in messages:
            if isinstance(message.reading, kinds):
                message = Arrived(message.arrival, change(message.reading, case))
            yield message

    return changed


def for_time(kinds: type | tuple[type, ...], change: ReadingChange) -> Change:
    """Return the change of all messages for a time; the strength is the time, s."""

    def changed(messages: Sequence[Arrived], case: Injection) -> Iterable[Arrived]:
        for message in messages:
            is_hit = message.arrival < case.begin + case.strength
            if is_hit and isinstance(message.reading, kinds):
                message = Arrived(message.arrival, change(message.reading, case))
            yield message

    return changed

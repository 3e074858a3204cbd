"""What a fault is, when it happens, and how it is put into messages."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.streams.imu_stream import ImuStream
from spacerobot_id.measurement.streams.joint_stream import JointStream
from spacerobot_id.measurement.streams.log_streams import Arrived, Reading
from spacerobot_id.measurement.streams.pose_stream import PoseStream
from spacerobot_id.measurement.streams.thrust_stream import ThrustStream
from spacerobot_id.measurement.streams.twist_stream import TwistStream
from spacerobot_id.measurement.streams.wrench_stream import WrenchStream
from spacerobot_id.model import RobotModel

SENSORS: dict[str, type[Reading]] = {
    'joint_states': JointStream,
    'imu/data': ImuStream,
    'base_pose': PoseStream,
    'base_twist': TwistStream,
}
"""Readings of the messages of sensors, by topic."""

HELD: dict[str, type[Reading]] = {'wrench': WrenchStream, 'thruster_commands': ThrustStream}
"""The same of wrenches and commands, which hold until the next."""


@dataclass(frozen=True, eq=False)
class Case:
    """What a fault that is injected goes by.

    Parameters
    ----------
    model : RobotModel
        Robot that the messages are of, for its joints and the noise of its sensors.
    size : float
        How large the fault is, in SI units; NaN for one without a size.
    rng : numpy.random.Generator
        Source of what is random.
    begin : float
        Arrival of the first message that may be hit, s.
    """

    model: RobotModel
    size: float
    rng: np.random.Generator
    begin: float


Change = Callable[[Sequence[Arrived], NDArray[np.bool_], Case], Iterable[Arrived]]
"""Returns messages with a fault in those that are hit; what it is given is not changed."""

MessageChange = Callable[[Arrived, Case], Iterable[Arrived]]
"""Returns what comes in place of one message with a fault."""

ReadingChange = Callable[[Reading, Case], Reading]
"""Returns the reading of one message with a fault."""

ReadSize = Callable[[Sequence[Arrived], Sequence[Arrived], RobotModel], float]
"""Returns the size of a fault from messages without and with it, SI units."""


@dataclass(frozen=True, eq=False)
class Size:
    """What the size of a fault is.

    Parameters
    ----------
    unit : str
        SI unit.
    read : callable, optional
        Reads it from the messages; None if they do not show it.
    scale : float
        SI units in one of the unit of the strengths.
    tolerance : float
        How far what is read may be from what was asked.
    """

    unit: str
    read: ReadSize | None = None
    scale: float = 1.0
    tolerance: float = 1e-6


@dataclass(frozen=True, eq=False)
class Fault:
    """A fault that a log can carry.

    Parameters
    ----------
    key : str
        Number of docs/faults.md and a name, such as ``F21 loss``.
    description : str
        What happens.
    grows_by : str
        What its strength is: ``share`` of the messages, ``duration`` or ``size``.
    strengths : tuple of 3 floats
        Weak, middle, strong.
    unit : str
        Unit of the strengths.
    change : callable
        Injects it.
    kinds : tuple of type
        Kinds of reading that it hits; of all if empty.
    size : Size, optional
        What its size is; None if it has none.
    is_shown : bool
        Whether every message that it hits is another one then.
    """

    key: str
    description: str
    grows_by: Literal['share', 'duration', 'size']
    strengths: tuple[float, float, float]
    unit: str
    change: Change
    kinds: tuple[type[Reading], ...] = ()
    size: Size | None = None
    is_shown: bool = True

    def occurrence(self, strength: float, begin: float = -np.inf) -> 'Occurrence':
        """Return the fault in a strength, from the arrival of a message on."""
        scale = self.size.scale if self.grows_by == 'size' else 1.0
        return Occurrence(self, begin, **{self.grows_by: scale * strength})


@dataclass(frozen=True)
class Occurrence:
    """A fault, when it happens, and to which messages.

    Parameters
    ----------
    fault : Fault
        What happens.
    begin : float
        Arrival from which on messages are hit, s.
    duration : float
        How long, s.
    share : float
        Share of the messages within that time that are hit, at random.
    size : float
        How large it is, SI units; NaN for a fault without a size.
    stream : str
        Topic that alone is hit; all that the fault can hit if empty.
    """

    fault: Fault
    begin: float = -np.inf
    duration: float = np.inf
    share: float = 1.0
    size: float = np.nan
    stream: str = ''

    @property
    def kinds(self) -> tuple[type[Reading], ...]:
        """Kinds of reading that are hit."""
        if self.stream:
            return ((SENSORS | HELD)[self.stream],)
        return self.fault.kinds or (*SENSORS.values(), *HELD.values())


def injected(
    model: RobotModel,
    messages: Sequence[Arrived],
    occurrence: Occurrence,
    seed: int | Sequence[int] = 0,
) -> list[Arrived]:
    """Return messages with a fault, in order of arrival.

    Parameters
    ----------
    model : RobotModel
        Robot that they are of.
    messages : sequence of Arrived
        Messages in order of arrival.
    occurrence : Occurrence
        What happens, and when.
    seed : int or sequence of int
        Seed; the same gives the same messages.
    """
    at = occurrence
    first = next((k for k, each in enumerate(messages) if each.arrival >= at.begin), len(messages))
    if first == len(messages):
        return list(messages)
    later = messages[first:]
    case = Case(model, at.size, np.random.default_rng(seed), later[0].arrival)
    hit = np.array([isinstance(each.reading, at.kinds) for each in later])
    hit &= np.array([each.arrival for each in later]) < case.begin + at.duration
    if at.share < 1.0:
        hit &= case.rng.random(len(later)) < at.share
    changed = [*messages[:first], *at.fault.change(later, hit, case)]
    return sorted(changed, key=lambda each: each.arrival)


def of_messages(change: MessageChange) -> Change:
    """Return the change of every message that is hit into none, one or several."""

    def changed(
        messages: Sequence[Arrived], hit: NDArray[np.bool_], case: Case
    ) -> Iterable[Arrived]:
        for message, is_hit in zip(messages, hit.tolist(), strict=True):
            yield from change(message, case) if is_hit else (message,)

    return changed


def of_each(change: ReadingChange) -> Change:
    """Return the change of the reading of every message that is hit."""
    return of_messages(lambda each, case: [Arrived(each.arrival, change(each.reading, case))])


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
        return replace(occurrence, **nothing)
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

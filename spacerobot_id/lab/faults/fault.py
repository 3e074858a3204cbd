"""What a fault is, when it happens, and how it is put into messages."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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
    messages : int
        Messages that were hit, where that is known.
    """

    fault: Fault
    begin: float = -np.inf
    duration: float = np.inf
    share: float = 1.0
    size: float = np.nan
    stream: str = ''
    messages: int = 0

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


def of_each(change: ReadingChange) -> Change:
    """Return the change of every message that is hit, each for itself."""

    def changed(
        messages: Sequence[Arrived], hit: NDArray[np.bool_], case: Case
    ) -> Iterable[Arrived]:
        for message, is_hit in zip(messages, hit.tolist(), strict=True):
            if is_hit:
                message = Arrived(message.arrival, change(message.reading, case))
            yield message

    return changed

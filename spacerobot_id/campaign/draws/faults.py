"""Faults of messages that a log can carry, put into the streams of a flight before it is read.

Each kind is one of those that the package is to survive (docs/faults.md); what it did is read from
the messages again, so that a fault that did not come about is seen.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
import zlib

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.bag.streams import BagStreams, Stream, taken

STREAM_NAMES = {
    'joint_states': 'joints',
    'imu/data': 'imu',
    'base_pose': 'pose',
    'base_twist': 'twist',
}
"""Streams of sensors by their topics."""

_STAMPS = ('stamps', 'arrivals')
_FAR_OFF = 1e6
"""What is added to a stamp that is far off, s."""

_PATIENCE, _LONGEST = 20.0, 60.0
"""Expected hits to wait for until one must have come, and duration that is counted on, s."""


@dataclass(frozen=True)
class Fault:
    """Something that happens to the messages of one stream.

    Parameters
    ----------
    kind : str
        One of ``FAULTS``.
    stream : str
        Topic, one of ``STREAM_NAMES``.
    begin, duration : float
        When, after the motion begins, and for how long, s.
    share : float
        Share of the messages within that time that it happens to.
    size : float
        How large it is, for faults that have a size, s.
    messages : int
        Messages that it happened to, where that is known.
    """

    kind: str
    stream: str
    begin: float = 0.0
    duration: float = np.inf
    share: float = 1.0
    size: float = 0.0
    messages: int = 0


def with_faults(
    streams: BagStreams, faults: Mapping[str, Fault], begin: float, seed: int
) -> tuple[BagStreams, dict[str, Fault]]:
    """Return streams with faults in them, and the faults as they are found in the messages.

    Parameters
    ----------
    streams : BagStreams
        Streams of a flight.
    faults : mapping of str to Fault
        Faults by name.
    begin : float
        When the motion begins, s.
    seed : int
        Seed of which messages are hit.
    """
    found = {}
    for name, fault in faults.items():
        key = STREAM_NAMES[fault.stream]
        stream = getattr(streams, key)
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        after = stream.stamps - begin - fault.begin
        within = (after >= 0.0) & (after < fault.duration)
        hit = within & (rng.random(len(after)) < fault.share)
        changed = FAULTS[fault.kind].inject(stream, np.flatnonzero(hit), fault, rng)
        streams = replace(streams, **{key: changed})
        found[name] = _as_found(fault, stream, changed, within, begin)
    return streams, found


def tolerances(fault: Fault, rate: float) -> dict[str, float]:
    """Return how far what messages show of a fault may be from what was asked, by field.

    Parameters
    ----------
    fault : Fault
        Fault as it was asked for.
    rate : float
        Messages per second.
    """
    share = max(fault.share, 1e-6)
    wait = (2.0 + _PATIENCE / share) / rate  # until the first that is hit, almost surely
    count = max(min(fault.duration, _LONGEST) * rate, 1.0)
    chance = np.sqrt(share * max(1.0 - share, 1.0 / count) / count)
    sure = fault.share < 1.0
    return {
        'begin': wait if sure else 2.0 / rate,
        'duration': 2.0 * wait if sure else 3.0 / rate,
        'share': 6.0 * float(chance) + 2.0 / count,
        'size': 1e-9,
    }


def _as_found(
    fault: Fault, before: Stream, after: Stream, within: NDArray[np.bool_], begin: float
) -> Fault:
    """Return a fault as messages before and after show it."""
    rows = np.flatnonzero(_touched(before, after))
    if not len(rows):
        return replace(fault, begin=np.nan, duration=np.nan, share=0.0, size=np.nan, messages=0)
    period = float(np.median(np.diff(before.stamps)))
    first, last = before.stamps[rows[0]] - begin, before.stamps[rows[-1]] - begin
    size = fault.size
    if FAULTS[fault.kind].has_size:
        size = float(np.median(after.stamps[rows] - before.stamps[rows]))
    lasts = float(last - first) + period
    return replace(
        fault,
        begin=float(first),
        duration=np.inf if fault.duration == np.inf else lasts,
        share=len(rows) / max(int(within.sum()), len(rows)),
        size=size,
        messages=len(rows),
    )


def _touched(before: Stream, after: Stream) -> NDArray[np.bool_]:
    """Return which messages of a stream are no longer as they were, shape (N,)."""
    if len(before.stamps) != len(after.stamps):
        stamps, counts = np.unique(after.stamps, return_counts=True)
        there = dict(zip(stamps.tolist(), counts.tolist(), strict=True))
        return np.array([there.get(stamp, 0) != 1 for stamp in before.stamps.tolist()])
    differs = before.stamps != after.stamps
    for name, column in _columns(before).items():
        same = np.isclose(column, getattr(after, name), rtol=0.0, atol=0.0, equal_nan=True)
        differs |= ~same.reshape(len(same), -1).all(axis=1)
    return differs


@dataclass(frozen=True)
class FaultKind:
    """What a fault does to messages.

    Parameters
    ----------
    number : str
        Its number in docs/faults.md.
    says : str
        What it is, in a sentence.
    inject : callable
        Returns the stream with the fault in some of its messages.
    has_size : bool
        Whether it has a size.
    """

    number: str
    says: str
    inject: Callable[[Stream, NDArray[np.intp], Fault, np.random.Generator], Stream]
    has_size: bool = False


def _columns(stream: Stream) -> dict[str, NDArray[np.float64]]:
    """Return the readings of a stream, stamps apart."""
    return {
        each.name: value
        for each in fields(stream)
        if each.name not in _STAMPS and isinstance(value := getattr(stream, each.name), np.ndarray)
    }


def _set(stream: Stream, rows: NDArray[np.intp], value: float) -> Stream:
    """Return a stream with all readings of some messages at a value."""
    changed = {}
    for name, column in _columns(stream).items():
        changed[name] = column.copy()
        changed[name][rows] = value
    return replace(stream, **changed)


def _not_a_number(stream: Stream, rows: NDArray[np.intp], *_: object) -> Stream:
    return _set(stream, rows, np.nan)


def _infinite(stream: Stream, rows: NDArray[np.intp], *_: object) -> Stream:
    return _set(stream, rows, np.inf)


def _no_velocity(stream: Stream, rows: NDArray[np.intp], *_: object) -> Stream:
    velocities = stream.velocities.copy()
    velocities[rows] = np.nan
    return replace(stream, velocities=velocities)


def _zero_quaternion(stream: Stream, rows: NDArray[np.intp], *_: object) -> Stream:
    return _attitudes(stream, rows, 0.0)


def _flipped_quaternion(stream: Stream, rows: NDArray[np.intp], *_: object) -> Stream:
    return _attitudes(stream, rows, -1.0)


def _attitudes(stream: Stream, rows: NDArray[np.intp], factor: float) -> Stream:
    attitudes = stream.attitudes.copy()
    attitudes[rows] *= factor
    return replace(stream, attitudes=attitudes)


def _reordered_joints(stream: Stream, *_: object) -> Stream:
    count = len(stream.names)
    turned = np.arange(count)[::-1]
    names = tuple(stream.names[place] for place in turned)
    return replace(
        stream, names=names, **{key: column[:, turned] for key, column in _columns(stream).items()}
    )


def _frozen(stream: Stream, rows: NDArray[np.intp], *_: object) -> Stream:
    changed = {}
    for name, column in _columns(stream).items():
        changed[name] = column.copy()
        changed[name][rows] = column[rows[0]] if len(rows) else 0.0
    return replace(stream, **changed)


def _duplicated(stream: Stream, rows: NDArray[np.intp], *_: object) -> Stream:
    return taken(stream, np.sort(np.concatenate([np.arange(len(stream.stamps)), rows])))


def _lost(stream: Stream, rows: NDArray[np.intp], *_: object) -> Stream:
    return taken(stream, np.setdiff1d(np.arange(len(stream.stamps)), rows))


def _zero_stamp(stream: Stream, rows: NDArray[np.intp], *_: object) -> Stream:
    stamps = stream.stamps.copy()
    stamps[rows] = 0.0
    return replace(stream, stamps=stamps)


def _stamp_far_off(
    stream: Stream, rows: NDArray[np.intp], _: Fault, rng: np.random.Generator
) -> Stream:
    stamps = stream.stamps.copy()
    stamps[rows] += np.where(rng.random(len(rows)) < 0.5, -_FAR_OFF, _FAR_OFF)
    return replace(stream, stamps=stamps)


def _swapped(stream: Stream, rows: NDArray[np.intp], *_: object) -> Stream:
    """Return a stream in which some messages come after the next one."""
    order = np.arange(len(stream.stamps))
    for row in rows[rows + 1 < len(order)]:
        order[[row, row + 1]] = order[[row + 1, row]]
    return replace(taken(stream, order), arrivals=stream.arrivals)


def _clock_jump(stream: Stream, rows: NDArray[np.intp], fault: Fault, *_: object) -> Stream:
    stamps = stream.stamps.copy()
    stamps[rows] += fault.size
    return replace(stream, stamps=stamps)


FAULTS = {
    'joint_order': FaultKind(
        'F1', 'the joints of a log stand in reverse order', _reordered_joints
    ),
    'no_velocity': FaultKind('F4', 'joint rates are NaN', _no_velocity),
    'not_a_number': FaultKind('F6', 'all readings are NaN', _not_a_number),
    'infinite': FaultKind('F6', 'all readings are infinite', _infinite),
    'zero_quaternion': FaultKind('F7', 'attitudes are quaternions of zeros', _zero_quaternion),
    'flipped_quaternion': FaultKind('F8', 'attitudes have the other sign', _flipped_quaternion),
    'frozen': FaultKind('F12', 'readings stay as they were, bit for bit', _frozen),
    'duplicate_stamp': FaultKind('F13', 'messages come twice', _duplicated),
    'out_of_order': FaultKind('F14', 'messages come after later ones', _swapped),
    'zero_stamp': FaultKind('F15', 'stamps are zero', _zero_stamp),
    'stamp_far_off': FaultKind('F16', 'stamps are far in the past or future', _stamp_far_off),
    'clock_skew': FaultKind(
        'F16', 'the clock of a sensor is off by the size', _clock_jump, has_size=True
    ),
    'lost': FaultKind('F21, F22', 'messages never come', _lost),
}
"""What can happen to messages, by kind."""

_OF_STREAMS = {
    'zero_quaternion': ('base_pose',),
    'flipped_quaternion': ('base_pose',),
    'joint_order': ('joint_states',),
    'no_velocity': ('joint_states',),
}
"""Streams that some faults are of; the others are of all."""


def fits(kind: str, stream: str) -> bool:
    """Return whether a fault can happen to a stream."""
    return stream in _OF_STREAMS.get(kind, tuple(STREAM_NAMES))

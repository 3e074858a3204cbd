"""What the topics of a bed carry: types, rates, stamps and fields, from some of their messages."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
import re

import numpy as np

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.adapters.from_fields import field_names, path_getter
from spacerobot_id.measurement.bag.opened import Log, opened
from spacerobot_id.measurement.bag.recorded import Recorded
from spacerobot_id.measurement.codecs import NANOSECONDS, seconds_from_stamp
from spacerobot_id.model.description.description import Place

_STAMPS = ('header.stamp', 'stamp', 'timestamp_sample', 'timestamp', 'time')
"""Fields that are likely to be the time, the likeliest first."""

_MOST = 2000
"""Messages of a topic whose times are kept."""

_NEAR = 3600.0
"""Distance of a stamp from its receipt beyond which it is of another clock, s."""


@dataclass(frozen=True)
class ObservedTopic:
    """A topic.

    Parameters
    ----------
    topic, kind : str
        Name and type.
    count : int
        Messages seen.
    rate : float
        Messages per second; 0 if that is not known.
    stamp : str
        Field with the time; empty if there is none.
    stamp_unit : str
        Unit of the field: empty for a time of ROS, else ``ns``, ``us``, ``ms`` or ``s``.
    lag : float, optional
        Middle time from stamp to receipt, s; None where stamps are of another clock.
    fields : mapping of str to str
        What each field is: number, text, time, vector, quaternion, names, ``8 numbers``.
    missing : str
        Why nothing is known of the fields.
    stated : int
        Messages that the folder of a log states, where there are fewer.
    names : tuple of str
        Joints or thrusters that the first message names.
    """

    topic: str
    kind: str
    count: int = 0
    rate: float = 0.0
    stamp: str = ''
    stamp_unit: str = ''
    lag: float | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    missing: str = ''
    stated: int = 0
    names: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON has it."""
        return asdict(self)


class TopicObserver:
    """Looks at the messages of a topic.

    Parameters
    ----------
    topic, kind : str
        Name and type.
    """

    def __init__(self, topic: str, kind: str) -> None:
        self.topic, self.kind = topic, kind
        self._count = 0
        self._arrivals: list[float] = []
        self._stamps: list[float] = []
        self._fields: dict[str, str] = {}
        self._stamp = ''
        self._names: tuple[str, ...] = ()

    @property
    def is_full(self) -> bool:
        """Whether more messages would show no more."""
        return len(self._arrivals) >= _MOST

    def take(self, message: object, arrival: float) -> None:
        """Take a message that came at a time, s."""
        self._count += 1
        if self.is_full:
            return
        if not self._fields or not self._arrivals:
            self._fields = described_fields(message)
            found = [
                path
                for each in _STAMPS
                for path, what in self._fields.items()
                if what in ('time', 'number') and re.fullmatch(rf'(\w+\[0\]\.)?{each}', path)
            ]
            stamped = [each for each in found if _seconds(message, each)]
            self._stamp = (stamped or found or [''])[0]
            if self._fields.get('name') == 'names':
                self._names = tuple(message.name)
        if self._stamp:
            try:
                self._stamps.append(_seconds(message, self._stamp))
            except MeasurementError:  # there is nothing in this one
                return
        self._arrivals.append(arrival)

    def observed(self) -> ObservedTopic:
        """Return what has been seen."""
        span = self._arrivals[-1] - self._arrivals[0] if self._arrivals else 0.0
        rate = (len(self._arrivals) - 1) / span if span > 0.0 else 0.0
        unit, lag = self._clock()
        return ObservedTopic(
            self.topic,
            self.kind,
            self._count,
            rate,
            self._stamp,
            unit,
            lag,
            self._fields,
            names=self._names,
        )

    def _clock(self) -> tuple[str, float | None]:
        """Return the unit of the stamps, and how long after them messages came."""
        if not self._stamps:
            return '', None
        arrivals, stamps = np.array(self._arrivals), np.array(self._stamps)
        if self._fields[self._stamp] == 'time':
            lag = float(np.median(arrivals - stamps))
            return '', lag if abs(lag) < _NEAR else None
        scales = {'s': 1.0, 'ms': 1e-3, 'us': 1e-6, 'ns': 1e-9}
        for unit, scale in scales.items():
            lag = float(np.median(arrivals - scale * stamps))
            if abs(lag) < _NEAR and stamps.any():
                return unit, lag
        steps = np.median(np.diff(stamps)) if len(stamps) > 1 else 0.0
        wanted = np.median(np.diff(arrivals)) if len(arrivals) > 1 else 1.0
        off = {unit: abs(np.log(max(scale * steps, 1e-12) / max(wanted, 1e-12)))
               for unit, scale in scales.items()}  # fmt: skip
        return min(off, key=off.__getitem__), None


def _seconds(message: object, path: str) -> float:
    """Return a time, s, or a number as it is."""
    value = path_getter(path, message, Place('', path))(message)
    return seconds_from_stamp(value) if hasattr(value, 'nanosec') else float(value)


def described_fields(message: object, prefix: str = '') -> dict[str, str]:
    """Return what the fields of a message are, by their paths."""
    found: dict[str, str] = {}
    for name in field_names(message):
        value, path = getattr(message, name), f'{prefix}{name}'
        what = _described(value)
        if what:
            found[path] = what
        elif field_names(value):
            found |= described_fields(value, f'{path}.')
        elif hasattr(value, '__len__') and len(value):
            found |= described_fields(value[0], f'{path}[0].')
        else:
            found[path] = 'empty'
    return found


def _described(value: object) -> str:
    """Return what a value is; empty for a message, or several, of some type."""
    if hasattr(value, 'nanosec'):
        return 'time'
    if hasattr(value, 'w') and hasattr(value, 'x'):
        return 'quaternion'
    if hasattr(value, 'x') and hasattr(value, 'z'):
        return 'vector'
    if isinstance(value, str):
        return 'text'
    if isinstance(value, int | float | np.number | np.bool_):
        return 'number'
    if isinstance(value, np.ndarray) or type(value).__name__ == 'array':
        return f'{len(value)} numbers' if len(value) else 'empty'
    if isinstance(value, list | tuple) and len(value):
        if all(isinstance(each, str) for each in value):
            return 'names'
        return f'{len(value)} numbers' if not field_names(value[0]) else ''
    return ''


def topics_of_bag(path: str | Path) -> tuple[ObservedTopic, ...]:
    """Return the topics of a log, by name.

    Raises
    ------
    MeasurementError
        If it cannot be read.
    """
    with opened(path) as log:
        return tuple(
            _observed(log, each) for each in sorted(log.connections, key=lambda each: each.topic)
        )


def _observed(log: Log, connection: Recorded) -> ObservedTopic:
    """Return a topic of a log."""
    topic, kind, count = connection.topic, connection.msgtype, connection.msgcount
    observer, missing = TopicObserver(topic, kind), log.why_unreadable(connection)
    try:
        for _, arrival, data in log.as_written([connection]) if not missing else ():
            observer.take(log.message(data, kind), arrival / NANOSECONDS)
            if observer.is_full:
                break
    except Exception as error:  # messages of one topic that are damaged leave the others readable
        missing = f'a message cannot be read: {error}'
    observed = ObservedTopic(topic, kind, missing=missing) if missing else observer.observed()
    stated = log.folder.stated.get(topic, 0)
    return replace(observed, count=count, stated=stated if stated > count else 0)

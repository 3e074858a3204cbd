"""Joint states, wheels among them: read, written, and as columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.bag.cdr_columns import Columns
from spacerobot_id.measurement.codecs import header, Make, seconds_from_stamp
from spacerobot_id.measurement.streams.stream_kind import (
    Arrivals,
    named,
    OfRow,
    Read,
    stamps_of,
    StreamKind,
    times_of,
)
from spacerobot_id.model import RobotModel

_JOINT_FIELDS = {'positions': 'position', 'velocities': 'velocity', 'efforts': 'effort'}
"""What the arrays of joint states are called in messages."""


@dataclass(frozen=True, eq=False)
class JointReading:
    """Joints as one message has them.

    Parameters
    ----------
    stamp : float
        Time, s.
    names : tuple of str
        Names of the m joints.
    positions, velocities : ndarray, shape (m,)
        rad and rad/s, or m and m/s; empty where the message does not give them, NaN by ``of``.
    efforts : ndarray, shape (m,)
        Torques, N m, or forces, N; likewise.
    """

    stamp: float
    names: tuple[str, ...]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    efforts: NDArray[np.float64]

    def of(self, names: Sequence[str]) -> 'JointReading':
        """Return some joints in a given order, found by name (F1); others are ignored (F2).

        Raises
        ------
        MeasurementError
            If one of them is missing or any is named twice, or positions or velocities have
            another number than the names.
        """
        found = self.partly(names)
        missing = [] if found is self else [name for name in names if name not in self.names]
        if missing:
            raise MeasurementError(f'joint {", ".join(missing)} is missing')
        return found

    def partly(self, names: Sequence[str]) -> 'JointReading':
        """Return some joints in a given order as ``of`` does; NaN where they are missing."""
        sizes = {len(self.positions), len(self.velocities), len(self.efforts)}
        if self.names == names and sizes == {len(names)}:
            return self
        places = {name: place for place, name in enumerate(self.names)}
        if len(places) != len(self.names):
            raise MeasurementError('a joint is named twice')
        there = [row for row, name in enumerate(names) if name in places]
        rows, unknown = [places[names[row]] for row in there], np.full(len(names), np.nan)
        values = {}
        for field, what in _JOINT_FIELDS.items():
            given = getattr(self, field)
            if len(given) == len(places):
                values[field] = unknown.copy()
                values[field][there] = given[rows]
            elif len(given) and what != 'effort':  # few need efforts: bad is as good as none
                raise MeasurementError(f'{len(given)} {what} values for {len(places)} joints')
            else:
                values[field] = unknown
        return JointReading(self.stamp, tuple(names), **values)

    def given(self) -> NDArray[np.bool_]:
        """Return of which joints there is a position, a velocity or an effort, shape (m,)."""
        return ~np.isnan([self.positions, self.velocities, self.efforts]).all(axis=0)


@dataclass(frozen=True, eq=False)
class JointStream:
    """Joint states, wheels among them: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    names : tuple of str
        Names of the m joints.
    positions, velocities : ndarray, shape (N, m)
        rad and rad/s, or m and m/s; NaN where a message does not give it.
    efforts : ndarray, shape (N, m), optional
        Torques, N m, or forces, N; NaN where a message does not give it, None where none does.
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    names: tuple[str, ...]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    efforts: NDArray[np.float64] | None = None


def joints_from_message(message: Any) -> JointReading:  # noqa: ANN401
    """Return the joints of a ``sensor_msgs/msg/JointState``, arrays as they are."""
    arrays = (message.position, message.velocity, message.effort)
    values = (np.asarray(each, dtype=float) for each in arrays)
    return JointReading(seconds_from_stamp(message.header.stamp), tuple(message.name), *values)


def joint_state_message(
    make: Make,
    stamp: float,
    names: Sequence[str],
    positions: ArrayLike,
    velocities: ArrayLike,
    efforts: ArrayLike = (),
) -> object:
    """Return a message of joints, values in the order of the names; no efforts by default."""
    return make(
        'sensor_msgs/msg/JointState',
        header=header(make, stamp),
        name=list(names),
        position=np.asarray(positions, dtype=float),
        velocity=np.asarray(velocities, dtype=float),
        effort=np.asarray(efforts, dtype=float),
    )


def _of_columns(columns: Columns, arrivals: Arrivals) -> JointStream | None:
    names = tuple(columns.common('name'))
    if not names or len(set(names)) < len(names):
        return None
    given = (columns.numbers(field) for field in ('position', 'velocity', 'effort'))
    unknown = np.full((len(columns), len(names)), np.nan)
    tables = [each if each.shape[1] == len(names) else unknown for each in given]
    efforts = None if np.isnan(tables[2]).all() else tables[2]
    return JointStream(stamps_of(columns), arrivals, names, *tables[:2], efforts)


def _of_read(path: str, read: Sequence[Read]) -> JointStream:
    """Return joints by name: their order may differ from message to message (F1).

    What a message does not give, or gives in arrays of another size than its names, is NaN.
    """
    readings = [each.reading for each in read]
    names = tuple(dict.fromkeys(name for each in readings for name in each.names))
    columns = {name: column for column, name in enumerate(names)}
    values = np.full((3, len(readings), len(names)), np.nan)
    for row, each in enumerate(readings):
        there = [columns[name] for name in each.names]
        if len(set(there)) < len(there):
            continue
        for part, given in enumerate((each.positions, each.velocities, each.efforts)):
            if len(given) == len(there):
                values[part, row, there] = given
    if all(len(set(each.names)) < len(each.names) for each in readings):
        raise MeasurementError(f'{named(path, read)}: a joint is named twice')
    positions, velocities, efforts = values
    given = None if np.isnan(efforts).all() else efforts
    return JointStream(*times_of(read), names, positions, velocities, given)


def _of_row(model: RobotModel, stream: JointStream) -> OfRow:
    names, columns = stream.names, slice(None)
    wanted = model.joint_names + model.wheel_names
    if set(wanted) <= set(names):  # by name once, and not for every message
        names, columns = wanted, [names.index(name) for name in wanted]
    efforts = np.full_like(stream.positions, np.nan) if stream.efforts is None else stream.efforts
    tables = [each[:, columns] for each in (stream.positions, stream.velocities, efforts)]
    stamps = stream.stamps.tolist()
    return lambda row: JointReading(stamps[row], names, *(table[row] for table in tables))


def _messages(make: Make, stream: JointStream) -> Iterator[object]:
    none = np.zeros((len(stream.stamps), 0))
    efforts = none if stream.efforts is None else stream.efforts
    rows = (stream.stamps.tolist(), stream.positions, stream.velocities, efforts)
    for stamp, *values in zip(*rows, strict=True):
        yield joint_state_message(make, stamp, stream.names, *values)


JOINTS = StreamKind(
    JointReading,
    JointStream,
    {'sensor_msgs/msg/JointState': joints_from_message},
    _of_columns,
    _of_read,
    _of_row,
    _messages,
)
"""Joint states."""

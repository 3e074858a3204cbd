"""Joint states, wheels among them: read, written, and as columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.codecs import header, Make
from spacerobot_id.measurement.streams.stream_kind import (
    Fields,
    MessageStream,
    stamps_of,
    StreamKind,
)

if TYPE_CHECKING:
    from typing import Self

_JOINT_FIELDS = {'positions': 'position', 'velocities': 'velocity', 'efforts': 'effort'}
"""What the arrays of joint states are called in messages."""


@dataclass(frozen=True, eq=False)
class JointStream(MessageStream):
    """Joint states, wheels among them: every row is one message, or it is one alone.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        When it was so, and when the message came, s.
    names : tuple of str
        Names of the m joints.
    positions, velocities : ndarray, shape (N, m)
        rad and rad/s, or m and m/s; NaN where a message does not give it. Of one alone the arrays
        are as they came, and empty perhaps.
    efforts : ndarray, shape (N, m), optional
        Torques, N m, or forces, N; likewise, and None where no message gives one.
    """

    names: tuple[str, ...]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    efforts: NDArray[np.float64] | None = None

    def of(self, names: Sequence[str]) -> 'Self':
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

    def partly(self, names: Sequence[str]) -> 'Self':
        """Return some joints in a given order as ``of`` does; NaN where they are missing."""
        arrays = [getattr(self, field) for field in _JOINT_FIELDS]
        sizes = [0 if each is None else each.shape[-1] for each in arrays]
        if self.names == names and set(sizes) == {len(names)}:
            return self
        places = {name: place for place, name in enumerate(self.names)}
        if len(places) != len(self.names):
            raise MeasurementError('a joint is named twice')
        there = [row for row, name in enumerate(names) if name in places]
        rows, values = [places[names[row]] for row in there], {}
        for (field, what), given, size in zip(_JOINT_FIELDS.items(), arrays, sizes, strict=True):
            values[field] = np.full((*np.shape(self.stamps), len(names)), np.nan)
            if size == len(places) and given is not None:
                values[field][..., there] = given[..., rows]
            elif size and what != 'effort':  # few need efforts: bad is as good as none
                raise MeasurementError(f'{size} {what} values for {len(places)} joints')
        return replace(self, names=tuple(names), **values)

    @property
    def table(self) -> NDArray[np.float64]:
        """Positions, velocities and efforts of one message alone, shape (3, m)."""
        return np.stack([self.positions, self.velocities, self.efforts])

    def completed(self) -> 'Self | None':
        """Return arrays of all joints, NaN where they had another size; None if one is twice."""
        if not self.names or len(set(self.names)) < len(self.names):
            return None
        unknown = np.full((len(self.stamps), len(self.names)), np.nan)
        given = (getattr(self, field) for field in _JOINT_FIELDS)
        tables = [each if each.shape[1] == len(self.names) else unknown for each in given]
        return self._with(self.names, tables)

    @classmethod
    def joined(cls, messages: Sequence['Self'], source: str) -> 'Self':
        """Return joints by name: their order may differ from message to message (F1).

        What a message does not give, or gives in arrays of another size than its names, is NaN.
        """
        names = tuple(dict.fromkeys(name for each in messages for name in each.names))
        columns = {name: column for column, name in enumerate(names)}
        values = np.full((3, len(messages), len(names)), np.nan)
        for row, each in enumerate(messages):
            there = [columns[name] for name in each.names]
            if len(set(there)) < len(there):
                continue
            for part, field in enumerate(_JOINT_FIELDS):
                given = getattr(each, field)
                if given is not None and len(given) == len(there):
                    values[part, row, there] = given
        if all(len(set(each.names)) < len(each.names) for each in messages):
            raise MeasurementError(f'{source}: a joint is named twice')
        stamps, arrivals = np.array([(each.stamps, each.arrivals) for each in messages]).T
        return cls(stamps, arrivals, names, *values[:2])._with(names, values)

    def _with(self, names: tuple[str, ...], tables: Sequence[NDArray[np.float64]]) -> 'Self':
        """Return the messages with positions, velocities and efforts; these None if unknown."""
        efforts = None if np.isnan(tables[2]).all() else tables[2]
        return type(self)(self.stamps, self.arrivals, names, *tables[:2], efforts)


def _decoded(columns: Fields, arrivals: NDArray[np.float64]) -> JointStream:
    """Return the joints of a ``sensor_msgs/msg/JointState``, arrays as they are."""
    values = (columns.numbers(each) for each in _JOINT_FIELDS.values())
    return JointStream(stamps_of(columns), arrivals, tuple(columns.common('name')), *values)


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


def _encoded(make: Make, one: JointStream) -> object:
    efforts = () if one.efforts is None else one.efforts
    return joint_state_message(make, one.stamp, one.names, one.positions, one.velocities, efforts)


JOINTS = StreamKind(JointStream, ('sensor_msgs/msg/JointState',), _decoded, _encoded)
"""Joint states."""

joints_from_message = JOINTS.of_message

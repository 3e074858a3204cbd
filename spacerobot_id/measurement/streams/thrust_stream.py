"""Commands of thrusters: read, written, and as columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.bag.cdr_columns import Columns
from spacerobot_id.measurement.codecs import Make, seconds_from_stamp
from spacerobot_id.measurement.streams.joint_stream import joint_state_message
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


@dataclass(frozen=True, eq=False)
class ThrustReading:
    """Commands of thrusters.

    Parameters
    ----------
    stamp : float
        Time from which they hold, s.
    names : tuple of str
        Thrusters.
    shares : ndarray, shape (m,)
        Shares of their strength: 0 closed, 1 open, between for a share of the time.
    """

    stamp: float
    names: tuple[str, ...]
    shares: NDArray[np.float64]

    def of(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return the shares of some thrusters in a given order; those not named are closed.

        Raises
        ------
        MeasurementError
            If one is unknown or named twice, or there is not one share for each.
        """
        if len(self.shares) != len(self.names):
            raise MeasurementError(
                f'{len(self.shares)} effort values for {len(self.names)} thrusters'
            )
        places = {name: place for place, name in enumerate(names)}
        unknown = [name for name in self.names if name not in places]
        if unknown:
            raise MeasurementError(f'thruster {", ".join(unknown)} is not in the description')
        if len(set(self.names)) != len(self.names):
            raise MeasurementError('a thruster is named twice')
        shares = np.zeros(len(names))
        shares[[places[name] for name in self.names]] = self.shares
        return shares


@dataclass(frozen=True, eq=False)
class ThrustStream:
    """Commands of thrusters: every row is one message.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        From when the commands hold, and when the message came, s.
    names : tuple of str
        The T thrusters.
    shares : ndarray, shape (N, T)
        Shares of their strength.
    """

    stamps: NDArray[np.float64]
    arrivals: NDArray[np.float64]
    names: tuple[str, ...]
    shares: NDArray[np.float64]


def thrust_from_message(message: Any) -> ThrustReading:  # noqa: ANN401
    """Return commands of thrusters: the efforts of a ``sensor_msgs/msg/JointState``."""
    shares = np.asarray(message.effort, dtype=float)
    return ThrustReading(seconds_from_stamp(message.header.stamp), tuple(message.name), shares)


def _of_columns(columns: Columns, arrivals: Arrivals) -> ThrustStream | None:
    names, shares = tuple(columns.common('name')), columns.numbers('effort')
    if len(set(names)) < len(names) or shares.shape[1] != len(names):
        return None
    return ThrustStream(stamps_of(columns), arrivals, names, shares)


def _of_read(path: str, read: Sequence[Read]) -> ThrustStream:
    """Return commands by name; thrusters that a message does not name are closed."""
    names = tuple(dict.fromkeys(name for each in read for name in each.reading.names))
    try:
        shares = np.array([each.reading.of(names) for each in read])
    except MeasurementError as error:
        raise MeasurementError(f'{named(path, read)}: {error}') from error
    return ThrustStream(*times_of(read), names, shares)


def _of_row(_model: RobotModel, stream: ThrustStream) -> OfRow:
    stamps = stream.stamps.tolist()
    return lambda row: ThrustReading(stamps[row], stream.names, stream.shares[row])


def _messages(make: Make, stream: ThrustStream) -> Iterator[object]:
    none = np.zeros(0)
    for stamp, shares in zip(stream.stamps.tolist(), stream.shares, strict=True):
        yield joint_state_message(make, stamp, stream.names, none, none, shares)


THRUST = StreamKind(
    ThrustReading,
    ThrustStream,
    {'sensor_msgs/msg/JointState': thrust_from_message},
    _of_columns,
    _of_read,
    _of_row,
    _messages,
)
"""Shares of the thrusters' strength."""

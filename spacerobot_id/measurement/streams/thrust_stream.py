"""Commands of thrusters: read, written, and as columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.codecs import Make
from spacerobot_id.measurement.streams.joint_stream import joint_state_message
from spacerobot_id.measurement.streams.stream_kind import (
    Fields,
    MessageStream,
    stamps_of,
    StreamKind,
)

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, eq=False)
class ThrustStream(MessageStream):
    """Commands of thrusters: every row is one message, or it is one alone.

    Parameters
    ----------
    stamps, arrivals : ndarray, shape (N,)
        From when the commands hold, and when the message came, s.
    names : tuple of str
        The T thrusters.
    shares : ndarray, shape (N, T)
        Shares of their strength: 0 closed, 1 open, between for a share of the time.
    """

    names: tuple[str, ...]
    shares: NDArray[np.float64]

    def of(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return the shares of some thrusters in a given order; those not named are closed.

        Raises
        ------
        MeasurementError
            If one is unknown or named twice, or there is not one share for each.
        """
        given = self.shares.shape[-1]
        if given != len(self.names):
            raise MeasurementError(f'{given} effort values for {len(self.names)} thrusters')
        places = {name: place for place, name in enumerate(names)}
        unknown = [name for name in self.names if name not in places]
        if unknown:
            raise MeasurementError(f'thruster {", ".join(unknown)} is not in the description')
        if len(set(self.names)) != len(self.names):
            raise MeasurementError('a thruster is named twice')
        shares = np.zeros((*self.shares.shape[:-1], len(names)))
        shares[..., [places[name] for name in self.names]] = self.shares
        return shares

    def completed(self) -> 'Self | None':
        """Return the commands; None unless there is one for each thruster."""
        is_whole = len(set(self.names)) == len(self.names) == self.shares.shape[-1]
        return self if is_whole else None

    @classmethod
    def joined(cls, messages: Sequence['Self'], source: str) -> 'Self':
        """Return commands by name; thrusters that a message does not name are closed."""
        names = tuple(dict.fromkeys(name for each in messages for name in each.names))
        try:
            shares = np.array([each.of(names) for each in messages])
        except MeasurementError as error:
            raise MeasurementError(f'{source}: {error}') from error
        stamps, arrivals = np.array([(each.stamps, each.arrivals) for each in messages]).T
        return cls(stamps, arrivals, names, shares)


def _decoded(columns: Fields, arrivals: NDArray[np.float64]) -> ThrustStream:
    """Return commands of thrusters: the efforts of a ``sensor_msgs/msg/JointState``."""
    names = tuple(columns.common('name'))
    return ThrustStream(stamps_of(columns), arrivals, names, columns.numbers('effort'))


def _encoded(make: Make, one: ThrustStream) -> object:
    return joint_state_message(make, one.stamp, one.names, (), (), one.shares)


THRUST = StreamKind(ThrustStream, ('sensor_msgs/msg/JointState',), _decoded, _encoded)
"""Shares of the thrusters' strength."""

thrust_from_message = THRUST.of_message

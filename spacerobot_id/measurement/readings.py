"""The reading of one message of a sensor, in plain numbers: stamps in seconds, nothing judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError

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
class GyroReading:
    """An IMU.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame of the sensor.
    angular_velocity : ndarray, shape (3,)
        Angular velocity of the sensor against the inertial frame, in its own axes, rad/s.
    covariance : ndarray, shape (3, 3), optional
        Covariance, rad^2/s^2; None where the message marks it as unknown (all zero).
    is_absent : bool
        Whether the message marks its angular velocity as not provided (first element -1).
    specific_force : ndarray, shape (3,)
        In the axes of the sensor, m/s^2; NaN where the message marks it as not provided.
    attitude : ndarray, shape (4,)
        Quaternion x y z w; NaN where the message marks it as not provided.
    """

    stamp: float
    frame_id: str
    angular_velocity: NDArray[np.float64]
    covariance: NDArray[np.float64] | None = None
    is_absent: bool = False
    specific_force: NDArray[np.float64] | None = None
    attitude: NDArray[np.float64] | None = None

    @property
    def noise(self) -> float:
        """Standard deviation of an axis that the message states (F9), rad/s; 0 if none."""
        if self.covariance is None:
            return 0.0
        variances = np.diag(self.covariance)
        stated = np.isfinite(variances).all() and (variances > 0.0).all()
        return float(np.sqrt(variances.mean())) if stated else 0.0


@dataclass(frozen=True, eq=False)
class PoseReading:
    """Pose of the base.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame that the pose is given in.
    position : ndarray, shape (3,)
        Position, m.
    attitude : ndarray, shape (4,)
        Quaternion x y z w from the base's axes to that frame's, as it came.
    child_frame : str
        Frame on the base whose pose it is; the base link's own if empty.
    """

    stamp: float
    frame_id: str
    position: NDArray[np.float64]
    attitude: NDArray[np.float64]
    child_frame: str = ''


@dataclass(frozen=True, eq=False)
class TwistReading:
    """Twist of the base.

    Parameters
    ----------
    stamp : float
        Time, s.
    frame_id : str
        Frame in whose axes it is given; of one on the base its origin's twist.
    twist : ndarray, shape (6,)
        Linear (m/s), then angular (rad/s) velocity.
    """

    stamp: float
    frame_id: str
    twist: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WrenchReading:
    """Wrench on the base.

    Parameters
    ----------
    stamp : float
        Time from which it acts, s.
    frame_id : str
        Frame in whose axes it is given.
    wrench : ndarray, shape (6,)
        Force (N), then torque (N m).
    is_applied : bool
        Whether the actuators gave it; otherwise it was asked for.
    """

    stamp: float
    frame_id: str
    wrench: NDArray[np.float64]
    is_applied: bool = False

    def in_frame(self, frame_id: str) -> NDArray[np.float64]:
        """Return the wrench; raise MeasurementError if it is in another frame than that named."""
        if not self.is_in(frame_id):
            raise MeasurementError(f'frame {self.frame_id!r}, not the base {frame_id!r}')
        return self.wrench

    def is_in(self, frame_id: str) -> bool:
        """Return whether the wrench is in a frame; one that names none is."""
        return self.frame_id.strip('/') in ('', frame_id)


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


Reading = JointReading | GyroReading | PoseReading | TwistReading | WrenchReading | ThrustReading
"""The reading of one message."""


class Arrived(NamedTuple):
    """A reading, and when its message came, s."""

    arrival: float
    reading: Reading

"""What all of momentum balance is about: a method, a flight, and values of the unknowns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.methods.balance.balance_robot import BalanceRobot
from spacerobot_id.methods.balance.flight import Flight
from spacerobot_id.multibody.free_floating.planned_base import freedom_of


@dataclass(frozen=True, eq=False)
class Case:
    """A method, a flight, and values of the unknowns.

    Parameters
    ----------
    method : BalanceRobot
        Robot and unknowns.
    flight : Flight
        Inputs and readings.
    values : ndarray, shape (u,)
        Unknowns.
    """

    method: BalanceRobot
    flight: Flight
    values: NDArray[np.float64]

    @property
    def freedom(self) -> NDArray[np.float64]:
        """One for each component of the twist that is free, zero for the others, shape (6,)."""
        return freedom_of(self.method.free)

    @property
    def held_size(self) -> int:
        """Number of what a state holds: the lasting disturbance, and the scatter of actuators."""
        return len(self.method.free) + len(self.flight.commands.names)

    @property
    def state_size(self) -> int:
        """Number of free components of a state, those that are held among them."""
        return 2 * len(self.method.free) + self.held_size

    @property
    def own_size(self) -> int:
        """Number of what a segment has to itself: its disturbance, and changes of what is held."""
        return len(self.method.free) + self.held_size

    def part(self, name: str, size: int) -> NDArray[np.float64]:
        """Return the unknowns of a group, zeros where it is known."""
        return self.method.unknowns.part(self.values, name, size)

    @property
    def clock(self) -> float:
        """By how much poses, on whose clock states are, are late against joints, s.

        States and disturbances stay where poses show them when the delay changes: joints, commands
        and gyro move. The other way round the product of both changes would be left out of every
        step, which then goes to and fro, and deviations of the delay are too small.
        """
        return self.delay('pose')

    def delay(self, kind: str) -> float:
        """Return the delay of the stamps of a kind of readings, s."""
        return self.method.calibrations.delays_of(self.method.unknowns, self.values).get(kind, 0.0)

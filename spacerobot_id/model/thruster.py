"""Thrusters fixed to the base, each with a place, a direction and a strength of its own."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Thruster:
    """A thruster, or a valve with its nozzle.

    Parameters
    ----------
    name : str
        Name.
    position : ndarray, shape (3,)
        Place of its nozzle in the base's frame, m.
    direction : ndarray, shape (3,)
        Direction of the force on the base, in base axes; of unit length.
    strength : float
        Force while it is open, N.
    """

    name: str
    position: NDArray[np.float64]
    direction: NDArray[np.float64]
    strength: float

    @property
    def wrench(self) -> NDArray[np.float64]:
        """Force (N) and moment about the base's origin (N m) while it is open, shape (6,)."""
        force = self.strength * self.direction
        return np.append(force, np.cross(self.position, force))

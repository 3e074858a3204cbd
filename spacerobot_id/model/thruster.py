"""Thrusters fixed to the base, each with a place, a direction and a strength of its own."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.settings.kinds import Array, FinitePositive, UnitVector


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
        Direction of the force on the base, in base axes; of unit length, of any
        in a file.
    strength : float
        Force while it is open, N.
    """

    name: str
    position: Array
    direction: UnitVector
    strength: FinitePositive

    @property
    def wrench(self) -> NDArray[np.float64]:
        """Force (N) and moment about the base's origin (N m) while it is open, shape (6,)."""
        force = self.strength * self.direction
        return np.append(force, np.cross(self.position, force))

    def turned_wrenches(self, *, planar: bool) -> NDArray[np.float64]:
        """Return what a turn of the direction changes of the wrench, N and N m per rad.

        Parameters
        ----------
        planar : bool
            Whether it turns about z alone, else about two axes across its direction.

        Returns
        -------
        ndarray, shape (6, A)
            For each of one axis, or of two.
        """
        if planar:
            axes = np.array([[0.0, 0.0, 1.0]])
        else:
            axes = np.linalg.svd(self.direction[None])[2][1:]
        forces = self.strength * np.cross(axes, self.direction)
        return np.hstack([forces, np.cross(self.position, forces)]).T

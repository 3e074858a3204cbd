"""Collision shapes as capsules: all that is no farther than a radius from a segment."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Capsule:
    """A capsule fixed to a link; a sphere where start and end are the same.

    Parameters
    ----------
    link : int
        Index of the link.
    start, end : ndarray, shape (3,)
        Ends of its axis in the link's frame, m.
    radius : float
        Radius, m.
    """

    link: int
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    radius: float

    @classmethod
    def of_sphere(cls, radius: float) -> 'Capsule':
        """Return a sphere about the origin."""
        return cls(0, np.zeros(3), np.zeros(3), radius)

    @classmethod
    def of_cylinder(cls, radius: float, length: float) -> 'Capsule':
        """Return what surrounds a cylinder along z, centred in the origin."""
        end = np.array([0.0, 0.0, 0.5 * length])
        return cls(0, -end, end, radius)

    @classmethod
    def of_box(cls, size: ArrayLike) -> 'Capsule':
        """Return what surrounds a box, centred in the origin: its axis is the longest edge's."""
        half = 0.5 * np.asarray(size, dtype=float)
        longest = int(np.argmax(half))
        across = np.delete(half, longest)
        end = np.zeros(3)
        end[longest] = half[longest]
        return cls(0, -end, end, float(np.hypot(*across)))

    def carried(self, link: int, rotation: ArrayLike, translation: ArrayLike) -> 'Capsule':
        """Return the capsule in the frame of a link.

        Parameters
        ----------
        link : int
            Index of the link.
        rotation : array_like, shape (3, 3)
            From this frame's axes to the link's.
        translation : array_like, shape (3,)
            Origin of this frame in the link's, m.
        """
        rotation, translation = np.asarray(rotation), np.asarray(translation)
        return Capsule(
            link,
            rotation @ self.start + translation,
            rotation @ self.end + translation,
            self.radius,
        )

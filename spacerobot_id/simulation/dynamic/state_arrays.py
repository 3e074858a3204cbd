"""Plain arrays that go into the compiled kernel and come out of it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WORKS = 4
"""Kinds of work: of the base's drives, joint motors, wheel motors, friction and disturbances."""


class StateArrays(NamedTuple):
    """Everything that changes in time; the kernel works in place.

    Parameters
    ----------
    position : ndarray, shape (3,)
        Position of the base in the inertial frame, m.
    rotation : ndarray, shape (3, 3)
        From base to inertial axes.
    place : ndarray, shape (n + w,)
        Joint positions and wheel angles.
    velocity : ndarray, shape (6 + n + w,)
        Base twist in base axes, joint rates, wheel rates.
    work : ndarray, shape (4,)
        Work done since the start, J.
    owed, pulse : ndarray, shape (6,)
        What the thrusters remember.
    """

    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    place: NDArray[np.float64]
    velocity: NDArray[np.float64]
    work: NDArray[np.float64]
    owed: NDArray[np.float64]
    pulse: NDArray[np.float64]


class RecordArrays(NamedTuple):
    """States at the samples: as in ``StateArrays``, samples first.

    Parameters
    ----------
    position, rotation, place, velocity, work : ndarray
        As in ``StateArrays``.
    acceleration : ndarray, shape (N, 6 + n + w)
        Derivatives of the velocities just before the sample.
    force : ndarray, shape (N, 6 + n + w)
        Wrench on the base, joint torques, wheel torques just before the sample.
    """

    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    place: NDArray[np.float64]
    velocity: NDArray[np.float64]
    work: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    force: NDArray[np.float64]

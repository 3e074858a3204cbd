"""Arrays that the equations of motion for control are written into."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.dynamics.articulated_body import Tree


class Workspace(NamedTuple):
    """Arrays that the kernel fills; one set serves any number of calls.

    Parameters
    ----------
    axes : ndarray, shape (n + 1, 3, 3)
        Link axes in base axes, ``R_BL``.
    origins : ndarray, shape (n + 1, 3)
        Origins of the links, m.
    screws : ndarray, shape (n, 6)
        Motion of each joint per unit of rate.
    twists, accelerations, wrenches : ndarray, shape (n + 1, 6)
        Twist of each link, its acceleration without generalized ones, and the wrench that takes;
        about the base's origin.
    masses : ndarray, shape (n + 1,)
        Masses of the composite bodies, kg.
    moments : ndarray, shape (n + 1, 3)
        Their first moments, kg m.
    inertias : ndarray, shape (n + 1, 3, 3)
        Their inertias about the base's origin, kg m^2.
    matrix : ndarray, shape (6 + n + w, 6 + n + w)
        Mass matrix.
    bias : ndarray, shape (6 + n + w,)
        Forces that keep the generalized velocity constant.
    """

    axes: NDArray[np.float64]
    origins: NDArray[np.float64]
    screws: NDArray[np.float64]
    twists: NDArray[np.float64]
    accelerations: NDArray[np.float64]
    wrenches: NDArray[np.float64]
    masses: NDArray[np.float64]
    moments: NDArray[np.float64]
    inertias: NDArray[np.float64]
    matrix: NDArray[np.float64]
    bias: NDArray[np.float64]


def workspace(tree: Tree) -> Workspace:
    """Return arrays of the sizes of a tree."""
    joints, wheels = len(tree.parents) - 1, len(tree.carriers)
    links, size = joints + 1, 6 + joints + wheels
    shapes = ((links, 3, 3), (links, 3), (joints, 6), (links, 6), (links, 6), (links, 6))
    shapes += ((links,), (links, 3), (links, 3, 3), (size, size), (size,))
    made = Workspace(*(np.zeros(shape) for shape in shapes))
    made.axes[0] = np.eye(3)
    return made

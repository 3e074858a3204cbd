"""Wrenches that a controller asked for, allocated to the thrusters that had to give them.

Where only the commanded wrench is logged, the share of each follows from their geometry: the
non-negative ones of least squares (Lawson and Hanson, Solving Least Squares Problems, 1974), which
for opposing pairs are the clipped pseudo-inverse that controllers of air-bearing tables use.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.model import Thruster

_DAMPING = 1e-4
"""Weight of the shares themselves, which chooses the least of all that give the same wrench."""

_LEAST = 1e-3
"""Size of a component that no thruster gives, over the largest of all."""

_MOST_LEFT = 0.05
"""Most of the wrenches, root mean square, that thrusters may not be able to give."""


def allocated(
    wrenches: NDArray[np.float64], thrusters: Sequence[Thruster], free: list[int]
) -> NDArray[np.float64]:
    """Return the shares of their strength that thrusters are open for.

    Parameters
    ----------
    wrenches : ndarray, shape (K, 6)
        Force (N) and moment about the base's origin (N m) in base axes.
    thrusters : sequence of Thruster
        The T thrusters of the base.
    free : list of int
        Components of the wrench that count.

    Returns
    -------
    ndarray, shape (K, T)
        Shares from 0 to 1: larger ones saturate.

    Raises
    ------
    EstimationError
        If their geometry cannot give such wrenches.
    """
    columns = np.stack([each.wrench for each in thrusters], axis=-1)[free]
    sizes = np.maximum(np.abs(columns).max(axis=1), _LEAST * np.abs(columns).max())
    columns, asked = columns / sizes[:, None], wrenches[:, free] / sizes
    matrix = np.vstack([columns, _DAMPING * np.eye(len(thrusters))])
    different, place = np.unique(asked, axis=0, return_inverse=True)
    none = np.zeros(len(thrusters))
    shares = np.array([nnls(matrix, np.append(each, none))[0] for each in different])
    left = shares @ columns.T - different
    if np.sum(left[place] ** 2) > _MOST_LEFT**2 * np.sum(asked**2):
        raise EstimationError(
            'base_wrench: the thrusters of the description cannot give such wrenches; describe '
            'them as they are, send thruster_commands, or set allocate_wrench to false'
        )
    return np.minimum(shares, 1.0)[place.reshape(-1)]

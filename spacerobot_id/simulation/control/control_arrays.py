"""Inputs of the control, as plain numbers and arrays for the compiled kernel."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.multibody.kernels.tree_arrays import Tree


class ControlArrays(NamedTuple):
    """Settings of the control as plain numbers and arrays.

    Parameters
    ----------
    tree : Tree
        Robot as the control believes it to be.
    mode : int
        Mode of manoeuvring.
    holds : bool
        Whether what the mode drives of the base is held where it was.
    is_planar : bool
        Whether a table holds the base in its plane.
    is_open : bool
        Whether joint torques are given, not computed.
    stiffness, damping : ndarray, shape (n + w,)
        Gains ``K_P`` (1/s^2) and ``K_D`` (1/s) of joints, then wheels.
    base_stiffness, base_damping : float
        Gains of the base hold, 1/s^2 and 1/s.
    joint_torque : ndarray, shape (n,)
        Torques of open control, N m.
    wrench : ndarray, shape (6,)
        Force (N) and torque (N m) asked of the base's drives, in base axes about its origin.
    position : ndarray, shape (3,)
        Position to hold, m.
    rotation : ndarray, shape (3, 3)
        Attitude to hold, from base to inertial axes.
    """

    tree: Tree
    mode: int
    holds: bool
    is_planar: bool
    is_open: bool
    stiffness: NDArray[np.float64]
    damping: NDArray[np.float64]
    base_stiffness: float
    base_damping: float
    joint_torque: NDArray[np.float64]
    wrench: NDArray[np.float64]
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]

"""The robot as plain arrays, which compiled kernels take."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.model import JointType, RobotModel


class Tree(NamedTuple):
    """All numbers of a robot that its motion depends on; row k belongs to link k.

    Parameters
    ----------
    parents : ndarray of int, shape (n + 1,)
        Parent of each link; the base's own is 0.
    is_prismatic : ndarray of bool, shape (n + 1,)
        Whether the joint of each link slides.
    R_PC : ndarray, shape (n + 1, 3, 3)
        Rotation from each link's axes to its parent's at position zero.
    p_PC_P : ndarray, shape (n + 1, 3)
        Origin of each link at position zero in the parent's frame, m.
    parameters : ndarray, shape (n + 1, 10)
        The ten inertial parameters of each link.
    carriers : ndarray of int, shape (w,)
        The link that carries each wheel.
    wheel_axes : ndarray, shape (w, 3)
        Spin axes in the axes of those links.
    spin_inertias : ndarray, shape (w,)
        Inertias of the wheels about their axes, kg m^2.
    leading, following : ndarray of int, shapes (n,) and (t - n,)
        Of the t joints, those with a position of their own and those that follow them.
    coupling : ndarray, shape (t, n)
        Rates of all joints per rate of the leading ones.
    offset : ndarray, shape (t,)
        Positions of all joints where the leading ones are at zero, rad or m.
    """

    parents: NDArray[np.int64]
    is_prismatic: NDArray[np.bool_]
    R_PC: NDArray[np.float64]
    p_PC_P: NDArray[np.float64]
    parameters: NDArray[np.float64]
    carriers: NDArray[np.int64]
    wheel_axes: NDArray[np.float64]
    spin_inertias: NDArray[np.float64]
    leading: NDArray[np.int64]
    following: NDArray[np.int64]
    coupling: NDArray[np.float64]
    offset: NDArray[np.float64]


@lru_cache(maxsize=32)
def tree_arrays(model: RobotModel) -> Tree:
    """Return the robot as plain arrays; the same ones each time for the same model.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    """
    count, wheels = len(model.links), model.wheels
    rotations, offsets = np.zeros((count, 3, 3)), np.zeros((count, 3))
    rotations[0] = np.eye(3)
    for child, joint in enumerate(model.tree_joints, 1):
        rotations[child], offsets[child] = joint.R_PC, joint.p_PC_P
    return Tree(
        np.array([0, *(joint.parent for joint in model.tree_joints)]),
        np.array([False, *(joint.type is JointType.PRISMATIC for joint in model.tree_joints)]),
        rotations,
        offsets,
        model.parameters.reshape(count, 10).copy(),
        np.array([wheel.link for wheel in wheels], dtype=np.int64),
        np.array([wheel.axis for wheel in wheels], dtype=float).reshape(len(wheels), 3),
        np.array([wheel.spin_inertia for wheel in wheels], dtype=float),
        *_coupling_arrays(model),
    )


def _coupling_arrays(model: RobotModel) -> tuple[NDArray[Any], ...]:
    """Return leading and following joints, and how these follow."""
    count = len(model.tree_joints)
    follows = np.array([joint.mimic is not None for joint in model.tree_joints], dtype=bool)
    leading, following = np.flatnonzero(~follows), np.flatnonzero(follows)
    if model.coupling is None:
        return leading, following, np.eye(count), np.zeros(count)
    return leading, following, model.coupling.matrix.copy(), model.coupling.offset.copy()

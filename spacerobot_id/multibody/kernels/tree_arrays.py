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
    frames : ndarray, shape (n + 1, 12)
        The columns of ``R_PC``, the rotation from each link's axes to its parent's at position
        zero, and ``p_PC_P``, its origin in the parent's frame, m.
    parameters : ndarray, shape (n + 1, 10)
        The ten inertial parameters of each link.
    carriers : ndarray of int, shape (w,)
        The link that carries each wheel.
    wheels : ndarray, shape (w, 4)
        Spin axes in the axes of those links, and inertias about them, kg m^2.
    leading, following : ndarray of int, shapes (n,) and (t - n,)
        Of the t joints, those with a position of their own and those that follow them.
    coupling : ndarray, shape (t, n + 1)
        Rates of all joints per rate of the leading ones; in the last column positions of all
        where the leading ones are at zero, rad or m.
    """

    parents: NDArray[np.int64]
    is_prismatic: NDArray[np.bool_]
    frames: NDArray[np.float64]
    parameters: NDArray[np.float64]
    carriers: NDArray[np.int64]
    wheels: NDArray[np.float64]
    leading: NDArray[np.int64]
    following: NDArray[np.int64]
    coupling: NDArray[np.float64]


@lru_cache(maxsize=32)
def tree_arrays(model: RobotModel) -> Tree:
    """Return the robot as plain arrays; the same ones each time for the same model.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    """
    count = len(model.links)
    frames = [np.append(joint.R_PC.T, joint.p_PC_P) for joint in model.tree_joints]
    wheels = [[*wheel.axis, wheel.spin_inertia] for wheel in model.wheels]
    return Tree(
        np.array([0, *(joint.parent for joint in model.tree_joints)]),
        np.array([False, *(joint.type is JointType.PRISMATIC for joint in model.tree_joints)]),
        np.array([np.append(np.eye(3), np.zeros(3)), *frames]),
        model.parameters.reshape(count, 10).copy(),
        np.array([wheel.link for wheel in model.wheels], dtype=np.int64),
        np.array(wheels, dtype=float).reshape(-1, 4),
        *_coupling_arrays(model),
    )


def _coupling_arrays(model: RobotModel) -> tuple[NDArray[Any], ...]:
    """Return leading and following joints, and how these follow."""
    count = len(model.tree_joints)
    follows = np.array([joint.mimic is not None for joint in model.tree_joints], dtype=bool)
    leading, following = np.flatnonzero(~follows), np.flatnonzero(follows)
    if model.coupling is None:
        return leading, following, np.eye(count, count + 1)
    coupling = np.column_stack([model.coupling.matrix, model.coupling.offset])
    return leading, following, coupling

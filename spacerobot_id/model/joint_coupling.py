"""Joints that follow others: positions of all joints of a tree from those that lead."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model.joint import Joint


@dataclass(frozen=True, eq=False)
class JointCoupling:
    """Positions of the t joints of a tree, linear in those of the n that lead.

    Parameters
    ----------
    matrix : ndarray, shape (t, n)
        Rates of all joints per rate of the leading ones.
    offset : ndarray, shape (t,)
        Positions of all joints where the leading ones are at zero, rad or m.
    """

    matrix: NDArray[np.float64]
    offset: NDArray[np.float64]

    @classmethod
    def of(cls, joints: Sequence[Joint]) -> Optional['JointCoupling']:
        """Return the coupling of a tree's joints; None if each moves on its own."""
        leading = [joint.name for joint in joints if joint.mimic is None]
        if len(leading) == len(joints):
            return None
        matrix, offset = np.zeros((len(joints), len(leading))), np.zeros(len(joints))
        for row, joint in enumerate(joints):
            if joint.mimic is None:
                matrix[row, leading.index(joint.name)] = 1.0
            else:
                matrix[row, leading.index(joint.mimic.joint)] = joint.mimic.multiplier
                offset[row] = joint.mimic.offset
        return cls(matrix, offset)

    def positions(self, q: ArrayLike) -> NDArray[np.float64]:
        """Return the positions of all joints, shape (..., n) to (..., t)."""
        return np.asarray(q, dtype=float) @ self.matrix.T + self.offset

    def rates(self, qd: ArrayLike) -> NDArray[np.float64]:
        """Return rates, or accelerations, of all joints, shape (..., n) to (..., t)."""
        return np.asarray(qd, dtype=float) @ self.matrix.T

    def contract(
        self, values: NDArray[np.float64], *axes: int, free: int = 0
    ) -> NDArray[np.float64]:
        """Return values per leading joint: what followers get is carried by their leaders.

        Parameters
        ----------
        values : ndarray
            Columns of a Jacobian, torques, rows and columns of a mass matrix.
        axes : int
            Axes of t entries, to be of n.
        free : int
            Entries before those of the joints on these axes, six for the base's, that stay.
        """
        matrix = np.zeros((free + len(self.matrix), free + self.matrix.shape[1]))
        matrix[:free, :free] = np.eye(free)
        matrix[free:, free:] = self.matrix
        for axis in axes:
            values = np.moveaxis(np.tensordot(values, matrix, axes=(axis, 0)), -1, axis)
        return values

"""Articulated bodies: all that hangs on every link, as matrices ([Jain 1995] Algorithms 1-3)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import DynamicsError
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.forward.forward_dynamics import failure, kernels
from spacerobot_id.multibody.kernels.tree_arrays import tree_arrays
from spacerobot_id.spatial import skew


@dataclass(frozen=True, eq=False)
class InwardBodies:
    """Articulated bodies towards the tips; in base axes, about the links' origins.

    Components are linear, then angular. The base has no joint: what belongs to one is zero there.

    Parameters
    ----------
    parents : ndarray of int, shape (n + 1,)
        Parent of each link; the base's own is 0.
    R_BL : ndarray, shape (N, n + 1, 3, 3)
        Rotations from link to base axes.
    shift : ndarray, shape (N, n + 1, 6, 6)
        phi(parent, link), which carries wrenches from the link's origin to the parent's; the
        identity for the base.
    hinge : ndarray, shape (N, n + 1, 6)
        H*, motion per unit of joint rate.
    coriolis : ndarray, shape (N, n + 1, 6)
        a, acceleration across the joint at joint acceleration zero.
    link_inertia : ndarray, shape (N, n + 1, 6, 6)
        M of the link alone.
    link_residual : ndarray, shape (N, n + 1, 6)
        b of the link alone, less the wrench on it from outside.
    inertia : ndarray, shape (N, n + 1, 6, 6)
        P, articulated inertia.
    residual : ndarray, shape (N, n + 1, 6)
        z, residual force.
    effort : ndarray, shape (N, n + 1)
        D, inertia about the joint, kg m^2 or kg; one for the base.
    spare : ndarray, shape (N, n + 1)
        epsilon, torque that is left for acceleration, N m or N.
    """

    parents: NDArray[np.int64]
    R_BL: NDArray[np.float64]
    shift: NDArray[np.float64]
    hinge: NDArray[np.float64]
    coriolis: NDArray[np.float64]
    link_inertia: NDArray[np.float64]
    link_residual: NDArray[np.float64]
    inertia: NDArray[np.float64]
    residual: NDArray[np.float64]
    effort: NDArray[np.float64]
    spare: NDArray[np.float64]

    @property
    def gain(self) -> NDArray[np.float64]:
        """G, wrench per unit of torque, shape (N, n + 1, 6)."""
        return np.einsum('nkij,nkj->nki', self.inertia, self.hinge) / self.effort[..., None]

    @property
    def passed_inertia(self) -> NDArray[np.float64]:
        """P+, what passes of P through the joint to the parent, shape (N, n + 1, 6, 6)."""
        gain = self.gain
        return self.inertia - np.einsum('nki,nkj,nk->nkij', gain, gain, self.effort)

    @property
    def passed_residual(self) -> NDArray[np.float64]:
        """z+, what passes of z through the joint to the parent, shape (N, n + 1, 6)."""
        return self.residual + self.gain * self.spare[..., None]


def inward_bodies(model: RobotModel, inputs: tuple[NDArray[np.float64], ...]) -> InwardBodies:
    """Return the articulated bodies of all links towards the tips.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    inputs : tuple of ndarray
        State, torques and wrenches as ``sample_arrays`` returns them.

    Raises
    ------
    ValueError, DynamicsError
        As ``forward_dynamics`` does.
    """
    if model.coupling is not None:
        raise DynamicsError('joints that follow others belong to no articulated body of their own')
    samples, count, tree = len(inputs[0]), len(model.links), tree_arrays(model)
    code = kernels()
    work = np.zeros((samples, count, code.ALL_COLUMNS))
    own_inertia, inertia = np.zeros((2, samples, count, 6, 6))
    own_residual = np.zeros((samples, count, 6))
    filled = own_residual, own_inertia, work, inertia
    sample, outcome = code.gather_samples(tree, inputs, *filled)
    axes, offset = work[..., : code.OFFSET], work[..., code.OFFSET : code.OFFSET + 3]
    coriolis = work[..., code.CORIOLIS : code.CORIOLIS + 6]
    residual = work[..., code.RESIDUAL : code.ACCELERATION]
    effort = work[..., code.EFFORT :]
    if sample < samples:
        raise failure(model, inputs, sample, outcome)
    lost = np.flatnonzero(~np.isfinite(residual[:, 0]).all(axis=-1))
    if lost.size:
        raise failure(model, inputs, lost[0], code.NOT_FINITE)
    R_BL = np.swapaxes(axes.reshape(samples, count, 3, 3), -1, -2)
    turns = ~tree.is_prismatic & (np.arange(count) > 0)
    kinds = np.stack([tree.is_prismatic, turns], axis=-1)
    hinge = np.einsum('kh,nkc->nkhc', kinds, R_BL[..., 2]).reshape(samples, count, 6)
    shift = np.tile(np.eye(6), (samples, count, 1, 1))
    shift[..., 3:, :3] = skew(offset)
    effort[:, 0, 0] = 1.0
    return InwardBodies(
        tree.parents,
        R_BL,
        shift,
        hinge,
        coriolis,
        own_inertia,
        own_residual,
        inertia,
        residual,
        effort[..., 0],
        effort[..., 1],
    )

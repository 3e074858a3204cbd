"""Operational-space inertia of every link ([Jain 1995] section 4, Algorithm 8)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.forward.base_invariant import outward_bodies
from spacerobot_id.multibody.forward.forward_dynamics import sample_arrays
from spacerobot_id.multibody.forward.inward_bodies import inward_bodies, InwardBodies


def operational_space_inertia(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return the inertia that the whole robot shows at each link: ``P + S`` (Eq. 4.11).

    Joints are free, wheels are held. It is ``(J M^-1 J^T)^-1`` with J the Jacobian of the link
    and M the mass matrix, and does not depend on which link is called the base.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, n + 1, 6, 6)
        Force and moment about the link's origin per linear and angular acceleration of the
        link, at rest, in base axes: kg, kg m, kg m^2.

    Raises
    ------
    ValueError, DynamicsError
        As ``forward_dynamics`` does.
    """
    inward = _at_rest(model, q)
    return inward.inertia + outward_bodies(inward, np.zeros(inward.effort[:, 1:].shape)).inertia


def operational_space_inertia_inverse(model: RobotModel, q: ArrayLike) -> NDArray[np.float64]:
    """Return the inverse of the operational-space inertia of each link by recursion (Eq. 4.7).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    q : array_like, shape (N, n)
        Joint positions, rad or m.

    Returns
    -------
    ndarray, shape (N, n + 1, 6, 6)
        Upsilon: linear and angular acceleration of the link per force and moment on it, at
        rest, in base axes.

    Raises
    ------
    ValueError, DynamicsError
        As ``forward_dynamics`` does.
    """
    inward = _at_rest(model, q)
    gain, hinge = inward.gain, inward.hinge
    through = np.eye(6) - np.einsum('nki,nkj->nkij', gain, hinge)
    own = np.einsum('nki,nkj,nk->nkij', hinge, hinge, 1.0 / inward.effort)
    inverse = np.empty_like(inward.inertia)
    inverse[:, 0] = np.linalg.inv(inward.inertia[:, 0])
    for k in range(1, len(inward.parents)):
        psi = inward.shift[:, k] @ through[:, k]
        passed = np.swapaxes(psi, -1, -2) @ inverse[:, inward.parents[k]] @ psi
        inverse[:, k] = passed + own[:, k]
    return inverse


def _at_rest(model: RobotModel, q: ArrayLike) -> InwardBodies:
    """Return the articulated bodies of a robot on which nothing acts."""
    q = np.asarray(q, dtype=float)
    rest, base = np.zeros_like(q), np.zeros((len(q), 6))
    return inward_bodies(model, sample_arrays(model, q, rest, base, rest))

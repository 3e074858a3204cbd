"""Dynamics that treats every link as the base ([Jain 1995] Algorithms 1-8, section 3.4).

The recursion from the tips makes articulated bodies of all that hangs on every link. That from
the base to the tips makes the outward half of what acts on a link: all that is on the side of its
parent, of M, b and S of the parent and of P of the siblings. The inward and the outward half know
nothing of each other, and their sum gives each link its acceleration on its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import DynamicsError
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.forward.forward_dynamics import failure, kernels, sample_arrays
from spacerobot_id.multibody.kernels.tree_arrays import tree_arrays
from spacerobot_id.spatial import skew

_SYMMETRIC = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2]])
_MIXED = np.arange(9).reshape(3, 3)
_PLACES = np.block([[_SYMMETRIC, 6 + _MIXED], [6 + _MIXED.T, 15 + _SYMMETRIC]])
"""Which of the kernels' 21 numbers stands where in the matrix of an inertia."""


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
    begun, work = np.zeros((2, samples, count, code.ALL_COLUMNS))
    sample, outcome = code.gather_samples(tree, *inputs, begun, work)
    axes, offset = work[..., : code.OFFSET], work[..., code.OFFSET : code.OFFSET + 3]
    coriolis = work[..., code.CORIOLIS : code.CORIOLIS + 6]
    residual = work[..., code.RESIDUAL : code.ACCELERATION]
    articulated, effort = slice(code.ARTICULATED, code.REACH), work[..., code.EFFORT :]
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
        begun[..., articulated][..., _PLACES],
        begun[..., code.RESIDUAL : code.ACCELERATION],
        work[..., articulated][..., _PLACES],
        residual,
        effort[..., 0],
        effort[..., 1],
    )


@dataclass(frozen=True, eq=False)
class OutwardBodies:
    """Articulated bodies towards the base and beyond; in base axes, about the links' origins.

    The base has nothing on that side: its rows are zero.

    Parameters
    ----------
    inertia : ndarray, shape (N, n + 1, 6, 6)
        S, articulated inertia.
    residual : ndarray, shape (N, n + 1, 6)
        z_s, residual force, the Coriolis acceleration across the joint in it.
    gain : ndarray, shape (N, n + 1, 6)
        G_s, wrench per unit of torque.
    effort : ndarray, shape (N, n + 1)
        D_s, inertia about the joint, kg m^2 or kg; one for the base.
    spare : ndarray, shape (N, n + 1)
        epsilon_s, torque that is left for acceleration, N m or N.
    """

    inertia: NDArray[np.float64]
    residual: NDArray[np.float64]
    gain: NDArray[np.float64]
    effort: NDArray[np.float64]
    spare: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkDynamics:
    """Accelerations of links and joints, each link's found on its own.

    Parameters
    ----------
    link_acceleration : ndarray, shape (N, n + 1, 6)
        Acceleration of each link's origin against the inertial frame (m/s^2), then angular
        acceleration (rad/s^2), in base axes.
    qdd : ndarray, shape (N, n)
        Joint accelerations from the inward half and the parents, rad/s^2 or m/s^2.
    outward_qdd : ndarray, shape (N, n)
        The same from the outward half and the links (Eq. 3.13).
    """

    link_acceleration: NDArray[np.float64]
    qdd: NDArray[np.float64]
    outward_qdd: NDArray[np.float64]


def link_dynamics(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    base_twist: ArrayLike,
    joint_torque: ArrayLike,
    *,
    wheel_rates: ArrayLike | None = None,
    wheel_torque: ArrayLike | None = None,
    base_wrench: ArrayLike | None = None,
    link_wrenches: ArrayLike | None = None,
) -> LinkDynamics:
    """Return the accelerations of all links, no link called the base ([Jain 1995] Algorithm 6).

    For the motion in time ``forward_dynamics`` is faster; this is the road that does not depend
    on a base, and a check of the other.

    Parameters
    ----------
    model, q, qd, base_twist, joint_torque, wheel_rates, wheel_torque, base_wrench, link_wrenches
        As of ``forward_dynamics``, N samples.

    Raises
    ------
    ValueError, DynamicsError
        As ``forward_dynamics`` does.
    """
    inputs = sample_arrays(
        model,
        q,
        qd,
        base_twist,
        joint_torque,
        wheel_rates,
        wheel_torque,
        base_wrench,
        link_wrenches,
    )
    inward = inward_bodies(model, inputs)
    outward = outward_bodies(inward, inputs[3])
    # Lemma 3.2: (P + S) alpha = P a - z - z_s
    pushed = np.einsum('nkij,nkj->nki', inward.inertia, inward.coriolis)
    force = pushed - inward.residual - outward.residual
    acceleration = np.linalg.solve(inward.inertia + outward.inertia, force[..., None])[..., 0]
    passed = np.einsum('nkji,nkj->nki', inward.shift, acceleration[:, inward.parents])
    pulled = np.einsum('nki,nki->nk', inward.gain, passed)
    carried = np.einsum('nki,nki->nk', outward.gain, acceleration)
    return LinkDynamics(
        acceleration,
        (inward.spare / inward.effort - pulled)[:, 1:],
        (outward.spare / outward.effort - carried)[:, 1:],
    )


def outward_bodies(inward: InwardBodies, joint_torque: ArrayLike) -> OutwardBodies:
    """Return the articulated bodies of all links on the side of their parents.

    Parameters
    ----------
    inward : InwardBodies
        Articulated bodies towards the tips, N samples.
    joint_torque : array_like, shape (N, n)
        Torques (N m) or forces (N) of the joints.
    """
    shift, hinge, coriolis = inward.shift, inward.hinge, inward.coriolis
    back = np.linalg.inv(shift)
    torque = np.pad(np.asarray(joint_torque, dtype=float), ((0, 0), (1, 0)))
    inertia, residual = np.zeros_like(inward.inertia), np.zeros_like(inward.residual)
    gain = np.zeros_like(hinge)
    effort, spare = np.ones_like(inward.effort), np.zeros_like(inward.spare)
    passed_inertia = shift @ inward.passed_inertia @ np.swapaxes(shift, -1, -2)
    passed_residual = np.einsum('nkij,nkj->nki', shift, inward.passed_residual)
    for parent in range(len(inward.parents)):
        own_inertia = inward.link_inertia[:, parent] + inertia[:, parent]
        own_residual = inward.link_residual[:, parent] + residual[:, parent]
        children = np.flatnonzero(inward.parents[1:] == parent) + 1
        besides_inertia = _with_siblings(own_inertia, passed_inertia, children)
        besides_residual = _with_siblings(own_residual, passed_residual, children)
        for k, beside, force in zip(children, besides_inertia, besides_residual, strict=True):
            passed = back[:, k] @ beside @ np.swapaxes(back[:, k], -1, -2)
            force = np.einsum('nij,nj->ni', back[:, k], force)
            force = force - np.einsum('nij,nj->ni', passed, coriolis[:, k])
            reach = np.einsum('nij,nj->ni', passed, hinge[:, k])
            effort[:, k] = np.einsum('ni,ni->n', hinge[:, k], reach)
            gain[:, k] = -reach / effort[:, k, None]
            spare[:, k] = torque[:, k] + np.einsum('ni,ni->n', hinge[:, k], force)
            inertia[:, k] = passed + np.einsum('ni,nj->nij', gain[:, k], reach)
            residual[:, k] = force + gain[:, k] * spare[:, k, None]
    return OutwardBodies(inertia, residual, gain, effort, spare)


def _with_siblings(
    own: NDArray[np.float64], passed: NDArray[np.float64], children: NDArray[np.int64]
) -> Iterator[NDArray[np.float64]]:
    """Yield for each child what the parent has of its own and of all other children.

    Sums from both ends: taking one child away from the sum of all would lose digits.
    """
    after = [np.zeros_like(own)]
    for child in children[:0:-1]:
        after.append(after[-1] + passed[:, child])
    before = own
    for child, rest in zip(children, reversed(after), strict=False):
        yield before + rest
        before = before + passed[:, child]


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

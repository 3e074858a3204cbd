"""Dynamics that treats every link as the base ([Jain 1995] Algorithms 4-7, section 3.4).

A recursion from the base to the tips makes the outward half of what acts on a link: all that is on
the side of its parent, of M, b and S of the parent and of P of the siblings. The inward and the
outward half know nothing of each other, and their sum gives each link its acceleration on its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.forward.forward_dynamics import sample_arrays
from spacerobot_id.multibody.forward.inward_bodies import inward_bodies, InwardBodies


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

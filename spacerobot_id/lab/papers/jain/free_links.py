"""Every link a body of its own ([Jain 1995] section 3.3.1, Algorithm 7).

Coordinates are the pose and the twist of each link, more than the robot has degrees of freedom:
no joint angle is computed. What the integrator leaves of the joints' constraints is the drift.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics import link_motion
from spacerobot_id.model import JointType, RobotModel
from spacerobot_id.multibody.forward.base_invariant import InwardBodies, outward_bodies
from spacerobot_id.multibody.kernels.tree_arrays import tree_arrays
from spacerobot_id.spatial import skew


@dataclass(frozen=True, eq=False)
class FreeLinks:
    """Poses and twists of L links, each on its own, in inertial axes.

    Parameters
    ----------
    position : ndarray, shape (L, 3)
        Origins of the links, m.
    rotation : ndarray, shape (L, 3, 3)
        From link to inertial axes.
    twist : ndarray, shape (L, 6)
        Velocity of the origin (m/s) and angular velocity (rad/s).
    """

    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    twist: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        model: RobotModel,
        q: NDArray[np.float64],
        qd: NDArray[np.float64],
        base_twist: NDArray[np.float64],
    ) -> 'FreeLinks':
        """Return those of a robot whose base is at the origin; q, qd (n,), base_twist (6,)."""
        motion = link_motion(model, q[None], qd[None], base_twist[None])
        rotation = np.swapaxes(motion.poses.axes[..., 0], -1, -2)
        twist = np.concatenate([motion.linear[..., 0], motion.angular[..., 0]], axis=1)
        return cls(motion.poses.origins[..., 0], rotation, twist)

    def after(self, slope: 'FreeLinks', time: float) -> 'FreeLinks':
        """Return the links after a time with some slope of everything."""
        return FreeLinks(
            self.position + time * slope.position,
            self.rotation + time * slope.rotation,
            self.twist + time * slope.twist,
        )

    def gaps(self, model: RobotModel) -> NDArray[np.float64]:
        """Return how far each joint is apart: places (m), then axes, shape (n, 6)."""
        found = []
        for number, joint in enumerate(model.joints, 1):
            parent = joint.parent
            apart = self.rotation[parent].T @ (self.position[number] - self.position[parent])
            apart = apart - joint.p_PC_P
            turned = joint.R_PC.T @ self.rotation[parent].T @ self.rotation[number]
            if joint.type is JointType.PRISMATIC:
                apart = apart - joint.R_PC[:, 2] * (joint.R_PC[:, 2] @ apart)
            found.append(np.concatenate([apart, turned[:, 2] - [0.0, 0.0, 1.0]]))
        return np.array(found)


def slope_of(model: RobotModel, links: FreeLinks, torque: NDArray[np.float64]) -> FreeLinks:
    """Return the slope of poses and twists; torques of the joints, shape (n,)."""
    inward = _inward(model, links, torque)
    outward = outward_bodies(inward, torque[None])
    pushed = np.einsum('nkij,nkj->nki', inward.inertia, inward.coriolis)
    force = pushed - inward.residual - outward.residual  # Lemma 3.2
    acceleration = np.linalg.solve(inward.inertia + outward.inertia, force[..., None])[0, ..., 0]
    turning = skew(links.twist[:, 3:]) @ links.rotation
    return FreeLinks(links.twist[:, :3], turning, acceleration)


def advanced(
    model: RobotModel, links: FreeLinks, torque: NDArray[np.float64], step: float, count: int
) -> FreeLinks:
    """Return the links after some steps of the Runge-Kutta method of fourth order."""
    for _ in range(count):
        first = slope_of(model, links, torque)
        second = slope_of(model, links.after(first, 0.5 * step), torque)
        third = slope_of(model, links.after(second, 0.5 * step), torque)
        fourth = slope_of(model, links.after(third, step), torque)
        for slope, share in ((first, 1.0), (second, 2.0), (third, 2.0), (fourth, 1.0)):
            links = links.after(slope, share * step / 6.0)
    return links


def _inward(model: RobotModel, links: FreeLinks, torque: NDArray[np.float64]) -> InwardBodies:
    """Return the articulated bodies towards the tips (Algorithms 2, 3), from the links alone."""
    tree, count = tree_arrays(model), len(model.links)
    parents, velocity, omega = tree.parents, links.twist[:, :3], links.twist[:, 3:]
    apart = links.position - links.position[parents]
    axes = links.rotation[..., 2]
    across = velocity - velocity[parents] - np.cross(omega[parents], apart)
    turning = omega - omega[parents]
    is_prismatic = tree.is_prismatic[:, None]
    hinge = np.concatenate(
        [np.where(is_prismatic, axes, 0.0), np.where(is_prismatic, 0.0, axes)], axis=1
    )
    hinge[0] = 0.0
    swept = np.cross(omega[parents], np.cross(omega[parents], apart))
    swept = swept + np.where(is_prismatic, 2.0 * np.cross(omega[parents], across), 0.0)
    turned = np.where(is_prismatic, 0.0, np.cross(omega[parents], turning))
    coriolis = np.concatenate([swept, turned], axis=1)
    coriolis[0] = 0.0
    shift = np.tile(np.eye(6), (count, 1, 1))
    shift[1:, 3:, :3] = skew(apart[1:])
    own, bias = _bodies(model, links)
    inertia, residual = own.copy(), bias.copy()
    effort, spare = np.ones(count), np.zeros(count)
    for k in range(count - 1, 0, -1):
        residual[k] = residual[k] + inertia[k] @ coriolis[k]
        reach = inertia[k] @ hinge[k]
        effort[k] = hinge[k] @ reach
        spare[k] = torque[k - 1] - hinge[k] @ residual[k]
        passed = inertia[k] - np.outer(reach, reach) / effort[k]
        force = residual[k] + reach * spare[k] / effort[k]
        inertia[parents[k]] += shift[k] @ passed @ shift[k].T
        residual[parents[k]] += shift[k] @ force
    arrays = (links.rotation, shift, hinge, coriolis, own, bias, inertia, residual, effort, spare)
    return InwardBodies(parents, *(each[None] for each in arrays))


def _bodies(
    model: RobotModel, links: FreeLinks
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return M (L, 6, 6) and b (L, 6) of the links alone, about their origins."""
    omega, rotation = links.twist[:, 3:], links.rotation
    mass = np.array([link.inertial.mass for link in model.links])
    moment = np.stack([link.inertial.first_moment for link in model.links])
    tensor = np.stack([link.inertial.inertia for link in model.links])
    moment = np.einsum('kij,kj->ki', rotation, moment)
    tensor = rotation @ tensor @ np.swapaxes(rotation, -1, -2)
    own = np.zeros((len(mass), 6, 6))
    own[:, :3, :3] = mass[:, None, None] * np.eye(3)
    own[:, 3:, :3], own[:, :3, 3:], own[:, 3:, 3:] = skew(moment), -skew(moment), tensor
    spun = np.einsum('kij,kj->ki', tensor, omega)
    force = np.cross(omega, np.cross(omega, moment))
    return own, np.concatenate([force, np.cross(omega, spun)], axis=1)

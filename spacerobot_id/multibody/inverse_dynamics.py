"""Inverse dynamics of a tree on a moving base by the recursive Newton-Euler algorithm.

Links are taken from the base outward for their motion and from the tips inward for what it asks
of the joints. Mass and first moment enter, never the centre of mass, so that minimal parameters
expanded to standard ones do as well as those of real bodies.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import (
    cross_components,
    joint_screws,
    link_acceleration,
    link_motion,
    LinkAcceleration,
    LinkMotion,
    per_joint,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.momentum import link_spins, wheel_axes, wheel_values


@dataclass(frozen=True, eq=False)
class InverseDynamics:
    """What makes a robot move in a given way.

    Parameters
    ----------
    base_wrench : ndarray, shape (N, 6)
        Force (N) and moment about the base's origin (N m) on the base from outside, in base axes.
    joint_torques : ndarray, shape (N, n)
        Torque (N m) or force (N) of every joint on its child; of a joint that others follow the
        generalized force that drives them, too.
    wheel_torques : ndarray, shape (N, w)
        Torque (N m) of every wheel's motor on the wheel about its axis.
    """

    base_wrench: NDArray[np.float64]
    joint_torques: NDArray[np.float64]
    wheel_torques: NDArray[np.float64]


def inverse_dynamics(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    base_twist: ArrayLike,
    base_acceleration: ArrayLike,
    wheel_rates: ArrayLike | None = None,
    wheel_accelerations: ArrayLike | None = None,
) -> InverseDynamics:
    """Return base wrench and joint torques of a motion ([Wilde 2018] Eqs. 37-39 with a wrench).

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q, qd, qdd : array_like, shape (N, n)
        Joint positions, rates and accelerations: rad or m, per s, per s^2.
    base_twist : array_like, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    base_acceleration : array_like, shape (N, 6)
        Acceleration of the base's origin against the inertial frame (m/s^2) and angular
        acceleration (rad/s^2), in base axes.
    wheel_rates, wheel_accelerations : array_like, shape (N, w), optional
        Rates (rad/s) and accelerations (rad/s^2) of the wheels against the links that carry
        them; zero if not given.

    Returns
    -------
    InverseDynamics
        Base wrench, joint torques, torques of the wheels' motors.

    Raises
    ------
    ValueError
        If the shapes do not fit the robot.
    """
    motion = link_motion(model, q, qd, base_twist)
    acceleration = link_acceleration(model, motion, qd, qdd, base_acceleration)
    samples = motion.linear.shape[-1]
    rates = wheel_values(model, wheel_rates, samples)
    speeding_up = wheel_values(model, wheel_accelerations, samples)
    wrenches = np.stack(
        [_link_wrench(model, motion, acceleration, link) for link in range(len(model.links))]
    )
    spins = link_spins(model, motion.poses, rates)
    for link, spin in enumerate(spins):
        wrenches[link, 3:] += cross_components(motion.angular[link], spin)
    wrenches[:, 3:] += link_spins(model, motion.poses, speeding_up)
    torques = _joint_torques(model, wrenches, joint_screws(model, motion.poses))
    of_wheels = _wheel_torques(model, motion, acceleration, speeding_up)
    return InverseDynamics(wrenches[0].T, torques, of_wheels)


def _link_wrench(
    model: RobotModel, motion: LinkMotion, acceleration: LinkAcceleration, link: int
) -> NDArray[np.float64]:
    """Return the wrench that one link's motion takes, about the base's origin, (6, N)."""
    body, axes = model.links[link].inertial, motion.poses.axes[link]
    omega, angular = motion.angular[link], acceleration.angular[link]
    moment = np.tensordot(body.first_moment, axes, axes=1)
    force = body.mass * acceleration.linear[link] + cross_components(angular, moment)
    force += cross_components(omega, cross_components(omega, moment))
    spin, spin_rate = (
        np.einsum('acn,an->cn', axes, body.inertia @ np.einsum('acn,cn->an', axes, vector))
        for vector in (omega, angular)
    )
    torque = spin_rate + cross_components(omega, spin)
    torque += cross_components(moment, acceleration.linear[link])
    torque += cross_components(motion.poses.origins[link], force)
    return np.concatenate([force, torque])


def _joint_torques(
    model: RobotModel, wrenches: NDArray[np.float64], screws: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum the wrenches from the tips into the base's; return what lies along the joints."""
    torques = np.empty((wrenches.shape[-1], len(model.tree_joints)))
    for link in range(len(model.links) - 1, 0, -1):
        torques[:, link - 1] = np.einsum('cn,cn->n', screws[link], wrenches[link])
        wrenches[model.tree_joints[link - 1].parent] += wrenches[link]
    return per_joint(model, torques, 1, free=0)


def _wheel_torques(
    model: RobotModel,
    motion: LinkMotion,
    acceleration: LinkAcceleration,
    speeding_up: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return what turns the wheels about their axes faster against the inertial frame."""
    torques = np.empty_like(speeding_up)
    for place, axis in enumerate(wheel_axes(model, motion.poses)):
        wheel = model.wheels[place]
        carried = np.einsum('cn,cn->n', axis, acceleration.angular[wheel.link])
        torques[:, place] = wheel.spin_inertia * (speeding_up[:, place] + carried)
    return torques

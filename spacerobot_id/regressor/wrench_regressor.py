"""The regressor of base wrench and joint torques: equations of motion, linear in parameters.

The body is a free-flyer and whatever it has grasped, arms at rest. Forces and moments are those
that the actuators give, about the origin of the base frame. The columns are in the library's
order of the ten parameters, not in that of Eq. 14.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import (
    cross_components,
    link_acceleration,
    link_motion,
    LinkAcceleration,
    LinkMotion,
    per_joint,
    PoseMotion,
)
from spacerobot_id.model import JointType, RobotModel
from spacerobot_id.model.inertial_parameters import INERTIA_ELEMENTS, MASS, MX
from spacerobot_id.spatial import skew


def newton_euler_regressor(motion: PoseMotion) -> NDArray[np.float64]:
    """Return the matrix that carries the ten parameters of a body to the wrench that moves it.

    Parameters
    ----------
    motion : PoseMotion
        Motion of the base frame at N samples.

    Returns
    -------
    ndarray, shape (N, 6, 10)
        Force (N), then moment about the base's origin (N m), in base axes, per unit of each of
        ``PARAMETER_NAMES``.
    """
    linear = motion.acceleration_in_base_axes
    omega = skew(motion.angular_velocity)
    changing = skew(motion.angular_acceleration)
    regressor = np.zeros((len(linear), 6, 10))
    regressor[:, :3, MASS] = linear
    regressor[:, :3, MX:] = changing + omega @ omega
    regressor[:, 3:, MX:] = -skew(linear)
    for column, elements in enumerate(INERTIA_ELEMENTS):
        for row, component in elements:
            regressor[:, 3 + row, column] += motion.angular_acceleration[:, component]
            swept = omega[:, :, row] * motion.angular_velocity[:, component, None]
            regressor[:, 3:, column] += swept
    return regressor


def wrench_regressor(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    base_twist: ArrayLike,
    base_acceleration: ArrayLike,
) -> NDArray[np.float64]:
    """Return the matrix that carries standard parameters to base wrench and joint torques.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints; only its geometry is used.
    q, qd, qdd : array_like, shape (N, n)
        Joint positions, rates and accelerations.
    base_twist : array_like, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    base_acceleration : array_like, shape (N, 6)
        Acceleration of the base's origin against the inertial frame (m/s^2) and angular
        acceleration (rad/s^2), in base axes.

    Returns
    -------
    ndarray, shape (N, 6 + n, 10 (n + 1))
        First the force (N) and the moment about the base's origin (N m) on the base, in base
        axes, then torque (N m) or force (N) of every joint.
    """
    motion = link_motion(model, q, qd, base_twist)
    acceleration = link_acceleration(model, motion, qd, qdd, base_acceleration)
    samples = motion.linear.shape[-1]
    count = len(model.links)
    regressor = np.zeros((5 + count, 10 * count, samples))
    for link in range(count):
        block = slice(10 * link, 10 * link + 10)
        wrench = _link_wrench(motion, acceleration, link)
        regressor[:6, block] = wrench
        ancestor = link
        while ancestor > 0:
            regressor[5 + ancestor, block] = _on_axis(model, motion, ancestor, wrench)
            ancestor = model.tree_joints[ancestor - 1].parent
    return np.moveaxis(per_joint(model, regressor, 0), -1, 0)


def _link_wrench(
    motion: LinkMotion, acceleration: LinkAcceleration, link: int
) -> NDArray[np.float64]:
    """Return the wrench on one link per unit of its parameters, base frame, shape (6, 10, N)."""
    axes, origin = motion.poses.axes[link], motion.poses.origins[link]
    omega, linear = motion.angular[link], acceleration.linear[link]
    angular = acceleration.angular[link]
    wrench = np.zeros((6, 10, linear.shape[-1]))
    omega_in_link = np.einsum('kcn,cn->kn', axes, omega)
    angular_in_link = np.einsum('kcn,cn->kn', axes, angular)
    for parameter, terms in enumerate(INERTIA_ELEMENTS):
        for axis, component in terms:
            wrench[3:, parameter] += axes[axis] * angular_in_link[component]
            wrench[3:, parameter] += cross_components(omega, axes[axis]) * omega_in_link[component]
    wrench[:3, MASS] = linear
    for axis in range(3):
        direction = axes[axis]
        swept = cross_components(omega, cross_components(omega, direction))
        wrench[:3, MX + axis] = cross_components(angular, direction) + swept
        wrench[3:, MX + axis] = cross_components(direction, linear)
    wrench[3:] += cross_components(origin[:, None], wrench[:3])
    return wrench


def _on_axis(
    model: RobotModel, motion: LinkMotion, link: int, wrench: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what a wrench about the base's origin asks of the joint of a link, (10, N)."""
    axis = motion.poses.axes[link, 2]
    if model.tree_joints[link - 1].type is JointType.PRISMATIC:
        return np.einsum('cn,cpn->pn', axis, wrench[:3])
    lever = cross_components(motion.poses.origins[link][:, None], wrench[:3])
    return np.einsum('cn,cpn->pn', axis, wrench[3:] - lever)

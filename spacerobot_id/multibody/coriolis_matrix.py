"""The Coriolis matrix of a free-floating tree, summed from the tips as the mass matrix is.

Of the many matrices that give the same forces this is the one of body-level Christoffel symbols
(S. Echeandia, P. M. Wensing, *Numerical Methods to Compute the Coriolis Matrix and Christoffel
Symbols for Rigid-Body Systems*, 2021): the rate of the mass matrix less twice this one is skew.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.kinematics import (
    cross_twist,
    cross_wrench,
    joint_screws,
    link_motion,
    link_twists,
    LinkMotion,
    path_to_base,
    per_joint,
)
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.composite_body import Bodies, link_bodies
from spacerobot_id.multibody.wheel_spin import link_spins, wheel_values


@dataclass(frozen=True, eq=False)
class _MovingBodies:
    """Composite bodies, their rates of change and their momenta; components first."""

    bodies: Bodies
    rates: Bodies
    momenta: NDArray[np.float64]

    def forces(
        self, link: int, screw: NDArray[np.float64], transposed: bool = False
    ) -> NDArray[np.float64]:
        """Return the body-level Coriolis matrix, or its transpose, times a screw, (6, N)."""
        gyroscopic = cross_wrench(screw, self.momenta[link])
        sign = -1.0 if transposed else 1.0
        return 0.5 * (self.rates.momentum(link, screw) + sign * gyroscopic)


def coriolis_matrix(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    base_twist: ArrayLike,
    wheel_rates: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return ``C`` with ``M @ acceleration + C @ rates`` the forces ([Wilde 2018] Eq. 39).

    Rates are the base twist in base axes and the joint rates, the acceleration is that of these
    components, and the forces are the base's wrench in base axes and the joint torques.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints and w wheels.
    q, qd : array_like, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s).
    base_twist : array_like, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    wheel_rates : array_like, shape (N, w), optional
        Rates of the wheels, rad/s; at rest if not given. Their gyroscopic torques are in ``C``.

    Returns
    -------
    ndarray, shape (N, 6 + n, 6 + n)
        Coriolis matrix; ``mass_matrix_rate - 2 C`` is skew.
    """
    motion = link_motion(model, q, qd, base_twist)
    screws, twists = joint_screws(model, motion.poses), link_twists(motion)
    moving = _moving_bodies(model, motion, twists, wheel_rates)
    size = 5 + len(model.links)
    matrix = np.zeros((size, size, screws.shape[-1]))
    for column, unit in enumerate(np.eye(6)):
        screw = np.broadcast_to(unit[:, None], screws[0].shape)
        matrix[:6, column] = moving.bodies.momentum(0, cross_twist(twists[0], screw))
        matrix[:6, column] += moving.forces(0, screw)
    for link in range(1, len(model.links)):
        _fill_link(matrix, model, link, screws, twists, moving)
    return np.moveaxis(per_joint(model, matrix, 0, 1), -1, 0)


def _moving_bodies(
    model: RobotModel,
    motion: LinkMotion,
    twists: NDArray[np.float64],
    wheel_rates: ArrayLike | None,
) -> _MovingBodies:
    """Return what all links do, summed over what hangs on each."""
    bodies = link_bodies(model, motion.poses)
    momenta = np.stack([bodies.momentum(link, twist) for link, twist in enumerate(twists)])
    rates = wheel_values(model, wheel_rates, twists.shape[-1])
    # A gyrostat's torque is linear in the twist, a body's quadratic: hence the factor.
    momenta[:, 3:] += 2.0 * link_spins(model, motion.poses, rates)
    for link in range(len(model.links) - 1, 0, -1):
        momenta[model.tree_joints[link - 1].parent] += momenta[link]
    return _MovingBodies(bodies.composite(model), bodies.rate(twists).composite(model), momenta)


def _fill_link(
    matrix: NDArray[np.float64],
    model: RobotModel,
    link: int,
    screws: NDArray[np.float64],
    twists: NDArray[np.float64],
    moving: _MovingBodies,
) -> None:
    """Write the rows and columns that one link has in common with those below it."""
    path = path_to_base(model, link)
    screw, turning = screws[link], cross_twist(*(a[path].swapaxes(0, 1) for a in (twists, screws)))
    momentum = moving.bodies.momentum(link, screw)
    forces = moving.bodies.momentum(link, turning[:, 0]) + moving.forces(link, screw)
    transposed = moving.forces(link, screw, transposed=True)
    place, rows = 5 + link, 5 + np.array(path)
    matrix[place, :6] = transposed - cross_wrench(twists[0], momentum)
    matrix[place, rows] = np.einsum('acn,cn->an', screws[path], transposed)
    matrix[place, rows] += np.einsum('can,cn->an', turning, momentum)
    matrix[:6, place] = forces
    matrix[rows, place] = np.einsum('acn,cn->an', screws[path], forces)

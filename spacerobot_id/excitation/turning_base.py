"""How the base of a robot moves that turns with a known angular momentum.

Its twist depends on the attitude, and so on all that went before. The samples of a motion are the
steps of the integration, in the middles of which positions and rates are taken to be the means.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.dynamics import (
    attitude_from_momentum,
    base_twist_from_momentum,
    inverse_dynamics,
    momentum_matrix,
)
from spacerobot_id.excitation.known_momentum import KnownMomentum
from spacerobot_id.excitation.motion import PlannedMotion
from spacerobot_id.model import RobotModel


@dataclass(frozen=True, eq=False)
class BaseMotion:
    """Where the base is turned to and how it moves, at the samples of a motion.

    Parameters
    ----------
    attitudes : Rotation
        N attitudes, from base axes to inertial ones.
    twist : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity in base axes.
    """

    attitudes: Rotation
    twist: NDArray[np.float64]


def turning_base(model: RobotModel, momentum: KnownMomentum, motion: PlannedMotion) -> BaseMotion:
    """Return how the base moves along evenly spaced samples, linear momentum zero.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with.
    momentum : KnownMomentum
        Angular momentum of robot and wheels, and the attitude at the start.
    motion : PlannedMotion
        N samples of joints, then wheels, two at least.
    """
    joints = len(model.joints)
    q, qd, wheel_rates = (
        _with_middles(values)
        for values in (
            motion.position[:, :joints],
            motion.velocity[:, :joints],
            motion.velocity[:, joints:],
        )
    )

    def twists(attitudes: Rotation, samples: slice) -> NDArray[np.float64]:
        seen = attitudes.apply(momentum.angular_momentum, inverse=True)
        total = np.hstack([np.zeros((len(seen), 3)), seen])
        return base_twist_from_momentum(
            model, q[samples], qd[samples], wheel_rates[samples], total
        )

    start = Rotation.from_quat([momentum.attitude])
    until_first = motion.times[0] * twists(start, slice(1))[:, 3:]
    attitudes = Rotation.from_quat(
        attitude_from_momentum(
            model,
            q,
            qd,
            motion.times[1] - motion.times[0],
            momentum.angular_momentum,
            (start * Rotation.from_rotvec(until_first)).as_quat()[0],
            wheel_rates,
        )
    )
    return BaseMotion(attitudes, twists(attitudes, slice(None, None, 2)))


def turning_torques(
    model: RobotModel, motion: PlannedMotion, twist: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the torques of joints, then wheels, of a robot that nothing acts on, shape (N, m).

    Parameters
    ----------
    model : RobotModel
        Robot to predict with.
    motion : PlannedMotion
        N samples of joints, then wheels.
    twist : ndarray, shape (N, 6)
        Twist of the base in base axes.
    """
    n = len(model.joints)
    q, qd, qdd = motion.position[:, :n], motion.velocity[:, :n], motion.acceleration[:, :n]
    wheels = motion.velocity[:, n:], motion.acceleration[:, n:]
    held = inverse_dynamics(model, q, qd, qdd, twist, np.zeros_like(twist), *wheels)
    of_base = momentum_matrix(model, q)[:, :, :6]
    acceleration = -np.linalg.solve(of_base, held.base_wrench[..., None])[..., 0]
    found = inverse_dynamics(model, q, qd, qdd, twist, acceleration, *wheels)
    return np.hstack([found.joint_torques, found.wheel_torques])


def _with_middles(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return samples with their means between them, shapes (N, m) to (2 N - 1, m)."""
    both = np.empty((2 * len(values) - 1, values.shape[1]))
    both[::2] = values
    both[1::2] = 0.5 * (values[:-1] + values[1:])
    return both

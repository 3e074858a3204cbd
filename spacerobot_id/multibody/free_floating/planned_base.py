"""How the base moves along a motion of joints and wheels: from rest, on a table, or turning.

From rest its twist follows from every sample alone. With a known angular momentum it depends on
the attitude, and so on all that went before: the samples of a motion are then the steps of an
integration, in the middles of which positions and rates are taken to be the means.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.attitude_from_momentum import attitude_from_momentum
from spacerobot_id.multibody.free_floating.inverse_dynamics import free_floating_inverse_dynamics
from spacerobot_id.multibody.inverse_dynamics import inverse_dynamics
from spacerobot_id.multibody.momentum import (
    base_twist_from_momentum,
    momentum_matrix,
    wheel_momentum,
)


@dataclass(frozen=True)
class KnownMomentum:
    """A robot's angular momentum, and what else its estimator is given.

    Parameters
    ----------
    angular_momentum : tuple of 3 floats
        About the system's centre of mass in inertial axes, kg m^2/s.
    attitude : tuple of 4 floats
        Quaternion x y z w of the base at the start.
    trust_zeros : bool
        Whether parameters that are exactly zero in the description are known to be zero.
    """

    angular_momentum: tuple[float, ...]
    attitude: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0)
    trust_zeros: bool = False


AT_REST = KnownMomentum((0.0, 0.0, 0.0))
"""The momentum of a robot that nothing has turned."""


def free_axes(planar: bool) -> list[int]:
    """Return which components of the base's twist are free: x, y and the turn about z, or all."""
    return [0, 1, 5] if planar else [0, 1, 2, 3, 4, 5]


def freedom_of(free: list[int]) -> NDArray[np.float64]:
    """Return one for each component of the twist that is free, zero for the others, shape (6,)."""
    freedom = np.zeros(6)
    freedom[free] = 1.0
    return freedom


def constrained(matrix: NDArray[np.float64], free: list[int]) -> NDArray[np.float64]:
    """Return momentum matrices (N, 6, 6 + n) of a base that cannot move where it is not free."""
    if len(free) == 6:
        return matrix
    freedom = freedom_of(free)
    found = matrix * freedom[:, None]
    found[:, :, :6] = found[:, :, :6] * freedom + np.diag(1.0 - freedom)
    return found


def planned_twist(model: RobotModel, motion: PlannedMotion, planar: bool) -> NDArray[np.float64]:
    """Return the base twist that conserves momentum where the base is free, shape (N, 6).

    Parameters
    ----------
    model : RobotModel
        Robot to predict with.
    motion : PlannedMotion
        Samples of joints, then wheels.
    planar : bool
        Whether a table holds the base in its plane.
    """
    joints = len(model.joints)
    q, rates = motion.position[:, :joints], motion.velocity
    return twist_from_matrix(model, momentum_matrix(model, q), q, rates, planar)


def twist_from_matrix(
    model: RobotModel,
    matrix: NDArray[np.float64],
    q: NDArray[np.float64],
    rates: NDArray[np.float64],
    planar: bool,
) -> NDArray[np.float64]:
    """Return the base twist, given the momentum matrix, shape (..., N, 6, 6 + n), as well."""
    joints, free = len(model.joints), free_axes(planar)
    moving = np.einsum('...nij,nj->...ni', matrix[..., 6:], rates[:, :joints])
    moving += wheel_momentum(model, q, rates[:, joints:])
    twist = np.zeros_like(moving)
    of_base = matrix[..., free, :][..., free]
    twist[..., free] = -np.linalg.solve(of_base, moving[..., free, None])[..., 0]
    return twist


def planned_torques(model: RobotModel, motion: PlannedMotion, planar: bool) -> NDArray[np.float64]:
    """Return the torques of joints, then wheels, shape (N, m); as for ``planned_twist``."""
    if planar:
        return turning_torques(model, motion, planned_twist(model, motion, planar), planar)
    states, wheels = _states(model, motion)
    found = free_floating_inverse_dynamics(model, *states, *wheels)
    return np.hstack([found.joint_torques, found.wheel_torques])


@dataclass(frozen=True, eq=False)
class BaseMotion:
    """Where the base is turned to and how it moves, at the samples of a motion.

    Parameters
    ----------
    attitudes : Rotation
        N attitudes, from base axes to inertial ones.
    twist : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity in base axes.
    matrix : ndarray, shape (N, 6, 6 + n)
        Momentum matrices.
    """

    attitudes: Rotation
    twist: NDArray[np.float64]
    matrix: NDArray[np.float64]


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
    return turning_bases(model, momentum, (motion,))


@lru_cache(maxsize=4)  # limits and criteria ask for the same motion, one after the other
def turning_bases(
    model: RobotModel, momentum: KnownMomentum, motions: tuple[PlannedMotion, ...]
) -> BaseMotion:
    """Return the same of several motions with samples at the same times, one after the other.

    Parameters
    ----------
    model, momentum
        As for ``turning_base``.
    motions : tuple of PlannedMotion
        K motions of N samples.

    Returns
    -------
    BaseMotion
        K N samples.
    """
    joints, times = len(model.joints), motions[0].times
    position = np.stack([_with_middles(motion.position) for motion in motions])
    velocity = np.stack([_with_middles(motion.velocity) for motion in motions])
    q, qd, wheel_rates = position[..., :joints], velocity[..., :joints], velocity[..., joints:]
    matrix = momentum_matrix(model, _joined(q)).reshape(*q.shape[:2], 6, 6 + joints)

    def twists(attitudes: Rotation, samples: slice) -> NDArray[np.float64]:
        seen = attitudes.apply(momentum.angular_momentum, inverse=True)
        return base_twist_from_momentum(
            model,
            *(_joined(each[:, samples]) for each in (q, qd, wheel_rates)),
            np.hstack([np.zeros((len(seen), 3)), seen]),
            _joined(matrix[:, samples]),
        )

    start = Rotation.from_quat([momentum.attitude] * len(motions))
    until_first = Rotation.from_rotvec(times[0] * twists(start, slice(1))[:, 3:])
    paths = [
        attitude_from_momentum(
            model,
            q[each],
            qd[each],
            times[1] - times[0],
            momentum.angular_momentum,
            first,
            wheel_rates[each],
            matrix[each],
        )
        for each, first in enumerate((start * until_first).as_quat())
    ]
    attitudes = Rotation.from_quat(np.concatenate(paths))
    ends = slice(None, None, 2)
    return BaseMotion(attitudes, twists(attitudes, ends), _joined(matrix[:, ends]))


def _joined(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return samples of motions one after the other, shapes (K, N, ...) to (K N, ...)."""
    return values.reshape(values.shape[0] * values.shape[1], *values.shape[2:])


def turning_torques(
    model: RobotModel, motion: PlannedMotion, twist: NDArray[np.float64], planar: bool = False
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
    planar : bool
        Whether a table holds the base in its plane.
    """
    states, wheels = _states(model, motion)
    acceleration = base_acceleration(model, motion, twist, planar)
    found = inverse_dynamics(model, *states, twist, acceleration, *wheels)
    return np.hstack([found.joint_torques, found.wheel_torques])


def base_acceleration(
    model: RobotModel, motion: PlannedMotion, twist: NDArray[np.float64], planar: bool = False
) -> NDArray[np.float64]:
    """Return the slope of the base's twist where nothing acts, (N, 6); as ``turning_torques``."""
    states, wheels = _states(model, motion)
    free, acceleration = free_axes(planar), np.zeros_like(twist)
    held = inverse_dynamics(model, *states, twist, acceleration, *wheels).base_wrench
    of_base = momentum_matrix(model, states[0])[:, free][:, :, free]
    acceleration[:, free] = -np.linalg.solve(of_base, held[:, free, None])[..., 0]
    return acceleration


def _states(
    model: RobotModel, motion: PlannedMotion
) -> tuple[tuple[NDArray[np.float64], ...], tuple[NDArray[np.float64], ...]]:
    """Return positions, rates, accelerations of joints; rates, accelerations of wheels."""
    n = len(model.joints)
    parts = motion.position, motion.velocity, motion.acceleration
    return tuple(each[:, :n] for each in parts), tuple(each[:, n:] for each in parts[1:])


def _with_middles(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return samples with their means between them, shapes (N, m) to (2 N - 1, m)."""
    both = np.empty((2 * len(values) - 1, values.shape[1]))
    both[::2] = values
    both[1::2] = 0.5 * (values[:-1] + values[1:])
    return both


def base_attitude(angular_velocity: NDArray[np.float64], spacing: NDArray[np.float64]) -> Rotation:
    """Return the attitudes that an angular velocity leads to: a cumulative quaternion product.

    Parameters
    ----------
    angular_velocity : ndarray, shape (N, 3)
        Of the base in its own axes, at the middles of the times they stand for, rad/s.
    spacing : ndarray, shape (N,)
        These times, s.

    Returns
    -------
    Rotation
        N attitudes at their ends, from base axes to those of the start.
    """
    turns = Rotation.from_rotvec(angular_velocity * spacing[:, None]).as_quat()
    # A prefix product in log2(N) steps over all samples, each of products of ever longer runs.
    step = 1
    while step < len(turns):
        turns[step:] = (
            Rotation.from_quat(turns[:-step]) * Rotation.from_quat(turns[step:])
        ).as_quat()
        step *= 2
    return Rotation.from_quat(turns)


@dataclass(frozen=True, eq=False)
class PlannedBase:
    """The base of a robot on a planned motion: how it turns, and what that asks of actuators.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with.
    planar : bool
        Whether a table holds the base in its plane; only from rest.
    momentum : KnownMomentum, optional
        Angular momentum of the robot; it starts at rest if None.
    """

    model: RobotModel
    planar: bool = False
    momentum: KnownMomentum | None = None

    @property
    def is_pointwise(self) -> bool:
        """Whether the motion of the base at a sample follows from that sample alone."""
        return self.momentum is None

    def twist(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return linear (m/s) and angular (rad/s) velocity in base axes, shape (N, 6)."""
        if self.momentum is None:
            return planned_twist(self.model, motion, self.planar)
        return turning_base(self.model, self.momentum, motion).twist

    def turned(self, motion: PlannedMotion, spacing: NDArray[np.float64]) -> Rotation:
        """Return N attitudes relative to that at the start.

        Parameters
        ----------
        motion : PlannedMotion
            Samples.
        spacing : ndarray, shape (N,)
            Time that each stands for, s.
        """
        if self.momentum is None:
            return base_attitude(self.twist(motion)[:, 3:], spacing)
        start = Rotation.from_quat(self.momentum.attitude)
        return start.inv() * turning_base(self.model, self.momentum, motion).attitudes

    def torques(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the torques of joints, then wheels, shape (N, m), N m."""
        if self.momentum is None:
            return planned_torques(self.model, motion, self.planar)
        return turning_torques(self.model, motion, self.twist(motion))

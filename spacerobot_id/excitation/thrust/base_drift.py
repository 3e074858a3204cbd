"""Where thrusters take the base while joints and wheels move, as a description predicts it.

Momentum changes by the wrench, and the base's twist follows from momentum and joints; all
candidates are integrated together, in steps of the thrusters' grid.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics.trajectory_motion import PlannedMotion
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import momentum_matrix, wheel_momentum
from spacerobot_id.multibody.free_floating.planned_base import free_axes


@dataclass(frozen=True, eq=False)
class BaseState:
    """Where the base is at a time, and how it moves.

    Parameters
    ----------
    time : float
        Time, s.
    position : ndarray, shape (3,)
        In the inertial frame, m.
    attitude : Rotation
        From base to inertial axes.
    twist : ndarray, shape (6,)
        Linear (m/s) and angular (rad/s) velocity in base axes.
    """

    time: float
    position: NDArray[np.float64]
    attitude: Rotation
    twist: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BaseDrift:
    """How C candidates move the base over M steps.

    Parameters
    ----------
    position : ndarray, shape (C, M + 1, 3)
        In the inertial frame, m.
    twist : ndarray, shape (C, 6)
        At the end: linear (m/s) and angular (rad/s) velocity in base axes.
    coasting : ndarray, shape (C, 6)
        What it would be with joints and wheels at rest.
    attitude : Rotation
        C attitudes at the end.
    twists : ndarray, shape (C, M + 1, 6)
        Linear and angular velocity at the ends of the steps.
    attitudes : ndarray, shape (C, M + 1, 4)
        Quaternions x y z w there, from base to inertial axes.
    """

    position: NDArray[np.float64]
    twist: NDArray[np.float64]
    coasting: NDArray[np.float64]
    attitude: Rotation
    twists: NDArray[np.float64]
    attitudes: NDArray[np.float64]

    def __getitem__(self, candidates: NDArray[np.intp] | slice) -> 'BaseDrift':
        """Return some of the candidates."""
        return BaseDrift(*(each[candidates] for each in vars(self).values()))

    def end(self, time: float) -> BaseState:
        """Return the state that the first candidate ends in at a time, s."""
        return BaseState(time, self.position[0, -1], self.attitude[0], self.twist[0])


def base_drift(
    model: RobotModel,
    motion: PlannedMotion,
    start: BaseState,
    shares: NDArray[np.float64],
    *,
    planar: bool = False,
) -> BaseDrift:
    """Return where the base goes.

    Parameters
    ----------
    model : RobotModel
        Robot to predict with, its T thrusters as they are stated.
    motion : PlannedMotion
        Joints, then wheels, at the M + 1 ends of the steps, which are evenly spaced.
    start : BaseState
        State at the first of them.
    shares : ndarray, shape (C, M, T)
        Commands of the thrusters of each candidate in each step.
    planar : bool
        Whether a table holds the base in its plane.
    """
    free, n, step = free_axes(planar), len(model.joints), motion.times[1] - motion.times[0]
    matrix = momentum_matrix(model, motion.position[:, :n])
    others = np.einsum('kij,kj->ki', matrix[:, :, 6:], motion.velocity[:, :n])
    others += wheel_momentum(model, motion.position[:, :n], motion.velocity[:, n:])
    mobility = np.linalg.inv(matrix[:, free][:, :, free])
    wrenches = shares @ np.stack([thruster.wrench for thruster in model.thrusters])
    count, steps = shares.shape[:2]
    position = np.empty((count, steps + 1, 3))
    twist, coasting = np.zeros((count, 6)), np.zeros((count, 6))
    twists, attitudes = np.empty((count, steps + 1, 6)), np.empty((count, steps + 1, 4))
    attitude = Rotation.from_quat(np.tile(start.attitude.as_quat(), (count, 1)))
    position[:, 0] = start.position
    own = matrix[0, :, :6] @ start.twist + others[0]
    linear = attitude.apply(own[:3])
    angular = attitude.apply(own[3:]) + np.cross(position[:, 0], linear)
    for k in range(steps + 1):
        about = angular - np.cross(position[:, k], linear)
        seen = np.hstack([attitude.apply(each, inverse=True) for each in (linear, about)])
        twist[:, free] = (seen - others[k])[:, free] @ mobility[k].T
        twists[:, k], attitudes[:, k] = twist, attitude.as_quat()
        if k == steps:
            coasting[:, free] = seen[:, free] @ mobility[k].T
            break
        force = attitude.apply(wrenches[:, k, :3])
        moment = attitude.apply(wrenches[:, k, 3:]) + np.cross(position[:, k], force)
        linear, angular = linear + step * force, angular + step * moment
        position[:, k + 1] = position[:, k] + step * attitude.apply(twist[:, :3])
        attitude = attitude * Rotation.from_rotvec(step * twist[:, 3:])
    return BaseDrift(position, twist, coasting, attitude, twists, attitudes)

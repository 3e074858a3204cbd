"""What kinematic and dynamic simulation have in common."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Protocol, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.measurement import Record
from spacerobot_id.model import RobotModel

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, eq=False)
class MotionSamples:
    """Motion of the whole robot, true or measured: every row is one time.

    Parameters
    ----------
    times : ndarray, shape (N,)
        Times, s.
    q, qd, qdd : ndarray, shape (N, n)
        Joint positions (rad or m), rates and accelerations.
    wheel_angles, wheel_rates : ndarray, shape (N, w)
        Wheels against the links that carry them, rad and rad/s.
    base_twist : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the base in base axes.
    position : ndarray, shape (N, 3)
        Position of the base in the inertial frame, m.
    attitude : ndarray, shape (N, 4)
        Attitude quaternion x y z w of the base; without jumps of sign.
    base_acceleration : ndarray, shape (N, 6), optional
        Acceleration of the base's origin against the inertial frame (m/s^2), then angular
        acceleration (rad/s^2), in base axes, just before the sample. It and all below are None
        where the motion comes without forces.
    base_wrench : ndarray, shape (N, 6), optional
        Force (N) and torque (N m) of the base's drives in base axes about the base's origin; in
        the mode translation-flying about the system's centre of mass.
    joint_torque, wheel_torque : ndarray, shape (N, n) and (N, w), optional
        Torques of the motors, N m.
    work : ndarray, shape (N, 4), optional
        Work done since the start, J; as in ``RobotState``.
    """

    times: NDArray[np.float64]
    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    qdd: NDArray[np.float64]
    wheel_angles: NDArray[np.float64]
    wheel_rates: NDArray[np.float64]
    base_twist: NDArray[np.float64]
    position: NDArray[np.float64]
    attitude: NDArray[np.float64]
    base_acceleration: NDArray[np.float64] | None = None
    base_wrench: NDArray[np.float64] | None = None
    joint_torque: NDArray[np.float64] | None = None
    wheel_torque: NDArray[np.float64] | None = None
    work: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.times)

    @property
    def motor_torque(self) -> NDArray[np.float64] | None:
        """Torques of joints, then wheels, shape (N, n + w), N m; None without forces."""
        if self.joint_torque is None:
            return None
        return np.hstack([self.joint_torque, self.wheel_torque])

    def __getitem__(self, rows: NDArray[np.intp] | slice) -> 'MotionSamples':
        """Return some of the samples."""
        columns = (getattr(self, each.name) for each in fields(self))
        return MotionSamples(*(None if each is None else each[rows] for each in columns))

    def followed_by(self, later: 'MotionSamples') -> 'MotionSamples':
        """Return these samples and later ones of the same simulation as one series."""
        pairs = ((getattr(self, each.name), getattr(later, each.name)) for each in fields(self))
        return MotionSamples(
            *(
                None if before is None else np.concatenate([before, after])
                for before, after in pairs
            )
        )

    def measurement(self) -> Record:
        """Return what an estimator takes."""
        return Record(
            self.times,
            self.q,
            self.qd,
            self.wheel_rates,
            self.base_twist,
            self.position,
            self.attitude,
        )


class Simulation(Protocol):
    """A robot at one time, and what its joints and wheels are commanded to do.

    A simulation is a value: following a trajectory and advancing in time return another one, so
    that what is refused cannot have changed anything.
    """

    @property
    def time(self) -> float:
        """Time, s."""

    @property
    def model(self) -> RobotModel:
        """The true robot as it is now."""

    @property
    def is_moving(self) -> bool:
        """Whether a joint or wheel has not reached the end of its trajectory yet."""

    @property
    def conditions(self) -> tuple[str, ...]:
        """Description of what the motion is subject to, for a status line."""

    def with_joint_trajectory(self, trajectory: JointTrajectory) -> 'Self':
        """Return the same robot with its joints on a trajectory from now on.

        Raises
        ------
        TrajectoryError
            If the joints cannot follow it.
        """

    def with_wheel_trajectory(self, trajectory: JointTrajectory) -> 'Self':
        """Return the same robot with its wheels on a trajectory from now on.

        Raises
        ------
        TrajectoryError
            If the wheels cannot follow it.
        SimulationError
            If nothing drives them.
        """

    def advanced_to(self, times: Sequence[float]) -> 'tuple[Self, MotionSamples]':
        """Return the robot at the last of some times, and its motion at all of them.

        Parameters
        ----------
        times : sequence of float, length N
            Times, s, strictly increasing and after the present one; at least one.

        Raises
        ------
        SimulationError
            If the motion does not stay finite.
        """

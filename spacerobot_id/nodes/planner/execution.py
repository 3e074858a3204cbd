"""A plan under way: how far it is, whether the joints follow, and how to end it early."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.trajectory.stop import stop_early
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.kinematics.joint_trajectory import JointTrajectory

_COMMAND_DELAY = 0.1
"""Longest time from a joint state to the controller's reaction to it, s."""


@dataclass(frozen=True, eq=False)
class Execution:
    """A plan and the time it was sent.

    Parameters
    ----------
    plan : ExcitingMotion
        Motion of all actuators.
    start : float
        Stamp of the joint states when it was sent, s.
    """

    plan: ExcitingMotion
    start: float

    def elapsed(self, now: float) -> float:
        """Return the time since the start at a stamp, s, no longer than the plan."""
        return min(max(now - self.start, 0.0), self.plan.duration)

    def is_over(self, now: float, margin: float) -> bool:
        """Return whether the plan has ended some time ago, s."""
        return now - self.start >= self.plan.duration + margin

    def straying(
        self, now: float, positions: NDArray[np.float64], tolerance: NDArray[np.float64]
    ) -> str | None:
        """Return an actuator that is not where it should be, if there is one.

        Parameters
        ----------
        now : float
            Stamp of the joint states, s.
        positions : ndarray, shape (m,)
            Positions of the actuators.
        tolerance : ndarray, shape (m,)
            Distances that are allowed.
        """
        wanted = self.plan.sample([self.elapsed(now)]).position[0]
        excess = np.abs(positions - wanted) - tolerance
        worst = int(np.argmax(excess))
        if excess[worst] <= 0.0:
            return None
        name = self.plan.names[worst]
        return f'{name} is at {positions[worst]:.4g} and should be at {wanted[worst]:.4g}'

    def ending(
        self, now: float, positions: NDArray[np.float64], tolerance: NDArray[np.float64]
    ) -> JointTrajectory:
        """Return a trajectory of all actuators that ends the present interval, or motion, early.

        It has one point, at rest, so that it can start from wherever its controller is when it
        comes, and takes no longer than an interval does where there are some. An actuator that
        is not where it should be stays where it is.

        Parameters
        ----------
        now : float
            Stamp of the joint states, s.
        positions : ndarray, shape (m,)
            Positions of the actuators; NaN where they are not known.
        tolerance : ndarray, shape (m,)
            Distances from where they should be that are allowed.
        """
        elapsed = self.elapsed(now)
        wanted = self.plan.sample([elapsed]).position[0]
        stop = stop_early(self.plan, elapsed, _COMMAND_DELAY)
        strays = np.abs(positions - wanted) > tolerance
        position = np.where(strays, positions, stop.position)[None]
        rest = np.zeros_like(position)
        return JointTrajectory(self.plan.names, np.array([stop.duration]), position, rest, rest)


def part_of(trajectory: JointTrajectory, names: tuple[str, ...]) -> JointTrajectory:
    """Return the part of a trajectory that some actuators have.

    Parameters
    ----------
    trajectory : JointTrajectory
        Trajectory with positions, velocities and accelerations.
    names : tuple of str
        Actuators of one controller.
    """
    columns = [trajectory.names.index(name) for name in names]
    return JointTrajectory(
        names,
        trajectory.times,
        trajectory.positions[:, columns],
        trajectory.velocities[:, columns],
        trajectory.accelerations[:, columns],
    )

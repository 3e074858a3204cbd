"""What kinematic and dynamic simulation have in common."""

from collections.abc import Sequence
from typing import Protocol, TYPE_CHECKING

from spacerobot_id.kinematics.joint_trajectory import JointTrajectory
from spacerobot_id.model import RobotModel
from spacerobot_id.simulation.motion_samples import MotionSamples

if TYPE_CHECKING:
    from typing import Self


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

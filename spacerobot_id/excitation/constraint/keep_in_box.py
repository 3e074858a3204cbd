"""A box in the base's frame that a frame of the robot, an end-effector's, does not leave."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.constraint.motion_limit import usage_gradient
from spacerobot_id.kinematics import link_poses
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient
from spacerobot_id.model import JointLimits, RobotModel


@dataclass(frozen=True)
class FreeFlyerLimits:
    """How far an exciting motion of the base may go; bounds of X, its rates and accelerations.

    Parameters
    ----------
    distance : float
        Largest distance from the start along each axis, m.
    angle : float
        Largest magnitude of each Euler angle, rad; below a quarter of a turn.
    speed, acceleration : float
        Largest rate and acceleration along each axis, m/s and m/s^2.
    angular_rate, angular_acceleration : float
        Largest rate and acceleration of each angle, rad/s and rad/s^2.
    """

    distance: float = 0.5
    angle: float = 0.8
    speed: float = 0.5
    acceleration: float = 0.25
    angular_rate: float = 1.0
    angular_acceleration: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.angle < 0.5 * np.pi:
            raise PlanningError(f'angle: must be between 0 and a quarter turn, got {self.angle:g}')

    def of_coordinates(self) -> list[JointLimits]:
        """Return the limits of x, y, z, phi, theta, psi about where the base starts."""
        straight = JointLimits(-self.distance, self.distance, self.speed, self.acceleration)
        turned = JointLimits(-self.angle, self.angle, self.angular_rate, self.angular_acceleration)
        return [straight] * 3 + [turned] * 3


@dataclass(frozen=True)
class KeepInBox:
    """Where a frame's origin may be.

    Parameters
    ----------
    frame : str
        Name of a frame or link of the robot.
    lower, upper : tuple of 3 floats
        Corners of the box in base axes from the base's origin, m.
    """

    frame: str
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class KeepInBoxLimit:
    """The distance of a frame's origin from the middle of its box, along each axis.

    Parameters
    ----------
    model : RobotModel
        Robot.
    box : KeepInBox
        Frame and box.

    Raises
    ------
    PlanningError
        If the robot has no such frame, or the box has no room.
    """

    model: RobotModel
    box: KeepInBox

    def __post_init__(self) -> None:
        if self.box.frame not in self.model.frames:
            known = ', '.join(self.model.frames)
            raise PlanningError(f'{self.box.frame}: no frame to keep in a box; known are {known}')
        if not np.all(np.array(self.box.lower) < np.array(self.box.upper)):
            raise PlanningError(f'{self.box.frame}: its box has no room between its corners')

    has_gradient: ClassVar[bool] = True

    @property
    def names(self) -> list[str]:
        """What is limited."""
        return [f'{self.box.frame}: box along {axis}' for axis in 'xyz']

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the shares of the half lengths, shape (N, 3)."""
        poses = link_poses(self.model, motion.position[:, : len(self.model.joints)])
        frame = self.model.frames[self.box.frame]
        axes, origin = poses.axes[frame.link], poses.origins[frame.link]
        place = (origin + np.tensordot(frame.p_LF_L, axes, axes=1)).T
        lower, upper = np.array(self.box.lower), np.array(self.box.upper)
        return np.abs(place - 0.5 * (lower + upper)) / (0.5 * (upper - lower))

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares."""
        return usage_gradient(self.usage, motion, by, ['position'], len(self.model.joints))

"""How far the base of a free-flyer may go: limits of its six coordinates."""

from dataclasses import dataclass

import numpy as np

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.model import JointLimits


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

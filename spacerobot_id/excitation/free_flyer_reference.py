"""What a free-flyer is asked to do: a motion of its six pose coordinates (papers/003 section 4).

The actuated coordinates are position and attitude of the base, so that any family of exciting
motions serves: its actuators are the six coordinates.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.motion import ExcitingMotion
from spacerobot_id.excitation.periodic_fourier import FourierFamily
from spacerobot_id.kinematics import POSE_COORDINATES, pose_motion, PoseMotion


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


@dataclass(frozen=True, eq=False)
class FreeFlyerReference:
    """A pose over time, with its derivatives.

    Parameters
    ----------
    motion : ExcitingMotion
        Motion whose six actuators are the coordinates x, y, z, phi, theta, psi.

    Raises
    ------
    PlanningError
        If the motion is of other actuators.
    """

    motion: ExcitingMotion

    def __post_init__(self) -> None:
        if self.motion.names != POSE_COORDINATES:
            raise PlanningError(
                f'a pose has the coordinates {", ".join(POSE_COORDINATES)}, '
                f'not {", ".join(self.motion.names)}'
            )

    @property
    def duration(self) -> float:
        """Duration, s."""
        return self.motion.duration

    def sample(self, times: ArrayLike) -> PoseMotion:
        """Return the motion of the base at some times since the start, shape (N,), s."""
        motion = self.motion.sample(times)
        return pose_motion(motion.position, motion.velocity, motion.acceleration)


def pose_family(
    limits: FreeFlyerLimits, period: float, harmonics: int = 3, cycles: int = 1
) -> FourierFamily:
    """Return the Fourier motions of a base about the origin that keep some limits.

    Parameters
    ----------
    limits : FreeFlyerLimits
        Limits.
    period : float
        Period, s.
    harmonics, cycles : int
        Number of harmonics, and of periods.
    """
    straight, turned = np.ones(3), np.ones(3)

    def both(of_position: float, of_angle: float) -> np.ndarray:
        return np.concatenate([of_position * straight, of_angle * turned])

    reach = both(limits.distance, limits.angle)
    return FourierFamily(
        names=POSE_COORDINATES,
        period=period,
        start=np.zeros(6),
        lowest=-reach,
        highest=reach,
        velocity=both(limits.speed, limits.angular_rate),
        acceleration=both(limits.acceleration, limits.angular_acceleration),
        harmonics=harmonics,
        cycles=cycles,
    )

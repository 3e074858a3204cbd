"""What a free-flyer is asked to do: a motion of its six pose coordinates ([Ekal 2019] section 4).

The actuated coordinates are position and attitude of the base, so that any family of exciting
motions serves: its actuators are the six coordinates.
"""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.kinematics.pose_coordinates import POSE_COORDINATES, pose_motion, PoseMotion


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

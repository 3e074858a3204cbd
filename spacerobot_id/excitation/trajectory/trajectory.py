"""What every family of exciting motions gives: values at any times, and how far it goes.

The actuated coordinates are position and attitude of the base, so that any family of exciting
motions serves: its actuators are the six coordinates.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.kinematics.pose_coordinates import POSE_COORDINATES, pose_motion, PoseMotion
from spacerobot_id.kinematics.trajectory_motion import JointTrajectory, PlannedMotion

_SLOWEST_STOP = 4.0
"""Longest time to rest, in units of that in which the largest acceleration makes the rate."""


@dataclass(frozen=True, eq=False)
class MotionExtent:
    """How far a motion goes at any time, between samples too; arrays have shape (m,).

    Parameters
    ----------
    lowest, highest : ndarray
        Bounds of the positions, rad or m.
    velocity, acceleration : ndarray
        Bounds of the magnitudes of rates and accelerations.
    """

    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a motion within which it can be brought to rest.

    Parameters
    ----------
    extent : MotionExtent
        How far it goes.
    longest : float
        Longest time that a stop may take, s.
    """

    extent: MotionExtent
    longest: float


class ExcitingMotion(ABC):
    """A motion of some actuators, at rest at its start and at its end.

    Actuators are joints, then wheels, or the coordinates of the base's pose.
    """

    names: tuple[str, ...]
    """Names of the m actuators."""

    duration: float
    """Duration, s."""

    @abstractmethod
    def sample(self, times: ArrayLike) -> PlannedMotion:
        """Return the motion at given times since the start; at rest before and after it."""

    @abstractmethod
    def extent(self) -> MotionExtent:
        """Return how far the motion goes."""

    @abstractmethod
    def reordered(self, names: Sequence[str]) -> 'ExcitingMotion':
        """Return the motion with its actuators in another order."""

    @abstractmethod
    def moved(self, way: NDArray[np.float64]) -> 'ExcitingMotion':
        """Return the motion with all positions moved by a way, shape (m,), rad or m."""

    @property
    def breaks(self) -> NDArray[np.float64]:
        """Times at which a controller needs a point, the start and the end among them, s."""
        return np.array([0.0, self.duration])

    def parts(self) -> tuple['ExcitingMotion', ...]:
        """Return the motion cut where it is at rest on its way, in its order."""
        return (self,)

    def section(self, time: float) -> Section:
        """Return the part about some time since the start within which a stop has to stay."""
        extent = self.extent()
        to_rest = extent.velocity / np.maximum(extent.acceleration, 1e-12)
        return Section(extent, _SLOWEST_STOP * float(to_rest.max()))

    def joint_trajectory(
        self, names: Sequence[str] | None = None, step: float = 0.1, since: float = 0.0
    ) -> JointTrajectory:
        """Return the part of a motion that some actuators have, as points of a trajectory.

        Parameters
        ----------
        names : sequence of str, optional
            Actuators of one controller, in the order wanted; all if None.
        step : float
            Largest time between points, s; breaks are points, too.
        since : float
            Time of the motion to start at, s.

        Returns
        -------
        JointTrajectory
            Points after the start, with positions, velocities and accelerations; at rest at the
            last.
        """
        names = self.names if names is None else tuple(names)
        times = [
            np.linspace(begin, end, max(1, int(np.ceil((end - begin) / step))) + 1)[1:]
            for begin, end in pairwise(self.breaks)
        ]
        times = np.concatenate(times)
        motion = self.sample(times[times > since + 1e-9])
        columns = [self.names.index(name) for name in names]
        return JointTrajectory(
            names,
            motion.times - since,
            motion.position[:, columns],
            motion.velocity[:, columns],
            motion.acceleration[:, columns],
        )


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

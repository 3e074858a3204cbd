"""What a search needs to know of a family of motions: numbers in a box that make one."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint

from spacerobot_id.excitation.motion import ExcitingMotion
from spacerobot_id.excitation.motion_sampler import MotionSampler


class MotionFamily(Protocol):
    """All motions of one kind, by parameters of shape (P,) on which they depend affinely."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the m actuators: joints, then wheels."""

    @property
    def bounds(self) -> Bounds:
        """Box of the parameters."""

    @property
    def constraints(self) -> Sequence[LinearConstraint]:
        """Linear constraints on the parameters that the search is to keep."""

    def motion(self, parameters: NDArray[np.float64]) -> ExcitingMotion:
        """Return the motion that parameters make, whether or not it keeps limits."""

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return parameters, drawn at random, of a motion that keeps its actuators' limits."""

    def keep(self, parameters: NDArray[np.float64], share: float = 1.0) -> NDArray[np.float64]:
        """Return parameters of a motion within limits of position, rate and acceleration.

        Parameters
        ----------
        parameters : ndarray, shape (P,)
            Parameters of a motion.
        share : float
            How much of the motion about its start is wanted; at 0 it stands still there.
        """

    def information_sampler(self) -> MotionSampler:
        """Return few samples that stand for a whole motion where information is summed up."""

    def limit_sampler(self, density: int) -> MotionSampler:
        """Return samples, evenly spread over all of a motion, ``density`` times as dense."""

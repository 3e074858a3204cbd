"""What every limit of a motion gives: how much of it each sample uses, and the gradient."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient

_STEP = 1e-6
"""Difference of a position (rad, m), rate or acceleration."""

_ACTIVE = 0.95
"""Share of a limit from which on it counts as active."""


@dataclass(frozen=True)
class LimitUse:
    """How close a motion comes to one limit.

    Parameters
    ----------
    name : str
        Joint, wheel, link or frame, and what of it is limited.
    share : float
        Largest share of the limit that the motion uses; at most 1 where it is kept.
    """

    name: str
    share: float

    @property
    def is_active(self) -> bool:
        """Whether the limit shapes the motion."""
        return self.share >= _ACTIVE


class MotionLimit(Protocol):
    """One kind of limit: c numbers at every sample, at most 1 where it is kept."""

    @property
    def names(self) -> Sequence[str]:
        """What is limited, c texts."""

    @property
    def has_gradient(self) -> bool:
        """Whether ``pull_back`` can be asked; if not, differences of whole motions are taken."""

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the share of each limit that each sample uses, shape (N, c)."""

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares, shape (N, c)."""


def usage_gradient(
    usage: Callable[[PlannedMotion], NDArray[np.float64]],
    motion: PlannedMotion,
    by: NDArray[np.float64],
    parts: Sequence[str],
    actuators: int,
) -> SampleGradient:
    """Return derivatives by samples of limits that look at each sample alone, by differences.

    Parameters
    ----------
    usage : callable
        From a motion to shares of limits, shape (N, c).
    motion : PlannedMotion
        Samples.
    by : ndarray, shape (N, c)
        Derivatives by the shares; samples where all are zero are passed over.
    parts : sequence of str
        What the limits depend on: fields of ``PlannedMotion``.
    actuators : int
        How many of the m actuators they depend on, the first.
    """
    gradient = {
        part: np.zeros_like(motion.position) for part in ('position', 'velocity', 'acceleration')
    }
    some = np.flatnonzero(by.any(axis=1))
    if not len(some):
        return SampleGradient(**gradient)
    here, by = motion[np.tile(some, actuators)], by[some]
    before = usage(motion[some])
    step = _STEP * np.eye(motion.position.shape[1])[:actuators].repeat(len(some), axis=0)
    for part in parts:
        moved = usage(replace(here, **{part: getattr(here, part) + step}))
        change = (moved.reshape(actuators, *before.shape) - before) / _STEP
        gradient[part][some, :actuators] = np.einsum('anc,nc->na', change, by)
    return SampleGradient(**gradient)

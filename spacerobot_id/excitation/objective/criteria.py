"""What every criterion of exciting motions gives: a number to be small, and its gradient."""

from dataclasses import dataclass
from typing import Protocol

from spacerobot_id.methods.information.motion_information import MotionInformation


@dataclass(frozen=True, eq=False)
class Score:
    """A smooth stand-in of a criterion for a search to follow.

    Parameters
    ----------
    value : float
        Value; it orders motions as the criterion does, up to where this has corners.
    by : MotionInformation
        Derivatives of the value by the sums over a motion.
    """

    value: float
    by: MotionInformation


class Criterion(Protocol):
    """How good a motion is, by the sums over its samples."""

    @property
    def is_weighted(self) -> bool:
        """Whether it looks at information, rows divided by their noise, or at plain rows."""

    def cost(self, information: MotionInformation) -> float:
        """Return the number that a motion should make small; infinite where nothing shows."""

    def score(self, information: MotionInformation) -> Score:
        """Return a smooth stand-in, with its gradient."""

"""The clock of poses live: looked for from the description on, as the first seconds become more.

At a wrong one pushes explain what wrenches do, so that no fit that goes on from there finds it.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

_MORE = 1.25
"""Growth of a flight after which the clock is looked for again."""


@dataclass(frozen=True, eq=False)
class SoughtClock:
    """A clock that is only roughly known, and the flight that it was looked for in.

    Parameters
    ----------
    described : ndarray, shape (u,)
        Unknowns to begin with each time.
    needed : float
        How long a flight has to last for it to be found, s.
    length : float
        How long the flight was when it was looked for last, s.
    """

    described: NDArray[np.float64]
    needed: float
    length: float = 0.0

    @property
    def is_found(self) -> bool:
        """Whether it was looked for in a flight that is long enough."""
        return self.length >= self.needed

    def is_due(self, length: float) -> bool:
        """Return whether it is to be looked for again in a flight of some length, s."""
        return length >= (_MORE * self.length if self.is_found else self.needed)

    def sought(self, length: float) -> 'SoughtClock':
        """Return the clock after it was looked for in a flight of some length, s."""
        return replace(self, length=max(length, self.length))

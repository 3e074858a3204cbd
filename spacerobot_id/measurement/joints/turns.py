"""Whole turns of joints whose encoders wrap: positions go on where they jump by 2 pi (F8).

Encoders of continuous joints often give angles between -pi and pi. Interpolation and smoothing
across such a jump would make a motion that there was not.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

TURN = 2.0 * np.pi
"""A whole turn, rad."""

_NEAR = 0.25 * TURN
"""Distance from a whole turn below which a jump is one, rad."""


class JointTurns:
    """Adds to positions the whole turns by which they jumped so far.

    Parameters
    ----------
    turn : sequence of bool
        Which of the n joints are revolute: others do not wrap.

    Attributes
    ----------
    added : ndarray, shape (n,)
        What is added to positions now, rad.
    """

    def __init__(self, turn: Sequence[bool]) -> None:
        self._turn = np.array(turn, dtype=bool)
        self.clear()

    def clear(self) -> None:
        """Forget all positions and turns."""
        self.added = np.zeros(len(self._turn))
        self._last = np.full(len(self._turn), np.nan)

    def take(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return positions, shape (n,), that go on from those before; NaN and infinity stay."""
        moved = positions + self.added - self._last
        wraps = self._turn & (np.abs(np.abs(moved) - TURN) < _NEAR)
        self.added = self.added - np.where(wraps, np.copysign(TURN, moved), 0.0)
        positions = positions + self.added
        self._last = np.where(np.isfinite(positions), positions, self._last)
        return positions

    def pass_all(self, positions: NDArray[np.float64]) -> None:
        """Go on from positions, shape (N, n), that have their turns and none that jumps."""
        self._last = positions[-1]

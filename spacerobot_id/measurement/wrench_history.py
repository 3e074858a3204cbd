"""The wrenches on the base as they come: what acts, and when all that acts is known."""

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.measurement.record import HeldSignal, JUST_BEFORE
from spacerobot_id.measurement.stream import Stream, Verdict
from spacerobot_id.model import Propellers

_LATE = 0.3
"""Time that a wrench may come after the sample that it answers, s: samples wait for it."""


class HeldHistory:
    """Rows of numbers that hold from their stamps on, each until the next; zeros before.

    Parameters
    ----------
    width : int
        Numbers per row.
    capacity : int
        Rows buffered.

    Attributes
    ----------
    in_world : bool
        Whether they are in inertial axes.
    """

    def __init__(self, width: int, capacity: int) -> None:
        self.stream = Stream(width, capacity, np.inf)
        self.in_world = False
        self._before = np.zeros(width)

    def complete_until(self, now: float) -> float:
        """Return the time up to which all must have come when samples are at a time."""
        return max(now - _LATE, self.stream.latest)

    def take(self, times: NDArray[np.float64]) -> HeldSignal:
        """Return what holds from the first of some times on; forget what no later one needs."""
        stamps, values = self.stream.stamps, self.stream.values
        if not len(stamps) or stamps[0] > times[0]:
            begin = np.append(times[0], stamps).min() - JUST_BEFORE
            stamps, values = np.append(begin, stamps), np.vstack([self._before, values])
        held = HeldSignal(stamps, values, self.in_world)
        self._before = held.at(times[-1:])[0]
        self.stream.drop_before(times[-1])
        return held

    def clear(self) -> None:
        """Drop everything; zeros hold until the next."""
        self.stream.clear()
        self._before = np.zeros_like(self._before)


class WrenchHistory(HeldHistory):
    """Wrenches that act from their stamps on, each until the next.

    What acts is what the actuators report they gave, where they do; else the wrench asked for,
    cut down to what the propellers can give. Before the first wrench there is none.

    Parameters
    ----------
    propellers : Propellers, optional
        Actuators of the base; without limits if None.
    capacity : int
        Wrenches buffered.
    """

    def __init__(self, propellers: Propellers | None, capacity: int) -> None:
        super().__init__(6, capacity)
        self._propellers = propellers
        self._is_applied = False

    @property
    def acting(self) -> NDArray[np.float64]:
        """Wrench that acts now, N and N m in base axes, shape (6,)."""
        last = self.stream.last
        return self._before if last is None else last

    def push_commanded(self, stamp: float, wrench: NDArray[np.float64]) -> Verdict:
        """Take a wrench asked for, N and N m in base axes; unused where applied ones come."""
        if self._is_applied:
            return Verdict.ACCEPTED
        given = wrench if self._propellers is None else self._propellers.given(wrench)
        return self.stream.push(stamp, given)

    def push_applied(self, stamp: float, wrench: NDArray[np.float64]) -> Verdict:
        """Take a wrench that the actuators gave, N and N m in base axes."""
        if not self._is_applied:
            self._is_applied = True
            self.stream.clear()
        return self.stream.push(stamp, wrench)
